//! Records that cannot be sent as they are, and captures of other tools' test folders, rebuilt here in small.

use std::sync::Arc;

use txdeck::{
    dialect::{self, Dialect, Given},
    packet::{Capture, Captures, Facts, Held, Plan, Reader, Stamp, annotate, compile, lint, unplayable},
    profile::Document,
};

use crate::write::{Classic, MICRO, Packet, frame, pcap, with_fcs};

pub fn kept(file: &[u8]) -> Arc<Capture> {
    let mut reader = Reader::new(file).expect("a capture");
    Arc::new(Capture::read(&mut reader, |_| ()).expect("records"))
}

/// What a plan needs to know when `x.pcap` holds this.
pub fn facts(file: &[u8]) -> Facts {
    let captures = Captures([("x.pcap".to_owned(), Held::Whole(kept(file)))].into());
    Facts { captures, ..Facts::default() }
}

pub fn profile(tx: &str, flow: &str, replay: &str) -> Document {
    let text =
        format!("version = 1\n[tx]\n{tx}\n[[flow]]\nname = \"a\"\n{flow}\nreplay = {{ file = \"x.pcap\"{replay} }}\n");
    Document::parse("t.toml", &text).unwrap_or_else(|problems| panic!("{problems}"))
}

pub fn plan(file: &[u8], tx: &str, flow: &str, replay: &str) -> Result<Plan, String> {
    compile(profile(tx, flow, replay).profile(), &facts(file)).map_err(|why| why.to_string())
}

/// One pass of frames.
pub fn frames(plan: &Plan) -> Vec<Vec<u8>> {
    let frame = &plan.flows[0].frame;
    let count = frame.reel().expect("a replay").frames();
    let build = |k| {
        let mut bytes = vec![0xaa; frame.len(k)];
        frame.write(&mut bytes, &mut 0, &Stamp { k, ..Stamp::default() });
        bytes
    };
    (0..count).map(build).collect()
}

/// The six records of C79: whole, swollen, cut off, of 92 442, of 0 and of 10 bytes.
fn six() -> Vec<u8> {
    let packets = [
        Packet::new(0, frame(100, 1)),
        Packet { wire: 785, ..Packet::new(1000, frame(801, 2)) },
        Packet { wire: 1514, ..Packet::new(2000, frame(256, 3)) },
        Packet::new(3000, frame(92_442, 4)),
        Packet::new(4000, vec![]),
        Packet::new(5000, frame(10, 6)),
    ];
    pcap(MICRO, &packets)
}

#[test]
fn c79_odd_records_are_refused_by_their_numbers() {
    let document = profile("", "", "");
    let facts = facts(&six());
    let why = compile(document.profile(), &facts).expect_err("refused").to_string();
    assert!(
        why.starts_with(
            "flow.a.replay.odd: 5 of 6 records are odd, the first is record 2 (holds 801 bytes of a packet of 785): odd = \
             \"skip\" leaves them out"
        ),
        "{why}"
    );
    let lines: Vec<String> =
        document.placed(unplayable(document.profile(), &facts)).iter().map(ToString::to_string).collect();
    let told: Vec<&str> = lines.iter().filter_map(|line| line.split_once("record ")).map(|(_, told)| told).collect();
    assert_eq!(
        told,
        [
            "2: holds 801 bytes of a packet of 785",
            "3: 256 of its 1514 bytes were captured",
            "4: 92442 bytes, and at most 36608 can be sent",
            "5: 0 bytes are less than an Ethernet header",
            "6: 10 bytes are less than an Ethernet header"
        ]
    );
    assert!(lines.iter().all(|line| line.starts_with("t.toml:")), "{lines:?}");
}

#[test]
fn c79_skip_pad_and_cut_do_what_they_say() {
    let of = |odd: &str| frames(&plan(&six(), "", "", &format!(", odd = \"{odd}\"")).expect("frames"));
    let whole = frame(100, 1);
    assert_eq!(of("skip"), std::slice::from_ref(&whole));
    let mut padded = frame(256, 3);
    padded.resize(1514, 0);
    assert_eq!(of("pad"), [whole.clone(), frame(801, 2), padded]);
    let short = frame(801, 2)[..785].to_vec();
    assert_eq!(of("cut"), [whole, short, frame(256, 3), frame(92_442, 4)[..36_608].to_vec()]);
    let document = profile("", "", ", odd = \"skip\"");
    let notes: Vec<String> = lint(&document, &facts(&six())).into_iter().map(|note| note.message).collect();
    let told = "5 of 6 records are odd, the first is record 2 (holds 801 bytes of a packet of 785); 5 are left out (odd = \
                \"skip\")";
    assert!(notes.iter().any(|note| note == told), "{notes:?}");
}

