//! Walks over the words of a file and works out numbers as trafgen does.

use super::lex::{Place, Token, Word, Wrong, number};

pub struct Cursor<'t> {
    tokens: &'t [Token],
    at: usize,
    end: Place,
    depth: usize,
    /// Expressions that C would work out otherwise: place, trafgen's and C's value.
    pub surprises: Vec<(Place, i128, i128)>,
}

/// Deeper brackets are no arithmetic.
const DEEPEST: usize = 64;

impl<'t> Cursor<'t> {
    pub fn new(tokens: &'t [Token]) -> Self {
        let end = tokens.last().map_or(Place { line: 1, column: 1 }, |token| token.place);
        Cursor { tokens, at: 0, end, depth: 0, surprises: Vec::new() }
    }

    pub fn position(&self) -> usize {
        self.at
    }

    pub fn jump(&mut self, at: usize) {
        self.at = at;
    }

    pub fn place(&self) -> Place {
        self.tokens.get(self.at).map_or(self.end, |token| token.place)
    }

    pub fn peek(&self) -> Option<&'t Word> {
        self.tokens.get(self.at).map(|token| &token.word)
    }

    pub fn peek_behind(&self) -> Option<&'t Word> {
        self.tokens.get(self.at + 1).map(|token| &token.word)
    }

    pub fn next(&mut self) -> Option<&'t Word> {
        let word = self.peek();
        self.at += usize::from(word.is_some());
        word
    }

    pub fn is(&self, sign: char) -> bool {
        self.peek() == Some(&Word::Sign(sign))
    }

    pub fn take(&mut self, sign: char) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    pub fn expect(&mut self, sign: char) -> Result<(), Wrong> {
        let place = self.place();
        match self.take(sign) {
            true => Ok(()),
            false => Err((place, format!("{} where {sign:?} is expected", self.shown()))),
        }
    }

    /// The word here, for a message.
    pub fn shown(&self) -> String {
        match self.peek() {
            None => "the end of the file".into(),
            Some(Word::Name(name)) => format!("\"{}\"", name.chars().take(40).collect::<String>()),
            Some(Word::Number(number)) => number.to_string(),
            Some(Word::Bytes(_)) => "a text".into(),
            Some(Word::Mac(_)) => "a MAC address".into(),
            Some(Word::Ipv4(_) | Word::Ipv6(_)) => "an IP address".into(),
            Some(Word::Sign(sign)) => format!("{sign:?}"),
        }
    }

    /// A number with everything trafgen's arithmetic knows: all operators bind alike, from the left.
    pub fn expression(&mut self) -> Result<i128, Wrong> {
        let (start, place) = (self.at, self.place());
        let value = self.left_to_right()?;
        let end = self.at;
        self.at = start;
        let other = self.by_precedence(0)?;
        self.at = end;
        if other != value && self.depth == 0 {
            self.surprises.push((place, value, other));
        }
        Ok(value)
    }

    fn left_to_right(&mut self) -> Result<i128, Wrong> {
        let mut left = self.operand(true)?;
        while let Some(operator) = self.operator() {
            let place = self.place();
            self.at += operator.len();
            let right = self.operand(true)?;
            left = apply(operator, left, right).ok_or_else(|| impossible(place, operator, left, right))?;
        }
        Ok(left)
    }

    fn by_precedence(&mut self, least: usize) -> Result<i128, Wrong> {
        let mut left = self.operand(false)?;
        while let Some(operator) = self.operator().filter(|operator| rank(operator) >= least) {
            let place = self.place();
            self.at += operator.len();
            self.enter(place)?;
            let right = self.by_precedence(rank(operator) + 1)?;
            self.depth -= 1;
            left = apply(operator, left, right).ok_or_else(|| impossible(place, operator, left, right))?;
        }
        Ok(left)
    }

    fn enter(&mut self, place: Place) -> Result<(), Wrong> {
        self.depth += 1;
        if self.depth > DEEPEST { Err((place, format!("brackets deeper than {DEEPEST}"))) } else { Ok(()) }
    }

    fn operand(&mut self, left_to_right: bool) -> Result<i128, Wrong> {
        let place = self.place();
        if self.take('-') {
            self.enter(place)?;
            let value = self.operand(left_to_right)?;
            self.depth -= 1;
            return Ok(value.saturating_neg());
        }
        if self.take('(') {
            self.enter(place)?;
            let value = if left_to_right { self.left_to_right()? } else { self.by_precedence(0)? };
            self.depth -= 1;
            self.expect(')')?;
            return Ok(value);
        }
        let value = self
            .peek()
            .and_then(plain)
            .ok_or_else(|| (place, format!("{} where a number is expected", self.shown())))?;
        self.at += 1;
        Ok(value)
    }

    fn operator(&self) -> Option<&'static str> {
        let Some(Word::Sign(sign)) = self.peek() else { return None };
        let twice = self.peek_behind() == Some(&Word::Sign(*sign));
        Some(match sign {
            '+' => "+",
            '-' => "-",
            '*' => "*",
            '/' => "/",
            '%' => "%",
            '&' => "&",
            '|' => "|",
            '^' => "^",
            '<' if twice => "<<",
            '>' if twice => ">>",
            _ => return None,
        })
    }
}

/// A number, also as `xff`, `b11` or one bare letter.
pub fn plain(word: &Word) -> Option<i128> {
    match word {
        Word::Number(number) => Some(*number),
        Word::Name(name) => match name.as_bytes() {
            [letter] if letter.is_ascii_alphabetic() => Some(i128::from(*letter)),
            [b'x' | b'X' | b'b' | b'B', _, ..] => number(name),
            _ => None,
        },
        _ => None,
    }
}

fn rank(operator: &str) -> usize {
    match operator {
        "|" => 1,
        "^" => 2,
        "&" => 3,
        "<<" | ">>" => 4,
        "+" | "-" => 5,
        _ => 6,
    }
}

fn apply(operator: &str, left: i128, right: i128) -> Option<i128> {
    let shift = || u32::try_from(right).ok().filter(|shift| *shift < 64);
    match operator {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        "&" => Some(left & right),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "<<" => Some((left & i128::from(u64::MAX)) << shift()?),
        _ => Some(left >> shift()?),
    }
}

fn impossible(place: Place, operator: &str, left: i128, right: i128) -> Wrong {
    (place, format!("{left} {operator} {right} cannot be worked out"))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{expand::expand, lex::pieces},
        *,
    };

    fn value(text: &str) -> Result<(i128, usize), Wrong> {
        let expanded = expand(pieces(text).expect("words")).expect("expanded");
        let mut cursor = Cursor::new(&expanded.tokens);
        cursor.expression().map(|value| (value, cursor.surprises.len()))
    }

    #[test]
    fn arithmetic_is_trafgens_own() {
        assert_eq!(value("(((1<<8)+0x32)|0b110)*2"), Ok((0x26c, 0)));
        assert_eq!(value("1472 + 8 + 20"), Ok((1500, 0)));
        assert_eq!(value("1 + 2 * 3"), Ok((9, 1)), "from the left, and C would say 7");
        assert_eq!(value("-3 + 5"), Ok((2, 0)));
        assert_eq!(value("(0x5 << 12) | (1 << 1)"), Ok((0x5002, 0)));
    }

    #[test]
    fn nonsense_is_named() {
        assert!(value("1 / 0").is_err());
        assert!(value("1 << 70").is_err());
        assert!(value(&"(".repeat(500)).is_err());
        assert!(value(&"-".repeat(5000)).is_err());
        assert!(value("").is_err());
    }
}
