//! What every trial does around its slices: opens the place, says how long it will take, measures, and says how long it
//! took.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::{
    profile::Document,
    shell::{
        args::PlaceArgs,
        failure::Failure,
        load,
        output::{Ending, Output, say},
        progress::{Pace, Progress, Unit},
        signals::Signals,
        site::Site,
    },
};

use super::{
    arms::Arms,
    drive::{Cut, Drive, Lengths, Measured},
};

/// Opens the place of a trial. A lab is entered here, before the runtime exists: namespaces are for whole processes.
pub fn open(place: &PlaceArgs, document: &Document, quiet: bool) -> Result<Site, Failure> {
    let named = load::place(place.lab, place.device.as_deref(), document.profile())?;
    let mut site = load::site(named, &place.shape)?;
    site.check_guard(place.arm.as_deref())?;
    if !quiet {
        let warnings = load::warnings(&site, document.profile());
        warnings.iter().for_each(|warning| say(&format!("txdeck: warning: {warning}")));
    }
    Ok(site)
}

/// The slices of a trial.
pub struct Course<'a> {
    /// `sweep`, for the progress.
    pub name: &'static str,
    pub arms: &'a Arms,
    /// Settings by their place, slice after slice.
    pub order: Vec<usize>,
    pub lengths: Lengths,
    /// `6 settings x 3 slices of 500ms`.
    pub words: String,
    pub is_json: bool,
    pub quiet: bool,
}

#[derive(Serialize)]
struct PredictionLine {
    #[serde(rename = "type")]
    kind: &'static str,
    version: u32,
    settings: usize,
    slices: usize,
    predicted_s: f64,
}

impl Course<'_> {
    /// Measures, with the time that takes said first.
    pub fn run(&self, site: &mut Site, output: &mut Output) -> Result<Measured, Ending> {
        let slices = self.order.len();
        let mut progress = Progress::new(Pace::new(self.name, Unit::Slices, slices as u64), !self.quiet);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime =
            runtime.map_err(|why| Failure::new("no_runtime", format!("the event loop did not start: {why}")))?;
        let mut signals = runtime.block_on(async { Signals::listen() })?;
        self.predict(self.lengths.predicted(slices, self.arms.is_live), output)?;
        let began = Instant::now();
        let told = |done| progress.at(done as u64);
        let drive = Drive { site, signals: &mut signals, lengths: self.lengths, measured: Measured::default() };
        let measured = runtime.block_on(drive.run(self.arms, &self.order, told))?;
        drop(progress);
        if !self.quiet {
            let took_s = began.elapsed().as_secs_f64();
            say(&format!("{} of {slices} slices in {took_s:.1} s", measured.slices.len()));
        }
        measured.notices.iter().for_each(|notice| say(&format!("txdeck: {notice}")));
        Ok(measured)
    }

    /// How long it will take, before anything is sent.
    fn predict(&self, time: Duration, output: &mut Output) -> Result<(), Ending> {
        let (settings, slices, predicted_s) = (self.arms.arms.len(), self.order.len(), time.as_secs_f64());
        if self.is_json {
            let line = PredictionLine { kind: "prediction", version: 1, settings, slices, predicted_s };
            output.line(&serde_json::to_string(&line).unwrap_or_default())?;
        }
        if !self.quiet {
            let reopening = if self.arms.is_live { "" } else { ", queues opened anew for each" };
            say(&format!("{}{reopening}: about {predicted_s:.1} s", self.words));
        }
        Ok(())
    }
}

/// A signal wins; then packets that did not leave or arrive, and senders that ended of themselves.
pub fn exit_code(measured: &Measured) -> u8 {
    match measured.cut {
        Some(Cut::Signal(signal)) => signal.exit_code(),
        Some(Cut::Ended(_)) => 1,
        None => u8::from(measured.losses > 0),
    }
}

/// What must not be believed, a line each.
pub fn doubts(measured: &Measured) -> Vec<String> {
    let unexplained = match measured.unexplained {
        0 if measured.unconfirmed => Some("the driver counts nothing: every rate is of completions".to_owned()),
        0 => None,
        packets => {
            Some(format!("{packets} packets completed and no counter tells where they went: do not believe the rates"))
        }
    };
    let lost = measured.losses - measured.unexplained;
    let lost = (lost > 0).then(|| format!("{lost} packets did not leave or did not arrive"));
    let early = measured.cut.as_ref().map(|cut| match cut {
        Cut::Signal(_) => "ended by a signal".to_owned(),
        Cut::Ended(why) => format!("ended early: {why}"),
    });
    unexplained.into_iter().chain(lost).chain(early).collect()
}
