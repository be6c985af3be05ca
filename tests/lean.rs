//! What runs for every packet, read in the release binary itself: no LOCK prefix, no exchange with memory, no fence, no
//! allocator, no clock and no system call, in `Sender::queue_burst`, in `Queue::reap` and in whatever they call.
#![cfg(target_arch = "x86_64")]

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    process::Command,
};

#[test]
fn what_runs_for_every_packet_is_lean() {
    let binary = Binary::of(&release_binary());
    let roots = ["Sender<N>::queue_burst", "nic::queue::Queue::reap"].map(|name| binary.functions_named(name));
    assert!(roots.iter().all(|found| !found.is_empty()), "the functions have other names now: {roots:?}");
    let reached = binary.reached_from(roots.concat());
    let names: Vec<&str> = reached.iter().map(|at| binary.functions[at].name.as_str()).collect();
    println!("{names:#?}");
    // Were the loops inlined elsewhere, this would look at nothing.
    assert!(names.iter().any(|name| name.contains("Row::finish") || name.contains("send_row")), "{names:#?}");
    let faults: Vec<String> = reached.iter().flat_map(|at| faults(&binary.functions[at])).collect();
    assert!(faults.is_empty(), "{faults:#?}\nin what is reached:\n{names:#?}");
}

#[test]
fn every_fault_is_seen() {
    for bad in [
        "lock xadd %eax,(%rdi)",
        "xchg   %eax,0x8(%rdi)",
        "mfence",
        "syscall",
        "rdtsc",
        "cpuid",
        "call   1234 <__rustc::__rust_alloc>",
        "call   1234 <malloc@plt>",
        "call   1234 <clock_gettime@plt>",
        "jmp    1234 <std::time::Instant::now>",
    ] {
        assert!(is_fault(bad), "{bad}");
    }
    for good in
        ["xchg   %ax,%ax", "mov    %eax,(%rdi)", "call   1234 <memcpy@plt>", "call   1234 <core::panicking::panic>"]
    {
        assert!(!is_fault(good), "{good}");
    }
}

fn release_binary() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = PathBuf::from(env!("CARGO_BIN_EXE_txdeck")).ancestors().nth(2).map(Path::to_owned).unwrap();
    let mut build = Command::new(env!("CARGO"));
    build.current_dir(root).args(["build", "--quiet", "--release", "--locked", "--bin", "txdeck", "--target-dir"]);
    let built = build.arg(&target).status().expect("cargo runs");
    assert!(built.success(), "the release binary does not build");
    target.join("release/txdeck")
}

struct Function {
    name: String,
    instructions: Vec<String>,
}

struct Binary {
    functions: BTreeMap<u64, Function>,
    /// Where the linker puts the addresses of functions: place → function.
    table: HashMap<u64, u64>,
    /// … and of those in shared libraries.
    imported: HashMap<u64, String>,
}

impl Binary {
    fn of(path: &Path) -> Self {
        let (mut table, mut imported) = (HashMap::new(), HashMap::new());
        for line in objdump("-R", path).lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [place, _, target] = words[..] else { continue };
            let Ok(place) = u64::from_str_radix(place, 16) else { continue };
            match target.strip_prefix("*ABS*+0x").map(|at| u64::from_str_radix(at, 16)) {
                Some(Ok(at)) => _ = table.insert(place, at),
                _ => _ = imported.insert(place, target.to_owned()),
            }
        }
        Self { functions: functions(&objdump("-d", path)), table, imported }
    }

    fn functions_named(&self, part: &str) -> Vec<u64> {
        self.functions.iter().filter(|(_, function)| function.name.contains(part)).map(|(at, _)| *at).collect()
    }

    fn reached_from(&self, roots: Vec<u64>) -> BTreeSet<u64> {
        let mut reached = BTreeSet::new();
        let mut waiting = roots;
        while let Some(at) = waiting.pop() {
            if !reached.insert(at) {
                continue;
            }
            for instruction in &self.functions[&at].instructions {
                let target = self.target(instruction).filter(|target| self.functions.contains_key(target));
                waiting.extend(target.filter(|target| !is_end(&self.functions[target].name)));
            }
        }
        reached
    }

    /// The function that a call or a jump goes to, also by way of the linker's table.
    fn target(&self, instruction: &str) -> Option<u64> {
        let rest = instruction.strip_prefix("call").or_else(|| instruction.strip_prefix('j'))?;
        if let Some((_, place)) = rest.split_once("(%rip)") {
            let place = place.split_whitespace().nth(1).and_then(|place| u64::from_str_radix(place, 16).ok())?;
            assert!(!self.imported.get(&place).is_some_and(|name| is_bad_callee(name)), "{instruction}");
            return self.table.get(&place).copied();
        }
        rest.split_whitespace().find_map(|word| u64::from_str_radix(word, 16).ok())
    }
}

fn objdump(what: &str, path: &Path) -> String {
    let output = Command::new("objdump").args([what, "--no-show-raw-insn", "--demangle", "--wide"]).arg(path).output();
    let output = output.expect("objdump must be installed (Debian package binutils)");
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn functions(text: &str) -> BTreeMap<u64, Function> {
    let mut functions = BTreeMap::new();
    let mut current = None;
    for line in text.lines() {
        if let Some((at, name)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            let at = u64::from_str_radix(at, 16).expect("an address");
            current = Some(functions.entry(at).or_insert(Function { name: name.to_owned(), instructions: Vec::new() }));
        } else if let (Some(function), Some((_, instruction))) = (&mut current, line.split_once(":\t")) {
            function.instructions.push(instruction.trim().to_owned());
        }
    }
    functions
}

fn faults(function: &Function) -> Vec<String> {
    let bad = function.instructions.iter().filter(|instruction| is_fault(instruction));
    bad.map(|instruction| format!("{}: {instruction}", function.name)).collect()
}

fn is_fault(instruction: &str) -> bool {
    let exchanges = instruction.starts_with("xchg") && instruction.contains('(');
    let word = instruction.split_whitespace().next().unwrap_or_default();
    let forbidden = ["lock", "mfence", "syscall", "sysenter", "rdtsc", "rdtscp", "cpuid"].contains(&word);
    let callee = instruction.split_once('<').map_or("", |(_, name)| name);
    exchanges || forbidden || ((word.starts_with("call") || word.starts_with('j')) && is_bad_callee(callee))
}

fn is_bad_callee(name: &str) -> bool {
    let bad = ["alloc", "free@", "clock_gettime", "Instant", "SystemTime", "syscall", "sendto", "pthread", "futex"];
    !is_end(name) && (bad.iter().any(|part| name.contains(part)) || name == "free")
}

/// What ends a thread is not what runs for every packet.
fn is_end(name: &str) -> bool {
    ["panic", "unwrap_failed", "expect_failed", "_fail", "_Unwind", "handle_alloc_error", "capacity_overflow"]
        .iter()
        .any(|part| name.contains(part))
}
