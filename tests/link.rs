//! Facts about devices and guards, asked of the real kernel inside a lab that each case makes for itself.

mod own_process;
mod raw_frames;

use std::fs;
use std::net::{IpAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use own_process::skip;
use txdeck::lab::{self, Lab, LabOptions};
use txdeck::nic::link::{Guard, LinkCounters, LinkEvent, LinkEvents, Links};
use txdeck::nic::veth::VethEnd;
use txdeck::nic::{caps, namespace};

fn main() -> ExitCode {
    own_process::main(
        &[
            ("c65_a_renamed_device_is_known_by_index_and_alternative_name", c65_a_renamed_device),
            ("c67_each_namespace_has_its_own_device_of_one_index", c67_each_namespace_has_its_own_device),
            ("counters_move_and_end_with_the_device", counters_move_and_end_with_the_device),
            ("neighbours_are_those_the_kernel_believes", neighbours_are_those_the_kernel_believes),
            ("the_next_hop_is_the_gateway_or_the_peer_itself", the_next_hop_is_the_gateway_or_the_peer_itself),
            ("a_default_route_guards_what_it_leaves_by", a_default_route_guards_what_it_leaves_by),
            ("devices_below_are_guarded", devices_below_are_guarded),
            ("an_ssh_session_guards_its_device", an_ssh_session_guards_its_device),
            ("ipv6_can_be_silenced_on_one_device", ipv6_can_be_silenced_on_one_device),
        ],
        &[],
    )
}

const DEADLINE: Duration = Duration::from_secs(5);

fn make() -> Lab {
    let made = lab::enter(LabOptions::default()).unwrap_or_else(|refusal| skip(&refusal.to_string()));
    caps::pass_on_when_executing().unwrap();
    made
}

/// Runs iproute2's `ip` inside the lab.
fn ip(words: &str) {
    match Command::new("ip").args(words.split_ascii_whitespace()).output() {
        Ok(done) => assert!(done.status.success(), "ip {words}: {}", String::from_utf8_lossy(&done.stderr)),
        Err(absent) => skip(&format!("this test needs ip (iproute2): {absent}")),
    }
}

fn guard_of(links: &mut Links, device: &str) -> Option<Guard> {
    let index = links.by_name(device).unwrap().unwrap().index;
    links.guards().unwrap().into_iter().find(|&(guarded, _)| guarded == index).map(|(_, guard)| guard)
}

fn c65_a_renamed_device() {
    let lab = make();
    let mut links = Links::open().unwrap();
    ip("link property add dev deck0 altname a-name.longer-than-fifteen-bytes");
    ip("link set deck0 name a.0-new");
    let renamed = links.by_index(lab.device_index()).unwrap().unwrap();
    assert_eq!(renamed.name, "a.0-new");
    assert_eq!(renamed.driver.as_deref(), Some("veth"), "asked by the new name");
    assert_eq!(links.by_name("deck0").unwrap(), None);
    assert_eq!(links.by_name("a.0-new").unwrap().unwrap(), renamed);
    assert_eq!(links.by_name("a-name.longer-than-fifteen-bytes").unwrap().unwrap(), renamed);
    assert_eq!(links.by_name("").unwrap(), None);
    // A device's own name comes before another's alternative name that was given first.
    ip("link property add dev a.0-new altname lo2");
    assert_eq!(links.by_name("lo").unwrap().unwrap().index, 1);
}

fn c67_each_namespace_has_its_own_device() {
    let mut lab = make();
    let mut near = Links::open().unwrap();
    let far = lab.far_links().list().unwrap();
    let near_list = near.list().unwrap();
    assert_eq!(near_list[1].index, far[1].index, "fresh namespaces count from the same number");
    assert_eq!((near_list[1].name.as_str(), far[1].name.as_str()), ("deck0", "sink0"));
    assert_ne!(near_list[1].mac, far[1].mac);
    // /sys was mounted outside and still shows that place.
    let seen_in_sys: Vec<_> = fs::read_dir("/sys/class/net").into_iter().flatten().flatten().collect();
    assert!(seen_in_sys.iter().all(|entry| entry.file_name() != "deck0"), "{seen_in_sys:?}");
    // A thread that is elsewhere sees that place's devices, and ours stay ours.
    let elsewhere = namespace::in_net(lab.far_fd(), || Links::open()?.list()).unwrap();
    assert_eq!(elsewhere, far);
    assert_eq!(near.list().unwrap(), near_list);
}

fn counters_move_and_end_with_the_device() {
    let lab = make();
    let index = lab.device_index();
    let mut links = Links::open().unwrap();
    let mut events = LinkEvents::open().unwrap();
    raw_frames::send(index, 7);
    let expected = LinkCounters { tx_packets: 7, tx_bytes: 420, carrier: true, ..LinkCounters::default() };
    assert_eq!(links.counters(index).unwrap(), Some(expected));
    assert_eq!(events.pending().unwrap(), []);
    ip("link set deck0 mtu 1400");
    assert!(events.pending().unwrap().contains(&LinkEvent::Changed(index)));
    ip("link del deck0");
    assert_eq!(links.counters(index).unwrap(), None);
    assert_eq!(links.by_index(index).unwrap(), None);
    let end = Instant::now() + DEADLINE;
    while !events.pending().unwrap().contains(&LinkEvent::Gone(index)) {
        assert!(Instant::now() < end, "the end of the device was not heard");
    }
}

fn neighbours_are_those_the_kernel_believes() {
    let lab = make();
    let mut links = Links::open().unwrap();
    ip("addr add 198.18.0.1/24 dev deck0");
    ip("neigh add 198.18.0.2 lladdr 02:00:00:00:00:02 dev deck0 nud permanent");
    ip("neigh add 198.18.0.3 lladdr 02:00:00:00:00:03 dev deck0 nud failed");
    let address: IpAddr = "198.18.0.2".parse().unwrap();
    assert_eq!(links.neighbours(lab.device_index()).unwrap(), [(address, [2, 0, 0, 0, 0, 2])]);
    assert_eq!(links.neighbours(1).unwrap(), []);
}

fn the_next_hop_is_the_gateway_or_the_peer_itself() {
    let lab = make();
    let mut links = Links::open().unwrap();
    let (gateway, far): (IpAddr, IpAddr) = ("198.18.0.2".parse().unwrap(), "203.0.113.9".parse().unwrap());
    assert_eq!(links.next_hop(far, lab.device_index()), far, "without a route all are on the link");
    ip("addr add 198.18.0.1/24 dev deck0");
    assert_eq!(links.next_hop(gateway, lab.device_index()), gateway);
    ip("route add 203.0.113.0/24 via 198.18.0.2");
    assert_eq!(links.next_hop(far, lab.device_index()), gateway);
    assert_eq!(links.next_hop(far, 1), far, "the gateway is not that way");
    assert_eq!(links.device_towards(far), Some(lab.device_index()));
    assert_eq!(links.device_towards("192.0.2.1".parse().unwrap()), None);
}

fn a_default_route_guards_what_it_leaves_by() {
    let _lab = make();
    let mut links = Links::open().unwrap();
    assert_eq!(guard_of(&mut links, "deck0"), None);
    ip("addr add 198.18.0.1/24 dev deck0");
    ip("route add 203.0.113.0/24 via 198.18.0.2");
    assert_eq!(guard_of(&mut links, "deck0"), None, "any other route does not count");
    for route in ["default via 198.18.0.2", "0.0.0.0/1 via 198.18.0.2", "default table 77 via 198.18.0.2"] {
        ip(&format!("route add {route}"));
        assert_eq!(guard_of(&mut links, "deck0"), Some(Guard::DefaultRoute), "{route}");
        ip(&format!("route del {route}"));
        assert_eq!(guard_of(&mut links, "deck0"), None, "{route}");
    }
    ip("route add default nexthop via 198.18.0.2 weight 1 nexthop via 198.18.0.3 weight 2");
    assert_eq!(guard_of(&mut links, "deck0"), Some(Guard::DefaultRoute), "several next hops");
    ip("route del default");
    ip("route add unreachable default");
    assert_eq!(guard_of(&mut links, "deck0"), None, "a route to nowhere");
}

fn devices_below_are_guarded() {
    let lab = make();
    let mut links = Links::open().unwrap();
    let here = namespace::present_net().unwrap();
    for (name, other, net) in [("deck1", "sink1", lab.far_fd()), ("deck2", "pair2", here.as_fd())] {
        let near = VethEnd { name, mac: [2, 0, 0, 0, 1, name.as_bytes()[4]] };
        let far = VethEnd { name: other, mac: [2, 0, 0, 0, 2, name.as_bytes()[4]] };
        links.create_veth(near, far, net, 1).unwrap();
    }
    ip("link add br0 type bridge");
    ip("link set deck1 master br0");
    ip("link set pair2 master br0");
    ip("link set br0 up");
    ip("addr add 198.18.0.1/24 dev br0");
    ip("route add default via 198.18.0.2");
    let below = Guard::Below { device: "br0".to_owned(), why: Box::new(Guard::DefaultRoute) };
    assert_eq!(guard_of(&mut links, "br0"), Some(Guard::DefaultRoute));
    assert_eq!(guard_of(&mut links, "deck1"), Some(below.clone()));
    assert_eq!(guard_of(&mut links, "pair2"), Some(below.clone()));
    assert_eq!(guard_of(&mut links, "deck0"), None);
    ip("link add link deck0 name over0 type macvlan"); // as a VLAN is, which not every kernel has
    ip("link set over0 master br0");
    assert_eq!(guard_of(&mut links, "over0"), Some(below.clone()));
    assert_eq!(guard_of(&mut links, "deck0"), Some(below), "under a device under the bridge");
    assert_eq!(guard_of(&mut links, "deck2"), None, "the other end of a pair is not below it");
}

fn an_ssh_session_guards_its_device() {
    let _lab = make();
    let mut links = Links::open().unwrap();
    ip("link set lo up");
    ip("addr add 198.18.0.1/24 dev deck0");
    let server = TcpListener::bind("198.18.0.1:22").unwrap();
    let web = TcpListener::bind("198.18.0.1:80").unwrap();
    let client = TcpStream::connect("198.18.0.1:80").unwrap();
    let served = web.accept().unwrap();
    assert_eq!(guard_of(&mut links, "deck0"), None, "listening is no session, and a web page is none");
    drop((client, served));
    let client = TcpStream::connect("198.18.0.1:22").unwrap();
    let (served, _) = server.accept().unwrap();
    let from: IpAddr = "198.18.0.1".parse().unwrap();
    assert_eq!(guard_of(&mut links, "deck0"), Some(Guard::Ssh(from)));
    let refusal = guard_of(&mut links, "deck0").unwrap().refusal("deck0");
    assert_eq!(
        refusal,
        "deck0 carries your ssh session (from 198.18.0.1). \
         txdeck will not send there. To do it anyway: --arm deck0"
    );
    drop((client, served));
    assert_eq!(guard_of(&mut links, "deck0"), None, "the session is over");
}

fn ipv6_can_be_silenced_on_one_device() {
    let lab = make();
    if fs::write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "0").is_err() {
        skip("no IPv6, or its settings are read-only");
    }
    fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "0").unwrap();
    let mut links = Links::open().unwrap();
    for name in ["silent", "chatty"] {
        let far = VethEnd { name, mac: [2, 0, 0, 0, 3, name.as_bytes()[0]] };
        let near = VethEnd { name, mac: [2, 0, 0, 0, 4, name.as_bytes()[0]] };
        links.create_veth(near, far, lab.far_fd(), 1).unwrap();
        let index = links.by_name(name).unwrap().unwrap().index;
        if name == "silent" {
            links.set_no_ipv6_address(index).unwrap();
        }
        links.set_up(index, true).unwrap();
    }
    namespace::in_net(lab.far_fd(), || {
        let mut far = Links::open()?;
        for name in ["silent", "chatty"] {
            let index = far.by_name(name)?.unwrap().index;
            far.set_up(index, true)?;
        }
        Ok(())
    })
    .unwrap();
    let end = Instant::now() + DEADLINE;
    let addresses = || fs::read_to_string("/proc/thread-self/net/if_inet6").unwrap();
    while !addresses().contains("chatty") {
        assert!(Instant::now() < end, "an ordinary device gets an address: {}", addresses());
    }
    assert!(!addresses().contains("silent"), "{}", addresses());
}
