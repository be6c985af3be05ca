//! A stage for the app: a clock, simulated figures, and a shell that answers every effect.

use ratatui::{Terminal, backend::TestBackend, buffer::Buffer};
use txdeck::{
    app::{
        App, Chord, DeviceCounts, DeviceEntry, Effect, Event, Folder, Foreign, Keymap, Open, Origin, Phase, Place,
        PlaceKind, ProfileEntry, ProfileList, Reading, Refusal, Remark, Reply, Tongues, Written,
    },
    dialect::{self, Dialect, Given, Kind, Report},
    packet::{Facts, compile},
    profile::{Document, Rate},
    stats::{Calibration, Counts, FlowSnapshot, Ledger, LeftSource, Parts, SenderSnapshot, Snapshot, State},
    ui::{self, Look},
};

pub const TICK_NS: u64 = 100_000_000;
pub const UDP_64: &str = include_str!("../../profiles/udp-64.toml");

pub struct Stage {
    pub app: App,
    pub now_ns: u64,
    /// Names of the effects so far.
    pub asked: Vec<String>,
    pub saved: Vec<(String, String)>,
    pub quit: Option<u8>,
    /// What the senders work with.
    pub sent: Option<Document>,
    counts: Counts,
    /// Ticks until a stop has drained.
    pub drain_ticks: u32,
    draining: Option<u32>,
    /// Refuses the next retune.
    pub refuses_retune: bool,
    /// Refuses the next start.
    pub refuses_start: bool,
    /// Starts and drains are not answered.
    pub is_slow: bool,
    /// What goes wrong: changes every reading.
    pub twist: Option<fn(&mut Reading)>,
    /// What was copied last.
    pub copied: String,
    /// Foreign files: what there is, and what was written.
    pub files: Vec<(String, String)>,
    /// Imports are not answered.
    pub holds_imports: bool,
    /// Answered to a measuring; `None`: not yet.
    pub calibration: Option<Result<Calibration, String>>,
}

pub fn place(kind: PlaceKind) -> Place {
    let (device, option) = match kind {
        PlaceKind::Lab => ("deck0", "--lab"),
        PlaceKind::Sim => ("sim", "-i sim"),
        PlaceKind::Real => ("enp3s0f0", "-i enp3s0f0"),
    };
    Place {
        device: device.into(),
        kind,
        far_end: (kind == PlaceKind::Lab).then(|| "sink0".into()),
        facts: "ixgbe    02:00:00:00:00:01  mtu 1500  up         8q".into(),
        option: option.into(),
    }
}

impl Stage {
    pub fn lab() -> Self {
        Self::with(UDP_64, Some(place(PlaceKind::Lab)))
    }

    pub fn with(text: &str, place: Option<Place>) -> Self {
        let document = Document::parse("udp-64.toml", text).unwrap();
        let name = document.profile().name.clone();
        let app = App::new(Open::new(name, Origin::Shipped, document), place, Keymap::shipped());
        Self {
            app,
            now_ns: 1_000_000_000,
            asked: Vec::new(),
            saved: Vec::new(),
            quit: None,
            sent: None,
            counts: Counts::default(),
            drain_ticks: 0,
            draining: None,
            refuses_retune: false,
            refuses_start: false,
            is_slow: false,
            twist: None,
            copied: String::new(),
            files: Vec::new(),
            holds_imports: false,
            calibration: None,
        }
    }

    pub fn keys(&mut self, keys: &str) -> &mut Self {
        for key in keys.split_whitespace() {
            let chord: Chord = key.parse().unwrap();
            self.feed(Event::Key(chord));
        }
        self
    }

    /// Time passes without a tick.
    pub fn wait_ms(&mut self, ms: u64) -> &mut Self {
        self.now_ns += ms * 1_000_000;
        self
    }

    pub fn ticks(&mut self, n: u32) -> &mut Self {
        for _ in 0..n {
            self.now_ns += TICK_NS;
            let reading = (self.app.run.phase != Phase::Idle).then(|| self.reading());
            self.feed(Event::Tick(reading));
            self.draining = match self.draining {
                Some(0) => {
                    let last = Some(self.reading());
                    self.sent = None;
                    self.feed(Event::Reply(Reply::Over { last, why: None }));
                    None
                }
                left => left.map(|n| n - 1),
            };
        }
        self
    }

    pub fn feed(&mut self, event: Event) {
        let mut asked = std::collections::VecDeque::from(self.app.update(self.now_ns, event));
        while let Some(effect) = asked.pop_front() {
            self.asked.push(format!("{effect:?}").split([' ', '(', '{']).next().unwrap().to_owned());
            if let Some(reply) = self.perform(effect) {
                asked.extend(self.app.update(self.now_ns, Event::Reply(reply)));
            }
        }
    }

