#![doc = include_str!("ARCHITECTURE.md")]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

// In reading order; the blank lines keep rustfmt from sorting it away.

// WHAT: profiles, flows, values; one table of fields; TOML in and out
#[forbid(unsafe_code)]
pub mod profile;

// BYTES: a flow becomes a template and patches; headers, checksums, words
#[forbid(unsafe_code)]
pub mod packet;

// TONGUES: other generators' files into profiles and back, with a report of what was lost
#[forbid(unsafe_code)]
pub mod dialect;

// COUNT: counters, snapshots, rates, series, the ledger
#[forbid(unsafe_code)]
pub mod stats;

// ASK: the order of a trial's slices, and what their figures say
#[forbid(unsafe_code)]
pub mod trial;

// WIRE: the trait, the simulated nic, AF_XDP, the far end, netlink facts
pub mod nic;

// WORK: a sender's turn, pacing, the fleet of sender threads
#[forbid(unsafe_code)]
pub mod engine;

// BENCH: private namespaces with a veth pair and a counting far end
#[forbid(unsafe_code)]
pub mod lab;

// MIND: App, Event, Action, Effect, update
#[forbid(unsafe_code)]
pub mod app;

// FACE: draws the app
#[forbid(unsafe_code)]
pub mod ui;

// HANDS: the loop, the terminal, files, arguments, headless runs
#[forbid(unsafe_code)]
pub mod shell;
