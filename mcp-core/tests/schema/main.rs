//! Every type against the published JSON schemas and examples.
//!
//! Those files are not part of the project. `cargo xtask schema DIR` says where they are; without
//! `MCP_SCHEMA_DIR` these tests have nothing to look at and say so.
//!
//! - [`files`]: the schemas and examples of a version
//! - [`read`]: decodes and encodes one definition with our types
//! - [`definitions`]: which type a definition has, or why it has none
//! - [`differences`]: where we differ from a schema on purpose, with the note that says why

mod definitions;
mod differences;
mod files;
mod messages;
mod read;

use std::collections::BTreeSet;

use mcp_core::ProtocolVersion;
use serde_json::Value;

use definitions::{Cover, cover};
use differences::{DEFECTS, is_kept, is_tolerated};
use files::{Published, published, report};
use read::{Cx, same};

#[test]
fn every_definition_has_a_type_or_a_reason() {
    let mut used = BTreeSet::new();
    for published in published() {
        let (mut typed, mut reasons, mut missing) = (0, 0, Vec::new());
        for name in published.names() {
            used.insert(name.to_owned());
            match cover(name) {
                Some(Cover::Type(_)) => typed += 1,
                Some(Cover::Because(reason)) => {
                    assert!(!reason.is_empty(), "{name}");
                    reasons += 1;
                }
                None => missing.push(name.to_owned()),
            }
        }
        let version = published.version;
        report(&format!(
            "{version}: {} definitions, {typed} typed, {reasons} with a reason",
            typed + reasons
        ));
        assert!(missing.is_empty(), "{version} has no type for {missing:?}");
    }
    if !used.is_empty() {
        let unused = definitions::ALL.iter().map(|(name, _)| *name);
        let unused: Vec<_> = unused.filter(|name| !used.contains(*name)).collect();
        assert!(unused.is_empty(), "no version defines {unused:?}");
    }
}

/// The smallest instance of every definition decodes, survives, and is refused when one of its
/// members is taken out that has to be there.
#[test]
fn the_smallest_instance_of_every_definition_survives() {
    for published in published() {
        let (mut instances, mut removals) = (0, 0);
        for name in published.names() {
            if let Some(Cover::Type(_)) = cover(name) {
                instances += 1;
                removals += check(&published, name, &published.smallest(name), "smallest");
            }
        }
        let version = published.version;
        report(&format!(
            "{version}: {instances} smallest instances, {removals} members taken out"
        ));
    }
}

#[test]
fn every_example_survives_and_needs_what_is_required() {
    for published in published() {
        let examples = published.examples();
        let mut removals = 0;
        for example in &examples {
            removals += check(&published, &example.of, &example.value, &example.name);
        }
        if !examples.is_empty() {
            let version = published.version;
            let count = examples.len();
            report(&format!(
                "{version}: {count} examples, {removals} members taken out"
            ));
        }
    }
}

/// A member that a schema names is one that our type names: with a value that the schema refuses
/// it does not decode.
#[test]
fn every_member_of_every_definition_is_typed() {
    for published in published() {
        let (mut members, mut untyped) = (0, Vec::new());
        for name in published.names() {
            let Some(Cover::Type(read)) = cover(name) else {
                continue;
            };
            let cx = published.cx(name);
            let validator = published.validator(name);
            for (member, whole) in published.wrong(name) {
                if validator.is_valid(&whole) {
                    continue;
                }
                members += 1;
                if read(&cx, &whole).is_ok() && !is_kept(name, &member) {
                    untyped.push(format!("{name}.{member}: {whole}"));
                }
            }
        }
        let version = published.version;
        report(&format!("{version}: {members} members with a wrong value"));
        assert!(untyped.is_empty(), "{version}: {untyped:#?}");
    }
}

/// Decodes and encodes an instance, then all that is left of it when one member is taken out.
/// Returns how many members had to be there.
fn check(published: &Published, name: &str, value: &Value, instance: &str) -> usize {
    let Some(Cover::Type(read)) = cover(name) else {
        panic!("{name} has an example and no type");
    };
    let cx = published.cx(name);
    let at = format!("{} {name}/{instance}", published.version);
    let again = read(&cx, value).unwrap_or_else(|error| panic!("{at}: {error}"));
    assert!(same(&again, value), "{at}: {value} became {again}");

    let validator = published.validator(name);
    assert!(validator.is_valid(value), "{at} does not fit the schema");
    let mut required = 0;
    for (path, without) in without_one(value) {
        if validator.is_valid(&without) {
            continue;
        }
        required += 1;
        assert!(
            read(&cx, &without).is_err() || is_tolerated(published.version, name, &path),
            "{at} decodes without {path}"
        );
    }
    required
}

/// The value without one of its members, for every member at any depth, with the member's path.
fn without_one(value: &Value) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    match value {
        Value::Object(object) => {
            for (name, inner) in object {
                let mut without = object.clone();
                without.shift_remove(name);
                all.push((name.clone(), Value::Object(without)));
                for (path, changed) in without_one(inner) {
                    let mut with = object.clone();
                    with[name] = changed;
                    all.push((format!("{name}.{path}"), Value::Object(with)));
                }
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                for (path, changed) in without_one(inner) {
                    let mut with = items.clone();
                    with[index] = changed;
                    all.push((format!("{index}.{path}"), Value::Array(with)));
                }
            }
        }
        _ => {}
    }
    all
}

/// Defects of the schemas, each shown by an instance: our types take it, the schema does not.
#[test]
fn n16_l8_every_known_defect_is_still_one() {
    for published in published() {
        let here = |defect: &&differences::Defect| defect.versions.contains(&published.version);
        for defect in DEFECTS.iter().filter(here) {
            let value: Value = serde_json::from_str(defect.instance).unwrap();
            let Some(Cover::Type(read)) = cover(defect.of) else {
                panic!("{} has no type", defect.of);
            };
            let cx = Cx {
                version: published.version,
                has_envelope: false,
            };
            let again = read(&cx, &value).unwrap();
            assert!(same(&again, &value), "{}: {again}", defect.note);
            assert!(
                !published.validator(defect.of).is_valid(&value),
                "{} is mended in {}",
                defect.note,
                published.version
            );
        }
    }
}

#[test]
fn versions_are_those_of_the_crate() {
    let found: Vec<_> = published().map(|published| published.version).collect();
    assert!(found.is_empty() || found == ProtocolVersion::ALL);
}
