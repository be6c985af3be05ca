//! Walks the tree of a script and collects what it would write to pktgen.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use crate::dialect::{Given, Refused, Report};

use super::{
    UNKNOWN, Write,
    lex::Word,
    parse::{Node, Simple, may_configure, parse},
    samples,
    test::{Status, holds, matches},
    variables::assigned,
};

/// Everything a script would write, in order.
#[derive(Debug, Default)]
pub struct Outcome {
    pub writes: Vec<Write>,
    /// Variables that the script needs and nobody gave, by name.
    pub missing: BTreeSet<String>,
}

/// Commands evaluated before a script is given up: no set-up needs more, an endless loop does.
const MOST_STEPS: u32 = 400_000;
/// Text of this length costs as much as a command.
const BYTES_A_STEP: usize = 64;
/// Functions and substitutions inside each other.
const MOST_DEPTH: usize = 24;

/// # Errors
/// Text that is no shell script, a script that ends itself with an error, or one that never ends.
pub fn evaluate(file: &str, text: &str, given: &Given, report: &mut Report) -> Result<Outcome, Refused> {
    let tree = parse(text, 1).map_err(|why| Refused::at(file, why.line, format!("no shell script: {}", why.what)))?;
    let mut shell = Shell {
        lines: text.lines().collect(),
        variables: BTreeMap::new(),
        functions: BTreeMap::new(),
        arguments: vec![given.arguments.clone()],
        calls: Vec::new(),
        report,
        outcome: Outcome::default(),
        line: 1,
        steps: 0,
        depth: 0,
        captures: Vec::new(),
    };
    match shell.run(&tree) {
        Err(Stop::Failed(line, reason)) => Err(Refused::at(file, line, reason)),
        _ => Ok(shell.outcome),
    }
}

/// A script under evaluation.
pub(super) struct Shell<'a> {
    /// Of the script, for notes.
    lines: Vec<&'a str>,
    pub(super) variables: BTreeMap<String, Vec<String>>,
    functions: BTreeMap<String, Rc<Node>>,
    /// Positional parameters, of the script and of each function that is running.
    pub(super) arguments: Vec<Vec<String>>,
    /// Where each function that is running was called.
    calls: Vec<usize>,
    pub(super) report: &'a mut Report,
    pub(super) outcome: Outcome,
    /// Of the command that runs now.
    pub(super) line: usize,
    steps: u32,
    depth: usize,
    /// What `$(…)` collects, innermost last.
    captures: Vec<String>,
}

/// Why the next command does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    Exit,
    Return(Status),
    Break,
    Continue,
    Failed(usize, String),
}

pub(super) type Ran = Result<Status, Stop>;

