//! What is allowed but may surprise, the packets taken into account: what `check` prints and Edit shows beside the
//! fields. Never an error, never in the way.

use crate::profile::{Document, Flow, Mac, Problem, Profile, Rate, Share, TurnOrder, Value, imix, sizes};

use super::{
    diversity::Diversity,
    frame::Frame,
    plan::{Facts, Plan, PlanFlow, compile},
    replay,
};

/// Kernel pktgen takes no more.
const PKTGEN_FLOWS: u32 = 65_536;
/// No machine sends so many packets a second from a file; who writes such a number means bits.
const UNLIKELY_PPS: f64 = 100e6;
/// MTU 1500 is what a device has when nobody changed it.
const USUAL_MTU: u32 = 1500;
const ETHERNET_BYTES: u32 = 14;
const TAG_BYTES: u32 = 4;

/// Sentences, each at its place: those of [`Document::notes`], and those that need to know what the flows compile to
/// (clone, pace, diversity) or the device that is to send (`facts`: MTU and speed).
pub fn lint(document: &Document, facts: &Facts) -> Vec<Problem> {
    let profile = document.profile();
    let mut lint = Lint { facts, out: Vec::new() };
    for (number, flow) in profile.flows.iter().enumerate() {
        lint.text(flow, &format!("flow.{number}"));
    }
    for (number, flow) in profile.flows.iter().enumerate() {
        let notes = replay::notes(profile, flow, facts);
        notes.into_iter().for_each(|note| lint.say(&format!("flow.{number}"), "replay.file", note));
    }
    lint.rate("tx.rate", profile.tx.rate);
    if let Some(plan) = plan(profile, facts) {
        let diversity = Diversity::of(&plan, profile);
        let enabled = profile.flows.iter().enumerate().filter(|(_, flow)| flow.enabled);
        for ((number, flow), (at, planned)) in enabled.zip(plan.flows.iter().enumerate()) {
            let told = Told { flow, planned, path: format!("flow.{number}"), at, diversity: &diversity };
            lint.packets(&told);
        }
        lint.link(profile, &diversity);
    }
    document.notes_and(lint.out)
}

/// A neighbour that is not known yet changes nothing that is told here.
fn plan(profile: &Profile, facts: &Facts) -> Option<Plan> {
    compile(profile, facts).ok().or_else(|| {
        let mut profile = profile.clone();
        for flow in &mut profile.flows {
            if flow.eth.dst == Mac::Neighbour {
                flow.eth.dst = Mac::Device;
            }
        }
        compile(&profile, facts).ok()
    })
}

struct Lint<'a> {
    facts: &'a Facts,
    /// Path and sentence.
    out: Vec<(String, String)>,
}

/// One flow and what became of it.
struct Told<'a> {
    flow: &'a Flow,
    planned: &'a PlanFlow,
    path: String,
    at: usize,
    diversity: &'a Diversity,
}

impl Told<'_> {
    fn frame(&self) -> &Frame {
        &self.planned.frame
    }

    fn copies(&self) -> u64 {
        u64::from(self.planned.copies.max(1))
    }

    /// Builds before the plan ends; infinite without an end.
    fn builds(&self) -> f64 {
        (self.diversity.sends_of(self.at) / self.copies() as f64).ceil()
    }

    fn varies(&self) -> bool {
        self.frame().packets().distinct != Some(1)
    }
}

