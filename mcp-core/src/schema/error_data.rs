//! What travels in the `data` of errors.

use serde::{Deserialize, Serialize};

use super::{capabilities::ClientCapabilities, elicitation::UrlElicitation};
use crate::{ErrorObject, JsonObject, error::code, json::DecodeError};

macro_rules! error_data {
    ($($name:ident = $code:expr;)+) => {$(
        impl $name {
            /// The data of an error; nothing when the error has another code.
            ///
            /// # Errors
            /// The code is right and the data is not.
            pub fn of(error: &ErrorObject) -> Result<Option<Self>, DecodeError> {
                if error.code != $code {
                    return Ok(None);
                }
                let none = crate::Json::empty_object();
                error.data.as_ref().unwrap_or(&none).decode().map(Some)
            }
        }
    )+};
}

/// Data of -32021: what the client would have to offer (V26-META-012).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MissingCapability {
    /// The part of the capabilities that is missing.
    pub required_capabilities: ClientCapabilities,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Data of -32022: the versions that are served (V26-VER-001).
///
/// ```
/// use mcp_core::{ErrorObject, ProtocolVersion, schema::error_data::UnsupportedVersion};
///
/// let error = ErrorObject::unsupported_version("1900-01-01", &[ProtocolVersion::LATEST]);
/// let data = UnsupportedVersion::of(&error)?.expect("the code says so");
/// assert_eq!(data.supported, ["2026-07-28"]);
/// # Ok::<(), mcp_core::json::DecodeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UnsupportedVersion {
    /// Versions that are served, also such as this crate does not know.
    pub supported: Vec<String>,
    /// What was asked for.
    pub requested: String,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Data of -32042: pages that the person has to see first. Only in 2025-11-25.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UrlElicitationRequired {
    /// The pages.
    pub elicitations: Vec<UrlElicitation>,
    /// Everything else.
    #[serde(flatten)]
    pub extra: JsonObject,
}

error_data! {
    MissingCapability = code::MISSING_CLIENT_CAPABILITY;
    UnsupportedVersion = code::UNSUPPORTED_VERSION;
    UrlElicitationRequired = code::URL_ELICITATION_REQUIRED;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::check::{refused, survives};

    #[test]
    fn v26_base_019_the_data_of_typed_codes_is_required() {
        survives::<MissingCapability>(r#"{"requiredCapabilities":{"elicitation":{}}}"#);
        survives::<UnsupportedVersion>(r#"{"supported":["2026-07-28"],"requested":"1900-01-01"}"#);
        survives::<UrlElicitationRequired>(
            r#"{"elicitations":[{"mode":"url","message":"m","url":"https://a.b","elicitationId":"e"}],"x":1}"#,
        );
        refused::<MissingCapability>(&["{}"]);
        refused::<UnsupportedVersion>(&[r#"{"supported":[]}"#, r#"{"requested":"a"}"#]);
        refused::<UrlElicitationRequired>(&["{}"]);
    }

    #[test]
    fn the_code_decides_what_the_data_is() {
        let other = ErrorObject::invalid_params("no");
        assert_eq!(UnsupportedVersion::of(&other).unwrap(), None);
        let bare = ErrorObject::new(code::UNSUPPORTED_VERSION, "no");
        assert!(UnsupportedVersion::of(&bare).is_err());
    }
}
