//! How different the packets of a plan really are: in all, and each second at a rate, clone taken into account.

use std::collections::HashSet;

use crate::profile::{Flow, Ip, Profile, Rate, sizes};

use super::{
    distinct::Variety,
    frame::Stamp,
    plan::{Plan, PlanFlow},
};

/// What matters of each flow of a plan.
#[derive(Debug, Clone)]
pub struct Diversity {
    flows: Vec<Stream>,
    rate: Rate,
    count: u64,
    duration_ns: u64,
}

#[derive(Debug, Clone)]
struct Stream {
    copies: f64,
    weight: f64,
    count: u64,
    rate: Option<Rate>,
    mean_bytes: f64,
    /// `None`: an earlier flow makes the same one.
    packets: Option<Variety>,
    tuples: Option<Variety>,
}

/// Different ones among so many sends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Packets built anew.
    pub builds: f64,
    pub packets: f64,
    /// Conversations: source and destination address and port.
    pub flows: f64,
}

impl Diversity {
    /// `plan` is what `profile` compiled to.
    pub fn of(plan: &Plan, profile: &Profile) -> Self {
        let (mut packets, mut tuples) = (HashSet::new(), HashSet::new());
        let enabled = profile.flows.iter().filter(|flow| flow.enabled);
        let flows = plan.flows.iter().zip(enabled).map(|(planned, flow)| {
            let frame = &planned.frame;
            // Flows that never vary may all be the same one under many names.
            let is_fixed = |variety: &Variety| variety.distinct == Some(1);
            let is_new_packet = !is_fixed(&frame.packets()) || packets.insert(bytes(planned));
            let is_new_tuple = !is_fixed(&frame.five_tuples()) || tuples.insert(five_tuple(flow));
            Stream {
                copies: f64::from(planned.copies.max(1)),
                weight: f64::from(planned.weight),
                count: planned.count,
                rate: planned.rate,
                mean_bytes: frame.mean_len().unwrap_or_else(|| sizes::mean(&flow.size)),
                packets: is_new_packet.then(|| frame.packets()),
                tuples: is_new_tuple.then(|| frame.five_tuples()),
            }
        });
        Self { flows: flows.collect(), rate: plan.rate, count: plan.count, duration_ns: plan.duration_ns }
    }

    /// Different packets and conversations that the plan makes before it ends or begins anew.
    pub fn in_all(&self) -> Found {
        let shares = self.pps(self.paced_pps());
        self.sum(|at, _| self.sends(at, &shares))
    }

    /// Packets of one flow before the plan ends, copies included; infinite without an end.
    pub(super) fn sends_of(&self, at: usize) -> f64 {
        self.sends(at, &self.pps(self.paced_pps()))
    }

    /// Packets a second of one flow, copies included, where the profile itself paces it.
    pub(super) fn pps_of(&self, at: usize) -> Option<f64> {
        self.pps(self.paced_pps()).get(at).copied().flatten()
    }

    fn sends(&self, at: usize, shares: &[Option<f64>]) -> f64 {
        let Some(stream) = self.flows.get(at) else { return 0.0 };
        let total: Option<f64> = shares.iter().copied().sum();
        let limit = |count: u64| if count == 0 { f64::INFINITY } else { count as f64 };
        let pps = shares.get(at).copied().flatten();
        let of_count = match (pps, total) {
            (Some(pps), Some(total)) if total > 0.0 => limit(self.count) * pps / total,
            _ => limit(self.count) * self.weight_share(stream),
        };
        let of_time = match pps {
            Some(pps) if self.duration_ns > 0 => pps * self.duration_ns as f64 / 1e9,
            _ => f64::INFINITY,
        };
        limit(stream.count).min(of_count).min(of_time)
    }

    /// Different ones within a second when `left_pps` leave; `None`: the rate is not known.
    pub fn a_second(&self, left_pps: Option<f64>) -> Option<Found> {
        let shares: Option<Vec<f64>> = self.pps(left_pps.or(self.paced_pps())).into_iter().collect();
        let shares = shares?;
        Some(self.sum(|at, _| shares.get(at).copied().unwrap_or(0.0)))
    }

    /// What the profile itself paces to.
    pub fn paced_pps(&self) -> Option<f64> {
        self.rate.pps(self.mean_bytes())
    }

    /// Bytes of a packet on average, by the weights of the flows.
    pub(super) fn mean_bytes(&self) -> f64 {
        let weights: f64 = self.flows.iter().map(|stream| stream.weight).sum();
        let bytes: f64 = self.flows.iter().map(|stream| stream.mean_bytes * stream.weight).sum();
        bytes / weights.max(1.0)
    }

    fn sum(&self, sends: impl Fn(usize, &Stream) -> f64) -> Found {
        let mut found = Found { builds: 0.0, packets: 0.0, flows: 0.0 };
        for (at, stream) in self.flows.iter().enumerate() {
            let sends = sends(at, stream);
            // Less than one packet is none that differs from another.
            let builds = if sends.is_finite() { (sends / stream.copies).ceil() } else { f64::INFINITY };
            found.builds += builds;
            found.packets += stream.packets.map_or(0.0, |packets| packets.among(builds));
            found.flows += stream.tuples.map_or(0.0, |tuples| tuples.among(builds));
        }
        found
    }

