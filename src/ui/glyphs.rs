//! The glyphs of the screen in two sets: UTF-8, and plain ASCII for a terminal or locale without it.

use ratatui::{buffer::Buffer, symbols::border};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Glyphs {
    #[default]
    Utf8,
    Ascii,
}

impl Glyphs {
    fn pick(self, utf8: &'static str, ascii: &'static str) -> &'static str {
        match self {
            Glyphs::Utf8 => utf8,
            Glyphs::Ascii => ascii,
        }
    }

    pub fn arrow(self) -> &'static str {
        self.pick("→", ">")
    }

    pub fn plus_minus(self) -> &'static str {
        self.pick("±", "+-")
    }

    pub fn minus(self) -> &'static str {
        self.pick("−", "-")
    }

    pub fn nothing(self) -> &'static str {
        self.pick("–", "-")
    }

    pub fn dot(self) -> &'static str {
        self.pick("·", "|")
    }

    pub fn more(self) -> &'static str {
        self.pick("…", "~")
    }

    /// A vertical line that marks an instant on a graph.
    pub fn mark(self) -> &'static str {
        self.pick("┊", ":")
    }

    pub fn axis(self) -> &'static str {
        self.pick("│", "|")
    }

    pub fn rule(self) -> &'static str {
        self.pick("─", "-")
    }

    /// What big digits are made of.
    pub fn ink(self) -> &'static str {
        self.pick("█", "#")
    }

    pub fn corner(self) -> &'static str {
        self.pick("└", "+")
    }

    pub fn border(self) -> border::Set<'static> {
        match self {
            Glyphs::Utf8 => border::PLAIN,
            Glyphs::Ascii => border::Set {
                top_left: "+",
                top_right: "+",
                bottom_left: "+",
                bottom_right: "+",
                vertical_left: "|",
                vertical_right: "|",
                horizontal_top: "-",
                horizontal_bottom: "-",
            },
        }
    }

    /// The last word over a finished screen: nothing but ASCII is left on it, whatever a profile's name holds.
    pub fn fold(self, buffer: &mut Buffer) {
        if self == Glyphs::Utf8 {
            return;
        }
        for cell in &mut buffer.content {
            if !cell.symbol().is_ascii() {
                let plain = match cell.symbol() {
                    "–" | "−" | "─" | "—" => "-",
                    "→" => ">",
                    "·" => "|",
                    "…" => "~",
                    "“" | "”" => "\"",
                    "’" | "‘" => "'",
                    _ => "?",
                };
                cell.set_symbol(plain);
            }
        }
    }
}
