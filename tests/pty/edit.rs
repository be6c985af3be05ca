//! Editing in the real binary: a field, a flow, undo, save; queues opened again while it sends.

use std::process::Command;

use crate::{Console, PATIENCE, Reader};

/// Goes down until this row is picked: its title says which of how many.
fn pick(console: &mut Console, row: &str) {
    for _ in 0..60 {
        let is_picked = |screen: &str| screen.lines().any(|line| line.contains(&format!("││> {row} ")));
        if is_picked(&console.text()) {
            return;
        }
        let before = position(&console.text());
        console.type_keys("j");
        console.wait("the next row", |screen| position(screen) != before);
    }
    panic!("no row {row}:\n{}", console.text());
}

/// `field 7/31`.
fn position(screen: &str) -> Option<String> {
    screen.split_once(": field ").map(|(_, rest)| rest.chars().take_while(|c| !c.is_whitespace()).collect())
}

#[test]
fn edit_a_field_add_a_flow_undo_save_and_read_the_file() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends udp-64");
    console.type_keys("e");
    console.wait_for("next frames of udp");
    console.wait_for("02 00 00 00 00 02 02 00 00 00 00 01");
    console.type_keys("\r");
    pick(&mut console, "ttl");
    console.type_keys("\r\x15\x1b[200~300\n\x1b[201~");
    console.wait_for("flow.udp.ipv4.ttl");
    console.type_keys("\r");
    console.wait_for("Esc keeps 64.");
    console.type_keys("\x157\r");
    console.wait_for("udp-64*");
    console.wait_for("ttl 7 ");
    // Esc and what follows it at once would be one key with Alt.
    console.type_keys("\x1b");
    console.wait_for(" udp: Ethernet + IPv4 + UDP");
    console.type_keys("a");
    console.wait_for("flows 2/2");
    console.type_keys("x");
    console.wait_for("flows 1/1");
    console.type_keys("u");
    console.wait_for("flow-2");
    console.type_keys("w");
    console.wait_for("udp-64-2");
    console.type_keys("\r");
    console.wait_for("saved:");
    console.type_keys("\x1b");
    console.wait_for("space sends udp-64-2");
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
    console.assert_restored();
    let saved = std::fs::read_to_string(console.profile("udp-64-2")).unwrap();
    let shipped = include_str!("../../profiles/udp-64.toml");
    let added =
        "\n[[flow]]\nname = \"flow-2\"\nsize = 60\neth = { dst = \"02:00:00:00:00:02\" }\nipv4 = {}\nudp = {}\n";
    let wanted = shipped.replace("ipv4 = {}", "ipv4 = { ttl = 7 }") + added;
    assert_eq!(saved, wanted, "one value, one flow, and nothing else");
    let checked = Command::new(env!("CARGO_BIN_EXE_txdeck")).arg("check").arg(console.profile("udp-64-2")).status();
    assert!(checked.unwrap().success());
}

/// A longer ring and larger chunks wait for `R`; longer packets than the queues were opened for then go at once.
fn restarts_with_what_waits(args: &[&str]) {
    let mut console = Console::open(args, Reader::Reads);
    console.wait_for("space sends");
    console.type_keys(" ");
    console.wait_for("SENDING");
    console.wait_for("healthy");
    console.type_keys("e");
    console.wait_for("next frames of udp");
    console.type_keys("k\r");
    console.wait_for("senders: field");
    pick(&mut console, "ring");
    console.type_keys("l");
    console.wait_for("1 waits for R");
    pick(&mut console, "chunk_bytes");
    console.type_keys("l");
    console.wait_for("2 wait for R");
    console.type_keys("R");
    console.wait("the restart", |screen| !screen.contains("for R") && !screen.contains("last good"));
    console.wait_for("SENDING");
    console.type_keys("}");
    console.wait_for("udp: field");
    console.type_keys("kkkkkkkkkkkkkkkkkkkkkkkkk");
    pick(&mut console, "size");
    console.type_keys("\r\x153000\r");
    console.wait_for("3000 B (+4 FCS = 3004)");
    console.type_keys("q");
    console.wait_for(", packets/s");
    console.wait_for("3000");
    // A fresh count: what was submitted since is less than before, but it grows.
    console.wait("figures after the restart", |screen| {
        screen.lines().nth(1).is_some_and(|line| line.contains(" ns cost") && !line.contains("– ns cost"))
    });
    console.type_keys("\x03");
    console.wait_for("STOPPED");
    console.type_keys("\x03");
    assert_eq!(console.end(PATIENCE), 130);
    console.assert_restored();
}

#[test]
fn queues_open_again_for_longer_packets_on_the_simulated_nic() {
    restarts_with_what_waits(&["--device", "sim"]);
}

/// Skips aloud where a lab cannot be made; with REQUIRE_WIRE=1 that is a failure.
#[test]
fn queues_open_again_for_longer_packets_in_the_lab() {
    let probe = Command::new(env!("CARGO_BIN_EXE_txdeck"))
        .args(["run", "udp-64", "--lab", "--count", "1", "--json"])
        .output()
        .unwrap();
    if probe.status.code() != Some(0) {
        let why = String::from_utf8_lossy(&probe.stdout).into_owned();
        assert!(!std::env::var("REQUIRE_WIRE").is_ok_and(|value| value == "1"), "REQUIRE_WIRE=1, but: {why}");
        eprintln!("SKIPPED: {why}");
        return;
    }
    restarts_with_what_waits(&["lab"]);
}
