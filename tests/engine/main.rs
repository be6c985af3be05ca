//! The engine on the simulated nic and a virtual clock: ten minutes with faults pass in a moment.

mod bench;
mod cost;
mod counts;
mod faults;
mod fit;
mod live;
mod order;
mod pacing;
mod split;
