//! The AF_XDP nic on a real veth pair: the CASES about rings, binding and links, each by its number.

mod nic_lab;

use nic_lab::send::{Order, Tally, drain, frame, frames_of, ring, send};
use nic_lab::{Far, Pair, RealClock, Sent, Watched, on_a_veth_pair, wait_until};
use rustix::process::{Resource, Rlimit};
use rustix::thread::CapabilitySet;
use std::time::{Duration, Instant};
use txdeck::nic::xdp::{Mode, Pages, ReceiveSide, XdpConfig};
use txdeck::nic::{Nic, NicError, OpenError, XdpNic};

const DRAIN_RINGS: u32 = 1_000_000;

fn config() -> XdpConfig {
    XdpConfig { driver: Some("veth".into()), queues: Some(1), ..XdpConfig::new("a0", 0) }
}

fn open() -> XdpNic {
    XdpNic::open(&config()).expect("the queue opens")
}

fn refused(config: &XdpConfig) -> OpenError {
    XdpNic::open(config).err().expect("the queue must not open")
}

/// Sends and checks that every packet was received.
fn delivers(nic: &mut XdpNic, far: &Far, order: Order) -> Tally {
    far.count();
    let tally = send(nic, &RealClock::new(), order, DRAIN_RINGS);
    assert_eq!((tally.left(), far.count()), (order.count, order.count), "{order:?}: {tally:?}");
    tally
}

fn errno_count(nic: &XdpNic, wanted: i32) -> u64 {
    let mut found = 0;
    nic.errnos(|errno, count| found += if errno == wanted { count } else { 0 });
    found
}

#[test]
fn c02_partial_bursts_leak_nothing_in_200_runs() {
    on_a_veth_pair("c02_partial_bursts_leak_nothing_in_200_runs", |pair| {
        let far = Far::on(pair, "b0");
        let mut nic = open();
        for _ in 0..200 {
            delivers(&mut nic, &far, Order { burst: 64, ..Order::new(179) });
            assert_eq!(nic.frames(), (512, 512));
        }
    });
}

#[test]
fn c45_eagain_is_normal_and_everything_is_delivered() {
    on_a_veth_pair("c45_eagain_is_normal_and_everything_is_delivered", |pair| {
        let far = Far::on(pair, "b0");
        let mut nic = open();
        let tally = delivers(&mut nic, &far, Order { burst: 256, ..Order::new(100_000) });
        assert!(errno_count(&nic, libc::EAGAIN) > 0, "a burst of 256 needs more than one kick");
        assert_eq!(errno_count(&nic, libc::EBUSY), 0);
        assert!(tally.kicks >= 100_000 / 32);
    });
}

#[test]
fn c46_every_count_is_delivered_in_full() {
    on_a_veth_pair("c46_every_count_is_delivered_in_full", |pair| {
        let far = Far::on(pair, "b0");
        for need_wakeup in [true, false] {
            let mut nic = XdpNic::open(&XdpConfig { need_wakeup, ..config() }).unwrap();
            assert_eq!(nic.limits().mode.need_wakeup, need_wakeup);
            for count in [1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 2047, 2048, 2049] {
                delivers(&mut nic, &far, Order::new(count));
            }
        }
    });
}

#[test]
fn c48_c49_sizes_are_checked_by_name_and_the_good_ones_send() {
    on_a_veth_pair("c48_c49_sizes_are_checked_by_name_and_the_good_ones_send", |pair| {
        for ring in [0, 511, 1000] {
            let error = refused(&XdpConfig { ring, ..config() });
            assert!(error.to_string().contains("power of two"), "{error}");
        }
        for chunk_bytes in [1024, 1500, 8192] {
            assert_eq!(refused(&XdpConfig { chunk_bytes, ..config() }).code(), "bad_chunk_bytes");
        }
        let far = Far::on(pair, "b0");
        for (ring, chunks, chunk_bytes) in [(1, 1, 2048), (2, 63, 4096), (2048, 4096, 2048), (1 << 15, 512, 4096)] {
            let mut nic = match XdpNic::open(&XdpConfig { ring, chunks, chunk_bytes, ..config() }) {
                // 8 MiB are all that an ordinary user may lock.
                Err(error) if chunks == 4096 && error.code() == "memlock" => continue,
                nic => nic.unwrap(),
            };
            delivers(&mut nic, &far, Order { clone: 3, ..Order::new(1000) });
        }
    });
}

