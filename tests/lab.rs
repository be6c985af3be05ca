//! The lab on the real kernel: what is in it, what it counts, that nothing stays behind, and who may enter.

mod own_process;
mod raw_frames;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use own_process::{role, skip};
use rustix::process::{Pid, Signal, kill_process};
use txdeck::lab::{self, Cause, End, Lab, LabOptions};
use txdeck::nic::link::Links;
use txdeck::nic::{caps, namespace};

fn main() -> ExitCode {
    own_process::main(
        &[
            ("a_lab_has_its_two_devices_with_their_queues", a_lab_has_its_two_devices_with_their_queues),
            ("deliver_gives_the_far_end_the_address_of_udp_64", deliver_gives_the_far_end_the_address_of_udp_64),
            ("no_stray_packet_is_counted", no_stray_packet_is_counted),
            ("the_counter_counts_what_arrives_and_nothing_else", the_counter_counts_what_arrives_and_nothing_else),
            ("the_far_end_can_go_down_and_up", the_far_end_can_go_down_and_up),
            ("the_user_stays_who_they_are", the_user_stays_who_they_are),
            ("what_was_opened_works_without_rights", what_was_opened_works_without_rights),
            ("nothing_is_left_whatever_ends_it", nothing_is_left_whatever_ends_it),
            ("a_running_lab_is_found_and_entered", a_running_lab_is_found_and_entered),
            ("a_process_that_only_bears_the_name_is_no_lab", a_process_that_only_bears_the_name_is_no_lab),
            ("threads_and_queues_are_refused", threads_and_queues_are_refused),
            ("no_user_namespaces_allowed_is_explained", no_user_namespaces_allowed_is_explained),
        ],
        &[
            ("role_hold_a_lab", role_hold_a_lab),
            ("role_show_near_devices", || show_devices(End::Near)),
            ("role_show_far_devices", || show_devices(End::Far)),
        ],
    )
}

const DEADLINE: Duration = Duration::from_secs(5);

fn make(options: LabOptions) -> Lab {
    match lab::enter(options) {
        Ok(lab) => lab,
        Err(refusal) if forbidden_here(refusal.cause) => skip(&refusal.to_string()),
        Err(refusal) => panic!("{refusal}"),
    }
}

fn forbidden_here(cause: Cause) -> bool {
    !matches!(cause, Cause::Threads(_) | Cause::Queues(_) | Cause::NotUp | Cause::Other(..))
}

/// Waits for a condition of another process or of the kernel.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < end, "{what}: not within {DEADLINE:?}");
        std::thread::yield_now();
    }
}

fn a_lab_has_its_two_devices_with_their_queues() {
    let mut lab = make(LabOptions { queues: 4, ..LabOptions::default() });
    let mut links = Links::open().unwrap();
    let names: Vec<String> = links.list().unwrap().into_iter().map(|link| link.name).collect();
    assert_eq!(names, ["lo", "deck0"]);
    let near = links.by_name("deck0").unwrap().unwrap();
    let far = lab.far_links().by_name("sink0").unwrap().unwrap();
    assert_eq!(near.mac, [2, 0, 0, 0, 0, 1]);
    assert_eq!(far.mac, [2, 0, 0, 0, 0, 0x12]);
    for link in [&near, &far] {
        assert_eq!((link.tx_queues, link.rx_queues, link.mtu), (4, 4, 1500), "{link:?}");
        assert!(link.up && link.carrier && link.operational, "{link:?}");
        assert_eq!(link.driver.as_deref(), Some("veth"));
    }
    assert_eq!((lab.device(), lab.device_index()), ("deck0", near.index));
    assert_eq!(lab.far_links().by_name("deck0").unwrap(), None);
    assert!(!links.by_name("lo").unwrap().unwrap().up, "lo is left alone");
}

fn deliver_gives_the_far_end_the_address_of_udp_64() {
    let mut lab = make(LabOptions { deliver: true, mtu: Some(9000), ..LabOptions::default() });
    let far = lab.far_links().by_name("sink0").unwrap().unwrap();
    let near = Links::open().unwrap().by_name("deck0").unwrap().unwrap();
    assert_eq!((far.mac, far.mtu, near.mtu), ([2, 0, 0, 0, 0, 2], 9000, 9000));
}

fn no_stray_packet_is_counted() {
    let mut lab = make(LabOptions::default());
    let mut counter = lab.open_counter().unwrap();
    let near = Links::open().unwrap().counters(lab.device_index()).unwrap().unwrap();
    let far_index = lab.far_links().by_name("sink0").unwrap().unwrap().index;
    let far = lab.far_links().counters(far_index).unwrap().unwrap();
    assert_eq!((near.tx_packets, far.tx_packets), (0, 0));
    assert_eq!(counter.read().unwrap(), 0);
    // The packets of IPv6 come up to seconds later; without an address there is nobody to send them.
    let addresses = || fs::read_to_string("/proc/thread-self/net/if_inet6").unwrap_or_default();
    assert_eq!(addresses(), "");
    assert_eq!(namespace::in_net(lab.far_fd(), || Ok(addresses())).unwrap(), "");
}

