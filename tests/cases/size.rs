//! SIZE: what a profile calls 60 is 60 on the wire, and what the device does not take is never "sent".

use crate::bench::{counters, ip, link, on_a_pair};
use crate::capture::Capture;
use crate::deck::{Done, balances, number, run};
use crate::nic_lab::{Far, Pair};

#[test]
fn c16_sixty_bytes_without_fcs_are_sixty_in_a_capture() {
    on_a_pair("size::c16_sixty_bytes_without_fcs_are_sixty_in_a_capture", |_| {
        let capture = Capture::on(link("b0").index, 2000);
        let before = counters("a0").tx_bytes;
        let done = run(&["udp-64", "-i", "a0", "-n", "1000"]);
        balances(&done, 1000);
        assert_eq!(done.result()["left"]["bytes"], 60_000);
        assert_eq!(counters("a0").tx_bytes - before, 60_000);
        let frames = capture.frames();
        assert_eq!(frames.len(), 1000);
        assert!(frames.iter().all(|frame| frame.bytes.len() == 60));
    });
}

#[test]
fn c41_a_mix_leaves_in_exact_shares_and_its_bytes_are_counted() {
    on_a_pair("size::c41_a_mix_leaves_in_exact_shares_and_its_bytes_are_counted", |_| {
        let send = |count: u64| {
            let before = counters("a0").tx_bytes;
            let done = run(&["imix", "-i", "a0", "-n", &count.to_string(), "-s", "rate=max"]);
            balances(&done, count);
            let bytes = count / 12 * (60 * 7 + 590 * 4 + 1514);
            assert_eq!(done.result()["left"]["bytes"], bytes);
            assert_eq!(counters("a0").tx_bytes - before, bytes);
        };
        let capture = Capture::on(link("b0").index, 2000);
        send(1200);
        let frames = capture.frames();
        let of = |size: usize| frames.iter().filter(|frame| frame.bytes.len() == size).count();
        assert_eq!((frames.len(), of(60), of(590), of(1514)), (1200, 700, 400, 100));
        drop(capture);
        [12_000, 120_000].into_iter().for_each(send);
    });
}

fn of_size(size: u32) -> Done {
    let size = format!("flow.udp.size={size}");
    run(&["udp-64", "-i", "a0", "-n", "100", "-s", "chunk_bytes=4096", "-s", &size])
}

#[track_caller]
fn is_dropped(done: &Done) {
    assert_eq!(done.code, 1, "{}", done.brief());
    assert_eq!((done.packets("dropped"), done.packets("left"), number(done.result(), "pps")), (100, 0, 0.0));
}

fn warns(done: &Done, mtu: u32) -> bool {
    done.stderr.contains(&format!("MTU {mtu}"))
}

#[test]
fn c19_the_mtu_of_now_decides_what_is_warned_of_and_what_leaves() {
    on_a_pair("size::c19_the_mtu_of_now_decides_what_is_warned_of_and_what_leaves", |pair| {
        for (size, warned, leaves) in [(1514, false, true), (1515, true, true), (1518, true, true), (1519, true, false)]
        {
            let done = of_size(size);
            assert_eq!(warns(&done, 1500), warned, "{size}: {}", done.stderr);
            if leaves { balances(&done, 100) } else { is_dropped(&done) }
        }
        both_ends(pair, 9000);
        let done = of_size(1800);
        assert!(!warns(&done, 9000), "{}", done.stderr);
        balances(&done, 100);
        pair.mtu("b0", 1500);
        is_dropped(&of_size(1800));
        both_ends(pair, 1000);
        let done = of_size(1500);
        assert!(warns(&done, 1000), "{}", done.stderr);
        is_dropped(&done);
    });
}

fn both_ends(pair: &Pair, mtu: u32) {
    pair.mtu("a0", mtu);
    pair.mtu("b0", mtu);
}

/// Frames of several chunks: whole at the far end and counted as packets, built anew, cloned, and swept over the
/// borders of chunks.
#[test]
fn c19_frames_longer_than_a_chunk_arrive_whole() {
    on_a_pair("size::c19_frames_longer_than_a_chunk_arrive_whole", |pair| {
        both_ends(pair, 9000);
        for more in [
            &["-s", "flow.udp.size=9014"][..],
            &["-s", "flow.udp.size=9014", "-s", "clone=10", "-s", "burst=8"],
            &["-s", "flow.udp.size=1780..2100:7", "-s", "burst=1"],
            &["-s", "flow.udp.size=3000..9014:61", "-s", "chunk_bytes=4096"],
        ] {
            balances(&run(&[&["udp-64", "-i", "a0", "-n", "995"], more].concat()), 995);
        }
        let far = Far::on(pair, "b0");
        let pattern = "flow.udp.payload={ kind = \"pattern\", bytes = \"0102030405\" }";
        balances(&run(&["udp-64", "-i", "a0", "-n", "7", "-s", "flow.udp.size=9014", "-s", pattern]), 7);
        let frames = far.frames();
        assert_eq!(frames.len(), 7);
        for frame in frames {
            let wanted = [1, 2, 3, 4, 5].iter().cycle().take(9014 - 42);
            assert!(frame.len() == 9014 && frame[42..].iter().eq(wanted), "{} bytes", frame.len());
        }
    });
}

#[test]
fn c19_a_tag_may_be_on_top_of_the_mtu() {
    on_a_pair("size::c19_a_tag_may_be_on_top_of_the_mtu", |_| {
        ip("link set b0 promisc on");
        for (size, warned) in [(1518, false), (1519, true)] {
            let size = format!("flow.udp.size={size}");
            let done = run(&["udp-64", "-i", "a0", "-n", "10", "-s", "flow.udp.vlan=[{ id = 100 }]", "-s", &size]);
            assert_eq!(warns(&done, 1500), warned, "{}", done.stderr);
        }
    });
}
