//! Shell text cut into words and operators, each with its line. Nothing is expanded here.

/// A piece of a word.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Text {
        text: String,
        quoted: bool,
    },
    /// What stands inside `${…}` or behind `$`.
    Variable {
        inside: String,
        quoted: bool,
    },
    /// `$(…)` and backticks.
    Command {
        script: String,
        quoted: bool,
    },
    /// `$((…))` and `$[…]`.
    Sum(String),
    /// `(…)` behind an assignment's `=`: the words of an array.
    Array(String),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Word {
    pub parts: Vec<Part>,
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Word(Word),
    /// `;`, `&&`, `||`, `|`, `&`, `(`, `)`, `;;` and the end of a line as `\n`.
    Operator(&'static str),
    /// `>`, `>>`, `<`, `<<<`, `>&`, …: the next word is its target.
    Redirect(&'static str),
    /// `((…))`.
    Sum(String),
}

/// Why a text is no shell script.
#[derive(Debug, Clone, PartialEq)]
pub struct Unclear {
    pub line: usize,
    pub what: String,
}

impl Word {
    /// The text of a word without anything to expand and without quotes: keywords, names.
    pub fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Text { text, quoted: false }] => Some(text),
            _ => None,
        }
    }
}

const OPERATORS: [&str; 9] = ["&&", "||", ";;", ";", "|", "&", "(", ")", "\n"];
const REDIRECTS: [&str; 10] = ["<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"];

/// All tokens of a text with their lines; `line` is the number of its first one.
pub fn tokens(text: &str, line: usize) -> Result<Vec<(Token, usize)>, Unclear> {
    let letters = text.chars().collect();
    let mut lexer = Lexer { letters, at: 0, line, out: Vec::new(), in_test: false, here: Vec::new() };
    lexer.run()?;
    Ok(lexer.out)
}

struct Lexer {
    letters: Vec<char>,
    at: usize,
    line: usize,
    out: Vec<(Token, usize)>,
    /// Between `[[` and `]]`, where operators are words.
    in_test: bool,
    /// Ends of the here-documents that begin on the next line.
    here: Vec<String>,
}

impl Lexer {
    fn run(&mut self) -> Result<(), Unclear> {
        while self.at < self.letters.len() {
            match self.letters[self.at] {
                ' ' | '\t' | '\r' => self.at += 1,
                '\\' if self.starts_with("\\\n") || self.starts_with("\\\r\n") => self.skip_continuation(),
                '#' => self.skip_comment(),
                '\n' if self.in_test => self.newline(),
                '\n' => {
                    self.push(Token::Operator("\n"));
                    self.newline();
                    self.skip_here_documents();
                }
                _ => self.token()?,
            }
        }
        Ok(())
    }

    fn token(&mut self) -> Result<(), Unclear> {
        if self.in_test {
            return self.test_word();
        }
        if self.starts_with("((") {
            let line = self.line;
            self.at += 2;
            let text = self.until_closing('(', ')', 2, line)?;
            self.out.push((Token::Sum(text), line));
            return Ok(());
        }
        if let Some(redirect) = self.redirect() {
            self.push(Token::Redirect(redirect));
            return if redirect == "<<" || redirect == "<<-" { self.here_document() } else { Ok(()) };
        }
        if let Some(operator) = OPERATORS.into_iter().find(|operator| self.starts_with(operator)) {
            self.at += operator.len();
            self.push(Token::Operator(operator));
            return Ok(());
        }
        let start = self.at;
        let word = self.word(|c| c.is_whitespace() || ";&|()<>".contains(c))?;
        if self.at == start {
            // Blanks that only Unicode knows, and whatever else no word begins with.
            self.at += 1;
            return Ok(());
        }
        self.in_test = word.plain() == Some("[[");
        let line = word.line;
        self.out.push((Token::Word(word), line));
        Ok(())
    }

    fn test_word(&mut self) -> Result<(), Unclear> {
        let operator = ["&&", "||", "(", ")", "<", ">"].into_iter().find(|operator| self.starts_with(operator));
        if let Some(operator) = operator {
            let part = Part::Text { text: operator.into(), quoted: false };
            self.at += operator.len();
            self.push(Token::Word(Word { parts: vec![part], line: self.line }));
            return Ok(());
        }
        let word = self.word(|c| c.is_whitespace() || ";&|()<>".contains(c))?;
        if word.parts.is_empty() {
            // A letter that no word of a test begins with.
            self.at += 1;
            return Ok(());
        }
        self.in_test = word.plain() != Some("]]");
        let line = word.line;
        self.out.push((Token::Word(word), line));
        Ok(())
    }

