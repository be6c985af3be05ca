//! pcapng: blocks, each with its length before and behind; packets refer to interfaces, which say how time is counted.

use std::io::Read;

use super::{
    classic::foreign,
    input::{Got, Input},
    link,
    reader::{Broken, Head, MOST_RECORD, keep, need},
};

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const PACKET: u32 = 6;
const ORDER_MAGIC: u32 = 0x1a2b_3c4d;
/// Type and length before, length behind.
const FRAME_BYTES: u32 = 12;
const MOST_INTERFACES: usize = 65536;
/// Options of an interface beyond these are not looked at.
const MOST_OPTIONS: u32 = 64 << 10;

#[derive(Debug, Clone, Copy)]
struct Interface {
    link: u32,
    snap: u32,
    /// Ticks a second, as a power of ten or (top bit) of two.
    resolution: u8,
    offset_s: i64,
}

#[derive(Default)]
pub(super) struct Ng {
    big: bool,
    interfaces: Vec<Interface>,
    /// Of the packet before: simple packets have no time of their own.
    at_ns: u64,
}

/// A block whose head has been read.
struct Block {
    kind: u32,
    /// Bytes between head and tail that have not been read.
    left: u32,
    /// Of the whole.
    total: u32,
}

impl Block {
    /// So many of its bytes are read now.
    fn count(&mut self, length: u32) -> Result<(), Broken> {
        self.left = self.left.checked_sub(length).ok_or_else(|| {
            Broken::Bad(format!("a block of {} bytes holds less than it says: the file is damaged", self.total))
        })?;
        Ok(())
    }
}

impl Ng {
    fn u32(&self, bytes: &[u8], at: usize) -> u32 {
        let four = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or_default();
        if self.big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
    }

    fn u16(&self, bytes: &[u8], at: usize) -> u16 {
        let two = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or_default();
        if self.big { u16::from_be_bytes(two) } else { u16::from_le_bytes(two) }
    }

    /// A section's header behind its type; it sets the byte order, and interfaces begin anew.
    pub(super) fn section<R: Read>(&mut self, input: &mut Input<R>) -> Result<(), Broken> {
        let mut head = [0; 8];
        need(input, &mut head)?;
        self.big = head[4..] == ORDER_MAGIC.to_be_bytes();
        if self.u32(&head, 4) != ORDER_MAGIC {
            return Err(Broken::Bad("is a pcapng file without a byte order: it is damaged".into()));
        }
        self.interfaces.clear();
        let mut block = self.block(SECTION, self.u32(&head, 0))?;
        let mut version = [0; 4];
        block.count(4)?;
        self.read(input, &mut block, &mut version)?;
        match self.u16(&version, 0) {
            1 => self.leave(input, block),
            major => Err(Broken::Bad(format!("is a pcapng file of version {major} (1 is read)"))),
        }
    }

    fn block(&self, kind: u32, total: u32) -> Result<Block, Broken> {
        if total < FRAME_BYTES || !total.is_multiple_of(4) {
            return Err(Broken::Bad(format!("a block says it is {total} bytes long: the file is damaged")));
        }
        Ok(Block { kind, left: total - FRAME_BYTES, total })
    }

    fn read<R: Read>(&self, input: &mut Input<R>, block: &mut Block, out: &mut [u8]) -> Result<(), Broken> {
        block.count(out.len() as u32)?;
        need(input, out)
    }

    /// The rest of a block, and its length once more.
    fn leave<R: Read>(&self, input: &mut Input<R>, block: Block) -> Result<(), Broken> {
        if !input.skip(u64::from(block.left))? {
            return Err(Broken::Cut);
        }
        let mut tail = [0; 4];
        need(input, &mut tail)?;
        match self.u32(&tail, 0) {
            total if total == block.total => Ok(()),
            total => {
                let begun = block.total;
                Err(Broken::Bad(format!("a block of {begun} bytes ends as one of {total}: the file is damaged")))
            }
        }
    }

    /// `None` at the end of the file; `begun` becomes the offset of the record's own block.
    pub(super) fn record<R: Read>(
        &mut self,
        input: &mut Input<R>,
        kept: &mut Vec<u8>,
        begun: &mut u64,
    ) -> Result<Option<Head>, Broken> {
        loop {
            *begun = input.at;
            let mut kind = [0; 4];
            match input.take(&mut kind)? {
                Got::All => {}
                Got::Nothing => return Ok(None),
                Got::Part => return Err(Broken::Cut),
            }
            if self.u32(&kind, 0) == SECTION {
                self.section(input)?;
                continue;
            }
            let mut total = [0; 4];
            need(input, &mut total)?;
            let block = self.block(self.u32(&kind, 0), self.u32(&total, 0))?;
            if let Some(head) = self.content(input, block, kept)? {
                return Ok(Some(head));
            }
        }
    }