fn the_counter_counts_what_arrives_and_nothing_else() {
    let mut lab = make(LabOptions::default());
    let mut counter = lab.open_counter().unwrap();
    let far_index = lab.far_links().by_name("sink0").unwrap().unwrap().index;
    raw_frames::send(lab.device_index(), 10_000);
    until("all arrived", || counter.read().unwrap() >= 10_000);
    namespace::in_net(lab.far_fd(), || {
        raw_frames::send(far_index, 100);
        Ok(())
    })
    .unwrap();
    let mut near = Links::open().unwrap();
    until("the far end's own have left", || lab.far_links().counters(far_index).unwrap().unwrap().tx_packets == 100);
    assert_eq!(near.counters(lab.device_index()).unwrap().unwrap().tx_packets, 10_000);
    assert_eq!(counter.read().unwrap(), 10_000);
    assert_eq!(counter.read().unwrap(), 10_000, "reading does not forget");
}

fn the_far_end_can_go_down_and_up() {
    let mut lab = make(LabOptions::default());
    let mut counter = lab.open_counter().unwrap();
    let mut links = Links::open().unwrap();
    let index = lab.device_index();
    lab.far_link_set(false).unwrap();
    assert!(!links.counters(index).unwrap().unwrap().carrier);
    lab.far_link_set(true).unwrap();
    assert!(links.counters(index).unwrap().unwrap().carrier);
    until("operational again", || links.by_index(index).unwrap().unwrap().operational);
    raw_frames::send(index, 10);
    until("counted after the pause", || counter.read().unwrap() == 10);
    lab.set_far_mtu(900).unwrap();
    assert_eq!(lab.far_links().by_name("sink0").unwrap().unwrap().mtu, 900);
}

fn the_user_stays_who_they_are() {
    let before = namespace::own_ids();
    let folder = tempfile::tempdir().unwrap();
    let _lab = make(LabOptions::default());
    assert_eq!(namespace::own_ids(), before);
    let file = folder.path().join("made in the lab");
    fs::write(&file, "").unwrap();
    let owner = std::os::unix::fs::MetadataExt::uid(&fs::metadata(file).unwrap());
    assert_eq!(owner, before.0);
}

fn what_was_opened_works_without_rights() {
    let mut lab = make(LabOptions::default());
    let mut counter = lab.open_counter().unwrap();
    assert!(caps::has_net_raw());
    caps::drop_all_for_this_thread().unwrap();
    assert!(!caps::has_net_raw());
    assert_eq!(counter.read().unwrap(), 0);
    let mut links = Links::open().unwrap();
    assert!(links.counters(lab.device_index()).unwrap().is_some());
    assert!(links.guards().unwrap().is_empty());
    assert!(lab.far_link_set(false).is_err(), "rights are needed for that");
    assert!(lab.open_counter().is_err(), "rights are needed for that");
}

/// A lab in a further process, which says its two namespaces and then waits for a word.
struct Held {
    child: Child,
    output: BufReader<ChildStdout>,
    namespaces: [u64; 2],
}

fn hold(as_nobody: bool) -> Held {
    let mut command = role("role_hold_a_lab", as_nobody);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    let numbers: Vec<u64> = line.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
    let Ok(namespaces) = <[u64; 2]>::try_from(numbers) else { skip(&format!("no lab to hold: {line}")) };
    Held { child, output, namespaces }
}

fn role_hold_a_lab() {
    let lab = match lab::enter(LabOptions::default()) {
        Ok(lab) => lab,
        Err(refusal) => return println!("{refusal}"),
    };
    let near = namespace::identity(namespace::present_net().unwrap()).unwrap();
    println!("{near} {}", namespace::identity(lab.far_fd()).unwrap());
    let mut word = String::new();
    std::io::stdin().read_line(&mut word).unwrap();
    assert_ne!(word.trim(), "panic", "asked to");
}

/// Namespaces that any process is in or holds open.
fn namespaces_in_use() -> BTreeSet<u64> {
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let links = processes.flat_map(|path| {
        let held = fs::read_dir(path.join("fd")).into_iter().flatten().flatten().map(|entry| entry.path());
        held.chain([path.join("ns/net")]).collect::<Vec<_>>()
    });
    let number = |target: String| target.strip_prefix("net:[")?.strip_suffix(']')?.parse().ok();
    links.filter_map(|link| number(fs::read_link(link).ok()?.to_str()?.to_owned())).collect()
}

fn named_namespaces() -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> = fs::read_dir("/run/netns").into_iter().flatten().flatten().map(|e| e.file_name()).collect();
    names.sort();
    names
}

