//! `txdeck lab` besides its console: entering a running lab, AppArmor, trying whether one can be made.

use std::process::Command;

use crate::{
    lab::{self, End, LabOptions, RunningLab},
    shell::{
        args::{Common, LabArgs},
        failure::Failure,
        listing, load,
        output::Ending,
    },
};

/// Becomes the command inside the running lab; returns only if that failed.
pub fn enter(args: &LabArgs) -> Ending {
    match become_inside(args) {
        Ok(never) => match never {},
        Err(failure) => Ending::Failed(failure),
    }
}

fn become_inside(args: &LabArgs) -> Result<std::convert::Infallible, Failure> {
    let (program, rest) = args.inside.split_first().ok_or_else(|| Failure::new("usage", "--enter: no command"))?;
    let labs = lab::find_running();
    let running = choose(&labs, args.pid)?;
    let end = if args.far { End::Far } else { End::Near };
    let mut command = Command::new(program);
    command.args(rest);
    let why = running.enter_and_exec(end, command);
    let name = program.to_string_lossy();
    Err(Failure::new(
        "lab_enter",
        format!("{name}: running it inside the lab of process {} failed: {why}", running.pid),
    ))
}

/// The one that runs, or the one that was named.
fn choose(labs: &[RunningLab], pid: Option<u32>) -> Result<&RunningLab, Failure> {
    let pids = labs.iter().map(|lab| lab.pid.to_string()).collect::<Vec<_>>().join(", ");
    let failure = match (labs, pid) {
        ([], _) => {
            Failure::new("no_lab", "no lab of yours is running").with_fix("Start one in another terminal: txdeck lab")
        }
        (_, Some(pid)) => match labs.iter().find(|lab| lab.pid == pid) {
            Some(found) => return Ok(found),
            None => Failure::new("no_lab", format!("no lab of process {pid} is running. Running: {pids}")),
        },
        ([only], None) => return Ok(only),
        (several, None) => {
            let message = format!("{} labs are running, of processes {pids}", several.len());
            Failure::new("several_labs", message).with_fix("Name one: txdeck lab --enter --pid PID -- CMD")
        }
    };
    Err(failure)
}

pub fn print_apparmor(common: &Common) -> Result<u8, Ending> {
    let program = std::env::current_exe();
    let program =
        program.map_err(|why| Failure::new("no_path", format!("this program's own path is not known: {why}")))?;
    listing::put(&lab::apparmor_profile(&program.to_string_lossy()), common)
}

/// Makes a lab and ends with it: exit code 0 where that works.
pub fn attempt() -> Result<u8, Ending> {
    lab::enter(LabOptions::default()).map_err(load::no_lab)?;
    Ok(0)
}
