//! The words of a trafgen file: comments away, C preprocessor's simple half carried out, everything with its place.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::profile::kind::parse_mac;

/// Where something stands, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Word {
    Number(i128),
    Name(String),
    Bytes(Vec<u8>),
    Mac(u64),
    Ipv4(u32),
    Ipv6(u128),
    Sign(char),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub word: Word,
    pub place: Place,
}

/// A line that is a preprocessor's: its name and what follows.
#[derive(Debug, Clone, PartialEq)]
pub struct Directive {
    pub name: String,
    pub rest: Vec<Token>,
    /// Whether a bracket follows the first name of the rest without a blank: a macro with arguments.
    pub is_function: bool,
    pub place: Place,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    Token(Token),
    Directive(Directive),
    Comment(Place, String),
}

/// A place and what is wrong there.
pub type Wrong = (Place, String);

pub struct Lexer<'t> {
    text: &'t str,
    at: usize,
    place: Place,
    pieces: Vec<Piece>,
}

const DIRECTIVES: [&str; 11] =
    ["define", "undef", "include", "ifdef", "ifndef", "if", "elif", "else", "endif", "pragma", "error"];

/// # Errors
/// The first character that begins no word.
pub fn pieces(text: &str) -> Result<Vec<Piece>, Wrong> {
    let mut lexer = Lexer { text, at: 0, place: Place { line: 1, column: 1 }, pieces: Vec::new() };
    while lexer.one(false)? {}
    Ok(lexer.pieces)
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip(&mut self, bytes: usize) {
        for c in self.text[self.at..self.at + bytes].chars() {
            match c {
                '\n' => self.place = Place { line: self.place.line + 1, column: 1 },
                _ => self.place.column += 1,
            }
        }
        self.at += bytes;
    }

    /// How far a run of characters goes, in bytes.
    fn run(&self, more: impl Fn(char) -> bool) -> usize {
        self.rest().find(|c: char| !more(c)).unwrap_or(self.rest().len())
    }

    fn push(&mut self, word: Word, place: Place) {
        self.pieces.push(Piece::Token(Token { word, place }));
    }

    /// One piece more; `false` at the end (of the line, in a directive).
    fn one(&mut self, in_directive: bool) -> Result<bool, Wrong> {
        let place = self.place;
        let Some(c) = self.rest().chars().next() else { return Ok(false) };
        if in_directive && c == '\n' {
            return Ok(false);
        }
        if c == '\\' && self.rest()[1..].trim_start_matches([' ', '\r']).starts_with('\n') {
            let blank = self.rest().find('\n').unwrap_or(0);
            self.skip(blank + 1);
        } else if c.is_whitespace() || c == '\u{feff}' {
            self.skip(c.len_utf8());
        } else if self.rest().starts_with("/*") {
            let end = self.rest()[2..].find("*/").map(|end| end + 4);
            let end = end.ok_or((place, "this comment has no end: */ is missing".to_string()))?;
            self.comment(2, end, 2);
        } else if self.rest().starts_with("//") || c == ';' || (c == '#' && in_directive) {
            let end = self.run(|c| c != '\n');
            self.comment(if c == '/' { 2 } else { 1 }, end, 0);
        } else if c == '#' {
            self.hash()?;
        } else {
            self.word(c, place)?;
        }
        Ok(true)
    }

    fn comment(&mut self, sign: usize, end: usize, tail: usize) {
        let text = self.rest()[sign..end - tail].to_string();
        self.pieces.push(Piece::Comment(self.place, text));
        self.skip(end);
    }

    /// `#` begins a directive or a comment.
    fn hash(&mut self) -> Result<(), Wrong> {
        let place = self.place;
        let after = self.rest()[1..].trim_start_matches([' ', '\t']);
        let name: String = after.chars().take_while(char::is_ascii_alphabetic).collect();
        if !DIRECTIVES.contains(&name.as_str()) {
            let end = self.run(|c| c != '\n');
            self.comment(1, end, 0);
            return Ok(());
        }
        let head = self.rest().len() - after.len() + name.len();
        self.skip(head);
        let tail = self.rest().trim_start_matches([' ', '\t']);
        let is_function = tail
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .is_some_and(|end| end > 0 && tail[end..].starts_with('('));
        let before = self.pieces.len();
        // What follows is free text; only a define must be made of words.
        if name == "define" || name.starts_with("if") || name == "undef" {
            while self.one(true)? {}
        } else {
            let end = self.run(|c| c != '\n');
            self.skip(end);
        }
        let (mut rest, mut comments) = (Vec::new(), Vec::new());
        for piece in self.pieces.drain(before..) {
            match piece {
                Piece::Token(token) => rest.push(token),
                other => comments.push(other),
            }
        }
        self.pieces.extend(comments);
        self.pieces.push(Piece::Directive(Directive { name, rest, is_function, place }));
        Ok(())
    }

    fn word(&mut self, c: char, place: Place) -> Result<(), Wrong> {
        match c {
            '"' => self.string(place),
            '\'' => self.letter(place),
            '{' | '}' | '(' | ')' | '[' | ']' | ',' | '+' | '-' | '*' | '/' | '%' | '&' | '|' | '<' | '>' | '^'
            | '=' | '!' | '~' | '$' => {
                self.push(Word::Sign(c), place);
                self.skip(1);
                Ok(())
            }
            ':' if !self.rest().starts_with("::") => {
                self.push(Word::Sign(':'), place);
                self.skip(1);
                Ok(())
            }
            c if c.is_ascii_alphanumeric() || c == '_' || c == ':' => self.name_or_number(place),
            other => Err((place, format!("{other:?} begins no word of trafgen's language"))),
        }
    }

    /// `"text"`, or bytes as `"\xca\xfe"`.
    fn string(&mut self, place: Place) -> Result<(), Wrong> {
        let end = self.rest()[1..].find('"').ok_or((place, "this text has no end: a \" is missing".to_string()))?;
        let inside = &self.rest()[1..=end];
        let bytes = hex_escapes(inside).unwrap_or_else(|| inside.as_bytes().to_vec());
        self.push(Word::Bytes(bytes), place);
        self.skip(end + 2);
        Ok(())
    }

    /// `'a'` or `'\xca'`.
    fn letter(&mut self, place: Place) -> Result<(), Wrong> {
        let inside: String = self.rest()[1..].chars().take_while(|c| !matches!(c, '\'' | '\n')).take(8).collect();
        let value = match hex_escapes(&inside).as_deref() {
            Some([byte]) => Some(i128::from(*byte)),
            _ => (inside.len() == 1).then(|| i128::from(inside.as_bytes()[0])),
        };
        let closed = self.rest()[1 + inside.len()..].starts_with('\'');
        let value = value.filter(|_| closed).ok_or((place, "not one letter between ' and '".to_string()))?;
        self.push(Word::Number(value), place);
        self.skip(inside.len() + 2);
        Ok(())
    }

    fn name_or_number(&mut self, place: Place) -> Result<(), Wrong> {
        let long = self.run(|c| c.is_ascii_hexdigit() || c == ':' || c == '.');
        let text = &self.rest()[..long];
        if text.matches(':').count() >= 2 {
            let text = text.trim_end_matches('.');
            let word = match (short_mac(text), text.parse::<Ipv6Addr>()) {
                (Some(mac), _) => Word::Mac(mac),
                (_, Ok(ip)) => Word::Ipv6(ip.to_bits()),
                _ => return Err((place, format!("\"{text}\" is neither a MAC nor an IPv6 address"))),
            };
            let length = text.len();
            self.push(word, place);
            self.skip(length);
            return Ok(());
        }
        let dotted = self.run(|c| c.is_ascii_digit() || c == '.');
        let text = &self.rest()[..dotted];
        if text.contains('.') {
            let ip: Ipv4Addr = text.parse().map_err(|_| (place, format!("\"{text}\" is not an IPv4 address")))?;
            self.push(Word::Ipv4(ip.to_bits()), place);
            self.skip(dotted);
            return Ok(());
        }
        let length = self.run(|c| c.is_ascii_alphanumeric() || c == '_').max(1);
        let text = &self.rest()[..length];
        let word = match text.starts_with(|c: char| c.is_ascii_digit()) {
            true => Word::Number(number(text).ok_or((place, format!("\"{text}\" is not a number")))?),
            false => Word::Name(text.to_string()),
        };
        self.push(word, place);
        self.skip(length);
        Ok(())
    }
}

