//! A whole lesson in the real binary: start, tune, judge, edit a flow, add a flow, undo, save as, reopen, switch the
//! theme, freeze, quit; with the saved file checked.

use crate::{Console, PATIENCE, Reader};

#[test]
fn a_whole_lesson() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends udp-64 on sim");
    console.type_keys(" ");
    console.wait_for("SENDING");
    // A change is judged from settled samples on both sides.
    console.wait_for("SENDING 00:05");
    console.type_keys(":burst=1\r");
    console.wait_for("B32>1");
    console.wait("the verdict", |screen| {
        screen.lines().nth(2).is_some_and(|line| line.contains("burst 32 → 1") && line.contains('±'))
    });
    console.type_keys("l");
    console.wait_for("B1>2");
    console.type_keys("u");
    console.wait_for("B2>1");
    console.type_keys("f");
    console.wait_for("FROZEN");
    console.type_keys("f");
    console.wait("the thaw", |screen| !screen.contains("FROZEN"));

    console.type_keys("e");
    console.wait_for("next frames of udp");
    console.type_keys(":flow.udp.udp.src=1024..65535\r");
    console.wait_for("1024..65535");
    console.type_keys("a");
    console.wait_for("flows 2/2");
    console.type_keys("c");
    console.wait_for("flows 3/3");
    console.type_keys("u");
    console.wait_for("flows 2/2");

    console.type_keys("W");
    console.wait_for("save as");
    console.type_keys("\x15lesson\r");
    console.wait_for("saved:");
    console.type_keys(":stop\r");
    console.wait_for("STOPPED");
    console.type_keys(":o udp-64\r");
    console.wait(" udp-64 opened", |screen| screen.lines().next().is_some_and(|line| line.starts_with(" udp-64 ")));
    console.type_keys(":o lesson\r");
    console
        .wait("lesson opened again", |screen| screen.lines().next().is_some_and(|line| line.starts_with(" lesson ")));
    console.type_keys(":theme light\r");
    console.wait_for("light");
    console.type_keys(":q\r");
    assert_eq!(console.end(PATIENCE), 0);
    console.assert_restored();

    let saved = std::fs::read_to_string(console.profile("lesson")).unwrap();
    let shipped = include_str!("../../profiles/udp-64.toml");
    assert!(
        shipped.lines().filter(|line| line.starts_with('#')).all(|line| saved.contains(line)),
        "comments:\n{saved}"
    );
    assert!(saved.contains("burst = 1 ") && saved.contains("from = 1024, to = 65535"), "{saved}");
    assert_eq!(saved.matches("[[flow]]").count(), 2, "{saved}");
    let config = std::fs::read_to_string(console.home.path().join("config/txdeck/config.toml")).unwrap();
    assert!(config.contains("theme = \"light\""), "{config}");
}
