use std::{fmt, path::PathBuf};

use super::error::write_place;

/// Something in a configuration file that was ignored or is probably not what was meant.
///
/// Names the file, the server and the field, never a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The file it is about.
    pub file: PathBuf,
    /// The server it is about, if it is about one.
    pub server: Option<String>,
    /// The path of the field.
    pub field: Option<String>,
    /// What there is to say.
    pub notice: Notice,
}

/// What a [`Warning`] says. The text continues a sentence that began with the place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// Nobody knows this key.
    UnknownKey,
    /// The key is known and has no effect yet.
    NotYet,
    /// The key has no meaning for this kind of server.
    NotForThis,
    /// Another spelling of the same thing is preferred and present.
    Shadowed {
        /// The spelling that counts.
        by: &'static str,
    },
    /// The servers would have to stand under another key.
    MisplacedServers,
    /// A server of this name came earlier in the same file.
    DefinedTwice,
    /// The value has a JSON type that means nothing here.
    Type {
        /// What it would have to be.
        expected: &'static str,
    },
    /// The whole file is left out because this value has another JSON type.
    FileLeftOut {
        /// What it would have to be.
        expected: &'static str,
    },
    /// The variable is not set and was replaced by nothing.
    Unset {
        /// The name of the variable.
        variable: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey => f.write_str("is not known and is ignored"),
            Self::NotYet => f.write_str("is not supported yet and is ignored"),
            Self::NotForThis => f.write_str("has no meaning for this kind of server"),
            Self::Shadowed { by } => write!(f, "is ignored because {by} is present"),
            Self::MisplacedServers => f.write_str("is not read; servers belong under mcpServers"),
            Self::DefinedTwice => f.write_str("is defined twice; the last definition counts"),
            Self::Type { expected } => write!(f, "is not {expected} and is ignored"),
            Self::FileLeftOut { expected } => {
                write!(f, "is not {expected}; the whole file is ignored")
            }
            Self::Unset { variable } => {
                write!(
                    f,
                    "uses the environment variable {variable}, which is not set"
                )
            }
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.file, self.server.as_deref(), self.field.as_deref())?;
        write!(f, " {}", self.notice)
    }
}