impl<'a> Shell<'a> {
    pub(super) fn run(&mut self, node: &Node) -> Ran {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Stop::Failed(self.line, "this goes on for ever, or nearly so: it is not followed".into()));
        }
        match node {
            Node::Simple(simple) => self.simple(simple),
            Node::Test(words) => {
                // Nothing is split between [[ and ]].
                let words: Vec<String> = words.iter().map(|word| self.text(word)).collect();
                Ok(holds(&words))
            }
            Node::Sum(text) => Ok(self.sum(text).map_or(Status::Unknown, |value| Status::of(value != 0))),
            Node::And(left, right) => match self.run(left)? {
                Status::True => self.run(right),
                Status::False => Ok(Status::False),
                Status::Unknown => self.unclear(right),
            },
            Node::Or(left, right) => match self.run(left)? {
                Status::True => Ok(Status::True),
                Status::False => self.run(right),
                Status::Unknown => self.unclear(right),
            },
            Node::Not(node) => self.run(node).map(Status::not),
            Node::Pipe(nodes) => self.pipe(nodes),
            Node::List(nodes) => nodes.iter().try_fold(Status::True, |_, node| self.run(node)),
            Node::Function { name, body } => {
                self.functions.insert(name.clone(), Rc::clone(body));
                Ok(Status::True)
            }
            Node::For { line, name, words, body } => self.for_each(*line, name, words.as_deref(), body),
            Node::Count { line, parts, body } => self.count(*line, parts, body),
            Node::While { line, until, condition, body } => self.while_loop(*line, *until, condition, body),
            Node::If { arms, otherwise, line } => self.condition(*line, arms, otherwise.as_deref()),
            Node::Case { word, arms } => self.case(word, arms),
        }
    }

    /// Long texts cost as much as many commands, or a few lines could take for ever.
    pub(super) fn spend(&mut self, bytes: usize) {
        self.steps = self.steps.saturating_add((bytes / BYTES_A_STEP) as u32);
    }

    /// What depends on something unknown is left out, and named if it would configure pktgen.
    fn unclear(&mut self, node: &Node) -> Ran {
        if may_configure(node) {
            self.note_unclear(self.line);
        }
        Ok(Status::Unknown)
    }

    fn note_unclear(&mut self, line: usize) {
        let text = self.source(line).to_owned();
        let sentence = "whether this happens depends on the machine the script runs on; it was left out";
        self.report.dropped(line, &text, sentence);
    }

    fn condition(&mut self, line: usize, arms: &[(Node, Node)], otherwise: Option<&Node>) -> Ran {
        for (condition, body) in arms {
            match self.run(condition)? {
                Status::True => return self.run(body),
                Status::False => {}
                Status::Unknown => {
                    let any = arms.iter().any(|(_, body)| may_configure(body)) || otherwise.is_some_and(may_configure);
                    if any {
                        self.note_unclear(line);
                    }
                    return Ok(Status::Unknown);
                }
            }
        }
        otherwise.map_or(Ok(Status::True), |body| self.run(body))
    }

    fn case(&mut self, word: &Word, arms: &[(Vec<Word>, Node)]) -> Ran {
        let text = self.text(word);
        for (patterns, body) in arms {
            let mut found = false;
            for pattern in patterns {
                found |= matches(&text, &self.text(pattern));
            }
            if found {
                return self.run(body);
            }
        }
        Ok(Status::True)
    }

    fn for_each(&mut self, line: usize, name: &str, words: Option<&[Word]>, body: &Node) -> Ran {
        self.line = line;
        let items = match words {
            Some(words) => self.fields(words),
            None => self.positional().to_vec(),
        };
        if items.iter().any(|item| item.contains(UNKNOWN)) {
            return self.unclear(body);
        }
        for item in items {
            self.assign(name, vec![item]);
            match self.run(body) {
                Err(Stop::Break) => break,
                Err(Stop::Continue) | Ok(_) => {}
                stop => return stop,
            }
        }
        Ok(Status::True)
    }

    fn count(&mut self, line: usize, parts: &[String; 3], body: &Node) -> Ran {
        self.line = line;
        let [first, condition, next] = parts;
        self.sum(first);
        loop {
            match if condition.is_empty() { Some(1) } else { self.sum(condition) } {
                Some(0) => return Ok(Status::True),
                Some(_) => {}
                None => return self.unclear(body),
            }
            match self.run(body) {
                Err(Stop::Break) => return Ok(Status::True),
                Err(Stop::Continue) | Ok(_) => {}
                stop => return stop,
            }
            self.sum(next);
        }
    }

    fn while_loop(&mut self, line: usize, until: bool, condition: &Node, body: &Node) -> Ran {
        loop {
            self.line = line;
            let status = self.run(condition)?;
            match if until { status.not() } else { status } {
                Status::True => {}
                Status::False => return Ok(Status::True),
                Status::Unknown => return self.unclear(body),
            }
            match self.run(body) {
                Err(Stop::Break) => return Ok(Status::True),
                Err(Stop::Continue) | Ok(_) => {}
                stop => return stop,
            }
        }
    }

    /// Of pipes only `… | tee FILE` writes to pktgen.
    fn pipe(&mut self, nodes: &[Node]) -> Ran {
        let Some((last, before)) = nodes.split_last() else { return Ok(Status::True) };
        self.captures.push(String::new());
        let mut ran = Ok(Status::True);
        for node in before {
            ran = self.run(node);
        }
        let text = self.captures.pop().unwrap_or_default();
        ran?;
        if let Node::Simple(simple) = last {
            let words = self.fields(&simple.words);
            let words: Vec<&str> = words.iter().map(String::as_str).skip_while(|word| *word == "sudo").collect();
            if let ["tee", files @ ..] = words.as_slice() {
                self.line = simple.line;
                for file in files.iter().filter(|file| !file.starts_with('-')) {
                    self.write_lines(file, &text);
                }
                return Ok(Status::True);
            }
        }
        self.put(&UNKNOWN.to_string());
        Ok(Status::Unknown)
    }

    fn simple(&mut self, simple: &Simple) -> Ran {
        self.line = simple.line;
        let assignments = simple.words.iter().take_while(|word| assigned(word).is_some()).count();
        let is_command = simple.words.len() > assignments;
        // In front of a command they hold for that command only.
        let before = is_command.then(|| self.variables.get("IFS").cloned());
        for word in &simple.words[..assignments] {
            self.assignment(word);
        }
        if let Some((_, words)) = simple.redirects.iter().find(|(sign, _)| *sign == "<<<") {
            let text = self.text(&words.clone());
            self.assign("<<<", vec![text]);
        }
        let words = self.fields(&simple.words[assignments..]);
        self.line = simple.line;
        let ran = self.expanded(simple, assignments, &words);
        self.variables.remove("<<<");
        match before {
            Some(Some(values)) => self.assign("IFS", values),
            Some(None) => _ = self.variables.remove("IFS"),
            None => {}
        }
        ran
    }

    fn expanded(&mut self, simple: &Simple, assignments: usize, words: &[String]) -> Ran {
        let Some((name, arguments)) = words.split_first() else {
            return Ok(Status::True);
        };
        // Those that assign see their words whole, for nothing is split there.
        if ["export", "local", "declare", "readonly", "typeset"].contains(&name.as_str()) {
            for word in &simple.words[assignments + 1..] {
                self.assignment(word);
            }
            return Ok(Status::True);
        }
        let target = self.target(simple);
        self.command(name, arguments, target.as_deref())
    }

    /// Where the output goes, unless to another descriptor.
    fn target(&mut self, simple: &Simple) -> Option<String> {
        let to_file = simple.redirects.iter().rev().find(|(sign, _)| [">", ">>", ">|"].contains(sign));
        let (_, word) = to_file?;
        Some(self.text(&word.clone()))
    }

    /// One command with its words expanded.
    pub(super) fn command(&mut self, name: &str, arguments: &[String], target: Option<&str>) -> Ran {
        if let Some(ran) = samples::call(self, name, arguments) {
            return ran;
        }
        if let Some(body) = self.functions.get(name).cloned() {
            return self.function(&body, arguments);
        }
        match name {
            "echo" | "printf" => {
                self.echo(name, arguments, target);
                Ok(Status::True)
            }
            ":" | "true" | "set" | "shopt" | "trap" | "cd" | "umask" | "wait" | "sleep" | "sync" => Ok(Status::True),
            "false" => Ok(Status::False),
            "[" | "test" => {
                let words = arguments.strip_suffix(&["]".to_owned()]).unwrap_or(arguments);
                Ok(holds(words))
            }
            "exit" => Err(self.exit(arguments)),
            "return" => Err(Stop::Return(Status::of(arguments.first().is_none_or(|code| code == "0")))),
            "break" => Err(Stop::Break),
            "continue" => Err(Stop::Continue),
            "unset" => {
                arguments.iter().for_each(|name| _ = self.variables.remove(name));
                Ok(Status::True)
            }
            "shift" => {
                self.shift(arguments);
                Ok(Status::True)
            }
            "let" => Ok(self.sum(&arguments.join(" ")).map_or(Status::Unknown, |value| Status::of(value != 0))),
            "sudo" | "command" | "exec" | "nohup" | "time" => {
                let rest = arguments.iter().position(|word| !word.starts_with('-')).unwrap_or(arguments.len());
                match arguments[rest..].split_first() {
                    Some((name, arguments)) => self.command(name, arguments, target),
                    None => Ok(Status::True),
                }
            }
            "sh" | "bash" if arguments.first().is_some_and(|word| word == "-c") => self.nested(&arguments[1..]),
            "source" | "." => Ok(self.source_file(arguments)),
            "seq" => self.sequence(arguments),
            _ => self.foreign(name, target),
        }
    }

    /// A program of the machine: assumed to work, its output unknown.
    fn foreign(&mut self, name: &str, target: Option<&str>) -> Ran {
        self.put(&UNKNOWN.to_string());
        let reads = ["cat", "grep", "fgrep", "egrep", "head", "tail", "dirname", "basename", "modprobe", "date", "awk"];
        let is_pktgen = target.is_some_and(|target| target.contains("/proc/net/pktgen"));
        if is_pktgen || (self.captures.is_empty() && !reads.contains(&name)) {
            let text = self.source(self.line).to_owned();
            self.report.dropped(self.line, &text, "a command of the machine: nothing of a script is executed");
        }
        Ok(if self.captures.is_empty() { Status::True } else { Status::Unknown })
    }

    fn function(&mut self, body: &Rc<Node>, arguments: &[String]) -> Ran {
        self.enter()?;
        self.arguments.push(arguments.to_vec());
        self.calls.push(self.line);
        let ran = self.run(body);
        self.calls.pop();
        self.arguments.pop();
        self.depth -= 1;
        match ran {
            Err(Stop::Return(status)) => Ok(status),
            other => other,
        }
    }

    fn enter(&mut self) -> Result<(), Stop> {
        self.depth += 1;
        match self.depth > MOST_DEPTH {
            true => Err(Stop::Failed(self.line, "functions call each other too deeply to be followed".into())),
            false => Ok(()),
        }
    }

    /// `sh -c 'text'`.
    fn nested(&mut self, arguments: &[String]) -> Ran {
        let Some(text) = arguments.first() else { return Ok(Status::True) };
        let line = self.line;
        let Ok(tree) = parse(text, line) else { return Ok(Status::Unknown) };
        self.function(&Rc::new(tree), arguments.get(2..).unwrap_or_default())
    }

    /// What `$(script)` would print, as far as it can be known.
    pub(super) fn captured(&mut self, script: &str) -> String {
        let Ok(tree) = parse(script, self.line) else { return UNKNOWN.into() };
        if self.enter().is_err() {
            return UNKNOWN.into();
        }
        self.captures.push(String::new());
        let ran = self.run(&tree);
        self.depth -= 1;
        let text = self.captures.pop().unwrap_or_default();
        match ran {
            Err(Stop::Failed(..)) => UNKNOWN.into(),
            _ if text.contains(UNKNOWN) => UNKNOWN.into(),
            _ => text.trim_end_matches('\n').to_owned(),
        }
    }

    /// Prints, into what is being captured; elsewhere nobody sees it.
    pub(super) fn put(&mut self, text: &str) {
        if let Some(capture) = self.captures.last_mut().filter(|capture| capture.len() < 1 << 20) {
            capture.push_str(text);
            capture.push('\n');
        }
    }

    fn echo(&mut self, name: &str, arguments: &[String], target: Option<&str>) {
        let options = arguments.iter().take_while(|word| ["-n", "-e", "-en", "-ne", "-E"].contains(&word.as_str()));
        let mut text = arguments[options.count()..].join(" ");
        if name == "printf" {
            let trimmed = text.replace("\\n", "\n");
            text = if trimmed.contains('%') { UNKNOWN.into() } else { trimmed.trim_end_matches('\n').to_owned() };
        }
        match target {
            None => self.put(&text),
            Some(file) => self.write_lines(file, &text),
        }
    }

    /// Each line would be a command of its own only with a write of its own; `echo` makes one.
    fn write_lines(&mut self, file: &str, text: &str) {
        let name = match file.split("/proc/net/pktgen/").nth(1) {
            Some(name) => name.trim().to_owned(),
            // PGDEV was never set, or set from something unknown.
            None if file.is_empty() || file.contains(UNKNOWN) => UNKNOWN.into(),
            None if file.starts_with("/dev/") => return,
            None => {
                let line = self.source(self.line).to_owned();
                self.report.dropped(self.line, &line, format!("{file} is no file of pktgen"));
                return;
            }
        };
        self.write(&name, text.trim_end_matches('\n'));
    }

    /// One command to one file of pktgen.
    pub(super) fn write(&mut self, file: &str, text: &str) {
        let line = self.written_at(text.trim());
        if file.contains(UNKNOWN) || text.contains(UNKNOWN) {
            let shown = self.source(line).to_owned();
            let sentence = "its value is only known where the script runs; it was left out";
            self.report.dropped(line, &shown, sentence);
            return;
        }
        self.outcome.writes.push(Write { line, file: file.into(), text: text.trim().into() });
    }

    /// A function that only passes its words on (pgset, pg_set) is not where a command stands: its caller is.
    fn written_at(&self, text: &str) -> usize {
        let frames = self.calls.iter().zip(self.arguments.iter().skip(1)).rev();
        let passed = frames.take_while(|(_, arguments)| arguments.join(" ").contains(text));
        passed.last().map_or(self.line, |(line, _)| *line)
    }

    fn exit(&mut self, arguments: &[String]) -> Stop {
        match arguments.first().map(String::as_str) {
            None | Some("0") => Stop::Exit,
            Some(code) if self.outcome.writes.is_empty() => {
                Stop::Failed(self.line, format!("the script ends itself here (exit {code})"))
            }
            Some(_) => Stop::Exit,
        }
    }

    fn source_file(&mut self, arguments: &[String]) -> Status {
        let file = arguments.first().map(String::as_str).unwrap_or_default();
        if !samples::source(self, file) {
            let line = self.source(self.line).to_owned();
            self.report.dropped(self.line, &line, "another file is not read: put its text in front of this one");
        }
        Status::True
    }

    fn sequence(&mut self, arguments: &[String]) -> Ran {
        let numbers: Option<Vec<i64>> = arguments.iter().map(|word| word.trim().parse().ok()).collect();
        let (from, step, to) = match numbers.as_deref() {
            Some([to]) => (1, 1, *to),
            Some([from, to]) => (*from, 1, *to),
            Some([from, step, to]) if *step != 0 => (*from, *step, *to),
            _ => {
                self.put(&UNKNOWN.to_string());
                return Ok(Status::Unknown);
            }
        };
        let (mut at, mut found) = (from, Vec::new());
        while (step > 0 && at <= to || step < 0 && at >= to) && found.len() < 65536 {
            found.push(at.to_string());
            let Some(next) = at.checked_add(step) else { break };
            at = next;
        }
        self.put(&found.join("\n"));
        Ok(Status::True)
    }

    fn shift(&mut self, arguments: &[String]) {
        let by: usize = arguments.first().and_then(|by| by.parse().ok()).unwrap_or(1);
        if let Some(last) = self.arguments.last_mut() {
            last.drain(..by.min(last.len()));
        }
    }

    /// A variable that the script needs and nobody gave.
    pub(super) fn missing(&mut self, name: &str) {
        self.outcome.missing.insert(name.into());
    }

    pub(super) fn has_function(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    pub(super) fn source(&self, line: usize) -> &'a str {
        self.lines.get(line.saturating_sub(1)).copied().unwrap_or_default()
    }
}
