//! netsniff-ng trafgen.

use txdeck::{
    dialect::Dialect,
    profile::{Mac, Value},
};

use crate::{document, frames, hex, notes, plan, read};

/// After the checksum example of a well-known collection (D15), rebuilt: defines without brackets, csumip, csumudp.
const UDP_SUMS: &str = r#"/* UDP with checksums
Command example:
trafgen --cpp --dev "$DEV" --conf udp.trafgen --cpu 4 --verbose
*/
#define TYPE_IP	0x0800
#define DATA 26
#define LEN  DATA + 8

{
  0x02, 0x00, 0x00, 0x00, 0x00, 0x02,  # to
  0x02, 0x00, 0x00, 0x00, 0x00, 0x0a,  # from
  const16(TYPE_IP),
  0b01000101, 0,        /* version, words, TOS */
  const16(LEN + 20),
  const16(2),
  0b00000000, 0,
  64, 17,
  csumip(14, 33),
  198, 18, 1, 66,
  198, 18, 1, 1,
  const16(9), const16(6666),
  const16(DATA + 8),
  // const16(0),
  csumudp(14, 34),
  fill('B', DATA),
}
"#;

#[test]
fn c82_d15_bytes_and_checksums_are_as_worked_out_by_hand() {
    let imported = read(Dialect::Trafgen, "udp.trafgen", UDP_SUMS);
    assert_eq!(notes(&imported), Vec::<String>::new());
    let bytes = &frames(&plan(&imported.text), 0, 1)[0];
    // Worked out by hand: IP sum 0xb95c - see the words below; UDP over pseudo header, ports, length and 26 × 'B'.
    let expected = "02000000000202000000000a0800\
                    450000360002000040110000c6120142c6120101\
                    00091a0a00220000"
        .replace(' ', "");
    let shown = hex(bytes);
    assert_eq!(shown.len(), 2 * 68);
    assert_eq!(&shown[..48], &expected[..48]);
    assert_eq!(&shown[52..80], &expected[52..80]);
    assert!(sums_to_ffff(&bytes[14..34]), "IP header");
    let mut pseudo = bytes[26..34].to_vec();
    pseudo.extend([0, 17, 0, 34]);
    pseudo.extend(&bytes[34..]);
    assert!(sums_to_ffff(&pseudo), "UDP");
    assert!(bytes[42..].iter().all(|byte| *byte == b'B'));
}

fn sums_to_ffff(bytes: &[u8]) -> bool {
    let sum: u32 = bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum();
    (sum & 0xffff) + (sum >> 16) == 0xffff
}

#[test]
fn c82_random_and_counting_bytes_become_ranges() {
    let text = UDP_SUMS
        .replace("198, 18, 1, 66,", "198, 18, 1, drnd(1),")
        .replace("const16(9), ", "drnd(2), ")
        .replace("198, 18, 1, 1,", "198, 18, 1, dinc(0, 255, 1),");
    let imported = read(Dialect::Trafgen, "udp.trafgen", &text);
    assert_eq!(notes(&imported), Vec::<String>::new());
    assert!(imported.text.contains("src = { random = [\"198.18.1.0\", \"198.18.1.255\"] }"), "{}", imported.text);
    assert!(imported.text.contains("dst = { from = \"198.18.1.0\", to = \"198.18.1.255\" }"), "{}", imported.text);
    assert!(imported.text.contains("src = { random = [0, 65535] }"), "{}", imported.text);
    for frame in frames(&plan(&imported.text), 0, 300) {
        assert!(sums_to_ffff(&frame[14..34]));
    }
}

#[test]
fn c82_a_length_that_is_not_the_frames_is_flagged() {
    let imported = read(Dialect::Trafgen, "udp.trafgen", &UDP_SUMS.replace("LEN + 20", "LEN + 21"));
    let notes = notes(&imported);
    assert!(
        notes.iter().any(|note| note.contains("IPv4 total length") && note.contains("00 37") | note.contains("37")),
        "{notes:?}"
    );
}

#[test]
fn c82_words_that_are_not_known_are_named_with_their_place() {
    let text = format!("{UDP_SUMS}\n{{ fill(0, 60), wobble(3) }}\n");
    let imported = read(Dialect::Trafgen, "udp.trafgen", &text);
    let line = UDP_SUMS.lines().count() + 2;
    let notes = notes(&imported);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with(&format!("f:{line}: dropped")) && notes[0].contains("wobble"), "{notes:?}");
    assert_eq!(document(&imported.text).profile().flows.len(), 1);
}

#[test]
fn c82_header_functions_fill_in_what_is_not_said() {
    let text = "#ifndef DST\n#define DST f4:52:14:7a:5b:52\n#endif\n{\n eth(daddr=DST, proto=0x0800),\n ipv4(ttl=64, da=198.18.39.3, sa=198.18.0.7),\n udp(sp=dinc(1000, 1999), dp=drnd(7, 9)), fill('B', 22),\n}\n";
    let imported = read(Dialect::Trafgen, "x.trafgen", text);
    assert_eq!(notes(&imported), Vec::<String>::new());
    let document = document(&imported.text);
    let flow = &document.profile().flows[0];
    assert_eq!((&flow.eth.dst, &flow.eth.src), (&Mac::Is(Value::Fixed(0xf452_147a_5b52)), &Mac::Device));
    let udp = flow.udp.as_ref().expect("UDP");
    assert_eq!(udp.src, Value::Sweep { from: 1000, to: 1999, step: 1, every: 1 });
    assert_eq!(udp.dst, Value::Random { low: 7, high: 9, every: 1 });
    assert_eq!(flow.size, Value::Fixed(64));
}