#[test]
fn c53_no_descriptor_is_ever_invalid_and_one_that_is_shows() {
    on_a_veth_pair("c53_no_descriptor_is_ever_invalid_and_one_that_is_shows", |pair| {
        let far = Far::on(pair, "b0");
        let mut nic = XdpNic::open(&XdpConfig { chunk_bytes: 4096, ..config() }).unwrap();
        for len in [14, 59, 60, 64, 128, 590, 1500, 1514, 1518] {
            let tally = delivers(&mut nic, &far, Order { len, clone: 4, ..Order::new(2000) });
            assert_eq!((tally.invalid, tally.dropped), (0, 0), "{len} bytes");
        }
        // A length of 0 is the one invalid descriptor that the nic lets through.
        let mut tally = Tally::default();
        far.count();
        for len in [60, 60, 0, 60, 0, 60] {
            let packet = nic.build(len, |memory, _| memory.fill(2)).unwrap();
            tally.submitted += nic.queue(&packet, 1);
            nic.release(packet);
        }
        drain(&mut nic, &RealClock::new(), DRAIN_RINGS, &mut tally);
        assert_eq!((tally.completed, tally.invalid, tally.left(), far.count()), (6, 2, 4, 4));
    });
}

#[test]
fn c54_huge_pages_fall_back_with_one_notice() {
    on_a_veth_pair("c54_huge_pages_fall_back_with_one_notice", |pair| {
        let far = Far::on(pair, "b0");
        let mut nic = XdpNic::open(&XdpConfig { pages: Pages::Huge, ..config() }).unwrap();
        let huge = nic.limits().mode.huge_pages;
        assert_eq!(nic.notices().len(), usize::from(!huge), "{:?}", nic.notices());
        delivers(&mut nic, &far, Order::new(1000));
    });
}

#[test]
fn c55_fifty_rebinds_are_never_busy() {
    on_a_veth_pair("c55_fifty_rebinds_are_never_busy", |pair| {
        let far = Far::on(pair, "b0");
        for run in 0..50 {
            let mut nic = XdpNic::open(&XdpConfig { ring: 64 << (run % 6), ..config() }).expect("never busy");
            delivers(&mut nic, &far, Order::new(33));
        }
    });
}

#[test]
fn c55_a_second_owner_is_told_busy_after_a_second() {
    on_a_veth_pair("c55_a_second_owner_is_told_busy_after_a_second", |_| {
        let _first = open();
        let start = Instant::now();
        let error = refused(&config());
        assert_eq!((error.code(), error.errno), ("queue_busy", libc::EBUSY));
        assert!(start.elapsed() >= Duration::from_secs(1), "it was tried for a second");
        assert_eq!(
            error.to_string(),
            "a0 queue 0: busy, tried for 1 s. Another AF_XDP program holds it: stop that, or use another queue"
        );
    });
}

#[test]
fn c57_the_mode_got_is_told_and_missing_zero_copy_is_refused() {
    on_a_veth_pair("c57_the_mode_got_is_told_and_missing_zero_copy_is_refused", |pair| {
        let far = Far::on(pair, "b0");
        let asked =
            [(Mode::Auto, ReceiveSide::MayTake), (Mode::Auto, ReceiveSide::Keep), (Mode::Copy, ReceiveSide::MayTake)];
        for (mode, receive_side) in asked {
            let mut nic = XdpNic::open(&XdpConfig { mode, receive_side, ..config() }).unwrap();
            let got = nic.limits().mode;
            assert!(got.copy && !got.zero_copy && nic.limits().counts_drops);
            delivers(&mut nic, &far, Order::new(100));
        }
        let error = refused(&XdpConfig { mode: Mode::ZeroCopy, ..config() });
        assert_eq!(error.code(), "no_zero_copy");
        assert_eq!(
            error.to_string(),
            "a0 queue 0: zero-copy is not supported by veth. Use mode = \"copy\" (or \"auto\")"
        );
    });
}

