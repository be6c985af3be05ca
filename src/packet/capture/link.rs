//! Names of link types, for the sentence that refuses all of them but Ethernet.

pub(super) const ETHERNET: u32 = 1;

/// The commonest, by their registered numbers.
const NAMES: &[(u32, &str)] = &[
    (0, "BSD loopback"),
    (6, "Token Ring"),
    (8, "SLIP"),
    (9, "PPP"),
    (10, "FDDI"),
    (12, "raw IP"),
    (14, "raw IP"),
    (50, "PPP in HDLC framing"),
    (51, "PPPoE"),
    (101, "raw IP"),
    (104, "Cisco HDLC"),
    (105, "IEEE 802.11"),
    (107, "Frame Relay"),
    (108, "OpenBSD loopback"),
    (113, "Linux cooked capture"),
    (117, "OpenBSD pflog"),
    (119, "IEEE 802.11 with a Prism header"),
    (127, "IEEE 802.11 with a radiotap header"),
    (147, "private use 0"),
    (187, "Bluetooth HCI"),
    (189, "Linux USB"),
    (192, "PPI"),
    (195, "IEEE 802.15.4"),
    (197, "ERF"),
    (201, "Bluetooth HCI with a direction"),
    (220, "Linux USB, padded"),
    (227, "SocketCAN"),
    (228, "raw IPv4"),
    (229, "raw IPv6"),
    (239, "Linux NFLOG"),
    (249, "USBPcap"),
    (253, "Linux netlink"),
    (274, "Ethernet with a preamble"),
    (276, "Linux cooked capture v2"),
];

/// `Linux cooked capture (link type 113)`.
pub(super) fn name(link: u32) -> String {
    match NAMES.iter().find(|(number, _)| *number == link) {
        Some((_, name)) => format!("{name} (link type {link})"),
        None => format!("link type {link}"),
    }
}
