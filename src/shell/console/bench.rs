//! The bench: the place packets go to and the session on it, as the console drives them.

use crate::{
    app::{self, DeviceEntry, PlaceKind, Reading},
    lab::{FAR_DEVICE, NEAR_DEVICE},
    packet::Facts,
    profile::{Document, Profile},
    shell::{
        calibrate,
        captures::Shelf,
        cpus,
        failure::Failure,
        load,
        session::{self, Retuned, Session},
        site::{Place, Site},
    },
    stats::Calibration,
};

use super::device_list::{self, facts};

/// What a retune led to.
pub enum Turned {
    Taken,
    /// The queues are being opened again; [`News::Reopened`] follows.
    Reopening,
}

/// What happened since the last look.
pub enum News {
    /// Everything drained and the device has told what it knows.
    Over { last: Reading, why: Option<String> },
    /// The senders began anew with the plan that needed other queues or longer packets.
    Reopened { last: Reading, mode: String },
}

pub struct Bench {
    site: Option<Site>,
    session: Option<Session>,
    arm: Option<String>,
    /// Starts again with this as soon as the present session has drained.
    reopen: Option<Box<Document>>,
    /// Captures that are looked at while there is no place to send them.
    shelf: Shelf,
}

impl Bench {
    pub fn new(site: Option<Site>, arm: Option<String>) -> Self {
        Self { site, session: None, arm, reopen: None, shelf: Shelf::default() }
    }

    pub fn place(&self) -> Option<app::Place> {
        self.site.as_ref().map(place)
    }

    pub fn is_on(&self) -> bool {
        self.session.is_some()
    }

    /// Opens the queues and releases the senders; answers the mode got and what was fallen back to.
    pub fn start(&mut self, document: &Document) -> Result<(String, Vec<String>), Failure> {
        let Some(site) = &mut self.site else {
            return Err(Failure::new("no_device", "no device is chosen"));
        };
        // A route or an ssh session may have come to the device since it was chosen.
        let armed = self.arm.as_deref().filter(|armed| *armed == site.device);
        site.check_guard(armed)?;
        let mut session = Session::start(site, document.profile())?;
        session.release(site)?;
        let mode = mode(&session, document.profile().tx.queues.len());
        let mut notes = load::warnings(site, document.profile());
        notes.extend_from_slice(session.notices());
        self.session = Some(session);
        Ok((mode, notes))
    }

    pub fn retune(&mut self, document: &Document) -> Result<Turned, Failure> {
        let (Some(site), Some(session)) = (&mut self.site, &mut self.session) else { return Ok(Turned::Taken) };
        site.check_queues(&document.profile().tx.queues)?;
        let plan = site.compile(document.profile())?;
        match session.retune(plan) {
            Retuned::AtTheNextDoorbell => Ok(Turned::Taken),
            Retuned::NeedsRestart => {
                session.stop();
                self.reopen = Some(Box::new(document.clone()));
                Ok(Turned::Reopening)
            }
        }
    }

    /// Opens the queues again with everything of `document`; [`News::Reopened`] follows.
    ///
    /// # Errors
    /// What this place refuses at once; the senders go on as they are.
    pub fn restart(&mut self, document: &Document) -> Result<(), Failure> {
        let (Some(site), Some(session)) = (&mut self.site, &mut self.session) else { return Ok(()) };
        site.check_queues(&document.profile().tx.queues)?;
        cpus::choose(&document.profile().tx.cpus, document.profile().tx.queues.len(), &cpus::allowed())?;
        site.compile(document.profile())?;
        session.stop();
        self.reopen = Some(Box::new(document.clone()));
        Ok(())
    }

    /// MAC and neighbours of the place, and the captures of a profile; `None`: nothing new is known.
    pub fn facts(&mut self, profile: &Profile) -> Option<Facts> {
        let (shelf, facts) = match &mut self.site {
            Some(site) => {
                let facts = site.all_facts().ok()?;
                (&mut site.shelf, facts)
            }
            None if profile.flows.iter().all(|flow| flow.replay.is_none()) => return None,
            None => (&mut self.shelf, Facts::default()),
        };
        Some(Facts { captures: shelf.of(profile), ..facts })
    }

    pub fn stop(&mut self) {
        self.reopen = None;
        if let Some(session) = &mut self.session {
            session.stop();
        }
    }

    /// Lets go of a session that cannot be trusted any more; its senders end by themselves.
    pub fn give_up(&mut self) {
        self.stop();
        self.session = None;
    }

