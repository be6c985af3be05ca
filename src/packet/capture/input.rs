//! A stream of bytes that knows how far it has been read, gzip undone on the way.

use std::io::{self, BufReader, Chain, Cursor, ErrorKind, Read};

use flate2::bufread::MultiGzDecoder;

type Whole<R> = BufReader<Chain<Cursor<Vec<u8>>, R>>;

enum Source<R: Read> {
    Plain(Whole<R>),
    Gzip(Box<MultiGzDecoder<Whole<R>>>),
}

/// How much of what was asked for was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Got {
    All,
    /// The stream had ended before.
    Nothing,
    /// It ended within.
    Part,
}

pub(super) struct Input<R: Read> {
    source: Source<R>,
    /// Bytes behind us, of the capture itself: uncompressed.
    pub at: u64,
}

const GZIP: [u8; 2] = [0x1f, 0x8b];

impl<R: Read> Input<R> {
    pub(super) fn new(mut from: R) -> io::Result<Input<R>> {
        let mut head = vec![0; GZIP.len()];
        let (length, _) = fill(&mut from, &mut head)?;
        head.truncate(length);
        let is_gzip = head == GZIP;
        let whole = BufReader::with_capacity(64 << 10, Cursor::new(head).chain(from));
        let source = match is_gzip {
            true => Source::Gzip(Box::new(MultiGzDecoder::new(whole))),
            false => Source::Plain(whole),
        };
        Ok(Input { source, at: 0 })
    }

    pub(super) fn is_gzip(&self) -> bool {
        matches!(self.source, Source::Gzip(_))
    }

    /// # Errors
    /// Of the stream itself; a gzip stream that ends early ends as any other does.
    pub(super) fn take(&mut self, out: &mut [u8]) -> io::Result<Got> {
        let (length, cut) = match &mut self.source {
            Source::Plain(from) => fill(from, out)?,
            Source::Gzip(from) => fill(from, out)?,
        };
        self.at += length as u64;
        Ok(match length {
            length if length == out.len() => Got::All,
            0 if !cut => Got::Nothing,
            _ => Got::Part,
        })
    }

    /// Leaves `length` bytes out; `false`: the stream ended within them.
    pub(super) fn skip(&mut self, mut length: u64) -> io::Result<bool> {
        let mut nowhere = [0; 4096];
        while length > 0 {
            let part = length.min(nowhere.len() as u64) as usize;
            if self.take(&mut nowhere[..part])? != Got::All {
                return Ok(false);
            }
            length -= part as u64;
        }
        Ok(true)
    }
}

/// How many bytes came, and whether a compressed stream broke off.
fn fill(from: &mut impl Read, out: &mut [u8]) -> io::Result<(usize, bool)> {
    let mut length = 0;
    while length < out.len() {
        match from.read(&mut out[length..]) {
            Ok(0) => return Ok((length, false)),
            Ok(more) => length += more,
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            Err(why) if why.kind() == ErrorKind::UnexpectedEof => return Ok((length, true)),
            Err(why) => return Err(why),
        }
    }
    Ok((length, false))
}
