//! TRex stateless streams: YAML files, and Python profiles as far as they only declare.

mod export;
mod instructions;
mod lex;
mod operators;
mod python;
mod scapy;
mod stream;
mod tree;
mod unfold;
mod value;
mod yaml;

pub use export::export;
pub use python::import as import_python;
pub use yaml::import as import_yaml;
