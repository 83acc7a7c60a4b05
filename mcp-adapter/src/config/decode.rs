//! From a definition as written to an entry that can be used.

use std::{collections::BTreeMap, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};
use url::Url;

use super::{
    EntryError, Environment, Http, Notice, Problem, Process, ProtocolChoice, Server, ServerEntry,
    Transport, Warning, document::Definition, expand, field::Fields,
};

/// Fields that every kind of server has.
const SHARED: &[&str] = &[
    "debug",
    "disabled",
    "protocolVersion",
    "requestTimeoutMs",
    "transport",
    "type",
];

/// Fields that other adapters know and that have no effect yet.
const LATER: &[&str] = &[
    "approveTools",
    "auth",
    "bearerToken",
    "bearerTokenEnv",
    "bearerTokenStore",
    "caFile",
    "description",
    "directTools",
    "excludeTools",
    "exposeResources",
    "idleTimeout",
    "includeTools",
    "lifecycle",
    "literalEnv",
    "oauth",
    "openUi",
    "pluginDataDir",
    "requestHeadersCommand",
    "searchKeywords",
    "tasks",
    "toolPrefix",
    "trace",
];

/// How a server is reached, told from which field is there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stdio,
    Http,
    Socket,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Stdio, Self::Http, Self::Socket];

    /// The fields of this kind, the one that marks it first.
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Stdio => &["command", "args", "cwd", "env", "inheritEnv"],
            Self::Http => &["url", "headers", "httpTransport"],
            Self::Socket => &["socket"],
        }
    }

    fn mark(self) -> &'static str {
        self.fields()[0]
    }
}

/// Checks one definition.
pub(super) fn server(
    definition: Definition,
    environment: Environment<'_>,
    warnings: &mut Vec<Warning>,
) -> Server {
    let Definition { file, name, value } = definition;
    // C29: nothing but a literal true switches a server off.
    let disabled = value.get("disabled") == Some(&Value::Bool(true));
    let mut fields = Fields {
        file: &file,
        server: &name,
        environment,
        warnings,
    };
    let entry = fields.entry(value);
    Server {
        name,
        file,
        disabled,
        entry,
    }
}

