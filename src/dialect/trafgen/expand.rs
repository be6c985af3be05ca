//! The simple half of the C preprocessor: defines with and without arguments, ifdef and ifndef, known constants.

use std::collections::HashMap;

use super::lex::{Directive, Piece, Place, Token, Word, Wrong};

/// More words than a file can mean: macros that name each other grow without end.
const MOST_TOKENS: usize = 400_000;
const DEEPEST: usize = 32;

/// What trafgen's own stddef.h brings along.
const CONSTANTS: &[(&str, i128)] = &[
    ("ETH_ALEN", 6),
    ("ETH_HLEN", 14),
    ("ETH_P_IP", 0x0800),
    ("ETH_P_ARP", 0x0806),
    ("ETH_P_8021Q", 0x8100),
    ("ETH_P_IPV6", 0x86dd),
    ("ETH_P_MPLS_UC", 0x8847),
    ("ETH_P_8021AD", 0x88a8),
    ("IPPROTO_ICMP", 1),
    ("IPPROTO_TCP", 6),
    ("IPPROTO_UDP", 17),
    ("IPPROTO_ICMPV6", 58),
    ("TCP_FLAG_FIN", 1),
    ("TCP_FLAG_SYN", 2),
    ("TCP_FLAG_RST", 4),
    ("TCP_FLAG_PSH", 8),
    ("TCP_FLAG_ACK", 16),
    ("TCP_FLAG_URG", 32),
    ("TCP_FLAG_ECE", 64),
    ("TCP_FLAG_CWR", 128),
];

/// Tokens with macros put in, and the comments between them.
#[derive(Debug, Default)]
pub struct Expanded {
    pub tokens: Vec<Token>,
    /// How many tokens stand before it, and its text.
    pub comments: Vec<(usize, Place, String)>,
    /// Directives that were not carried out, with why.
    pub left_out: Vec<(Place, String, &'static str)>,
}

#[derive(Debug, Clone)]
struct Macro {
    parameters: Option<Vec<String>>,
    body: Vec<Token>,
}

struct Expander {
    macros: HashMap<String, Macro>,
    /// For every open condition: whether its part is taken, and whether what surrounds it is.
    conditions: Vec<(bool, bool)>,
    out: Expanded,
    pending: Vec<Token>,
    /// Words looked at, empty macros included.
    steps: usize,
}

/// # Errors
/// Macros that grow without end, brackets of a macro that do not close.
pub fn expand(pieces: Vec<Piece>) -> Result<Expanded, Wrong> {
    let mut expander = Expander {
        macros: HashMap::new(),
        conditions: Vec::new(),
        out: Expanded::default(),
        pending: Vec::new(),
        steps: 0,
    };
    for piece in pieces {
        match piece {
            Piece::Directive(directive) => {
                expander.flush()?;
                expander.directive(directive);
            }
            Piece::Token(token) if expander.is_taken() => expander.pending.push(token),
            Piece::Token(_) => {}
            Piece::Comment(place, text) => {
                // A macro's arguments may have comments between them, a packet's name stands before its brace.
                if expander.pending.last().is_none_or(|last| last.word == Word::Sign('}')) {
                    expander.flush()?;
                }
                let before = expander.out.tokens.len() + expander.pending.len();
                expander.out.comments.push((before, place, text));
            }
        }
    }
    expander.flush()?;
    Ok(expander.out)
}

impl Expander {
    fn is_taken(&self) -> bool {
        self.conditions.last().is_none_or(|(taken, around)| *taken && *around)
    }

    fn flush(&mut self) -> Result<(), Wrong> {
        let pending = std::mem::take(&mut self.pending);
        self.put(&pending, &mut Vec::new())
    }

    fn directive(&mut self, directive: Directive) {
        let around = self.is_taken();
        let name = match directive.rest.first() {
            Some(Token { word: Word::Name(name), .. }) => name.clone(),
            _ => String::new(),
        };
        match directive.name.as_str() {
            "ifdef" => self.conditions.push((self.macros.contains_key(&name), around)),
            "ifndef" => self.conditions.push((!self.macros.contains_key(&name), around)),
            "if" => {
                let number = directive.rest.first().map(|token| token.word.clone());
                let known = matches!((&number, directive.rest.len()), (Some(Word::Number(_)), 1));
                if !known && around {
                    self.leave_out(
                        &directive,
                        "only #ifdef, #ifndef and a plain number are worked out: left out up to #else",
                    );
                }
                self.conditions.push((known && number != Some(Word::Number(0)), around));
            }
            "else" => {
                if let Some((taken, _)) = self.conditions.last_mut() {
                    *taken = !*taken;
                }
            }
            "elif" => {
                if let Some((taken, _)) = self.conditions.last_mut() {
                    *taken = false;
                }
                self.leave_out(&directive, "its part is left out");
            }
            "endif" => _ = self.conditions.pop(),
            _ if !around => {}
            "define" => self.define(&name, directive),
            "undef" => _ = self.macros.remove(&name),
            "include" => {
                self.leave_out(&directive, "other files are not read; the constants of trafgen's stddef.h are known");
            }
            _ => self.leave_out(&directive, "has no meaning here"),
        }
    }

    fn leave_out(&mut self, directive: &Directive, why: &'static str) {
        self.out.left_out.push((directive.place, format!("#{}", directive.name), why));
    }

