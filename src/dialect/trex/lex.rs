//! Words of a Python text, with the lines and indents that hold it together.

/// Where something stands, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Word {
    Name(String),
    Int(i128),
    Float(f64),
    Text(Vec<u8>),
    Sign(&'static str),
    NewLine,
    Indent,
    Dedent,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub word: Word,
    pub place: Place,
}

/// A place and what is wrong there.
#[derive(Debug, Clone, PartialEq)]
pub struct Wrong {
    pub place: Place,
    pub why: String,
}

impl Wrong {
    pub fn new(place: Place, why: impl Into<String>) -> Wrong {
        Wrong { place, why: why.into() }
    }
}

/// Longest first, so that `**=` is not taken for `**`.
const SIGNS: [&str; 45] = [
    "**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "->", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", ":=", "+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "<", ">", "(", ")", "[", "]", "{",
    "}", ",", ":", ".", "=",
];

struct Lexer<'t> {
    rest: &'t str,
    place: Place,
    /// Open brackets: within them lines go on.
    open: usize,
    indents: Vec<usize>,
    out: Vec<Token>,
}

/// # Errors
/// The first place where no word begins.
pub fn words(text: &str) -> Result<Vec<Token>, Wrong> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lexer =
        Lexer { rest: text, place: Place { line: 1, column: 1 }, open: 0, indents: vec![0], out: Vec::new() };
    lexer.indent()?;
    while !lexer.rest.is_empty() {
        lexer.one()?;
    }
    lexer.end_line();
    while lexer.indents.len() > 1 {
        lexer.indents.pop();
        lexer.push(Word::Dedent, lexer.place);
    }
    Ok(lexer.out)
}

impl Lexer<'_> {
    fn skip(&mut self, bytes: usize) {
        for c in self.rest[..bytes].chars() {
            match c {
                '\n' => self.place = Place { line: self.place.line + 1, column: 1 },
                _ => self.place.column += 1,
            }
        }
        self.rest = &self.rest[bytes..];
    }

    fn push(&mut self, word: Word, place: Place) {
        self.out.push(Token { word, place });
    }

    fn end_line(&mut self) {
        let is_open =
            self.out.last().is_some_and(|last| !matches!(last.word, Word::NewLine | Word::Indent | Word::Dedent));
        if is_open {
            self.push(Word::NewLine, self.place);
        }
    }

    fn one(&mut self) -> Result<(), Wrong> {
        let place = self.place;
        let Some(c) = self.rest.chars().next() else { return Ok(()) };
        match c {
            '\n' if self.open == 0 => {
                self.end_line();
                self.skip(1);
                self.indent()
            }
            '\\' if self.rest[1..].trim_start_matches('\r').starts_with('\n') => {
                let end = self.rest.find('\n').unwrap_or(0) + 1;
                self.skip(end);
                Ok(())
            }
            c if c.is_whitespace() => {
                self.skip(c.len_utf8());
                Ok(())
            }
            '#' => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.skip(end);
                Ok(())
            }
            ';' => {
                self.end_line();
                self.skip(1);
                Ok(())
            }
            '"' | '\'' => self.text(false, place),
            c if c.is_ascii_digit() || (c == '.' && self.rest[1..].starts_with(|c: char| c.is_ascii_digit())) => {
                self.number(place)
            }
            c if c.is_alphabetic() || c == '_' => self.name(place),
            _ => self.sign(place),
        }
    }

    /// At the start of a line: blank lines do not count.
    fn indent(&mut self) -> Result<(), Wrong> {
        loop {
            let width = self.rest.len() - self.rest.trim_start_matches([' ', '\t', '\r', '\u{c}']).len();
            match self.rest[width..].chars().next() {
                Some('\n') => self.skip(width + 1),
                Some('#') => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.skip(end);
                }
                None => {
                    self.skip(width);
                    return Ok(());
                }
                Some(_) => {
                    let columns = self.rest[..width].chars().map(|c| if c == '\t' { 8 } else { 1 }).sum();
                    self.skip(width);
                    return self.indented(columns);
                }
            }
        }
    }

    fn indented(&mut self, columns: usize) -> Result<(), Wrong> {
        let now = self.indents.last().copied().unwrap_or(0);
        if columns > now {
            if self.indents.len() > 60 {
                return Err(Wrong::new(self.place, "indented more than 60 times"));
            }
            self.indents.push(columns);
            self.push(Word::Indent, self.place);
        }
        while self.indents.last().is_some_and(|last| *last > columns) {
            self.indents.pop();
            self.push(Word::Dedent, self.place);
        }
        if self.indents.last() != Some(&columns) {
            return Err(Wrong::new(self.place, "this line is indented like none above it"));
        }
        Ok(())
    }

    fn name(&mut self, place: Place) -> Result<(), Wrong> {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let name = &self.rest[..end];
        let quoted = self.rest[end..].starts_with(['"', '\'']);
        if quoted && name.len() <= 2 && name.chars().all(|c| "rbuRBU".contains(c)) {
            let is_raw = name.contains(['r', 'R']);
            self.skip(end);
            return self.text(is_raw, place);
        }
        if quoted && name.eq_ignore_ascii_case("f") {
            return Err(Wrong::new(place, "a text with { } parts (f\"…\") is not read: write the text itself"));
        }
        self.push(Word::Name(name.to_string()), place);
        self.skip(end);
        Ok(())
    }

    fn number(&mut self, place: Place) -> Result<(), Wrong> {
        let end =
            self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))).unwrap_or(self.rest.len());
        let mut end = end;
        // 1e-3
        if self.rest[..end].ends_with(['e', 'E'])
            && !self.rest.starts_with("0x")
            && self.rest[end..].starts_with(['-', '+'])
        {
            let more = self.rest[end + 1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len() - end - 1);
            end += 1 + more;
        }
        let text = self.rest[..end].replace('_', "").to_ascii_lowercase();
        let radix = |digits: &str, radix| i128::from_str_radix(digits, radix).ok();
        let int = match text.get(..2) {
            Some("0x") => radix(&text[2..], 16),
            Some("0b") => radix(&text[2..], 2),
            Some("0o") => radix(&text[2..], 8),
            _ => text.trim_end_matches('l').parse().ok(),
        };
        let word = match (int, text.parse::<f64>()) {
            (Some(int), _) => Word::Int(int),
            (None, Ok(float)) if float.is_finite() => Word::Float(float),
            _ => {
                return Err(Wrong::new(
                    place,
                    format!("\"{}\" is not a number", text.chars().take(40).collect::<String>()),
                ));
            }
        };
        self.push(word, place);
        self.skip(end);
        Ok(())
    }

    fn text(&mut self, is_raw: bool, place: Place) -> Result<(), Wrong> {
        let quote = &self.rest[..1];
        let triple = quote.repeat(3);
        let close = if self.rest.starts_with(&triple) { triple.as_str() } else { quote };
        let close = close.to_string();
        let mut out = Vec::new();
        let mut at = close.len();
        loop {
            let rest = &self.rest[at..];
            if rest.starts_with(&close) {
                break;
            }
            let Some(c) = rest.chars().next().filter(|c| *c != '\n' || close.len() == 3) else {
                return Err(Wrong::new(place, "this text has no end"));
            };
            if c == '\\' && !is_raw {
                at += escape(rest, &mut out);
            } else {
                out.extend(c.to_string().bytes());
                at += c.len_utf8();
            }
        }
        self.skip(at + close.len());
        // Texts beside each other are one.
        if let Some(Token { word: Word::Text(last), .. }) = self.out.last_mut() {
            last.extend(out);
        } else {
            self.push(Word::Text(out), place);
        }
        Ok(())
    }

    fn sign(&mut self, place: Place) -> Result<(), Wrong> {
        let Some(sign) = SIGNS.iter().find(|sign| self.rest.starts_with(**sign)) else {
            let c = self.rest.chars().next().unwrap_or(' ');
            return Err(Wrong::new(place, format!("{c:?} begins no word of Python")));
        };
        match *sign {
            "(" | "[" | "{" => self.open += 1,
            ")" | "]" | "}" => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        self.push(Word::Sign(sign), place);
        self.skip(sign.len());
        Ok(())
    }
}

