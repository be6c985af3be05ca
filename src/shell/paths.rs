//! Where things live: the XDG folders of whoever runs this. Under sudo they are root's.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::shell::failure::Failure;

/// The folders of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// config.toml, keys.toml, themes, profiles.
    config: PathBuf,
    /// Log, notebook, crash report.
    state: PathBuf,
}

impl Paths {
    pub fn of_this_user() -> Result<Paths, Failure> {
        let homeless = |_| {
            Failure::new("no_home", "the home folder is not known: HOME is not set and the user has none")
                .with_fix("Set HOME, or XDG_CONFIG_HOME and XDG_STATE_HOME")
        };
        let xdg = etcetera::base_strategy::Xdg::new().map_err(homeless)?;
        let state = xdg.state_dir().unwrap_or_else(|| xdg.data_dir());
        Ok(Paths::under(&xdg.config_dir(), &state))
    }

    /// The same layout below other folders.
    pub fn under(config_home: &Path, state_home: &Path) -> Paths {
        Paths { config: config_home.join("txdeck"), state: state_home.join("txdeck") }
    }

    pub fn profiles(&self) -> PathBuf {
        self.config.join("profiles")
    }

    pub fn themes(&self) -> PathBuf {
        self.config.join("themes")
    }

    pub fn keys(&self) -> PathBuf {
        self.config.join("keys.toml")
    }

    pub fn config(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// A user's own profile of this name.
    pub fn profile(&self, name: &str) -> PathBuf {
        self.profiles().join(format!("{name}.toml"))
    }

    /// What happened in consoles.
    pub fn log(&self) -> PathBuf {
        self.state.join("log")
    }

    /// Lines typed on the `:` line.
    pub fn history(&self) -> PathBuf {
        self.state.join("history")
    }

    pub fn crash(&self) -> PathBuf {
        self.state.join("crash.txt")
    }

    /// Every place with its name, for `txdeck paths`.
    pub fn list(&self) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("config", self.config()),
            ("keys", self.keys()),
            ("themes", self.themes()),
            ("profiles", self.profiles()),
            ("state", self.state.clone()),
            ("log", self.log()),
            ("history", self.history()),
            ("notebook", self.state.join("notebook.jsonl")),
            ("crash", self.crash()),
        ]
    }
}

/// The user who called sudo, when these are root's folders because of it.
pub fn sudo_caller() -> Option<String> {
    let as_root = rustix::process::geteuid().is_root();
    std::env::var("SUDO_USER").ok().filter(|user| as_root && !user.is_empty() && user != "root")
}

/// The text of `txdeck paths`.
pub fn describe(paths: &Paths) -> String {
    let rows = paths.list().into_iter().map(|(name, path)| format!("{name:<9} {}\n", path.display()));
    let mut text: String = rows.collect();
    if let Some(user) = sudo_caller() {
        text.push_str(&format!("under sudo these are root's folders, not {user}'s\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_lies_in_the_two_txdeck_folders() {
        let paths = Paths::under(Path::new("/c"), Path::new("/s"));
        assert_eq!(paths.profile("mine"), Path::new("/c/txdeck/profiles/mine.toml"));
        for (name, path) in paths.list() {
            assert!(path.starts_with("/c/txdeck") || path.starts_with("/s/txdeck"), "{name}");
        }
    }
}
