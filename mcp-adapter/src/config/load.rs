use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Config, ConfigError, Document, Environment};

/// The largest file that is read.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Where servers are configured when no file is named, the most specific file last:
/// `mcp/mcp.json` in `$XDG_CONFIG_HOME` (or `~/.config`), then `mcp.json` and `.mcp.json` in
/// the present directory.
///
/// As the XDG specification asks, a relative `XDG_CONFIG_HOME` counts as unset.
pub fn default_paths(environment: Environment<'_>, cwd: &Path) -> Vec<PathBuf> {
    let absolute = |name| {
        let path = environment(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let config_home =
        absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")));
    let mut paths: Vec<PathBuf> = config_home
        .map(|home| home.join("mcp").join("mcp.json"))
        .into_iter()
        .collect();
    for name in ["mcp.json", ".mcp.json"] {
        let path = cwd.join(name);
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// The environment of this process. A value that is not Unicode counts as unset.
pub fn process_environment(name: &str) -> Option<String> {
    // The standard library promises no answer for such names.
    let askable = !name.is_empty() && !name.contains(['=', '\0']);
    askable.then(|| std::env::var(name).ok()).flatten()
}

impl Config {
    /// Reads one file that was asked for by name.
    ///
    /// # Errors
    /// The file is missing, cannot be read or is not JSONC.
    pub fn load_file(file: &Path, environment: Environment<'_>) -> Result<Self, ConfigError> {
        let document = read(file)?.ok_or_else(|| ConfigError::Missing {
            file: file.to_owned(),
        })?;
        Ok(Self::from_documents([document], environment))
    }

    /// Reads the [default files](default_paths); those that do not exist define nothing.
    ///
    /// A file that exists but cannot be read or is not JSONC is left out and kept as a
    /// [failure](Self::failures), so that the servers of the other files stay usable (C3).
    pub fn discover(cwd: &Path, environment: Environment<'_>) -> Self {
        let (mut documents, mut failures) = (Vec::new(), Vec::new());
        for file in default_paths(environment, cwd) {
            match read(&file) {
                Ok(document) => documents.extend(document),
                Err(error) => failures.push(Arc::new(error)),
            }
        }
        Self {
            failures,
            ..Self::from_documents(documents, environment)
        }
    }
}

/// `None` when there is no such file.
fn read(file: &Path) -> Result<Option<Document>, ConfigError> {
    let failed = |source| ConfigError::Read {
        file: file.to_owned(),
        source,
    };
    let opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut bytes = Vec::new();
    let mut limited = opened.take(MAX_FILE_BYTES + 1);
    limited.read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ConfigError::TooLarge {
            file: file.to_owned(),
            limit: MAX_FILE_BYTES,
        });
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| failed(io::Error::new(io::ErrorKind::InvalidData, "not UTF-8")))?;
    Document::parse(file, &text).map(Some)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[track_caller]
    fn check_paths(variables: &[(&str, &str)], expected: &[&str]) {
        let environment = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let paths = default_paths(&environment, Path::new("/w"));
        let expected: Vec<_> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(paths, expected);
    }

    #[test]
    fn c10_the_project_comes_last() {
        let project = ["/w/mcp.json", "/w/.mcp.json"];
        let home = ("HOME", "/home/me");
        let global = "/home/me/.config/mcp/mcp.json";
        check_paths(&[home], &[global, project[0], project[1]]);
        check_paths(
            &[home, ("XDG_CONFIG_HOME", "/c")],
            &["/c/mcp/mcp.json", project[0], project[1]],
        );
        for unset in ["", "relative"] {
            check_paths(
                &[home, ("XDG_CONFIG_HOME", unset)],
                &[global, project[0], project[1]],
            );
        }
        check_paths(&[], &project);
    }

    /// A directory of its own, removed at the end.
    struct Directory(PathBuf);

    impl Directory {
        fn new(name: &str) -> Self {
            let name = format!("mcp-config-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, text).unwrap();
            path
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn c1_only_a_file_asked_for_by_name_must_exist() {
        let directory = Directory::new("missing");
        let config = Config::discover(&directory.0, &|_| None);
        assert!(config.servers().is_empty() && config.failures().is_empty());

        let error = Config::load_file(&directory.0.join("no.json"), &|_| None).unwrap_err();
        assert!(matches!(error, ConfigError::Missing { .. }), "{error}");
        let blank = directory.write("blank.json", "\n");
        assert!(
            Config::load_file(&blank, &|_| None)
                .unwrap()
                .servers()
                .is_empty()
        );
    }

    #[test]
    fn c3_files_are_layered_and_a_broken_one_is_named_and_left_out() {
        let directory = Directory::new("layers");
        directory.write(
            "mcp.json",
            r#"{"mcpServers": {"a": {"command": "low"}, "b": {}}}"#,
        );
        let high = directory.write(".mcp.json", r#"{"mcpServers": {"a": {"command": "high"}}}"#);
        let config = Config::discover(&directory.0, &|_| None);
        assert_eq!(config.server("a").unwrap().file, high);
        assert_eq!(config.servers().len(), 2);

        let bad = directory.write("mcp.json", "{");
        let config = Config::discover(&directory.0, &|_| None);
        let expected = format!("{}:1:1: unterminated object", bad.display());
        assert_eq!(config.failures()[0].to_string(), expected);
        assert_eq!(config.servers().len(), 1);

        directory.write("mcp.json", b"\xff\xfe");
        let config = Config::discover(&directory.0, &|_| None);
        let error = &*config.failures()[0];
        assert!(matches!(error, ConfigError::Read { .. }), "{error}");
    }
}
