//! The real binary: a sweep on the open place with its table, a tuning that sets a burst, and what ends them.

use std::time::Instant;

use super::{Console, PATIENCE, Reader, has_lab};

#[test]
fn a_sweep_shows_its_table_in_the_time_it_said_and_leaves_nothing_sending() {
    if !has_lab() {
        return;
    }
    let mut console = Console::open(&["lab", "udp-64"], Reader::Reads);
    console.wait_for("space sends");
    console.type_keys("s");
    console.wait_for("about 12.6 s");
    // The whole line anew, shorter: 4 settings x 2 slices of 0.2 s, each with 0.2 s around it.
    console.type_keys("\x15sweep burst=1,32 clone=0,10 slice=200ms repeat=2");
    console.wait_for("about 3.2 s");
    let began = Instant::now();
    console.type_keys("\r");
    console.wait_for("jk scroll, esc closes");
    let took_s = began.elapsed().as_secs_f64();
    assert!(took_s > 2.8, "{took_s} s are too few for eight slices");
    // The page comes in pieces.
    console.wait("map and fit", |screen| screen.contains("burst down, clone across") && screen.contains("R²"));
    console.esc_from("jk scroll");
    console.wait_for("STOPPED");
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
    println!("sweep of 3.2 s took {took_s:.2} s");
}

#[test]
fn a_tuning_sets_a_burst_that_can_be_taken_back_and_escape_ends_one() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends");
    console.line("burst=1");
    console.type_keys(" ");
    console.wait_for("SENDING");
    console.type_keys("T");
    console.wait_for("tune: 2 of");
    console.type_keys("\x1b");
    console.wait_for_words("the burst stays as it is");
    console.type_keys("T");
    console.wait("what was found", |screen| screen.contains("ns a packet"));
    console.wait("a burst", |screen| screen.contains("burst 1 > ") || screen.contains("burst 1 stays"));
    console.type_keys("\x03");
    console.wait_for("STOPPED");
    console.type_keys("\x03");
    assert_eq!(console.end(PATIENCE), 130);
    console.assert_restored();
}
