//! The bench on a thread of its own. Opening queues takes up to a second each, a drain two, and a device may answer
//! slowly: keys, signals and redraws wait for none of it. Orders go one way, events come the other.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::{
    app::{Event, Reply},
    profile::{Document, Profile},
    shell::failure::Failure,
};

use super::{
    bench::{Bench, News, Turned},
    device_list,
};

/// What can be asked of the bench.
pub enum Order {
    Start(Box<Document>),
    Retune(Box<Document>),
    Restart(Box<Document>),
    Stop,
    /// With what the captures of this profile hold.
    AskFacts(Box<Profile>),
    ListDevices,
    ReadCounters,
    UseDevice(String),
    /// The primitives on the first of these CPUs, or on a sender's usual one.
    Calibrate {
        cpus: Vec<u32>,
    },
}

/// How often figures are read while anything sends.
pub const TICK: Duration = Duration::from_millis(100);
/// In ticks: whether the device was renamed is asked about once a second.
const NAME_EVERY: u32 = 10;
const LOOK: Duration = Duration::from_millis(2);
/// A drain takes 2 s at most (the senders' own limit).
pub const DRAIN_LIMIT: Duration = Duration::from_millis(2_200);
const LOST: &str = "a bug of txdeck's own ended the reading or writing of a file (see the log)";
const BUG: &str = "a bug of txdeck's own stopped the senders (see the log)";

/// The loop's end of the line to the bench.
pub struct Worker {
    orders: Option<mpsc::Sender<Order>>,
    events: UnboundedReceiver<Event>,
    /// For answers that do not come from the bench.
    outbox: UnboundedSender<Event>,
    hurry: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Worker {
    pub fn start(bench: Bench) -> std::io::Result<Self> {
        let (orders, inbox) = mpsc::channel();
        let (outbox, events) = unbounded_channel();
        let hurry = Arc::new(AtomicBool::new(false));
        let (theirs, answers) = (Arc::clone(&hurry), outbox.clone());
        let thread = std::thread::Builder::new().name("txdeck-bench".into());
        let thread = thread.spawn(move || Work { bench, outbox, hurry: theirs, looks: 0 }.run(&inbox))?;
        Ok(Self { orders: Some(orders), events, outbox: answers, hurry, thread })
    }

    /// Never waits; the answer comes as an event.
    pub fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // A bench that is gone has told so as its last event.
            orders.send(order).ok();
        }
    }

    /// Reading and writing that may take long, on a thread of its own: neither keys nor the bench wait for it. The
    /// answer comes as an event, and so does what `work` tells meanwhile; what is not done at the end goes with the
    /// process.
    pub fn beside(&self, work: impl FnOnce(&dyn Fn(Reply)) -> Reply + Send + 'static) -> std::io::Result<()> {
        let outbox = self.outbox.clone();
        let thread = std::thread::Builder::new().name("txdeck-files".into());
        thread.spawn(move || {
            let tell = |reply| drop(outbox.send(Event::Reply(reply)));
            let reply = catch_unwind(AssertUnwindSafe(|| work(&tell)));
            tell(reply.unwrap_or_else(|_| Reply::Failed(LOST.into())));
        })?;
        Ok(())
    }

    /// The next answer or reading; cancel safe. For ever pending once the bench is gone.
    pub async fn event(&mut self) -> Event {
        match self.events.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        }
    }

    /// On the way out late counters are not waited for.
    pub fn hurry(&self) {
        self.hurry.store(true, Ordering::Release);
    }

    /// Stops what sends and waits for the drain, at most until `deadline`; what has not drained by then ends with
    /// the process. Answers what the bench still had to say.
    pub fn close(mut self, deadline: Instant) -> Vec<Event> {
        self.hurry();
        self.orders = None;
        while !self.thread.is_finished() && Instant::now() < deadline {
            std::thread::sleep(LOOK);
        }
        std::iter::from_fn(|| self.events.try_recv().ok()).collect()
    }
}

/// The bench's end.
struct Work {
    bench: Bench,
    outbox: UnboundedSender<Event>,
    hurry: Arc<AtomicBool>,
    looks: u32,
}

