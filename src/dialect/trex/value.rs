//! Values while a declaration is unfolded. Whatever is called and not known stays what it is: a name with arguments.

use std::{cell::RefCell, rc::Rc};

use super::lex::Place;

#[derive(Debug, Clone)]
pub enum Value {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Rc<Vec<u8>>),
    List(Rc<RefCell<Vec<Value>>>),
    Dict(Rc<RefCell<Vec<(Value, Value)>>>),
    Object(Rc<Object>),
    /// A function or class by its number, with the object that it belongs to.
    Function(usize, Option<Rc<Object>>),
    Class(usize),
    /// A name of the outside: `STLStream`, `os.path.join`.
    Outside(Rc<str>),
}

/// Something that was constructed, and with what.
#[derive(Debug)]
pub struct Object {
    pub class: Rc<str>,
    /// Number of a class of this file.
    pub own_class: Option<usize>,
    pub unnamed: RefCell<Vec<Value>>,
    pub named: RefCell<Vec<(String, Value)>>,
    pub place: Place,
}

impl Object {
    pub fn get(&self, name: &str) -> Option<Value> {
        self.named.borrow().iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    /// By name, or by its place among the unnamed ones.
    pub fn argument(&self, name: &str, place: usize) -> Option<Value> {
        self.get(name)
            .or_else(|| self.unnamed.borrow().get(place).cloned())
            .filter(|value| !matches!(value, Value::None))
    }

    pub fn set(&self, name: &str, value: Value) {
        let mut named = self.named.borrow_mut();
        match named.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => named.push((name.into(), value)),
        }
    }
}

impl Value {
    pub fn text(bytes: impl Into<Vec<u8>>) -> Value {
        Value::Text(Rc::new(bytes.into()))
    }

    pub fn list(items: Vec<Value>) -> Value {
        Value::List(Rc::new(RefCell::new(items)))
    }

    pub fn object(class: &str, unnamed: Vec<Value>, named: Vec<(String, Value)>, place: Place) -> Value {
        Value::Object(Rc::new(Object {
            class: class.into(),
            own_class: None,
            unnamed: RefCell::new(unnamed),
            named: RefCell::new(named),
            place,
        }))
    }

    pub fn is_true(&self) -> bool {
        match self {
            Value::None => false,
            Value::Bool(is) => *is,
            Value::Int(int) => *int != 0,
            Value::Float(float) => *float != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::List(items) => !items.borrow().is_empty(),
            Value::Dict(pairs) => !pairs.borrow().is_empty(),
            _ => true,
        }
    }

    pub fn as_int(&self) -> Option<i128> {
        match self {
            Value::Int(int) => Some(*int),
            Value::Bool(is) => Some(i128::from(*is)),
            Value::Float(float) if float.fract() == 0.0 && float.abs() < 1e18 => Some(*float as i128),
            _ => None,
        }
    }

    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Float(float) => Some(*float),
            Value::Int(int) => Some(*int as f64),
            Value::Bool(is) => Some(f64::from(u8::from(*is))),
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<String> {
        match self {
            Value::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
            _ => None,
        }
    }

    pub fn as_object(&self) -> Option<&Rc<Object>> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// A list's or tuple's items; anything else alone.
    pub fn items(&self) -> Vec<Value> {
        match self {
            Value::List(items) => items.borrow().clone(),
            Value::None => Vec::new(),
            other => vec![other.clone()],
        }
    }

    pub fn equals(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::None, Value::None) => true,
            (Value::Text(a), Value::Text(b)) => a == b,
            _ => self.as_float().is_some() && self.as_float() == other.as_float(),
        }
    }

    /// In a message.
    pub fn shown(&self) -> String {
        match self {
            Value::None => "None".into(),
            Value::Bool(is) => if *is { "True" } else { "False" }.into(),
            Value::Int(int) => int.to_string(),
            Value::Float(float) => float.to_string(),
            Value::Text(text) => format!("\"{}\"", String::from_utf8_lossy(text).chars().take(40).collect::<String>()),
            Value::List(_) => "a list".into(),
            Value::Dict(_) => "a dictionary".into(),
            Value::Object(object) => format!("{}(…)", object.class),
            Value::Function(..) => "a function".into(),
            Value::Class(_) => "a class".into(),
            Value::Outside(name) => name.to_string(),
        }
    }
}
