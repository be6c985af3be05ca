//! Random valid profiles, as the text a person would write: all header stacks, payloads, sizes and forms of values,
//! conversations, one flow or several with weights, clones and counts, one queue or two.
#![allow(dead_code)] // each test binary uses its part

use std::fmt::Write;

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use txdeck::{dialect::carry, profile::Document};

/// What a profile is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Everything that a queue can send, at most two queues; ends by itself.
    Wire,
    /// One flow on one queue, UDP mostly: what other generators can say much of.
    Tongues,
}

/// A runner whose seed is told, and given with `TXDECK_SEED` to see the same profiles again.
pub fn runner(what: &str, cases: u32) -> TestRunner {
    let seed = std::env::var("TXDECK_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(rand_seed);
    println!("{what}: TXDECK_SEED={seed}, {cases} profiles");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

fn rand_seed() -> u64 {
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    any::<u64>().new_tree(&mut runner).map_or(0, |tree| tree.current())
}

pub fn profile(of: Of) -> BoxedStrategy<String> {
    let most_flows = if of == Of::Wire { 4_usize } else { 2 };
    (tx(of), prop::collection::vec(flow(of), 1..most_flows), prop::bool::weighted(0.3))
        .prop_map(move |((queues, mut text), flows, rate)| {
            // A rate makes the order of several flows, or of several queues, a matter of time.
            if of == Of::Wire && rate && flows.len() == 1 && queues == 1 {
                text.push_str("rate = \"400k\"\n");
            }
            for (number, flow) in flows.iter().enumerate() {
                let _ = write!(text, "\n[[flow]]\nname = \"f{number}\"\n{flow}");
                if of == Of::Wire && queues == 2 && number == 1 {
                    text.push_str("queues = [1]\n");
                }
            }
            text
        })
        .boxed()
}

/// The profile with most of what varies in it taken out: what other tools can say whole.
pub fn thinned(text: &str, keep: &[bool]) -> Option<Document> {
    let mut document = Document::parse("t", text).ok()?;
    let varies = |value: &str| ["..", ",", "random", "{", "nested"].iter().any(|sign| value.contains(sign));
    let mut keep = keep.iter().cycle();
    for key in carry::keys(&document).iter().filter(|key| key.starts_with("flow.")) {
        let value = document.get(key).unwrap_or_default();
        if !varies(&value) && !key.contains(".flows.") || *keep.next()? {
            continue;
        }
        let instead = match key.rsplit_once('.') {
            Some((_, "size")) => "120",
            Some((_, "dst")) if key.contains(".eth.") => "02:00:00:00:00:05",
            _ => "",
        };
        // What is needed by something else stays.
        let _ = document.set(key, instead);
    }
    Some(document)
}

/// One flow for other tools: a third as they come, the others thinned.
pub fn sayable(runner: &mut TestRunner) -> Document {
    let strategy =
        (profile(Of::Tongues), prop::collection::vec(prop::bool::weighted(0.1), 40), prop::bool::weighted(0.3));
    loop {
        let (text, keep, whole) = strategy.new_tree(runner).expect("a profile").current();
        let keep = if whole { vec![true] } else { keep };
        if let Some(document) = thinned(&text, &keep) {
            return document;
        }
    }
}

/// Queues, and the lines up to the first flow.
fn tx(of: Of) -> impl Strategy<Value = (u32, String)> {
    let queues = if of == Of::Wire { 1..3_u32 } else { 1..2 };
    let burst = prop::sample::select(vec![1_u32, 2, 3, 7, 32, 64, 256]);
    let clone = prop_oneof![4 => Just(0_u32), 1 => 1..5_u32, 1 => Just(40)];
    (queues, burst, clone, 1..70_u64, any::<u32>(), any::<bool>()).prop_map(
        move |(queues, burst, clone, count, seed, long)| {
            let list = if queues == 2 { "[0, 1]" } else { "[0]" };
            let chunk = if of == Of::Wire && long { "chunk_bytes = 4096\n" } else { "" };
            let clone = if of == Of::Wire { format!("clone = {clone}\n") } else { String::new() };
            let text = format!(
                "version = 1\n[tx]\nqueues = {list}\nburst = {burst}\ncount = {count}\nseed = {seed}\n{clone}{chunk}"
            );
            (queues, text)
        },
    )
}

/// How a number is written in its field.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Number,
    Mac,
    V4,
    V6,
}

impl Kind {
    fn show(self, number: u128) -> String {
        match self {
            Kind::Number => number.to_string(),
            Kind::Mac => {
                let bytes = &number.to_be_bytes()[10..];
                let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("\"{}\"", pairs.join(":"))
            }
            Kind::V4 => format!("\"{}\"", std::net::Ipv4Addr::from(number as u32)),
            Kind::V6 => format!("\"{}\"", std::net::Ipv6Addr::from(number)),
        }
    }
}

/// Any form of value in `low..=high`.
fn value(kind: Kind, low: u128, high: u128) -> BoxedStrategy<String> {
    let pair = (low..=high, low..=high).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let near = (low..=high, 0..9_u128).prop_map(move |(a, by)| (a, a.saturating_add(by).min(high)));
    let pair = prop_oneof![2 => pair, 2 => near, 1 => Just((low, high))];
    let every = || prop_oneof![3 => Just(1_u64), 1 => 2..5_u64];
    let with = |every: u64| if every == 1 { String::new() } else { format!(", every = {every}") };
    let sweep = (pair.clone(), prop_oneof![3 => Just(1_u128), 1 => 2..9_u128], every()).prop_map(
        move |((from, to), step, every)| {
            let step = if step == 1 { String::new() } else { format!(", step = {step}") };
            format!("{{ from = {}, to = {}{step}{} }}", kind.show(from), kind.show(to), with(every))
        },
    );
    let random = (pair, every()).prop_map(move |((low, high), every)| {
        format!("{{ random = [{}, {}]{} }}", kind.show(low), kind.show(high), with(every))
    });
    let list = (prop::collection::vec(low..=high, 1..5), every()).prop_map(move |(values, every)| {
        let values: Vec<String> = values.into_iter().map(|value| kind.show(value)).collect();
        format!("{{ list = [{}]{} }}", values.join(", "), with(every))
    });
    let masked = (low..=high, any::<u128>(), every()).prop_map(move |(base, bits, every)| {
        let fits = |mask: &u128| base & !mask >= low && base | mask <= high;
        let mask = [bits, bits & high, bits & (high - low), bits & 0xf].into_iter().find(fits).unwrap_or(0);
        format!("{{ random = {}, mask = {}{} }}", kind.show(base & !mask), kind.show(mask), with(every))
    });
    let fixed = (low..=high).prop_map(move |number| kind.show(number));
    prop_oneof![3 => fixed, 2 => sweep, 2 => random, 1 => list, 1 => masked].boxed()
}

fn size(low: u128, high: u128) -> BoxedStrategy<String> {
    let imix = prop::collection::vec((low..=high, 1..9_u32), 1..5).prop_map(|shares| {
        let shares: Vec<String> = shares.iter().map(|(size, weight)| format!("[{size}, {weight}]")).collect();
        format!("{{ imix = [{}] }}", shares.join(", "))
    });
    let fixed = (low..=high).prop_map(|size| size.to_string());
    prop_oneof![3 => fixed, 3 => value(Kind::Number, low, high), 1 => imix].boxed()
}

/// `name = { key = value, … }` out of some of these fields.
fn header(name: &'static str, fields: Vec<(&'static str, BoxedStrategy<String>)>) -> BoxedStrategy<String> {
    let fields: Vec<_> = fields
        .into_iter()
        .map(|(key, value)| {
            prop::option::weighted(0.4, value).prop_map(move |value| value.map(|v| format!("{key} = {v}")))
        })
        .collect();
    fields
        .prop_map(move |fields| {
            let inside: Vec<String> = fields.into_iter().flatten().collect();
            format!("{name} = {{ {} }}\n", inside.join(", "))
        })
        .boxed()
}

