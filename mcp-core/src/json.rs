//! JSON kept as text: cheap to clone, looked into when somebody needs to.
//!
//! Messages pass through proxies and links unparsed. What a link has to change (`_meta`,
//! `resultType`) is changed in the text with one shallow pass, never by building a tree.

use std::{borrow::Cow, fmt, ops::Range};

use bytes::Bytes;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// One valid JSON value as text.
///
/// A clone shares the text. Equality compares text, not meaning.
///
/// ```
/// use mcp_core::Json;
///
/// let json: Json = r#"{"a":1,"b":[2]}"#.parse()?;
/// let member = json.member("b").unwrap();
/// assert_eq!(member.decode::<Vec<u8>>()?, [2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(Bytes);

/// Text that does not decode to what was expected: where and why.
#[derive(Debug, thiserror::Error)]
#[error("{}{reason}", at(path))]
pub struct DecodeError {
    /// Path of the offending member, for example `tools[3].name`; empty at the root.
    pub path: String,
    /// What was wrong there.
    pub reason: String,
}

fn at(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!("`{path}`: ")
    }
}

impl Json {
    /// The empty object.
    pub const fn empty_object() -> Self {
        Self(Bytes::from_static(b"{}"))
    }

    /// Writes a value as JSON.
    ///
    /// # Errors
    /// The value refuses to be written, for example a map whose keys are not strings.
    pub fn from_value(value: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        serde_json::to_vec(value).map(|text| Self(text.into()))
    }

    /// Writes an object: `first`, then the members of `rest`, which must not have those names.
    ///
    /// # Errors
    /// `rest` refuses to be written, or is not an object.
    pub fn object(
        first: &[(&str, &Json)],
        rest: &(impl Serialize + ?Sized),
    ) -> Result<Self, serde_json::Error> {
        let mut out = Vec::new();
        for (key, value) in first {
            out.push(if out.is_empty() { b'{' } else { b',' });
            write_string(&mut out, key);
            out.push(b':');
            out.extend_from_slice(&value.0);
        }
        let at = out.len();
        serde_json::to_writer(&mut out, rest)?;
        if out.get(at) != Some(&b'{') {
            return Err(serde::ser::Error::custom("not an object"));
        }
        if at > 0 && out.len() == at + 2 {
            out.remove(at);
        } else if at > 0 {
            out[at] = b',';
        }
        Ok(Self(out.into()))
    }

    /// Checks that the bytes are one JSON value and keeps them.
    ///
    /// # Errors
    /// The bytes are not JSON, or not UTF-8.
    pub fn from_bytes(bytes: &Bytes) -> Result<Self, serde_json::Error> {
        let raw: &RawValue = serde_json::from_slice(bytes)?;
        let text = bytes.slice_ref(raw.get().as_bytes());
        Ok(Self(text))
    }

    /// Bytes that are known to be one JSON value.
    pub(crate) const fn trusted(bytes: Bytes) -> Self {
        Self(bytes)
    }

    /// The part of this text that `raw` borrows from it, sharing the bytes.
    ///
    /// # Panics
    /// `raw` does not point into this text.
    #[must_use]
    pub fn share(&self, raw: &RawValue) -> Self {
        Self(self.0.slice_ref(raw.get().as_bytes()))
    }

