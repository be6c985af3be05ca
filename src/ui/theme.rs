//! A theme is a file of roles, never of widgets: what the text, a border, a warning or a graph's line looks like.
//! A user's file names only the roles that differ from the default theme.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use toml::Spanned;

/// What a part of the screen is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Text,
    Dim,
    Border,
    Focus,
    Select,
    Good,
    Warn,
    Bad,
    GraphA,
    GraphB,
    Mark,
}

const ROLES: [(&str, Role); 11] = [
    ("text", Role::Text),
    ("dim", Role::Dim),
    ("border", Role::Border),
    ("focus", Role::Focus),
    ("select", Role::Select),
    ("good", Role::Good),
    ("warn", Role::Warn),
    ("bad", Role::Bad),
    ("graph_a", Role::GraphA),
    ("graph_b", Role::GraphB),
    ("mark", Role::Mark),
];

/// Every theme in the program, by name; the first is the default.
const SHIPPED: [(&str, &str); 4] = [
    ("terminal", include_str!("../../themes/terminal.toml")),
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("none", include_str!("../../themes/none.toml")),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    pub name: String,
    pub note: String,
    styles: [Style; ROLES.len()],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Option<String>,
    note: Option<String>,
    roles: BTreeMap<Spanned<String>, Spanned<String>>,
}

impl Theme {
    /// The names of the shipped themes, the default first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }

    /// The text of a shipped theme.
    pub fn text(name: &str) -> Option<&'static str> {
        SHIPPED.iter().find(|(shipped, _)| *shipped == name).map(|(_, text)| *text)
    }

    pub fn shipped(name: &str) -> Option<Theme> {
        Theme::parse(name, Theme::text(name)?).ok()
    }

    /// Reads a theme; roles it does not name are the default theme's. All problems together, each with its place.
    pub fn parse(file: &str, text: &str) -> Result<Theme, Vec<String>> {
        let at = |start: usize| {
            let before = text.get(..start).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            format!("{file}:{line}:{column}")
        };
        let parsed: File = toml::from_str(text).map_err(|error: toml::de::Error| {
            vec![format!("{}: {}", at(error.span().map_or(0, |span| span.start)), error.message().trim_end())]
        })?;
        let mut theme = Theme::plain(file);
        if let Some(default) = SHIPPED.first().filter(|(_, default)| *default != text) {
            theme.styles = Theme::parse(default.0, default.1)?.styles;
        }
        theme.name = parsed.name.unwrap_or(theme.name);
        theme.note = parsed.note.unwrap_or_default();
        let mut problems = Vec::new();
        for (role, look) in parsed.roles {
            let Some(index) = ROLES.iter().position(|(name, _)| *name == role.get_ref().as_str()) else {
                problems.push(format!("{}: {}", at(role.span().start), unknown_role(role.get_ref())));
                continue;
            };
            match style(look.get_ref()) {
                Ok(style) => theme.styles[index] = style,
                Err(why) => problems.push(format!("{}: {}: {why}", at(look.span().start), role.get_ref())),
            }
        }
        if problems.is_empty() { Ok(theme) } else { Err(problems) }
    }

    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    fn plain(name: &str) -> Theme {
        Theme { name: name.to_owned(), note: String::new(), styles: [Style::new(); ROLES.len()] }
    }
}

impl Default for Theme {
    fn default() -> Self {
        Theme::shipped("terminal").unwrap_or_else(|| Theme::plain("none"))
    }
}

fn unknown_role(name: &str) -> String {
    let all = ROLES.map(|(role, _)| role);
    let near = all.iter().max_by(|a, b| strsim::jaro_winkler(name, a).total_cmp(&strsim::jaro_winkler(name, b)));
    format!("{name:?} is no role. Did you mean {:?}? The roles are {}", near.unwrap_or(&"text"), all.join(", "))
}

/// `[bold] [dim] [underline] [reverse] [italic] [COLOUR] [on COLOUR]`, in any order.
fn style(text: &str) -> Result<Style, String> {
    let mut style = Style::new();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        style = match word {
            "default" => style,
            "bold" => style.add_modifier(Modifier::BOLD),
            "dim" => style.add_modifier(Modifier::DIM),
            "underline" => style.add_modifier(Modifier::UNDERLINED),
            "reverse" => style.add_modifier(Modifier::REVERSED),
            "italic" => style.add_modifier(Modifier::ITALIC),
            "on" => match words.next() {
                Some(word) => style.bg(colour(word)?),
                None => return Err("`on` needs a colour behind it".into()),
            },
            word => style.fg(colour(word)?),
        };
    }
    Ok(style)
}

/// One of the terminal's 16, a number of its 256, or `#rrggbb`.
fn colour(word: &str) -> Result<Color, String> {
    const SIXTEEN: [(&str, Color); 16] = [
        ("black", Color::Black),
        ("red", Color::Red),
        ("green", Color::Green),
        ("yellow", Color::Yellow),
        ("blue", Color::Blue),
        ("magenta", Color::Magenta),
        ("cyan", Color::Cyan),
        ("white", Color::Gray),
        ("bright-black", Color::DarkGray),
        ("bright-red", Color::LightRed),
        ("bright-green", Color::LightGreen),
        ("bright-yellow", Color::LightYellow),
        ("bright-blue", Color::LightBlue),
        ("bright-magenta", Color::LightMagenta),
        ("bright-cyan", Color::LightCyan),
        ("bright-white", Color::White),
    ];
    if let Some((_, colour)) = SIXTEEN.iter().find(|(name, _)| *name == word) {
        return Ok(*colour);
    }
    if let Some(hex) = word.strip_prefix('#').filter(|hex| hex.len() == 6)
        && let Ok(rgb) = u32::from_str_radix(hex, 16)
    {
        return Ok(Color::from_u32(rgb));
    }
    match word.parse::<u8>() {
        Ok(index) => Ok(Color::Indexed(index)),
        Err(_) => Err(format!(
            "{word:?} is no colour: write one of {}, 0..255, #rrggbb, or default; before it bold, dim, underline, reverse, italic",
            SIXTEEN.map(|(name, _)| name).join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_theme_is_whole() {
        for (name, text) in SHIPPED {
            let theme = Theme::parse(name, text).unwrap();
            assert_eq!(theme.name, name);
            assert!(!theme.note.is_empty());
            for (role, _) in ROLES {
                assert!(text.contains(&format!("\n{role} = ")), "{name} leaves {role} out");
            }
        }
    }

    #[test]
    fn the_default_paints_no_background_and_uses_the_terminals_colours() {
        let theme = Theme::default();
        for style in theme.styles {
            assert_eq!(style.bg, None);
            assert!(!matches!(style.fg, Some(Color::Rgb(..) | Color::Indexed(_))));
        }
    }

    #[test]
    fn none_has_no_colour() {
        let theme = Theme::shipped("none").unwrap();
        assert!(theme.styles.iter().all(|style| style.fg.is_none() && style.bg.is_none()));
    }

    #[test]
    fn a_users_theme_names_only_differences() {
        let theme = Theme::parse("mine", "[roles]\nbad = \"bold #ff8800 on 17\"\n").unwrap();
        let bad = theme.style(Role::Bad);
        assert_eq!((bad.fg, bad.bg), (Some(Color::Rgb(0xff, 0x88, 0)), Some(Color::Indexed(17))));
        assert_eq!(theme.style(Role::Good), Theme::default().style(Role::Good));
    }
}
