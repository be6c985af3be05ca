//! Trials: in which order slices are measured, and what may be said of their figures.
//!
//! Pure: the shell runs the slices, this room orders them and judges. A slice's figure is its `cost_ns`.

mod axes;
mod compare;
mod fit;
mod random;
mod record;
mod sample;
mod schedule;
mod table;
pub mod text;
mod tune;

pub use axes::{Axis, MOST_ARMS, grid};
pub use compare::{Comparison, Verdict, compare};
pub use fit::{Fit, Point, fit};
pub use record::{Question, RECORD_VERSION, Record, Row, Set, Where};
pub use sample::{Kept, drop_outliers};
pub use schedule::{Block, Side, Timing, blocks, rounds};
pub use table::{Change, Mark, OUTLIER_MADS, Slice, change, rows};
pub use tune::{ENOUGH, Tuned, tune};
