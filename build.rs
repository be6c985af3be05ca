//! Tells the program which commit it was built from and which libxdp was built into it.

use std::{fs, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.lock");
    if let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) {
        println!("cargo::rustc-env=TXDECK_COMMIT={commit}");
        // The log of HEAD grows with every commit and every change of branch.
        for file in [["rev-parse", "--git-path", "HEAD"], ["rev-parse", "--git-path", "logs/HEAD"]] {
            if let Some(path) = git(&file) {
                println!("cargo::rerun-if-changed={path}");
            }
        }
    }
    if let Some(version) = fs::read_to_string("Cargo.lock").ok().as_deref().and_then(libxdp_version) {
        println!("cargo::rustc-env=TXDECK_LIBXDP={version}");
    }
}

/// `None` outside a repository, or without git.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

fn libxdp_version(lock: &str) -> Option<String> {
    let entry = lock.split("name = \"libxdp-sys\"").nth(1)?;
    let version = entry.lines().find_map(|line| line.strip_prefix("version = "))?;
    Some(format!("libxdp-sys {}", version.trim_matches('"')))
}
