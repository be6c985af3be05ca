//! A Python text as a tree of statements and expressions: the part of the language that declares.

use super::lex::{Place, Token, Word, Wrong};

#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    pub place: Place,
    pub kind: ExprKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    Name(String),
    Int(i128),
    Float(f64),
    Text(Vec<u8>),
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    Dict(Vec<(Expr, Expr)>),
    /// What, for which names, in what, if what.
    Each(Box<Expr>, Vec<String>, Box<Expr>, Option<Box<Expr>>),
    Part(Box<Expr>, String),
    Item(Box<Expr>, Box<Expr>),
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    Call(Box<Expr>, Vec<Expr>, Vec<(String, Expr)>),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// If so, then, else.
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    pub name: String,
    /// With defaults.
    pub parameters: Vec<(String, Option<Expr>)>,
    pub body: Vec<Stmt>,
    pub place: Place,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Stmt {
    Assign(Vec<Expr>, Expr),
    /// `x += y` as its sign without `=`.
    Change(Expr, &'static str, Expr),
    Do(Expr),
    Return(Option<Expr>, Place),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    For(Vec<String>, Expr, Vec<Stmt>),
    Function(Function),
    Class(String, Vec<Stmt>),
    Nothing,
    /// What is not read: its first word.
    Other(Place, String),
}

/// Deeper nesting is no declaration; it also bounds the stack.
const DEEPEST: usize = 60;

pub struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
}

const BINARY: [&[&str]; 9] = [
    &["or"],
    &["and"],
    &["==", "!=", "<=", ">=", "<", ">", "in", "is"],
    &["|"],
    &["^"],
    &["&"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "//", "/", "%", "@"],
];

