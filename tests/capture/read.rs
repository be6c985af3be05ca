//! What is read is what was written, whatever the format; what cannot be read says why and where.

use proptest::prelude::*;
use txdeck::packet::{Format, Reader};

use crate::write::{Classic, MICRO, Packet, block, enhanced, frame, gzip, interface, pcap, pcapng, section, u32_of};

/// Every record, and what was said at the end.
fn read(file: &[u8]) -> Result<(Vec<Packet>, Option<String>), String> {
    let mut reader = Reader::new(file).map_err(|fault| fault.to_string())?;
    let mut packets = Vec::new();
    while let Some(record) = reader.next_record().map_err(|fault| fault.to_string())? {
        assert_eq!(record.number, packets.len() as u64 + 1);
        packets.push(Packet { at_ns: record.at_ns, bytes: record.bytes.to_vec(), wire: record.wire });
    }
    Ok((packets, reader.cut().map(ToString::to_string)))
}

/// Two frames a microsecond and a bit apart.
fn two() -> Vec<Packet> {
    let start_ns = 1_700_000_000_000_000_000;
    vec![Packet::new(start_ns, frame(60, 1)), Packet::new(start_ns + 1_234_000, frame(101, 2))]
}

#[test]
fn c77_every_format_is_read_with_its_time() {
    let orders = [false, true];
    for (big, nano) in orders.iter().flat_map(|big| orders.map(|nano| (*big, nano))) {
        let file = pcap(Classic { big, nano, link: 1 }, &two());
        assert_eq!(read(&file), Ok((two(), None)), "big {big}, nano {nano}");
        assert_eq!(read(&gzip(&file)), Ok((two(), None)), "gzip, big {big}, nano {nano}");
        let format = if nano { Format::PcapNano } else { Format::PcapMicro };
        assert_eq!(Reader::new(file.as_slice()).map(|reader| reader.format()), Ok(format));
    }
    for big in orders {
        assert_eq!(read(&pcapng(big, &two())), Ok((two(), None)), "pcapng, big {big}");
        assert_eq!(read(&gzip(&pcapng(big, &two()))), Ok((two(), None)), "pcapng in gzip, big {big}");
    }
    // A second section may have the other byte order, and interfaces of its own.
    let mut both = pcapng(false, &two());
    both.extend(pcapng(true, &two()));
    assert_eq!(read(&both).map(|(packets, _)| packets.len()), Ok(4));
    // gzip members one behind the other are one file.
    let file = pcap(MICRO, &two());
    let parts = [gzip(&file[..50]), gzip(&file[50..])].concat();
    assert_eq!(read(&parts), Ok((two(), None)));
}

#[test]
fn c77_clocks_of_interfaces_are_converted() {
    let at = |resolution: u8, ticks: u64| {
        let file =
            [section(false), interface(false, 1, resolution), enhanced(false, 0, ticks, &Packet::new(0, frame(60, 1)))];
        read(&file.concat()).map(|(packets, _)| packets[0].at_ns)
    };
    assert_eq!(at(3, 1_500), Ok(1_500_000_000), "milliseconds");
    assert_eq!(at(12, 2_500_000), Ok(2_500), "picoseconds");
    assert_eq!(at(0x8a, 1536), Ok(1_500_000_000), "1/1024 s");
    assert_eq!(at(0x7f, 9), Ok(0), "no clock ticks that fast");
    assert_eq!(at(0, u64::MAX), Ok(u64::MAX), "beyond what nanoseconds can say");
}

#[test]
fn c77_simple_packets_have_the_length_of_their_block() {
    let bytes = frame(61, 7);
    let body = [u32_of(false, 61).to_vec(), bytes.clone()].concat();
    let file = [section(false), interface(false, 1, 6), block(false, 3, &body)].concat();
    assert_eq!(read(&file), Ok((vec![Packet::new(0, bytes)], None)));
}

