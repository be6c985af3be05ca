//! How the console looks here: which theme, which glyphs, how many colours. What was said on the command line wins,
//! then NO_COLOR, then config.toml, then what the terminal is known for.

use std::path::Path;

use crate::{
    shell::{
        args::{self, Color},
        config::{self, Config},
        failure::Failure,
        lookup,
        paths::Paths,
    },
    ui::{Glyphs, Look, Theme},
};

/// The look, and the name under which its theme was chosen.
pub struct Looks {
    pub look: Look,
    name: String,
    colours: Colours,
    paths: Paths,
}

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colours {
    /// 24 bits.
    All,
    /// xterm's 256; themes of 24 bits are brought down to them.
    Indexed,
}

/// What of the environment says how to draw.
struct Terminal {
    term: String,
    no_color: bool,
    true_color: bool,
    utf8: bool,
}

impl Terminal {
    fn here() -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale =
            set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default().to_lowercase();
        Self {
            term: set("TERM").unwrap_or_default(),
            no_color: set("NO_COLOR").is_some(),
            true_color: set("COLORTERM").is_some_and(|value| value == "truecolor" || value == "24bit"),
            utf8: locale.contains("utf-8") || locale.contains("utf8"),
        }
    }

    fn glyphs(&self, asked: bool) -> Glyphs {
        if asked || self.term == "linux" || !self.utf8 { Glyphs::Ascii } else { Glyphs::Utf8 }
    }

    /// The theme of somebody who chose none. vt100 and its like have no colour at all.
    fn theme(&self, config: Option<&str>, color: Color) -> String {
        let is_mono = ["vt1", "vt2", "ansi-m"].iter().any(|kind| self.term.starts_with(kind));
        match config {
            _ if self.no_color || color == Color::Never => "none".into(),
            Some(name) => name.into(),
            None if is_mono => "none".into(),
            None => "terminal".into(),
        }
    }

    fn colours(&self) -> Colours {
        if self.true_color { Colours::All } else { Colours::Indexed }
    }
}

impl Looks {
    /// A theme named on the command line must be there; one of config.toml that is not is told, and the default stays.
    pub fn choose(
        args: &args::Console,
        color: Color,
        config: &Config,
        paths: &Paths,
    ) -> Result<(Looks, Option<String>), Failure> {
        let terminal = Terminal::here();
        let glyphs = terminal.glyphs(args.ascii || config.ascii == Some(true));
        let name = args.theme.clone().unwrap_or_else(|| terminal.theme(config.theme.as_deref(), color));
        let colours = terminal.colours();
        let mut looks = Looks {
            look: Look { theme: Theme::default(), glyphs },
            name: "terminal".into(),
            colours,
            paths: paths.clone(),
        };
        match looks.put_on(&name) {
            Err(failure) if args.theme.is_some() => Err(failure),
            Err(failure) => Ok((looks, Some(format!("{} (the default theme stays)", failure.for_people())))),
            Ok(()) => Ok((looks, None)),
        }
    }

    /// Another theme by its name, `None`: the next that can be read. Answers what to tell; it is remembered.
    pub fn switch(&mut self, name: Option<&str>) -> Result<String, Failure> {
        let broken = match name {
            Some(name) => {
                self.put_on(name)?;
                None
            }
            None => self.put_on_next(),
        };
        let told = match config::remember_theme(&self.paths.config(), &self.name) {
            Ok(()) => format!("theme {}", self.name),
            Err(failure) => format!("theme {}, not remembered: {}", self.name, failure.for_people()),
        };
        Ok(told + &broken.map(|why| format!("; left out: {why}")).unwrap_or_default())
    }

    /// Goes round all themes, shipped ones first; says which was broken on the way.
    fn put_on_next(&mut self) -> Option<String> {
        let mut names: Vec<String> = Theme::names().map(str::to_owned).collect();
        let own = lookup::names_in(&self.paths.themes());
        names.extend(own.into_iter().filter(|own| !Theme::names().any(|shipped| shipped == own)));
        let here = names.iter().position(|name| *name == self.name).unwrap_or(0);
        names.rotate_left(here + 1);
        let mut broken = None;
        for name in &names {
            match self.put_on(name) {
                Ok(()) => break,
                Err(failure) => broken = Some(failure.for_people()),
            }
        }
        broken
    }

    fn put_on(&mut self, name: &str) -> Result<(), Failure> {
        let theme = find(name, &self.paths)?;
        self.look.theme = match self.colours {
            Colours::All => theme,
            Colours::Indexed => theme.in_256_colours(),
        };
        self.name = name.to_owned();
        Ok(())
    }
}

