//! The name that somebody probably meant.

/// Most names that are worth showing.
const SHOWN: usize = 5;

/// The candidates that look like `name`, the most similar first.
///
/// ```
/// use mcp_adapter::suggest::similar;
///
/// assert_eq!(similar("clokc", ["files", "clock", "clock-http"]), ["clock"]);
/// assert_eq!(similar("http", ["files", "clock", "clock-http"]), ["clock-http"]);
/// ```
pub fn similar<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let mut found: Vec<_> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let folded = candidate.to_lowercase();
            let distance = strsim::osa_distance(&wanted, &folded);
            let allowed = (wanted.chars().count() / 3).max(1);
            let contains = wanted.len() >= 3 && folded.contains(&wanted);
            (distance <= allowed || contains).then_some((distance, candidate))
        })
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    found
        .into_iter()
        .map(|(_, candidate)| candidate)
        .take(SHOWN)
        .collect()
}

/// The rest of a sentence that said that there is no such name: what may have been meant, or what
/// there is.
///
/// ```
/// use mcp_adapter::suggest::instead;
///
/// assert_eq!(instead("clokc", ["clock"]), "; did you mean \"clock\"?");
/// assert_eq!(instead("x", ["clock", "files"]), "; there are \"clock\", \"files\"");
/// assert_eq!(instead("x", []), "; there are none");
/// ```
pub fn instead<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    /// A longer list is no help in a sentence.
    const LISTED: usize = 12;
    let candidates: Vec<_> = candidates.into_iter().collect();
    let quoted = |names: &[&str]| names.iter().map(|n| format!("{n:?}")).collect::<Vec<_>>();
    let similar = similar(name, candidates.iter().copied());
    match (&similar[..], candidates.len()) {
        (_, 0) => "; there are none".into(),
        ([], count) if count > LISTED => {
            let shown = quoted(&candidates[..LISTED]).join(", ");
            format!("; there are {shown} and {} more", count - LISTED)
        }
        ([], _) => format!("; there are {}", quoted(&candidates).join(", ")),
        (similar, _) => format!("; did you mean {}?", quoted(similar).join(" or ")),
    }
}