#[test]
fn a_command_in_a_comment_says_rate_and_count() {
    let text = "# trafgen --dev eth9 --conf x --num 500 --rate 1000pps\n".to_string() + UDP_SUMS;
    let imported = read(Dialect::Trafgen, "x.trafgen", &text);
    assert!(
        imported.text.contains("count = 500") && imported.text.contains("rate = \"1000 pps\""),
        "{}",
        imported.text
    );
}

#[test]
fn packets_for_one_cpu_go_to_one_queue() {
    let text = "cpu(1): { udp(), fill(0, 18) }\ncpu(2-3): { eth(da=02:00:00:00:00:02), udp(), fill(1, 18) }\n";
    let imported = read(Dialect::Trafgen, "x.trafgen", text);
    let document = document(&imported.text);
    let queues: Vec<_> = document.profile().flows.iter().map(|flow| flow.queues.clone()).collect();
    assert_eq!(queues, [Some(vec![1]), Some(vec![2, 3])]);
    assert_eq!(document.profile().tx.queues, [0, 1, 2, 3]);
}

/// After the SYN example of the same collection (D15), rebuilt: expressions with shifts, a comma missing, TCP.
const SYN: &str = "#define SYN (1 << 1)\n#define ACK (1 << 4)\n{\n 0x02, 0, 0, 0, 0, 0x02,\n 0x02, 0, 0, 0, 0, 0x0a,\n const16(0x0800),\n 0b01000101, 0, const16(40),\n const16(2), 0b01000000, 0,\n 64, 0x06, csumip(14, 33),\n 198, 18, 51, drnd(1), # from\n 198, 18, 51, 2,\n drnd(2), const16(80),\n drnd(4), c32(0),\n //const16((0x5 << 12) | ACK)\n const16((0x5 << 12) | SYN)\t\t/* no comma here */\n const16(16),\n csumtcp(14, 34), const16(0),\n}\n";

#[test]
fn c82_d15_syn_packets_have_right_checksums() {
    let imported = read(Dialect::Trafgen, "syn.trafgen", SYN);
    assert_eq!(notes(&imported), Vec::<String>::new(), "{}", imported.text);
    let document = document(&imported.text);
    let flow = &document.profile().flows[0];
    let tcp = flow.tcp.as_ref().expect("TCP");
    assert_eq!((&tcp.flags, &tcp.window), (&Value::Fixed(2), &Value::Fixed(16)));
    assert_eq!(tcp.seq, Value::Random { low: 0, high: 0xffff_ffff, every: 1 });
    assert!(flow.runt && flow.size == Value::Fixed(54), "40 bytes of IP behind 14 of Ethernet");
    for bytes in frames(&plan(&imported.text), 0, 50) {
        let mut pseudo = bytes[26..34].to_vec();
        pseudo.extend([0, 6, 0, 20]);
        pseudo.extend(&bytes[34..]);
        assert!(sums_to_ffff(&bytes[14..34]) && sums_to_ffff(&pseudo));
    }
}

/// After the ping example with header functions (D15), rebuilt.
const PING: &str = "#ifndef DST\n#define DST 02:00:00:00:00:02\n#endif\n{\n  eth(daddr=DST, proto=ETH_P_IP),\n  ipv4(ttl=64, proto=1, sa=198.18.0.1, da=198.18.39.3\n  ),\n  8, 0,\n  csumicmp(34, 63),\n  const16(42),\n  0, dinc(0,255,1),\n  fill('B', 22),\n}\n";

#[test]
fn c82_d15_pings_count_and_keep_their_checksum() {
    let imported = read(Dialect::Trafgen, "ping.trafgen", PING);
    assert_eq!(notes(&imported), Vec::<String>::new(), "{}", imported.text);
    for (number, bytes) in frames(&plan(&imported.text), 0, 300).iter().enumerate() {
        assert_eq!(bytes[40..42], [0, number as u8]);
        assert!(sums_to_ffff(&bytes[34..]), "{}", hex(bytes));
    }
}

#[test]
fn a_frame_of_an_unknown_kind_is_taken_byte_for_byte() {
    let text =
        "{ 0x01, 0x80, 0xc2, 0, 0, 0,  0x02, 0, 0, 0, 0, 0x0a, c16(0x26), 0x42, 0x42, 3, dinc(1, 9), fill(7, 42) }\n";
    let imported = read(Dialect::Trafgen, "stp.trafgen", text);
    let shown = frames(&plan(&imported.text), 0, 3);
    assert_eq!(hex(&shown[0][..18]), "0180c200000002000000000a002642420301");
    let counted: Vec<u8> = shown.iter().map(|bytes| bytes[17]).collect();
    assert_eq!(counted, [1, 2, 3]);
}