/// A path, one of the user's, or a shipped one.
fn find(name: &str, paths: &Paths) -> Result<Theme, Failure> {
    let is_path = name.contains('/') || name.ends_with(".toml");
    let path = if is_path { Path::new(name).to_owned() } else { paths.themes().join(format!("{name}.toml")) };
    let text = lookup::read_if_there(&path).map_err(|why| Failure::file("reading", &path, &why))?;
    match text {
        Some(text) => Theme::parse(&path.display().to_string(), &text)
            .map_err(|problems| Failure::new("bad_theme", problems.join("\n"))),
        None => Theme::shipped(name).ok_or_else(|| {
            let mut known: Vec<String> = Theme::names().map(str::to_owned).collect();
            known.extend(lookup::names_in(&paths.themes()));
            let near = lookup::nearest(name, known.iter().cloned());
            let near = near.map(|near| format!("Did you mean {near}? ")).unwrap_or_default();
            Failure::new("no_theme", format!("{name}: there is no such theme"))
                .with_fix(format!("{near}Themes: {}", known.join(", ")))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terminal(term: &str) -> Terminal {
        Terminal { term: term.into(), no_color: false, true_color: true, utf8: true }
    }

    #[test]
    fn c93_the_terminal_decides_where_nobody_did() {
        let theme = |terminal: &Terminal, config| terminal.theme(config, Color::Auto);
        assert_eq!(theme(&terminal("xterm-256color"), None), "terminal");
        assert_eq!(theme(&terminal("vt100"), None), "none");
        assert_eq!(theme(&terminal("tmux-256color"), Some("light")), "light");
        let no_color = Terminal { no_color: true, ..terminal("xterm") };
        assert_eq!(theme(&no_color, Some("light")), "none");
        assert_eq!(terminal("xterm").theme(Some("light"), Color::Never), "none");
        assert_eq!(terminal("linux").glyphs(false), Glyphs::Ascii);
        assert_eq!(Terminal { utf8: false, ..terminal("xterm") }.glyphs(false), Glyphs::Ascii);
        assert_eq!((terminal("xterm").glyphs(true), terminal("xterm").glyphs(false)), (Glyphs::Ascii, Glyphs::Utf8));
        assert_eq!(Terminal { true_color: false, ..terminal("screen") }.colours(), Colours::Indexed);
    }

    fn looks(home: &Path, config: &Config) -> (Looks, Option<String>) {
        let paths = Paths::under(home, home);
        Looks::choose(&args::Console::default(), Color::Auto, config, &paths).unwrap()
    }

    #[test]
    fn a_theme_chosen_live_is_remembered_and_a_broken_one_is_left_out() {
        let home = tempfile::tempdir().unwrap();
        let themes = home.path().join("txdeck/themes");
        std::fs::create_dir_all(&themes).unwrap();
        std::fs::write(themes.join("broken.toml"), "[roles]\nbad = \"crimson\"\n").unwrap();
        std::fs::write(themes.join("mine.toml"), "[roles]\nbad = \"bold 196\"\n").unwrap();
        std::fs::write(home.path().join("txdeck/config.toml"), "# mine\nfps = 4\n").unwrap();
        let (mut looks, _) = looks(home.path(), &Config::default());
        assert_eq!(looks.switch(Some("light")).unwrap(), "theme light");
        let remembered = || std::fs::read_to_string(home.path().join("txdeck/config.toml")).unwrap();
        assert_eq!(remembered(), "# mine\nfps = 4\ntheme = \"light\"\n");
        let failure = looks.switch(Some("broken")).unwrap_err().for_people();
        assert!(failure.contains("broken.toml:2:7: bad: \"crimson\" is no colour"), "{failure}");
        assert_eq!((looks.name.as_str(), remembered().contains("light")), ("light", true), "the present one stays");
        looks.switch(Some("none")).unwrap();
        let told = looks.switch(None).unwrap();
        assert!(told.starts_with("theme mine; left out: ") && told.contains("crimson"), "{told}");
        assert_eq!(looks.switch(None).unwrap(), "theme terminal");
    }

    #[test]
    fn a_theme_of_the_config_that_is_not_there_is_told_and_the_default_stays() {
        let home = tempfile::tempdir().unwrap();
        let config = Config { theme: Some("lihgt".into()), ..Config::default() };
        let (looks, told) = looks(home.path(), &config);
        assert_eq!(looks.look.theme.style(crate::ui::Role::Text), Theme::default().style(crate::ui::Role::Text));
        assert!(told.unwrap().contains("Did you mean light?"));
    }
}
