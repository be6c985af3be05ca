//! What a capture holds, counted in one pass and in bounded memory.

use std::io::Read;

use crate::profile::Odd;

use super::{
    judge::{Oddity, SHORTEST, Terms, Verdict, has_fcs},
    reader::{Fault, Format, Reader, Record},
    reel::LONGEST_GAP_NS,
};

/// So many odd records are told by their numbers.
const MOST_TOLD: usize = 20;

/// A capture in figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    pub format: Format,
    pub is_gzip: bool,
    pub records: u64,
    /// Records that become frames, and their bytes.
    pub frames: u64,
    pub bytes: u64,
    /// Of the frames; 0 where there is none.
    pub shortest: usize,
    pub longest: usize,
    /// Records that cannot be sent as they are; of these the first by their numbers.
    pub odd: u64,
    pub odd_records: Vec<(u64, Oddity)>,
    /// Whole records below 60 bytes, odd or not.
    pub runts: u64,
    /// Records that end in a correct FCS, and whether it is left out.
    pub with_fcs: u64,
    /// Records older than the one before them.
    pub backwards: u64,
    /// Gaps longer than an hour.
    pub long_gaps: u64,
    /// From the first record to the last, no gap counted for more than an hour.
    pub lasts_ns: u64,
    /// The file ends within a record.
    pub cut: Option<Fault>,
    last_ns: Option<u64>,
}

impl Survey {
    pub(super) fn new(format: Format, is_gzip: bool) -> Survey {
        Survey {
            format,
            is_gzip,
            records: 0,
            frames: 0,
            bytes: 0,
            shortest: 0,
            longest: 0,
            odd: 0,
            odd_records: Vec::new(),
            runts: 0,
            with_fcs: 0,
            backwards: 0,
            long_gaps: 0,
            lasts_ns: 0,
            cut: None,
            last_ns: None,
        }
    }

    /// Reads a capture to its end. `progress` is told now and then how many bytes are behind.
    ///
    /// # Errors
    /// A damaged file, with record and byte.
    pub fn of<R: Read>(reader: &mut Reader<R>, terms: &Terms, mut progress: impl FnMut(u64)) -> Result<Survey, Fault> {
        let mut survey = Survey::new(reader.format(), reader.is_gzip());
        while let Some(record) = reader.next_record()? {
            let has_fcs = has_fcs(&record);
            survey.add(&record, has_fcs, &terms.judge(&record, has_fcs));
            if survey.records.is_multiple_of(1 << 16) {
                progress(reader.offset());
            }
        }
        survey.cut = reader.cut().cloned();
        Ok(survey)
    }

    pub(super) fn add(&mut self, record: &Record, has_fcs: bool, verdict: &Verdict) {
        self.records += 1;
        self.with_fcs += u64::from(has_fcs);
        self.time(record.at_ns);
        let is_meant = verdict.oddity.is_none() && verdict.fit.is_some_and(|fit| fit.len < SHORTEST);
        self.runts += u64::from(is_meant || matches!(verdict.oddity, Some(Oddity::Runt { .. })));
        if let Some(fit) = verdict.fit {
            self.shortest = if self.frames == 0 { fit.len } else { self.shortest.min(fit.len) };
            self.longest = self.longest.max(fit.len);
            self.frames += 1;
            self.bytes += fit.len as u64;
        }
        if let Some(oddity) = verdict.oddity {
            self.odd += 1;
            if self.odd_records.len() < MOST_TOLD {
                self.odd_records.push((record.number, oddity));
            }
        }
    }

    fn time(&mut self, at_ns: u64) {
        let before_ns = self.last_ns.replace(at_ns).unwrap_or(at_ns);
        self.backwards += u64::from(at_ns < before_ns);
        let gap_ns = at_ns.saturating_sub(before_ns);
        self.long_gaps += u64::from(gap_ns > LONGEST_GAP_NS);
        self.lasts_ns = self.lasts_ns.saturating_add(gap_ns.min(LONGEST_GAP_NS));
    }

    /// `pcap with nanoseconds, gzip`.
    pub fn format_words(&self) -> String {
        let format = match self.format {
            Format::PcapMicro => "pcap",
            Format::PcapNano => "pcap with nanoseconds",
            Format::PcapNg => "pcapng",
        };
        format!("{format}{}", if self.is_gzip { ", gzip" } else { "" })
    }

    /// `179 records in 3.26 s, 42..1514 bytes`.
    pub fn words(&self) -> String {
        let records = if self.records == 1 { "1 record".into() } else { format!("{} records", self.records) };
        let sizes = match (self.shortest, self.longest) {
            (0, _) => "none of which can be sent".to_owned(),
            (shortest, longest) if shortest == longest => format!("{shortest} bytes each"),
            (shortest, longest) => format!("{shortest}..{longest} bytes"),
        };
        format!("{records} in {}, {sizes}", seconds(self.lasts_ns))
    }

    /// One line for each odd record that is known by its number, and one for all others.
    pub fn odd_lines(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.odd_records.iter().map(|(number, oddity)| format!("record {number}: {oddity}")).collect();
        let rest = self.odd - self.odd_records.len() as u64;
        if rest > 0 {
            lines.push(format!("and {rest} more odd records"));
        }
        lines
    }

    /// `3 of 179 records are odd, the first is record 2 (10 bytes are less than an Ethernet header)`.
    pub fn odd_words(&self) -> Option<String> {
        let (number, oddity) = self.odd_records.first()?;
        let is = if self.odd == 1 { "is" } else { "are" };
        let records = self.records;
        Some(format!("{} of {records} records {is} odd, the first is record {number} ({oddity})", self.odd))
    }

    /// What is worth knowing before it is sent, in whole sentences.
    pub fn notes(&self, terms: &Terms) -> Vec<String> {
        let mut notes = Vec::new();
        if let (Some(words), true) = (self.odd_words(), terms.odd != Odd::Refuse) {
            let left_out = self.records - self.frames;
            notes.push(format!("{words}; {left_out} are left out (odd = \"{}\")", terms.odd.word()));
        }
        if self.with_fcs > 0 {
            let what = match terms.strip_fcs {
                true => "left out, for the device adds its own (fcs = \"keep\" sends it)",
                false => "sent as if it were data, and the device adds another (fcs = \"strip\" leaves it out)",
            };
            notes.push(format!("{} of {} records end in a correct FCS: it is {what}", self.with_fcs, self.records));
        }
        if self.backwards > 0 {
            notes.push(format!("{} records are older than the one before: they follow it at once", self.backwards));
        }
        if self.long_gaps > 0 {
            notes.push(format!("{} gaps are longer than an hour: an hour is waited", self.long_gaps));
        }
        if let Some(cut) = &self.cut {
            notes.push(format!("{cut}; the {} whole records before it are there", self.records));
        }
        notes
    }
}

/// `3.26 s`, with as many places as tell something.
fn seconds(ns: u64) -> String {
    match ns {
        0 => "no time".into(),
        ns if ns < 1_000_000 => format!("{:.1} us", ns as f64 / 1e3),
        ns if ns < 1_000_000_000 => format!("{:.1} ms", ns as f64 / 1e6),
        ns => format!("{:.2} s", ns as f64 / 1e9),
    }
}
