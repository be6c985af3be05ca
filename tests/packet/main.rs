//! Packets: hand-made profiles compiled and read back by an independent parser.

mod build;
mod cases;
mod golden;
mod headers;
mod laws;
mod many;
mod model;
mod seen;
mod stacks;
mod tshark;