#[test]
fn a_queue_or_device_that_is_not_there_is_told() {
    on_a_veth_pair("a_queue_or_device_that_is_not_there_is_told", |pair| {
        let error = refused(&XdpConfig { queue: 1, ..config() });
        assert_eq!(
            error.to_string(),
            "a0 queue 1: this device has 1 queue: 0. Use --queues 0, or: ethtool -L a0 combined 2"
        );
        assert_eq!(refused(&XdpConfig { queue: u32::MAX, ..config() }).code(), "no_such_queue");
        for device in ["nosuch0", "", "a-name-of-sixteen", "nul\0"] {
            assert_eq!(
                refused(&XdpConfig { device: device.into(), ..config() }).code(),
                "no_such_device",
                "{device:?}"
            );
        }
        assert_eq!(refused(&XdpConfig { ifindex: 9999, ..config() }).code(), "no_such_device");
        // The index wins over a name that is out of date.
        let ifindex = pair.index("a0");
        drop(XdpNic::open(&XdpConfig { ifindex, device: "before".into(), ..config() }).unwrap());
    });
}

fn drop_capability(which: CapabilitySet) {
    let mut sets = rustix::thread::capabilities(None).unwrap();
    sets.effective -= which;
    rustix::thread::set_capabilities(None, sets).unwrap();
}

#[test]
fn c59_a_missing_right_is_named() {
    on_a_veth_pair("c59_a_missing_right_is_named", |_| {
        drop_capability(CapabilitySet::NET_RAW);
        let error = refused(&config());
        assert_eq!((error.code(), error.errno), ("no_cap_net_raw", libc::EPERM));
    });
}

#[test]
fn c59_too_little_locked_memory_is_told_in_kib() {
    on_a_veth_pair("c59_too_little_locked_memory_is_told_in_kib", |_| {
        drop_capability(CapabilitySet::IPC_LOCK);
        let limit = Rlimit { current: Some(64 << 10), maximum: Some(64 << 10) };
        rustix::process::setrlimit(Resource::Memlock, limit).unwrap();
        let error = refused(&config());
        assert_eq!((error.code(), error.errno), ("memlock", libc::ENOBUFS));
        assert!(error.to_string().contains("needs 1024 KiB"), "{error}");
        assert!(error.to_string().contains("64 KiB are allowed"), "{error}");
    });
}

#[test]
fn c59_cap_net_raw_alone_is_enough() {
    on_a_veth_pair("c59_cap_net_raw_alone_is_enough", |pair| {
        let far = Far::on(pair, "b0");
        // IPC_LOCK stays: what others of this user lock is not this test's business.
        drop_capability(CapabilitySet::all() - CapabilitySet::NET_RAW - CapabilitySet::IPC_LOCK);
        let mut nic = open();
        let tally = send(&mut nic, &RealClock::new(), Order::new(1000), DRAIN_RINGS);
        assert_eq!((tally.left(), far.count()), (1000, 1000));
    });
}

#[test]
fn c60_c61_any_mtu_sends_without_a_program() {
    on_a_veth_pair("c60_c61_any_mtu_sends_without_a_program", |pair| {
        let far = Far::on(pair, "b0");
        for mtu in [1500, 3500, 3520, 3521, 8901, 9000] {
            pair.mtu("a0", mtu);
            pair.mtu("b0", mtu);
            delivers(&mut open(), &far, Order { len: 64, ..Order::new(1000) });
        }
    });
}

/// Sends `count` packets that cannot leave; all are dropped, counted, and nothing is said to have left.
fn all_are_dropped(pair: &Pair, order: Order) {
    let before = pair.sent("a0");
    let mut nic = open();
    let tally = send(&mut nic, &RealClock::new(), order, DRAIN_RINGS);
    let after = pair.sent("a0");
    assert_eq!((tally.completed, tally.dropped, tally.left()), (order.count, order.count, 0));
    assert_eq!(errno_count(&nic, libc::EBUSY), u64::from(order.count));
    let dropped = Sent { packets: before.packets, dropped: before.dropped + u64::from(order.count) };
    assert_eq!(after, dropped, "the device agrees");
}

#[test]
fn with_the_peer_down_nothing_left() {
    on_a_veth_pair("with_the_peer_down_nothing_left", |pair| {
        let far = Far::on(pair, "b0");
        pair.down("b0");
        all_are_dropped(pair, Order { clone: 10, ..Order::new(10_000) });
        pair.up("b0");
        wait_until("the far end is up again", || {
            send(&mut open(), &RealClock::new(), Order::new(1), DRAIN_RINGS).left() == 1
        });
        assert_eq!(far.frames(), [frame(0, 60)]);
    });
}

