//! The yardstick of the engine bench: one flat loop of the same parts (descriptor ring, completion ring, user
//! counts, last-in-first-out free list, template copy, patches, checksum, one clock reading and one publication a
//! burst) with nothing between them. It knows one packet shape and cannot be stopped, retuned or paced.

use std::{hint::black_box, time::Instant};

const RING: usize = 2048;
const FRAMES: usize = 512;
const CHUNK: usize = 2048;
const LEN: usize = 60;

/// What is built for every fresh packet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// One packet sent this many times.
    Clone(u32),
    /// The template alone.
    Fresh,
    /// The pktgen header besides.
    Header,
    /// Four varied fields and both checksums besides.
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
    tx: Box<[Descriptor; RING]>,
    completion: Box<[u64; RING]>,
    memory: Vec<u8>,
    template: [u8; LEN],
    users: [u16; FRAMES],
    free: [u16; FRAMES],
    free_count: usize,
    produced: u32,
    consumed: u32,
    completed: u32,
    reaped: u32,
    open: usize,
    uses: u32,
    seq: u32,
    positions: u64,
    published: [u64; 8],
}

impl Loop {
    pub fn new() -> Self {
        Self {
            tx: Box::new([Descriptor::default(); RING]),
            completion: Box::new([0; RING]),
            memory: vec![0; FRAMES * CHUNK],
            template: [7; LEN],
            users: [0; FRAMES],
            free: std::array::from_fn(|slot| slot as u16),
            free_count: FRAMES,
            produced: 0,
            consumed: 0,
            completed: 0,
            reaped: 0,
            open: 0,
            uses: 0,
            seq: 0,
            positions: black_box(64_512),
            published: [0; 8],
        }
    }

    /// Sends `packets` in bursts of `burst`; returns nanoseconds a packet, those of the stand-in kernel taken off.
    pub fn run(&mut self, packets: u64, burst: u32, build: Build, now_ns: impl Fn() -> u64) -> f64 {
        let bursts = packets / u64::from(burst);
        let begin = Instant::now();
        for _ in 0..bursts {
            let now_ns = now_ns();
            self.queue(burst, build, now_ns);
            self.kernel();
            self.reap();
            self.published[0] += u64::from(burst);
            self.published[1] += 1;
            self.published[2] = black_box(now_ns);
        }
        let all = begin.elapsed();
        let begin = Instant::now();
        for _ in 0..bursts {
            self.produced = self.produced.wrapping_add(burst);
            self.kernel();
        }
        let kernel = begin.elapsed();
        (all.as_nanos() as f64 - kernel.as_nanos() as f64) / packets as f64
    }

    #[inline(never)]
    fn queue(&mut self, burst: u32, build: Build, now_ns: u64) {
        let mut left = burst;
        while left > 0 {
            if self.uses == 0 {
                self.free_count -= 1;
                self.open = usize::from(self.free[self.free_count % FRAMES]);
                self.uses = if let Build::Clone(copies) = build { copies } else { 1 };
                self.users[self.open % FRAMES] = self.uses as u16;
                self.build(build, now_ns);
            }
            let copies = self.uses.min(left);
            let descriptor = Descriptor { address: (self.open * CHUNK) as u64, len: LEN as u32, options: 0 };
            for nth in 0..copies {
                self.tx[self.produced.wrapping_add(nth) as usize % RING] = descriptor;
            }
            self.produced = self.produced.wrapping_add(copies);
            self.uses -= copies;
            left -= copies;
        }
    }

    #[inline]
    fn build(&mut self, build: Build, now_ns: u64) {
        let begin = self.open * CHUNK;
        let frame: &mut [u8; LEN] = (&mut self.memory[begin..begin + LEN]).try_into().unwrap();
        frame.copy_from_slice(&self.template);
        if !matches!(build, Build::Header | Build::Varied) {
            return;
        }
        self.seq = self.seq.wrapping_add(1);
        let (seconds, micros) = ((now_ns / 1_000_000_000) as u32, (now_ns % 1_000_000_000 / 1000) as u32);
        frame[46..50].copy_from_slice(&self.seq.to_be_bytes());
        frame[50..54].copy_from_slice(&seconds.to_be_bytes());
        frame[54..58].copy_from_slice(&micros.to_be_bytes());
        if build == Build::Header {
            return;
        }
        // The same parts as the engine's: two seeded draws scaled into their ranges, and two sweeps that wrap.
        let build = u64::from(self.seq);
        let address = 0xc612_0001 + draw(1, build, 0x1_ffff) as u32;
        let source = 1024 + (build % self.positions) as u16;
        let destination = 1 + draw(2, build, 60_000) as u16;
        let id = build as u16;
        frame[18..20].copy_from_slice(&id.to_be_bytes());
        frame[26..30].copy_from_slice(&address.to_be_bytes());
        frame[34..36].copy_from_slice(&source.to_be_bytes());
        frame[36..38].copy_from_slice(&destination.to_be_bytes());
        let words = [address, self.seq, seconds, micros];
        let sum: u32 = words.iter().map(|word| (word >> 16) + (word & 0xffff)).sum();
        let ip = fold(0x1234 + (address >> 16) + (address & 0xffff) + u32::from(id));
        let udp = fold(0x4321 + sum + u32::from(source) + u32::from(destination));
        frame[24..26].copy_from_slice(&(!ip).to_be_bytes());
        frame[40..42].copy_from_slice(&(if udp == 0xffff { 0xffff } else { !udp }).to_be_bytes());
    }

    #[inline(never)]
    fn kernel(&mut self) {
        while self.consumed != self.produced {
            let address = self.tx[self.consumed as usize % RING].address;
            self.completion[self.completed as usize % RING] = address;
            self.consumed = self.consumed.wrapping_add(1);
            self.completed = self.completed.wrapping_add(1);
        }
    }

    #[inline(never)]
    fn reap(&mut self) {
        let (mut reaped, completed) = (self.reaped, self.completed);
        while reaped != completed {
            let address = self.completion[reaped as usize % RING];
            let mut run = 1;
            while reaped.wrapping_add(run) != completed
                && self.completion[reaped.wrapping_add(run) as usize % RING] == address
            {
                run += 1;
            }
            reaped = reaped.wrapping_add(run);
            let frame = address as usize / CHUNK % FRAMES;
            self.users[frame] -= run as u16;
            if self.users[frame] == 0 {
                self.free[self.free_count % FRAMES] = frame as u16;
                self.free_count += 1;
            }
        }
        self.reaped = reaped;
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
