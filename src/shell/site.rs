//! Where packets go: the simulated nic, a device, or a lab's near end. Opened once, serves many runs.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::{
    lab::{Lab, NEAR_DEVICE, NEAR_MAC},
    nic::link::{Guard, Link, Links},
    packet::{Captures, CompileError, Facts, Plan, compile},
    profile::{Flow, Ip, Mac, Profile, Value},
    shell::{captures::Shelf, failure::Failure, lookup::nearest},
};

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Sim,
    Device(String),
    /// The near end of the lab this process is in.
    Lab,
}

/// A link on which nothing leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeadLink {
    /// The device itself is down.
    Down,
    /// The cable or the far end is.
    NoCarrier,
}

impl DeadLink {
    fn of(link: &Link) -> Option<DeadLink> {
        match (link.up, link.carrier) {
            (true, true) => None,
            (true, false) => Some(DeadLink::NoCarrier),
            (false, _) => Some(DeadLink::Down),
        }
    }
}

const SIM_MTU: u32 = 1500;

/// A place, with what the kernel says of it.
pub struct Site {
    pub place: Place,
    pub device: String,
    /// `None`: simulated.
    kernel: Option<(Links, Link)>,
    pub lab: Option<Lab>,
    standing: Standing,
    pub shelf: Shelf,
}

/// Whether a device that is sent on is one that must not be shot at without being told twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing that matters runs over it.
    Free,
    /// Guarded, and named by `--arm`: its queues should go on receiving.
    Armed,
}

impl Place {
    /// `-i`, else the profile's own device; `sim` is the simulated nic wherever a device can be named.
    pub fn named(option: Option<&str>, profile: &Profile) -> Result<Place, Failure> {
        match option.or(profile.tx.device.as_deref()) {
            Some("sim") => Ok(Place::Sim),
            Some(device) => Ok(Place::Device(device.to_owned())),
            None => Err(Failure::new("no_device", "no device is named: use --lab, -i IF, or tx.device in the profile")
                .with_fix("All devices: txdeck devices. The simulated nic needs no rights at all: -i sim")),
        }
    }
}

impl Site {
    pub fn open(place: Place, lab: Option<Lab>) -> Result<Site, Failure> {
        let device = match &place {
            Place::Sim => {
                let (device, standing, shelf) = ("sim".into(), Standing::Free, Shelf::default());
                return Ok(Site { place, device, kernel: None, lab: None, standing, shelf });
            }
            Place::Device(device) => device.clone(),
            Place::Lab => NEAR_DEVICE.to_owned(),
        };
        let mut links = open_links()?;
        let link = find(&mut links, &device)?;
        let (device, standing, shelf) = (link.name.clone(), Standing::Free, Shelf::default());
        Ok(Site { place, device, kernel: Some((links, link)), lab, standing, shelf })
    }

    /// As last asked.
    pub fn link(&self) -> Option<&Link> {
        self.kernel.as_ref().map(|(_, link)| link)
    }

    pub fn links(&mut self) -> Option<(&mut Links, u32)> {
        self.kernel.as_mut().map(|(links, link)| (links, link.index))
    }

    pub fn is_sim(&self) -> bool {
        self.place == Place::Sim
    }

    /// As [`Site::check_guard`] found it.
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// Asks the kernel again: name, MTU, MAC and queues may have changed since. A renamed device is known by its
    /// index; one made anew by its name.
    pub fn refresh(&mut self) -> Result<(), Failure> {
        if let Some((links, link)) = &mut self.kernel {
            let same = links.by_index(link.index).map_err(netlink("devices"))?;
            *link = match same.filter(|same| same.name == link.name || same.mac == link.mac) {
                Some(same) => same,
                None => find(links, &link.name.clone())?,
            };
            self.device.clone_from(&link.name);
        }
        Ok(())
    }

    /// Whether the device has been renamed since it was last asked; its facts are then new.
    pub fn is_renamed(&mut self) -> bool {
        let Some((links, link)) = &mut self.kernel else { return false };
        let name = links.name_of(link.index).ok().flatten();
        name.is_some_and(|name| name != link.name) && self.refresh().is_ok()
    }

