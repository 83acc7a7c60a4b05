use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{EntryError, Environment, Notice, Problem, Warning, expand};

/// Reads single fields of one entry and knows how to complain about them.
pub(super) struct Fields<'a> {
    pub(super) file: &'a Path,
    pub(super) server: &'a str,
    pub(super) environment: Environment<'a>,
    pub(super) warnings: &'a mut Vec<Warning>,
}

impl Fields<'_> {
    pub(super) fn error(&self, field: &str, problem: Problem) -> EntryError {
        EntryError {
            field: Some(field.to_owned()),
            ..self.entry_error(problem)
        }
    }

    pub(super) fn entry_error(&self, problem: Problem) -> EntryError {
        EntryError {
            file: self.file.to_owned(),
            server: self.server.to_owned(),
            field: None,
            problem,
        }
    }

    pub(super) fn warn(&mut self, field: &str, notice: Notice) {
        self.warnings.push(Warning {
            file: self.file.to_owned(),
            server: Some(self.server.to_owned()),
            field: Some(field.to_owned()),
            notice,
        });
    }

    pub(super) fn string<'v>(&self, field: &str, value: &'v Value) -> Result<&'v str, EntryError> {
        let wrong = || self.error(field, Problem::Type("a string"));
        value.as_str().ok_or_else(wrong)
    }

    pub(super) fn boolean(&self, field: &str, value: &Value) -> Result<bool, EntryError> {
        let wrong = || self.error(field, Problem::Type("true or false"));
        value.as_bool().ok_or_else(wrong)
    }

    /// The members of an object of strings, each with its path.
    pub(super) fn strings<'v>(
        &self,
        field: &str,
        value: &'v Value,
    ) -> Result<Vec<(String, &'v str, &'v str)>, EntryError> {
        let wrong = || self.error(field, Problem::Type("an object of strings"));
        let members = value.as_object().ok_or_else(wrong)?;
        let read = |(key, value): (&'v String, &'v Value)| {
            let path = format!("{field}.{key}");
            let text = self.string(&path, value)?;
            Ok((path, key.as_str(), text))
        };
        members.iter().map(read).collect()
    }

    /// Replaces references; a variable that is not set becomes nothing (C46).
    pub(super) fn expanded(&mut self, field: &str, text: &str) -> Result<String, EntryError> {
        let expanded = self.expand(field, text)?;
        for variable in expanded.unset {
            self.warn(field, Notice::Unset { variable });
        }
        Ok(expanded.text)
    }

    /// Replaces references; a variable that is not set is an error (C46).
    pub(super) fn fully_expanded(&self, field: &str, text: &str) -> Result<String, EntryError> {
        let expanded = self.expand(field, text)?;
        if expanded.unset.is_empty() {
            return Ok(expanded.text);
        }
        Err(self.error(field, Problem::Unset(expanded.unset)))
    }

    /// A value that other adapters may take from a command: `!command` is refused so that nobody
    /// sends it literally, `!!text` is the text `!text` (C51).
    pub(super) fn no_command<'t>(&self, field: &str, text: &'t str) -> Result<&'t str, EntryError> {
        match text.strip_prefix('!') {
            None => Ok(text),
            Some(literal) if literal.starts_with('!') => Ok(literal),
            Some(_) => Err(self.error(field, Problem::Unsupported("the output of a command"))),
        }
    }

    pub(super) fn path(&mut self, field: &str, text: &str) -> Result<PathBuf, EntryError> {
        let (home, rest) = self.split_home(field, text)?;
        let rest = self.expanded(field, rest)?;
        Ok((home.unwrap_or_default() + &rest).into())
    }

    /// The home directory that a leading `~` stands for, and what follows. Seen only in what was
    /// written, not in the value of a variable.
    pub(super) fn split_home<'t>(
        &self,
        field: &str,
        text: &'t str,
    ) -> Result<(Option<String>, &'t str), EntryError> {
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                let home = (self.environment)("HOME").filter(|home| !home.is_empty());
                let home = home.ok_or_else(|| self.error(field, Problem::NoHome))?;
                Ok((Some(home), rest))
            }
            _ => Ok((None, text)),
        }
    }

    /// The operating system takes no text with a NUL in it.
    pub(super) fn passable(&self, field: &str, text: &str) -> Result<(), EntryError> {
        if text.contains('\0') {
            return Err(self.error(field, Problem::NotPassable));
        }
        Ok(())
    }

    fn expand(&self, field: &str, text: &str) -> Result<expand::Expanded, EntryError> {
        let expanded = expand::expand(text, self.environment)
            .map_err(|expand::Malformed| self.error(field, Problem::Reference))?;
        self.passable(field, &expanded.text)?;
        Ok(expanded)
    }
}
