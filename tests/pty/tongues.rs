//! The real binary: another generator's script comes in by the `:` line, is saved and sent, and goes out again.

use std::fs;

use super::{Console, PATIENCE, Reader};

const SCRIPT: &str = "\
echo \"add_device eth1\" > /proc/net/pktgen/kpktgend_0
echo \"count 5000\" > /proc/net/pktgen/eth1
echo \"pkt_size 60\" > /proc/net/pktgen/eth1
echo \"dst_mac 02:00:00:00:00:02\" > /proc/net/pktgen/eth1
echo \"dst 198.18.0.2\" > /proc/net/pktgen/eth1
echo \"spi 5\" > /proc/net/pktgen/eth1
";

#[test]
fn a_script_comes_in_is_sent_and_goes_out_again() {
    let mut console = Console::open(&["--device", "sim"], Reader::Reads);
    let here = console.home.path().to_owned();
    fs::write(here.join("last-year.sh"), SCRIPT).unwrap();
    console.wait_for("space sends udp-64 on sim");
    console.type_keys(":import la\t");
    console.wait_for(":import last-year.sh");
    console.type_keys("\r");
    console.wait_for_words("last-year out of last-year.sh");
    console.wait_for_words("last-year.sh:6: dropped: spi 5");
    console.esc_from("jk scroll");
    console.wait_for("last-year*");
    console.line("w");
    console.wait_for("saved:");
    console.type_keys(" ");
    // It ends by itself: 5000 packets.
    console.wait_for_words("STOPPED");
    console.wait_for_words("5 000");
    console.line("export trafgen now.cfg");
    console.wait_for_words("in now.cfg");
    console.line("export pktgen now.cfg");
    console.wait_for("now.cfg exists");
    console.type_keys("o");
    console.wait_for_words("pktgen: last-year in now.cfg");
    console.line("export pcap frames.pcap");
    console.wait_for_words("pcap: last-year in frames.pcap");
    console.line("export command");
    console.wait_for_words("copied");
    console.line("import gone.sh");
    console.wait_for_words("gone.sh: reading failed: No such file or directory");
    console.line("q");
    assert_eq!(console.end(PATIENCE), 0);
    console.assert_clean();
    assert!(fs::read_to_string(here.join("now.cfg")).unwrap().contains("pktgen"));
    assert_eq!(fs::metadata(here.join("frames.pcap")).unwrap().len(), 24 + 1000 * (16 + 60));
    assert!(fs::read_to_string(console.profile("last-year")).unwrap().contains("198.18.0.2"));
    assert!(console.state("log").contains("warn  txdeck: last-year.sh:6: dropped: spi 5"), "{}", console.state("log"));
}
