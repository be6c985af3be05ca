//! The bytes: a profile compiles into a plan, a flow into a template and patches.
//!
//! Pure: the same profile, facts and build number give the same bytes on every machine and in every
//! release. Build `k` of a flow depends on (seed, flow name, field, k) alone; nothing is carried over
//! from one build to the next (`draw` says how random fields are drawn, and is pinned by golden values).

mod capture;
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
mod replay;
mod row;
mod show;
mod size;
mod template;
mod turn;
mod vary;

pub use capture::{
    Capture, Captures, Fault, Format, Held, MOST_BYTES as MOST_CAPTURE_BYTES, Oddity, Reader, Record, Reel, Survey,
    Terms, begins_like_one as begins_like_a_capture,
};
pub use dissect::{Part, dissect};
pub use distinct::Variety;
pub use diversity::{Diversity, Found};
pub use error::CompileError;
pub use frame::{Frame, Pace, Stamp, StampTime};
pub use lint::lint;
pub use plan::{Facts, Plan, PlanFlow, compile};
pub use replay::{terms, unplayable};
pub use row::{Head, Row};
pub use show::{Annotated, Line, annotate, annotate_bytes};