    /// A copy that does not keep a larger text alive.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self(Bytes::copy_from_slice(&self.0))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("a Json is made from checked text")
    }

    /// The bytes of the text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.0.first() == Some(&b'{')
    }

    /// Decodes to a type.
    ///
    /// # Errors
    /// The value does not fit; the error names the path. The text is walked a second time to
    /// find it, so only failures pay for it.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        serde_json::from_slice(&self.0).map_err(|_| {
            let mut text = serde_json::Deserializer::from_slice(&self.0);
            let error = serde_path_to_error::deserialize::<_, T>(&mut text)
                .err()
                .map(|error| (error.path().to_string(), error.into_inner().to_string()));
            let (path, reason) = error.unwrap_or_default();
            let path = if path == "." { String::new() } else { path };
            DecodeError { path, reason }
        })
    }

    /// The top-level members in order; nothing when the value is not an object.
    pub fn members(&self) -> impl Iterator<Item = (Cow<'_, str>, Json)> {
        Members::new(&self.0).map(|member| (member.key, Self(self.0.slice(member.value))))
    }

    /// The value of a top-level member. With a repeated name the last one counts, as it does in a
    /// [`JsonObject`](crate::JsonObject); typed messages refuse such an object.
    pub fn member(&self, name: &str) -> Option<Json> {
        self.members()
            .filter(|(key, _)| key == name)
            .last()
            .map(|(_, value)| value)
    }

    /// Takes a top-level member out: its value, and the object without it. One pass, and no copy
    /// when there is no such member.
    #[must_use]
    pub fn take(&self, name: &str) -> (Option<Json>, Json) {
        let mut found = None;
        let mut kept: Vec<Range<usize>> = Vec::new();
        for member in Members::new(&self.0) {
            if member.key == name {
                found = Some(Self(self.0.slice(member.value)));
            } else {
                kept.push(member.whole);
            }
        }
        if found.is_none() {
            return (None, self.clone());
        }
        let mut rest = Vec::with_capacity(self.0.len());
        rest.push(b'{');
        for whole in kept {
            if rest.len() > 1 {
                rest.push(b',');
            }
            rest.extend_from_slice(&self.0[whole]);
        }
        rest.push(b'}');
        (found, Self(rest.into()))
    }

    /// The same object with `add` in front and every member of those names, and those named in
    /// `drop`, gone. A value that is not an object is returned as it is, and shares its text if
    /// there is nothing to change.
    #[must_use]
    pub fn rewrite(&self, add: &[(&str, &Json)], drop: &[&str]) -> Json {
        if !self.is_object() || add.is_empty() && !Members::new(&self.0).any(|m| m.is_named(drop)) {
            return self.clone();
        }
        let added: usize = add
            .iter()
            .map(|(key, value)| key.len() + value.0.len() + 4)
            .sum();
        let mut out = Vec::with_capacity(self.0.len() + added);
        self.rewrite_into(&mut out, add, drop);
        Self(out.into())
    }

    /// Appends what [`rewrite`](Self::rewrite) gives for an object.
    pub fn rewrite_into(&self, out: &mut Vec<u8>, add: &[(&str, &Json)], drop: &[&str]) {
        let start = out.len();
        let separate = |out: &mut Vec<u8>| out.push(if out.len() == start { b'{' } else { b',' });
        for (key, value) in add {
            separate(out);
            write_string(out, key);
            out.push(b':');
            out.extend_from_slice(&value.0);
        }
        for member in Members::new(&self.0) {
            if !member.is_named(drop) && !add.iter().any(|(name, _)| *name == member.key) {
                separate(out);
                out.extend_from_slice(&self.0[member.whole]);
            }
        }
        if out.len() == start {
            out.push(b'{');
        }
        out.push(b'}');
    }
}

/// Writes a JSON string with its quotes.
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(out, text).expect("a string can always be written to memory");
}

impl std::str::FromStr for Json {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, serde_json::Error> {
        Self::from_bytes(&Bytes::copy_from_slice(text.as_bytes()))
    }
}

impl From<&RawValue> for Json {
    fn from(raw: &RawValue) -> Self {
        Self(Bytes::copy_from_slice(raw.get().as_bytes()))
    }
}

impl From<Box<RawValue>> for Json {
    fn from(raw: Box<RawValue>) -> Self {
        Self(Box::<str>::from(raw).into_string().into_bytes().into())
    }
}

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Self {
        Self(value.to_string().into_bytes().into())
    }
}

impl From<crate::JsonObject> for Json {
    fn from(object: crate::JsonObject) -> Self {
        serde_json::Value::Object(object).into()
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_slice(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}

/// For `Option` fields where a present null is a value of its own (note N17).
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// One member of an object.
struct Member<'a> {
    key: Cow<'a, str>,
    whole: Range<usize>,
    value: Range<usize>,
}

impl Member<'_> {
    fn is_named(&self, names: &[&str]) -> bool {
        names.contains(&&*self.key)
    }
}

