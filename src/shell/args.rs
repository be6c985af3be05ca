//! The command line: what may be written after `txdeck`, and nothing else.

mod trials;

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::{
    dialect::Dialect,
    shell::{expect::Expect, settings::Settings},
};

pub use trials::{CompareArgs, SweepArgs, TableFormat};

#[derive(Debug, Parser)]
#[command(
    name = "txdeck",
    about = "Sends packets over AF_XDP and says honestly where they went",
    disable_version_flag = true,
    disable_help_subcommand = true,
    max_term_width = 80,
    override_usage = "txdeck [PROFILE] [-i IF]   or   txdeck COMMAND (more: txdeck COMMAND -h)",
    defer(few_options),
    help_template = "{about}\n{usage-heading} {usage}\n\n{subcommands}\n{options}{after-help}",
    after_long_help = "PROFILE is a path, - for stdin, or a name: your own profiles first, then the shipped ones.\n\n\
        Examples:\n  txdeck lab                        the console in a lab; no rights needed\n  \
        txdeck run udp-64 --lab -n 1000   a thousand packets without a screen"
)]
pub struct Cli {
    #[command(flatten)]
    pub console: Console,
    /// Send on this device; "sim" is the simulated nic
    #[arg(short = 'i', long = "device", value_name = "IF")]
    pub device: Option<String>,
    /// Lift the guard of this one device
    #[arg(long, value_name = "IF", hide_short_help = true)]
    pub arm: Option<String>,
    /// Version, commit, kernel, and what works on this machine
    #[arg(short = 'V', long)]
    pub version: bool,
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands need the room: short help leaves out what `--set` says as well.
fn few_options(command: clap::Command) -> clap::Command {
    ["queues", "duration", "count"]
        .into_iter()
        .fold(command, |command, option| command.mut_arg(option, |option| option.hide_short_help(true)))
}

/// What every command takes.
#[derive(Debug, Clone, Default, Args)]
pub struct Common {
    /// No progress
    #[arg(short, long, global = true, conflicts_with = "verbose", hide_short_help = true, display_order = 900)]
    pub quiet: bool,
    /// Log to stderr; twice for more
    #[arg(short, long, global = true, action = clap::ArgAction::Count, hide_short_help = true, display_order = 901)]
    pub verbose: u8,
    /// When to colour
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_short_help = true,
        display_order = 902
    )]
    pub color: Color,
    /// Write the output here instead of stdout
    #[arg(short, long = "output", global = true, value_name = "FILE", hide_short_help = true, display_order = 903)]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// What the console takes, inside a lab and outside.
#[derive(Debug, Clone, Default, Args)]
pub struct Console {
    /// What to send [default: udp-64]
    #[arg(value_name = "PROFILE")]
    pub profile: Option<String>,
    #[command(flatten)]
    pub settings: Settings,
    /// Redraws a second [default: 10, over ssh 4]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = clap::value_parser!(u32).range(1..=30))]
    pub fps: Option<u32>,
    /// Draw with ASCII only
    #[arg(long, hide_short_help = true)]
    pub ascii: bool,
    /// Colours: one of "txdeck themes", or a file
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub theme: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// The console inside a private lab; no rights needed
    Lab(LabArgs),
    /// Send without a screen and print a result
    Run(Box<RunArgs>),
    /// Measure a grid of settings: ns a packet, differences, fit
    Sweep(Box<SweepArgs>),
    /// Two profiles or settings in turn: which costs less, if any
    Compare(Box<CompareArgs>),
    /// Validate profiles, themes and keymaps
    Check(CheckArgs),
    /// The first frames as they will leave: hex with words, or a capture
    Show(ShowArgs),
    /// Turn another generator's file into a profile
    Import(ImportArgs),
    /// Write a profile in another generator's language
    Export(ExportArgs),
    /// What atomics, barriers and system calls cost on this CPU
    Calibrate(CalibrateArgs),
    /// Network devices, what they can do, and whether they are guarded
    Devices(DevicesArgs),
    /// List profiles, or print one
    Profiles(ProfilesArgs),
    /// List themes, or print one
    Themes(ThemesArgs),
    /// Print the keymap
    #[command(after_long_help = "Examples:\n  txdeck keys\n  txdeck keys > ~/.config/txdeck/keys.toml")]
    Keys,
    /// Where txdeck looks for and keeps things
    #[command(after_long_help = "Examples:\n  txdeck paths\n  ls $(txdeck paths | sed -n 's/^profiles *//p')")]
    Paths,
    /// Print the completions of a shell
    #[command(
        after_long_help = "Examples:\n  txdeck completions bash > ~/.local/share/bash-completion/completions/txdeck\n  \
        txdeck completions fish > ~/.config/fish/completions/txdeck.fish"
    )]
    Completions { shell: clap_complete::Shell },
    /// Print the manual page
    #[command(after_long_help = "Examples:\n  txdeck man | man -l -\n  txdeck man > ~/.local/share/man/man1/txdeck.1")]
    Man,
}