    fn content<R: Read>(
        &mut self,
        input: &mut Input<R>,
        mut block: Block,
        kept: &mut Vec<u8>,
    ) -> Result<Option<Head>, Broken> {
        let head = match block.kind {
            INTERFACE => {
                self.interface(input, &mut block)?;
                None
            }
            PACKET | OLD_PACKET => Some(self.packet(input, &mut block, kept)?),
            SIMPLE_PACKET => Some(self.simple(input, &mut block, kept)?),
            _ => None,
        };
        self.leave(input, block)?;
        Ok(head)
    }

    fn interface<R: Read>(&mut self, input: &mut Input<R>, block: &mut Block) -> Result<(), Broken> {
        let mut fixed = [0; 8];
        self.read(input, block, &mut fixed)?;
        if self.interfaces.len() == MOST_INTERFACES {
            return Err(Broken::Bad(format!("more than {MOST_INTERFACES} interfaces: the file is damaged")));
        }
        let mut options = vec![0; block.left.min(MOST_OPTIONS) as usize];
        self.read(input, block, &mut options)?;
        let (link, snap) = (u32::from(self.u16(&fixed, 0)), self.u32(&fixed, 4));
        let mut interface = Interface { link, snap, resolution: 6, offset_s: 0 };
        self.options(&options, &mut interface);
        self.interfaces.push(interface);
        Ok(())
    }

    fn options(&self, mut options: &[u8], interface: &mut Interface) {
        while let [_, _, _, _, rest @ ..] = options {
            let (code, length) = (self.u16(options, 0), usize::from(self.u16(options, 2)));
            let Some(value) = rest.get(..length) else { return };
            match (code, value) {
                (0, _) => return,
                (9, [resolution]) => interface.resolution = *resolution,
                (14, value) => {
                    let eight = value.first_chunk().copied().unwrap_or_default();
                    interface.offset_s = if self.big { i64::from_be_bytes(eight) } else { i64::from_le_bytes(eight) };
                }
                _ => {}
            }
            options = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        }
    }

    fn of_ethernet(&self, number: u32) -> Result<Interface, Broken> {
        match self.interfaces.get(number as usize) {
            Some(interface) if interface.link == link::ETHERNET => Ok(*interface),
            Some(interface) => Err(Broken::Bad(format!("{} (interface {number})", foreign(interface.link)))),
            None => Err(Broken::Bad(format!("names interface {number}, which the file does not have"))),
        }
    }

    fn packet<R: Read>(&mut self, input: &mut Input<R>, block: &mut Block, kept: &mut Vec<u8>) -> Result<Head, Broken> {
        let mut fixed = [0; 20];
        self.read(input, block, &mut fixed)?;
        let number = match block.kind {
            PACKET => self.u32(&fixed, 0),
            _ => u32::from(self.u16(&fixed, 0)),
        };
        let interface = self.of_ethernet(number)?;
        let (captured, wire) = (self.u32(&fixed, 12), self.u32(&fixed, 16));
        self.data(input, block, captured, kept)?;
        let ticks = u64::from(self.u32(&fixed, 4)) << 32 | u64::from(self.u32(&fixed, 8));
        self.at_ns = interface.at_ns(ticks);
        Ok(Head { at_ns: self.at_ns, captured, wire })
    }

    /// A packet of interface 0 that has a length and nothing else.
    fn simple<R: Read>(&mut self, input: &mut Input<R>, block: &mut Block, kept: &mut Vec<u8>) -> Result<Head, Broken> {
        let interface = self.of_ethernet(0)?;
        let mut fixed = [0; 4];
        self.read(input, block, &mut fixed)?;
        let wire = self.u32(&fixed, 0);
        let snap = if interface.snap == 0 { u32::MAX } else { interface.snap };
        let captured = wire.min(snap).min(block.left);
        self.data(input, block, captured, kept)?;
        Ok(Head { at_ns: self.at_ns, captured, wire })
    }

    fn data<R: Read>(
        &self,
        input: &mut Input<R>,
        block: &mut Block,
        captured: u32,
        kept: &mut Vec<u8>,
    ) -> Result<(), Broken> {
        if captured > MOST_RECORD {
            let message = format!("says it holds {captured} bytes (at most {MOST_RECORD}): the file is damaged");
            return Err(Broken::Bad(message));
        }
        block.count(captured)?;
        keep(input, captured, kept)
    }
}

impl Interface {
    fn at_ns(&self, ticks: u64) -> u64 {
        let ns = u128::from(ticks) * 1_000_000_000;
        let power = u32::from(self.resolution & 0x7f);
        let since = match self.resolution & 0x80 {
            0 => 10u128.checked_pow(power).map_or(0, |ticks| ns / ticks),
            _ => ns >> power,
        };
        let offset_ns = i128::from(self.offset_s) * 1_000_000_000;
        let at_ns = i128::try_from(since).unwrap_or(i128::MAX).saturating_add(offset_ns);
        u64::try_from(at_ns.max(0)).unwrap_or(u64::MAX)
    }
}