impl Lint<'_> {
    fn say(&mut self, path: &str, key: &str, message: String) {
        self.out.push((format!("{path}.{key}"), message));
    }

    /// What the text alone shows.
    fn text(&mut self, flow: &Flow, path: &str) {
        if let Value::Imix { shares, .. } = &flow.size {
            self.say(path, "size", mix(shares));
        }
        self.mtu(flow, path);
        for (name, value) in flow.tuple_values().into_iter().filter(|(name, _)| is_port(name)) {
            if let Some(message) = ports(&value) {
                self.say(path, name, message);
            }
        }
        if let Some(rate) = flow.rate {
            self.rate(&format!("{path}.rate"), rate);
        }
        if let Some(of) = flow.conversations.filter(|of| of.count > PKTGEN_FLOWS) {
            let message = format!("{} conversations: kernel pktgen ends at {PKTGEN_FLOWS}", of.count);
            self.say(path, "flows.count", message);
        }
    }

    fn mtu(&mut self, flow: &Flow, path: &str) {
        if flow.replay.is_some() {
            return;
        }
        let (mtu, whose) = match self.facts.mtu {
            Some(mtu) => (mtu, "this device's MTU of"),
            None => (USUAL_MTU, "an MTU of"),
        };
        let tags = TAG_BYTES * flow.vlan.len() as u32;
        let (longest, max) = (u128::from(mtu + ETHERNET_BYTES + tags), flow.size.max());
        if max > longest {
            let message = format!("{max} is above {longest}, what {whose} {mtu} takes: raise the MTU at both ends");
            self.say(path, "size", message);
        }
    }

    fn rate(&mut self, path: &str, rate: Rate) {
        if let Rate::Pps(pps) = rate
            && pps >= UNLIKELY_PPS
        {
            let message = format!(
                "{rate}: a number is packets a second; for bits write {} Gbit/s (and in kernel pktgen rate 1G is 1 Mbit/s)",
                pps / 1e9
            );
            self.out.push((path.to_owned(), message));
        }
    }

    fn packets(&mut self, told: &Told) {
        self.standing(told);
        if told.copies() > 1 && told.varies() {
            self.clones(told);
        }
        self.conversations(told);
    }

    /// Fields that never move before the plan ends.
    fn standing(&mut self, told: &Told) {
        let builds = told.builds();
        for pace in told.frame().paces() {
            if pace.hold == u64::MAX {
                let message = "never moves: the fields that turn faster do not come round in 2^64 packets";
                self.say(&told.path, &pace.field, message.into());
            } else if pace.hold as f64 >= builds && pace.hold > 1 {
                let message = format!(
                    "never moves: it does after {}, and this flow ends after {}",
                    packets(pace.hold as f64 * told.copies() as f64),
                    packets(told.diversity.sends_of(told.at)),
                );
                self.say(&told.path, &pace.field, message);
            } else if told.copies() > 1 && builds == 1.0 {
                let message = format!(
                    "never moves: all {} are copies of one (clone {})",
                    packets(told.diversity.sends_of(told.at)),
                    told.copies()
                );
                self.say(&told.path, &pace.field, message);
            }
        }
    }

    /// How clone slows variation down, and how many different packets are left of it.
    fn clones(&mut self, told: &Told) {
        let copies = told.copies();
        let builds = told.builds();
        for pace in told.frame().paces().iter().filter(|pace| (pace.hold as f64) < builds && builds > 1.0) {
            let every = pace.hold.saturating_mul(copies);
            let message = format!("each packet is repeated {copies} times (clone): this changes every {every} packets");
            self.say(&told.path, &pace.field, message);
        }
        let (sends, of) = match told.diversity.pps_of(told.at) {
            Some(pps) => (pps, format!("{} a second", packets(pps))),
            None => (1e6, "a million packets".into()),
        };
        let builds = (sends / copies as f64).ceil();
        let (different, flows) = (told.frame().packets().among(builds), told.frame().five_tuples().among(builds));
        let flows = count(flows, "flow");
        let message = format!("of {of} {} differ, in {flows}: clone sends each {copies} times", whole(different));
        self.say(&told.path, "clone", message);
    }

    fn conversations(&mut self, told: &Told) {
        let Some(of) = told.flow.conversations else { return };
        let begun = told.frame().five_tuples().among(told.builds()).ceil();
        if begun < f64::from(of.count) {
            let ends = packets(told.diversity.sends_of(told.at));
            let message = format!("this flow ends after {ends}: {begun} of the {} conversations begin", of.count);
            self.say(&told.path, "flows.count", message);
        }
        if told.copies() > 1 && of.order == TurnOrder::Sequential {
            let each = u64::from(of.length) * told.copies();
            let message = format!("{} built packets, each sent {} times: {each} in a row", of.length, told.copies());
            self.say(&told.path, "flows.length", message);
        }
    }

    /// What a rate asks of the link.
    fn link(&mut self, profile: &Profile, diversity: &Diversity) {
        let Some(mbps) = self.facts.link_mbps else { return };
        let bits = f64::from(mbps) * 1e6;
        let (pps, mean) = (diversity.paced_pps(), diversity.mean_bytes());
        if let (false, Some(pps)) = (profile.tx.rate == Rate::Max, pps) {
            self.share("tx.rate", profile.tx.rate, pps, mean, bits);
        }
        for (number, flow) in profile.flows.iter().enumerate() {
            let Some(mean) = flow.replay.is_none().then(|| sizes::mean(&flow.size)) else { continue };
            if let Some((rate, pps)) = flow.rate.and_then(|rate| Some((rate, rate.pps(mean)?))) {
                self.share(&format!("flow.{number}.rate"), rate, pps, mean, bits);
            }
        }
    }

    fn share(&mut self, path: &str, rate: Rate, pps: f64, mean: f64, link: f64) {
        let wire = 8.0 * (mean + f64::from(sizes::wire_bytes(0)));
        let percent = pps * wire / link * 100.0;
        let speed = match link {
            speed if speed >= 1e9 => format!("{} Gbit/s", speed / 1e9),
            speed => format!("{} Mbit/s", speed / 1e6),
        };
        let message = match percent > 100.05 {
            true => format!(
                "{rate} is {percent:.0} % of the link's {speed}: at most {:.0} pps of these sizes fit",
                link / wire
            ),
            false => format!("{rate} is {} % of the link's {speed}", figures(percent)),
        };
        self.out.push((path.to_owned(), message));
    }
}

