//! Files and functions that outgrow a reader.

use super::{
    File, Finding,
    source::{self, Kind},
};

const FILE_LINES: usize = 800;
const FUNCTION_LINES: usize = 100;

pub(super) fn findings(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines = file.text.lines().count();
    if lines > FILE_LINES {
        findings.push(file.finding(1, format!("a file of {lines} lines")));
    }
    let code = source::code(&file.text);
    for block in source::blocks(&code)
        .iter()
        .filter(|block| block.kind == Kind::Function)
    {
        // From the brace's line: a signature that is broken into lines costs no attention.
        let first = source::line(&code, block.open);
        let lines = source::line(&code, block.span.end) - first + 1;
        if lines > FUNCTION_LINES {
            findings.push(file.finding(first, format!("a function of {lines} lines")));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: String, expected: &[&str]) {
        let file = File {
            path: "a.rs".into(),
            text,
        };
        let found: Vec<_> = findings(&file).iter().map(ToString::to_string).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_short_function_is_fine() {
        check(format!("fn a() {{\n{}}}\n", "    b();\n".repeat(98)), &[]);
    }

    #[test]
    fn a_long_function_is_named() {
        let body = "    b();\n".repeat(99);
        check(
            format!("\nfn a() {{\n{body}}}\n"),
            &["a.rs:2: a function of 101 lines"],
        );
    }

    #[test]
    fn a_long_file_is_named() {
        check("\n".repeat(801), &["a.rs:1: a file of 801 lines"]);
    }
}
