//! Tokens become a tree of commands: lists, conditions, loops, functions.

use std::rc::Rc;

use super::lex::{Part, Token, Unclear, Word, tokens};

#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Simple(Simple),
    /// `[[ … ]]`: the words between.
    Test(Vec<Word>),
    /// `((…))`.
    Sum(String),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Not(Box<Node>),
    Pipe(Vec<Node>),
    List(Vec<Node>),
    /// `words` is `None` where the positional parameters are meant.
    For {
        line: usize,
        name: String,
        words: Option<Vec<Word>>,
        body: Box<Node>,
    },
    /// `for ((a; b; c))`.
    Count {
        line: usize,
        parts: [String; 3],
        body: Box<Node>,
    },
    While {
        line: usize,
        until: bool,
        condition: Box<Node>,
        body: Box<Node>,
    },
    If {
        line: usize,
        arms: Vec<(Node, Node)>,
        otherwise: Option<Box<Node>>,
    },
    Case {
        word: Word,
        arms: Vec<(Vec<Word>, Node)>,
    },
    Function {
        name: String,
        body: Rc<Node>,
    },
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Simple {
    pub line: usize,
    pub words: Vec<Word>,
    pub redirects: Vec<(&'static str, Word)>,
}

/// Deeper nesting is nobody's script.
const MOST_DEPTH: usize = 40;

pub fn parse(text: &str, line: usize) -> Result<Node, Unclear> {
    let mut parser = Parser { tokens: tokens(text, line)?, at: 0, depth: 0, last_line: line };
    let list = parser.list(&[])?;
    match parser.peek() {
        None => Ok(list),
        Some(_) => Err(parser.unclear("stands where a command is expected")),
    }
}

struct Parser {
    tokens: Vec<(Token, usize)>,
    at: usize,
    depth: usize,
    last_line: usize,
}

type Parsed = Result<Node, Unclear>;

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn next(&mut self) -> Option<Token> {
        let (token, line) = self.tokens.get(self.at)?.clone();
        self.at += 1;
        self.last_line = line;
        Some(token)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).map_or(self.last_line, |(_, line)| *line)
    }

    fn unclear(&self, what: &str) -> Unclear {
        let shown = match self.peek() {
            None => "the end of the file".to_owned(),
            Some(Token::Operator("\n")) => "the end of the line".to_owned(),
            Some(Token::Operator(sign) | Token::Redirect(sign)) => format!("\"{sign}\""),
            Some(Token::Word(word)) => format!("\"{}\"", word.plain().unwrap_or("a word")),
            Some(Token::Sum(_)) => "\"((\"".to_owned(),
        };
        Unclear { line: self.line(), what: format!("{shown} {what}") }
    }

    fn keyword(&self) -> Option<&str> {
        match self.peek() {
            Some(Token::Word(word)) => word.plain(),
            _ => None,
        }
    }

    fn is_operator(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Operator(found)) if *found == sign)
    }

    fn take_operator(&mut self, sign: &str) -> bool {
        let found = self.is_operator(sign);
        self.at += usize::from(found);
        found
    }

    fn expect_keyword(&mut self, word: &str) -> Result<(), Unclear> {
        if self.keyword() == Some(word) {
            self.next();
            return Ok(());
        }
        Err(self.unclear(&format!("where \"{word}\" is expected")))
    }

    fn skip_ends(&mut self) {
        while ["\n", ";", "&"].iter().any(|sign| self.is_operator(sign)) {
            self.next();
        }
    }

    fn skip_newlines(&mut self) {
        while self.is_operator("\n") {
            self.next();
        }
    }

    /// Commands up to one of these words (which is left), a `)`, a `;;` or the end.
    fn list(&mut self, ends: &[&str]) -> Parsed {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(self.unclear("is nested too deeply"));
        }
        let mut nodes = Vec::new();
        loop {
            self.skip_ends();
            let closed = self.peek().is_none() || self.is_operator(")") || self.is_operator(";;");
            if closed || self.keyword().is_some_and(|word| ends.contains(&word)) {
                self.depth -= 1;
                return Ok(Node::List(nodes));
            }
            nodes.push(self.and_or()?);
            let ended = self.peek().is_none() || [";", "\n", "&", ")", ";;"].iter().any(|sign| self.is_operator(sign));
            if !ended && !self.keyword().is_some_and(|word| ends.contains(&word)) {
                return Err(self.unclear("stands behind a whole command"));
            }
        }
    }

    fn and_or(&mut self) -> Parsed {
        let mut left = self.pipe()?;
        loop {
            if self.take_operator("&&") {
                self.skip_newlines();
                left = Node::And(Box::new(left), Box::new(self.pipe()?));
            } else if self.take_operator("||") {
                self.skip_newlines();
                left = Node::Or(Box::new(left), Box::new(self.pipe()?));
            } else {
                return Ok(left);
            }
        }
    }

    fn pipe(&mut self) -> Parsed {
        let not = self.keyword() == Some("!");
        if not {
            self.next();
        }
        let mut nodes = vec![self.command()?];
        while self.take_operator("|") {
            self.skip_newlines();
            nodes.push(self.command()?);
        }
        let node = if nodes.len() == 1 { nodes.remove(0) } else { Node::Pipe(nodes) };
        Ok(if not { Node::Not(Box::new(node)) } else { node })
    }

    fn command(&mut self) -> Parsed {
        if let Some(Token::Sum(text)) = self.peek().cloned() {
            self.next();
            return Ok(Node::Sum(text));
        }
        if self.take_operator("(") {
            let body = self.list(&[])?;
            if !self.take_operator(")") {
                return Err(self.unclear("where \")\" is expected"));
            }
            return self.redirected(body);
        }
        let node = match self.keyword() {
            Some("{") => self.braces()?,
            Some("if") => self.condition()?,
            Some("for") => self.for_loop()?,
            Some("while" | "until") => self.while_loop()?,
            Some("case") => self.case()?,
            Some("[[") => self.test()?,
            Some("function") => return self.function(),
            _ => return self.simple(),
        };
        self.redirected(node)
    }

    /// Redirections behind a whole construct say where its output goes, which nothing here looks at.
    fn redirected(&mut self, node: Node) -> Parsed {
        while let Some(Token::Redirect(_)) = self.peek() {
            self.next();
            self.next();
        }
        Ok(node)
    }

    fn braces(&mut self) -> Parsed {
        self.next();
        let body = self.list(&["}"])?;
        self.expect_keyword("}")?;
        Ok(body)
    }

    fn condition(&mut self) -> Parsed {
        let (line, mut arms, mut otherwise) = (self.line(), Vec::new(), None);
        self.next();
        loop {
            let condition = self.list(&["then"])?;
            self.expect_keyword("then")?;
            arms.push((condition, self.list(&["elif", "else", "fi"])?));
            match self.keyword() {
                Some("elif") => _ = self.next(),
                Some("else") => {
                    self.next();
                    otherwise = Some(Box::new(self.list(&["fi"])?));
                    break;
                }
                _ => break,
            }
        }
        self.expect_keyword("fi")?;
        Ok(Node::If { line, arms, otherwise })
    }

    fn for_loop(&mut self) -> Parsed {
        let line = self.line();
        self.next();
        if let Some(Token::Sum(text)) = self.peek().cloned() {
            self.next();
            let mut parts = text.split(';').map(|part| part.trim().to_owned());
            let parts = [parts.next(), parts.next(), parts.next()].map(Option::unwrap_or_default);
            return Ok(Node::Count { line, parts, body: Box::new(self.body()?) });
        }
        let name = self.keyword().filter(|name| is_name(name)).map(str::to_owned);
        let name = name.ok_or_else(|| self.unclear("where a variable's name is expected"))?;
        self.next();
        self.skip_newlines();
        let mut words = None;
        if self.keyword() == Some("in") {
            self.next();
            let mut found = Vec::new();
            while let Some(Token::Word(word)) = self.peek().cloned() {
                found.push(word);
                self.next();
            }
            words = Some(found);
        }
        Ok(Node::For { line, name, words, body: Box::new(self.body()?) })
    }

    fn while_loop(&mut self) -> Parsed {
        let (line, until) = (self.line(), self.keyword() == Some("until"));
        self.next();
        let condition = Box::new(self.list(&["do"])?);
        Ok(Node::While { line, until, condition, body: Box::new(self.body()?) })
    }

    /// `do … done`, or braces.
    fn body(&mut self) -> Parsed {
        self.skip_ends();
        if self.keyword() == Some("{") {
            return self.braces();
        }
        self.expect_keyword("do")?;
        let body = self.list(&["done"])?;
        self.expect_keyword("done")?;
        Ok(body)
    }

    fn case(&mut self) -> Parsed {
        self.next();
        let Some(Token::Word(word)) = self.next() else {
            return Err(self.unclear("where case needs a word"));
        };
        self.skip_newlines();
        self.expect_keyword("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_newlines();
            if self.keyword() == Some("esac") {
                self.next();
                return Ok(Node::Case { word, arms });
            }
            self.take_operator("(");
            let mut patterns = Vec::new();
            while let Some(Token::Word(pattern)) = self.peek().cloned() {
                self.next();
                patterns.push(pattern);
                self.take_operator("|");
            }
            if !self.take_operator(")") {
                return Err(self.unclear("where a pattern's \")\" is expected"));
            }
            let body = self.list(&["esac"])?;
            self.take_operator(";;");
            arms.push((patterns, body));
        }
    }

    fn test(&mut self) -> Parsed {
        self.next();
        let mut words = Vec::new();
        loop {
            match self.next() {
                Some(Token::Word(word)) if word.plain() == Some("]]") => return Ok(Node::Test(words)),
                Some(Token::Word(word)) => words.push(word),
                _ => return Err(self.unclear("where \"]]\" is expected")),
            }
        }
    }

    /// `function name { … }`, `function name() { … }`.
    fn function(&mut self) -> Parsed {
        self.next();
        let name = self.keyword().map(str::to_owned).ok_or_else(|| self.unclear("where a name is expected"))?;
        self.next();
        if self.take_operator("(") && !self.take_operator(")") {
            return Err(self.unclear("where \")\" is expected"));
        }
        self.function_body(name)
    }

    fn function_body(&mut self, name: String) -> Parsed {
        self.skip_newlines();
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(self.unclear("is nested too deeply"));
        }
        let body = Rc::new(self.command()?);
        self.depth -= 1;
        Ok(Node::Function { name, body })
    }

    fn simple(&mut self) -> Parsed {
        let mut simple = Simple { line: self.line(), ..Simple::default() };
        loop {
            match self.peek().cloned() {
                Some(Token::Word(word)) => {
                    self.next();
                    simple.words.push(word);
                }
                Some(Token::Redirect(sign)) => {
                    self.next();
                    match self.next() {
                        Some(Token::Word(target)) => simple.redirects.push((sign, target)),
                        _ => return Err(self.unclear("where a file is expected")),
                    }
                }
                Some(Token::Operator("(")) => return self.function_or_error(simple),
                _ => break,
            }
        }
        if simple.words.is_empty() && simple.redirects.is_empty() {
            return Err(self.unclear("stands where a command is expected"));
        }
        Ok(Node::Simple(simple))
    }

    /// `name() { … }`.
    fn function_or_error(&mut self, simple: Simple) -> Parsed {
        let name = match simple.words.as_slice() {
            [word] if simple.redirects.is_empty() => word.plain().map(str::to_owned),
            _ => None,
        };
        match name {
            Some(name) if self.take_operator("(") && self.take_operator(")") => self.function_body(name),
            _ => Err(self.unclear("is not understood here")),
        }
    }
}

