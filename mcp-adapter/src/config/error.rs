use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// A configuration file that cannot be read at all.
///
/// The program `mcp` ends with exit code 4.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file that was asked for by name is not there.
    #[error("no configuration file {}", file.display())]
    Missing {
        /// The file.
        file: PathBuf,
    },
    /// The file is there but could not be read.
    #[error("could not read {}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is too large to be a configuration.
    #[error("{} is larger than {limit} bytes", file.display())]
    TooLarge {
        /// The file.
        file: PathBuf,
        /// The largest file that is read.
        limit: u64,
    },
    /// The text is not JSON with comments and trailing commas.
    #[error("{}:{line}:{column}: {reason}", file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// Line of the error, from 1.
        line: usize,
        /// Column of the error in characters, from 1.
        column: usize,
        /// What was wrong there; never a piece of the file.
        reason: String,
    },
}

/// Why one configured server cannot be used.
///
/// Names the file, the server, the field and the cause, never a value. The program `mcp` ends
/// with exit code 4 when such a server is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryError {
    pub(super) file: PathBuf,
    pub(super) server: String,
    pub(super) field: Option<String>,
    pub(super) problem: Problem,
}

impl EntryError {
    /// The file the server is defined in.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The name of the server.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The path of the field, for example `env.TOKEN` or `args[2]`.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// What is wrong with the field, or with the whole entry when there is none.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.file, Some(&self.server), self.field())?;
        write!(f, " {}", self.problem)
    }
}

/// Begins a sentence about a file, a server or a field. Names are escaped: a file from anywhere
/// must not write to the terminal.
pub(super) fn write_place(
    f: &mut fmt::Formatter<'_>,
    file: &Path,
    server: Option<&str>,
    field: Option<&str>,
) -> fmt::Result {
    write!(f, "{}", file.display())?;
    if let Some(server) = server {
        write!(f, ": server {server:?}")?;
    }
    if let Some(field) = field {
        write!(f, ": {}", field.escape_debug())?;
    }
    Ok(())
}

impl std::error::Error for EntryError {}

/// What can be wrong with an entry. The text continues a sentence that began with the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The entry, or a field, has another JSON type.
    #[error("must be {0}")]
    Type(&'static str),
    /// Nothing says how to reach the server.
    #[error("needs one of command, url or socket")]
    NoTransport,
    /// More than one field says how to reach the server.
    #[error("has {}, but exactly one of command, url and socket is allowed", .0.join(" and "))]
    SeveralTransports(Vec<&'static str>),
    /// A field names a transport that does not go with command, url or socket.
    #[error("contradicts {0}")]
    Contradiction(&'static str),
    /// The same thing is said twice.
    #[error("is given twice")]
    Twice,
    /// A known value whose meaning is not implemented.
    #[error("asks for {0}, which is not supported yet")]
    Unsupported(&'static str),
    /// A word that is none of the known ones.
    #[error("must be one of {0}")]
    Choice(&'static str),
    /// Environment variables that the field cannot do without are not set.
    #[error("needs environment variables that are not set: {}", .0.join(", "))]
    Unset(Vec<String>),
    /// A `${` without a complete reference behind it.
    #[error(
        "holds a \"${{\" that begins no reference like ${{VAR}} or ${{VAR:-default}} (write \"$${{\" for a literal one)"
    )]
    Reference,
    /// A reference in a field where references are not replaced.
    #[error("holds a reference to the environment, which is not replaced here")]
    ReferenceHere,
    /// A path begins with `~/` and there is no home directory.
    #[error("begins with ~, but HOME is not set")]
    NoHome,
    /// A url that does not parse.
    #[error("is not a valid URL")]
    Url,
    /// A url of another scheme.
    #[error("must be an http or https URL")]
    Scheme,
    /// Not the name of an HTTP header.
    #[error("is not a valid header name")]
    HeaderName,
    /// A header value with control characters.
    #[error("must not hold line breaks or control characters")]
    HeaderValue,
    /// No program, argument or variable may hold a NUL character, or be named by an empty text.
    #[error("is empty or holds a character that cannot be passed to a process")]
    NotPassable,
    /// A time that cannot be represented.
    #[error("is out of range")]
    Range,
}
