//! The hands: arguments, files, the terminal, the one loop.

mod args;
mod calibrate;
mod captures;
mod check;
mod clock;
mod config;
mod console;
mod cpus;
mod devices;
mod errno;
mod expect;
mod export;
mod failure;
mod gauge;
mod host;
mod import;
mod labs;
mod launch;
mod listing;
mod load;
mod log;
mod lookup;
mod manual;
mod open;
mod output;
#[cfg(fuzzing)]
pub mod parsers;
mod paths;
mod progress;
mod replay;
mod report;
mod result;
mod run;
mod save;
mod session;
mod settings;
mod shipped;
mod show;
mod signals;
mod site;
mod tally;
mod told;
mod trials;
mod version;

use std::{io, process::ExitCode};

use clap::Parser;

use args::{Cli, Command, Format, TableFormat};
use failure::Failure;
use output::{Ending, say};

/// Could not start: bad input, no right, no device.
const NOT_STARTED: u8 = 2;

/// The whole program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_understood(&error),
    };
    // The console logs to a file: nothing may garble its screen.
    if !cli.opens_console() {
        log::to_stderr(&cli.common);
    }
    end(dispatch(&cli), wants_json(&cli))
}

fn dispatch(cli: &Cli) -> Result<u8, Ending> {
    if let Some(command) = cli.stray() {
        let message = format!("options in front of \"{command}\" would be lost: write them behind it");
        return Err(Failure::new("usage", message).into());
    }
    let common = &cli.common;
    match &cli.command {
        None if cli.version => version::run(common),
        None => launch::console(cli),
        Some(Command::Lab(args)) if args.enter => Err(labs::enter(args)),
        Some(Command::Lab(args)) if args.print_apparmor => labs::print_apparmor(common),
        Some(Command::Lab(args)) if args.attempt => labs::attempt(),
        Some(Command::Lab(args)) => launch::lab(args, common),
        Some(Command::Run(args)) => run::run(args, common),
        Some(Command::Sweep(args)) => trials::sweep(args, common),
        Some(Command::Compare(args)) => trials::compare(args, common),
        Some(Command::Check(args)) => check::run(args, common),
        Some(Command::Show(args)) => show::run(args, common),
        Some(Command::Import(args)) => import::run(args, common),
        Some(Command::Export(args)) => export::run(args, common),
        Some(Command::Calibrate(args)) => calibrate::run(args, common),
        Some(Command::Devices(args)) => devices::run(args, common),
        Some(Command::Profiles(args)) => listing::profiles(args, common),
        Some(Command::Themes(args)) => listing::themes(args, common),
        Some(Command::Keys) => listing::keys(common),
        Some(Command::Paths) => listing::paths(common),
        Some(Command::Completions { shell }) => manual::completions(*shell, common),
        Some(Command::Man) => manual::page(common),
    }
}

fn wants_json(cli: &Cli) -> bool {
    match &cli.command {
        Some(Command::Run(args)) => args.format.chosen() == Format::Json,
        Some(Command::Sweep(args)) => args.format.chosen() == TableFormat::Json,
        Some(Command::Compare(args)) => args.format.chosen() == Format::Json,
        Some(Command::Import(args)) => args.format.chosen() == Format::Json,
        Some(Command::Export(args)) => args.format.chosen() == Format::Json,
        Some(Command::Calibrate(args)) => args.format.chosen() == Format::Json,
        Some(Command::Devices(args)) => args.format.chosen() == Format::Json,
        _ => false,
    }
}

/// Help that was asked for, or a command line that makes no sense.
fn not_understood(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Nobody may be reading any more; that is no failure.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let _ = error.print();
    let args: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    if args::asks_for_json(&args) {
        let text = error.render().to_string();
        let _ = print_line(&Failure::new("usage", first_paragraph(&text)).with_fix("See: txdeck run --help").to_line());
    }
    ExitCode::from(NOT_STARTED)
}

/// What is wrong, without the usage behind it: clap names missing arguments on lines of their own.
fn first_paragraph(text: &str) -> String {
    let lines = text.trim_start_matches("error: ").lines().map(str::trim);
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn end(outcome: Result<u8, Ending>, json: bool) -> ExitCode {
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(Ending::Closed) => ExitCode::SUCCESS,
        Err(Ending::Failed(failure)) => {
            if json {
                let _ = print_line(&failure.to_line());
            }
            say(&format!("txdeck: {}", failure.for_people()));
            ExitCode::from(NOT_STARTED)
        }
    }
}

fn print_line(line: &str) -> io::Result<()> {
    use io::Write;
    writeln!(io::stdout(), "{line}")
}