impl Work {
    fn run(mut self, inbox: &mpsc::Receiver<Order>) {
        let mut next = Instant::now();
        loop {
            let order = if self.bench.is_on() {
                inbox.recv_timeout(next.saturating_duration_since(Instant::now()))
            } else {
                // At rest this thread costs nothing.
                inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
            };
            match order {
                Ok(order) => self.guarded(|work| work.carry_out(order)),
                Err(RecvTimeoutError::Timeout) => {
                    next = Instant::now() + TICK;
                    self.guarded(Work::look);
                }
                Err(RecvTimeoutError::Disconnected) => return self.guarded(Work::end),
            }
        }
    }

    /// A bug in here must not leave senders without anybody to stop them.
    fn guarded(&mut self, work: impl FnOnce(&mut Work)) {
        if catch_unwind(AssertUnwindSafe(|| work(self))).is_err() {
            self.bench.give_up();
            self.tell(Reply::Over { last: None, why: Some(BUG.into()) });
        }
    }

    fn carry_out(&mut self, order: Order) {
        // Whoever orders something looks at the screen: a new name of the device is told with the answer.
        self.tell_new_name();
        match order {
            Order::Start(document) => {
                let started = self.bench.start(&document);
                let no = |failure: Failure| Reply::NotStarted(failure.for_people());
                self.tell(started.map_or_else(no, |(mode, notes)| Reply::Started { mode, notes }));
            }
            Order::Retune(document) => match self.bench.retune(&document) {
                Ok(Turned::Taken) => self.tell(Reply::Retuned),
                // The answer comes when the queues are open again.
                Ok(Turned::Reopening) => {}
                Err(failure) => self.tell(Reply::RetuneRefused(failure.for_people())),
            },
            Order::Restart(document) => {
                if let Err(failure) = self.bench.restart(&document) {
                    self.tell(Reply::RetuneRefused(failure.for_people()));
                }
            }
            Order::AskFacts(profile) => {
                if let Some(facts) = self.bench.facts(&profile) {
                    self.tell(Reply::Facts(facts));
                }
            }
            Order::Stop => {
                self.bench.stop();
                if !self.bench.is_on() {
                    // Nothing was open (a start that failed meanwhile): the drain is over at once.
                    self.tell(Reply::Over { last: None, why: None });
                }
            }
            Order::Calibrate { cpus } => {
                let hurry = Arc::clone(&self.hurry);
                let measured = self.bench.calibrate(&cpus, move || !hurry.load(Ordering::Acquire));
                self.tell(Reply::Calibrated(measured.map_err(|failure| failure.for_people())));
            }
            Order::ReadCounters => self.tell(Reply::Counters(device_list::counters())),
            Order::ListDevices => self.tell(self.bench.devices().map_or_else(failed, Reply::Devices)),
            Order::UseDevice(device) => {
                let chosen = self.bench.choose(&device);
                self.tell(chosen.map_or_else(failed, Reply::DeviceChosen));
            }
        }
    }

    fn tell_new_name(&mut self) {
        if let Some(place) = self.bench.renamed() {
            self.tell(Reply::PlaceChanged(place));
        }
    }

    /// What was read, and whether the session has ended.
    fn look(&mut self) {
        self.looks += 1;
        if self.looks.is_multiple_of(NAME_EVERY) {
            self.tell_new_name();
        }
        if let Some(reading) = self.bench.sample() {
            self.outbox.send(Event::Tick(Some(reading))).ok();
        }
        if let Some(news) = self.bench.news(self.hurry.load(Ordering::Acquire)) {
            self.tell(told(news));
        }
    }

    fn end(&mut self) {
        let until = Instant::now() + DRAIN_LIMIT;
        self.bench.stop();
        while !self.bench.has_drained() && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
        if let Some(news) = self.bench.news(true) {
            self.tell(told(news));
        }
    }

    fn tell(&self, reply: Reply) {
        // Nobody listens any more: the console is on its way out.
        self.outbox.send(Event::Reply(reply)).ok();
    }
}

fn failed(failure: Failure) -> Reply {
    Reply::Failed(failure.for_people())
}

fn told(news: Result<News, Failure>) -> Reply {
    match news {
        Ok(News::Over { last, why }) => Reply::Over { last: Some(last), why },
        Ok(News::Reopened { last, mode }) => Reply::Reopened { last, mode },
        Err(failure) => Reply::Over { last: None, why: Some(failure.for_people()) },
    }
}
