//! Captures: the reader, what it keeps, how it is judged, and the import of a replay.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use txdeck::{
    dialect,
    packet::{Capture, Reader, Reel, Survey, Terms},
    profile::{Document, Odd},
};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, file)) = bytes.split_first() else { return };
    let odd = [Odd::Refuse, Odd::Skip, Odd::Pad, Odd::Cut][usize::from(first & 3)];
    let (runt, strip_fcs) = (first & 4 != 0, first & 8 != 0);
    let terms = Terms { odd, runt, strip_fcs, room: 1792, mtu: (first & 16 != 0).then_some(1500) };
    let Ok(mut reader) = Reader::new(file) else { return };
    let streamed = Survey::of(&mut reader, &terms, |_| ());
    let kept = Reader::new(file).and_then(|mut reader| Capture::read(&mut reader, |_| ()));
    // Read as a stream or kept, a file is sound or it is not; and then the same is said of it.
    assert_eq!(streamed.is_ok(), kept.is_ok());
    if let (Ok(streamed), Ok(kept)) = (streamed, kept) {
        assert_eq!(streamed.words(), kept.survey(&terms).words());
        assert_eq!(streamed.odd_lines(), kept.survey(&terms).odd_lines());
        let kept = Arc::new(kept);
        if let Some(reel) = Reel::new(&kept, &terms, 1.5) {
            let frames = reel.frames();
            assert!(frames > 0);
            for k in [0, 1, frames - 1, frames, frames * 3 + 1, u64::MAX] {
                assert!(reel.due_ns(k) <= reel.due_ns(k.saturating_add(1)));
            }
        }
    }
    if let Ok(imported) = dialect::pcap::import("x.pcap", "x.pcap", file, |_| ()) {
        Document::parse("x.toml", &imported.text).expect("an import is a valid profile");
    }
});
