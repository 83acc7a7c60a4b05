//! `cargo xtask peers`: the programs by other authors that tests and demo talk to.
//!
//! Their manifests and lock files are in `tests/peers`; they are installed below the target
//! directory, so a clean checkout stays clean:
//!
//! ```text
//! target/peers/node/client.mjs         the client on the official TypeScript SDK
//! target/peers/node/loopback.mjs       keeps a server on the loopback interface
//! target/peers/node/node_modules/…     that SDK and the reference servers
//! target/peers/python/client.py        the client on the official Python SDK
//! target/peers/python/bin/python       the interpreter that has that SDK
//! ```
//!
//! A machine without node or python goes without their peers.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    process::{self, ProcessError},
    workspace::Workspace,
};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum PeersError {
    #[error("could not install {0} peers")]
    Install(&'static str, #[source] Box<InstallError>),
}

/// Why the peers of one kind could not be installed although their runtime is here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum InstallError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error("could not read or write {path}")]
    File { path: PathBuf, source: io::Error },
}

/// The peers of one runtime.
#[derive(Debug)]
pub(crate) struct Peers {
    pub(crate) name: &'static str,
    pub(crate) state: State,
}

/// What became of [`Peers`].
#[derive(Debug)]
pub(crate) enum State {
    Ready,
    /// The machine lacks what they run on.
    Skipped(&'static str),
    Failed(InstallError),
}

pub(crate) fn run(workspace: &Workspace) -> Result<(), PeersError> {
    for Peers { name, state } in install(workspace) {
        if let State::Failed(error) = state {
            return Err(PeersError::Install(name, Box::new(error)));
        }
    }
    Ok(())
}

/// Where [`install`] puts them.
pub(crate) fn directory(workspace: &Workspace) -> PathBuf {
    workspace.target.join("peers")
}

/// Installs what is not installed yet and says what became of it.
pub(crate) fn install(workspace: &Workspace) -> [Peers; 2] {
    [
        install_node(workspace),
        announced("python", python(workspace)),
    ]
}

/// The node peers alone: the reference servers are among them.
pub(crate) fn install_node(workspace: &Workspace) -> Peers {
    announced("node", node(workspace))
}

fn announced(name: &'static str, state: State) -> Peers {
    let peers = Peers { name, state };
    println!(
        "{}",
        peers
            .skipped()
            .unwrap_or_else(|| format!("ready: {name} peers"))
    );
    peers
}

impl Peers {
    /// The line that says they are missing and why.
    pub(crate) fn skipped(&self) -> Option<String> {
        match &self.state {
            State::Ready => None,
            State::Skipped(reason) => Some(format!("skipped: {} peers ({reason})", self.name)),
            State::Failed(error) => Some(format!("skipped: {} peers ({error})", self.name)),
        }
    }
}

fn node(workspace: &Workspace) -> State {
    if !process::works("node", &["--version"]) {
        return State::Skipped("node not found");
    }
    let recent = "process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)";
    if !process::works("node", &["--eval", recent]) {
        return State::Skipped("node is older than 20");
    }
    if !process::works("npm", &["--version"]) {
        return State::Skipped("npm not found");
    }
    Site::new(workspace, "node").install(&["package.json", "package-lock.json", ".npmrc"], |at| {
        let mut npm = process::command("npm");
        npm.args([
            "ci",
            "--omit=dev",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]);
        npm.current_dir(at);
        process::run(npm)
    })
}

fn python(workspace: &Workspace) -> State {
    if !process::works("python3", &["--version"]) {
        return State::Skipped("python3 not found");
    }
    let recent = "import sys; sys.exit(sys.version_info < (3, 10))";
    if !process::works("python3", &["-c", recent]) {
        return State::Skipped("python3 is older than 3.10");
    }
    if !process::works("python3", &["-c", "import venv, ensurepip"]) {
        return State::Skipped("python3 has no venv");
    }
    Site::new(workspace, "python").install(&["requirements.txt"], |at| {
        let mut venv = process::command("python3");
        venv.args(["-m", "venv", "--clear"]).arg(at);
        process::run(venv)?;
        let mut pip = process::command(at.join("bin/python"));
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
        ]);
        pip.arg("requirements.txt")
            .current_dir(sources(workspace, "python"));
        process::run(pip)
    })
}

fn sources(workspace: &Workspace, runtime: &str) -> PathBuf {
    workspace.root.join("tests/peers").join(runtime)
}

/// A directory that is installed from another one.
struct Site {
    from: PathBuf,
    at: PathBuf,
}

impl Site {
    fn new(workspace: &Workspace, runtime: &str) -> Self {
        Self {
            from: sources(workspace, runtime),
            at: directory(workspace).join(runtime),
        }
    }

    /// Runs `body` unless it has succeeded before with the same `locks`, and copies the scripts.
    fn install(
        &self,
        locks: &[&str],
        body: impl FnOnce(&Path) -> Result<(), ProcessError>,
    ) -> State {
        let result = self.try_install(locks, body);
        result.map_or_else(State::Failed, |()| State::Ready)
    }

    fn try_install(
        &self,
        locks: &[&str],
        body: impl FnOnce(&Path) -> Result<(), ProcessError>,
    ) -> Result<(), InstallError> {
        let stamp = self.at.join("installed.stamp");
        let wanted = self.fingerprint(locks)?;
        create(&self.at)?;
        if fs::read_to_string(&stamp).ok().as_deref() != Some(&wanted) {
            self.copy()?;
            body(&self.at)?;
            fs::write(&stamp, wanted).map_err(at(&stamp))?;
        }
        self.copy()
    }

    /// Scripts change more often than locks, so they are copied every time.
    fn copy(&self) -> Result<(), InstallError> {
        for entry in fs::read_dir(&self.from).map_err(at(&self.from))? {
            let from = entry.map_err(at(&self.from))?.path();
            let Some(name) = from.file_name().filter(|_| from.is_file()) else {
                continue;
            };
            fs::copy(&from, self.at.join(name)).map_err(at(&from))?;
        }
        Ok(())
    }

    /// What an installation depends on: the text of its lock files.
    fn fingerprint(&self, locks: &[&str]) -> Result<String, InstallError> {
        let mut text = String::new();
        for name in locks {
            let path = self.from.join(name);
            text += &fs::read_to_string(&path).map_err(at(&path))?;
        }
        Ok(format!("{:016x}\n", fnv(text.as_bytes())))
    }
}

/// Fowler–Noll–Vo: the standard library promises no hash that is the same tomorrow.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn create(directory: &Path) -> Result<(), InstallError> {
    fs::create_dir_all(directory).map_err(at(directory))
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> InstallError {
    let path = path.to_path_buf();
    move |source| InstallError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::fnv;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
