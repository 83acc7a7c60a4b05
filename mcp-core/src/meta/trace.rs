//! Trace context in `_meta`: the formats of W3C Trace Context and Baggage (V26-META-018).

use std::{fmt, str::FromStr};

use serde_json::Value;

use crate::JsonObject;

/// Key of the [`TraceParent`].
pub const TRACEPARENT: &str = "traceparent";
/// Key of the vendors' part of a trace.
pub const TRACESTATE: &str = "tracestate";
/// Key of the properties that travel with a trace.
pub const BAGGAGE: &str = "baggage";

/// The trace that a message belongs to.
///
/// Reading leaves out what is not well-formed; writing can only write what is. Relays do neither:
/// they pass `_meta` on as it is.
///
/// ```
/// use mcp_core::{JsonObject, meta::trace::TraceContext};
///
/// let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".parse()?;
/// let mut meta = JsonObject::new();
/// TraceContext::new(parent).write(&mut meta);
/// assert_eq!(TraceContext::of(&meta).parent, Some(parent));
/// # Ok::<(), mcp_core::meta::trace::NotATrace>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceContext {
    /// Which trace, and which step of it.
    pub parent: Option<TraceParent>,
    state: Option<String>,
    baggage: Option<String>,
}

/// The text is not in the format of the W3C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a well-formed {0}")]
pub struct NotATrace(&'static str);

impl TraceContext {
    /// A step of a trace.
    pub fn new(parent: TraceParent) -> Self {
        Self {
            parent: Some(parent),
            ..Self::default()
        }
    }

    /// Adds the vendors' part.
    ///
    /// # Errors
    /// It is not a list of at most 32 `key=value` with different keys.
    pub fn with_state(mut self, text: impl Into<String>) -> Result<Self, NotATrace> {
        let text = text.into();
        if !is_tracestate(&text) {
            return Err(NotATrace(TRACESTATE));
        }
        self.state = Some(text);
        Ok(self)
    }

    /// Adds properties.
    ///
    /// # Errors
    /// They are not a list of `key=value;property`.
    pub fn with_baggage(mut self, text: impl Into<String>) -> Result<Self, NotATrace> {
        let text = text.into();
        if !is_baggage(&text) {
            return Err(NotATrace(BAGGAGE));
        }
        self.baggage = Some(text);
        Ok(self)
    }

    /// The vendors' part.
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// Properties that travel with the trace.
    pub fn baggage(&self) -> Option<&str> {
        self.baggage.as_deref()
    }

    /// What `_meta` says. A vendors' part without a parent means nothing and is left out.
    pub fn of(meta: &JsonObject) -> Self {
        let text = |key| meta.get(key).and_then(Value::as_str);
        let checked =
            |key, is_fine: fn(&str) -> bool| text(key).filter(|t| is_fine(t)).map(str::to_owned);
        let parent = text(TRACEPARENT).and_then(|text| text.parse().ok());
        Self {
            parent,
            state: parent.and_then(|_| checked(TRACESTATE, is_tracestate)),
            baggage: checked(BAGGAGE, is_baggage),
        }
    }

    /// Writes it into `_meta`; what is not there stays as it is.
    pub fn write(&self, meta: &mut JsonObject) {
        let parent = self.parent.map(|parent| parent.to_string());
        let all = [
            (TRACEPARENT, &parent),
            (TRACESTATE, &self.state),
            (BAGGAGE, &self.baggage),
        ];
        for (key, text) in all {
            if let Some(text) = text {
                meta.insert(key.into(), Value::String(text.clone()));
            }
        }
    }
}

/// A step of a trace: version 00 of `traceparent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TraceParent {
    /// The trace; never zero.
    pub trace_id: u128,
    /// The step; never zero.
    pub parent_id: u64,
    /// Bit 0 says that the trace is recorded.
    pub flags: u8,
}

impl TraceParent {
    /// A step of a trace; nothing when one of the ids is zero.
    pub fn new(trace_id: u128, parent_id: u64, is_sampled: bool) -> Option<Self> {
        (trace_id != 0 && parent_id != 0).then_some(Self {
            trace_id,
            parent_id,
            flags: u8::from(is_sampled),
        })
    }

    /// Whether the trace is recorded.
    pub fn is_sampled(self) -> bool {
        self.flags & 1 == 1
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            trace_id,
            parent_id,
            flags,
        } = self;
        write!(f, "00-{trace_id:032x}-{parent_id:016x}-{flags:02x}")
    }
}

/// Of a later version only the known part is read, as the W3C asks for.
impl FromStr for TraceParent {
    type Err = NotATrace;

    fn from_str(text: &str) -> Result<Self, NotATrace> {
        parent(text).ok_or(NotATrace(TRACEPARENT))
    }
}

fn parent(text: &str) -> Option<TraceParent> {
    let mut parts = text.splitn(5, '-');
    let mut hex = |digits: usize| {
        let part = parts.next()?;
        let is_hex = |b: &u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        let is_fine = part.len() == digits && part.as_bytes().iter().all(is_hex);
        is_fine.then(|| u128::from_str_radix(part, 16).ok())?
    };
    let version = hex(2)?;
    let (trace_id, parent_id, flags) = (hex(32)?, hex(16)?, hex(2)?);
    let has_more = parts.next().is_some();
    if version == 0xff || version == 0 && has_more {
        return None;
    }
    Some(TraceParent {
        flags: u8::try_from(flags).ok()?,
        ..TraceParent::new(trace_id, u64::try_from(parent_id).ok()?, false)?
    })
}

