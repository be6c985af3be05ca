//! What the preview shows, what the simulated nic takes and what arrives over AF_XDP are the same frames in the same
//! order: for every shipped profile and for 1000 random valid ones. The time stamp alone differs, each of the three has one
//! of its own, and what it adds to a checksum.

mod nic_lab;
mod random_profiles;

use std::{collections::BTreeMap, io::Write, process::Stdio, sync::Arc, time::Instant};

use nic_lab::{DEADLINE, Far, Pair, on_a_veth_pair_of};
use proptest::strategy::{Strategy, ValueTree};
use random_profiles::Of;
use txdeck::{
    app::{Preview, Reached},
    engine::{Desk, Sender, Turn},
    nic::{
        Clock, Nic, SimNic, VirtualClock, XdpNic,
        sim::{Recording, SimConfig},
        xdp::XdpConfig,
    },
    packet::{Facts, Plan, compile, dissect},
    profile::{Document, Profile, shipped},
};

/// A queue is free again some 20 ms after it was closed; nobody waits for that where others are free meanwhile.
const QUEUES: u32 = 16;
const RANDOM: usize = 1000;
/// Room in front of packets that a chunk keeps.
const HEADROOM_BYTES: usize = 256;
/// CLOCK_REALTIME less the sender's clock: a time for the simulated nic and another for the wire.
const WALL_NS: [i64; 2] = [1_700_000_000_123_456_000, 1_955_555_555_987_654_000];
/// The far socket of an ordinary user holds so few long packets.
const LONG_BURST: u32 = 4;
const MAGIC: [u8; 4] = [0xbe, 0x9b, 0xe9, 0x55];

/// Of one queue, in the order in which they left.
type Frames = Vec<Vec<u8>>;

#[test]
fn every_shipped_profile_is_the_same_everywhere() {
    on_a_veth_pair_of(QUEUES, "every_shipped_profile_is_the_same_everywhere", |pair| {
        let mut lab = Lab::on(pair);
        for (name, text) in shipped() {
            let flows = Document::parse(name, text).expect("valid").profile().flows.clone();
            lab.compare(text, &["count=100"]);
            for flow in flows.iter().filter(|_| flows.len() > 1) {
                let others = flows.iter().filter(|other| other.name != flow.name);
                let mut settings: Vec<String> =
                    others.map(|flow| format!("flow.{}.enabled=false", flow.name)).collect();
                settings.push("count=200".to_owned());
                lab.compare(text, &settings.iter().map(String::as_str).collect::<Vec<_>>());
            }
        }
    });
}

#[test]
fn a_thousand_random_profiles_are_the_same_everywhere() {
    on_a_veth_pair_of(QUEUES, "a_thousand_random_profiles_are_the_same_everywhere", |pair| {
        let mut lab = Lab::on(pair);
        let mut runner = random_profiles::runner("same bytes", RANDOM as u32);
        let (mut compared, mut refused, mut kinds) = (0, 0, BTreeMap::new());
        while compared < RANDOM {
            let text = random_profiles::profile(Of::Wire).new_tree(&mut runner).expect("a profile").current();
            if !is_valid(&text) {
                refused += 1;
                assert!(
                    refused < 700,
                    "the generator makes few valid profiles: {refused} refused, {compared} compared"
                );
                continue;
            }
            let parts = lab.compare(&text, &[]);
            *kinds.entry("packets of several chunks").or_insert(0) += usize::from(parts > 1);
            compared += 1;
            for (kind, mark) in KINDS {
                *kinds.entry(kind).or_insert(0) += usize::from(text.contains(mark));
            }
        }
        println!("{compared} compared, {refused} refused by check, {kinds:?}");
        let rare: Vec<_> = kinds.iter().filter(|(_, count)| **count < RANDOM / 50).collect();
        assert!(rare.is_empty(), "the generator has become narrow: {rare:?}");
    });
}

/// What is counted among the random profiles, and how the text shows it.
const KINDS: [(&str, &str); 22] = [
    ("VLAN", "vlan = ["),
    ("MPLS", "mpls = ["),
    ("IPv4", "ipv4 = {"),
    ("IPv6", "ipv6 = {"),
    ("UDP", "udp = {"),
    ("TCP", "tcp = {"),
    ("ICMP", "icmp = {"),
    ("ICMPv6", "icmpv6 = {"),
    ("ARP", "arp = {"),
    ("raw", "raw = {"),
    ("random payload", "kind = \"random\""),
    ("mixed sizes", "imix ="),
    ("sizes that vary", "size = {"),
    ("lists", "list ="),
    ("masks", "mask ="),
    ("nested", "order = \"nested\""),
    ("conversations", "flows = {"),
    ("random fields", "random = ["),
    ("chunks of 4096 bytes", "chunk_bytes = 4096"),
    ("clones", "clone = 4"),
    ("two queues", "queues = [0, 1]"),
    ("a rate", "rate ="),
];

