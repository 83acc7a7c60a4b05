//! What the answer to the first `server/discover` says about a server.
//!
//! ```text
//!   result with a common version ─────────────▶ Stateless(version)
//!   -32022 with a common version in `supported` ▶ Stateless(version)
//!   other errors that only stateless servers send ▶ Refused
//!   any other error, any other result, silence ──▶ Greet
//! ```

use mcp_core::{ErrorObject, Json, ProtocolVersion, error::code, schema::discover::DiscoverResult};
use serde::Deserialize;

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Go on without a handshake, in this version.
    Stateless(ProtocolVersion),
    /// The server is an older one.
    Greet,
    /// The server is a newer one, and there is nothing that both speak; never to be answered
    /// with a handshake (V26-STD-017).
    Refused(String),
}

#[derive(Deserialize)]
struct Supported {
    supported: Vec<String>,
}

/// Judges the answer. Silence is [`Verdict::Greet`] as well, and the caller's to notice.
pub(crate) fn judge(answer: &Result<Json, ErrorObject>) -> Verdict {
    match answer {
        Ok(result) => match result.decode::<DiscoverResult>() {
            Ok(discovered) => choose(&discovered.supported_versions),
            // Whatever answers every method like this is no server of the new kind.
            Err(_) => Verdict::Greet,
        },
        Err(error) if error.code == code::UNSUPPORTED_VERSION => {
            let data = error
                .data
                .as_ref()
                .and_then(|data| data.decode::<Supported>().ok());
            match data {
                Some(Supported { supported }) => choose(&supported),
                None => Verdict::Refused(error.message.clone()),
            }
        }
        Err(error) if error.is_stateless_only() => Verdict::Refused(error.to_string()),
        Err(_) => Verdict::Greet,
    }
}

/// The newest version that both know: stateless ones first, one with a handshake otherwise.
fn choose(theirs: &[String]) -> Verdict {
    let ours = || ProtocolVersion::ALL.iter().rev();
    let both = |version: &&ProtocolVersion| theirs.iter().any(|their| their == version.as_str());
    match ours().find(both) {
        Some(version) if version.is_stateless() => Verdict::Stateless(*version),
        Some(_) => Verdict::Greet,
        None => {
            let ours: Vec<_> = ours().map(|version| version.as_str()).collect();
            Verdict::Refused(format!(
                "no common protocol version: the server has {}, this client {}",
                if theirs.is_empty() {
                    "none".into()
                } else {
                    theirs.join(", ")
                },
                ours.join(", "),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn discovered(versions: &str) -> Result<Json, ErrorObject> {
        Ok(
            format!(r#"{{"supportedVersions":{versions},"capabilities":{{}}}}"#)
                .parse()
                .unwrap(),
        )
    }

    const STATELESS: Verdict = Verdict::Stateless(ProtocolVersion::V2026_07_28);

    #[test]
    fn v26_ver_002_a_common_version_is_chosen() {
        assert_eq!(
            judge(&discovered(r#"["2099-01-01","2026-07-28","2025-11-25"]"#)),
            STATELESS
        );
        assert_eq!(judge(&discovered(r#"["2025-06-18"]"#)), Verdict::Greet);
        assert!(matches!(
            judge(&discovered(r#"["2099-01-01"]"#)),
            Verdict::Refused(_)
        ));
        let refusal = ErrorObject::unsupported_version("x", &[ProtocolVersion::LATEST]);
        assert_eq!(judge(&Err(refusal)), STATELESS);
    }

    #[test]
    fn v26_std_017_errors_of_stateless_servers_never_lead_to_a_handshake() {
        for code in [-32020, -32021, -32022] {
            let verdict = judge(&Err(ErrorObject::new(code, "x")));
            assert!(matches!(verdict, Verdict::Refused(_)), "{code}");
        }
    }

    #[test]
    fn r103_results_of_servers_that_answer_everything_lead_to_a_handshake() {
        for text in [
            "{}",
            "null",
            r#"{"tools":[]}"#,
            r#"{"supportedVersions":1}"#,
        ] {
            assert_eq!(judge(&Ok(text.parse().unwrap())), Verdict::Greet, "{text}");
        }
    }

    proptest! {
        #[test]
        fn v26_std_019_every_other_error_leads_to_a_handshake(code in any::<i64>()) {
            prop_assume!(!(-32022..=-32020).contains(&code));
            prop_assert_eq!(judge(&Err(ErrorObject::new(code, "x"))), Verdict::Greet);
        }
    }
}