    /// Packets a second of each flow: rated flows have theirs, the others share the rest by weight.
    fn pps(&self, total: Option<f64>) -> Vec<Option<f64>> {
        let rated = |stream: &Stream| stream.rate.and_then(|rate| rate.pps(stream.mean_bytes));
        let taken: f64 = self.flows.iter().filter_map(rated).sum();
        self.flows
            .iter()
            .map(|stream| match (rated(stream), total) {
                // What the senders cannot keep up with is missing from every flow alike.
                (Some(pps), Some(total)) if taken > total => Some(pps * total / taken),
                (Some(pps), _) => Some(pps),
                (None, Some(total)) => Some((total - taken).max(0.0) * self.weight_share(stream)),
                (None, None) => None,
            })
            .collect()
    }

    fn weight_share(&self, stream: &Stream) -> f64 {
        let open: f64 = self.flows.iter().filter(|flow| flow.rate.is_none()).map(|flow| flow.weight).sum();
        if open > 0.0 && stream.rate.is_none() { stream.weight / open } else { 1.0 }
    }
}

/// The first build, without what the pktgen header counts.
fn bytes(flow: &PlanFlow) -> Vec<u8> {
    let mut bytes = vec![0; flow.frame.len(0)];
    flow.frame.write(&mut bytes, &mut 0, &Stamp::default());
    bytes
}

/// Addresses and ports of the first build; 0 where there is none.
fn five_tuple(flow: &Flow) -> [u128; 5] {
    let (version, src, dst) = match &flow.ip {
        None => (0, 0, 0),
        Some(Ip::V4(ip)) => (4, ip.src.min(), ip.dst.min()),
        Some(Ip::V6(ip)) => (6, ip.src.min(), ip.dst.min()),
    };
    let ports = match (&flow.udp, &flow.tcp) {
        (Some(udp), _) => (udp.src.min(), udp.dst.min()),
        // Apart from UDP's: the protocol is part of the tuple.
        (None, Some(tcp)) => (tcp.src.min() | 1 << 16, tcp.dst.min()),
        (None, None) => (0, 0),
    };
    [version, src, dst, ports.0, ports.1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        packet::plan::{Facts, compile},
        profile::Document,
    };

    fn of(text: &str) -> Diversity {
        let text = format!("version = 1\n{text}");
        let document = Document::parse("t", &text).unwrap();
        Diversity::of(&compile(document.profile(), &Facts::default()).unwrap(), document.profile())
    }

    const FLOW: &str = "eth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\n";

    #[test]
    fn c30_clone_makes_few_packets_of_many() {
        let flow = format!("[[flow]]\n{FLOW}udp = {{ src = {{ random = [1024, 65535] }} }}\n");
        let fresh = of(&flow).a_second(Some(10_000.0)).unwrap();
        assert!((fresh.packets - 9_260.0).abs() < 10.0 && (fresh.flows - 9_260.0).abs() < 10.0, "{fresh:?}");
        let cloned = of(&format!("[tx]\nclone = 100\n{flow}")).a_second(Some(10_000.0)).unwrap();
        assert!(cloned.packets <= 100.0 && cloned.builds == 100.0, "{cloned:?}");
        assert_eq!(of(&flow).a_second(None), None, "at max nobody knows");
        let counted = of(&format!("[tx]\ncount = 10000\nclone = 100\n{flow}")).in_all();
        assert!(counted.packets <= 100.0 && counted.packets > 99.0, "{counted:?}");
    }

    #[test]
    fn only_addresses_and_ports_make_conversations() {
        let plan = of(&format!("[[flow]]\nsize = {{ from = 60, to = 69 }}\n{FLOW}udp = {{}}\n"));
        let found = plan.a_second(Some(1e6)).unwrap();
        assert_eq!((found.packets, found.flows), (10.0, 1.0));
        // As an odometer the size turns first: a port every ten builds.
        let nested = format!(
            "[[flow]]\norder = \"nested\"\nsize = {{ from = 60, to = 69 }}\n{FLOW}udp = {{ src = {{ from = 1, to = 100 }} }}\n"
        );
        let found = of(&nested).a_second(Some(200.0)).unwrap();
        assert_eq!((found.packets, found.flows), (200.0, 20.0));
        assert_eq!(of(&nested).in_all().packets, 1000.0);
    }

    #[test]
    fn the_same_packet_under_two_names_is_one() {
        let flow = |name: &str, more: &str| format!("[[flow]]\nname = \"{name}\"\n{more}\n{FLOW}udp = {{}}\n");
        let found = of(&format!("{}{}{}", flow("a", ""), flow("b", ""), flow("c", "size = 61"))).in_all();
        assert_eq!((found.packets, found.flows), (2.0, 1.0));
    }

    #[test]
    fn flows_share_a_rate_as_the_engine_does() {
        let flow = |name: &str, more: &str| {
            format!("[[flow]]\nname = \"{name}\"\n{more}\n{FLOW}udp = {{ src = {{ from = 0, to = 65535 }} }}\n")
        };
        let plan =
            of(&format!("[tx]\nrate = 1000\n{}{}{}", flow("a", "rate = 100"), flow("b", "weight = 2"), flow("c", "")));
        let found = plan.a_second(None).unwrap();
        assert_eq!(found.packets, 100.0 + 600.0 + 300.0);
        let slow = plan.a_second(Some(50.0)).unwrap();
        assert!((slow.builds - 50.0).abs() < 1.0, "{slow:?}");
    }
}
