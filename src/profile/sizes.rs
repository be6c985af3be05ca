//! How long a flow's frames must and may be.

use super::{Flow, Profile, Tx, Value, imix, rate::WIRE_OVERHEAD_BYTES};

/// Frames below this are padded by others and called runts; without FCS.
pub const SHORTEST_FRAME: u32 = 60;
/// The usual Ethernet frame, without FCS: MTU 1500 and the Ethernet header.
pub const USUAL_FRAME: u32 = 1514;
/// xsk-rs keeps this much of every chunk as headroom.
pub const CHUNK_HEADROOM: u32 = 256;
/// magic, seq, seconds, microseconds.
pub const PKTGEN_BYTES: u32 = 16;
/// … and the stream number.
pub const PKTGEN_STREAM_BYTES: u32 = 18;

/// Fewer chunks than this a queue are asked for only when the profile says so.
const USUAL_CHUNKS: u32 = 512;

/// Chunks of one packet at most: what the kernel puts together in copy mode.
const MOST_PARTS: u32 = 18;

impl Tx {
    /// The longest frame that neighbouring chunks take together.
    pub fn room_bytes(&self) -> u32 {
        (MOST_PARTS * self.chunk_bytes).saturating_sub(CHUNK_HEADROOM)
    }

    /// The longest record that a replay can send: its chunks are counted once the capture has been read, and must then
    /// suit burst, ring and `chunks` as they are.
    pub fn replay_room_bytes(&self) -> u32 {
        let burst = self.burst.max(1);
        let memories = self.chunks.map_or(MOST_PARTS, |chunks| chunks / burst / 2);
        let parts = MOST_PARTS.min(self.ring / burst).min(memories).max(1);
        (parts * self.chunk_bytes).saturating_sub(CHUNK_HEADROOM)
    }

    /// Neighbouring chunks that a frame of `len` bytes needs.
    pub fn parts(&self, len: u128) -> u32 {
        let bytes = u32::try_from(len).unwrap_or(u32::MAX).saturating_add(CHUNK_HEADROOM);
        bytes.div_ceil(self.chunk_bytes.max(1))
    }

    /// UMEM chunks of each queue for packets of `parts` chunks: as set, else max(512, 2 x burst x parts).
    pub fn chunks_for(&self, parts: u32) -> u32 {
        let least = self.burst.saturating_mul(2).saturating_mul(parts);
        self.chunks.unwrap_or(USUAL_CHUNKS.max(least))
    }
}

impl Profile {
    /// Chunks that one packet of the longest enabled flow needs; how long the records of a replay are is not known here.
    pub fn chunks_per_packet(&self) -> u32 {
        let longest = self.flows.iter().filter(|flow| flow.enabled).map(|flow| flow.size.max()).max().unwrap_or(0);
        self.tx.parts(longest).max(1)
    }

    /// UMEM chunks of each queue, for packets of that length.
    pub fn chunks_per_queue(&self) -> u32 {
        self.tx.chunks_for(self.chunks_per_packet())
    }
}

impl Flow {
    /// `60 B (+4 FCS = 64)`, `60..1514 B (+4 FCS = 64..1518)`.
    pub fn size_words(&self) -> String {
        let (min, max) = (self.size.min(), self.size.max());
        if self.replay.is_some() {
            return "as captured".into();
        }
        if min == max {
            format!("{min} B (+4 FCS = {})", min + 4)
        } else if let Value::Imix { shares, .. } = &self.size {
            let mean = imix::mean(shares);
            format!("mean {mean:.1} B (+4 FCS = {:.1}), imix {min}..{max}", mean + 4.0)
        } else {
            format!("{min}..{max} B (+4 FCS = {}..{})", min + 4, max + 4)
        }
    }
}

impl Flow {
    /// Bytes of a frame on average, where the first packets already show it; of a capture only its records know.
    pub fn sure_mean(&self) -> Option<f64> {
        if self.replay.is_some() { None } else { sure_mean(&self.size) }
    }
}

/// Bytes a frame takes on the wire: with FCS, preamble and gap.
pub fn wire_bytes(size_bytes: u32) -> u32 {
    size_bytes + WIRE_OVERHEAD_BYTES
}

/// The mean over a whole walk of a value.
pub fn mean(value: &Value) -> f64 {
    match value {
        Value::List { values, .. } if !values.is_empty() => {
            values.iter().map(|v| *v as f64).sum::<f64>() / values.len() as f64
        }
        Value::Imix { shares, .. } => imix::mean(shares),
        _ => (value.min() as f64 + value.max() as f64) / 2.0,
    }
}

/// The mean where the first packets already show it: one size, or a mix whose shares are exact.
pub fn sure_mean(value: &Value) -> Option<f64> {
    match value {
        Value::Imix { .. } => Some(mean(value)),
        value => value.is_fixed().then(|| value.min() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Document;

    #[test]
    fn c16_sizes_say_what_the_fcs_adds() {
        let text = "version = 1\n[[flow]]\nname = \"a\"\nsize = 70\neth = { dst = \"02:00:00:00:00:02\" }\n\
            vlan = [{}, {}]\nipv6 = {}\nudp = {}\n";
        let mut document = Document::parse("t", text).expect("valid");
        let flow = &document.profile().flows[0];
        assert_eq!(flow.size_words(), "70 B (+4 FCS = 74)");
        assert_eq!((flow.header_bytes(), flow.header_words().as_str()), (70, "Ethernet + 2 VLAN + IPv6 + UDP"));
        document.set("flow.a.size", "70..1514").expect("range");
        assert_eq!(document.profile().flows[0].size_words(), "70..1514 B (+4 FCS = 74..1518)");
        assert_eq!(wire_bytes(60), 84);
    }

    #[test]
    fn chunks_grow_with_burst_and_size() {
        let text = "version = 1\n[[flow]]\neth = { dst = \"02:00:00:00:00:02\" }\n";
        let mut document = Document::parse("t", text).expect("valid");
        let chunks =
            |document: &Document| (document.profile().chunks_per_packet(), document.profile().chunks_per_queue());
        assert_eq!(chunks(&document), (1, 512));
        document.set("burst", "512").expect("burst");
        assert_eq!(chunks(&document), (1, 1024));
        document.set("burst", "64").expect("burst");
        for (size, parts) in [(1792, 1), (1793, 2), (3840, 2), (9000, 5), (36_608, 18)] {
            document.set("flow.flow-1.size", &size.to_string()).unwrap_or_else(|why| panic!("{size}: {why}"));
            assert_eq!(chunks(&document), (parts, (128 * parts).max(512)), "{size}");
        }
        assert!(document.set("burst", "128").is_err(), "18 chunks of 128 packets are more than the ring holds");
        document.set("chunks", "4096").expect("chunks");
        assert_eq!(chunks(&document).1, 4096);
    }

    #[test]
    fn the_mean_is_over_one_walk() {
        assert_eq!(mean(&Value::Fixed(60)), 60.0);
        assert_eq!(mean(&Value::Sweep { from: 60, to: 100, step: 30, every: 1 }), 75.0);
        assert_eq!(mean(&Value::List { values: vec![60, 60, 120], every: 1 }), 80.0);
    }
}
