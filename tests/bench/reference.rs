//! The yardstick of the engine bench: one flat loop of the same parts (descriptor ring, completion ring, user
//! counts, last-in-first-out free list, template copy, patches, checksum, one clock reading and one publication a
//! burst) with nothing between them. It knows one packet shape and cannot be stopped, retuned or paced.

use std::time::Instant;

const RING: usize = 2048;
const FRAMES: usize = 512;
const CHUNK: usize = 2048;
const LEN: usize = 60;

/// What is built for every fresh packet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// One packet sent this many times.
    Clone(u32),
    /// The template and the 18 bytes of the pktgen header.
    Fresh,
    /// Three varied fields, header and UDP checksum besides.
    Varied,
}

#[derive(Clone, Copy, Default)]
#[allow(dead_code, reason = "written as the kernel would read it")]
struct Descriptor {
    address: u64,
    len: u32,
    options: u32,
}

pub struct Loop {
    tx: Vec<Descriptor>,
    completion: Vec<u64>,
    memory: Vec<u8>,
    template: [u8; LEN],
    users: [u16; FRAMES],
    free: Vec<u16>,
    produced: u32,
    consumed: u32,
    completed: u32,
    reaped: u32,
    open: usize,
    uses: u32,
    seq: u32,
    positions: u64,
    published: [u64; 8],
    started: Instant,
}

impl Loop {
    pub fn new() -> Self {
        Self {
            tx: vec![Descriptor::default(); RING],
            completion: vec![0; RING],
            memory: vec![0; FRAMES * CHUNK],
            template: [7; LEN],
            users: [0; FRAMES],
            free: (0..FRAMES as u16).collect(),
            produced: 0,
            consumed: 0,
            completed: 0,
            reaped: 0,
            open: 0,
            uses: 0,
            seq: 0,
            positions: std::hint::black_box(64_512),
            published: [0; 8],
            started: Instant::now(),
        }
    }

    /// Sends `packets` in bursts of `burst`; returns nanoseconds a packet.
    pub fn run(&mut self, packets: u64, burst: u32, build: Build) -> f64 {
        let begin = Instant::now();
        let mut left = packets;
        while left > 0 {
            let now_ns = self.started.elapsed().as_nanos() as u64;
            self.queue(burst, build, now_ns);
            self.kernel();
            self.reap();
            self.published[0] += u64::from(burst);
            self.published[1] += 1;
            self.published[2] = std::hint::black_box(now_ns);
            left = left.saturating_sub(u64::from(burst));
        }
        begin.elapsed().as_nanos() as f64 / packets as f64
    }

    #[inline(never)]
    fn queue(&mut self, burst: u32, build: Build, now_ns: u64) {
        let mut left = burst;
        while left > 0 {
            if self.uses == 0 {
                self.open = usize::from(self.free.pop().unwrap());
                self.uses = if let Build::Clone(copies) = build { copies } else { 1 };
                self.users[self.open] = self.uses as u16;
                self.build(build, now_ns);
            }
            let copies = self.uses.min(left);
            for _ in 0..copies {
                let at = self.produced as usize & (RING - 1);
                self.tx[at] = Descriptor { address: (self.open * CHUNK) as u64, len: LEN as u32, options: 0 };
                self.produced = self.produced.wrapping_add(1);
            }
            self.uses -= copies;
            left -= copies;
        }
    }

    #[inline]
    fn build(&mut self, build: Build, now_ns: u64) {
        let begin = self.open * CHUNK;
        let frame: &mut [u8; LEN] = (&mut self.memory[begin..begin + LEN]).try_into().unwrap();
        frame.copy_from_slice(&self.template);
        self.seq = self.seq.wrapping_add(1);
        let (seconds, micros) = ((now_ns / 1_000_000_000) as u32, (now_ns % 1_000_000_000 / 1000) as u32);
        frame[46..50].copy_from_slice(&self.seq.to_be_bytes());
        frame[50..54].copy_from_slice(&seconds.to_be_bytes());
        frame[54..58].copy_from_slice(&micros.to_be_bytes());
        if build != Build::Varied {
            return;
        }
        // The same parts as the engine's: two seeded draws scaled into their ranges, and a sweep that wraps.
        let build = u64::from(self.seq);
        let address = 0xc612_0001 + draw(1, build, 0x1_ffff) as u32;
        let source = 1024 + (build % self.positions) as u16;
        let destination = 1 + draw(2, build, 60_000) as u16;
        frame[26..30].copy_from_slice(&address.to_be_bytes());
        frame[34..36].copy_from_slice(&source.to_be_bytes());
        frame[36..38].copy_from_slice(&destination.to_be_bytes());
        let words = [address, self.seq, seconds, micros];
        let sum: u32 = words.iter().map(|word| (word >> 16) + (word & 0xffff)).sum();
        let ip = fold(0x1234 + (address >> 16) + (address & 0xffff));
        let udp = fold(0x4321 + sum + u32::from(source) + u32::from(destination));
        frame[24..26].copy_from_slice(&(!ip).to_be_bytes());
        frame[40..42].copy_from_slice(&(if udp == 0xffff { 0xffff } else { !udp }).to_be_bytes());
    }

    #[inline(never)]
    fn kernel(&mut self) {
        while self.consumed != self.produced {
            let address = self.tx[self.consumed as usize & (RING - 1)].address;
            self.completion[self.completed as usize & (RING - 1)] = address;
            self.consumed = self.consumed.wrapping_add(1);
            self.completed = self.completed.wrapping_add(1);
        }
    }

    #[inline(never)]
    fn reap(&mut self) {
        while self.reaped != self.completed {
            let address = self.completion[self.reaped as usize & (RING - 1)];
            let mut run = 1;
            while self.reaped.wrapping_add(run) != self.completed
                && self.completion[self.reaped.wrapping_add(run) as usize & (RING - 1)] == address
            {
                run += 1;
            }
            self.reaped = self.reaped.wrapping_add(run);
            let frame = address as usize / CHUNK;
            self.users[frame] -= run as u16;
            if self.users[frame] == 0 {
                self.free.push(frame as u16);
            }
        }
    }
}

/// SplitMix64, scaled into `0..values`.
#[inline]
fn draw(key: u64, n: u64, values: u64) -> u64 {
    let z = key.wrapping_add((n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((u128::from(z ^ (z >> 31)) * u128::from(values)) >> 64) as u64
}

fn fold(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}