fn is_valid(text: &str) -> bool {
    Document::parse("random.toml", text).is_ok_and(|document| compile(document.profile(), &facts()).is_ok())
}

fn facts() -> Facts {
    Facts { device_mac: [2, 0, 0, 0, 0, 1], ..Facts::default() }
}

struct Lab {
    far: Far,
    queue: u32,
}

impl Lab {
    fn on(pair: &Pair) -> Self {
        pair.mtu("a0", 9000);
        pair.mtu("b0", 9000);
        Self { far: Far::with_tags_on(pair, "b0"), queue: 0 }
    }

    /// Sends a profile all three ways; answers in how many chunks a packet of it lies at most.
    fn compare(&mut self, text: &str, settings: &[&str]) -> u32 {
        let mut document = Document::parse("same.toml", text).unwrap_or_else(|problems| panic!("{text}\n{problems}"));
        for setting in settings {
            let (key, value) = setting.split_once('=').expect("a setting");
            document.set(key, value).unwrap_or_else(|why| panic!("{setting}: {why}"));
        }
        let plan = Arc::new(compile(document.profile(), &facts()).unwrap_or_else(|why| panic!("{text}\n{why}")));
        let parts = document.profile().chunks_per_packet();
        let (chunk_bytes, chunks) = (document.profile().tx.chunk_bytes, document.profile().chunks_per_queue());
        let simulated = simulated(&plan, chunk_bytes, parts, chunks);
        let total: usize = simulated.iter().map(Vec::len).sum();
        let shown = shown(document.text(), total, plan.queues.len());
        self.assert_same("the preview", &shown, &simulated, text);
        if let [flow] = &plan.flows[..] {
            let counts: Vec<usize> = simulated.iter().map(Vec::len).collect();
            let edited = edited(document.profile(), flow.copies as usize, &counts);
            self.assert_same("the preview in Edit", &edited, &simulated, text);
        }
        let sent = self.sent(&plan, chunk_bytes, parts, chunks);
        self.assert_same("the wire", &sent, &simulated, text);
        parts
    }

    fn assert_same(&self, what: &str, these: &[Frames], simulated: &[Frames], text: &str) {
        for (queue, (these, those)) in these.iter().zip(simulated).enumerate() {
            let (these, those): (Frames, Frames) = (timeless(these), timeless(those));
            let first = these.iter().zip(&those).position(|(this, that)| this != that);
            let differ = first.map(|at| (at, &these[at], &those[at]));
            assert_eq!(these.len(), those.len(), "{what}, queue {queue}: how many\n{text}");
            assert!(differ.is_none(), "{what}, queue {queue}: frame, its bytes, simulated: {differ:x?}\n{text}");
        }
    }

    /// What arrives at the far end, queue after queue.
    fn sent(&mut self, plan: &Arc<Plan>, chunk_bytes: u32, parts: u32, chunks: u32) -> Vec<Frames> {
        let long = plan.max_len() > 1514;
        let burst = if long { plan.burst.min(LONG_BURST) } else { plan.burst };
        let desk = Desk::new(Arc::new(Plan { burst, ..Plan::clone(plan) }));
        desk.release(1);
        let mut all = Vec::new();
        for seat in 0..plan.queues.len() {
            self.queue = (self.queue + 1) % QUEUES;
            let config = XdpConfig {
                driver: Some("veth".into()),
                queues: Some(QUEUES),
                chunks,
                chunk_bytes,
                parts,
                ..XdpConfig::new("a0", self.queue)
            };
            let nic = XdpNic::open(&config).unwrap_or_else(|why| panic!("queue {}: {why}", self.queue));
            let mut frames = Vec::new();
            let sender = Sender::new(nic, seat, desk.line(seat), WALL_NS[1]);
            let sender = if long { sender.one_by_one() } else { sender };
            let sender = drive(sender, || frames.extend(self.far.frames()));
            let (until, left) = (Instant::now() + DEADLINE, sender.counts().left() as usize);
            while frames.len() < left && Instant::now() < until {
                frames.extend(self.far.frames());
            }
            all.push(frames);
        }
        all
    }
}

/// What the simulated nic takes, queue after queue.
fn simulated(plan: &Arc<Plan>, chunk_bytes: u32, parts: u32, chunks: u32) -> Vec<Frames> {
    let desk = Desk::new(Arc::clone(plan));
    desk.release(1);
    let queue = |seat| {
        let recording = Recording::new();
        let max_len = parts * chunk_bytes - HEADROOM_BYTES as u32;
        let config = SimConfig {
            chunk_bytes,
            parts,
            chunks,
            max_len,
            recording: Some(recording.clone()),
            ..SimConfig::default()
        };
        let nic = SimNic::open(config).expect("it opens");
        drive(Sender::new(nic, seat, desk.line(seat), WALL_NS[0]), || ());
        recording.take().into_iter().map(|frame| frame.bytes).collect()
    };
    (0..plan.queues.len()).map(queue).collect()
}

