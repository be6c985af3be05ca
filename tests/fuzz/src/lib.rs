//! What must hold of any input, whatever reads it: an answer, in bounded time and memory, that means one thing.

use txdeck::{
    dialect::{Dialect, Given, Imported, export, import, sniff},
    packet::{Facts, Frame, Plan, Stamp, StampTime, annotate_bytes, compile, dissect, lint},
    profile::Document,
};

/// Frames built of each flow: the first ones, and some far away.
const BUILDS: [u64; 12] = [0, 1, 2, 3, 7, 8, 100, 65_535, 65_536, 1 << 40, u64::MAX - 1, u64::MAX];
/// Flows of which frames are built; the others are compiled.
const FLOWS: usize = 16;

pub fn facts() -> Facts {
    let neighbours = vec![([198, 18, 0, 2].into(), [2, 0, 0, 0, 0, 9])];
    Facts { device_mac: [2, 0, 0, 0, 0, 1], mtu: Some(1500), link_mbps: Some(10_000), neighbours, ..Facts::default() }
}

/// A valid profile says the same after each way of writing it down, can be explained, and builds frames.
pub fn document(document: &Document) {
    let again = parse("as it is", document.text());
    assert_eq!((again.profile(), again.text()), (document.profile(), document.text()));
    let effective = document.effective();
    let whole = parse("effective", &effective);
    assert!(same_but_for_name(whole.profile(), document.profile()), "{effective}");
    assert_eq!(whole.effective(), effective);
    assert!(document.notes().iter().chain(&lint(document, &facts())).all(|note| !note.message.is_empty()));
    if let Ok(plan) = compile(document.profile(), &facts()) {
        frames(&plan);
    }
}

/// A profile without a name is called after its file.
fn same_but_for_name(one: &txdeck::profile::Profile, other: &txdeck::profile::Profile) -> bool {
    let other = txdeck::profile::Profile { name: one.name.clone(), ..other.clone() };
    *one == other
}

fn parse(what: &str, text: &str) -> Document {
    Document::parse(what, text).unwrap_or_else(|why| panic!("{what}: {why}\n{text}"))
}

pub fn frames(plan: &Plan) {
    for flow in plan.flows.iter().take(FLOWS) {
        for k in BUILDS {
            let bytes = bytes(&flow.frame, k);
            assert!(bytes.len() <= flow.frame.max_len());
            shown(&bytes, flow.frame.varying());
        }
    }
}

pub fn bytes(frame: &Frame, k: u64) -> Vec<u8> {
    let mut bytes = vec![0xee; frame.len(k)];
    let stamp = Stamp { k, seq: k as u32, time: StampTime::from_wall_ns(1_700_000_000_123_456_789), stream: 0 };
    frame.write(&mut bytes, &mut 0, &stamp);
    bytes
}

/// Any bytes can be explained, each part of them within their length.
pub fn shown(bytes: &[u8], varying: &[std::ops::Range<usize>]) {
    assert!(dissect(bytes).iter().all(|part| part.range.start <= part.range.end && part.range.end <= bytes.len()));
    let shown = annotate_bytes(bytes, varying);
    assert_eq!(shown.lines.iter().map(|line| line.bytes.len()).sum::<usize>(), bytes.len());
    assert_eq!(shown.to_string().lines().count(), shown.lines.len());
}

/// A file of another generator: refused with a sentence, or a valid profile that can be written in every tongue.
pub fn tongue(dialect: Dialect, bytes: &[u8]) {
    let _ = sniff("x", bytes);
    let given = Given { arguments: ["-i", "eth1", "-t", "2"].map(String::from).to_vec() };
    match import(dialect, "x", bytes, &given) {
        Ok(Imported { text, report }) => {
            assert!(report.notes.iter().all(|note| !note.sentence.is_empty()));
            let made = parse("imported", &text);
            document(&made);
            exports(&made);
        }
        Err(why) => assert!(!why.to_string().is_empty()),
    }
}

/// Whatever a profile is, a tongue writes it or says why not, and reads what it wrote. One tongue an input, as its text
/// falls: writing a command line tries every setting, which takes as long as hundreds of other inputs.
pub fn exports(document: &Document) {
    let sum = document.text().bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
    let dialect = match sum % 16 {
        0 => Dialect::Command,
        some if some % 3 == 0 => Dialect::Pktgen,
        some if some % 3 == 1 => Dialect::Trafgen,
        _ => Dialect::TrexPython,
    };
    match export(dialect, document) {
        Ok(written) => {
            let back = import(dialect, "back", written.text.as_bytes(), &Given::default());
            let back = back.unwrap_or_else(|why| panic!("{}: {why}\n{}", dialect.name(), written.text));
            parse("back", &back.text);
        }
        Err(why) => assert!(!why.to_string().is_empty()),
    }
}