    /// Refuses a guarded device unless `arm` names it. A lab is nobody's lifeline.
    pub fn check_guard(&mut self, arm: Option<&str>) -> Result<(), Failure> {
        if let Some(armed) = arm.filter(|armed| *armed != self.device) {
            let message =
                format!("--arm {armed}, but the device is {}: --arm must name the device that sends", self.device);
            return Err(Failure::new("arm_mismatch", message));
        }
        let (Place::Device(_), Some((links, link))) = (&self.place, &mut self.kernel) else { return Ok(()) };
        match guard_of(links, link.index)? {
            None => Ok(()),
            Some(_) if arm.is_some() => {
                self.standing = Standing::Armed;
                Ok(())
            }
            Some(guard) => {
                let fix = format!("To do it anyway: --arm {}", self.device);
                Err(Failure::told("guarded", &guard.refusal(&self.device), &fix))
            }
        }
    }

    /// Turns a profile into a plan with this place's MAC and neighbours.
    pub fn compile(&mut self, profile: &Profile) -> Result<Plan, Failure> {
        let captures = self.shelf.of(profile);
        let facts = Facts { captures, ..self.facts(profile)? };
        compile(profile, &facts).map_err(|why| not_compiled(&why))
    }

    fn facts(&mut self, profile: &Profile) -> Result<Facts, Failure> {
        let asking: Vec<IpAddr> = profile.flows.iter().filter_map(asks_for).collect();
        if asking.is_empty() {
            return Ok(self.own_facts());
        }
        let mut facts = self.all_facts()?;
        let Some((links, link)) = &mut self.kernel else { return Ok(facts) };
        for address in asking {
            // Behind a gateway it is the gateway that takes the frame.
            let hop = links.next_hop(address, link.index);
            let mac = facts.neighbours.iter().find(|(known, _)| *known == hop).map(|(_, mac)| *mac);
            facts.neighbours.extend(mac.filter(|_| hop != address).map(|mac| (address, mac)));
        }
        Ok(facts)
    }

    /// The device's MAC and all its neighbours.
    pub fn all_facts(&mut self) -> Result<Facts, Failure> {
        let Some((links, link)) = &mut self.kernel else {
            return Ok(self.own_facts());
        };
        let neighbours = links.neighbours(link.index).map_err(netlink("neighbours"))?;
        Ok(Facts { neighbours, ..self.own_facts() })
    }

    /// What is known without asking for neighbours.
    fn own_facts(&self) -> Facts {
        let link = self.link();
        Facts {
            device_mac: link.map_or(NEAR_MAC, |link| link.mac),
            mtu: link.map(|link| link.mtu),
            link_mbps: link.and_then(|link| link.speed_mbps),
            neighbours: Vec::new(),
            captures: Captures::default(),
        }
    }

    /// How many queues the device can transmit on; `None`: simulated, as many as one likes.
    pub fn queues(&self) -> Option<u32> {
        self.link().map(|link| link.channels.map_or(link.tx_queues, |(now, _)| now).max(1))
    }

    /// Refuses queues that the device does not have.
    pub fn check_queues(&self, queues: &[u32]) -> Result<(), Failure> {
        let Some(has) = self.queues() else { return Ok(()) };
        let Some(queue) = queues.iter().find(|queue| **queue >= has) else { return Ok(()) };
        let (device, wanted) = (&self.device, queue.saturating_add(1));
        let (plural, those) = if has == 1 { ("", "0".to_owned()) } else { ("s", format!("0..{}", has - 1)) };
        let message = format!("{device} queue {queue}: this device has {has} queue{plural}: {those}");
        let fix = match self.place {
            Place::Lab => format!("Use --queues {those}, or: --lab-queues {wanted}"),
            _ => format!("Use --queues {those}, or: ethtool -L {device} combined {wanted}"),
        };
        Err(Failure::new("no_such_queue", message).with_fix(fix))
    }