/// How the lab is made.
#[derive(Debug, Clone, Args)]
pub struct LabShape {
    /// Queues of the lab's devices; all are used by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub lab_queues: Option<u32>,
    /// MTU of the lab's devices, for frames above 1514 bytes
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(68..=65535), hide_short_help = true)]
    pub lab_mtu: Option<u32>,
    /// Give the far end the MAC that udp-64 sends to, so frames go up its stack
    #[arg(long, hide_short_help = true)]
    pub deliver: bool,
}

/// Where to send.
#[derive(Debug, Clone, Args)]
pub struct PlaceArgs {
    /// Send inside a private lab made for this
    #[arg(long, conflicts_with = "device")]
    pub lab: bool,
    #[command(flatten)]
    pub shape: LabShape,
    /// Send on this device; "sim" is the simulated nic
    #[arg(short = 'i', long = "device", value_name = "IF", conflicts_with_all = ["lab_queues", "lab_mtu", "deliver"])]
    pub device: Option<String>,
    /// Lift the guard of this one device
    #[arg(long, value_name = "IF", hide_short_help = true)]
    pub arm: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  txdeck lab --start\n  txdeck lab --enter -- ip -s link show sink0")]
pub struct LabArgs {
    #[command(flatten)]
    pub console: Console,
    #[command(flatten)]
    pub shape: LabShape,
    /// Start sending at once
    #[arg(long)]
    pub start: bool,
    /// Run CMD (after --) inside the running lab
    #[arg(long, requires = "inside", conflicts_with_all = ["start", "print_apparmor", "lab_queues", "lab_mtu", "deliver"])]
    pub enter: bool,
    /// Which lab, when several run
    #[arg(long, value_name = "PID", requires = "enter", hide_short_help = true)]
    pub pid: Option<u32>,
    /// Run it at the far end, where sink0 is
    #[arg(long, requires = "enter", hide_short_help = true)]
    pub far: bool,
    /// Make a lab and leave it at once: exit code 0 where that works
    #[arg(long = "try", hide = true, id = "attempt")]
    pub attempt: bool,
    /// Print the AppArmor profile that lets txdeck make a lab on Ubuntu
    #[arg(long, conflicts_with = "start")]
    pub print_apparmor: bool,
    /// What to run with --enter, with its arguments
    #[arg(last = true, value_name = "CMD", requires = "enter", id = "inside")]
    pub inside: Vec<std::ffi::OsString>,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "txdeck run PROFILE [--lab | -i IF] [OPTIONS]",
    after_long_help = "Exit code: 0 done; 1 packets were dropped, refused, lost or unexplained;\n\
        2 could not start; 3 an --expect did not hold; 130 and 143 stopped by SIGINT\n\
        and SIGTERM.\n\n\
        Examples:\n  txdeck run udp-64 --lab --duration 2s --json\n  \
        txdeck run udp-64 -i eth1 -n 1000000 -s burst=64 --expect 'pps>=900k'"
)]
pub struct RunArgs {
    /// A path, - for stdin, a name, or the result of an earlier run
    pub profile: String,
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub settings: Settings,
    /// Report this often: samples on stdout with --json, else lines on stderr
    #[arg(long, value_name = "TIME", value_parser = interval)]
    pub interval: Option<std::time::Duration>,
    /// Fail (exit 3) unless this holds of the result: pps>=900k, dropped=0
    #[arg(long, value_name = "EXPR")]
    pub expect: Vec<Expect>,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// How the answer is written.
#[derive(Debug, Clone, Copy, Args)]
pub struct FormatArgs {
    /// text (the default) or json; --json is short for it
    #[arg(long, value_enum, default_value_t, hide_default_value = true, hide_possible_values = true, overrides_with_all = ["format", "json"])]
    format: Format,
    #[arg(long, hide = true, overrides_with_all = ["format", "json"])]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    #[default]
    Text,
    Json,
}

impl FormatArgs {
    pub fn chosen(self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  txdeck check my.toml\n  txdeck check profiles/*.toml themes/*.toml")]
pub struct CheckArgs {
    /// Profiles, themes, keymaps; - is a profile on stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  txdeck show udp-64 -n 3\n  txdeck show my.toml -n 1000 --pcap first.pcap")]
pub struct ShowArgs {
    /// A path, - for stdin, or a name
    pub profile: String,
    /// Frames to show
    #[arg(short = 'n', long = "count", value_name = "N", default_value_t = 4)]
    pub frames: u64,
    /// This flow only
    #[arg(long, value_name = "NAME")]
    pub flow: Option<String>,
    /// Write a capture instead; - is stdout
    #[arg(long, value_name = "FILE")]
    pub pcap: Option<PathBuf>,
    /// Take MAC and neighbours from this device
    #[arg(short = 'i', long = "device", value_name = "IF")]
    pub device: Option<String>,
    /// Change the profile first, as in "run"
    #[arg(short = 's', long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "txdeck import [--from DIALECT] FILE [-o PROFILE] [-- SCRIPT OPTIONS]",
    after_long_help = "Nothing of the file is executed. What could not be carried over, and what was\n\
        converted, is told line by line on stderr.\n\n\
        Examples:\n  txdeck import --from pktgen udp.sh -o udp.toml\n  \
        txdeck import pktgen_sample03.sh -- -i eth1 -s 60 -b 32"
)]
pub struct ImportArgs {
    /// A file, or - for stdin
    #[arg(value_name = "FILE")]
    pub file: String,
    /// What the file is; told by its content otherwise
    #[arg(long, value_name = "DIALECT", value_parser = importable())]
    pub from: Option<Dialect>,
    /// Options that the script would be started with, behind --
    #[arg(last = true, value_name = "SCRIPT OPTIONS")]
    pub given: Vec<String>,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "txdeck export --to DIALECT PROFILE [-o FILE]",
    after_long_help = "What the other language cannot say is told on stderr, field by field.\n\n\
        Examples:\n  txdeck export --to pktgen udp-64 -i eth1 -o udp-64.sh\n  \
        txdeck export --to command sweep-ports"
)]
pub struct ExportArgs {
    /// A path, - for stdin, or a name
    pub profile: String,
    /// The language to write
    #[arg(long, value_name = "DIALECT", value_parser = exportable())]
    pub to: Dialect,
    /// The device that the script is for, where the profile names none
    #[arg(short = 'i', long = "device", value_name = "IF")]
    pub device: Option<String>,
    /// Frames of a capture
    #[arg(short = 'n', long = "count", value_name = "N", default_value_t = super::export::FRAMES)]
    pub frames: u64,
    /// Change the profile first, as in "run"
    #[arg(short = 's', long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// The names of some dialects, read into dialects.
fn dialects(known: fn(&Dialect) -> bool) -> impl clap::builder::TypedValueParser<Value = Dialect> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    let names: Vec<&str> = Dialect::ALL.into_iter().filter(known).map(Dialect::name).collect();
    PossibleValuesParser::new(names).map(|name| Dialect::named(&name).unwrap_or(Dialect::Pktgen))
}

fn importable() -> impl clap::builder::TypedValueParser<Value = Dialect> {
    dialects(|dialect| dialect.can_import())
}

fn exportable() -> impl clap::builder::TypedValueParser<Value = Dialect> {
    dialects(|dialect| dialect.can_export())
}

#[derive(Debug, Args)]
#[command(
    override_usage = "txdeck calibrate [PROFILE] [--cpu N] [OPTIONS]",
    after_long_help = "Takes about two seconds on an otherwise idle machine and sends nothing. The kick is tried\n\
        in a private lab, where one can be made.\n\n\
        Examples:\n  txdeck calibrate\n  txdeck calibrate imix --cpu 2 --json"
)]
pub struct CalibrateArgs {
    /// Whose frame size the budget is for [default: udp-64]
    #[arg(value_name = "PROFILE")]
    pub profile: Option<String>,
    /// Measure here [default: the profile's first CPU]
    #[arg(long, value_name = "N")]
    pub cpu: Option<u32>,
    /// Change the profile first, as in "run"
    #[arg(short = 's', long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  txdeck devices\n  txdeck devices --json")]
pub struct DevicesArgs {
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  txdeck profiles\n  txdeck profiles udp-64 --effective > my.toml")]
pub struct ProfilesArgs {
    /// Print this one
    pub name: Option<String>,
    /// With every default written out
    #[arg(long, requires = "name")]
    pub effective: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  txdeck themes\n  txdeck themes terminal > ~/.config/txdeck/themes/mine.toml")]
pub struct ThemesArgs {
    /// Print this one
    pub name: Option<String>,
}

/// The whole command line as clap knows it, for completions and the manual.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Whether a command line that could not be read asks for JSON, so that its error can be JSON too.
pub fn asks_for_json(args: &[String]) -> bool {
    let before_rest = || args.iter().take_while(|arg| *arg != "--");
    let pair = before_rest().zip(before_rest().skip(1)).any(|(a, b)| a == "--format" && b == "json");
    pair || before_rest().any(|arg| arg == "--json" || arg == "--format=json")
}

impl Cli {
    /// Options written before a command would be lost; says which command they belong behind.
    pub fn stray(&self) -> Option<&'static str> {
        let command = self.command.as_ref()?;
        let given = self.device.is_some()
            || self.arm.is_some()
            || self.console.profile.is_some()
            || self.console.fps.is_some()
            || self.console.ascii
            || self.console.theme.is_some()
            || !self.console.settings.is_empty();
        given.then(|| command.name())
    }
}

impl Cli {
    /// Whether a screen will be drawn.
    pub fn opens_console(&self) -> bool {
        match &self.command {
            None => !self.version,
            Some(Command::Lab(lab)) => !lab.enter && !lab.print_apparmor && !lab.attempt,
            Some(_) => false,
        }
    }
}

impl Command {
    pub fn name(&self) -> &'static str {
        match self {
            Command::Lab(_) => "lab",
            Command::Run(_) => "run",
            Command::Sweep(_) => "sweep",
            Command::Compare(_) => "compare",
            Command::Check(_) => "check",
            Command::Show(_) => "show",
            Command::Import(_) => "import",
            Command::Export(_) => "export",
            Command::Calibrate(_) => "calibrate",
            Command::Devices(_) => "devices",
            Command::Profiles(_) => "profiles",
            Command::Themes(_) => "themes",
            Command::Keys => "keys",
            Command::Paths => "paths",
            Command::Completions { .. } => "completions",
            Command::Man => "man",
        }
    }
}

/// At least one tick of the sampler; `1s`, `250ms`, a bare number is seconds.
fn interval(text: &str) -> Result<std::time::Duration, String> {
    let refuse = || format!("{text}: not a time. Allowed: 100ms to 1h, as 250ms, 1s, 2m; a bare number is seconds");
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..unit_at].parse().map_err(|_| refuse())?;
    let seconds = match text[unit_at..].trim() {
        "" | "s" => number,
        "ms" => number / 1e3,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(refuse()),
    };
    if !(0.1..=3600.0).contains(&seconds) {
        return Err(refuse());
    }
    Ok(std::time::Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split_whitespace())
    }

    #[test]
    fn clap_finds_no_contradiction() {
        Cli::command().debug_assert();
    }

    #[test]
    fn short_help_of_every_command_fits_a_screen() {
        let mut root = command();
        root.build();
        let names = root.get_subcommands().map(|sub| sub.get_name().to_owned()).collect::<Vec<_>>();
        let mut pages = vec![("txdeck".to_owned(), root.render_help().to_string())];
        for name in names {
            let page = root.find_subcommand_mut(&name).map(|sub| sub.render_help().to_string());
            pages.push((name, page.unwrap_or_default()));
        }
        for (name, page) in pages {
            assert!(page.lines().count() < 24, "{name} -h has {} lines:\n{page}", page.lines().count());
            let widest = page.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(widest <= 80, "{name} -h is {widest} wide:\n{page}");
        }
    }

    #[test]
    fn long_help_of_every_command_ends_with_two_examples() {
        let mut root = command();
        root.build();
        let names = root.get_subcommands().map(|sub| sub.get_name().to_owned()).collect::<Vec<_>>();
        let mut pages = vec![root.render_long_help().to_string()];
        pages.extend(
            names.iter().filter_map(|name| Some(root.find_subcommand_mut(name)?.render_long_help().to_string())),
        );
        for page in pages {
            let (_, examples) = page.rsplit_once("Examples:\n").unwrap_or_else(|| panic!("no examples in:\n{page}"));
            let lines: Vec<&str> = examples.trim_end().lines().filter(|line| line.contains("txdeck")).collect();
            assert_eq!(lines.len(), examples.trim_end().lines().count(), "an example is wrapped:\n{examples}");
            assert_eq!(lines.len(), 2, "{examples}");
        }
    }

    #[test]
    fn the_last_of_json_and_format_wins() {
        let format = |line: &str| match parse(line).unwrap().command {
            Some(Command::Run(run)) => run.format.chosen(),
            other => panic!("{other:?}"),
        };
        assert_eq!(format("txdeck run a --json"), Format::Json);
        assert_eq!(format("txdeck run a --json --format text"), Format::Text);
        assert_eq!(format("txdeck run a --format text --json"), Format::Json);
        assert_eq!(format("txdeck run a"), Format::Text);
    }

    #[test]
    fn lab_and_device_exclude_each_other() {
        assert!(parse("txdeck run a --lab -i eth1").is_err());
        assert!(parse("txdeck run a -i eth1 --lab-queues 2").is_err());
        assert!(parse("txdeck lab --enter").is_err());
        assert!(parse("txdeck lab --enter -- ip link").is_ok());
        assert!(parse("txdeck lab -- ip link").is_err());
    }

    #[test]
    fn options_before_a_command_are_not_lost_silently() {
        assert_eq!(parse("txdeck -i eth1 run a").unwrap().stray(), Some("run"));
        assert_eq!(parse("txdeck -v run a -i eth1").unwrap().stray(), None);
        assert_eq!(parse("txdeck udp-64 -i sim").unwrap().stray(), None);
    }

    #[test]
    fn json_is_recognised_in_a_line_that_does_not_parse() {
        let asks = |line: &str| asks_for_json(&line.split_whitespace().map(String::from).collect::<Vec<_>>());
        assert!(asks("txdeck run --json --bogus"));
        assert!(asks("txdeck run --format json"));
        assert!(!asks("txdeck run --format text"));
        assert!(!asks("txdeck lab --enter -- tool --json"));
    }

    #[test]
    fn intervals_are_times() {
        assert_eq!(interval("250ms"), Ok(std::time::Duration::from_millis(250)));
        assert_eq!(interval("2"), Ok(std::time::Duration::from_secs(2)));
        for bad in ["", "s", "1x", "0", "-1s", "nan", "1e99h", "0.01s"] {
            assert!(interval(bad).is_err(), "{bad}");
        }
    }
}
