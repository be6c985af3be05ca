//! The commands of the `:` line: one table of names and sentences, and what a typed line means.

use crate::profile::nearest;

/// What a line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `KEY=VALUE`
    Set {
        key: String,
        value: String,
    },
    /// A key alone: says what it holds.
    Tell {
        key: String,
    },
    /// `w [NAME]`, `w!`
    Save {
        name: Option<String>,
        force: bool,
    },
    /// `o NAME`; without a name: the list.
    Open {
        name: Option<String>,
    },
    /// `q`, `q!`
    Quit {
        force: bool,
    },
    Start,
    Stop,
    Calibrate,
    /// `sweep KEY=LIST…`, as typed; alone: the last table.
    Sweep(Option<String>),
    Tune,
    /// `import FILE [DIALECT]`, as typed.
    Import(String),
    /// `export DIALECT [FILE]`, as typed.
    Export(String),
    Theme(String),
    Shot(String),
    /// `help [KEY]`
    Help {
        topic: Option<String>,
    },
}

/// What stands behind a command's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    Nothing,
    /// A name to save under.
    OwnProfile,
    Profile,
    /// Another generator's file, and what it is.
    Foreign,
    /// A dialect, and a file to write.
    Tongue,
    Theme,
    Picture,
    /// A key of a profile, or a command.
    Topic,
    /// Keys with lists of values.
    Axes,
}

/// One row of the table.
#[derive(Debug)]
pub struct CommandRow {
    pub name: &'static str,
    pub argument: Argument,
    pub usage: &'static str,
    /// One sentence, as in the help.
    pub desc: &'static str,
}

const fn row(name: &'static str, argument: Argument, usage: &'static str, desc: &'static str) -> CommandRow {
    CommandRow { name, argument, usage, desc }
}

pub static COMMANDS: &[CommandRow] = &[
    row("w", Argument::OwnProfile, "w [NAME]", "save the profile, under another name or path when one is given"),
    row("w!", Argument::OwnProfile, "w! [NAME]", "save even over a file that is there or a shipped name"),
    row("o", Argument::Profile, "o NAME", "open another profile by name or path; without a name: the list"),
    row("import", Argument::Foreign, "import FILE [DIALECT]", "open another generator's file as a profile, unsaved"),
    row(
        "export",
        Argument::Tongue,
        "export DIALECT [FILE]",
        "write the profile in another generator's language; without a file: copy it",
    ),
    row("q", Argument::Nothing, "q", "drain and quit; unsaved changes are asked about"),
    row("q!", Argument::Nothing, "q!", "drain and quit; unsaved changes are discarded"),
    row("start", Argument::Nothing, "start", "start all senders"),
    row("stop", Argument::Nothing, "stop", "stop all senders; never starts or quits"),
    row("calibrate", Argument::Nothing, "calibrate", "measure what the primitives of a sender cost on this CPU"),
    row(
        "sweep",
        Argument::Axes,
        "sweep KEY=LIST … [slice=500ms] [repeat=3]",
        "measure every combination in interleaved slices; alone: the last table",
    ),
    row("tune", Argument::Nothing, "tune", "find the smallest burst within 2 % of the best and set it, while sending"),
    row("theme", Argument::Theme, "theme NAME", "another theme from now on"),
    row("shot", Argument::Picture, "shot FILE.svg|txt", "the screen as a picture or a text file"),
    row("help", Argument::Topic, "help [KEY]", "what a key of the profile means; without one: all keys"),
];

pub fn command_row(name: &str) -> Option<&'static CommandRow> {
    COMMANDS.iter().find(|row| row.name == name)
}

