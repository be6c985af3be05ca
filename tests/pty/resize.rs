//! A window that changes while somebody types.

use portable_pty::PtySize;

use super::{Console, PATIENCE, Reader, cells};

/// The key that comes first after a resize is heard without a second one.
#[test]
fn the_first_key_after_a_resize_is_heard() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    console.wait_for("space sends");
    for (rows, cols) in [(26, 90), (30, 100), (40, 120)] {
        // From a first key on, the reader of keys waits for resizes as well.
        console.type_keys("?");
        console.wait_for("/ searches these keys");
        console.screen.lock().unwrap().set_size(cells(rows), cells(cols));
        console.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        console
            .wait("the wider screen", |screen| screen.lines().any(|line| line.chars().count() + 2 > usize::from(cols)));
        console.type_keys("\x1b");
        console.wait("help is gone", |screen| screen.contains("space sends") && !screen.contains("┌ keys "));
    }
    console.type_keys("q");
    assert_eq!(console.end(PATIENCE), 0);
}