#[test]
fn frames_longer_or_shorter_than_the_device_takes_never_left() {
    on_a_veth_pair("frames_longer_or_shorter_than_the_device_takes_never_left", |pair| {
        let far = Far::on(pair, "b0");
        all_are_dropped(pair, Order { len: 1519, ..Order::new(10_000) });
        all_are_dropped(pair, Order { len: 13, ..Order::new(100) });
        assert_eq!(far.count(), 0);
        delivers(&mut open(), &far, Order { len: 1518, ..Order::new(100) });
    });
}

#[test]
fn c64_frames_queued_while_the_link_is_down_leave_once_after_up() {
    on_a_veth_pair("c64_frames_queued_while_the_link_is_down_leave_once_after_up", |pair| {
        let far = Far::on(pair, "b0");
        let mut nic = open();
        let clock = RealClock::new();
        for _ in 0..3 {
            let mut tally = Tally::default();
            pair.down("a0");
            let packet = nic.build(60, |memory, _| memory.copy_from_slice(&frame(7, 60))).unwrap();
            tally.submitted = nic.queue(&packet, 40);
            nic.release(packet);
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(50) {
                ring(&mut nic, &clock, &mut tally);
            }
            assert!(tally.kicks < 100, "{} kicks in 50 ms", tally.kicks);
            assert_eq!((tally.completed, nic.in_flight()), (0, 40));
            assert!(errno_count(&nic, libc::ENETDOWN) > 0);
            pair.up("a0");
            wait_until("the packets leave", || {
                ring(&mut nic, &clock, &mut tally);
                nic.in_flight() == 0
            });
            let arrived = far.frames();
            assert_eq!(
                (tally.left() as usize, arrived.len()),
                (40 - tally.dropped as usize, 40 - tally.dropped as usize)
            );
            assert!(arrived.iter().all(|bytes| *bytes == frame(7, 60)));
        }
    });
}

#[test]
fn c65_a_rename_does_not_disturb() {
    on_a_veth_pair("c65_a_rename_does_not_disturb", |pair| {
        let far = Far::on(pair, "b0");
        let mut nic = open();
        delivers(&mut nic, &far, Order::new(100));
        pair.rename("a0", "a0new");
        delivers(&mut nic, &far, Order::new(100));
    });
}

#[test]
fn a_deleted_device_is_gone_and_every_memory_is_back() {
    on_a_veth_pair("a_deleted_device_is_gone_and_every_memory_is_back", |pair| {
        let mut nic = open();
        let clock = RealClock::new();
        assert_eq!(send(&mut nic, &clock, Order::new(100), DRAIN_RINGS).left(), 100);
        pair.delete("a0");
        let tally = send(&mut nic, &clock, Order { clone: 10, ..Order::new(995) }, DRAIN_RINGS);
        assert_eq!(tally.end, Some(NicError::Gone { device: "a0".into(), queue: 0 }));
        assert_eq!((tally.completed, tally.abandoned), (0, tally.submitted));
        assert!(tally.abandoned > 0);
    });
}

#[test]
fn what_was_abandoned_never_leaves() {
    on_a_veth_pair("what_was_abandoned_never_leaves", |pair| {
        let far = Far::on(pair, "b0");
        let mut nic = open();
        let clock = RealClock::new();
        pair.down("a0");
        let mut tally = Tally::default();
        let packet = nic.build(60, |memory, _| memory.fill(2)).unwrap();
        tally.submitted = nic.queue(&packet, 40);
        ring(&mut nic, &clock, &mut tally);
        assert_eq!(nic.abandon(), 40);
        assert_eq!((nic.in_flight(), nic.frames()), (0, (512, 512)));
        assert_eq!(nic.queue(&packet, 1), 0);
        nic.release(packet);
        assert_eq!(nic.frames(), (512, 512));
        assert!(nic.ring(&clock).is_err() && nic.build(60, |_, _| ()).is_none());
        pair.up("a0");
        delivers(&mut open(), &far, Order::new(10));
    });
}

#[test]
fn two_nics_in_a_row_deliver_the_same_bytes() {
    on_a_veth_pair("two_nics_in_a_row_deliver_the_same_bytes", |pair| {
        let far = Far::on(pair, "b0");
        let order = Order { clone: 10, ..Order::new(995) };
        for _ in 0..2 {
            send(&mut open(), &Watched(RealClock::new(), &far), order, DRAIN_RINGS);
            assert!(far.frames() == frames_of(order));
        }
    });
}