#[test]
fn c79_short_frames_are_padded_left_out_or_meant() {
    let file = pcap(MICRO, &[Packet::new(0, frame(42, 1)), Packet::new(1000, frame(60, 2))]);
    assert!(plan(&file, "", "", "").is_err());
    let mut padded = frame(42, 1);
    padded.resize(60, 0);
    assert_eq!(frames(&plan(&file, "", "", ", odd = \"pad\"").expect("padded")), [padded, frame(60, 2)]);
    assert_eq!(frames(&plan(&file, "", "", ", odd = \"skip\"").expect("one")), [frame(60, 2)]);
    assert_eq!(frames(&plan(&file, "", "runt = true", "").expect("both")), [frame(42, 1), frame(60, 2)]);
}

/// What neighbouring chunks take together is the limit, not what one does; burst, ring and memories share it.
#[test]
fn c79_long_records_are_sent_as_far_as_the_memories_reach() {
    let taken = |tx: &str, len: usize| plan(&pcap(MICRO, &[Packet::new(0, frame(len, 1))]), tx, "", "");
    for (tx, most) in [
        ("", 36_608),
        ("chunk_bytes = 4096", 65_535),
        ("burst = 256", 8 * 2048 - 256),
        ("burst = 64\nchunks = 512", 4 * 2048 - 256),
        ("burst = 1024", 2 * 2048 - 256),
    ] {
        let plan = taken(tx, most).expect(tx);
        assert_eq!((plan.max_len(), frames(&plan)), (most, vec![frame(most, 1)]), "{tx}");
        let why = taken(tx, most + 1).expect_err(tx);
        assert!(why.contains(&format!("({} bytes, and at most {most} can be sent)", most + 1)), "{tx}: {why}");
    }
}

#[test]
fn the_devices_mtu_counts_and_tags_are_on_top_of_it() {
    let mut tagged = frame(1518, 1);
    tagged[12..16].copy_from_slice(&[0x81, 0, 0, 100]);
    let file = pcap(MICRO, &[Packet::new(0, tagged), Packet::new(1000, frame(1515, 2))]);
    let facts = Facts { mtu: Some(1500), ..facts(&file) };
    let document = profile("", "", "");
    let why = compile(document.profile(), &facts).expect_err("too long for this device").to_string();
    assert!(why.contains("1 of 2 records is odd, the first is record 2 (1515 bytes, and at most 1514 can be"), "{why}");
}

/// D10: the same UDP packet with and without a captured FCS.
#[test]
fn d10_a_captured_fcs_is_noticed_and_left_out() {
    for len in [60, 590, 1514] {
        let file = pcap(MICRO, &[Packet::new(0, with_fcs(frame(len, 1)))]);
        assert_eq!(frames(&plan(&file, "", "", "").expect("frames")), [frame(len, 1)]);
        assert_eq!(frames(&plan(&file, "", "", ", fcs = \"keep\"").expect("kept")), [with_fcs(frame(len, 1))]);
        let notes = |replay: &str| {
            let notes = lint(&profile("", "", replay), &facts(&file)).into_iter().map(|note| note.message);
            notes.filter(|note| note.contains("FCS")).collect::<Vec<_>>()
        };
        assert_eq!(
            notes(""),
            [
                "1 of 1 records end in a correct FCS: it is left out, for the device adds its own (fcs = \"keep\" sends it)"
            ]
        );
        assert!(notes(", fcs = \"keep\"")[0].contains("sent as if it were data"));
        let plain = pcap(MICRO, &[Packet::new(0, frame(len, 1))]);
        assert_eq!(frames(&plan(&plain, "", "", "").expect("frames")), [frame(len, 1)], "no FCS, nothing lost");
    }
}

/// An Ethernet frame of this type (or length, below 1536) that says nothing in particular.
fn of_type(kind: u16, len: usize, dst: [u8; 6]) -> Vec<u8> {
    let mut bytes = frame(len, u32::from(kind));
    bytes[..6].copy_from_slice(&dst);
    bytes[12..14].copy_from_slice(&kind.to_be_bytes());
    bytes
}

