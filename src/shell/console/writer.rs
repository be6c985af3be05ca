//! The writer thread: frames come through a one-slot mailbox, stale ones are dropped, and what changed is reckoned
//! against what was really written. A terminal that does not read holds up this thread and nobody else.

use std::{
    io,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::JoinHandle,
};

use ratatui::{
    backend::{Backend, CrosstermBackend},
    buffer::Buffer,
    layout::Position,
};

use super::outlet::Outlet;

/// One finished screen.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    pub buffer: Buffer,
    pub cursor: Option<Position>,
}

#[derive(Default)]
struct Slot {
    picture: Option<Picture>,
    /// The terminal no longer shows what was written: draw all of it.
    whole: bool,
    /// Sequences that are no picture (the clipboard), in their order.
    extra: Vec<u8>,
    closing: bool,
}

#[derive(Default)]
struct Mailbox {
    slot: Mutex<Slot>,
    filled: Condvar,
}

impl Mailbox {
    fn change(&self, change: impl FnOnce(&mut Slot)) {
        change(&mut self.slot.lock().unwrap_or_else(PoisonError::into_inner));
        self.filled.notify_one();
    }

    /// Waits for something to write; `None`: closing.
    fn take(&self) -> Option<Slot> {
        let slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        let is_empty = |slot: &mut Slot| slot.picture.is_none() && slot.extra.is_empty() && !slot.closing;
        let mut slot = self.filled.wait_while(slot, is_empty).unwrap_or_else(PoisonError::into_inner);
        (!slot.closing).then(|| std::mem::take(&mut *slot))
    }
}

pub struct Writer {
    mailbox: Arc<Mailbox>,
    outlet: Arc<Outlet>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub fn start(outlet: Arc<Outlet>) -> io::Result<Self> {
        outlet.set_hurry(false);
        let mailbox = Arc::new(Mailbox::default());
        let (theirs, way) = (Arc::clone(&mailbox), Arc::clone(&outlet));
        let thread = std::thread::Builder::new().name("txdeck-screen".into()).spawn(move || work(&theirs, &way))?;
        Ok(Self { mailbox, outlet, thread: Some(thread) })
    }

    /// Never waits. A picture that was not written yet is replaced.
    pub fn show(&self, picture: Picture) {
        self.mailbox.change(|slot| slot.picture = Some(picture));
    }

    /// The next picture is drawn whole.
    pub fn forget(&self) {
        self.mailbox.change(|slot| slot.whole = true);
    }

    pub fn send(&self, sequence: &[u8]) {
        self.mailbox.change(|slot| slot.extra.extend_from_slice(sequence));
    }

    /// Ends the thread, in the middle of a picture if the terminal is stalled.
    pub fn close(&mut self) {
        self.mailbox.change(|slot| slot.closing = true);
        self.outlet.set_hurry(true);
        if let Some(thread) = self.thread.take() {
            // A writer that panicked has nothing to say that the restored terminal does not.
            thread.join().ok();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close();
    }
}

fn work(mailbox: &Mailbox, outlet: &Outlet) {
    let mut written: Option<Picture> = None;
    while let Some(slot) = mailbox.take() {
        if slot.whole {
            written = None;
        }
        let mut bytes = slot.extra;
        if let Some(picture) = slot.picture {
            bytes.extend(update(written.as_ref(), &picture));
            written = Some(picture);
        }
        if !matches!(outlet.write_patiently(&bytes), Ok(true)) {
            return;
        }
    }
}

/// What turns the screen `before` into `after`.
fn update(before: Option<&Picture>, after: &Picture) -> Vec<u8> {
    let same_size = before.filter(|before| before.buffer.area == after.buffer.area);
    if same_size.is_some_and(|before| before == after) {
        return Vec::new();
    }
    let empty = Buffer::empty(after.buffer.area);
    let mut bytes = Vec::new();
    let mut backend = CrosstermBackend::new(&mut bytes);
    // Writing into memory does not fail.
    let mut write = || -> io::Result<()> {
        backend.hide_cursor()?;
        if same_size.is_none() {
            backend.clear()?;
        }
        let old = same_size.map_or(&empty, |before| &before.buffer);
        backend.draw(old.diff(&after.buffer).into_iter())?;
        if let Some(cursor) = after.cursor {
            backend.set_cursor_position(cursor)?;
            backend.show_cursor()?;
        }
        Ok(())
    };
    write().ok();
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU16;

    use ratatui::{layout::Rect, style::Style};

    fn parser() -> vt100::Parser {
        vt100::Parser::new(NonZeroU16::new(2).unwrap(), NonZeroU16::new(20).unwrap(), 0)
    }

    fn picture(text: &str) -> Picture {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 2));
        buffer.set_string(0, 0, text, Style::new());
        Picture { buffer, cursor: None }
    }

    fn shown(parser: &vt100::Parser) -> String {
        parser.screen().contents().trim_end().to_owned()
    }

    #[test]
    fn a_dropped_frame_leaves_no_trace() {
        let mut parser = parser();
        let (a, b, c) = (picture("first"), picture("second, dropped"), picture("third"));
        parser.process(&update(None, &a));
        // `b` was replaced in its slot: `c` is reckoned against `a`.
        drop(b);
        parser.process(&update(Some(&a), &c));
        assert_eq!(shown(&parser), "third");
        assert!(update(Some(&c), &c).is_empty());
    }

    #[test]
    fn another_size_is_drawn_whole() {
        let mut parser = parser();
        parser.process(&update(None, &picture("old old old")));
        let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 1));
        buffer.set_string(0, 0, "new", Style::new());
        parser.process(&update(Some(&picture("old old old")), &Picture { buffer, cursor: None }));
        assert_eq!(shown(&parser), "new");
    }

    #[test]
    fn the_slot_holds_only_the_newest() {
        let mailbox = Mailbox::default();
        mailbox.change(|slot| slot.whole = true);
        for text in ["1", "2", "3"] {
            mailbox.change(|slot| slot.picture = Some(picture(text)));
        }
        let slot = mailbox.take().unwrap();
        assert!(slot.whole && slot.picture == Some(picture("3")));
        mailbox.change(|slot| slot.closing = true);
        assert!(mailbox.take().is_none());
    }
}
