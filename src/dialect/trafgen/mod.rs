//! netsniff-ng trafgen: packets as bytes, counters, random numbers, checksums and header functions.

mod cursor;
mod expand;
mod export;
mod fields;
mod import;
mod lex;
mod packet;
mod parse;

pub use export::export;
pub use import::import;