const SOMEBODY: [u8; 6] = [2, 0, 0, 0, 0, 9];

/// D12: IPv4, IPv6, ARP, an 802.3 length, a loopback test frame and label stacks, 42 to 1514 bytes, in 3.26 s.
#[test]
fn d12_a_mixed_capture_is_taken_whole() {
    let kinds = [(0x0800, 1514), (0x86dd, 90), (0x0806, 42), (38, 60), (0x9000, 60), (0x8847, 118), (0x8847, 122)];
    let packet = |number: u64| {
        let (kind, len) = kinds[(number % kinds.len() as u64) as usize];
        Packet::new(number * 3_260_000_000 / 178 / 1000 * 1000, of_type(kind, len, SOMEBODY))
    };
    let packets: Vec<Packet> = (0..179).map(packet).collect();
    for nano in [false, true] {
        let file = pcap(Classic { nano, ..MICRO }, &packets);
        let imported = dialect::import(Dialect::Pcap, "mixed.pcap", &file, &Given::default()).expect("a profile");
        assert!(imported.text.contains("179 records in 3.26 s, 42..1514 bytes"), "{}", imported.text);
        assert!(imported.text.contains("runt = true"), "{}", imported.text);
        let told: Vec<String> = imported.report.lines("mixed.pcap").collect();
        assert_eq!(told, ["assumed: runt: 26 records are below 60 bytes: sent as they were captured"]);
        let document = Document::parse("t.toml", &imported.text).expect("valid");
        let captures = Captures([("mixed.pcap".to_owned(), Held::Whole(kept(&file)))].into());
        let plan = compile(document.profile(), &Facts { captures, ..Facts::default() }).expect("a plan");
        let sent: Vec<Vec<u8>> = packets.iter().map(|packet| packet.bytes.clone()).collect();
        assert_eq!(frames(&plan), sent);
    }
}

/// D13: 1 024 records cut off at 178 bytes, a microsecond apart.
#[test]
fn d13_a_snap_length_is_told_once_and_not_1024_times() {
    let packets: Vec<Packet> =
        (0..1024).map(|at| Packet { wire: 1024, ..Packet::new(at * 1000, frame(178, at as u32)) }).collect();
    let file = pcap(MICRO, &packets);
    let imported = dialect::import(Dialect::Pcap, "gtp.pcap", &file, &Given::default()).map(|imported| imported.text);
    let why = imported.expect_err("nothing whole in it").to_string();
    assert_eq!(
        why,
        "gtp.pcap: nothing to replay: 1024 of 1024 records are odd, the first is record 1 (178 of its 1024 bytes were captured)"
    );
    let plan = plan(&file, "", "", ", odd = \"cut\"").expect("as they were captured");
    assert_eq!(frames(&plan).len(), 1024);
    assert_eq!(plan.flows[0].frame.reel().map(|reel| (reel.due_ns(1), reel.pass_ns())), Some((1000, 1_024_000)));
}

#[test]
fn c80_frames_are_those_of_the_file_whatever_they_hold() {
    let spanning_tree = of_type(38, 60, [0x01, 0x80, 0xc2, 0, 0, 0]);
    let arp = of_type(0x0806, 60, [0xff; 6]);
    let file = pcap(MICRO, &[Packet::new(0, spanning_tree.clone()), Packet::new(1000, arp.clone())]);
    let plan = plan(&file, "", "", "").expect("frames");
    assert_eq!(frames(&plan), [spanning_tree.clone(), arp.clone()]);
    // The preview of Edit and `show` is of the same bytes, with what differs between brackets.
    for (k, bytes) in [(0, &spanning_tree), (1, &arp), (2, &spanning_tree)] {
        let shown = annotate(&plan.flows[0].frame, &Stamp { k, ..Stamp::default() });
        let all: Vec<u8> = shown.lines.iter().flat_map(|line| line.bytes.clone()).collect();
        assert_eq!(all, *bytes);
        assert!(shown.varies(0) && shown.varies(12) && !shown.varies(8), "both come from one source");
    }
}