/// Walks the top level of an object, skipping over the values.
///
/// The text is known to be valid, so the walk only needs to find where values end.
struct Members<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Members<'a> {
    fn new(text: &'a [u8]) -> Self {
        let at = if text.first() == Some(&b'{') {
            1
        } else {
            text.len()
        };
        Self { text, at }
    }

    fn skip_space(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// `at` is on the opening quote; afterwards it is behind the closing one.
    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(found) = memchr::memchr2(b'"', b'\\', &self.text[self.at..]) {
            self.at += found;
            if self.text[self.at] == b'"' {
                self.at += 1;
                return;
            }
            self.at = (self.at + 2).min(self.text.len());
        }
        self.at = self.text.len();
    }

    fn skip_value(&mut self) {
        let mut depth = 0usize;
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'"' => self.skip_string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' if depth == 0 => return,
                b'}' | b']' => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' if depth == 0 => return,
                _ => self.at += 1,
            }
        }
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        while matches!(
            self.text.get(self.at),
            Some(b' ' | b'\t' | b'\r' | b'\n' | b',')
        ) {
            self.at += 1;
        }
        if self.text.get(self.at) != Some(&b'"') {
            return None;
        }
        let start = self.at;
        self.skip_string();
        let key = unquote(&self.text[start..self.at]);
        self.skip_space();
        self.at += 1; // the colon
        self.skip_space();
        let from = self.at;
        self.skip_value();
        let end = self.at
            - self.text[from..self.at]
                .iter()
                .rev()
                .take_while(|b| b.is_ascii_whitespace())
                .count();
        Some(Member {
            key,
            whole: start..end,
            value: from..end,
        })
    }
}

/// A name without its quotes. One with half a surrogate pair has no text; it is known by its raw
/// spelling, which no other name can have.
fn unquote(quoted: &[u8]) -> Cow<'_, str> {
    let raw = || String::from_utf8_lossy(&quoted[1..quoted.len() - 1]);
    if memchr::memchr(b'\\', quoted).is_none() {
        return raw();
    }
    serde_json::from_slice(quoted).map_or_else(|_| raw(), Cow::Owned)
}

/// Whether an object somewhere in the text has the name under which `serde_json` passes raw JSON
/// through serde. Read as a tree, the string behind it would be parsed again with a fresh limit on
/// depth, so a few kilobytes of it could overflow the stack. No honest peer uses the name.
pub(crate) fn smuggles_json(text: &[u8]) -> bool {
    const NAME: &str = "$serde_json::private::RawValue";
    let has = |part: &[u8]| memchr::memmem::find(text, part).is_some();
    // Written plainly, or with escapes for characters of its own.
    if !has(NAME.as_bytes()) && !has(b"\\u00") {
        return false;
    }
    let mut names = serde_json::Deserializer::from_slice(text);
    // What cannot be walked cannot be read as a tree either.
    Names { forbidden: NAME }
        .deserialize(&mut names)
        .unwrap_or(false)
}

/// Looks at every name of every object.
#[derive(Clone, Copy)]
struct Names {
    forbidden: &'static str,
}