    pub fn sample(&mut self) -> Option<Reading> {
        let (site, session) = (self.site.as_mut()?, self.session.as_mut()?);
        Some(reading(session.sample(site)))
    }

    /// Whether every sender has ended; the device's counters may still come in.
    pub fn has_drained(&self) -> bool {
        self.session.as_ref().is_none_or(Session::is_over)
    }

    /// Looks whether the session has ended. With `hurry`, late counters are not waited for.
    pub fn news(&mut self, hurry: bool) -> Option<Result<News, Failure>> {
        let (site, session) = (self.site.as_mut()?, self.session.as_mut()?);
        if !session.is_over() {
            return None;
        }
        let last = session.sample(site);
        if !hurry && self.reopen.is_none() && !session.is_settled(&last) {
            return None;
        }
        let finished = self.session.take()?.finish(site);
        let why =
            finished.ends.iter().find_map(|end| end.reason.as_ref().map(|why| format!("queue {}: {why}", end.queue)));
        let last = reading(finished.reading);
        let Some(document) = self.reopen.take() else { return Some(Ok(News::Over { last, why })) };
        Some(match self.start(&document) {
            Ok((mode, _)) => Ok(News::Reopened { last, mode }),
            Err(failure) => Ok(News::Over { last, why: Some(failure.for_people()) }),
        })
    }

    /// What the primitives cost here, in about two seconds. A kick needs a queue, and only the lab's is nobody else's.
    ///
    /// # Errors
    /// A CPU that may not be used, or no answer at all.
    pub fn calibrate(&self, cpus: &[u32], keep_going: impl Fn() -> bool + Send) -> Result<Calibration, Failure> {
        if self.session.is_some() {
            return Err(Failure::new("calibrate", "stop first: packets flow, and measuring would slow them"));
        }
        let lab = self.site.as_ref().and_then(|site| site.lab.as_ref());
        let kick = lab.map(calibrate::lab_queue).unwrap_or_else(|| Err("only in a lab: txdeck lab".into()));
        calibrate::measure(calibrate::seat(cpus)?, kick, keep_going)
    }

    /// Devices of this namespace with the reason where sending is guarded; the simulated nic last.
    pub fn devices(&self) -> Result<Vec<DeviceEntry>, Failure> {
        device_list::list(self.arm.as_deref())
    }

    /// The place again when its device has another name now.
    pub fn renamed(&mut self) -> Option<app::Place> {
        let site = self.site.as_mut()?;
        site.is_renamed().then(|| place(site))
    }

    pub fn choose(&mut self, device: &str) -> Result<app::Place, Failure> {
        if let Some(site) = self.site.as_ref().filter(|site| site.lab.is_some()) {
            return match device == site.device {
                true => Ok(place(site)),
                false => Err(Failure::new(
                    "in_lab",
                    format!("this console lives in its lab and sends on {NEAR_DEVICE} only"),
                )),
            };
        }
        let wanted = if device == "sim" { Place::Sim } else { Place::Device(device.to_owned()) };
        let mut site = Site::open(wanted, None)?;
        site.check_guard(self.arm.as_deref().filter(|armed| *armed == device))?;
        let chosen = place(&site);
        self.site = Some(site);
        Ok(chosen)
    }
}

fn reading(reading: session::Reading) -> Reading {
    let at_ns = reading.snapshot.at_ns;
    Reading { at_ns, snapshot: reading.snapshot, ledger: reading.ledger, carrier: reading.carrier }
}

fn place(site: &Site) -> app::Place {
    let kind = match site.place {
        Place::Sim => PlaceKind::Sim,
        Place::Device(_) => PlaceKind::Real,
        Place::Lab => PlaceKind::Lab,
    };
    app::Place {
        device: site.device.clone(),
        kind,
        far_end: (kind == PlaceKind::Lab).then(|| FAR_DEVICE.to_owned()),
        facts: site.link().map(facts).unwrap_or_default(),
        option: match (kind, site.queues()) {
            (PlaceKind::Lab, Some(queues)) if queues > 1 => format!("--lab --lab-queues {queues}"),
            (PlaceKind::Lab, _) => "--lab".into(),
            _ => format!("-i {}", site.device),
        },
    }
}

/// `copy 1q`.
fn mode(session: &Session, queues: usize) -> String {
    let mode = match (session.mode.zero_copy, session.mode.copy) {
        (true, _) => "zero-copy",
        (false, true) => "copy",
        (false, false) => "sim",
    };
    format!("{mode} {queues}q")
}