    /// A link on which nothing would leave: packets wait while the device itself is down, and are dropped while only
    /// the far end is.
    pub fn dead_link(&self) -> Option<String> {
        let device = &self.device;
        match DeadLink::of(self.link()?)? {
            DeadLink::NoCarrier => Some(format!(
                "{device}: no carrier: the cable or the far end is down, and what is sent will be dropped until it is up"
            )),
            DeadLink::Down => {
                Some(format!("{device}: down: nothing leaves until it is up. To do that: ip link set {device} up"))
            }
        }
    }

    /// The state of the link at this moment, where it is one in which nothing leaves.
    pub fn dead_link_now(&mut self) -> Option<DeadLink> {
        let (links, index) = self.links()?;
        DeadLink::of(&links.by_index(index).ok()??)
    }

    /// Flows whose frames are longer than the device takes (MTU + 14, + 4 per VLAN tag): they would all be dropped.
    pub fn oversize(&self, profile: &Profile) -> Vec<String> {
        let mtu = self.link().map_or(SIM_MTU, |link| link.mtu);
        if self.is_sim() {
            return Vec::new();
        }
        let enabled = profile.flows.iter().filter(|flow| flow.enabled);
        let too_long = enabled.filter_map(|flow| {
            let longest = u128::from(mtu) + 14 + 4 * flow.vlan.len() as u128;
            (flow.size.max() > longest).then(|| {
                format!(
                    "flow {}: frames of {} bytes are longer than {} takes: MTU {mtu} means {longest} bytes with these \
                     headers; they will be dropped. Raise it at both ends, the far end's counts too: \
                     ip link set {} mtu {}",
                    flow.name,
                    flow.size.max(),
                    self.device,
                    self.device,
                    flow.size.max() - 14 - 4 * flow.vlan.len() as u128
                )
            })
        });
        too_long.collect()
    }
}

fn not_compiled(why: &CompileError) -> Failure {
    let message = why.to_string();
    match why {
        CompileError::NoCapture { .. } | CompileError::NothingToReplay { .. } => Failure::new("bad_capture", message),
        CompileError::OddRecords { .. } => Failure::new("odd_records", message),
        _ => Failure::new("no_neighbour", message),
    }
}

/// A socket to ask the kernel for its devices.
pub fn open_links() -> Result<Links, Failure> {
    Links::open().map_err(netlink("devices"))
}

/// The guard of one device, if any.
pub fn guard_of(links: &mut Links, index: u32) -> Result<Option<Guard>, Failure> {
    let guards = links.guards().map_err(netlink("routes and connections"))?;
    Ok(guards.into_iter().find(|(at, _)| *at == index).map(|(_, guard)| guard))
}

fn find(links: &mut Links, device: &str) -> Result<Link, Failure> {
    if device.is_empty() {
        let message =
            "an empty device name (a shell variable that is not set?): nothing is sent without being told where";
        return Err(Failure::new("no_device", message).with_fix("All devices: txdeck devices"));
    }
    let found = links.by_name(device).map_err(netlink("devices"))?;
    found.ok_or_else(|| {
        let known = links.list().unwrap_or_default().into_iter().map(|link| link.name);
        let fix = match nearest(device, known) {
            Some(nearest) => format!("Did you mean {nearest}? All devices: txdeck devices"),
            None => "All devices: txdeck devices".to_owned(),
        };
        Failure::new("no_device", format!("{device}: there is no such device here")).with_fix(fix)
    })
}

/// A question to the kernel that it did not answer.
pub fn netlink(what: &'static str) -> impl Fn(std::io::Error) -> Failure {
    move |why| Failure::new("netlink", format!("asking the kernel for its {what} failed: {why}"))
}
/// Whose neighbour's MAC a flow wants to be filled in. A destination that varies has none; compiling says so.
fn asks_for(flow: &Flow) -> Option<IpAddr> {
    let fixed = |value: &Value| if let Value::Fixed(number) = value { Some(*number) } else { None };
    match (&flow.eth.dst, &flow.ip) {
        (Mac::Neighbour, Some(Ip::V4(ip))) => Some(Ipv4Addr::from_bits(fixed(&ip.dst)? as u32).into()),
        (Mac::Neighbour, Some(Ip::V6(ip))) => Some(Ipv6Addr::from_bits(fixed(&ip.dst)?).into()),
        _ => None,
    }
}
