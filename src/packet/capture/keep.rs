//! A capture in memory: every record once, shared by all plans that replay it.

use std::{collections::BTreeMap, io::Read, sync::Arc};

use super::{
    judge::{Terms, has_fcs},
    reader::{Fault, Format, Reader, Record},
    survey::Survey,
};

/// What a capture may take of memory.
pub const MOST_BYTES: usize = 1 << 30;

/// A record in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    pub start: usize,
    pub at_ns: u64,
    pub captured: u32,
    pub wire: u32,
    /// Bytes that are kept, at most 65535.
    pub length: u16,
    pub has_fcs: bool,
}

/// All records of a file.
#[derive(Debug)]
pub struct Capture {
    format: Format,
    is_gzip: bool,
    pub(super) bytes: Vec<u8>,
    pub(super) records: Vec<Kept>,
    cut: Option<Fault>,
}

impl Capture {
    /// Reads all records. `progress` is told now and then how many bytes are behind.
    ///
    /// # Errors
    /// A damaged file, or one that takes more than [`MOST_BYTES`].
    pub fn read<R: Read>(reader: &mut Reader<R>, mut progress: impl FnMut(u64)) -> Result<Capture, Fault> {
        let (mut bytes, mut records) = (Vec::new(), Vec::new());
        while let Some(record) = reader.next_record()? {
            let kept = Kept {
                start: bytes.len(),
                at_ns: record.at_ns,
                captured: record.captured,
                wire: record.wire,
                length: record.bytes.len() as u16,
                has_fcs: has_fcs(&record),
            };
            bytes.extend_from_slice(record.bytes);
            records.push(kept);
            let (number, offset) = (record.number, reader.offset());
            if bytes.len() + records.len() * size_of::<Kept>() > MOST_BYTES {
                let message = format!("{} MiB are full: a replay keeps no more in memory", MOST_BYTES >> 20);
                return Err(Fault { record: number, offset, message });
            }
            if number.is_multiple_of(1 << 16) {
                progress(offset);
            }
        }
        bytes.shrink_to_fit();
        records.shrink_to_fit();
        let (format, is_gzip, cut) = (reader.format(), reader.is_gzip(), reader.cut().cloned());
        Ok(Capture { format, is_gzip, bytes, records, cut })
    }

    /// What [`Survey::of`] would have said of the file.
    pub fn survey(&self, terms: &Terms) -> Survey {
        let mut survey = Survey::new(self.format, self.is_gzip);
        for (record, has_fcs) in self.each() {
            survey.add(&record, has_fcs, &terms.judge(&record, has_fcs));
        }
        survey.cut.clone_from(&self.cut);
        survey
    }

    /// Every record, and whether it ends in an FCS.
    pub(super) fn each(&self) -> impl Iterator<Item = (Record<'_>, bool)> {
        self.records.iter().zip(1..).map(|(kept, number)| {
            let Kept { start, at_ns, captured, wire, length, has_fcs } = *kept;
            let bytes = &self.bytes[start..start + usize::from(length)];
            (Record { number, at_ns, captured, wire, bytes }, has_fcs)
        })
    }
}

/// What is known of a capture that a profile names.
#[derive(Debug, Clone)]
pub enum Held {
    Whole(Arc<Capture>),
    /// Too long to be kept for a mere look.
    Surveyed(Arc<Survey>),
    /// Why it could not be read.
    Not(String),
}

/// The captures of a profile, by the path each flow names.
#[derive(Debug, Clone, Default)]
pub struct Captures(pub BTreeMap<String, Held>);

impl Captures {
    pub fn get(&self, path: &str) -> Option<&Held> {
        self.0.get(path)
    }
}

/// The same files, read at the same time: their bytes are not compared.
impl PartialEq for Captures {
    fn eq(&self, other: &Self) -> bool {
        let same = |a: &Held, b: &Held| match (a, b) {
            (Held::Whole(a), Held::Whole(b)) => Arc::ptr_eq(a, b),
            (Held::Surveyed(a), Held::Surveyed(b)) => a == b,
            (Held::Not(a), Held::Not(b)) => a == b,
            _ => false,
        };
        self.0.len() == other.0.len()
            && self.0.iter().zip(&other.0).all(|((path, held), (other, theirs))| path == other && same(held, theirs))
    }
}

impl Eq for Captures {}