    fn perform(&mut self, effect: Effect) -> Option<Reply> {
        match effect {
            Effect::Start(_) if std::mem::take(&mut self.refuses_start) => {
                Some(Reply::NotStarted("deck0 queue 0: another program sends on it".into()))
            }
            Effect::Start(document) if self.is_slow => {
                assert_valid(&document);
                None
            }
            Effect::Start(document) => {
                assert_valid(&document);
                self.sent = Some(*document);
                self.counts = Counts { started_ns: self.now_ns, ..Counts::default() };
                Some(Reply::Started { mode: "copy 1q".into(), notes: Vec::new() })
            }
            Effect::Retune(_) if std::mem::take(&mut self.refuses_retune) => {
                Some(Reply::RetuneRefused("flow.udp.eth.dst: no neighbour entry for 10.0.0.2".into()))
            }
            Effect::Retune(document) => {
                assert_valid(&document);
                self.sent = Some(*document);
                Some(Reply::Retuned)
            }
            Effect::Restart(_) if std::mem::take(&mut self.refuses_retune) => {
                Some(Reply::RetuneRefused("deck0 queue 9: this device has 1 queue: 0".into()))
            }
            Effect::Restart(document) => {
                let last = self.reading();
                self.sent = Some(*document);
                self.counts = Counts { started_ns: self.now_ns, ..Counts::default() };
                Some(Reply::Reopened { last, mode: "copy 1q".into() })
            }
            Effect::AskFacts(_) => {
                let neighbours = vec![("198.18.0.9".parse().unwrap(), [2, 0, 0, 0, 0, 9])];
                Some(Reply::Facts(Facts { device_mac: [2, 0, 0, 0, 0, 1], neighbours, ..Facts::default() }))
            }
            Effect::Stop => {
                self.draining = Some(self.drain_ticks);
                None
            }
            Effect::Save { name, document, force } => {
                if name == "udp-64" && !force {
                    let why = "udp-64 is a shipped profile; yours would hide it".into();
                    return Some(Reply::SaveRefused { why, refusal: Refusal::ShippedName { free: "udp-64-2".into() } });
                }
                if !force && (name == "mine" || self.saved.iter().any(|(saved, _)| *saved == name)) {
                    let why = format!("/home/me/.config/txdeck/profiles/{name}.toml exists");
                    return Some(Reply::SaveRefused { why, refusal: Refusal::Exists });
                }
                self.saved.push((name.clone(), document.text().to_owned()));
                let path = format!("/home/me/.config/txdeck/profiles/{name}.toml");
                Some(Reply::Saved { name, path })
            }
            Effect::Load(name) => {
                let document = Box::new(Document::parse("udp-64.toml", UDP_64).unwrap());
                Some(Reply::Loaded { name, origin: Origin::Shipped, document })
            }
            Effect::ListProfiles => Some(Reply::Profiles(profiles())),
            Effect::Import { .. } if self.holds_imports => None,
            Effect::Import { file, dialect } => Some(self.import(file, dialect.as_deref())),
            Effect::Export { dialect, file, document, force } => Some(self.export(&dialect, file, &document, force)),
            Effect::ListTongues => Some(Reply::Tongues(tongues())),
            Effect::ListFolder(path) => {
                let names = self.files.iter().filter_map(|(file, _)| file.strip_prefix(&path));
                let names = names.filter(|name| !name.contains('/')).map(str::to_owned).collect();
                Some(Reply::Folder(Folder { path, names }))
            }
            Effect::ListThemes => Some(Reply::Themes(["terminal", "dark", "light"].map(str::to_owned).to_vec())),
            Effect::Calibrate { .. } => self.calibration.clone().map(Reply::Calibrated),
            Effect::ReadCounters => Some(Reply::Counters(vec![(2, self.counted()), (3, self.counted())])),
            Effect::UseTheme(name) => Some(Reply::Done(format!("theme {}", name.unwrap_or_default()))),
            Effect::Shot(path) => Some(Reply::Done(format!("picture: {}", path.unwrap_or_default()))),
            Effect::Remember(_) => None,
            Effect::ListDevices => Some(Reply::Devices(devices())),
            Effect::UseDevice(_) => Some(Reply::DeviceChosen(place(PlaceKind::Real))),
            Effect::Copy(text) => {
                self.copied = text;
                Some(Reply::Done("copied".into()))
            }
            Effect::Redraw | Effect::Suspend => None,
            Effect::Quit { code } => {
                self.quit.get_or_insert(code);
                None
            }
        }
    }

