//! The classic format: a header of 24 bytes, then 16 bytes before each packet.

use std::io::Read;

use super::{
    input::{Got, Input},
    link,
    reader::{Broken, Head, MOST_RECORD, keep, need},
};

pub(super) struct Classic {
    big: bool,
    nano: bool,
}

impl Classic {
    pub(super) fn new(big: bool, nano: bool) -> Classic {
        Classic { big, nano }
    }

    pub(super) fn is_nano(&self) -> bool {
        self.nano
    }

    fn u32(&self, bytes: &[u8], at: usize) -> u32 {
        let four = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or_default();
        if self.big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
    }

    /// What stands behind the magic number.
    pub(super) fn header<R: Read>(&self, input: &mut Input<R>) -> Result<(), Broken> {
        let mut rest = [0; 20];
        need(input, &mut rest)?;
        // Both halves are 16 bits: which comes first follows the byte order.
        let version = self.u32(&rest, 0);
        let major = if self.big { version >> 16 } else { version & 0xffff };
        if major != 2 {
            return Err(Broken::Bad(format!("is a pcap file of version {major} (2 is read)")));
        }
        // The upper bits say how many bytes of FCS there are; the records themselves tell, too.
        match self.u32(&rest, 16) & 0xffff {
            link::ETHERNET => Ok(()),
            other => Err(Broken::Bad(foreign(other))),
        }
    }

    /// `None` at the end of the file.
    pub(super) fn record<R: Read>(&self, input: &mut Input<R>, kept: &mut Vec<u8>) -> Result<Option<Head>, Broken> {
        let mut head = [0; 16];
        match input.take(&mut head)? {
            Got::All => {}
            Got::Nothing => return Ok(None),
            Got::Part => return Err(Broken::Cut),
        }
        let (captured, wire) = (self.u32(&head, 8), self.u32(&head, 12));
        if captured > MOST_RECORD {
            let message = format!("says it holds {captured} bytes (at most {MOST_RECORD}): the file is damaged");
            return Err(Broken::Bad(message));
        }
        keep(input, captured, kept)?;
        let part_ns = u64::from(self.u32(&head, 4)) * if self.nano { 1 } else { 1000 };
        Ok(Some(Head { at_ns: u64::from(self.u32(&head, 0)) * 1_000_000_000 + part_ns, captured, wire }))
    }
}

pub(super) fn foreign(link: u32) -> String {
    format!("was captured from {}: only Ethernet can be replayed", link::name(link))
}