fn nothing_is_left_whatever_ends_it() {
    let named = named_namespaces();
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    for ending in ["exit", "panic", "SIGTERM", "SIGKILL"] {
        let mut held = hold(false);
        let in_use = namespaces_in_use();
        assert!(held.namespaces.iter().all(|one| in_use.contains(one)), "{:?} in {in_use:?}", held.namespaces);
        let pid = Pid::from_child(&held.child);
        match ending {
            "SIGTERM" => kill_process(pid, Signal::TERM).unwrap(),
            "SIGKILL" => kill_process(pid, Signal::KILL).unwrap(),
            word => writeln!(held.child.stdin.take().unwrap(), "{word}").unwrap(),
        }
        held.output.read_to_string(&mut String::new()).unwrap();
        let status = held.child.wait().unwrap();
        assert_eq!(status.success(), ending == "exit", "{ending}: {status}");
        let in_use = namespaces_in_use();
        assert!(held.namespaces.iter().all(|one| !in_use.contains(one)), "left after {ending}");
    }
    assert_eq!(named_namespaces(), named);
    assert_eq!(fs::read_to_string("/proc/self/mounts").unwrap(), mounts);
}

fn a_running_lab_is_found_and_entered() {
    enter_both_ends(hold(false));
    if namespace::own_ids().0 == 0 {
        enter_both_ends(hold(true)); // root may enter the lab of another user, too
    }
}

fn enter_both_ends(mut held: Held) {
    let pid = held.child.id();
    let known = || lab::find_running().iter().any(|running| running.pid == pid);
    until("found", known);
    for (show, device, other) in
        [("role_show_near_devices", "deck0", "sink0"), ("role_show_far_devices", "sink0", "deck0")]
    {
        let shown = role(show, false).env("TXDECK_TEST_PID", pid.to_string()).output().unwrap();
        let text = String::from_utf8(shown.stdout).unwrap();
        assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
        assert!(text.contains(device) && !text.contains(other), "{text}");
        // Bits 12 and 13: CAP_NET_ADMIN and CAP_NET_RAW, so ip and tcpdump work in there.
        let rights = text.lines().find_map(|line| line.strip_prefix("CapEff:")).unwrap();
        assert_eq!((u64::from_str_radix(rights.trim(), 16).unwrap() >> 12) & 3, 3, "{text}");
    }
    drop(held.child.stdin.take());
    held.child.wait().unwrap();
    assert!(!known());
}

fn show_devices(end: End) {
    let pid: u32 = std::env::var("TXDECK_TEST_PID").unwrap().parse().unwrap();
    let running = lab::find_running().into_iter().find(|running| running.pid == pid).unwrap();
    let mut command = Command::new("cat");
    command.args(["/proc/thread-self/net/dev", "/proc/thread-self/status"]);
    panic!("{}", running.enter_and_exec(end, command));
}

fn a_process_that_only_bears_the_name_is_no_lab() {
    namespace::name_this_thread("txdeck-lab").unwrap();
    let own = std::process::id();
    assert!(txdeck::nic::processes::named("txdeck-lab").contains(&own));
    assert!(lab::find_running().iter().all(|running| running.pid != own));
}

fn threads_and_queues_are_refused() {
    for queues in [0, 257, u32::MAX] {
        let refusal = lab::enter(LabOptions { queues, ..LabOptions::default() }).err().unwrap();
        assert_eq!(refusal.code(), "lab_queues");
        assert!(refusal.to_string().contains("1..256"), "{refusal}");
    }
    let before = namespace::identity(namespace::present_net().unwrap()).unwrap();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || stopped.recv());
    let refusal = lab::enter(LabOptions::default()).err().unwrap();
    assert_eq!((refusal.code(), refusal.cause), ("lab_threads", Cause::Threads(2)));
    assert_eq!(namespace::identity(namespace::present_net().unwrap()).unwrap(), before, "nothing was done");
    drop(stop);
    let _ = other.join();
}

fn no_user_namespaces_allowed_is_explained() {
    let (uid, gid) = namespace::own_ids();
    if let Err(error) = namespace::unshare_user_and_net().and_then(|()| namespace::map_ids(uid, gid)) {
        skip(&format!("no user namespace to try it in: {error}"));
    }
    if let Err(error) = fs::write("/proc/sys/user/max_user_namespaces", "0") {
        skip(&format!("the limit cannot be set here: {error}"));
    }
    caps::drop_all_for_this_thread().unwrap();
    let refusal = lab::enter(LabOptions::default()).err().unwrap();
    assert_eq!((refusal.code(), refusal.cause), ("lab_max_user_namespaces", Cause::NoneAllowed));
    assert!(refusal.to_string().contains("sysctl -w user.max_user_namespaces="), "{refusal}");
}