    pub fn import(&self, file: String, dialect: Option<&str>) -> Reply {
        let Some((_, text)) = self.files.iter().find(|(name, _)| *name == file) else {
            return Reply::Failed(format!("{file}: reading failed: No such file or directory"));
        };
        let dialect = dialect.and_then(Dialect::named).or(dialect::sniff(&file, text.as_bytes())).unwrap();
        match dialect::import(dialect, &file, text.as_bytes(), &Given::default()) {
            Err(why) => Reply::Failed(why.to_string()),
            Ok(imported) => {
                let document = Box::new(Document::parse(&file, &imported.text).unwrap());
                let (name, remarks) = (document.profile().name.clone(), remarks(&imported.report, &file));
                Reply::Imported(Foreign { name, file, dialect: dialect.name(), document, remarks })
            }
        }
    }

    fn export(&mut self, dialect: &str, file: Option<String>, document: &Document, force: bool) -> Reply {
        let is_there = |file: &String| self.files.iter().any(|(name, _)| name == file);
        if let Some(file) = file.as_ref().filter(|file| !force && is_there(file)) {
            return Reply::ExportRefused { dialect: dialect.into(), file: file.clone() };
        }
        let dialect = Dialect::named(dialect).unwrap();
        match dialect::export(dialect, document) {
            Err(why) => Reply::Failed(why.to_string()),
            Ok(exported) => {
                let remarks = remarks(&exported.report, "");
                let target = match file {
                    None => Err(exported.text),
                    Some(file) => {
                        self.files.retain(|(name, _)| *name != file);
                        self.files.push((file.clone(), exported.text));
                        Ok(file)
                    }
                };
                Reply::Exported(Written { dialect: dialect.name(), target, remarks })
            }
        }
    }

    /// One tick's worth of sending: a doorbell costs 700 ns shared by the burst, a packet 868 ns.
    fn reading(&mut self) -> Reading {
        let sent = self.sent.as_ref().map(|document| document.profile());
        if let Some(profile) = sent.filter(|_| self.draining.is_none()) {
            let wobble = (self.now_ns / TICK_NS % 7) as f64 - 3.0;
            let cost_ns = 868.0 + 700.0 / f64::from(profile.tx.burst) + wobble;
            let pps = match profile.tx.rate {
                Rate::Pps(pps) => pps.min(1e9 / cost_ns),
                _ => 1e9 / cost_ns,
            };
            let packets = (pps * 0.1).round() as u64;
            self.counts.submitted += packets;
            self.counts.completed = self.counts.submitted;
            self.counts.submitted_bytes += packets * profile.flows[0].size.min() as u64;
            self.counts.busy_ns += (packets as f64 * cost_ns) as u64;
            self.counts.last_ns = self.now_ns;
        }
        let counts = self.counts;
        let queues = sent.map_or_else(|| vec![0], |profile| profile.tx.queues.clone());
        let senders = queues.iter().enumerate().map(|(seat, queue)| sender(seat, *queue, queues.len(), counts));
        let enabled: Vec<_> = sent.iter().flat_map(|profile| &profile.flows).filter(|flow| flow.enabled).collect();
        let flows = enabled.iter().map(|flow| FlowSnapshot {
            name: flow.name.as_str().into(),
            submitted: counts.submitted / enabled.len() as u64,
        });
        let snapshot = Snapshot { at_ns: self.now_ns, senders: senders.collect(), flows: flows.collect() };
        let ledger = Ledger {
            submitted: counts.submitted,
            completed: counts.completed,
            left: counts.left(),
            source: LeftSource::Device,
            dropped: Some(0),
            invalid: 0,
            in_flight: 0,
            abandoned: 0,
            received: Some(counts.left()),
            shortfall: 0,
            unexplained: 0,
        };
        let mut reading = Reading { at_ns: self.now_ns, snapshot, ledger, carrier: Some(true) };
        if let Some(twist) = self.twist {
            twist(&mut reading);
        }
        reading
    }

    /// 1000 packets of 60 bytes a second since the clock's start.
    fn counted(&self) -> DeviceCounts {
        let packets = self.now_ns / 1_000_000;
        DeviceCounts { at_ns: self.now_ns, tx_packets: packets, tx_bytes: 60 * packets, ..DeviceCounts::default() }
    }

    pub fn count(&self, effect: &str) -> usize {
        self.asked.iter().filter(|asked| *asked == effect).count()
    }

    pub fn picture(&self, width: u16, height: u16, look: &Look) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| ui::draw(frame, &self.app, look)).unwrap();
        terminal.backend().buffer().clone()
    }
}

