//! One capture, whatever its format: records in the order of the file.

use std::{
    fmt,
    io::{self, Read},
};

use super::{
    classic::Classic,
    input::{Got, Input},
    ng::Ng,
};

/// Of longer records the first bytes are kept: no frame can be longer.
pub(super) const MOST_KEPT: usize = 65535;
/// No tool writes longer ones: such a length is damage.
pub(super) const MOST_RECORD: u32 = 64 << 20;

/// What a capture is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    PcapMicro,
    PcapNano,
    PcapNg,
}

/// One packet as it was captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// From 1, as other tools count.
    pub number: u64,
    /// Since 1970.
    pub at_ns: u64,
    /// How many bytes of it the file holds.
    pub captured: u32,
    /// How many it had when it was captured, as the file says.
    pub wire: u32,
    /// At most the first 65535.
    pub bytes: &'a [u8],
}

/// What a record is without its bytes, which stay in the reader's buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub at_ns: u64,
    pub captured: u32,
    pub wire: u32,
}

/// Why a capture could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The record that was to be read, from 1; 0: none, it is the file as a whole.
    pub record: u64,
    /// Of the byte at which it began, uncompressed.
    pub offset: u64,
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.record {
            0 => f.write_str(&self.message),
            record => write!(f, "record {record} (byte {}): {}", self.offset, self.message),
        }
    }
}

impl std::error::Error for Fault {}

/// What goes wrong within a record; the reader knows which one it is.
pub(super) enum Broken {
    Io(io::Error),
    /// The file ends here.
    Cut,
    Bad(String),
}

impl From<io::Error> for Broken {
    fn from(why: io::Error) -> Self {
        Broken::Io(why)
    }
}

enum Kind {
    Classic(Classic),
    Ng(Ng),
}

/// Reads a capture out of any stream. Memory is bounded, whatever the stream holds.
pub struct Reader<R: Read> {
    input: Input<R>,
    kind: Kind,
    number: u64,
    kept: Vec<u8>,
    cut: Option<Fault>,
    is_over: bool,
}

impl<R: Read> Reader<R> {
    /// Reads what stands in front of the first record.
    ///
    /// # Errors
    /// A file that is no capture, or one of another link type than Ethernet.
    pub fn new(from: R) -> Result<Reader<R>, Fault> {
        let whole = |message: String| Fault { record: 0, offset: 0, message };
        let mut input = Input::new(from).map_err(|why| whole(why.to_string()))?;
        let mut magic = [0; 4];
        let got = input.take(&mut magic).map_err(|why| whole(unreadable(&why)))?;
        let length = (input.at as usize).min(magic.len());
        let known = begins(&magic[..length], got);
        let mut kind = match known.map_err(whole)? {
            Begins::Classic { big, nano } => Kind::Classic(Classic::new(big, nano)),
            Begins::Ng => Kind::Ng(Ng::default()),
        };
        let read = match &mut kind {
            Kind::Classic(classic) => classic.header(&mut input),
            Kind::Ng(ng) => ng.section(&mut input),
        };
        read.map_err(|broken| match broken {
            Broken::Io(why) => whole(unreadable(&why)),
            Broken::Cut => whole("ends within its own header: a cut file".into()),
            Broken::Bad(message) => whole(message),
        })?;
        Ok(Reader { input, kind, number: 0, kept: Vec::new(), cut: None, is_over: false })
    }

    pub fn format(&self) -> Format {
        match &self.kind {
            Kind::Classic(classic) if classic.is_nano() => Format::PcapNano,
            Kind::Classic(_) => Format::PcapMicro,
            Kind::Ng(_) => Format::PcapNg,
        }
    }

    pub fn is_gzip(&self) -> bool {
        self.input.is_gzip()
    }

    /// Bytes of the capture behind us, uncompressed.
    pub fn offset(&self) -> u64 {
        self.input.at
    }

    /// Set at the end of a file that ends within a record: whole records stood before it.
    pub fn cut(&self) -> Option<&Fault> {
        self.cut.as_ref()
    }