fn number(bits: u32) -> BoxedStrategy<String> {
    value(Kind::Number, 0, (1 << bits) - 1)
}

fn switch() -> BoxedStrategy<String> {
    any::<bool>().prop_map(|on| on.to_string()).boxed()
}

/// Without the broadcast address and without groups, so that nobody answers and nobody warns.
fn mac() -> BoxedStrategy<String> {
    value(Kind::Mac, 0x0200_0000_0000, 0x02ff_ffff_ffff)
}

fn many(name: &'static str, item: BoxedStrategy<String>, most: usize) -> BoxedStrategy<String> {
    prop::collection::vec(item, 0..=most)
        .prop_map(move |items| {
            let items: Vec<String> =
                items.iter().map(|item| item.trim_start_matches("x = ").trim_end().to_owned()).collect();
            if items.is_empty() { String::new() } else { format!("{name} = [{}]\n", items.join(", ")) }
        })
        .boxed()
}

/// The headers behind Ethernet, with the bytes they take at most; and whether addresses or ports may be many.
fn stack(of: Of) -> BoxedStrategy<(String, u128)> {
    let v4 = || value(Kind::V4, 0x0100_0000, 0xdfff_ffff);
    let v6 = || value(Kind::V6, 1 << 124, (1 << 125) - 1);
    let ipv4 = |alone: bool| {
        let mut fields = vec![
            ("src", v4()),
            ("dst", v4()),
            ("ttl", number(8)),
            ("dscp", number(6)),
            ("ecn", number(2)),
            ("id", number(16)),
            ("df", switch()),
        ];
        if of == Of::Wire {
            fields.extend([("mf", switch()), ("fragment_offset", number(13))]);
        }
        if alone {
            fields.push(("protocol", number(8)));
        }
        header("ipv4", fields)
    };
    let ipv6 = |alone: bool| {
        let mut fields = vec![
            ("src", v6()),
            ("dst", v6()),
            ("hop_limit", number(8)),
            ("dscp", number(6)),
            ("ecn", number(2)),
            ("flow_label", number(20)),
        ];
        if alone {
            fields.push(("next_header", number(8)));
        }
        header("ipv6", fields)
    };
    let udp = |v4: bool| {
        let mut fields = vec![("src", number(16)), ("dst", number(16))];
        if v4 {
            fields.push(("checksum", switch()));
        }
        header("udp", fields)
    };
    let tcp = || {
        let flags = prop::sample::select(vec!["\"syn\"", "\"ack+psh\"", "\"fin+ack\"", "\"rst\""]);
        let fields = vec![
            ("src", number(16)),
            ("dst", number(16)),
            ("seq", number(32)),
            ("ack", number(32)),
            ("flags", flags.prop_map(str::to_owned).boxed()),
            ("window", number(16)),
            ("urgent", number(16)),
        ];
        header("tcp", fields)
    };
    let echo =
        |name| header(name, vec![("type", number(8)), ("code", number(8)), ("id", number(16)), ("seq", number(16))]);
    let arp = || {
        let fields = vec![("op", number(16)), ("sha", mac()), ("spa", v4()), ("tha", mac()), ("tpa", v4())];
        header("arp", fields)
    };
    let two = |one: BoxedStrategy<String>, two: BoxedStrategy<String>, bytes: u128| {
        (one, two).prop_map(move |(one, two)| (one + &two, bytes)).boxed()
    };
    let one = |one: BoxedStrategy<String>, bytes: u128| one.prop_map(move |one| (one, bytes)).boxed();
    prop_oneof![
        4 => two(ipv4(false), udp(true), 28),
        2 => two(ipv6(false), udp(false), 48),
        2 => two(ipv4(false), tcp(), 40),
        2 => two(ipv6(false), tcp(), 60),
        1 => two(ipv4(false), echo("icmp"), 28),
        1 => two(ipv6(false), echo("icmpv6"), 48),
        1 => one(ipv4(true), 20),
        1 => one(ipv6(true), 40),
        1 => one(arp(), 28),
        1 => Just((String::new(), 0)).boxed(),
    ]
    .boxed()
}

