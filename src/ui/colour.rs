//! Colours as numbers: what the terminal's palette means, the nearest of 256, and how well one is read on another.

use ratatui::style::Color;

/// 24-bit sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// xterm's own first sixteen; every terminal may have others.
const SIXTEEN: [Rgb; 16] = [
    Rgb(0, 0, 0),
    Rgb(205, 0, 0),
    Rgb(0, 205, 0),
    Rgb(205, 205, 0),
    Rgb(0, 0, 238),
    Rgb(205, 0, 205),
    Rgb(0, 205, 205),
    Rgb(229, 229, 229),
    Rgb(127, 127, 127),
    Rgb(255, 0, 0),
    Rgb(0, 255, 0),
    Rgb(255, 255, 0),
    Rgb(92, 92, 255),
    Rgb(255, 0, 255),
    Rgb(0, 255, 255),
    Rgb(255, 255, 255),
];

/// The steps of the 6×6×6 cube.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

impl Rgb {
    /// A colour of xterm's 256.
    pub fn of_index(index: u8) -> Rgb {
        match index {
            0..16 => SIXTEEN[usize::from(index)],
            16..232 => {
                let step = |place: u8| STEPS[usize::from((index - 16) / place % 6)];
                Rgb(step(36), step(6), step(1))
            }
            232.. => {
                let grey = 8 + 10 * (index - 232);
                Rgb(grey, grey, grey)
            }
        }
    }

    /// What a colour comes to with xterm's palette; `None`: the terminal's own default.
    pub fn of(colour: Color) -> Option<Rgb> {
        Some(match colour {
            Color::Reset => return None,
            Color::Rgb(r, g, b) => Rgb(r, g, b),
            Color::Indexed(index) => Rgb::of_index(index),
            sixteen => Rgb::of_index(Rgb::sixteen(sixteen)?),
        })
    }

    /// Which of the terminal's own sixteen a named colour is.
    pub fn sixteen(colour: Color) -> Option<u8> {
        const ORDER: [Color; 16] = [
            Color::Black,
            Color::Red,
            Color::Green,
            Color::Yellow,
            Color::Blue,
            Color::Magenta,
            Color::Cyan,
            Color::Gray,
            Color::DarkGray,
            Color::LightRed,
            Color::LightGreen,
            Color::LightYellow,
            Color::LightBlue,
            Color::LightMagenta,
            Color::LightCyan,
            Color::White,
        ];
        ORDER.iter().position(|one| *one == colour).and_then(|at| u8::try_from(at).ok())
    }

    /// The nearest of the 240 colours that mean the same on every terminal.
    pub fn nearest_index(self) -> u8 {
        let distance = |index: &u8| {
            let other = Rgb::of_index(*index);
            let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
            // The eye tells greens apart best.
            2 * square(self.0, other.0) + 4 * square(self.1, other.1) + 3 * square(self.2, other.2)
        };
        (16..=255).min_by_key(distance).unwrap_or(16)
    }

    /// WCAG 2's contrast ratio, 1 to 21.
    pub fn contrast(self, other: Rgb) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn luminance(self) -> f64 {
        let linear = |part: u8| match f64::from(part) / 255.0 {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_is_wcags() {
        let (black, white) = (Rgb(0, 0, 0), Rgb(255, 255, 255));
        assert!((black.contrast(white) - 21.0).abs() < 1e-9);
        assert!((white.contrast(white) - 1.0).abs() < 1e-9);
        // The grey that WCAG's own examples call just enough on white.
        assert!((Rgb(0x76, 0x76, 0x76).contrast(white) - 4.54).abs() < 0.01);
    }

    #[test]
    fn every_colour_of_the_cube_is_its_own_nearest() {
        for index in 16..=255u8 {
            let nearest = Rgb::of_index(index).nearest_index();
            assert_eq!(Rgb::of_index(nearest), Rgb::of_index(index), "{index}");
        }
    }
}
