//! A theme is a file of roles, never of widgets: what the text, a border, a warning or a graph's line looks like.
//! A user's file names only the roles that differ from the default theme, or from the shipped one that its `base` names.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use toml::Spanned;

use super::Rgb;

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
const SHIPPED: [(&str, &str); 6] = [
    ("terminal", include_str!("../../themes/terminal.toml")),
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("high-contrast", include_str!("../../themes/high-contrast.toml")),
    ("colour-blind", include_str!("../../themes/colour-blind.toml")),
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
    /// A shipped theme whose roles stand where this file is silent.
    base: Option<Spanned<String>>,
    roles: Option<BTreeMap<Spanned<String>, Spanned<String>>>,
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
        let mut problems = Vec::new();
        let (default, default_text) = SHIPPED[0];
        let base = match &parsed.base {
            Some(name) if Theme::text(name.get_ref()).is_some_and(|base| base != text) => Some(name.get_ref().as_str()),
            Some(name) => {
                let all = Theme::names().collect::<Vec<_>>().join(", ");
                let name_at = at(name.span().start);
                problems.push(format!("{name_at}: {:?} is no shipped theme; they are {all}", name.get_ref()));
                None
            }
            None => Some(default).filter(|_| text != default_text),
        };
        if let Some(base) = base.and_then(Theme::shipped) {
            theme.styles = base.styles;
        }
        theme.name = parsed.name.unwrap_or(theme.name);
        theme.note = parsed.note.unwrap_or_default();
        if parsed.roles.is_none() && parsed.base.is_none() {
            problems.push(format!("{}: missing field `roles`", at(0)));
        }
        for (role, look) in parsed.roles.unwrap_or_default() {
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

    /// For a terminal that knows 256 colours but not 24 bits: the nearest of them.
    pub fn in_256_colours(mut self) -> Theme {
        let nearest = |colour: Color| match colour {
            Color::Rgb(r, g, b) => Color::Indexed(Rgb(r, g, b).nearest_index()),
            other => other,
        };
        for style in &mut self.styles {
            (style.fg, style.bg) = (style.fg.map(nearest), style.bg.map(nearest));
        }
        self
    }

    /// Whole: nothing of what was painted below shines through, ink and paper of `text` stand where the role has none.
    pub fn style(&self, role: Role) -> Style {
        let (text, own) = (self.styles[Role::Text as usize], self.styles[role as usize]);
        let sub_modifier = Modifier::all().difference(own.add_modifier);
        let fg = own.fg.or(text.fg).or(Some(Color::Reset));
        Style { fg, bg: own.bg.or(text.bg), sub_modifier, ..own }
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

    /// Ink and paper of a role in a theme that paints its own paper.
    fn ink_and_paper(theme: &Theme, role: Role) -> (Rgb, Rgb) {
        let base = theme.style(Role::Text);
        let style = base.patch(theme.style(role));
        let rgb = |colour: Option<Color>| colour.and_then(Rgb::of).unwrap();
        (rgb(style.fg), rgb(style.bg))
    }

    /// WCAG's contrast: text 4.5 (7 where the theme promises it), lines and graphs 3. As in 24 bits, so in 256.
    #[test]
    fn c93_every_theme_with_its_own_paper_can_be_read() {
        for name in ["dark", "light", "high-contrast", "colour-blind"] {
            let theme = Theme::shipped(name).unwrap();
            for theme in [theme.clone(), theme.in_256_colours()] {
                for (word, role) in ROLES {
                    let is_text = !matches!(role, Role::Border | Role::GraphA | Role::GraphB | Role::Mark);
                    let least = match (is_text, name) {
                        (true, "high-contrast") => 7.0,
                        (true, _) => 4.5,
                        (false, _) => 3.0,
                    };
                    let (ink, paper) = ink_and_paper(&theme, role);
                    let ratio = ink.contrast(paper);
                    assert!(ratio >= least, "{name}.{word}: {ratio:.2} is below {least}");
                }
            }
        }
    }

    /// Nobody knows the paper of `terminal`, nor what its sixteen colours are. With xterm's palette no colour reaches
    /// 4.5 on black and on white at once, so: plain text has the terminal's own ink, and what is coloured is bold or a
    /// line and reaches 3, WCAG's measure for those, on both.
    #[test]
    fn c93_the_default_can_be_read_on_black_and_on_white() {
        let theme = Theme::default();
        for (word, role) in ROLES {
            let style = theme.styles[role as usize];
            assert!(!style.add_modifier.contains(Modifier::REVERSED) || style.fg.is_none(), "{word}");
            let Some(ink) = style.fg.and_then(Rgb::of) else { continue };
            let is_line = matches!(role, Role::GraphA | Role::GraphB);
            assert!(is_line || style.add_modifier.contains(Modifier::BOLD), "{word}: thin coloured text");
            for paper in [Rgb(0, 0, 0), Rgb(255, 255, 255)] {
                let ratio = ink.contrast(paper);
                assert!(ratio >= 3.0, "{word} on {}: {ratio:.2}", paper.hex());
            }
        }
    }

    /// The two graphs of the colour-blind theme differ for each of the three kinds of colour blindness.
    #[test]
    fn the_colour_blind_theme_tells_its_graphs_apart() {
        // Linear sRGB as seen without red, green, blue cones (Viénot 1999 for the first two, Brettel's plane for blue).
        const SEEN: [[[f64; 3]; 3]; 3] = [
            [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
            [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
            [[1.0, 0.14461, -0.14461], [0.0, 0.85924, 0.14076], [0.0, 0.85924, 0.14076]],
        ];
        let theme = Theme::shipped("colour-blind").unwrap();
        let linear = |role: Role| {
            let (Rgb(r, g, b), _) = ink_and_paper(&theme, role);
            [r, g, b].map(|part| (f64::from(part) / 255.0).powf(2.2))
        };
        let pairs = [(Role::GraphA, Role::GraphB), (Role::Good, Role::Bad), (Role::Good, Role::Warn)];
        for (a, b) in pairs {
            for seen in SEEN {
                let through =
                    |ink: [f64; 3]| seen.map(|row| row.iter().zip(ink).map(|(k, part)| k * part).sum::<f64>());
                let (a, b) = (through(linear(a)), through(linear(b)));
                let distance = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
                assert!(distance > 0.25, "{distance}");
            }
        }
    }

    #[test]
    fn a_theme_may_stand_on_another_one() {
        let theme = Theme::parse("mine", "base = \"light\"\n[roles]\nbad = \"bold 196\"\n").unwrap();
        let light = Theme::shipped("light").unwrap();
        assert_eq!(theme.style(Role::Text), light.style(Role::Text));
        assert_ne!(theme.style(Role::Bad), light.style(Role::Bad));
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
