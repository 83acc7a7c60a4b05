//! Icons, and which of their addresses may be followed.

use serde::{Deserialize, Serialize};

use crate::JsonObject;

/// A picture that stands for a tool, a prompt, a resource or a program.
///
/// What a peer says about an icon is not to be trusted (V26-ICON-003); ask
/// [`is_safe_src`](Self::is_safe_src) before fetching.
///
/// ```
/// use mcp_core::schema::icons::Icon;
///
/// assert!(Icon::new("https://example.com/icon.png").is_safe_src());
/// assert!(!Icon::new("javascript:alert(1)").is_safe_src());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Icon {
    /// A URI. Any text decodes.
    pub src: String,
    /// For example `image/png`; a claim, the bytes decide (V26-ICON-010).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Sizes such as `48x48`, or `any`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<String>,
    /// Which background it is drawn for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<Theme>,
    /// `_meta` and whatever else came with it.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Which background an icon is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// A light one.
    Light,
    /// A dark one.
    Dark,
}

impl Icon {
    /// An icon at an address.
    pub fn new(src: impl Into<String>) -> Self {
        Self {
            src: src.into(),
            mime_type: None,
            sizes: Vec::new(),
            theme: None,
            extra: JsonObject::new(),
        }
    }

    /// Says what type the picture has.
    #[must_use]
    pub fn mime_type(mut self, text: impl Into<String>) -> Self {
        self.mime_type = Some(text.into());
        self
    }

    /// Adds a size, for example `48x48`.
    #[must_use]
    pub fn size(mut self, text: impl Into<String>) -> Self {
        self.sizes.push(text.into());
        self
    }

    /// Whether the address is one that a client may follow at all: `https:` with a host, or
    /// `data:` (V26-ICON-004, note N12).
    ///
    /// Space, control characters and backslashes anywhere in it are refused too: programs that
    /// clean them up before they fetch would see another address than this check did.
    pub fn is_safe_src(&self) -> bool {
        if self
            .src
            .chars()
            .any(|c| c.is_whitespace() || c.is_control() || c == '\\')
        {
            return false;
        }
        match self.src.split_once(':') {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => origin(rest).is_some(),
            Some((scheme, rest)) => scheme.eq_ignore_ascii_case("data") && rest.contains(','),
            None => false,
        }
    }

    /// Whether the address is `data:`, or has the scheme, host and port of `server`
    /// (V26-ICON-008). Both addresses are compared as texts, apart from case and the default port.
    pub fn is_same_origin(&self, server: &str) -> bool {
        let https = |url: &str| {
            let (scheme, rest) = url.split_once(':')?;
            scheme
                .eq_ignore_ascii_case("https")
                .then(|| origin(rest))
                .flatten()
        };
        self.is_safe_src()
            && match https(&self.src) {
                None => true,
                Some(icon) => https(server) == Some(icon),
            }
    }
}

/// Host and port of what follows `https:`, in lower case and without the default port. Nothing
/// when there is no host, or when there is a user, which is there to mislead.
fn origin(rest: &str) -> Option<String> {
    let authority = rest.strip_prefix("//")?;
    let end = authority.find(['/', '?', '#']).unwrap_or(authority.len());
    let authority = authority[..end].to_ascii_lowercase();
    let host = authority.strip_suffix(":443").unwrap_or(&authority);
    let has_host = !host.is_empty() && !host.starts_with(':');
    (has_host && !host.contains('@')).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v26_icon_004_only_https_and_data_are_safe() {
        let good = [
            "https://example.com/a.png",
            "HTTPS://example.com",
            "data:image/png;base64,AA==",
        ];
        let bad = [
            "",
            "/a.png",
            "http://example.com/a.png",
            "https:",
            "https:example.com",
            "https:///a.png",
            "https://:443/a.png",
            "https://example.com@evil.test/",
            "https://a\\b/",
            "java\tscript:alert(1)",
            " https://example.com",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "ftp://example.com/a",
            "ws://example.com/a",
            "vscode://a",
            "data:",
        ];
        assert!(good.iter().all(|src| Icon::new(*src).is_safe_src()));
        for src in bad {
            assert!(!Icon::new(src).is_safe_src(), "{src}");
        }
    }

    #[test]
    fn v26_icon_008_an_icon_shares_the_origin_of_its_server() {
        let server = "https://Example.com:443/mcp";
        assert!(Icon::new("https://example.com/i.png").is_same_origin(server));
        assert!(Icon::new("data:,x").is_same_origin("http://localhost"));
        assert!(!Icon::new("https://example.com:8443/").is_same_origin(server));
        assert!(!Icon::new("https://cdn.example.com/").is_same_origin(server));
        assert!(!Icon::new("https://example.com/").is_same_origin("http://example.com/"));
    }

    #[test]
    fn an_icon_survives() {
        let text = r#"{"src":"https://a.b/c","mimeType":"image/png","sizes":["48x48"],"theme":"dark","x":1}"#;
        let icon: Icon = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&icon).unwrap(), text);
        assert!(serde_json::from_str::<Icon>(r#"{"mimeType":"a/b"}"#).is_err());
    }
}
