//! Nothing is said about the machine a file was written on.
//!
//! A line that has to name such a path says `tidy: path` in a comment.

use super::{File, Finding};

/// How paths of somebody's machine begin.
const BEGINNINGS: [&str; 5] = ["/work/", "/root/", "/home/", "/Users/", "C:\\Users\\"]; // tidy: path
/// Names documentation gives to somebody who is nobody.
const NOBODIES: [&str; 5] = ["user", "username", "you", "me", "alice"];
const EXCUSE: &str = "tidy: path";

pub(super) fn findings(file: &File) -> Vec<Finding> {
    // Recorded messages are what they are.
    if file.path.split('/').any(|part| part == "fixtures") {
        return Vec::new();
    }
    let lines = file
        .text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.contains(EXCUSE));
    lines
        .filter_map(|(index, line)| Some((index + 1, named(line)?)))
        .map(|(number, beginning)| file.finding(number, format!("names a path below {beginning}")))
        .collect()
}

fn named(line: &str) -> Option<&'static str> {
    BEGINNINGS.into_iter().find(|beginning| {
        line.match_indices(beginning).any(|(at, _)| {
            let name = &line[at + beginning.len()..];
            let end = name
                .find(|c: char| !c.is_alphanumeric())
                .unwrap_or(name.len());
            starts_here(&line[..at]) && !NOBODIES.contains(&&name[..end])
        })
    })
}

/// Whether a path may start after `before`: it goes on after a host, a directory or a variable.
fn starts_here(before: &str) -> bool {
    !before
        .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | ')' | '}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, found: bool) {
        assert_eq!(named(line).is_some(), found, "{line}");
    }

    #[test]
    fn absolute_paths_are_named() {
        check("see /work/a", true); // tidy: path
        check("(/root/a)", true); // tidy: path
        check("file:///home/jane/a", true); // tidy: path
        check("\"/Users/jane\"", true); // tidy: path
    }

    #[test]
    fn the_rest_is_not() {
        check("https://example.com/home/a", false);
        check("docs/work/a", false);
        check("$HOME/work/a ${A}/work/b ~/work/c", false);
        check("file:///home/user/project", false);
    }
}