    /// `None` at the end of the file.
    ///
    /// # Errors
    /// A damaged record; nothing behind it can be read.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Fault> {
        if self.is_over {
            return Ok(None);
        }
        let mut begun = self.input.at;
        let read = match &mut self.kind {
            Kind::Classic(classic) => classic.record(&mut self.input, &mut self.kept),
            Kind::Ng(ng) => ng.record(&mut self.input, &mut self.kept, &mut begun),
        };
        let fault = |message: String| Fault { record: self.number + 1, offset: begun, message };
        match read {
            Ok(Some(Head { at_ns, captured, wire })) => {
                self.number += 1;
                Ok(Some(Record { number: self.number, at_ns, captured, wire, bytes: &self.kept }))
            }
            Ok(None) => {
                self.is_over = true;
                Ok(None)
            }
            Err(Broken::Cut) => {
                self.is_over = true;
                self.cut = Some(fault("the file ends within it".into()));
                Ok(None)
            }
            Err(Broken::Io(why)) => {
                self.is_over = true;
                Err(fault(unreadable(&why)))
            }
            Err(Broken::Bad(message)) => {
                self.is_over = true;
                Err(fault(message))
            }
        }
    }
}

fn unreadable(why: &io::Error) -> String {
    match why.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => format!("the gzip stream is damaged ({why})"),
        _ => format!("reading failed: {why}"),
    }
}

/// Takes all of `out`, or says that the file ends here.
pub(super) fn need<R: Read>(input: &mut Input<R>, out: &mut [u8]) -> Result<(), Broken> {
    match input.take(out)? {
        Got::All => Ok(()),
        Got::Nothing | Got::Part => Err(Broken::Cut),
    }
}

/// Keeps the first bytes of a record of `length`, and leaves out the rest.
pub(super) fn keep<R: Read>(input: &mut Input<R>, length: u32, kept: &mut Vec<u8>) -> Result<(), Broken> {
    let first = (length as usize).min(MOST_KEPT);
    kept.resize(first, 0);
    need(input, kept)?;
    if input.skip(u64::from(length) - first as u64)? { Ok(()) } else { Err(Broken::Cut) }
}

#[derive(Debug)]
enum Begins {
    Classic { big: bool, nano: bool },
    Ng,
}

/// Other files that are taken for captures, by how they begin.
const OTHERS: &[(&[u8], &str)] = &[
    (&[0xa1, 0xb2, 0xcd, 0x34], "a capture of the old \"modified\" kind"),
    (&[0x34, 0xcd, 0xb2, 0xa1], "a capture of the old \"modified\" kind"),
    (b"snoo", "a Solaris snoop capture"),
    (b"XCP\0", "a NetXRay capture"),
    (b"RTSS", "a Microsoft Network Monitor capture"),
    (b"GMBU", "a Microsoft Network Monitor capture"),
    (&[0x28, 0xb5, 0x2f, 0xfd], "compressed with zstd: undo that first, or compress with gzip"),
    (&[0xfd, b'7', b'z', b'X'], "compressed with xz: undo that first, or compress with gzip"),
    (b"BZh", "compressed with bzip2: undo that first, or compress with gzip"),
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (&[0x1f, 0x8b], "compressed twice: undo that first"),
];

/// Whether a file that begins with these bytes is a capture, or gzip, which scripts never are.
pub fn begins_like_one(head: &[u8]) -> bool {
    let Some(magic) = head.get(..4) else { return false };
    magic.starts_with(&[0x1f, 0x8b]) || begins(magic, Got::All).is_ok()
}

fn begins(magic: &[u8], got: Got) -> Result<Begins, String> {
    let (big, nano) = match magic {
        [0xd4, 0xc3, 0xb2, 0xa1] => (false, false),
        [0xa1, 0xb2, 0xc3, 0xd4] => (true, false),
        [0x4d, 0x3c, 0xb2, 0xa1] => (false, true),
        [0xa1, 0xb2, 0x3c, 0x4d] => (true, true),
        [0x0a, 0x0d, 0x0d, 0x0a] => return Ok(Begins::Ng),
        _ if got == Got::Nothing => return Err("is empty, not even a capture's header is there".into()),
        magic => return Err(stranger(magic)),
    };
    Ok(Begins::Classic { big, nano })
}

fn stranger(magic: &[u8]) -> String {
    let known = OTHERS.iter().find(|(begin, _)| magic.starts_with(begin));
    let allowed = "pcap, pcapng and gzip of them are read";
    match known {
        Some((_, name)) => format!("is {name} ({allowed})"),
        None => {
            let shown: Vec<String> = magic.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("is no capture: it begins with {} ({allowed})", shown.join(" "))
        }
    }
}
