//! The parsers of this room, for `tests/fuzz` alone: text in, and whether it meant something.

use std::str::FromStr;

use clap::Parser;

use super::{
    args::Cli,
    config::Config,
    expect::Expect,
    report,
    result::{RunResult, Sample},
    settings::Settings,
};

pub fn config(text: &str) -> Result<(), Vec<String>> {
    Config::parse("config.toml", text).map(drop)
}

pub fn arguments(text: &str) {
    let words = || text.split([' ', '\n']);
    match Cli::try_parse_from(std::iter::once("txdeck").chain(words())) {
        Ok(cli) => drop((cli.stray(), cli.opens_console())),
        Err(error) => assert!(!error.render().to_string().is_empty()),
    }
    if let Err(why) = Settings::from_pairs(text.lines()) {
        assert!(!why.is_empty());
    }
}

/// Checks the expectation against this line, a result or not.
pub fn expectation(expected: &str, line: &str) {
    let Ok(expect) = Expect::from_str(expected) else { return };
    let Ok(value) = serde_json::from_str(line) else { return };
    let _ = expect.check_key(&value);
    let _ = expect.check(&value);
}

/// A run's result or one of its samples, told to people and written again; `None`: the line is neither.
pub fn result(line: &str) -> Option<String> {
    if let Ok(sample) = serde_json::from_str::<Sample>(line) {
        return Some(sample.to_line());
    }
    let result = serde_json::from_str::<RunResult>(line).ok()?;
    assert!(!report::text(&result).is_empty());
    let _ = (report::comparison(&result, &RunResult::blank()), report::comparison(&RunResult::blank(), &result));
    let _ = (result.lost(), result.is_clean());
    Some(result.to_line())
}