impl Fields<'_> {
    fn entry(&mut self, value: Value) -> Result<ServerEntry, EntryError> {
        let Value::Object(map) = value else {
            return Err(self.entry_error(Problem::Type("an object")));
        };
        let map = self.normalize(map)?;
        let kind = self.kind(&map);
        self.check_keys(&map, kind.as_ref().ok().copied());
        let kind = kind?;
        self.check_words(&map, kind)?;
        let transport = match kind {
            Kind::Stdio => Transport::Stdio(self.process(&map)?),
            Kind::Http => Transport::Http(self.http(&map)?),
            Kind::Socket => self.socket(&map)?,
        };
        Ok(ServerEntry {
            transport,
            request_timeout: self.request_timeout(&map)?,
            protocol: self.protocol(&map)?,
            debug: self.flag(&map, "debug")?.unwrap_or(false),
        })
    }

    /// Gives other spellings their usual place (R113) and drops nulls, which say nothing (C49).
    fn normalize(&self, mut map: Map<String, Value>) -> Result<Map<String, Value>, EntryError> {
        map.retain(|_, value| !value.is_null());
        if let Some(Value::Object(nested)) = map.get_mut("transport") {
            let nested = std::mem::take(nested);
            map.shift_remove("transport");
            for (key, value) in nested.into_iter().filter(|(_, value)| !value.is_null()) {
                if map.contains_key(&key) {
                    let field = format!("transport.{key}");
                    return Err(self.error(&field, Problem::Twice));
                }
                map.insert(key, value);
            }
        }
        if let Some(url) = map.shift_remove("serverUrl") {
            if map.contains_key("url") {
                return Err(self.error("serverUrl", Problem::Twice));
            }
            map.insert("url".to_owned(), url);
        }
        Ok(map)
    }

    /// Exactly one field says how the server is reached. An empty text says nothing (V6).
    fn kind(&self, map: &Map<String, Value>) -> Result<Kind, EntryError> {
        let mut kinds = Vec::new();
        for kind in Kind::ALL {
            match map.get(kind.mark()) {
                Some(value) if !self.string(kind.mark(), value)?.is_empty() => kinds.push(kind),
                _ => {}
            }
        }
        match kinds[..] {
            [kind] => Ok(kind),
            [] => Err(self.entry_error(Problem::NoTransport)),
            _ => {
                let marks = kinds.into_iter().map(Kind::mark).collect();
                Err(self.entry_error(Problem::SeveralTransports(marks)))
            }
        }
    }

    fn check_keys(&mut self, map: &Map<String, Value>, kind: Option<Kind>) {
        for (key, value) in map {
            let is = |list: &[&str]| list.contains(&key.as_str());
            let notice = match Kind::ALL.into_iter().find(|kind| is(kind.fields())) {
                Some(home) if kind.is_none_or(|kind| kind == home) => None,
                Some(home) if home.mark() == key => None,
                Some(_) => Some(Notice::NotForThis),
                None if is(SHARED) => None,
                None if is(LATER) => Some(Notice::NotYet),
                None => Some(Notice::UnknownKey),
            };
            if let Some(notice) = notice {
                self.warn(key, notice);
            }
            if key == "disabled" && !value.is_boolean() {
                let expected = "true or false";
                self.warn(key, Notice::Type { expected });
            }
        }
    }

    /// Words that repeat how the server is reached must agree with the field that says it.
    fn check_words(&self, map: &Map<String, Value>, kind: Kind) -> Result<(), EntryError> {
        const WORDS: &str = r#""stdio", "http", "streamable-http", "socket""#;
        for field in ["type", "transport", "httpTransport"] {
            let value = match map.get(field) {
                Some(value) if field != "httpTransport" || kind == Kind::Http => value,
                _ => continue,
            };
            let named = match self.string(field, value)? {
                "stdio" => Kind::Stdio,
                "http" | "streamable-http" | "streamableHttp" | "streamable_http" => Kind::Http,
                "socket" | "unix" => Kind::Socket,
                "sse" => {
                    let what = "the HTTP+SSE transport";
                    return Err(self.error(field, Problem::Unsupported(what)));
                }
                _ => return Err(self.error(field, Problem::Choice(WORDS))),
            };
            if named != kind {
                return Err(self.error(field, Problem::Contradiction(kind.mark())));
            }
        }
        Ok(())
    }

    fn process(&mut self, map: &Map<String, Value>) -> Result<Process, EntryError> {
        let cwd = match map.get("cwd") {
            Some(cwd) => self.string("cwd", cwd)?,
            None => "",
        };
        let cwd = match cwd {
            "" => None,
            cwd => Some(self.path("cwd", cwd)?),
        };
        Ok(Process {
            command: self.command(map)?,
            args: self.args(map)?,
            env: self.env(map)?,
            cwd,
            inherit_env: self.flag(map, "inheritEnv")?.unwrap_or(true),
        })
    }

    /// C47: references are not replaced in a command; R112: nor left in it.
    fn command(&self, map: &Map<String, Value>) -> Result<String, EntryError> {
        let command = self.string("command", &map["command"])?;
        if expand::mentions_environment(command) {
            return Err(self.error("command", Problem::ReferenceHere));
        }
        self.passable("command", command)?;
        let (home, rest) = self.split_home("command", command)?;
        Ok(home.unwrap_or_default() + rest)
    }

    fn args(&mut self, map: &Map<String, Value>) -> Result<Vec<String>, EntryError> {
        let Some(value) = map.get("args") else {
            return Ok(Vec::new());
        };
        let wrong = || self.error("args", Problem::Type("an array of strings"));
        let values = value.as_array().ok_or_else(wrong)?;
        let mut args = Vec::with_capacity(values.len());
        for (index, value) in values.iter().enumerate() {
            let field = format!("args[{index}]");
            let text = self.string(&field, value)?;
            args.push(self.expanded(&field, text)?);
        }
        Ok(args)
    }

    fn env(&mut self, map: &Map<String, Value>) -> Result<BTreeMap<String, String>, EntryError> {
        let mut env = BTreeMap::new();
        let Some(value) = map.get("env") else {
            return Ok(env);
        };
        for (field, name, text) in self.strings("env", value)? {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(self.error(&field, Problem::NotPassable));
            }
            let text = self.no_command(&field, text)?;
            env.insert(name.to_owned(), self.expanded(&field, text)?);
        }
        Ok(env)
    }

    fn http(&mut self, map: &Map<String, Value>) -> Result<Http, EntryError> {
        let text = self.string("url", &map["url"])?;
        let text = self.fully_expanded("url", text)?;
        // The cause is left out: a url may hold secrets (C49).
        let url = Url::parse(&text).map_err(|_| self.error("url", Problem::Url))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(self.error("url", Problem::Scheme));
        }
        let headers = self.headers(map)?;
        Ok(Http { url, headers })
    }

    fn headers(&mut self, map: &Map<String, Value>) -> Result<HeaderMap, EntryError> {
        let mut headers = HeaderMap::new();
        let Some(value) = map.get("headers") else {
            return Ok(headers);
        };
        for (field, name, text) in self.strings("headers", value)? {
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| self.error(&field, Problem::HeaderName))?;
            let text = self.no_command(&field, text)?;
            let text = self.expanded(&field, text)?;
            let mut value = HeaderValue::from_bytes(text.as_bytes())
                .map_err(|_| self.error(&field, Problem::HeaderValue))?;
            value.set_sensitive(true);
            if headers.insert(name, value).is_some() {
                return Err(self.error(&field, Problem::Twice));
            }
        }
        Ok(headers)
    }

    fn socket(&mut self, map: &Map<String, Value>) -> Result<Transport, EntryError> {
        let text = self.string("socket", &map["socket"])?;
        let path = self.path("socket", text)?;
        Ok(Transport::Socket { path })
    }

    /// Zero and less leave the timeout to the program, like no value.
    fn request_timeout(&self, map: &Map<String, Value>) -> Result<Option<Duration>, EntryError> {
        const FIELD: &str = "requestTimeoutMs";
        let Some(value) = map.get(FIELD) else {
            return Ok(None);
        };
        let wrong = || self.error(FIELD, Problem::Type("a number"));
        let milliseconds = value.as_f64().ok_or_else(wrong)?;
        if milliseconds <= 0.0 {
            return Ok(None);
        }
        match Duration::try_from_secs_f64(milliseconds / 1000.0) {
            Ok(duration) => Ok(Some(duration)),
            Err(_) => Err(self.error(FIELD, Problem::Range)),
        }
    }

    fn protocol(&self, map: &Map<String, Value>) -> Result<Option<ProtocolChoice>, EntryError> {
        const FIELD: &str = "protocolVersion";
        let Some(value) = map.get(FIELD) else {
            return Ok(None);
        };
        let choice = ProtocolChoice::from_word(self.string(FIELD, value)?);
        let wrong = || self.error(FIELD, Problem::Choice(ProtocolChoice::WORDS));
        choice.map(Some).ok_or_else(wrong)
    }

    fn flag(&self, map: &Map<String, Value>, field: &str) -> Result<Option<bool>, EntryError> {
        let value = map.get(field);
        value.map(|value| self.boolean(field, value)).transpose()
    }
}
