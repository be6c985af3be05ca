//! The arguments of `sweep` and `compare`.

use clap::{Args, ValueEnum};

use super::{FormatArgs, PlaceArgs, interval};

#[derive(Debug, Args)]
#[command(
    override_usage = "txdeck sweep PROFILE [--lab | -i IF] --burst LIST [OPTIONS]",
    after_long_help = "A LIST is 1,2,4 or 1..33:4. Every combination is measured once in each of --repeat rounds, in an\n\
        order of its own. A setting's figure is the mean of its slices; one that is more than 5 scaled\n\
        MADs from their median is left out and told. The profile's own count and duration do not hold.\n\n\
        Exit code: 0 done; 1 packets were dropped, refused, lost or unexplained, or the senders ended early;\n\
        2 could not start; 130 and 143 stopped by SIGINT and SIGTERM. What was measured is printed.\n\n\
        Examples:\n  txdeck sweep udp-64 --lab --burst 1,2,4,8,16,32 --slice 500ms\n  \
        txdeck sweep udp-64 -i eth1 --burst 1,8,32 --clone 0,10,100 --format md"
)]
pub struct SweepArgs {
    /// A path, - for stdin, or a name
    pub profile: String,
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Bursts to try: packets per doorbell
    #[arg(long, value_name = "LIST")]
    pub burst: Option<String>,
    /// Clone counts to try
    #[arg(long, value_name = "LIST")]
    pub clone: Option<String>,
    /// Any other numeric key, as rate=10k,100k or flow.udp.size=60,1514
    #[arg(long, value_name = "KEY=LIST")]
    pub axis: Vec<String>,
    /// How long a slice is measured
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval)]
    pub slice: std::time::Duration,
    /// Slices of each setting
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// Sending before the first slice
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = interval, hide_short_help = true)]
    pub warm_up: std::time::Duration,
    /// Of the order of the slices
    #[arg(long, value_name = "N", default_value_t = 1, hide_short_help = true)]
    pub seed: u64,
    /// The row that the others are held against [default: the first]
    #[arg(long, value_name = "ROW", hide_short_help = true)]
    pub baseline: Option<usize>,
    /// Queues to send on, one sender each: 0,2 or 0..3
    #[arg(long, value_name = "LIST", hide_short_help = true)]
    pub queues: Option<String>,
    /// Change the profile first, as in "run"
    #[arg(short = 's', long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub format: TableFormatArgs,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "txdeck compare A [B] [--lab | -i IF] [OPTIONS]",
    after_long_help = "Slices of A and B come in blocks of four, ABBA or BAAB by a coin, so that a machine that grows\n\
        slower favours neither. The verdict has a 95 % interval; a difference inside it is called none.\n\n\
        Exit code: 0 done, whatever the verdict; 1 packets were dropped, refused, lost or unexplained, or\n\
        the senders ended early; 2 could not start; 130 and 143 stopped by SIGINT and SIGTERM.\n\n\
        Examples:\n  txdeck compare udp-64 --lab --a burst=1 --b burst=32\n  \
        txdeck compare udp-64 my.toml -i eth1 --slice 1s --json"
)]
pub struct CompareArgs {
    /// A path, - for stdin, or a name
    pub a: String,
    /// The other side [default: A with what --b sets]
    pub b: Option<String>,
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Change side A only
    #[arg(long = "a", value_name = "KEY=VALUE", id = "set_a")]
    pub set_a: Vec<String>,
    /// Change side B only
    #[arg(long = "b", value_name = "KEY=VALUE", id = "set_b")]
    pub set_b: Vec<String>,
    /// Change both sides first
    #[arg(short = 's', long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// How long a slice is measured
    #[arg(long, value_name = "TIME", default_value = "250ms", value_parser = interval)]
    pub slice: std::time::Duration,
    /// Blocks of four slices; fewer than six make no interval
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(6..=1000))]
    pub blocks: u32,
    /// Sending before the first slice
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = interval, hide_short_help = true)]
    pub warm_up: std::time::Duration,
    /// Of the order of the slices
    #[arg(long, value_name = "N", default_value_t = 1, hide_short_help = true)]
    pub seed: u64,
    /// Both sides may be the same: how noisy is this place?
    #[arg(long, hide_short_help = true)]
    pub same: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// How a table is written.
#[derive(Debug, Clone, Copy, Args)]
pub struct TableFormatArgs {
    /// text (the default), json, csv or md; --json and --csv are short
    #[arg(long, value_enum, default_value_t, hide_default_value = true, hide_possible_values = true, overrides_with_all = ["format", "json", "csv"])]
    format: TableFormat,
    #[arg(long, hide = true, overrides_with_all = ["format", "json", "csv"])]
    json: bool,
    #[arg(long, hide = true, overrides_with_all = ["format", "json", "csv"])]
    csv: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum TableFormat {
    #[default]
    Text,
    Json,
    Csv,
    Md,
}

impl TableFormatArgs {
    pub fn chosen(self) -> TableFormat {
        match (self.json, self.csv) {
            (true, _) => TableFormat::Json,
            (_, true) => TableFormat::Csv,
            _ => self.format,
        }
    }
}