/// What Edit shows of a profile with one flow: so many frames of each queue, each build as often as it is copied.
fn edited(profile: &Profile, copies: usize, counts: &[usize]) -> Vec<Frames> {
    let preview = Preview::of(profile, None, &facts());
    let queues = counts.len();
    let build = |queue: usize, nth: usize| {
        let ahead = (queue + nth / copies * queues) as u64;
        let mut shots = preview.frames(Reached::default(), ahead).expect("a flow").expect("frames");
        shots.next().expect("a frame").annotated.lines.into_iter().flat_map(|line| line.bytes).collect()
    };
    counts.iter().enumerate().map(|(queue, count)| (0..*count).map(|nth| build(queue, nth)).collect()).collect()
}

/// Runs a sender to its end on a clock that stands still but while there is nothing to do.
fn drive<N: Nic>(mut sender: Sender<N>, mut after_each: impl FnMut()) -> Sender<N> {
    let clock = VirtualClock::new();
    clock.advance(1);
    let until = Instant::now() + DEADLINE;
    loop {
        let turn = sender.turn(&clock);
        after_each();
        match turn {
            Turn::Worked => {}
            Turn::Wait(until_ns) => clock.advance_to(until_ns.max(clock.now_ns() + 1)),
            Turn::Over => return sender,
        }
        assert!(Instant::now() < until, "not over within {DEADLINE:?}");
    }
}

/// What `txdeck show` prints, queue after queue.
fn shown(text: &str, count: usize, queues: usize) -> Vec<Frames> {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_txdeck"));
    command.args(["show", "-", "-n", &count.to_string(), "--color", "never"]);
    let mut show =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    show.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    let output = show.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    let mut frames = vec![Frames::new(); queues];
    let mut queue = 0;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some((_, rest)) = line.split_once("  flow ") {
            let named = rest.split_once("  queue ").map(|(_, number)| number.trim().parse().expect("a number"));
            queue = named.unwrap_or(0);
            frames[queue].push(Vec::new());
        } else if let (Some(hex), Some(frame)) = (line.get(5..line.len().min(53)), frames[queue].last_mut()) {
            frame.extend(
                hex.split([' ', '[', ']'])
                    .filter(|word| !word.is_empty())
                    .map(|word| u8::from_str_radix(word, 16).unwrap_or_else(|_| panic!("{line}"))),
            );
        }
    }
    frames
}

/// The frames with time stamps of zero, and checksums as they would be then.
fn timeless(frames: &[Vec<u8>]) -> Frames {
    frames.iter().map(|frame| without_time(frame.clone())).collect()
}

fn without_time(mut frame: Vec<u8>) -> Vec<u8> {
    let Some(at) = frame.windows(4).position(|bytes| bytes == MAGIC).filter(|at| at + 16 <= frame.len()) else {
        return frame;
    };
    let time: u32 =
        frame[at + 8..at + 16].chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
    let checksum = checksum_before(&frame, at);
    frame[at + 8..at + 16].fill(0);
    if let Some((place, may_be_none)) = checksum {
        let old = u16::from_be_bytes([frame[place], frame[place + 1]]);
        // RFC 1624; a UDP checksum of zero says that there is none.
        if old != 0 || !may_be_none {
            let mut sum = u32::from(!old) + 4 * 0xffff - time;
            while sum > 0xffff {
                sum = (sum & 0xffff) + (sum >> 16);
            }
            let new = if sum == 0xffff { 0xffff } else { !(sum as u16) };
            frame[place..place + 2].copy_from_slice(&new.to_be_bytes());
        }
    }
    frame
}

/// Where the checksum over a payload that begins at `payload` lies, and whether zero says that there is none. In a fragment
/// too, so not by what a dissector makes of the header.
fn checksum_before(frame: &[u8], payload: usize) -> Option<(usize, bool)> {
    let ip = dissect(frame).into_iter().find(|part| matches!(part.layer, "ipv4" | "ipv6"))?;
    let protocol = frame[ip.range.start + if ip.layer == "ipv4" { 9 } else { 6 }];
    match (protocol, payload - ip.range.end) {
        (17, 8) => Some((payload - 2, true)),
        (6, 20) => Some((payload - 4, false)),
        (1 | 58, 8) => Some((payload - 6, false)),
        _ => None,
    }
}
