//! A feature adds an item of a module: `cfg(feature = …)` stands nowhere else.

use super::{
    File, Finding,
    source::{self, Kind},
};

pub(super) fn findings(file: &File) -> Vec<Finding> {
    let code = source::code(&file.text);
    let blocks = source::blocks(&code);
    let mut findings = Vec::new();
    for (at, text) in conditions(&code) {
        let line = source::line(&code, at);
        if text.starts_with("cfg!") {
            findings.push(file.finding(line, "cfg!(feature) decides inside an expression"));
            continue;
        }
        let around = blocks
            .iter()
            .find(|block| block.kind != Kind::Module && block.open < at && at < block.span.end);
        match around.map(|block| block.kind) {
            Some(Kind::Function) => {
                findings.push(file.finding(line, "cfg(feature) inside a function"));
            }
            Some(_) => findings.push(file.finding(line, "cfg(feature) inside an item")),
            None if in_parentheses(&code[..at]) => {
                findings.push(file.finding(line, "cfg(feature) inside a list"));
            }
            None => {}
        }
    }
    findings
}

/// Every `#[cfg(…feature…)]` and `cfg!(…feature…)`, with where it starts.
fn conditions(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for opening in ["#[cfg(", "#[cfg_attr(", "#![cfg(", "cfg!("] {
        for (at, _) in code.match_indices(opening) {
            let arguments = &code[at + opening.len()..];
            let condition = &arguments[..closing(arguments)];
            let names_a_feature = condition
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|word| word == "feature");
            if names_a_feature {
                found.push((at, &code[at..]));
            }
        }
    }
    found.sort_by_key(|(at, _)| *at);
    found
}

/// Where the parenthesis that is open at the start of `code` closes.
fn closing(code: &str) -> usize {
    let mut depth = 1_usize;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    code.len()
}

/// Whether a parenthesis is open at the end of `code`, as between the parameters of a function.
fn in_parentheses(code: &str) -> bool {
    let count = |byte| code.bytes().filter(|other| *other == byte).count();
    count(b'(') > count(b')')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, lines: &[usize]) {
        let file = File {
            path: "a.rs".into(),
            text: text.into(),
        };
        let found: Vec<_> = findings(&file).iter().map(|finding| finding.line).collect();
        assert_eq!(found, lines);
    }

    #[test]
    fn items_of_a_module_may_depend_on_a_feature() {
        check("#[cfg(feature = \"a\")]\nmod a;\n", &[]);
        check(
            "mod a {\n#[cfg(all(unix, feature = \"a\"))]\npub use b::C;\n}\n",
            &[],
        );
        check("#![cfg(feature = \"a\")]\nfn a() {}\n", &[]);
    }

    #[test]
    fn the_inside_of_an_item_may_not() {
        check("fn a() {\n    #[cfg(feature = \"a\")]\n    b();\n}\n", &[2]);
        check(
            "fn a() {\n    loop {\n        #[cfg(feature = \"a\")]\n        b();\n    }\n}",
            &[3],
        );
        check(
            "impl A {\n    #[cfg(feature = \"a\")]\n    fn b() {}\n}\n",
            &[2],
        );
        check("enum A {\n    #[cfg(feature = \"a\")]\n    B,\n}\n", &[2]);
        check("fn a(\n    #[cfg(feature = \"a\")] b: u8,\n) {}\n", &[2]);
    }

    #[test]
    fn an_expression_may_not() {
        check("const A: bool = cfg!(feature = \"a\");\n", &[1]);
    }

    #[test]
    fn other_conditions_are_no_business_of_ours() {
        check(
            "fn a() {\n    #[cfg(unix)]\n    b();\n    cfg!(windows);\n}\n",
            &[],
        );
        check("// cfg!(feature)\nfn a() { \"#[cfg(feature)]\"; }\n", &[]);
    }
}