pub fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a tree might write to pktgen: what cannot be evaluated is only worth a note then.
pub fn may_configure(node: &Node) -> bool {
    match node {
        Node::Simple(simple) => {
            let begins = simple.words.iter().find_map(Word::plain).unwrap_or_default();
            let writes = simple.redirects.iter().any(|(sign, _)| sign.starts_with('>'));
            ["pg", "proc_cmd", "set_", "base_config", "tee", "sudo"].iter().any(|name| begins.starts_with(name))
                || writes && simple.redirects.iter().any(|(_, word)| names_pktgen(word))
        }
        Node::Test(_) | Node::Sum(_) | Node::Function { .. } => false,
        Node::And(a, b) | Node::Or(a, b) => may_configure(a) || may_configure(b),
        Node::Not(node) => may_configure(node),
        Node::Pipe(nodes) | Node::List(nodes) => nodes.iter().any(may_configure),
        Node::For { body, .. } | Node::Count { body, .. } | Node::While { body, .. } => may_configure(body),
        Node::If { arms, otherwise, .. } => {
            arms.iter().any(|(_, body)| may_configure(body)) || otherwise.as_deref().is_some_and(may_configure)
        }
        Node::Case { arms, .. } => arms.iter().any(|(_, body)| may_configure(body)),
    }
}