fn tongues() -> Tongues {
    let names = |can: fn(Dialect) -> bool| {
        Dialect::ALL.into_iter().filter(|dialect| can(*dialect)).map(|dialect| dialect.name().to_owned()).collect()
    };
    Tongues { read: names(Dialect::can_import), written: names(Dialect::can_export) }
}

fn remarks(report: &Report, file: &str) -> Vec<Remark> {
    let losses = report.notes.iter().map(|note| note.kind == Kind::Dropped);
    report.lines(file).zip(losses).map(|(text, is_loss)| Remark { is_loss, text }).collect()
}

/// Nothing but a whole plan may ever reach the senders.
fn assert_valid(document: &Document) {
    let again = Document::parse("sent", document.text());
    let profile = again.unwrap_or_else(|problems| panic!("an invalid plan reached the senders: {problems}"));
    let facts = Facts { device_mac: [2, 0, 0, 0, 0, 1], ..Facts::default() };
    if let Err(why) = compile(profile.profile(), &facts) {
        assert!(why.to_string().contains("neighbour"), "{why}");
    }
}

/// One of `all` senders that share the counts, the remainder with the first.
fn sender(seat: usize, queue: u32, all: usize, counts: Counts) -> SenderSnapshot {
    let share = |total: u64| total / all as u64 + if seat == 0 { total % all as u64 } else { 0 };
    let counts = Counts {
        submitted: share(counts.submitted),
        completed: share(counts.completed),
        submitted_bytes: share(counts.submitted_bytes),
        busy_ns: share(counts.busy_ns),
        ..counts
    };
    SenderSnapshot {
        queue,
        cpu: Some(queue + 1),
        state: State::Sending,
        reason: None,
        parts: Parts::default(),
        counts,
        frames: (512, 512),
        errnos: Vec::new(),
        counts_drops: true,
    }
}

fn devices() -> Vec<DeviceEntry> {
    let entry = |name: &str, index: u32, facts: &str, guard: Option<&str>| DeviceEntry {
        name: name.into(),
        index,
        facts: facts.into(),
        guard: guard.map(str::to_owned),
        details: vec![
            ("link", "up, 10000 Mbit/s".into()),
            ("driver", "ixgbe (pci 0000:03:00.0)".into()),
            ("MAC, MTU", "02:00:00:00:00:01, 1500 (frames up to 1514 bytes)".into()),
            ("queues", "8 of 63".into()),
            ("NIC rings", "tx 512 of 4096, rx 512 of 4096".into()),
            ("coalescing", "rx adaptive, tx 50 us or 32 frames".into()),
            ("NUMA node", "0".into()),
            ("AF_XDP", "zero-copy".into()),
            ("sending", "free".into()),
        ],
        ..DeviceEntry::default()
    };
    let guard =
        "eth0 carries your ssh session (from 10.0.0.7). txdeck will not send there. To do it anyway: --arm eth0";
    vec![
        entry("eth0", 2, "virtio   52:54:00:00:00:01  mtu 1500  up         2q", Some(guard)),
        entry("enp3s0f0", 3, "ixgbe    02:00:00:00:00:01  mtu 1500  up         8q", None),
        entry("sim", 0, "the simulated nic; needs no rights at all", None),
    ]
}

fn profiles() -> ProfileList {
    let shipped = |name: &str, note: &str, is_shadowed| ProfileEntry {
        name: name.into(),
        note: note.into(),
        is_shipped: true,
        is_shadowed,
        problem: None,
    };
    let own = |name: &str, note: &str, problem: Option<&str>| ProfileEntry {
        is_shipped: false,
        is_shadowed: name == "sizes",
        problem: problem.map(str::to_owned),
        ..shipped(name, note, false)
    };
    let broken = "broken.toml:24:41: flow.b.ipv4.dst: \"198.18.0.2540\" is not an IPv4 address (each part 0..255)";
    ProfileList {
        entries: vec![
            own("broken", "", Some(broken)),
            own("mine", "what I measured last year", None),
            own("sizes", "my own sizes", None),
            shipped("udp-64", "64-byte frames as fast as they go", false),
            shipped("sizes", "frames of every size in turn", true),
            shipped("steady-1k", "a thousand packets a second", false),
        ],
        folder: "/home/me/.config/txdeck/profiles".into(),
        sudo_user: None,
    }
}

/// The characters of a picture, a line each, without trailing blanks.
pub fn text(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width.max(1));
    let line = |cells: &[ratatui::buffer::Cell]| {
        cells.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned()
    };
    buffer.content.chunks(width).map(line).collect::<Vec<_>>().join("\n")
}