/// What a backslash stands for, and how many bytes of the text it takes.
fn escape(rest: &str, out: &mut Vec<u8>) -> usize {
    let Some(next) = rest[1..].chars().next() else { return 1 };
    let simple = match next {
        'n' => Some(b'\n'),
        't' => Some(b'\t'),
        'r' => Some(b'\r'),
        '0' => Some(0),
        '\\' | '\'' | '"' => Some(next as u8),
        _ => None,
    };
    if let Some(byte) = simple {
        out.push(byte);
        return 2;
    }
    if next == 'x'
        && let Some(byte) = rest.get(2..4).and_then(|digits| u8::from_str_radix(digits, 16).ok())
    {
        out.push(byte);
        return 4;
    }
    if next == '\n' {
        return 2;
    }
    out.push(b'\\');
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_indents_and_brackets() {
        let tokens = words("def f(a,\n   b):\n  # x\n\n  return 'a' \"b\\x41\"\nx = 1e-3 + 0x1f\n").expect("words");
        let words: Vec<Word> = tokens.into_iter().map(|token| token.word).collect();
        assert!(words.contains(&Word::Text(b"abA".to_vec())) && words.contains(&Word::Float(1e-3)));
        assert_eq!(words.iter().filter(|word| **word == Word::Indent).count(), 1);
        assert_eq!(words.iter().filter(|word| **word == Word::Dedent).count(), 1);
        assert_eq!(words.iter().filter(|word| **word == Word::NewLine).count(), 3);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        for (text, line, column) in [("a = 'x\n", 1, 5), ("if a:\n    b\n  c\n", 3, 3), ("\n €", 2, 2)] {
            assert_eq!(words(text).map(|_| ()).map_err(|wrong| wrong.place), Err(Place { line, column }), "{text}");
        }
    }
}
