//! What a link leaves for each packet: nanoseconds from one frame to the next at line rate.

use super::{Profile, Rate, sizes::SHORTEST_FRAME};

/// Ethernet's speeds, bits a second with their names, ascending.
pub const SPEEDS: [(f64, &str); 10] = [
    (1e9, "1G"),
    (2.5e9, "2.5G"),
    (5e9, "5G"),
    (10e9, "10G"),
    (25e9, "25G"),
    (40e9, "40G"),
    (50e9, "50G"),
    (100e9, "100G"),
    (200e9, "200G"),
    (400e9, "400G"),
];

/// Those a budget is told for.
const BUDGETED: [&str; 5] = ["1G", "10G", "25G", "40G", "100G"];

/// One link's budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    pub link: &'static str,
    pub bps: f64,
    /// At line rate.
    pub pps: f64,
    /// From one packet to the next.
    pub gap_ns: f64,
}

/// The frame that a budget is reckoned for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BudgetFrame {
    /// Without FCS.
    pub bytes: f64,
    /// How the profile's sizes came to this: nothing, `mean ` or `shortest `.
    pub word: &'static str,
}

/// 1, 10, 25, 40 and 100 Gbit/s with frames of this size (without FCS), 24 more bytes each on the wire.
pub fn budgets(size_bytes: f64) -> impl Iterator<Item = Budget> {
    let told = SPEEDS.into_iter().filter(|(_, link)| BUDGETED.contains(link));
    told.filter_map(move |(bps, link)| {
        let pps = Rate::WireBits(bps).pps(size_bytes)?;
        Some(Budget { link, bps, pps, gap_ns: 1e9 / pps })
    })
}

impl Profile {
    /// The one size or exact mean of a lone flow, else the shortest frame of any: it has the least time.
    pub fn budget_frame(&self) -> BudgetFrame {
        let mut flows = self.flows.iter().filter(|flow| flow.enabled);
        if let (Some(flow), None) = (flows.next(), flows.next())
            && let Some(bytes) = flow.sure_mean()
        {
            return BudgetFrame { bytes, word: if flow.size.is_fixed() { "" } else { "mean " } };
        }
        let shortest = self.flows.iter().filter(|flow| flow.enabled).map(|flow| flow.size.min()).min();
        let bytes = shortest.map_or(f64::from(SHORTEST_FRAME), |bytes| bytes as f64);
        BudgetFrame { bytes, word: "shortest " }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Document;

    #[test]
    fn sixty_bytes_have_67_2_ns_at_10g() {
        let rows: Vec<Budget> = budgets(60.0).collect();
        let told: Vec<(&str, String, String)> =
            rows.iter().map(|b| (b.link, format!("{:.2}", b.gap_ns), format!("{:.3}", b.pps / 1e6))).collect();
        let wanted = [
            ("1G", "672.00", "1.488"),
            ("10G", "67.20", "14.881"),
            ("25G", "26.88", "37.202"),
            ("40G", "16.80", "59.524"),
            ("100G", "6.72", "148.810"),
        ];
        assert_eq!(told, wanted.map(|(link, ns, pps)| (link, ns.to_owned(), pps.to_owned())));
        let full = budgets(1514.0).find(|budget| budget.link == "10G").unwrap();
        assert_eq!(format!("{:.1}", full.gap_ns), "1230.4");
    }

    #[test]
    fn several_sizes_are_reckoned_at_their_mean_or_their_shortest() {
        let frame = |sizes: &[&str]| {
            let flows = sizes.iter().enumerate().map(|(i, size)| {
                format!("[[flow]]\nname = \"f{i}\"\nsize = {size}\neth = {{ dst = \"02:00:00:00:00:02\" }}\n")
            });
            let text = format!("version = 1\n{}", flows.collect::<String>());
            Document::parse("t", &text).unwrap_or_else(|why| panic!("{why}")).profile().budget_frame()
        };
        assert_eq!(frame(&["60"]), BudgetFrame { bytes: 60.0, word: "" });
        assert_eq!(frame(&["{ imix = [[60, 1], [1514, 1]] }"]), BudgetFrame { bytes: 787.0, word: "mean " });
        assert_eq!(frame(&["{ from = 100, to = 1514 }"]), BudgetFrame { bytes: 100.0, word: "shortest " });
        assert_eq!(frame(&["1514", "252"]), BudgetFrame { bytes: 252.0, word: "shortest " });
    }
}
