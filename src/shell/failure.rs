//! Why something could not start: a code for scripts, a sentence for people, and what to do.

use serde::Serialize;

use crate::app::arms::BadArms;

/// A failed start. Exit code 2, always.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Stable, lower case: `no_cap_net_raw`, `no_device`, `bad_profile`, …
    pub code: &'static str,
    /// One good sentence: what failed, on what, what is allowed.
    pub message: String,
    /// What to do about it, where that is not already in the message.
    pub fix: Option<String>,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    version: u32,
    code: &'a str,
    message: &'a str,
    fix: Option<&'a str>,
}

impl Failure {
    pub fn new(code: &'static str, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), fix: None }
    }

    pub fn with_fix(self, fix: impl Into<String>) -> Failure {
        Failure { fix: Some(fix.into()), ..self }
    }

    /// A sentence that already ends with its fix, taken apart.
    pub fn told(code: &'static str, sentence: &str, fix: &str) -> Failure {
        let message = sentence.strip_suffix(fix).unwrap_or(sentence).trim_end().trim_end_matches('.');
        Failure { code, message: message.to_owned(), fix: Some(fix.to_owned()).filter(|fix| !fix.is_empty()) }
    }

    /// A file that could not be read or written.
    pub fn file(what: &str, path: &std::path::Path, why: &std::io::Error) -> Failure {
        Failure::new("file", format!("{}: {what} failed: {}", path.display(), plain(why)))
    }

    /// For stderr: the sentence, and the fix behind it.
    pub fn for_people(&self) -> String {
        match &self.fix {
            Some(fix) => format!("{}. {fix}", self.message),
            None => self.message.clone(),
        }
    }

    /// For stdout under `--json`.
    pub fn to_line(&self) -> String {
        let object = ErrorObject {
            kind: "error",
            version: 1,
            code: self.code,
            message: &self.message,
            fix: self.fix.as_deref(),
        };
        serde_json::to_string(&object).unwrap_or_default()
    }
}

impl From<BadArms> for Failure {
    fn from(bad: BadArms) -> Failure {
        match bad {
            BadArms::Axis(message) => Failure::new("bad_axis", message),
            BadArms::Setting(message) => Failure::new("bad_setting", message),
        }
    }
}

/// An I/O error without its "(os error N)".
fn plain(why: &std::io::Error) -> String {
    let text = why.to_string();
    text.split_once(" (os error").map_or(text.clone(), |(sentence, _)| sentence.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_get_one_object_and_people_the_fix_behind() {
        let failure = Failure::new("no_device", "eth9: no such device").with_fix("All devices: txdeck devices");
        assert_eq!(
            failure.to_line(),
            r#"{"type":"error","version":1,"code":"no_device","message":"eth9: no such device","fix":"All devices: txdeck devices"}"#
        );
        assert_eq!(failure.for_people(), "eth9: no such device. All devices: txdeck devices");
        assert!(Failure::new("usage", "bad").to_line().ends_with(r#""fix":null}"#));
    }

    #[test]
    fn file_errors_name_the_file_and_the_reason() {
        let missing = std::io::Error::from_raw_os_error(2);
        let failure = Failure::file("reading", std::path::Path::new("a.toml"), &missing);
        assert_eq!(failure.message, "a.toml: reading failed: No such file or directory");
    }
}
