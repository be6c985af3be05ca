//! Unfolds a declaration: names become what they stand for, functions of the file become what they return. Nothing
//! of the outside is ever called: `STLStream(…)` and `open(…)` alike are only names with arguments.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use crate::dialect::Report;

use super::{
    lex::{Place, Wrong},
    operators::{binary, builtin, item, method, slice, unary},
    tree::{Expr, ExprKind, Function, Stmt},
    value::{Object, Value},
};

/// Steps that a declaration may take; loops without end are no declarations.
const MOST_STEPS: usize = 400_000;
const DEEPEST: usize = 100;
const MOST_BYTES: usize = 64 << 20;

pub struct Unfolding<'t> {
    functions: Vec<&'t Function>,
    classes: Vec<Class<'t>>,
    globals: HashMap<String, Value>,
    pub report: &'t mut Report,
    steps: usize,
    depth: usize,
    /// Bytes that values have taken so far.
    bytes: usize,
    /// Parameters of the entry that were given no value by anybody.
    pub assumed: Vec<String>,
}

struct Class<'t> {
    name: &'t str,
    functions: HashMap<&'t str, usize>,
    values: HashMap<String, Value>,
}

type Names = HashMap<String, Value>;

enum Flow {
    On,
    Returned(Value),
}

impl<'t> Unfolding<'t> {
    pub fn new(report: &'t mut Report) -> Self {
        Unfolding {
            functions: Vec::new(),
            classes: Vec::new(),
            globals: HashMap::new(),
            report,
            steps: 0,
            depth: 0,
            bytes: 0,
            assumed: Vec::new(),
        }
    }

    /// What `register().get_streams(…)` returns.
    ///
    /// # Errors
    /// The first place that declares nothing, or cannot be worked out.
    pub fn streams(&mut self, text: &'t [Stmt]) -> Result<Value, Wrong> {
        let mut globals = Names::new();
        for statement in text {
            let line = place_of(statement);
            match self.statement(statement, &mut globals) {
                Ok(_) => {}
                Err(wrong) if self.steps > MOST_STEPS => return Err(wrong),
                Err(wrong) => self.report.dropped(wrong.place.line.max(line), "", wrong.why),
            }
            // Functions see what was assigned before they are called.
            self.globals.clone_from(&globals);
        }
        let entry = match globals.get("register") {
            Some(Value::Function(number, _)) => {
                self.call_function(*number, None, Vec::new(), Vec::new(), Place::default())?
            }
            _ => match self.classes.iter().position(|class| class.functions.contains_key("get_streams")) {
                Some(class) => self.construct(class, Vec::new(), Vec::new(), Place::default())?,
                None => {
                    return Err(Wrong::new(
                        Place { line: 1, column: 1 },
                        "neither register() nor a class with get_streams()",
                    ));
                }
            },
        };
        let Value::Object(object) = entry else { return Ok(entry) };
        let class = object.own_class.and_then(|class| self.classes.get(class));
        let Some(number) = class.and_then(|class| class.functions.get("get_streams")).copied() else {
            return Ok(Value::Object(object));
        };
        self.call_function(number, Some(object), Vec::new(), Vec::new(), Place::default())
    }

