//! config.toml: a person's own theme, redraws, mouse, glyphs and unit. A broken file is told whole and changes nothing;
//! what is remembered changes one value, so comments and order stay.

use std::{ops::Range, path::Path};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{
    app::Unit,
    shell::{
        failure::Failure,
        lookup::{nearest, read_if_there},
        save,
    },
};

/// What a person has set; `None`: not set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// A name or a path, as `--theme` takes it.
    pub theme: Option<String>,
    /// Redraws a second.
    pub fps: Option<u32>,
    pub mouse: Option<bool>,
    pub ascii: Option<bool>,
    pub unit: Option<Unit>,
}

const KEYS: [&str; 5] = ["theme", "fps", "mouse", "ascii", "unit"];
/// Redraws a second that make sense.
pub const FPS_RANGE: (u32, u32) = (1, 30);
const UNITS: [(&str, Unit); 3] = [("pps", Unit::Packets), ("L2", Unit::Bits), ("L1", Unit::WireBits)];

impl Config {
    /// All problems together, each with its place.
    pub fn parse(file: &str, text: &str) -> Result<Config, Vec<String>> {
        let table = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            vec![format!("{}: {}", place(file, text, &span), error.message().trim_end())]
        })?;
        let (mut config, mut problems) = (Config::default(), Vec::new());
        let mut entries: Vec<_> = table.get_ref().iter().collect();
        // In the order of the file.
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let (name, at) = (key.get_ref().as_ref(), |span| place(file, text, &span));
            if !KEYS.contains(&name) {
                let near = nearest(name, KEYS.into_iter().map(str::to_owned));
                let near = near.map(|near| format!(" Did you mean {near}?")).unwrap_or_default();
                let all = KEYS.join(", ");
                problems.push(format!("{}: {name}: no such key.{near} The keys are {all}", at(key.span())));
            } else if let Err(why) = config.take(name, value) {
                problems.push(format!("{}: {name}: {why}", at(value.span())));
            }
        }
        if problems.is_empty() { Ok(config) } else { Err(problems) }
    }

    fn take(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Result<(), String> {
        match (name, value.get_ref()) {
            ("theme", DeValue::String(theme)) if !theme.is_empty() => self.theme = Some(theme.to_string()),
            ("theme", _) => return Err("a theme's name in quotes is wanted, as \"light\" (txdeck themes)".into()),
            ("fps", DeValue::Integer(number)) => {
                let (least, most) = FPS_RANGE;
                let fps = number.as_str().parse().ok().filter(|fps| (least..=most).contains(fps));
                self.fps = Some(fps.ok_or(format!("{} is outside {least}..{most}", number.as_str()))?);
            }
            ("fps", _) => return Err("a number of redraws a second is wanted, 1..30".into()),
            ("mouse" | "ascii", DeValue::Boolean(is_on)) => {
                *(if name == "mouse" { &mut self.mouse } else { &mut self.ascii }) = Some(*is_on);
            }
            ("mouse" | "ascii", _) => return Err("true or false is wanted".into()),
            (_, DeValue::String(word)) => {
                let unit = UNITS.iter().find(|(name, _)| *name == word.as_ref());
                self.unit = Some(unit.ok_or(format!("{word:?} is no unit; they are {}", unit_names()))?.1);
            }
            _ => return Err(format!("a unit in quotes is wanted: {}", unit_names())),
        }
        Ok(())
    }
}

fn unit_names() -> String {
    UNITS.map(|(name, _)| format!("\"{name}\"")).join(", ")
}

fn place(file: &str, text: &str, span: &Range<usize>) -> String {
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("{file}:{line}:{column}")
}

/// Writes `theme` into the file, which may not exist yet. A broken file is left as it is.
pub fn remember_theme(path: &Path, theme: &str) -> Result<(), Failure> {
    let text = read_if_there(path).map_err(|why| Failure::file("reading", path, &why))?;
    let text = text.unwrap_or_default();
    let changed = with_theme(&path.display().to_string(), &text, theme)
        .map_err(|problems| Failure::new("bad_config", problems.into_iter().next().unwrap_or_default()))?;
    if changed == text { Ok(()) } else { save::save(path, &changed) }
}

/// The text with this theme in it and nothing else changed.
fn with_theme(file: &str, text: &str, theme: &str) -> Result<String, Vec<String>> {
    Config::parse(file, text)?;
    let value = toml::Value::String(theme.into()).to_string();
    let table = DeTable::parse(text).map_err(|error| vec![error.to_string()])?;
    if let Some(old) = table.get_ref().get("theme") {
        let span = old.span();
        return Ok([&text[..span.start], &value, &text[span.end..]].concat());
    }
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { line_end };
    Ok(format!("{text}{gap}theme = {value}{line_end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_read() {
        let text = "theme = \"light\"\nfps = 4\nmouse = true\nascii = false\nunit = \"L1\"\n";
        let config = Config::parse("config.toml", text).unwrap();
        let wanted = Config {
            theme: Some("light".into()),
            fps: Some(4),
            mouse: Some(true),
            ascii: Some(false),
            unit: Some(Unit::WireBits),
        };
        assert_eq!(config, wanted);
        assert_eq!(Config::parse("config.toml", ""), Ok(Config::default()));
    }

    /// Each file of the folder begins with the messages it must give.
    #[test]
    fn broken_files_give_their_messages() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad/config");
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let wanted: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("# ")).collect();
            assert!(!wanted.is_empty(), "{file} names no message");
            assert_eq!(Config::parse(&file, &text).unwrap_err(), wanted, "{file}");
            assert!(with_theme(&file, &text, "dark").is_err(), "{file}: a broken file is not written over");
            seen += 1;
        }
        assert!(seen >= 9, "only {seen} files");
    }

    #[test]
    fn what_is_remembered_changes_one_value() {
        let text = "# mine\nfps = 4 # slow line\ntheme   =  'dark'   # at night\n";
        let light = with_theme("c", text, "light").unwrap();
        assert_eq!(light, text.replace("'dark'", "\"light\""));
        assert_eq!(with_theme("c", "", "dark").unwrap(), "theme = \"dark\"\n");
        assert_eq!(with_theme("c", "fps = 4", "dark").unwrap(), "fps = 4\ntheme = \"dark\"\n");
        let odd = with_theme("c", "", "a \"b\" \\ c").unwrap();
        assert_eq!(Config::parse("c", &odd).unwrap().theme.as_deref(), Some("a \"b\" \\ c"));
    }

    #[test]
    fn it_is_made_where_there_is_none() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("txdeck/config.toml");
        remember_theme(&path, "light").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "theme = \"light\"\n");
    }
}