/// trafgen takes parts of one digit too.
fn short_mac(text: &str) -> Option<u64> {
    let parts: Vec<String> = text.split(':').map(|part| format!("{part:0>2}")).collect();
    (parts.len() == 6 && !text.contains("::")).then(|| parse_mac(&parts.join(":")))?
}

/// Hex as 0xff or xff, binary as 0b11 or b11, octal as 011, decimal.
pub fn number(text: &str) -> Option<i128> {
    let text = text.to_ascii_lowercase();
    let text = text.trim_end_matches(['u', 'l']);
    let radix = |digits: &str, radix| i128::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'));
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix('x')) {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0b").or_else(|| text.strip_prefix('b')) {
        return radix(digits, 2);
    }
    match text.strip_prefix('0') {
        Some(digits) if !digits.is_empty() => radix(digits, 8),
        _ => radix(text, 10),
    }
}

/// `\xca\xfe` and nothing else.
fn hex_escapes(text: &str) -> Option<Vec<u8>> {
    let pairs = text.strip_prefix("\\x")?.split("\\x");
    pairs.map(|pair| (pair.len() == 2).then(|| u8::from_str_radix(pair, 16).ok())?).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        let pieces = pieces(text).unwrap_or_else(|wrong| panic!("{wrong:?}"));
        let word = |piece| if let Piece::Token(token) = piece { Some(token.word) } else { None };
        pieces.into_iter().filter_map(word).collect()
    }

    #[test]
    fn numbers_in_all_spellings() {
        for (text, value) in [("0xff", 255), ("xff", 255), ("0b101", 5), ("b101", 5), ("011", 9), ("42", 42), ("0", 0)]
        {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["0x", "09", "0b2", "0x+1", "12a"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn comments_in_four_styles_and_addresses() {
        let text =
            "/* a */ 1 // b\n 2 # c\n 3 ; d\n f4:52:14:7a:5b:52 198.18.0.1 2001:db8::1 'B' \"\\xca\\xfe\" \"ab\"";
        let expected = [
            Word::Number(1),
            Word::Number(2),
            Word::Number(3),
            Word::Mac(0xf452_147a_5b52),
            Word::Ipv4(0xc612_0001),
            Word::Ipv6(0x2001_0db8_0000_0000_0000_0000_0000_0001),
            Word::Number(66),
            Word::Bytes(vec![0xca, 0xfe]),
            Word::Bytes(b"ab".to_vec()),
        ];
        assert_eq!(words(text), expected);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        assert_eq!(pieces("{\n  \u{20ac}").map_err(|(place, _)| place), Err(Place { line: 2, column: 3 }));
        assert_eq!(pieces(" /* x").map_err(|(place, _)| place), Err(Place { line: 1, column: 2 }));
    }
}
