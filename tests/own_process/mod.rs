//! Runs each case in a process of its own with one thread, which user namespaces demand and the usual test
//! harness cannot give: once as the present user and, when that is root, once more as nobody.
//!
//! A case that cannot run here says why and is skipped aloud; with REQUIRE_WIRE=1 that is a failure.

use std::process::{Command, ExitCode};

use rustix::process::{Gid, Uid, geteuid};

/// One test: its name and what it does.
pub type Case = (&'static str, fn());

const CASE: &str = "TXDECK_TEST_CASE";
const AS_NOBODY: &str = "TXDECK_TEST_NOBODY";
const NOBODY: u32 = 65534;
const SKIPPED: i32 = 77;

/// `cases` are the tests; `roles` are further programs that cases start with [`role`].
pub fn main(cases: &[Case], roles: &[Case]) -> ExitCode {
    if let Ok(name) = std::env::var(CASE) {
        return run_here(&name, cases.iter().chain(roles));
    }
    let options: Vec<String> = std::env::args().skip(1).collect();
    if options.iter().any(|option| option == "--list") {
        cases.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let filters: Vec<&String> = options.iter().filter(|option| !option.starts_with('-')).collect();
    let wanted = |name: &str| filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()));
    let mut failed = 0;
    for (name, _) in cases.iter().filter(|(name, _)| wanted(name)) {
        failed += u32::from(!passes(name, false));
        if geteuid().is_root() {
            failed += u32::from(!passes(name, true));
        }
    }
    println!("\ntest result: {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn passes(name: &str, as_nobody: bool) -> bool {
    let who = if as_nobody { " as nobody" } else { "" };
    let status = role(name, as_nobody).status().expect("the test's own program can be started");
    let skipped = status.code() == Some(SKIPPED);
    let passed = status.success() || (skipped && !wire_is_required());
    let verdict = match (skipped, passed) {
        (true, true) => "SKIPPED",
        (true, false) => "FAILED (skipped, but REQUIRE_WIRE=1)",
        (false, true) => "ok",
        (false, false) => "FAILED",
    };
    println!("test {name}{who} ... {verdict}");
    passed
}

fn run_here<'a>(name: &str, mut all: impl Iterator<Item = &'a Case>) -> ExitCode {
    if std::env::var_os(AS_NOBODY).is_some() {
        become_nobody();
    }
    let (_, run) = all.find(|(known, _)| *known == name).expect("a known case");
    run();
    ExitCode::SUCCESS
}

fn become_nobody() {
    let (uid, gid) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    rustix::thread::set_thread_groups(&[]).unwrap();
    rustix::thread::set_thread_res_gid(gid, gid, gid).unwrap();
    rustix::thread::set_thread_res_uid(uid, uid, uid).unwrap();
}

/// This program again, as one of its cases or roles.
pub fn role(name: &str, as_nobody: bool) -> Command {
    // Not current_exe(): nobody may be unable to reach the build folder by its path.
    let mut command = Command::new("/proc/self/exe");
    command.env(CASE, name).env_remove(AS_NOBODY);
    if as_nobody {
        command.env(AS_NOBODY, "1");
    }
    command
}

pub fn wire_is_required() -> bool {
    std::env::var("REQUIRE_WIRE").is_ok_and(|value| value == "1")
}

/// Ends the case: it cannot run here.
pub fn skip(why: &str) -> ! {
    eprintln!("SKIPPED: {why}");
    std::process::exit(SKIPPED);
}