#[test]
fn c79_an_import_lists_what_is_left_out() {
    let mut file = six();
    file.extend([0; 5]);
    let imported = dialect::import(Dialect::Pcap, "six.pcap", &file, &Given::default()).expect("one record is whole");
    let told: Vec<String> = imported.report.lines("six.pcap").collect();
    assert_eq!(
        told,
        [
            "dropped: record 2: holds 801 bytes of a packet of 785",
            "dropped: record 3: 256 of its 1514 bytes were captured",
            "dropped: record 4: 92442 bytes, and at most 65535 can be sent",
            "dropped: record 5: 0 bytes are less than an Ethernet header",
            "dropped: record 6: 10 bytes are less than an Ethernet header",
            "assumed: replay.odd = \"skip\": 5 of 6 records are odd and left out; pad fills up those too short, cut \
             shortens those too long",
            &format!(
                "dropped: record 7 (byte {}): the file ends within it: the 6 whole records before it are taken",
                file.len() - 5
            ),
        ]
    );
}

#[test]
fn a_replay_stands_alone_and_says_so() {
    let whys = |flow: &str, replay: &str| {
        let text = format!("version = 1\n[[flow]]\nname = \"a\"\n{flow}\nreplay = {{ {replay} }}\n");
        let problems = Document::parse("", &text).map(|_| ()).expect_err("refused");
        problems.0.iter().map(|problem| format!("{}: {}", problem.key, problem.message)).collect::<Vec<_>>()
    };
    let file = "file = \"x.pcap\"";
    for (flow, replay, why) in [
        ("", "", "flow.a.replay.file: is missing: replay needs it, as in replay = { file = \"x.pcap\" }"),
        (
            "size = 60",
            file,
            "flow.a.size: stands beside replay, whose frames are as they were captured: take one of the two out",
        ),
        ("ipv4 = {}", file, "flow.a.ipv4: ipv4 cannot stand beside replay"),
        ("eth = { dst = \"02:00:00:00:00:02\" }", file, "flow.a.eth: replay has the Ethernet headers of the capture"),
        (
            "rate = \"5k\"",
            file,
            "flow.a.rate: 5000 pps beside a replay with its original timing: timing = \"rate\" takes a rate",
        ),
        ("", "file = \"x\", timing = \"rate\", speed = 2", "flow.a.replay.speed: goes with timing = \"original\" only"),
        ("", "file = \"x\", speed = 0", "flow.a.replay.speed: 0 is out of range (0.001..1000)"),
        ("", "file = \"x\", speed = \"fast\"", "flow.a.replay.speed: \"fast\" is not a number (0.001..1000)"),
        (
            "",
            "file = \"x\", odd = \"pat\"",
            "flow.a.replay.odd: \"pat\" is not one of refuse | skip | pad | cut. Did you mean \"pad\"?",
        ),
    ] {
        let told = whys(flow, replay);
        assert!(told.iter().any(|told| told.starts_with(why)), "{flow} {replay}: {told:?}");
    }
    let mut document = profile("", "", "");
    document.set("flow.a.replay.speed", "0.5x").expect("half as fast");
    assert_eq!(document.get("flow.a.replay.speed").as_deref(), Some("0.5x"));
    let problems = document.set("rate", "1k").expect_err("its own timing");
    assert!(problems.to_string().starts_with("tx.rate: 1000 pps beside flow a with its original timing"), "{problems}");
    document
        .set_together(&[("flow.a.replay.speed", ""), ("flow.a.replay.timing", "rate"), ("rate", "1k")])
        .expect("a rate");
    let back = Document::parse("t.toml", &document.effective()).expect("the effective text is a profile");
    assert_eq!(back.profile(), document.profile());
}

#[test]
fn a_capture_lies_beside_the_profile() {
    let path = |file: &str, written: &str| {
        let text = format!("version = 1\n[[flow]]\nreplay = {{ file = \"{written}\" }}\n");
        let document = Document::parse(file, &text).expect("valid");
        document.profile().flows[0].replay.as_ref().map(|replay| replay.path())
    };
    assert_eq!(path("p/a.toml", "x.pcap").as_deref(), Some("p/x.pcap"));
    assert_eq!(path("/a.toml", "x.pcap").as_deref(), Some("//x.pcap"));
    assert_eq!(path("p/a.toml", "/tmp/x.pcap").as_deref(), Some("/tmp/x.pcap"));
    assert_eq!(path("a.toml", "q/x.pcap").as_deref(), Some("q/x.pcap"));
    assert_eq!(path("<stdin>", "x.pcap").as_deref(), Some("x.pcap"));
}