/// # Errors
/// The first place that no rule fits.
pub fn read(tokens: &[Token]) -> Result<Vec<Stmt>, Wrong> {
    let mut reader = Reader { tokens, at: 0, depth: 0 };
    let mut out = Vec::new();
    while reader.peek().is_some() {
        out.push(reader.statement()?);
    }
    Ok(out)
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Word> {
        self.tokens.get(self.at).map(|token| &token.word)
    }

    fn place(&self) -> Place {
        let token = self.tokens.get(self.at).or(self.tokens.last());
        token.map_or(Place { line: 1, column: 1 }, |token| token.place)
    }

    fn is(&self, sign: &str) -> bool {
        match self.peek() {
            Some(Word::Sign(known)) => *known == sign,
            Some(Word::Name(name)) => name == sign,
            _ => false,
        }
    }

    fn take(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, sign: &str) -> Result<(), Wrong> {
        let place = self.place();
        if self.take(sign) { Ok(()) } else { Err(Wrong::new(place, format!("\"{sign}\" is expected here"))) }
    }

    fn name(&mut self) -> Result<String, Wrong> {
        let place = self.place();
        match self.peek() {
            Some(Word::Name(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => Err(Wrong::new(place, "a name is expected here")),
        }
    }

    fn enter(&mut self) -> Result<(), Wrong> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(Wrong::new(self.place(), format!("nested deeper than {DEEPEST}"))),
            false => Ok(()),
        }
    }

    fn end_line(&mut self) -> Result<(), Wrong> {
        match self.peek() {
            Some(Word::NewLine) => {
                self.at += 1;
                Ok(())
            }
            None | Some(Word::Dedent) => Ok(()),
            _ => Err(Wrong::new(self.place(), "the line goes on where it should end")),
        }
    }

    fn statement(&mut self) -> Result<Stmt, Wrong> {
        self.enter()?;
        let statement = self.statement_inside();
        self.depth -= 1;
        statement
    }

    fn statement_inside(&mut self) -> Result<Stmt, Wrong> {
        let place = self.place();
        let word = match self.peek() {
            Some(Word::Name(name)) => name.clone(),
            Some(Word::NewLine) => {
                self.at += 1;
                return Ok(Stmt::Nothing);
            }
            Some(Word::Indent | Word::Dedent) => return Err(Wrong::new(place, "indented for no reason")),
            _ => String::new(),
        };
        match word.as_str() {
            "def" => self.function(),
            "class" => self.class(),
            "if" => self.choice(),
            "for" => self.each(),
            "return" => {
                self.at += 1;
                let value =
                    if matches!(self.peek(), Some(Word::NewLine) | None) { None } else { Some(self.expressions()?) };
                self.end_line()?;
                Ok(Stmt::Return(value, place))
            }
            "import" | "from" | "pass" | "global" | "nonlocal" => {
                self.skip_line();
                Ok(Stmt::Nothing)
            }
            "while" | "try" | "with" | "raise" | "assert" | "del" | "async" | "yield" | "break" | "continue"
            | "except" | "finally" | "elif" | "else" => {
                self.skip_line();
                self.skip_block();
                Ok(Stmt::Other(place, word))
            }
            _ if self.is("@") => {
                self.skip_line();
                Ok(Stmt::Nothing)
            }
            _ => self.simple(),
        }
    }

    fn skip_line(&mut self) {
        while let Some(word) = self.peek() {
            let is_end = *word == Word::NewLine;
            self.at += 1;
            if is_end {
                return;
            }
        }
    }

    fn skip_block(&mut self) {
        if self.peek() != Some(&Word::Indent) {
            return;
        }
        let mut depth = 0;
        while let Some(word) = self.peek() {
            depth += i32::from(*word == Word::Indent) - i32::from(*word == Word::Dedent);
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    fn simple(&mut self) -> Result<Stmt, Wrong> {
        let first = self.expressions()?;
        for sign in ["+=", "-=", "*=", "/=", "%=", "|=", "&=", "//=", "<<=", ">>=", "^="] {
            if self.take(sign) {
                let value = self.expressions()?;
                self.end_line()?;
                let plain = ["+", "-", "*", "/", "%", "|", "&", "//", "<<", ">>", "^"];
                let sign = plain.into_iter().find(|plain| format!("{plain}=") == sign).unwrap_or("+");
                return Ok(Stmt::Change(first, sign, value));
            }
        }
        let mut parts = vec![first];
        while self.take("=") {
            parts.push(self.expressions()?);
        }
        self.end_line()?;
        let value = parts.pop().unwrap_or(Expr { place: self.place(), kind: ExprKind::Tuple(Vec::new()) });
        Ok(if parts.is_empty() { Stmt::Do(value) } else { Stmt::Assign(parts, value) })
    }

    fn block(&mut self) -> Result<Vec<Stmt>, Wrong> {
        self.expect(":")?;
        if self.peek() != Some(&Word::NewLine) {
            return Ok(vec![self.statement()?]);
        }
        self.at += 1;
        if self.peek() != Some(&Word::Indent) {
            return Err(Wrong::new(self.place(), "an indented block is expected"));
        }
        self.at += 1;
        let mut out = Vec::new();
        while !matches!(self.peek(), Some(Word::Dedent) | None) {
            out.push(self.statement()?);
        }
        self.at += usize::from(self.peek().is_some());
        Ok(out)
    }

    fn function(&mut self) -> Result<Stmt, Wrong> {
        let place = self.place();
        self.at += 1;
        let name = self.name()?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.take(")") {
            if self.take(",") {
                continue;
            }
            if self.take("*") || self.take("**") {
                if matches!(self.peek(), Some(Word::Name(_))) {
                    self.name()?;
                }
                continue;
            }
            let name = self.name()?;
            if self.take(":") {
                self.expression()?;
            }
            let default = if self.take("=") { Some(self.expression()?) } else { None };
            parameters.push((name, default));
        }
        if self.take("->") {
            self.expression()?;
        }
        let body = self.block()?;
        Ok(Stmt::Function(Function { name, parameters, body, place }))
    }

    fn class(&mut self) -> Result<Stmt, Wrong> {
        self.at += 1;
        let name = self.name()?;
        if self.take("(") {
            while !self.take(")") {
                if self.peek().is_none() {
                    return Err(Wrong::new(self.place(), "\")\" is expected here"));
                }
                self.at += 1;
            }
        }
        Ok(Stmt::Class(name, self.block()?))
    }

    fn choice(&mut self) -> Result<Stmt, Wrong> {
        self.at += 1;
        let so = self.expression()?;
        let then = self.block()?;
        let other = if self.is("elif") {
            self.enter()?;
            let other = vec![self.choice()?];
            self.depth -= 1;
            other
        } else if self.take("else") {
            self.block()?
        } else {
            Vec::new()
        };
        Ok(Stmt::If(so, then, other))
    }

    fn each(&mut self) -> Result<Stmt, Wrong> {
        self.at += 1;
        let names = self.names()?;
        self.expect("in")?;
        let all = self.expressions()?;
        Ok(Stmt::For(names, all, self.block()?))
    }

    fn names(&mut self) -> Result<Vec<String>, Wrong> {
        let bracket = self.take("(");
        let mut names = vec![self.name()?];
        while self.take(",") {
            names.push(self.name()?);
        }
        if bracket {
            self.expect(")")?;
        }
        Ok(names)
    }

    /// One, or several with commas: a tuple.
    fn expressions(&mut self) -> Result<Expr, Wrong> {
        let first = self.expression()?;
        if !self.is(",") {
            return Ok(first);
        }
        let place = first.place;
        let mut all = vec![first];
        while self.take(",") {
            if matches!(self.peek(), Some(Word::NewLine) | None) || self.is("=") || self.is(":") {
                break;
            }
            all.push(self.expression()?);
        }
        Ok(Expr { place, kind: ExprKind::Tuple(all) })
    }

    pub fn expression(&mut self) -> Result<Expr, Wrong> {
        self.enter()?;
        let value = self.binary(0)?;
        let value = if self.is("if") && !matches!(self.peek(), Some(Word::NewLine)) {
            self.at += 1;
            let so = self.binary(0)?;
            self.expect("else")?;
            let other = self.expression()?;
            Expr { place: value.place, kind: ExprKind::Choice(Box::new(so), Box::new(value), Box::new(other)) }
        } else {
            value
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, rank: usize) -> Result<Expr, Wrong> {
        let Some(signs) = BINARY.get(rank) else { return self.unary() };
        let mut left = self.binary(rank + 1)?;
        for links in 0.. {
            if links > DEEPEST {
                break;
            }
            let sign = signs.iter().find(|sign| self.is(sign)).copied();
            let sign = match sign {
                None if rank == 2 && self.is("not") => "not in",
                None => return Ok(left),
                Some(sign) => sign,
            };
            self.at += if sign == "not in" { 2 } else { 1 };
            let sign = if sign == "is" && self.take("not") { "!=" } else { sign };
            let right = self.binary(rank + 1)?;
            let place = left.place;
            left = Expr { place, kind: ExprKind::Binary(sign, Box::new(left), Box::new(right)) };
        }
        Err(Wrong::new(self.place(), format!("more than {DEEPEST} parts in one expression")))
    }

    fn unary(&mut self) -> Result<Expr, Wrong> {
        let place = self.place();
        for sign in ["-", "+", "~", "not"] {
            if self.take(sign) {
                self.enter()?;
                let inside = if sign == "not" { self.binary(2)? } else { self.unary()? };
                self.depth -= 1;
                return Ok(Expr { place, kind: ExprKind::Unary(sign, Box::new(inside)) });
            }
        }
        let left = self.tail()?;
        if !self.take("**") {
            return Ok(left);
        }
        self.enter()?;
        let right = self.unary()?;
        self.depth -= 1;
        Ok(Expr { place, kind: ExprKind::Binary("**", Box::new(left), Box::new(right)) })
    }

    /// Something with calls, parts and items behind it.
    fn tail(&mut self) -> Result<Expr, Wrong> {
        let mut value = self.atom()?;
        let mut links = 0;
        loop {
            let place = self.place();
            links += 1;
            if links > DEEPEST {
                return Err(Wrong::new(place, format!("a chain of more than {DEEPEST} parts")));
            }
            if self.take(".") {
                let name = self.name()?;
                value = Expr { place, kind: ExprKind::Part(Box::new(value), name) };
            } else if self.take("(") {
                let (unnamed, named) = self.arguments()?;
                value = Expr { place: value.place, kind: ExprKind::Call(Box::new(value), unnamed, named) };
            } else if self.take("[") {
                value = self.item(value)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn item(&mut self, value: Expr) -> Result<Expr, Wrong> {
        let place = value.place;
        let from = if self.is(":") { None } else { Some(Box::new(self.expressions()?)) };
        let kind = if self.take(":") {
            let to = if self.is("]") { None } else { Some(Box::new(self.expression()?)) };
            ExprKind::Slice(Box::new(value), from, to)
        } else {
            let Some(from) = from else { return Err(Wrong::new(place, "an index is expected")) };
            ExprKind::Item(Box::new(value), from)
        };
        self.expect("]")?;
        Ok(Expr { place, kind })
    }

    #[allow(clippy::type_complexity)]
    fn arguments(&mut self) -> Result<(Vec<Expr>, Vec<(String, Expr)>), Wrong> {
        let (mut unnamed, mut named) = (Vec::new(), Vec::new());
        while !self.take(")") {
            if self.take(",") {
                continue;
            }
            if self.take("*") || self.take("**") {
                self.expression()?;
                continue;
            }
            let is_named = matches!(self.peek(), Some(Word::Name(_)))
                && self.tokens.get(self.at + 1).is_some_and(|token| token.word == Word::Sign("="));
            if is_named {
                let name = self.name()?;
                self.at += 1;
                named.push((name, self.expression()?));
                continue;
            }
            let value = self.expression()?;
            unnamed.push(if self.is("for") { self.comprehension(value)? } else { value });
            if !self.is(",") && !self.is(")") {
                return Err(Wrong::new(self.place(), "\",\" or \")\" is expected here"));
            }
        }
        Ok((unnamed, named))
    }

    fn comprehension(&mut self, what: Expr) -> Result<Expr, Wrong> {
        let place = what.place;
        self.expect("for")?;
        let names = self.names()?;
        self.expect("in")?;
        let all = self.binary(0)?;
        let only = if self.take("if") { Some(Box::new(self.binary(0)?)) } else { None };
        Ok(Expr { place, kind: ExprKind::Each(Box::new(what), names, Box::new(all), only) })
    }

    fn atom(&mut self) -> Result<Expr, Wrong> {
        let place = self.place();
        let expr = |kind| Ok(Expr { place, kind });
        match self.peek().cloned() {
            Some(Word::Name(name)) if name == "lambda" => Err(Wrong::new(place, "lambda is not read")),
            Some(Word::Name(name)) => {
                self.at += 1;
                expr(ExprKind::Name(name))
            }
            Some(Word::Int(int)) => {
                self.at += 1;
                expr(ExprKind::Int(int))
            }
            Some(Word::Float(float)) => {
                self.at += 1;
                expr(ExprKind::Float(float))
            }
            Some(Word::Text(text)) => {
                self.at += 1;
                expr(ExprKind::Text(text))
            }
            Some(Word::Sign("(")) => {
                self.at += 1;
                self.bracketed(place)
            }
            Some(Word::Sign("[")) => {
                self.at += 1;
                let items = self.items("]")?;
                match items.as_slice() {
                    [Expr { kind: ExprKind::Each(..), .. }] => {
                        Ok(items.into_iter().next().unwrap_or(Expr { place, kind: ExprKind::List(Vec::new()) }))
                    }
                    _ => expr(ExprKind::List(items)),
                }
            }
            Some(Word::Sign("{")) => {
                self.at += 1;
                self.dict(place)
            }
            _ => Err(Wrong::new(place, "an expression is expected here")),
        }
    }

    fn bracketed(&mut self, place: Place) -> Result<Expr, Wrong> {
        let items = self.items(")")?;
        let has_comma = self.tokens.get(self.at.saturating_sub(2)).is_some_and(|token| token.word == Word::Sign(","));
        if items.len() == 1 && !has_comma {
            return items.into_iter().next().ok_or_else(|| Wrong::new(place, "an expression is expected here"));
        }
        Ok(Expr { place, kind: ExprKind::Tuple(items) })
    }

    fn items(&mut self, close: &str) -> Result<Vec<Expr>, Wrong> {
        let mut out = Vec::new();
        while !self.take(close) {
            let value = self.expression()?;
            out.push(if self.is("for") { self.comprehension(value)? } else { value });
            if !self.take(",") && !self.is(close) {
                return Err(Wrong::new(self.place(), format!("\",\" or \"{close}\" is expected here")));
            }
        }
        Ok(out)
    }

    fn dict(&mut self, place: Place) -> Result<Expr, Wrong> {
        let mut pairs = Vec::new();
        while !self.take("}") {
            let key = self.expression()?;
            self.expect(":")?;
            pairs.push((key, self.expression()?));
            if !self.take(",") && !self.is("}") {
                return Err(Wrong::new(self.place(), "\",\" or \"}\" is expected here"));
            }
        }
        Ok(Expr { place, kind: ExprKind::Dict(pairs) })
    }
}
