//! Packets: hand-made profiles compiled and read back by an independent parser.

mod build;
mod cases;
mod golden;
mod laws;
mod many;
mod model;
mod seen;
