//! The sequence word under every interleaving that loom can find: a reader never sees half a publication.

/// The atomics that `published.rs` takes from its parent: here loom's.
mod atomic {
    pub use loom::sync::atomic::{AtomicU64, Ordering, fence};
}
#[path = "../src/stats/published.rs"]
mod published;

use loom::{sync::Arc, thread};
use published::Published;

#[test]
fn a_reader_never_sees_half_a_publication() {
    loom::model(|| {
        let words = Arc::new(Published::<2>::new());
        let writer = Arc::clone(&words);
        let publishing = thread::spawn(move || {
            writer.publish(&[1, 10]);
            writer.publish(&[2, 20]);
        });
        let seen = words.try_read();
        if let Some([a, b]) = seen {
            assert_eq!(b, a * 10, "torn");
        }
        publishing.join().unwrap();
        assert_eq!(words.try_read(), Some([2, 20]));
    });
}
