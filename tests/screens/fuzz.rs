//! Random keys, pastes, ticks and sizes: no panic, no invalid plan to a sender, and off is always reachable.

use txdeck::{
    app::{Chord, Code, Event, Phase, PlaceKind, Reading, Reply},
    stats::{LeftSource, State},
    ui::{Glyphs, Look, Theme},
};

use crate::stage::{Stage, UDP_64, place};

/// SplitMix64: small, and a seed says it all.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }
}

fn chord(random: &mut Random) -> Chord {
    const CODES: [Code; 16] = [
        Code::Enter,
        Code::Esc,
        Code::Tab,
        Code::BackTab,
        Code::Backspace,
        Code::Delete,
        Code::Left,
        Code::Right,
        Code::Up,
        Code::Down,
        Code::Home,
        Code::End,
        Code::PageUp,
        Code::PageDown,
        Code::F(1),
        Code::Char('ö'),
    ];
    let code = match random.next(3) {
        0 => CODES[random.next(16) as usize],
        _ => Code::Char(char::from(b' ' + random.next(95) as u8)),
    };
    Chord { code, ctrl: random.next(8) == 0, alt: random.next(40) == 0 }
}

/// What may go wrong with the senders meanwhile.
const TWISTS: [Option<fn(&mut Reading)>; 4] = [
    None,
    Some(|reading| {
        reading.ledger.left = 0;
        reading.ledger.dropped = None;
        reading.ledger.unexplained = reading.ledger.completed;
        reading.carrier = None;
    }),
    Some(|reading| {
        let sender = &mut reading.snapshot.senders[0];
        (sender.state, sender.reason) = (State::Failed, Some("gone".into()));
        reading.ledger.source = LeftSource::Completions;
    }),
    Some(|reading| reading.snapshot.senders.clear()),
];

/// Answers of a bench that was slow; they may come when nobody waits for them any more.
fn answer_late(stage: &mut Stage, random: &mut Random) {
    let reply = match (stage.app.run.phase, random.next(3)) {
        (Phase::Starting | Phase::Draining, 0) => Reply::Started { mode: "copy 1q".into(), notes: vec!["note".into()] },
        (Phase::Starting, 1) => Reply::NotStarted("no such queue".into()),
        (Phase::Sending, 0) => Reply::Retuned,
        (Phase::Sending, 1) => Reply::Over { last: None, why: Some("the device is gone".into()) },
        _ => Reply::Failed("what was asked failed".into()),
    };
    stage.feed(Event::Reply(reply));
}

#[test]
fn random_keys_and_sizes() {
    let events: u64 = std::env::var("TXDECK_FUZZ_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let seed: u64 = std::env::var("TXDECK_FUZZ_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0x7d_eced);
    println!("TXDECK_FUZZ_SEED={seed} TXDECK_FUZZ_EVENTS={events}");
    let mut random = Random(seed);
    let light = Theme::shipped("light").unwrap();
    let looks =
        [Look::default(), Look { glyphs: Glyphs::Ascii, ..Look::default() }, Look { theme: light, ..Look::default() }];
    let mut stage = Stage::lab();
    for event in 0..events {
        match random.next(24) {
            0..=12 => stage.feed(Event::Key(chord(&mut random))),
            13..=17 => drop(stage.ticks(1 + random.next(4) as u32)),
            18 => stage.feed(Event::Paste("1\u{1b}[2J, 5\nx".into())),
            19 => stage.refuses_retune = true,
            20 => stage.refuses_start = true,
            21 => stage.twist = TWISTS[random.next(4) as usize],
            22 => stage.is_slow = !stage.is_slow,
            _ => answer_late(&mut stage, &mut random),
        }
        if event % 16 == 0 {
            let (width, height) = (random.next(140) as u16, random.next(60) as u16);
            stage.picture(width, height, &looks[random.next(3) as usize]);
        }
        if stage.quit.is_some() {
            let (kind, text) = match random.next(3) {
                0 => (Some(place(PlaceKind::Real)), UDP_64.to_owned()),
                1 => (None, UDP_64.replace("size = 60", "size = { from = 60, to = 1514 }")),
                _ => (Some(place(PlaceKind::Sim)), UDP_64.replace("rate = \"max\"", "rate = \"10 Gbit/s\"")),
            };
            stage = Stage::with(&text, kind);
            stage.drain_ticks = random.next(5) as u32;
        }
    }
    stage.is_slow = false;
    stage.feed(Event::Reply(Reply::NotStarted("too late".into())));
    stage.keys("^C").ticks(10).keys("^C ^C");
    assert!(stage.quit.is_some() && stage.app.run.phase == Phase::Idle);
}

#[test]
fn no_size_panics() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(20).keys("l").ticks(20);
    for setting in ["", "5", "W", "esc f", "?", "? d", "d o", "esc l q"] {
        stage.keys(setting);
        for (width, height) in
            [(0, 0), (0, 5), (5, 0), (1, 1), (2, 2), (79, 22), (80, 21), (80, 22), (81, 23), (500, 200)]
        {
            stage.picture(width, height, &Look::default());
            stage.picture(width, height, &Look { glyphs: Glyphs::Ascii, ..Look::default() });
        }
    }
}