/// Shares, and what they come to.
fn mix(shares: &[Share]) -> String {
    let (counts, cycle) = (imix::counts(shares), imix::cycle(shares));
    let share =
        |(size, times): &(u128, u64)| format!("{size} B {} %", figures(*times as f64 / cycle.max(1) as f64 * 100.0));
    let named: Vec<String> = counts.iter().take(8).map(share).collect();
    let more =
        if counts.len() > named.len() { format!(", {} more", counts.len() - named.len()) } else { String::new() };
    let mean = imix::mean(shares);
    let mut message = format!(
        "{}{more}: exact in every {cycle} packets, {mean:.1} B on average (+4 FCS = {:.1})",
        named.join(", "),
        mean + 4.0
    );
    if counts.iter().any(|(_, times)| times * 100 < cycle) {
        message += "; kernel pktgen, with 100 places for all sizes, would leave out a share below 1 %";
    } else if counts.iter().any(|(_, times)| times * 100 % cycle != 0) {
        message += "; kernel pktgen rounds shares to whole percents";
    }
    message
}

fn is_port(name: &str) -> bool {
    matches!(name, "udp.src" | "udp.dst" | "tcp.src" | "tcp.dst")
}

/// A range whose ends differ by a round number was perhaps written for a tool that leaves the last port out.
fn ports(value: &Value) -> Option<String> {
    let (from, to) = match value {
        Value::Sweep { from, to, step: 1, .. } => (from, to),
        Value::Random { low, high, .. } => (low, high),
        _ => return None,
    };
    let apart = to.checked_sub(*from).filter(|apart| *apart >= 10 && apart % 10 == 0)?;
    Some(format!(
        "{from}..{to} are {} ports, both ends among them; kernel pktgen's max is exclusive: {apart}, up to {}",
        apart + 1,
        to - 1
    ))
}

fn packets(number: f64) -> String {
    count(number, "packet")
}

fn count(number: f64, what: &str) -> String {
    let plural = if number.round() == 1.0 { "" } else { "s" };
    format!("{} {what}{plural}", whole(number))
}

fn whole(number: f64) -> String {
    if number >= 1.8e19 { "2^64 or more".into() } else { format!("{:.0}", number.round()) }
}

