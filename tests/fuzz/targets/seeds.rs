//! Writes what fuzzing starts from: shipped profiles and what they are in every tongue, the broken files and the example
//! scripts of the tests, and every text that stands raw in the tests' sources.

#![no_main]
#![allow(unreachable_code)] // behind `init`, which ends the program

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use txdeck::{
    dialect::{Dialect, export},
    packet::compile,
    profile::{Document, shipped},
};

const TONGUES: [(&str, Dialect, &[&str]); 6] = [
    ("pktgen", Dialect::Pktgen, &["sh", "conf", "txt"]),
    ("trafgen", Dialect::Trafgen, &["trafgen"]),
    ("trex_yaml", Dialect::TrexYaml, &["yaml"]),
    ("trex_python", Dialect::TrexPython, &["py"]),
    ("dpdk", Dialect::Dpdk, &["pkt"]),
    ("command", Dialect::Command, &[]),
];

// Built as the targets are, so that one build makes all; it never fuzzes.
libfuzzer_sys::fuzz_target!(
    init: {
        write_to(&PathBuf::from(env::var_os("SEEDS").expect("SEEDS=FOLDER")));
        std::process::exit(0);
    },
    |_bytes: &[u8]| {}
);

fn write_to(corpus: &Path) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let put = |target: &str, name: &str, bytes: &[u8]| {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder).expect("the corpus can be written");
        fs::write(folder.join(format!("seed-{name}")), bytes).expect("the corpus can be written");
    };
    for (number, (name, text)) in shipped().iter().enumerate() {
        put("profile", name, text.as_bytes());
        let document = Document::parse(name, text).expect("shipped");
        put("profile", &format!("{name}-effective"), document.effective().as_bytes());
        for (target, dialect, _) in TONGUES.iter().filter(|(_, dialect, _)| dialect.can_export()) {
            if let Ok(written) = export(*dialect, &document) {
                put(target, name, written.text.as_bytes());
            }
        }
        settings(number, &document, &put);
        let plan = compile(document.profile(), &txdeck_fuzz::facts()).expect("shipped");
        for flow in &plan.flows {
            put("frame", &format!("{name}-{}", flow.name), &[&[14], &txdeck_fuzz::bytes(&flow.frame, 1)[..]].concat());
        }
    }
    for file in files(&tests.join("bad")).into_iter().chain(files(&tests.join("dialect"))).chain(files(&tests.join("golden"))) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let ending = file.extension().unwrap_or_default().to_string_lossy().into_owned();
        let target = TONGUES.iter().find(|(_, _, endings)| endings.contains(&&*ending)).map(|(target, ..)| *target);
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let target = match (&*ending, &*folder) {
            ("toml", "profiles" | "golden") => Some("profile"),
            ("toml", _) => Some("person"),
            _ => target,
        };
        if let Some(target) = target {
            put(target, &format!("{folder}-{name}"), &fs::read(&file).expect("readable"));
        }
    }
    for theme in files(&tests.join("../themes")).into_iter().chain([tests.join("../assets/keys.toml")]) {
        let name = theme.file_name().unwrap_or_default().to_string_lossy().into_owned();
        put("person", &name, &fs::read(&theme).expect("readable"));
    }
    raw_texts(&tests, &put);
    put("result", "full", RESULT.as_bytes());
    for (number, line) in ARGUMENTS.iter().enumerate() {
        put("arguments", &number.to_string(), line.as_bytes());
    }
}

/// Every field of a profile with its value, as `set` takes it, for every target that changes a text.
fn settings(number: usize, document: &Document, put: &impl Fn(&str, &str, &[u8])) {
    let mut lines = vec![number as u8];
    for flow in &document.profile().flows {
        for key in ["size", "rate", "clone", "ipv4.src", "ipv4.dst", "ipv6.src", "udp.src", "vlan.0.id", "mpls.0.label"] {
            let key = format!("flow.{}.{key}", flow.name);
            let value = document.get(&key).unwrap_or_else(|| "1..9:2".into());
            lines.extend(format!("{key}={value}\n").bytes());
        }
        lines.extend(format!("= {0} copy\n> copy 0\n- {0}\n+ new\n", flow.name).bytes());
    }
    put("setting", &number.to_string(), &lines);
}

/// The texts between r#" and "# of the tests' sources, for all tongues: what is none is refused soon.
fn raw_texts(tests: &Path, put: &impl Fn(&str, &str, &[u8])) {
    for source in files(&tests.join("tongues")).into_iter().chain(files(&tests.join("dialect"))) {
        let Ok(text) = fs::read_to_string(&source) else { continue };
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for (at, raw) in text.split("r#\"").skip(1).enumerate() {
            let raw = raw.split("\"#").next().unwrap_or_default();
            for (target, ..) in TONGUES {
                put(target, &format!("{name}-{at}"), raw.as_bytes());
            }
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

const ARGUMENTS: [&str; 6] = [
    "run udp-64 -i eth1 -d 5s --format json --expect pps>=900k --expect dropped=0",
    "run udp-64 -s burst=64 -s flow.udp.udp.src=random --lab --lab-queues 2",
    "show udp-64 -n 4 --pcap - --flow udp",
    "import x.sh --from pktgen -- -i eth1",
    "export udp-64 --to trex -o x.py",
    "check a.toml b.toml",
];
const RESULT: &str = include_str!("result.txt");
