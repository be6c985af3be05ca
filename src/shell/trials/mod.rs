//! Trials without a screen: slices of sending in a stated order, and what their figures say.

mod again;
mod compare;
mod conduct;
mod drive;
mod record;
mod sweep;

use crate::{app::arms, trial::text as table};

pub use compare::run as compare;
pub use sweep::run as sweep;
