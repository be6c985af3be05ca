//! Pictures of the screens at the sizes people have, and the styles that text does not show.

use ratatui::{buffer::Buffer, style::Modifier};
use txdeck::{
    app::PlaceKind,
    ui::{Glyphs, Look, Role, Theme},
};

use crate::stage::{Stage, UDP_64, place, text};

const SIZES: [(u16, u16); 6] = [(80, 22), (80, 24), (100, 29), (120, 36), (120, 40), (200, 60)];

fn snapshot(name: &str, stage: &Stage) {
    for (width, height) in SIZES {
        let picture = stage.picture(width, height, &Look::default());
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots" }, {
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), text(&picture));
        });
    }
}

fn judged() -> Stage {
    let mut stage = Stage::lab();
    stage.keys("1 enter space").ticks(250).keys("3 2 enter").ticks(280);
    stage
}

#[test]
fn without_a_device() {
    let mut stage = Stage::with(UDP_64, None);
    snapshot("no-device", &stage);
    stage.keys("space");
    snapshot("devices", &stage);
}

#[test]
fn help_from_the_keymap() {
    let mut stage = Stage::lab();
    stage.keys("?");
    snapshot("help", &stage);
}

#[test]
fn dialogs() {
    let mut stage = Stage::lab();
    stage.keys("l w");
    snapshot("save-as", &stage);
    stage.keys("esc q");
    snapshot("quit", &stage);
    let mut real = Stage::with(UDP_64, Some(place(PlaceKind::Real)));
    real.keys("space");
    snapshot("first-start", &real);
    let mut refused = Stage::lab();
    refused.keys("2 0 0 0 enter");
    snapshot("refused-value", &refused);
    let mut over = Stage::lab();
    over.keys("2 6 4 enter : w space m i n e enter");
    snapshot("overwrite", &over);
    let mut open_over = Stage::lab();
    open_over.keys("2 6 4 enter o");
    snapshot("pick-unsaved", &open_over);
    open_over.keys("down enter");
    snapshot("open-over", &open_over);
}

#[test]
fn too_small_is_one_line_with_the_stop_key() {
    let mut stage = Stage::lab();
    stage.keys("space").ticks(30);
    for (width, height) in [(79, 22), (80, 21), (40, 5), (20, 1)] {
        let picture = text(&stage.picture(width, height, &Look::default()));
        let line = picture.lines().next().unwrap();
        assert_eq!(picture.trim().lines().count(), 1, "{width}x{height}");
        assert!(line.starts_with("SENDING") && line.contains("1.1"), "{line:?}");
        if width >= 40 {
            assert!(line.contains("^C") && line.contains("ns"), "{line:?}");
        }
    }
    let line = text(&stage.picture(79, 22, &Look::default()));
    assert_eq!(line.trim(), "SENDING 00:03 1.124 Mpps left 890 ns ^C stop");
}

#[test]
fn ascii_is_all_ascii() {
    let mut stage = judged();
    stage.feed(txdeck::app::Event::Tick(None));
    let look = Look { glyphs: Glyphs::Ascii, ..Look::default() };
    for keys in ["", "f", "f ?", "? 5", "esc d", "esc o", "esc l q"] {
        stage.keys(keys);
        let picture = text(&stage.picture(80, 24, &look));
        assert!(picture.is_ascii(), "{keys}: {picture}");
    }
    let fresh = judged();
    insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots" }, {
        insta::assert_snapshot!("verdict-ascii-80x24", text(&fresh.picture(80, 24, &look)));
    });
}

#[test]
fn nothing_sent_is_never_a_number() {
    for stage in [Stage::lab(), Stage::with(UDP_64, None)] {
        let picture = text(&stage.picture(80, 24, &Look::default()));
        let figures = picture.lines().nth(1).unwrap();
        assert_eq!(figures.trim(), "– pps left device   – ns cost   – ns gap");
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
    }
}

#[test]
fn the_stop_key_is_pinned_right_at_every_size() {
    for (width, height) in [(80, 22), (120, 40), (200, 60)] {
        let mut stage = Stage::lab();
        stage.keys("space").ticks(3);
        let picture = text(&stage.picture(width, height, &Look::default()));
        assert!(picture.lines().last().unwrap().ends_with("^C stop"), "{width}");
    }
}

/// Where a text stands in a picture.
fn find(buffer: &Buffer, wanted: &str) -> (u16, u16) {
    for (y, line) in text(buffer).lines().enumerate() {
        if let Some(at) = line.find(wanted) {
            return (line[..at].chars().count() as u16, y as u16);
        }
    }
    panic!("{wanted:?} is not on the screen:\n{}", text(buffer));
}

#[test]
fn styles_follow_their_roles() {
    let theme = Theme::default();
    let mut stage = Stage::lab();
    stage.keys("space").ticks(20);
    let picture = stage.picture(80, 24, &Look::default());
    let style = |wanted: &str| picture[find(&picture, wanted)].style();
    for (wanted, role) in
        [("*burst", Role::Focus), ("SENDING", Role::Good), ("healthy", Role::Good), ("cost, ns", Role::GraphB)]
    {
        let (is, should) = (style(wanted), theme.style(role));
        assert_eq!(is.fg, should.fg.or(Some(ratatui::style::Color::Reset)), "{wanted}");
        assert!(is.add_modifier.contains(should.add_modifier), "{wanted}");
    }
    assert!(picture.content.iter().all(|cell| cell.bg == ratatui::style::Color::Reset), "no background is painted");
    stage.keys("d");
    let devices = stage.picture(80, 24, &Look::default());
    assert!(devices[find(&devices, "> eth0")].modifier.contains(Modifier::REVERSED));
}

#[test]
fn no_color_has_no_colour_and_still_tells() {
    let mut stage = judged();
    let look = Look { theme: Theme::shipped("none").unwrap(), ..Look::default() };
    for keys in ["", "d", "esc l q"] {
        stage.keys(keys).ticks(2);
        let picture = stage.picture(80, 24, &look);
        assert!(picture.content.iter().all(|cell| cell.fg == ratatui::style::Color::Reset));
    }
    assert!(text(&stage.picture(80, 24, &look)).contains("[cancel]"));
}
