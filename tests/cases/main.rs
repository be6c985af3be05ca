//! The public bug reports that txdeck must not repeat, each under its number, on the real kernel: the real
//! binary on a veth pair in namespaces of the test's own. What needs no wire is tested in its room.
//! Where namespaces are not allowed a case is skipped aloud; with REQUIRE_WIRE=1 that is a failure.

mod bench;
mod bind;
mod capture;
mod count;
#[path = "../deck/mod.rs"]
mod deck;
mod encap;
mod ends;
mod files;
mod knobs;
mod link;
#[path = "../nic_lab/mod.rs"]
mod nic_lab;
mod rate;
mod rights;
mod ring;
#[path = "../packet/seen.rs"]
mod seen;
mod size;
mod socket;
mod stats;
mod thread;
mod trials;
#[path = "../packet/tshark.rs"]
mod tshark;