    /// `2>`, `&>` and plain ones; a file descriptor's number is of no use here.
    fn redirect(&mut self) -> Option<&'static str> {
        let digits = self.letters[self.at..].iter().take_while(|c| c.is_ascii_digit()).count();
        let ahead = self.letters.get(self.at + digits);
        let skip = match ahead {
            Some('<' | '>') => digits,
            Some('&') if digits == 0 && self.letters.get(self.at + 1) == Some(&'>') => 1,
            _ => return None,
        };
        let start = self.at;
        self.at += skip;
        // `$(`-like things behind `<(` are process substitutions: left to the word that follows.
        match REDIRECTS.into_iter().find(|redirect| self.starts_with(redirect)) {
            Some(redirect) => {
                self.at += redirect.len();
                Some(redirect)
            }
            None => {
                self.at = start;
                None
            }
        }
    }

    fn here_document(&mut self) -> Result<(), Unclear> {
        while matches!(self.letters.get(self.at), Some(' ' | '\t')) {
            self.at += 1;
        }
        let word = self.word(|c| c.is_whitespace() || ";&|()<>".contains(c))?;
        let texts = word.parts.iter().map(|part| if let Part::Text { text, .. } = part { text.as_str() } else { "" });
        self.here.push(texts.collect());
        let line = word.line;
        self.out.push((Token::Word(word), line));
        Ok(())
    }

    fn skip_here_documents(&mut self) {
        for end in std::mem::take(&mut self.here) {
            while self.at < self.letters.len() {
                let line: String = self.letters[self.at..].iter().take_while(|c| **c != '\n').collect();
                self.at += line.chars().count();
                if self.at < self.letters.len() {
                    self.newline();
                }
                if line.trim() == end {
                    break;
                }
            }
        }
    }

    fn word(&mut self, ends: impl Fn(char) -> bool) -> Result<Word, Unclear> {
        let mut word = Word { parts: Vec::new(), line: self.line };
        while let Some(&letter) = self.letters.get(self.at) {
            match letter {
                '\\' if self.starts_with("\\\n") => self.skip_continuation(),
                '\\' => {
                    let escaped = self.letters.get(self.at + 1).copied().unwrap_or('\\');
                    word.text(escaped, true);
                    self.at += 2;
                }
                '\'' => {
                    self.at += 1;
                    let text = self.until('\'', word.line)?;
                    word.parts.push(Part::Text { text, quoted: true });
                }
                '"' => self.double_quoted(&mut word)?,
                '$' | '`' => self.expansion(&mut word, false)?,
                '(' if word.is_assignment() => {
                    self.at += 1;
                    let line = self.line;
                    let inside = self.until_closing('(', ')', 1, line)?;
                    word.parts.push(Part::Array(inside));
                }
                _ if ends(letter) => break,
                _ => {
                    word.text(letter, false);
                    self.at += 1;
                }
            }
        }
        Ok(word)
    }

    fn double_quoted(&mut self, word: &mut Word) -> Result<(), Unclear> {
        let line = self.line;
        self.at += 1;
        word.parts.push(Part::Text { text: String::new(), quoted: true });
        loop {
            match self.letters.get(self.at) {
                None => return Err(Unclear { line, what: "a quote \" that is never closed".into() }),
                Some('"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some('\\') => {
                    match self.letters.get(self.at + 1) {
                        Some('\n') => self.line += 1,
                        Some(&escaped @ ('"' | '\\' | '$' | '`')) => word.text(escaped, true),
                        Some(&other) => {
                            word.text('\\', true);
                            word.text(other, true);
                        }
                        None => {}
                    }
                    self.at += 2;
                }
                Some('$' | '`') => self.expansion(word, true)?,
                Some(&letter) => {
                    self.line += usize::from(letter == '\n');
                    word.text(letter, true);
                    self.at += 1;
                }
            }
        }
    }

    fn expansion(&mut self, word: &mut Word, quoted: bool) -> Result<(), Unclear> {
        let line = self.line;
        if self.letters[self.at] == '`' {
            self.at += 1;
            let script = self.until('`', line)?;
            word.parts.push(Part::Command { script, quoted });
        } else if self.starts_with("$((") {
            self.at += 3;
            let text = self.until_closing('(', ')', 2, line)?;
            word.parts.push(Part::Sum(text));
        } else if self.starts_with("$[") {
            self.at += 2;
            let text = self.until_closing('[', ']', 1, line)?;
            word.parts.push(Part::Sum(text));
        } else if self.starts_with("$(") {
            self.at += 2;
            let script = self.until_closing('(', ')', 1, line)?;
            word.parts.push(Part::Command { script, quoted });
        } else if self.starts_with("${") {
            self.at += 2;
            let inside = self.until_closing('{', '}', 1, line)?;
            word.parts.push(Part::Variable { inside, quoted });
        } else {
            self.plain_variable(word, quoted);
        }
        Ok(())
    }

    fn plain_variable(&mut self, word: &mut Word, quoted: bool) {
        self.at += 1;
        let rest = &self.letters[self.at..];
        let length = match rest.first() {
            Some(c) if c.is_ascii_alphabetic() || *c == '_' => {
                rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').count()
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(*c) => 1,
            _ => 0,
        };
        if length == 0 {
            word.text('$', quoted);
            return;
        }
        let inside: String = rest[..length].iter().collect();
        self.at += length;
        word.parts.push(Part::Variable { inside, quoted });
    }

    /// Up to `end`, which is skipped.
    fn until(&mut self, end: char, from: usize) -> Result<String, Unclear> {
        let rest = &self.letters[self.at..];
        let Some(length) = rest.iter().position(|c| *c == end) else {
            return Err(Unclear { line: from, what: format!("a quote {end} that is never closed") });
        };
        let text: String = rest[..length].iter().collect();
        self.line += text.matches('\n').count();
        self.at += length + 1;
        Ok(text)
    }

    /// Up to the `depth` closing signs that match those already read; quotes inside are respected.
    fn until_closing(&mut self, open: char, close: char, depth: usize, from: usize) -> Result<String, Unclear> {
        let (mut level, mut text, mut quote) = (depth, String::new(), None);
        while let Some(&letter) = self.letters.get(self.at) {
            self.at += 1;
            self.line += usize::from(letter == '\n');
            match quote {
                Some(sign) if letter == sign => quote = None,
                Some(_) => {}
                None if letter == '\'' || letter == '"' => quote = Some(letter),
                None if letter == open => level += 1,
                None if letter == close => level -= 1,
                None => {}
            }
            if letter == '\\' && quote != Some('\'') {
                text.push(letter);
                if let Some(&escaped) = self.letters.get(self.at) {
                    text.push(escaped);
                    self.at += 1;
                }
                continue;
            }
            if level == 0 {
                // Of `))` the first sign was taken for text.
                text.truncate(text.len() - (depth - 1) * close.len_utf8());
                return Ok(text);
            }
            text.push(letter);
        }
        Err(Unclear { line: from, what: format!("a {open} that is never closed") })
    }

    fn push(&mut self, token: Token) {
        self.out.push((token, self.line));
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line += 1;
    }

    fn skip_continuation(&mut self) {
        while self.letters.get(self.at).is_some_and(|c| *c != '\n') {
            self.at += 1;
        }
        self.newline();
    }

    fn skip_comment(&mut self) {
        while self.letters.get(self.at).is_some_and(|c| *c != '\n') {
            self.at += 1;
        }
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(n, c)| self.letters.get(self.at + n) == Some(&c))
    }
}