impl<'de> DeserializeSeed<'de> for Names {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Names {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_str<E>(self, _: &str) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<bool, A::Error> {
        let mut found = false;
        while let Some(inside) = items.next_element_seed(self)? {
            found |= inside;
        }
        Ok(found)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<bool, A::Error> {
        let mut found = false;
        while let Some(name) = members.next_key::<Cow<'_, str>>()? {
            found |= name == self.forbidden;
            found |= members.next_value_seed(self)?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn json(text: &str) -> Json {
        text.parse().unwrap()
    }

    #[test]
    fn members_are_found_whatever_the_layout() {
        let text =
            json(" { \"a\" : {\"x\":\"}\\\"\"} ,\n\"b\\u0063\":[1,{\"a\":2}] , \"d\":null } ");
        let found: Vec<_> = text
            .members()
            .map(|(k, v)| (k.into_owned(), v.to_string()))
            .collect();
        let want = [
            ("a", "{\"x\":\"}\\\"\"}"),
            ("bc", "[1,{\"a\":2}]"),
            ("d", "null"),
        ];
        assert_eq!(found, want.map(|(k, v)| (k.to_string(), v.to_string())));
        assert!(json("[1]").members().next().is_none());
    }

    #[test]
    fn rewriting_replaces_adds_and_drops() {
        let text = json(r#"{ "a":1, "_meta":{"x":1} , "b":2 }"#);
        let meta = json("{}");
        assert_eq!(
            text.rewrite(&[("_meta", &meta)], &["b"]).as_str(),
            r#"{"_meta":{},"a":1}"#
        );
        assert_eq!(
            json("{}").rewrite(&[("_meta", &meta)], &[]).as_str(),
            r#"{"_meta":{}}"#
        );
        assert_eq!(json("{}").rewrite(&[], &["a"]).as_str(), "{}");
    }

    #[test]
    fn a_name_with_half_a_surrogate_hides_nothing_behind_it() {
        let text = json(r#"{"\ud83e":"half","_meta":{},"b":1}"#);
        assert_eq!(text.member("b").unwrap().as_str(), "1");
        assert_eq!(
            text.rewrite(&[], &["_meta"]).as_str(),
            r#"{"\ud83e":"half","b":1}"#
        );
    }

    #[test]
    fn k03_numbers_survive_a_tree() {
        for number in ["1.6666666666666665", "0.1", "1e300", "-0.0"] {
            let tree: Value = serde_json::from_str(number).unwrap();
            assert_eq!(
                tree.as_f64().unwrap(),
                number.parse::<f64>().unwrap(),
                "{number}"
            );
        }
    }

    #[test]
    fn t6_json_inside_a_private_name_is_found_however_it_is_written() {
        for text in [
            r#"{"$serde_json::private::RawValue":"[1]"}"#,
            r#"{"a":[{"b":{"\u0024serde_json::private::Raw\u0056alue":"[1]"}}]}"#,
        ] {
            assert!(smuggles_json(text.as_bytes()), "{text}");
        }
        for text in [
            r#"{"a":"$serde_json::private::RawValue"}"#,
            r#"{"a":"\u0024","\u0041":1}"#,
        ] {
            assert!(!smuggles_json(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn k01_a_decode_error_names_the_path() {
        let error = json(r#"{"tools":[{"name":3}]}"#)
            .decode::<crate::schema::tools::ListToolsResult>()
            .unwrap_err();
        assert_eq!(error.path, "tools[0].name");
        assert!(
            error
                .to_string()
                .starts_with("`tools[0].name`: invalid type"),
            "{error}"
        );
    }

    #[test]
    fn an_object_is_written_behind_its_first_members() {
        let one = json("1");
        let object =
            |first: &[(&str, &Json)], rest| Json::object(first, &rest).map(|o| o.to_string());
        assert_eq!(
            object(&[("a", &one)], json!({"b": 2})).unwrap(),
            r#"{"a":1,"b":2}"#
        );
        assert_eq!(object(&[("a", &one)], json!({})).unwrap(), r#"{"a":1}"#);
        assert_eq!(object(&[], json!({})).unwrap(), "{}");
        assert!(object(&[("a", &one)], json!([1])).is_err());
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn editing_the_text_is_editing_the_object(value in any_json(), spaced in any::<bool>()) {
            let text = if spaced { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let edited = json(&text.unwrap()).rewrite(&[("k", &json("[1]"))], &["a", ""]);
            let mut want = value;
            if let Value::Object(map) = &mut want {
                map.remove("a");
                map.remove("");
                map.insert("k".into(), json!([1]));
            }
            prop_assert_eq!(edited.decode::<Value>().unwrap(), want);
        }

        #[test]
        fn taking_a_member_out_is_finding_and_dropping_it(value in any_json(), name in "[ab]?") {
            let text = json(&value.to_string());
            let (found, rest) = text.take(&name);
            prop_assert_eq!(found, text.member(&name));
            prop_assert_eq!(rest, text.rewrite(&[], &[&name]));
        }

        #[test]
        fn members_agree_with_the_parser(value in any_json()) {
            let text = json(&value.to_string());
            let found: crate::JsonObject =
                text.members().map(|(k, v)| (k.into_owned(), v.decode().unwrap())).collect();
            prop_assert_eq!(found, value.as_object().cloned().unwrap_or_default());
        }
    }
}
