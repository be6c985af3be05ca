//! Tells the program which commit it was built from and which libxdp was built into it.

use std::{fs, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.lock");
    println!("cargo::rerun-if-changed=.cargo_vcs_info.json");
    if !is_own_repository() {
        if let Some(commit) = fs::read_to_string(".cargo_vcs_info.json").ok().as_deref().and_then(packed_commit) {
            println!("cargo::rustc-env=TXDECK_COMMIT={commit}");
        }
    } else if let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) {
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

/// Sources unpacked somewhere inside another project's repository are not of its commit.
fn is_own_repository() -> bool {
    let same = |top: String| {
        fs::canonicalize(top).ok() == fs::canonicalize(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).ok()
    };
    git(&["rev-parse", "--show-toplevel"]).is_some_and(same)
}

/// What `cargo package` wrote beside the sources.
fn packed_commit(info: &str) -> Option<String> {
    let sha = info.split("\"sha1\": \"").nth(1)?.split('"').next()?;
    Some(sha.chars().take(12).collect())
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
