#![doc = include_str!("ARCHITECTURE.md")]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

#[forbid(unsafe_code)]
pub mod app; // MIND: App, Event, Action, Effect, update
#[forbid(unsafe_code)]
pub mod engine; // WORK: a sender's turn, pacing, the fleet of sender threads
#[forbid(unsafe_code)]
pub mod lab; // BENCH: private namespaces with a veth pair and a counting far end
pub mod nic; // WIRE: the trait, the simulated nic, AF_XDP, the far end, netlink facts
#[forbid(unsafe_code)]
pub mod packet; // BYTES: a flow becomes a template and patches; headers, checksums, words
#[forbid(unsafe_code)]
pub mod profile; // WHAT: profiles, flows, values; one table of fields; TOML in and out
#[forbid(unsafe_code)]
pub mod shell;
#[forbid(unsafe_code)]
pub mod stats; // COUNT: counters, snapshots, rates, series, the ledger
#[forbid(unsafe_code)]
pub mod ui; // FACE: draws the app // HANDS: the loop, the terminal, files, arguments, headless runs