fn payload() -> BoxedStrategy<String> {
    let bytes = || {
        prop::collection::vec(any::<u8>(), 1..9)
            .prop_map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" "))
    };
    prop_oneof![
        5 => Just(String::new()),
        1 => bytes().prop_map(|bytes| format!("payload = {{ kind = \"pattern\", bytes = \"{bytes}\" }}\n")),
        1 => bytes().prop_map(|bytes| format!("payload = {{ kind = \"hex\", bytes = \"{bytes}\" }}\n")),
        1 => "[a-zé ]{1,9}".prop_map(|text| format!("payload = {{ kind = \"text\", text = \"{text}\" }}\n")),
        2 => Just("payload = { kind = \"random\" }\n".to_owned()),
        1 => Just("payload = { kind = \"zero\" }\n".to_owned()),
    ]
    .boxed()
}

/// What a flow says of how it is sent.
fn manner(of: Of) -> BoxedStrategy<String> {
    if of == Of::Tongues {
        return any::<bool>()
            .prop_map(|nested| if nested { "order = \"nested\"\n".into() } else { String::new() })
            .boxed();
    }
    let weight = prop_oneof![2 => Just(1_u32), 1 => 2..9_u32];
    let clone = prop::option::weighted(0.2, 0..6_u32);
    let count = prop_oneof![3 => Just(0_u64), 1 => 1..40_u64];
    (any::<bool>(), weight, clone, count)
        .prop_map(|(nested, weight, clone, count)| {
            let mut text = format!("weight = {weight}\n");
            text.push_str(if nested { "order = \"nested\"\n" } else { "" });
            if let Some(clone) = clone {
                let _ = writeln!(text, "clone = {clone}");
            }
            if count > 0 {
                let _ = writeln!(text, "count = {count}");
            }
            text
        })
        .boxed()
}

