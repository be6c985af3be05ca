//! Captures as flows: read in every format, judged, and replayed on the simulated nic byte for byte. All captures are
//! made here; none is copied from anywhere. Some go over a real veth pair.

#[path = "capture/write.rs"]
mod write;

#[path = "capture/read.rs"]
mod read;

#[path = "capture/odd.rs"]
mod odd;

#[path = "capture/sent.rs"]
mod sent;

#[path = "capture/commands.rs"]
mod commands;

mod nic_lab;

#[path = "capture/wire.rs"]
mod wire;