fn names_pktgen(word: &Word) -> bool {
    word.parts.iter().any(|part| match part {
        Part::Text { text, .. } => text.contains("pktgen"),
        Part::Variable { inside, .. } => inside.to_lowercase().contains("pg"),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructs_are_read() {
        for text in [
            "a && b || c; d &\n! e | f",
            "if a; then b; elif c; then d; else e; fi",
            "for x in 1 2; do a; done; for ((i=0;i<3;i++)); do b; done > /dev/null",
            "for x\ndo\n a\ndone",
            "while a; do b; done",
            "case $x in\n a|b) c ;;\n *) d\nesac",
            "f() { a; }; function g { b; }; function h() { c; }",
            "(a; b) && { c; }",
            "[[ -n \"$a\" && ( $b == c ) ]] && d",
            "x=(1 2) y=3 cmd",
            "",
        ] {
            assert!(parse(text, 1).is_ok(), "{text}: {:?}", parse(text, 1));
        }
    }

    #[test]
    fn what_is_no_script_is_told_with_its_line() {
        for (text, line) in [("a\nif b; then c", 2), ("for 1 in a; do b; done", 1), ("a\n)\n", 2), ("a &&", 1)] {
            assert_eq!(parse(text, 1).expect_err(text).line, line, "{text}");
        }
        assert!(parse(&"(".repeat(500), 1).is_err());
        assert!(parse(&"f() ".repeat(500), 1).is_err());
    }
}
