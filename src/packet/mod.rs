//! The bytes: a profile compiles into a plan, a flow into a template and patches.
//!
//! Pure: the same profile, facts and build number give the same bytes on every machine and in every
//! release. Build `k` of a flow depends on (seed, flow name, field, k) alone; nothing is carried over
//! from one build to the next (`draw` says how random fields are drawn, and is pinned by golden values).

mod carried;
mod checksum;
mod conversation;
mod dissect;
mod distinct;
mod diversity;
mod draw;
mod error;
mod field;
mod filler;
mod frame;
mod header;
mod imix;
mod lint;
mod mask;
mod patch;
pub mod pcap;
mod pktgen;
mod plan;
mod row;
mod show;
mod size;
mod template;
mod turn;
mod vary;

pub use dissect::{Part, dissect};
pub use distinct::Variety;
pub use diversity::{Diversity, Found};
pub use error::CompileError;
pub use frame::{Frame, Pace, Stamp, StampTime};
pub use lint::lint;
pub use plan::{Facts, Plan, PlanFlow, compile};
pub use row::Row;
pub use show::{Annotated, Line, annotate, annotate_bytes};
