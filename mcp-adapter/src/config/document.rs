use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
};

use jsonc_parser::{
    ParseOptions,
    ast::{Object, ObjectProp, Value},
    errors::{ParseError, ParseErrorKind},
};

use super::{ConfigError, Notice, Warning};

const SERVERS: &str = "mcpServers";
const SERVERS_ALIAS: &str = "mcp-servers";

/// One configuration file: its server definitions, not looked into yet.
#[derive(Clone, Debug)]
pub struct Document {
    pub(super) definitions: Definitions,
    pub(super) warnings: Vec<Warning>,
}

/// One member of `mcpServers`, as it was written.
#[derive(Clone)]
pub(super) struct Definition {
    pub(super) file: PathBuf,
    pub(super) name: String,
    pub(super) value: serde_json::Value,
}

/// Definitions in the order in which their names first came, one for each name.
#[derive(Clone, Debug, Default)]
pub(super) struct Definitions {
    list: Vec<Definition>,
    places: HashMap<String, usize>,
}

impl Definitions {
    /// Whether an earlier definition was replaced.
    pub(super) fn insert(&mut self, definition: Definition) -> bool {
        match self.places.get(&definition.name) {
            Some(&place) => {
                self.list[place] = definition;
                true
            }
            None => {
                self.places.insert(definition.name.clone(), self.list.len());
                self.list.push(definition);
                false
            }
        }
    }
}

impl IntoIterator for Definitions {
    type Item = Definition;
    type IntoIter = std::vec::IntoIter<Definition>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

/// The value is left out: it may hold secrets.
impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition")
            .field("file", &self.file)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Document {
    /// Reads the text of a file. `file` is only a name for messages.
    ///
    /// A byte order mark, comments and trailing commas are accepted. A text without any value
    /// defines nothing, like a file that is not there.
    ///
    /// # Errors
    /// [`ConfigError::Syntax`] when the text is anything else than that.
    pub fn parse(file: impl AsRef<Path>, text: &str) -> Result<Self, ConfigError> {
        let file = file.as_ref();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let parsed = jsonc_parser::parse_to_ast(text, &Default::default(), &options())
            .map_err(|error| syntax(file, &error))?;
        let mut document = Self {
            definitions: Definitions::default(),
            warnings: Vec::new(),
        };
        match parsed.value {
            None => {}
            Some(Value::Object(root)) => document.read_root(file, root),
            Some(_) => document.warn(file, None, None, Notice::FileLeftOut { expected: OBJECT }),
        }
        Ok(document)
    }

    fn read_root(&mut self, file: &Path, root: Object<'_>) {
        let settings = last(&root, "settings");
        if settings.is_some_and(|settings| !matches!(settings, Value::Object(_))) {
            let notice = Notice::FileLeftOut { expected: OBJECT };
            return self.warn(file, None, Some("settings"), notice);
        }
        for key in ["settings", "imports"] {
            if last(&root, key).is_some() {
                self.warn(file, None, Some(key), Notice::NotYet);
            }
        }
        let preferred = last(&root, SERVERS).is_some();
        if preferred && last(&root, SERVERS_ALIAS).is_some() {
            let notice = Notice::Shadowed { by: SERVERS };
            self.warn(file, None, Some(SERVERS_ALIAS), notice);
        }
        let key = if preferred { SERVERS } else { SERVERS_ALIAS };
        if last(&root, key).is_none() && last(&root, "servers").is_some() {
            self.warn(file, None, Some("servers"), Notice::MisplacedServers);
        }
        match take_last(root, key) {
            None => {}
            Some(Value::Object(servers)) => self.read_servers(file, servers.properties),
            Some(_) => {
                let notice = Notice::Type { expected: OBJECT };
                self.warn(file, None, Some(key), notice);
            }
        }
    }

    fn read_servers(&mut self, file: &Path, servers: Vec<ObjectProp<'_>>) {
        for server in servers {
            let definition = Definition {
                file: file.to_owned(),
                name: server.name.into_string(),
                value: server.value.into(),
            };
            let name = definition.name.clone();
            if self.definitions.insert(definition) {
                self.warn(file, Some(&name), None, Notice::DefinedTwice);
            }
        }
    }

    fn warn(&mut self, file: &Path, server: Option<&str>, field: Option<&str>, notice: Notice) {
        self.warnings.push(Warning {
            file: file.to_owned(),
            server: server.map(str::to_owned),
            field: field.map(str::to_owned),
            notice,
        });
    }
}

const OBJECT: &str = "an object";

/// JSON with comments and trailing commas; nothing else of JSON5.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn syntax(file: &Path, error: &ParseError) -> ConfigError {
    let reason = match error.kind() {
        // The only kind whose text repeats a piece of the file.
        ParseErrorKind::String(_) => "invalid or unterminated string".to_owned(),
        kind => kind.to_string().to_lowercase(),
    };
    ConfigError::Syntax {
        file: file.to_owned(),
        line: error.line_display(),
        column: error.column_display(),
        reason,
    }
}

/// The member that counts when a name is repeated.
fn last<'a, 'b>(object: &'b Object<'a>, name: &str) -> Option<&'b Value<'a>> {
    let found = object.properties.iter().rfind(|p| p.name.as_str() == name);
    found.map(|property| &property.value)
}

fn take_last<'a>(object: Object<'a>, name: &str) -> Option<Value<'a>> {
    let mut properties = object.properties.into_iter();
    properties
        .rfind(|p| p.name.as_str() == name)
        .map(|property| property.value)
}
