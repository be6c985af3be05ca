//! Captures of other tools: pcap with micro- or nanoseconds in both byte orders, pcapng, gzip of either. Read record
//! by record out of a stream in bounded memory, judged, and kept as the frames that a flow replays.
//!
//! A reader of our own: the containers are small, and readers that others wrote refuse just those odd records that
//! have to be listed here, or do not tell where in the file they stand.

mod classic;
mod input;
mod judge;
mod keep;
mod link;
mod ng;
mod reader;
mod reel;
mod survey;

pub use judge::{Oddity, Terms};
pub use keep::{Capture, Captures, Held, MOST_BYTES};
pub use reader::{Fault, Format, Reader, Record, begins_like_one};
pub use reel::Reel;
pub use survey::Survey;