/// `58.3`, `0.05`, `25`.
fn figures(number: f64) -> String {
    let text = if number >= 1.0 { format!("{number:.1}") } else { format!("{number:.3}") };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Key and sentence of everything said.
    fn told(facts: &Facts, text: &str) -> Vec<(String, String)> {
        let text = format!("version = 1\n{text}");
        let document = Document::parse("t", &text).unwrap_or_else(|problems| panic!("{problems}"));
        lint(&document, facts).into_iter().map(|note| (note.key, note.message)).collect()
    }

    fn says(text: &str) -> Vec<String> {
        told(&Facts::default(), text).into_iter().map(|(key, message)| format!("{key}: {message}")).collect()
    }

    const TO: &str = "eth = { dst = \"02:00:00:00:00:02\" }";

    fn flow(fields: &str) -> String {
        format!("[[flow]]\nname = \"a\"\n{TO}\n{fields}\n")
    }

    #[test]
    fn nothing_is_said_of_what_surprises_nobody() {
        assert_eq!(says(&flow("ipv4 = {}\nudp = { src = { random = [1024, 65535] } }")), [] as [&str; 0]);
        assert_eq!(says(&format!("[tx]\nclone = 100\n{}", flow("ipv4 = {}\nudp = {}"))), [] as [&str; 0]);
    }

    #[test]
    fn c41_a_mix_says_its_exact_shares_and_what_pktgen_makes_of_them() {
        assert_eq!(
            says(&flow("size = { imix = [[60, 7], [590, 4], [1514, 1]] }")),
            ["flow.a.size: 60 B 58.3 %, 590 B 33.3 %, 1514 B 8.3 %: exact in every 12 packets, 357.8 B on average \
              (+4 FCS = 361.8); kernel pktgen rounds shares to whole percents"]
        );
        let rare = says(&flow("size = { imix = [[60, 249], [1514, 1], [100, 0]] }"));
        assert!(rare[0].starts_with("flow.a.size: 60 B 99.6 %, 1514 B 0.4 %: exact in every 250 packets"), "{rare:?}");
        assert!(rare[0].ends_with("would leave out a share below 1 %"), "{rare:?}");
        let even = says(&flow("size = { imix = [[60, 3], [1514, 1]] }"));
        assert!(even[0].ends_with("(+4 FCS = 427.5)"), "{even:?}");
    }

    #[test]
    fn c35_a_range_of_ports_that_may_have_been_meant_without_its_last_one() {
        let said = "both ends among them; kernel pktgen's max is exclusive: 100, up to 108";
        assert_eq!(
            says(&flow("ipv4 = {}\nudp = { src = { random = [9, 109] }, dst = { from = 7000, to = 7099 } }")),
            [format!("flow.a.udp.src: 9..109 are 101 ports, {said}")]
        );
    }

    #[test]
    fn c30_clone_leaves_few_different_packets() {
        let flow = flow("ipv4 = {}\nudp = { src = { random = [1024, 65535] } }");
        assert_eq!(
            says(&format!("[tx]\nclone = 100\nrate = 10_000\n{flow}")),
            [
                "flow.a.clone: of 10000 packets a second 100 differ, in 100 flows: clone sends each 100 times",
                "flow.a.udp.src: each packet is repeated 100 times (clone): this changes every 100 packets",
            ]
        );
    }

    #[test]
    fn what_does_not_move_before_the_end_is_named() {
        let sweep = flow("ipv4 = { dst = { from = \"10.0.0.1\", to = \"10.0.0.9\" } }");
        assert_eq!(
            says(&format!("[tx]\nclone = 1000\ncount = 1000\n{sweep}")),
            [
                "flow.a.clone: of a million packets 9 differ, in 9 flows: clone sends each 1000 times",
                "flow.a.ipv4.dst: never moves: all 1000 packets are copies of one (clone 1000)",
            ]
        );
        let one = says(&format!("[tx]\ncount = 1\n{sweep}"));
        assert_eq!(one, [] as [&str; 0], "one packet surprises nobody");
        let nested = flow(
            "order = \"nested\"\ncount = 50\nipv4 = { dst = { from = \"10.0.0.1\", to = \"10.0.0.99\" } }\n\
             udp = { src = { from = 1, to = 5 } }",
        );
        assert_eq!(
            says(&nested),
            ["flow.a.udp.src: never moves: it does after 99 packets, and this flow ends after 50 packets"]
        );
        let slow =
            flow("size = 80\norder = \"nested\"\nipv6 = { src = \"::/0\" }\nudp = { src = { from = 1, to = 5 } }");
        assert_eq!(
            says(&slow),
            ["flow.a.udp.src: never moves: the fields that turn faster do not come round in 2^64 packets"]
        );
    }

    #[test]
    fn c19_the_mtu_of_the_device_decides_where_it_is_known() {
        let of = |mtu: Option<u32>, size: u32| {
            let facts = Facts { mtu, ..Facts::default() };
            told(
                &facts,
                &format!("[tx]\nchunk_bytes = 4096\n{}", flow(&format!("size = {size}\nvlan = [{{ id = 5 }}]"))),
            )
        };
        assert_eq!((of(None, 1518), of(Some(9000), 3000)), (vec![], vec![]));
        let key = "flow.a.size".to_owned();
        let raise = "raise the MTU at both ends";
        assert_eq!(of(None, 1519), [(key.clone(), format!("1519 is above 1518, what an MTU of 1500 takes: {raise}"))]);
        assert_eq!(
            of(Some(1000), 1019),
            [(key, format!("1019 is above 1018, what this device's MTU of 1000 takes: {raise}"))]
        );
    }

    #[test]
    fn a_rate_is_told_as_a_share_of_the_link() {
        let at = |rate: &str, mbps: u32| {
            let facts = Facts { link_mbps: Some(mbps), ..Facts::default() };
            let text = format!("[tx]\nrate = \"{rate}\"\n{}", flow("size = 60"));
            told(&facts, &text).into_iter().map(|(_, message)| message).collect::<Vec<_>>()
        };
        assert_eq!(at("1M", 10_000), ["1 Mpps is 6.7 % of the link's 10 Gbit/s"]);
        assert_eq!(at("10 pps", 100), ["10 pps is 0.007 % of the link's 100 Mbit/s"]);
        assert_eq!(at("10 Gbit/s L1", 10_000), ["10 Gbit/s L1 is 100 % of the link's 10 Gbit/s"]);
        assert_eq!(
            at("10 Gbit/s", 10_000),
            ["10 Gbit/s is 140 % of the link's 10 Gbit/s: at most 14880952 pps of these sizes fit"]
        );
        assert_eq!(at("max", 10_000), [] as [&str; 0]);
    }

    #[test]
    fn one_g_alone_is_packets_and_says_so() {
        let said = says(&format!("[tx]\nrate = \"1G\"\n{}", flow("")));
        assert_eq!(
            said,
            [
                "tx.rate: 1 Gpps: a number is packets a second; for bits write 1 Gbit/s (and in kernel pktgen rate 1G is \
              1 Mbit/s)"
            ]
        );
    }

    #[test]
    fn c32_conversations_say_what_clone_and_count_make_of_them() {
        let many = |more: &str| {
            flow(&format!(
                "{more}\nflows = {{ count = 8000, length = 10 }}\nipv4 = {{ src = {{ random = \"198.18.0.0/15\" }} }}"
            ))
        };
        assert_eq!(says(&format!("[tx]\nburst = 32\n{}", many(""))), [] as [&str; 0], "burst repeats nothing");
        assert_eq!(
            says(&many("count = 40000")),
            ["flow.a.flows.count: this flow ends after 40000 packets: 4000 of the 8000 conversations begin"]
        );
        assert_eq!(
            says(&many("clone = 3")),
            [
                "flow.a.clone: of a million packets 8000 differ, in 8000 flows: clone sends each 3 times",
                "flow.a.flows.length: 10 built packets, each sent 3 times: 30 in a row",
                "flow.a.ipv4.src: each packet is repeated 3 times (clone): this changes every 30 packets",
            ]
        );
        let wide = flow("flows = { count = 65537 }\nipv4 = { src = { random = \"10.0.0.0/8\" } }");
        assert_eq!(says(&wide), ["flow.a.flows.count: 65537 conversations: kernel pktgen ends at 65536"]);
    }

    #[test]
    fn c40_odd_source_addresses_and_whole_subnets_are_named() {
        let src =
            |src: &str| says(&format!("[[flow]]\nname = \"a\"\neth = {{ dst = \"02:00:00:00:00:02\", src = {src} }}"));
        let group = "flow.a.eth.src: a multicast address as a source: switches drop such frames";
        assert_eq!(src("{ from = \"00:ff:ff:ff:ff:f0\", to = \"01:00:00:00:00:05\" }"), [group]);
        assert_eq!(src("{ list = [\"02:00:00:00:00:01\", \"01:00:00:00:00:01\", \"02:00:00:00:00:03\"] }"), [group]);
        assert_eq!(src("\"02:00:00:00:00:00/40\""), [] as [&str; 0]);
        assert_eq!(
            says(&flow("ipv4 = { dst = \"198.18.7.0/24\" }")),
            ["flow.a.ipv4.dst: a whole subnet, its network and its broadcast address too: write the range to leave \
              them out"]
        );
    }
}
