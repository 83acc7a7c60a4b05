//! What HTTP mirrors into headers, and how values get into them (V26-HTTP-034 to -056).
//!
//! No HTTP is spoken here: these are rules about texts and schemas.
//!
//! ```
//! use mcp_core::header;
//!
//! assert_eq!(header::encode("us-west1"), "us-west1");
//! assert_eq!(header::encode("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
//! assert_eq!(header::decode("=?base64?SGVsbG8sIOS4lueVjA==?=").unwrap(), "Hello, 世界");
//! ```

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{
    RequestMessage,
    schema::{prompts::GetPrompt, resources::ReadResource, tools::CallTool},
};

mod mirrored;

pub use mirrored::{Annotation, BadAnnotation, HeaderKind, MirroredParam, NotMirrored, mirrored};

/// Keyword of a property in a tool's input schema that has its value mirrored into a header.
pub const X_MCP_HEADER: &str = "x-mcp-header";
/// What the names of such headers begin with.
pub const PARAM_PREFIX: &str = "mcp-param-";

const OPENING: &str = "=?base64?";
const CLOSING: &str = "?=";

/// The parameter that `Mcp-Name` mirrors for requests of this method; the header is not used with
/// others (V26-HTTP-034, note N29).
pub fn name_param(method: &str) -> Option<&'static str> {
    match method {
        CallTool::METHOD | GetPrompt::METHOD => Some("name"),
        ReadResource::METHOD => Some("uri"),
        _ => None,
    }
}

/// The form in which a text goes into a header: as it is when every header can hold it, in Base64
/// between markers otherwise, also when it looks as if it was (V26-HTTP-050, -052, -056).
pub fn encode(text: &str) -> Cow<'_, str> {
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && text.trim() == text;
    let looks_encoded = text.starts_with(OPENING) && text.ends_with(CLOSING);
    if plain && !looks_encoded {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("{OPENING}{}{CLOSING}", STANDARD.encode(text)))
    }
}

/// The text in a header, which is plain unless it stands between the exact markers
/// (V26-HTTP-053 to -055). Nothing when what stands between them is not Base64 of UTF-8.
pub fn decode(value: &str) -> Option<Cow<'_, str>> {
    let encoded = value
        .strip_prefix(OPENING)
        .and_then(|rest| rest.strip_suffix(CLOSING));
    match encoded {
        None => Some(Cow::Borrowed(value)),
        Some(encoded) => {
            let bytes = STANDARD.decode(encoded).ok()?;
            String::from_utf8(bytes).ok().map(Cow::Owned)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, header: &str) {
        assert_eq!(encode(text), header);
        assert_eq!(decode(header).unwrap(), text);
    }

    #[test]
    fn v26_http_051_052_what_a_header_cannot_hold_is_encoded() {
        check("us-west1", "us-west1");
        check("a b", "a b");
        check("", "");
        check("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?=");
        check(" padded ", "=?base64?IHBhZGRlZCA=?=");
        check("line1\nline2", "=?base64?bGluZTEKbGluZTI=?=");
        check("\ttab", "=?base64?CXRhYg==?=");
        check("\u{7f}", "=?base64?fw==?=");
    }

    #[test]
    fn v26_http_053_056_r105_r106_the_markers_are_exact_and_can_be_a_value() {
        check("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
        check("=?BASE64?YQ==?=", "=?BASE64?YQ==?=");
        assert_eq!(decode("=?base64?=").unwrap(), "=?base64?=");
        assert_eq!(decode("=?base64?YQ==").unwrap(), "=?base64?YQ==");
        assert_eq!(decode("=?base64?%%%?="), None);
        assert_eq!(decode("=?base64?/w==?="), None, "not UTF-8");
    }

    #[test]
    fn v26_http_034_n29_only_three_methods_have_names() {
        let with_names = ["tools/call", "prompts/get", "resources/read"].map(name_param);
        assert_eq!(with_names, [Some("name"), Some("name"), Some("uri")]);
        for method in ["tools/list", "completion/complete", "subscriptions/listen"] {
            assert_eq!(name_param(method), None, "{method}");
        }
    }

    proptest! {
        #[test]
        fn v26_http_050_055_every_text_survives_a_header(text in any::<String>()) {
            let header = encode(&text).into_owned();
            let is_visible = header.bytes().all(|b| matches!(b, b' '..=b'~'));
            prop_assert!(is_visible);
            prop_assert_eq!(header.trim(), &header);
            prop_assert_eq!(decode(&header).unwrap(), text);
        }

        #[test]
        fn decoding_never_panics(value in r"(=\?base64\?)?[ -~]{0,20}(\?=)?") {
            let _ = decode(&value);
        }
    }
}