    fn step(&mut self, place: Place) -> Result<(), Wrong> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Wrong::new(place, "this does not end soon: it is a program, not a declaration"));
        }
        Ok(())
    }

    fn block(&mut self, body: &'t [Stmt], names: &mut Names) -> Result<Flow, Wrong> {
        for statement in body {
            if let Flow::Returned(value) = self.statement(statement, names)? {
                return Ok(Flow::Returned(value));
            }
        }
        Ok(Flow::On)
    }

    fn statement(&mut self, statement: &'t Stmt, names: &mut Names) -> Result<Flow, Wrong> {
        match statement {
            Stmt::Nothing => {}
            Stmt::Other(place, word) => {
                self.step(*place)?;
                self.report.dropped(place.line, word, "only declarations are read: this is left out");
            }
            Stmt::Do(Expr { kind: ExprKind::Text(_), .. }) => {}
            Stmt::Do(value) => _ = self.value(value, names)?,
            Stmt::Assign(targets, value) => {
                let value = self.value(value, names)?;
                for target in targets {
                    self.assign(target, value.clone(), names)?;
                }
            }
            Stmt::Change(target, sign, value) => {
                let old = self.value(target, names)?;
                let value = self.value(value, names)?;
                let new = binary(sign, &old, &value, target.place)?;
                self.assign(target, new, names)?;
            }
            Stmt::Return(None, _) => return Ok(Flow::Returned(Value::None)),
            Stmt::Return(Some(value), _) => return Ok(Flow::Returned(self.value(value, names)?)),
            Stmt::If(so, then, other) => {
                let so = self.value(so, names)?.is_true();
                return self.block(if so { then } else { other }, names);
            }
            Stmt::For(targets, all, body) => {
                let items = self.value(all, names)?.items();
                for value in items {
                    self.step(all.place)?;
                    bind(targets, value, names);
                    if let Flow::Returned(value) = self.block(body, names)? {
                        return Ok(Flow::Returned(value));
                    }
                }
            }
            Stmt::Function(function) => {
                self.functions.push(function);
                names.insert(function.name.clone(), Value::Function(self.functions.len() - 1, None));
            }
            Stmt::Class(name, body) => {
                let number = self.class(name, body)?;
                names.insert(name.clone(), Value::Class(number));
            }
        }
        Ok(Flow::On)
    }

    fn class(&mut self, name: &'t str, body: &'t [Stmt]) -> Result<usize, Wrong> {
        let mut class = Class { name, functions: HashMap::new(), values: HashMap::new() };
        for statement in body {
            match statement {
                Stmt::Function(function) => {
                    self.functions.push(function);
                    class.functions.insert(&function.name, self.functions.len() - 1);
                }
                other => _ = self.statement(other, &mut class.values)?,
            }
        }
        self.classes.push(class);
        Ok(self.classes.len() - 1)
    }

    fn assign(&mut self, target: &'t Expr, value: Value, names: &mut Names) -> Result<(), Wrong> {
        match &target.kind {
            ExprKind::Name(name) => _ = names.insert(name.clone(), value),
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                let items = value.items();
                for (target, item) in targets.iter().zip(items) {
                    self.assign(target, item, names)?;
                }
            }
            ExprKind::Part(whole, name) => match self.value(whole, names)? {
                Value::Object(object) => object.set(name, value),
                other => {
                    let shown = other.shown();
                    self.report.dropped(
                        target.place.line,
                        &format!("{shown}.{name}"),
                        "an assignment that has no effect here",
                    );
                }
            },
            ExprKind::Item(whole, key) => {
                let key = self.value(key, names)?;
                match self.value(whole, names)? {
                    Value::Dict(pairs) => {
                        let mut pairs = pairs.borrow_mut();
                        match pairs.iter_mut().find(|(known, _)| known.equals(&key)) {
                            Some((_, old)) => *old = value,
                            None => pairs.push((key, value)),
                        }
                    }
                    Value::List(items) => {
                        let at = key.as_int().and_then(|at| usize::try_from(at).ok());
                        if let Some(place) = at.and_then(|at| items.borrow_mut().get_mut(at).map(|old| *old = value)) {
                            return Ok(place);
                        }
                    }
                    other => return Err(Wrong::new(target.place, format!("{} has no items", other.shown()))),
                }
            }
            _ => return Err(Wrong::new(target.place, "nothing can be assigned to this")),
        }
        Ok(())
    }

    pub fn value(&mut self, expr: &'t Expr, names: &mut Names) -> Result<Value, Wrong> {
        self.step(expr.place)?;
        self.depth += 1;
        if self.depth > DEEPEST {
            self.depth = 0;
            return Err(Wrong::new(expr.place, format!("nested or called deeper than {DEEPEST}")));
        }
        let value = self.value_inside(expr, names);
        self.depth = self.depth.saturating_sub(1);
        // A name stands for what is there already.
        self.bytes += match (&expr.kind, &value) {
            (ExprKind::Name(_) | ExprKind::Part(..), _) => 0,
            (_, Ok(Value::Text(text))) => text.len(),
            (_, Ok(Value::List(items))) => 16 * items.borrow().len(),
            _ => 0,
        };
        if self.bytes > MOST_BYTES {
            self.steps = MOST_STEPS;
            return Err(Wrong::new(expr.place, "this takes too much memory: it is a program, not a declaration"));
        }
        value
    }

    fn values(&mut self, all: &'t [Expr], names: &mut Names) -> Result<Vec<Value>, Wrong> {
        let mut out = Vec::new();
        for one in all {
            out.push(self.value(one, names)?);
        }
        Ok(out)
    }

    fn value_inside(&mut self, expr: &'t Expr, names: &mut Names) -> Result<Value, Wrong> {
        Ok(match &expr.kind {
            ExprKind::Name(name) => self.named(name, names),
            ExprKind::Int(int) => Value::Int(*int),
            ExprKind::Float(float) => Value::Float(*float),
            ExprKind::Text(text) => Value::text(text.clone()),
            ExprKind::List(items) | ExprKind::Tuple(items) => Value::list(self.values(items, names)?),
            ExprKind::Dict(pairs) => {
                let mut out = Vec::new();
                for (key, value) in pairs {
                    out.push((self.value(key, names)?, self.value(value, names)?));
                }
                Value::Dict(Rc::new(RefCell::new(out)))
            }
            ExprKind::Each(what, targets, all, only) => {
                let mut inner = names.clone();
                let mut out = Vec::new();
                for item in self.value(all, names)?.items() {
                    bind(targets, item, &mut inner);
                    let keep = match only {
                        Some(only) => self.value(only, &mut inner)?.is_true(),
                        None => true,
                    };
                    if keep {
                        out.push(self.value(what, &mut inner)?);
                    }
                }
                Value::list(out)
            }
            ExprKind::Part(whole, name) => {
                let whole = self.value(whole, names)?;
                self.part(whole, name, expr.place)?
            }
            ExprKind::Item(whole, key) => {
                let (whole, key) = (self.value(whole, names)?, self.value(key, names)?);
                item(&whole, &key, expr.place)?
            }
            ExprKind::Slice(whole, from, to) => {
                let whole = self.value(whole, names)?;
                let from = from.as_ref().map(|from| self.value(from, names)).transpose()?;
                let to = to.as_ref().map(|to| self.value(to, names)).transpose()?;
                slice(&whole, from.as_ref(), to.as_ref(), expr.place)?
            }
            ExprKind::Call(what, unnamed, named) => self.call(what, unnamed, named, expr.place, names)?,
            ExprKind::Unary(sign, inside) => unary(sign, &self.value(inside, names)?, expr.place)?,
            ExprKind::Binary(sign, left, right) => {
                let left = self.value(left, names)?;
                match *sign {
                    "and" if !left.is_true() => left,
                    "or" if left.is_true() => left,
                    "and" | "or" => self.value(right, names)?,
                    sign => binary(sign, &left, &self.value(right, names)?, expr.place)?,
                }
            }
            ExprKind::Choice(so, then, other) => {
                let so = self.value(so, names)?.is_true();
                self.value(if so { then } else { other }, names)?
            }
        })
    }

    fn named(&mut self, name: &str, names: &Names) -> Value {
        match name {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" => Value::None,
            _ => {
                let known = names.get(name).or_else(|| self.globals.get(name));
                known.cloned().unwrap_or_else(|| Value::Outside(name.into()))
            }
        }
    }

    fn part(&mut self, whole: Value, name: &str, place: Place) -> Result<Value, Wrong> {
        match &whole {
            Value::Object(object) => {
                if let Some(value) = object.get(name) {
                    return Ok(value);
                }
                if let Some(class) = object.own_class.and_then(|class| self.classes.get(class)) {
                    if let Some(number) = class.functions.get(name) {
                        return Ok(Value::Function(*number, Some(Rc::clone(object))));
                    }
                    if let Some(value) = class.values.get(name) {
                        return Ok(value.clone());
                    }
                    let why = format!("{} has no \"{name}\"", class.name);
                    return Err(Wrong::new(place, why));
                }
                Ok(Value::Outside(format!("{}.{name}", object.class).into()))
            }
            Value::Outside(outside) if outside.len() < 200 => Ok(Value::Outside(format!("{outside}.{name}").into())),
            Value::Class(number) => {
                let class = self.classes.get(*number);
                let value = class.and_then(|class| class.values.get(name)).cloned();
                value.ok_or_else(|| Wrong::new(place, format!("no \"{name}\" in this class")))
            }
            other => Err(Wrong::new(place, format!("{} has no \"{name}\"", other.shown()))),
        }
    }

    fn call(
        &mut self,
        what: &'t Expr,
        unnamed: &'t [Expr],
        named: &'t [(String, Expr)],
        place: Place,
        names: &mut Names,
    ) -> Result<Value, Wrong> {
        // Methods of texts, lists and recorded objects.
        if let ExprKind::Part(whole, name) = &what.kind {
            let whole = self.value(whole, names)?;
            let is_own =
                matches!(&whole, Value::Object(object) if object.own_class.is_some() || object.get(name).is_some());
            if !is_own && !matches!(whole, Value::Outside(_) | Value::Class(_)) {
                let given = self.values(unnamed, names)?;
                let named = self.named_values(named, names)?;
                return method(&whole, name, given, named, place);
            }
            let target = self.part(whole, name, place)?;
            let given = self.values(unnamed, names)?;
            let named = self.named_values(named, names)?;
            return self.apply(target, given, named, place);
        }
        let target = self.value(what, names)?;
        let given = self.values(unnamed, names)?;
        let named = self.named_values(named, names)?;
        self.apply(target, given, named, place)
    }

    fn named_values(&mut self, named: &'t [(String, Expr)], names: &mut Names) -> Result<Vec<(String, Value)>, Wrong> {
        let mut out = Vec::new();
        for (name, value) in named {
            out.push((name.clone(), self.value(value, names)?));
        }
        Ok(out)
    }

    fn apply(
        &mut self,
        what: Value,
        unnamed: Vec<Value>,
        named: Vec<(String, Value)>,
        place: Place,
    ) -> Result<Value, Wrong> {
        match what {
            Value::Function(number, object) => self.call_function(number, object, unnamed, named, place),
            Value::Class(number) => self.construct(number, unnamed, named, place),
            Value::Outside(name) => match builtin(&name, &unnamed, place)? {
                Some(value) => Ok(value),
                None => Ok(Value::object(&name, unnamed, named, place)),
            },
            other => Err(Wrong::new(place, format!("{} cannot be called", other.shown()))),
        }
    }

    fn construct(
        &mut self,
        class: usize,
        unnamed: Vec<Value>,
        named: Vec<(String, Value)>,
        place: Place,
    ) -> Result<Value, Wrong> {
        let name = self.classes.get(class).map_or("", |class| class.name);
        let object = Rc::new(Object {
            class: name.into(),
            own_class: Some(class),
            unnamed: RefCell::new(Vec::new()),
            named: RefCell::new(Vec::new()),
            place,
        });
        let init = self.classes.get(class).and_then(|class| class.functions.get("__init__")).copied();
        if let Some(init) = init {
            self.call_function(init, Some(Rc::clone(&object)), unnamed, named, place)?;
        }
        Ok(Value::Object(object))
    }

    fn call_function(
        &mut self,
        number: usize,
        object: Option<Rc<Object>>,
        unnamed: Vec<Value>,
        named: Vec<(String, Value)>,
        place: Place,
    ) -> Result<Value, Wrong> {
        self.step(place)?;
        let Some(function) = self.functions.get(number).copied() else { return Ok(Value::None) };
        self.depth += 4;
        if self.depth > DEEPEST {
            self.depth = 0;
            return Err(Wrong::new(function.place, format!("nested or called deeper than {DEEPEST}")));
        }
        let mut names = Names::new();
        let given = object.map(Value::Object).into_iter().chain(unnamed);
        for ((name, _), value) in function.parameters.iter().zip(given) {
            names.insert(name.clone(), value);
        }
        names.extend(named);
        for (name, default) in &function.parameters {
            if names.contains_key(name) {
                continue;
            }
            let value = match default {
                Some(default) => self.value(default, &mut Names::new())?,
                None => {
                    self.assumed.push(name.clone());
                    if name == "direction" || name == "port_id" { Value::Int(0) } else { Value::list(Vec::new()) }
                }
            };
            names.insert(name.clone(), value);
        }
        let flow = self.block(&function.body, &mut names)?;
        self.depth = self.depth.saturating_sub(4);
        Ok(match flow {
            Flow::Returned(value) => value,
            Flow::On => Value::None,
        })
    }
}

fn bind(targets: &[String], value: Value, names: &mut Names) {
    match targets {
        [one] => _ = names.insert(one.clone(), value),
        many => {
            for (name, item) in many.iter().zip(value.items()) {
                names.insert(name.clone(), item);
            }
        }
    }
}

fn place_of(statement: &Stmt) -> usize {
    match statement {
        Stmt::Assign(targets, _) => targets.first().map_or(0, |target| target.place.line),
        Stmt::Change(expr, ..) | Stmt::Do(expr) | Stmt::If(expr, ..) | Stmt::For(_, expr, _) => expr.place.line,
        Stmt::Return(_, place) | Stmt::Other(place, _) => place.line,
        Stmt::Function(function) => function.place.line,
        Stmt::Class(..) | Stmt::Nothing => 0,
    }
}