impl Word {
    fn text(&mut self, letter: char, quoted: bool) {
        match self.parts.last_mut() {
            Some(Part::Text { text, quoted: before }) if *before == quoted => text.push(letter),
            _ => self.parts.push(Part::Text { text: letter.into(), quoted }),
        }
    }

    /// Ends in `name=` with nothing behind it yet.
    fn is_assignment(&self) -> bool {
        matches!(self.parts.as_slice(), [Part::Text { text, quoted: false }] if text.ends_with('='))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Vec<String> {
        let shown = |token: &Token| match token {
            Token::Word(word) => format!("{:?}", word.parts.len()),
            Token::Operator(sign) | Token::Redirect(sign) => sign.escape_default().to_string(),
            Token::Sum(text) => format!("(({text}))"),
        };
        tokens(text, 1).expect("a script").iter().map(|(token, _)| shown(token)).collect()
    }

    #[test]
    fn words_and_operators_are_told_apart() {
        assert_eq!(plain("a&&b||c;d|e # no\nf"), ["1", "&&", "1", "||", "1", ";", "1", "|", "1", "\\n", "1"]);
        assert_eq!(plain("echo \"a $b\" > /x 2>&1 <<< $(x \"(\")"), ["1", "2", ">", "1", ">&", "1", "<<<", "1"]);
        assert_eq!(plain("for ((i = 0; i < (3); i++)); do"), ["1", "((i = 0; i < (3); i++))", ";", "1"]);
        assert_eq!(plain("[[ $a -gt 0 && $b < 3 ]] && x"), ["1", "1", "1", "1", "1", "1", "1", "1", "1", "&&", "1"]);
    }

    #[test]
    fn lines_are_counted_through_quotes_and_continuations() {
        let found = tokens("a \\\n b 'x\ny' c\nd", 1).expect("a script");
        let lines: Vec<usize> = found.iter().map(|(_, line)| *line).collect();
        assert_eq!(lines, [1, 2, 2, 3, 3, 4]);
    }

    #[test]
    fn here_documents_are_skipped() {
        assert_eq!(plain("cat <<EOF\necho \"x\nEOF\nb"), ["1", "<<", "1", "\\n", "1"]);
    }

    #[test]
    fn blanks_of_all_kinds_are_blanks() {
        assert_eq!(plain("a\u{a0}b \u{2003} \u{b}c"), ["1", "1", "1"]);
        assert_eq!(plain("[[ \u{a0} ]]"), ["1", "1"]);
    }

    #[test]
    fn what_is_never_closed_is_named() {
        for (text, line) in [("a\n\"b", 2), ("$(x", 1), ("`x", 1), ("${x", 1), ("((1", 1)] {
            assert_eq!(tokens(text, 1).expect_err(text).line, line, "{text}");
        }
    }
}