fn flow(of: Of) -> BoxedStrategy<String> {
    let tpid = prop::sample::select(vec!["0x8100", "0x88a8", "0x9100", "{ list = [0x8100, 0x88a8] }"]);
    let mut tag = vec![("id", number(12)), ("pcp", number(3)), ("dei", switch())];
    tag.push(("tpid", tpid.prop_map(str::to_owned).boxed()));
    let label = header("x", vec![("label", number(20)), ("tc", number(3)), ("ttl", number(8))]);
    let eth = (prop::option::weighted(0.4, mac()), mac()).prop_map(|(src, dst)| {
        let src = src.map_or(String::new(), |src| format!("src = {src}, "));
        format!("eth = {{ {src}dst = {dst} }}\n")
    });
    let tags = if of == Of::Wire { 3 } else { 2 };
    let made = (eth, many("vlan", header("x", tag), tags), many("mpls", label, 3), stack(of), payload(), manner(of))
        .prop_flat_map(move |(eth, vlan, mpls, (stack, bytes), payload, manner)| {
            let has_ip = stack.contains("ipv4") || stack.contains("ipv6");
            let mpls = if has_ip { mpls } else { String::new() };
            let lists = 4 * (vlan.matches("}, {").count() + mpls.matches("}, {").count()) as u128;
            let least = 14 + 8 + lists + 24 + bytes;
            let long = if of == Of::Wire { (1793, 9000) } else { (least.max(60), 1514) };
            let sizes = prop_oneof![
                4 => size(least.max(60), 140),
                4 => size(least.max(60), 1514),
                4 => size(least, least + 40),
                1 => size(long.0, long.1),
            ];
            let flows = (prop::option::weighted(0.3, (1..40_u32, 1..5_u32)), 0..3_usize);
            (sizes, flows).prop_map(move |(size, (flows, order))| {
                let order = ["sequential", "interleaved", "random"][order];
                let varies = stack.contains("random =") || stack.contains("from =");
                let flows = flows.filter(|_| varies).map_or(String::new(), |(count, length)| {
                    format!("flows = {{ count = {count}, length = {length}, order = \"{order}\" }}\n")
                });
                format!("size = {size}\nrunt = true\n{manner}{flows}{eth}{vlan}{mpls}{stack}{payload}")
            })
        })
        .boxed();
    if of == Of::Tongues {
        return made;
    }
    prop_oneof![14 => made, 1 => raw()].boxed()
}

/// A frame given as bytes, some of which vary.
fn raw() -> BoxedStrategy<String> {
    let bytes = prop::collection::vec(any::<u8>(), 14..60);
    let width = prop::sample::select(vec![1_u32, 2, 4, 6, 8]);
    (bytes, width, 0..6_usize, 64..200_u32, payload())
        .prop_flat_map(|(mut bytes, width, at, size, payload)| {
            // To nobody, and of no type that the far end would look into.
            bytes[0] = 2;
            bytes[12..14].copy_from_slice(&[0x88, 0xb5]);
            let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let most = (1_u128 << (8 * width).min(63)) - 1;
            let head = format!("size = {size}\nraw = {{ bytes = \"{}\" }}\n{payload}", hex.join(" "));
            // Only the source address is patched: the first byte and the type stay.
            let at = 1 + at.min(11 - width as usize);
            value(Kind::Number, 0, most)
                .prop_map(move |value| format!("{head}patch = [{{ at = {at}, width = {width}, value = {value} }}]\n"))
        })
        .boxed()
}
