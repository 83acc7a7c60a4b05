//! Looking into and editing JSON text is looking into and editing the object that it stands for.
//!
//! The first two bytes choose members of the text, the rest is the text.

#![no_main]

use std::fmt;

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use mcp_core::{Json, JsonObject};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

fuzz_target!(|input: &[u8]| {
    let [first, second, text @ ..] = input else {
        return;
    };
    let Ok(json) = Json::from_bytes(&Bytes::copy_from_slice(text)) else {
        return;
    };
    assert_eq!(json.as_str().trim_ascii(), json.as_str());
    if !json.is_object() {
        assert!(json.members().next().is_none());
        assert_eq!(json.rewrite(&[("a", &json)], &["b"]), json);
        return;
    }
    nothing_is_lost(&json);
    // Numbers beyond f64, deep nesting and halves of surrogates are text, but no object.
    if let Ok(object) = json.decode::<JsonObject>() {
        let names = names(&object, [*first, *second]);
        looks_like(&json, &object, &names);
        edits_like(&json, object, &names);
    }
});

/// The members of an object with names and values as they are written.
struct Written(Vec<[Box<RawValue>; 2]>);

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Written;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Written, M::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry()? {
                    members.push([name, value]);
                }
                Ok(Written(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

fn nothing_is_lost(json: &Json) {
    let written: Written = json.decode().expect("an object has members");
    let values: Vec<Json> = json.members().map(|(_, value)| value).collect();
    let want: Vec<Json> = written
        .0
        .iter()
        .map(|[_, value]| (&**value).into())
        .collect();
    assert_eq!(values, want, "members of {json}");

    // A name that no member has: longer than the text.
    let new = "a".repeat(json.as_str().len());
    let edited = json.rewrite(&[(&new, json)], &[]);
    let edited: Written = edited.decode().expect("edited text is an object");
    let texts = |members: &[[Box<RawValue>; 2]]| {
        let texts = members.iter().flatten().map(|raw| raw.get().to_owned());
        texts.collect::<Vec<_>>()
    };
    assert_eq!(edited.0[0][1].get(), json.as_str());
    assert_eq!(texts(&edited.0[1..]), texts(&written.0), "{json} edited");
}

/// Two names to work with: those of members if there are any.
fn names(object: &JsonObject, choice: [u8; 2]) -> [String; 2] {
    choice.map(|choice| {
        let count = object.len().max(1);
        let name = object.keys().nth(usize::from(choice) % count);
        name.map_or_else(|| "absent".to_owned(), Clone::clone)
    })
}

fn looks_like(json: &Json, object: &JsonObject, names: &[String; 2]) {
    let part = |member: Json| member.decode().expect("part of an object");
    let members: JsonObject = json
        .members()
        .map(|(name, member)| (name.into_owned(), part(member)))
        .collect();
    assert_eq!(&members, object);
    for name in names.iter().map(String::as_str).chain(["absent", ""]) {
        let member = json.member(name).map(part);
        assert_eq!(member.as_ref(), object.get(name), "member {name:?}");
    }
}

fn edits_like(json: &Json, mut object: JsonObject, [replaced, dropped]: &[String; 2]) {
    let new: Json = "[1]".parse().expect("a literal");
    let hard = "\"\\\n";
    let edited = json.rewrite(&[(replaced, &new), (hard, &new)], &[dropped, "absent"]);
    object.remove(dropped);
    object.remove("absent");
    object.insert(replaced.clone(), vec![1].into());
    object.insert(hard.to_owned(), vec![1].into());
    let edited: JsonObject = edited.decode().expect("edited text is an object");
    assert_eq!(edited, object);
}