    fn define(&mut self, name: &str, directive: Directive) {
        let mut rest = directive.rest.into_iter().skip(1).peekable();
        let mut parameters = None;
        if directive.is_function {
            let mut names = Vec::new();
            for token in rest.by_ref().skip(1) {
                match token.word {
                    Word::Sign(')') => break,
                    Word::Name(name) => names.push(name),
                    _ => {}
                }
            }
            parameters = Some(names);
        }
        self.macros.insert(name.to_string(), Macro { parameters, body: rest.collect() });
    }

    /// Tokens into the output, macros replaced; `open` are the macros being replaced already, which stay names.
    fn put(&mut self, tokens: &[Token], open: &mut Vec<String>) -> Result<(), Wrong> {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            self.steps += 1;
            if self.out.tokens.len() >= MOST_TOKENS || self.steps >= 4 * MOST_TOKENS {
                return Err((token.place, format!("macros make more than {MOST_TOKENS} words of this file")));
            }
            let Word::Name(name) = &token.word else {
                self.out.tokens.push(token.clone());
                continue;
            };
            let known = self.macros.get(name).filter(|_| !open.contains(name) && open.len() < DEEPEST).cloned();
            let Some(known) = known else {
                let constant = CONSTANTS.iter().find(|(constant, _)| constant == name);
                let word = constant.map_or_else(|| token.word.clone(), |(_, value)| Word::Number(*value));
                self.out.tokens.push(Token { word, place: token.place });
                continue;
            };
            let body = match &known.parameters {
                None => known.body.clone(),
                Some(parameters) => {
                    let (arguments, used) = arguments(&tokens[at..], token.place)?;
                    at += used;
                    filled(&known.body, parameters, &arguments)
                }
            };
            if body.len() > MOST_TOKENS {
                return Err((token.place, format!("macros make more than {MOST_TOKENS} words of this file")));
            }
            // Messages point to where the macro is used.
            let body: Vec<Token> = body.into_iter().map(|inner| Token { place: token.place, ..inner }).collect();
            open.push(name.clone());
            self.put(&body, open)?;
            open.pop();
        }
        Ok(())
    }
}

/// The arguments between the brackets that follow, and how many tokens they take.
fn arguments(tokens: &[Token], place: Place) -> Result<(Vec<Vec<Token>>, usize), Wrong> {
    if tokens.first().map(|token| &token.word) != Some(&Word::Sign('(')) {
        return Ok((Vec::new(), 0));
    }
    let (mut arguments, mut depth) = (vec![Vec::new()], 0);
    for (used, token) in tokens.iter().enumerate() {
        match &token.word {
            Word::Sign('(') => depth += 1,
            Word::Sign(')') => depth -= 1,
            _ => {}
        }
        match (&token.word, depth) {
            (Word::Sign(')'), 0) => return Ok((arguments, used + 1)),
            (Word::Sign('('), 1) => {}
            (Word::Sign(','), 1) => arguments.push(Vec::new()),
            _ => arguments.last_mut().map_or((), |last| last.push(token.clone())),
        }
    }
    Err((place, "the brackets of this macro do not close".into()))
}

fn filled(body: &[Token], parameters: &[String], arguments: &[Vec<Token>]) -> Vec<Token> {
    let mut out = Vec::new();
    for token in body {
        let place = match &token.word {
            Word::Name(name) => parameters.iter().position(|parameter| parameter == name),
            _ => None,
        };
        match place {
            Some(at) => out.extend(arguments.get(at).into_iter().flatten().cloned()),
            None => out.push(token.clone()),
        }
        if out.len() > MOST_TOKENS {
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{super::lex::pieces, *};

    fn words(text: &str) -> String {
        let expanded = expand(pieces(text).expect("words")).expect("expanded");
        let shown = |token: &Token| match &token.word {
            Word::Number(number) => number.to_string(),
            Word::Name(name) => name.clone(),
            Word::Sign(sign) => sign.to_string(),
            other => format!("{other:?}"),
        };
        expanded.tokens.iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn defines_are_put_in_as_words() {
        assert_eq!(words("#define A 1472\n#define B A + 8 /* bytes */\nB + 20"), "1472 + 8 + 20");
        assert_eq!(words("#define M(x, y) x + y\nM((1 + 2), 3)"), "( 1 + 2 ) + 3");
        assert_eq!(words("#define A 1\n#undef A\nA ETH_P_IP"), "A 2048");
        assert_eq!(words("#define A A B\n#define B A\nA"), "A A", "no macro within itself");
    }

    #[test]
    fn conditions_choose() {
        assert_eq!(words("#ifndef A\n#define A 1\n#endif\n#ifdef A\n2\n#else\n3\n#endif\nA"), "2 1");
        assert_eq!(words("#ifdef X\n#ifndef Y\n1\n#endif\n2\n#else\n3\n#endif"), "3");
        assert_eq!(words("#if 0\n1\n#endif\n2"), "2");
    }

    #[test]
    fn macros_that_grow_without_end_are_refused() {
        let mut text = String::from("#define A0 1,1,1,1,1,1,1,1\n");
        for n in 1..20 {
            let last = n - 1;
            text.push_str(&format!("#define A{n} A{last} A{last} A{last} A{last} A{last} A{last}\n"));
        }
        text.push_str("A19");
        let wrong = expand(pieces(&text).expect("words")).map(|_| ()).expect_err("too many");
        assert_eq!(wrong.0.line, 21);
    }
}