#[test]
fn c77_what_cannot_be_read_says_why() {
    let good = pcap(MICRO, &two());
    let damaged = |at: usize, word: u32| {
        let mut file = good.clone();
        file[at..at + 4].copy_from_slice(&word.to_le_bytes());
        file
    };
    let mut lengths = pcapng(false, &two());
    let last = lengths.len() - 4;
    lengths[last..].copy_from_slice(&28u32.to_le_bytes());
    let cooked = |link| pcap(Classic { link, ..MICRO }, &two());
    let of_two = [section(false), interface(false, 1, 6), interface(false, 113, 6)].concat();
    let ng_cooked = [of_two.clone(), enhanced(false, 1, 0, &two()[0])].concat();
    let ng_nobody = [of_two, enhanced(false, 2, 0, &two()[0])].concat();
    for (file, why) in [
        (vec![], "is empty, not even a capture's header is there"),
        (
            b"hello, world".to_vec(),
            "is no capture: it begins with 68 65 6c 6c (pcap, pcapng and gzip of them are read)",
        ),
        (good[..20].to_vec(), "ends within its own header: a cut file"),
        (b"snoop\0\0\0".to_vec(), "is a Solaris snoop capture (pcap, pcapng and gzip of them are read)"),
        (gzip(b"hello, world"), "is no capture: it begins with 68 65 6c 6c (pcap, pcapng and gzip of them are read)"),
        (gzip(&gzip(&good)), "is compressed twice: undo that first (pcap, pcapng and gzip of them are read)"),
        (damaged(4, 3), "is a pcap file of version 3 (2 is read)"),
        (
            damaged(24 + 16 + 60 + 8, 0x7fff_ffff),
            "record 2 (byte 100): says it holds 2147483647 bytes (at most 67108864): the file is damaged",
        ),
        (cooked(113), "was captured from Linux cooked capture (link type 113): only Ethernet can be replayed"),
        (cooked(105), "was captured from IEEE 802.11 (link type 105): only Ethernet can be replayed"),
        (cooked(999), "was captured from link type 999: only Ethernet can be replayed"),
        (
            ng_cooked,
            "record 1 (byte 116): was captured from Linux cooked capture (link type 113): only Ethernet can be replayed \
             (interface 1)",
        ),
        (ng_nobody, "record 1 (byte 116): names interface 2, which the file does not have"),
        (lengths, "record 3 (byte 392): a block of 24 bytes ends as one of 28: the file is damaged"),
    ] {
        assert_eq!(read(&file).map(|_| ()), Err(why.to_owned()));
    }
    let mut broken = gzip(&good);
    let middle = broken.len() / 2;
    broken[middle] ^= 0xff;
    broken[middle + 1] ^= 0xff;
    let why = read(&broken).expect_err("damaged");
    assert!(why.contains("the gzip stream is damaged"), "{why}");
}

#[test]
fn c77_a_cut_file_gives_the_records_before_the_cut() {
    let good = pcap(MICRO, &two());
    for cut in [24 + 16 + 60 + 1, 24 + 16 + 60 + 16, good.len() - 1] {
        let (packets, told) = read(&good[..cut]).expect("whole packets before the cut");
        assert_eq!(packets, two()[..1], "cut at {cut}");
        assert_eq!(told.as_deref(), Some("record 2 (byte 100): the file ends within it"), "cut at {cut}");
    }
    assert_eq!(read(&good[..24]), Ok((vec![], None)), "a header alone is a capture of nothing");
    let whole = gzip(&good);
    let (packets, told) = read(&whole[..whole.len() - 12]).expect("as far as it goes");
    assert!(packets.len() <= 2 && (told.is_some() || packets.len() == 2), "{packets:?} {told:?}");
}

fn packets() -> impl Strategy<Value = Vec<Packet>> {
    // Whole microseconds, which every format can say, up to 2106.
    let packet = (0u64..4_294_967_295_999_999, proptest::collection::vec(any::<u8>(), 0..300), 0u32..2000);
    proptest::collection::vec(packet, 0..12).prop_map(|packets| {
        packets.into_iter().map(|(at_us, bytes, wire)| Packet { at_ns: at_us * 1000, bytes, wire }).collect()
    })
}

proptest! {
    #[test]
    fn what_was_written_is_read(packets in packets(), big in any::<bool>(), nano in any::<bool>()) {
        let expected = Ok((packets.clone(), None));
        let file = pcap(Classic { big, nano, link: 1 }, &packets);
        prop_assert_eq!(&read(&gzip(&file)), &expected);
        prop_assert_eq!(&read(&file), &expected);
        let file = pcapng(big, &packets);
        prop_assert_eq!(&read(&gzip(&file)), &expected);
        prop_assert_eq!(&read(&file), &expected);
    }

    #[test]
    fn no_input_makes_the_reader_panic(
        packets in packets(),
        ng in any::<bool>(),
        big in any::<bool>(),
        hits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut file = if ng { pcapng(big, &packets) } else { pcap(Classic { big, ..MICRO }, &packets) };
        for (at, byte) in hits {
            let at = at.index(file.len());
            file[at] = byte;
        }
        file.truncate(cut.index(file.len() + 1));
        let _ = read(&file);
        let _ = read(&gzip(&file));
    }
}
