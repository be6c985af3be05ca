//! The terminal's events, read on a thread of their own.
//!
//! crossterm's reader (0.29) reads a blocking descriptor until an event is whole and takes an end of file for nothing at
//! all: half an escape sequence over a slow line holds it, and a terminal that was closed makes it read for ever. On the
//! loop's own thread, as with its `EventStream`, that was a process which lived on at 100 % of a core and heard no signal
//! (twice in ten closed terminals).
//!
//! Of its two readers the one with poll(2) is used (event/source/unix/tty.rs, feature `use-dev-tty`). The other, mio.rs,
//! answers a resize first and forgets that there was a key as well: epoll tells it once, so the first key after a resize
//! was heard with the second.

use std::{io, time::Duration};

use crossterm::event::{self, Event};
use rustix::event::{PollFd, PollFlags, poll};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What the terminal has to say.
pub enum Heard {
    Event(Event),
    /// The terminal is gone.
    Hangup,
}

pub struct Keys {
    heard: UnboundedReceiver<Heard>,
}

/// How long crossterm is asked once more after each event. Asked for no time at all it does not even look at what it has
/// read already.
const ONCE_MORE: Duration = Duration::from_millis(1);

impl Keys {
    /// The thread ends with the process: nothing wakes a reader of a terminal but the terminal.
    pub fn listen() -> io::Result<Keys> {
        let (tell, heard) = unbounded_channel();
        std::thread::Builder::new().name("txdeck-keys".into()).spawn(move || listen(&tell))?;
        Ok(Keys { heard })
    }

    /// The next one; cancel safe. After the end for ever pending.
    pub async fn next(&mut self) -> Heard {
        match self.heard.recv().await {
            Some(heard) => heard,
            None => std::future::pending().await,
        }
    }
}

fn listen(tell: &UnboundedSender<Heard>) {
    while let Ok(Reader::There) = wait().and_then(|()| read(tell)) {}
    // Nobody is left to hear it when the console has ended meanwhile.
    tell.send(Heard::Hangup).ok();
}

/// Until there is something to read. An error when the terminal is gone: crossterm must not be asked then.
fn wait() -> io::Result<()> {
    let stdin = io::stdin();
    loop {
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut fds, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(errno) => return Err(errno.into()),
            Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) => {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Ok(_) => return Ok(()),
        }
    }
}

/// Whether anybody still wants to hear.
#[derive(PartialEq, Eq)]
enum Reader {
    There,
    Gone,
}

/// Passes on all that there is.
fn read(tell: &UnboundedSender<Heard>) -> io::Result<Reader> {
    while event::poll(ONCE_MORE)? {
        if tell.send(Heard::Event(event::read()?)).is_err() {
            return Ok(Reader::Gone);
        }
    }
    Ok(Reader::There)
}