impl Command {
    /// Reads a line. `Ok(None)`: nothing was typed. `is_key` says which words are keys of the profile.
    pub fn parse(line: &str, is_key: impl Fn(&str) -> bool) -> Result<Option<Command>, String> {
        let line = line.trim().trim_start_matches(':').trim_start();
        if line.is_empty() {
            return Ok(None);
        }
        if let Some((key, value)) = line.split_once('=')
            && !key.trim().contains(char::is_whitespace)
        {
            let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
            return match key.is_empty() {
                true => Err("KEY=VALUE is wanted, as burst=64 or flow.a.udp.dst=53".into()),
                false => Ok(Some(Command::Set { key, value })),
            };
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match command_row(word) {
            Some(row) => Command::of(row, rest.trim()).map(Some),
            None if is_key(word) && rest.trim().is_empty() => Ok(Some(Command::Tell { key: word.to_owned() })),
            None if is_key(word) => Err(format!("{word}: write {word}={}", rest.trim())),
            None => Err(unknown(word)),
        }
    }

    fn of(row: &CommandRow, rest: &str) -> Result<Command, String> {
        let name = (!rest.is_empty()).then(|| rest.to_owned());
        if row.argument == Argument::Nothing && name.is_some() {
            return Err(format!("{}: takes nothing behind it", row.name));
        }
        let wanted = || format!("{}: {}", row.usage, row.desc);
        Ok(match row.name {
            "w" => Command::Save { name, force: false },
            "w!" => Command::Save { name, force: true },
            "o" => Command::Open { name },
            "q" => Command::Quit { force: false },
            "q!" => Command::Quit { force: true },
            "start" => Command::Start,
            "stop" => Command::Stop,
            "calibrate" => Command::Calibrate,
            "sweep" => Command::Sweep(name),
            "tune" => Command::Tune,
            "import" => Command::Import(name.ok_or_else(wanted)?),
            "export" => Command::Export(name.ok_or_else(wanted)?),
            "theme" => Command::Theme(name.ok_or_else(wanted)?),
            "shot" => Command::Shot(picture(name.ok_or_else(wanted)?)?),
            _ => Command::Help { topic: name },
        })
    }
}

fn picture(file: String) -> Result<String, String> {
    match file.ends_with(".svg") || file.ends_with(".txt") {
        true => Ok(file),
        false => Err(format!("{file}: a picture is FILE.svg, a text FILE.txt")),
    }
}

fn unknown(word: &str) -> String {
    let hint = match nearest(word, COMMANDS.iter().map(|row| row.name)) {
        Some(near) => format!("Did you mean {near}?"),
        None => {
            "Write KEY=VALUE, or one of w, w!, o, import, export, q, q!, start, stop, calibrate, sweep, tune, theme, shot, help."
                .into()
        }
    };
    let shown: String = word.chars().take(40).collect();
    format!("{shown}: no such command or key. {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Option<Command>, String> {
        Command::parse(line, |word| ["burst", "tx.burst"].contains(&word))
    }

    #[test]
    fn lines_mean_what_they_say() {
        let set = |key: &str, value: &str| Command::Set { key: key.into(), value: value.into() };
        for (line, command) in [
            ("burst=64", set("burst", "64")),
            (" :burst = 64 ", set("burst", "64")),
            ("flow.a.size=60..124:8", set("flow.a.size", "60..124:8")),
            ("note=a=b c", set("note", "a=b c")),
            ("burst=", set("burst", "")),
            ("burst", Command::Tell { key: "burst".into() }),
            ("w", Command::Save { name: None, force: false }),
            ("w a=b.toml", Command::Save { name: Some("a=b.toml".into()), force: false }),
            ("w! mine", Command::Save { name: Some("mine".into()), force: true }),
            ("o ./a b.toml", Command::Open { name: Some("./a b.toml".into()) }),
            ("q!", Command::Quit { force: true }),
            ("shot now.svg", Command::Shot("now.svg".into())),
            ("help burst", Command::Help { topic: Some("burst".into()) }),
        ] {
            assert_eq!(parse(line), Ok(Some(command)), "{line}");
        }
        assert_eq!(parse("  "), Ok(None));
        assert_eq!(parse(":"), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_named_with_the_nearest() {
        for (line, wanted) in [
            ("strat", "Did you mean start?"),
            ("frobnicate", "KEY=VALUE"),
            ("burst 64", "write burst=64"),
            ("=3", "KEY=VALUE is wanted"),
            ("start now", "takes nothing"),
            ("theme", "theme NAME"),
            ("shot a.png", "FILE.svg"),
        ] {
            let why = parse(line).unwrap_err();
            assert!(why.contains(wanted), "{line}: {why}");
        }
    }
}