/// A list of at most 32 members with different keys; empty ones are allowed.
fn is_tracestate(text: &str) -> bool {
    let members: Vec<_> = text
        .split(',')
        .map(|member| member.trim_matches([' ', '\t']))
        .filter(|member| !member.is_empty())
        .collect();
    let keys: Option<Vec<_>> = members.iter().map(|member| state_key(member)).collect();
    keys.is_some_and(|mut keys| {
        keys.sort_unstable();
        let all = keys.len();
        keys.dedup();
        (1..=32).contains(&all) && keys.len() == all
    })
}

/// The key of a well-formed member.
fn state_key(member: &str) -> Option<&str> {
    let (key, value) = member.split_once('=')?;
    let is_word = |part: &str, longest: usize, first: fn(u8) -> bool| {
        (1..=longest).contains(&part.len())
            && first(part.as_bytes()[0])
            && part.bytes().all(|b| {
                b.is_ascii_lowercase()
                    || b.is_ascii_digit()
                    || matches!(b, b'_' | b'-' | b'*' | b'/')
            })
    };
    let letter = |b: u8| b.is_ascii_lowercase();
    let alphanumeric = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let key_is_fine = match key.split_once('@') {
        None => is_word(key, 256, letter),
        Some((tenant, system)) => is_word(tenant, 241, alphanumeric) && is_word(system, 14, letter),
    };
    let value_is_fine = (1..=256).contains(&value.len())
        && !value.ends_with(' ')
        && value
            .bytes()
            .all(|b| matches!(b, b' '..=b'~') && b != b',' && b != b'=');
    (key_is_fine && value_is_fine).then_some(key)
}

/// A list of `key=value;property;property=value`.
fn is_baggage(text: &str) -> bool {
    !text.is_empty() && text.len() <= 8192 && text.split(',').all(is_baggage_member)
}

fn is_baggage_member(member: &str) -> bool {
    let trim = |part: &str| part.trim_matches([' ', '\t']).to_owned();
    let pair = |part: &str| {
        part.split_once('=')
            .is_some_and(|(key, value)| is_token(&trim(key)) && is_baggage_value(&trim(value)))
    };
    let mut parts = member.split(';');
    parts.next().is_some_and(pair) && parts.all(|part| is_token(&trim(part)) || pair(part))
}

fn is_baggage_value(text: &str) -> bool {
    text.bytes()
        .all(|b| matches!(b, b'!'..=b'~') && !matches!(b, b'"' | b',' | b';' | b'\\'))
}

/// A word as HTTP defines it: `1*tchar`.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn v26_meta_018_traceparent_has_the_format_of_the_w3c() {
        let parent: TraceParent = PARENT.parse().unwrap();
        assert!(parent.is_sampled());
        assert_eq!(parent.to_string(), PARENT);
        let later = "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what";
        assert!(later.parse::<TraceParent>().is_ok());
        for bad in [
            "",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert!(bad.parse::<TraceParent>().is_err(), "{bad}");
        }
    }

    #[test]
    fn v26_meta_018_tracestate_is_a_list_of_vendors() {
        for good in ["rojo=00f067aa0ba902b7", "a=1, b@c=2,,", "0t@sys=x y"] {
            assert!(is_tracestate(good), "{good}");
        }
        let long = format!("a={}", "x".repeat(257));
        for bad in [
            "",
            "a",
            "A=1",
            "a=1,a=2",
            "0a=1",
            "a=",
            "a=1=2",
            long.as_str(),
        ] {
            assert!(!is_tracestate(bad), "{bad}");
        }
        let many = |n: u32| {
            (0..n)
                .map(|i| format!("k{i}=v"))
                .collect::<Vec<_>>()
                .join(",")
        };
        assert!(is_tracestate(&many(32)) && !is_tracestate(&many(33)));
    }

    #[test]
    fn v26_meta_018_baggage_is_a_list_of_properties() {
        for good in ["userId=alice", "a=1;p;q=2 , b = %20", "a="] {
            assert!(is_baggage(good), "{good}");
        }
        for bad in ["", "a", "a=1,", "a b=1", "a=\"x\"", "a=1;p q", "a=ä"] {
            assert!(!is_baggage(bad), "{bad}");
        }
    }

    #[test]
    fn malformed_members_are_left_out() {
        let meta = serde_json::json!({ "traceparent": "x", "tracestate": "a=1", "baggage": "a=1" });
        let trace = TraceContext::of(meta.as_object().unwrap());
        assert_eq!((trace.parent, trace.state()), (None, None));
        assert_eq!(trace.baggage(), Some("a=1"));
        assert!(trace.with_state("a").is_err());
    }

    proptest! {
        #[test]
        fn v26_meta_018_every_parent_survives(id in 1u128.., step in 1u64.., sampled in any::<bool>()) {
            let parent = TraceParent::new(id, step, sampled).unwrap();
            prop_assert_eq!(parent.to_string().parse(), Ok(parent));
        }

        #[test]
        fn reading_never_panics(text in any::<String>()) {
            let _ = text.parse::<TraceParent>();
            let _ = (is_tracestate(&text), is_baggage(&text));
        }
    }
}
