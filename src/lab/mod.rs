//! The private lab: fresh namespaces, a veth pair `deck0`/`sink0`, a far end that counts. It lives as long as
//! the process: nothing is named, so nothing is left behind, whatever ends it.

mod apparmor;
mod refusal;
mod running;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::nic::link::{LinkEvents, Links};
use crate::nic::sink::PacketCounter;
use crate::nic::veth::VethEnd;
use crate::nic::{caps, namespace};

pub use apparmor::apparmor_profile;
pub use refusal::{Cause, LabError, Refusal, Step};
pub use running::{End, RunningLab, find_running};

/// The device to send on.
pub const NEAR_DEVICE: &str = "deck0";
/// The device that counts, in a namespace of its own.
pub const FAR_DEVICE: &str = "sink0";
pub const NEAR_MAC: [u8; 6] = [2, 0, 0, 0, 0, 0x01];
/// Not where udp-64 sends to, so the far end's stack drops those frames early.
pub const FAR_MAC: [u8; 6] = [2, 0, 0, 0, 0, 0x12];
/// Where udp-64 sends to.
pub const FAR_MAC_DELIVER: [u8; 6] = [2, 0, 0, 0, 0, 0x02];
/// Queues a lab may have.
pub const QUEUES_ALLOWED: std::ops::RangeInclusive<u32> = 1..=256;

/// The name of a lab's main thread: how [`find_running`] knows it.
const PROCESS_NAME: &str = "txdeck-lab";
/// Longest silence while the devices come up. They take about a millisecond; a busy machine more.
const UP_TIMEOUT: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };
/// Changes the kernel may report before both ends are up. There are about six.
const UP_CHANGES: u32 = 100;

/// How the lab is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabOptions {
    /// Transmit and receive queues of both ends, 1..=256.
    pub queues: u32,
    /// `sink0` gets 02:00:00:00:00:02, so udp-64's frames go up its stack instead of being dropped early.
    pub deliver: bool,
    /// Of both ends, where it is not the usual 1500.
    pub mtu: Option<u32>,
}

impl Default for LabOptions {
    fn default() -> Self {
        Self { queues: 1, deliver: false, mtu: None }
    }
}

/// The lab this process is in. Dropping it closes the far end's handles; the lab itself ends with the process.
pub struct Lab {
    far_net: OwnedFd,
    far: Links,
    far_index: u32,
    near_index: u32,
}

/// Makes a lab and moves this process into it: from now on its devices are the lab's. Needs no rights where
/// user namespaces are allowed. The process must have one thread, so: first thing in main.
/// On `Err` the process may already have left its namespaces: report, and exit.
pub fn enter(options: LabOptions) -> Result<Lab, LabError> {
    let threads = namespace::thread_count().map_err(Step::Namespaces.failed())?;
    if threads > 1 {
        return Err(LabError::from(Cause::Threads(threads)));
    }
    if !QUEUES_ALLOWED.contains(&options.queues) {
        return Err(LabError::from(Cause::Queues(options.queues)));
    }
    leave_namespaces()?;
    let mut far = Place::here()?;
    namespace::unshare_net().map_err(Step::Namespaces.failed())?;
    let mut near = Place::here()?;

    let near_end = VethEnd { name: NEAR_DEVICE, mac: NEAR_MAC };
    let far_end = VethEnd { name: FAR_DEVICE, mac: if options.deliver { FAR_MAC_DELIVER } else { FAR_MAC } };
    let made = near.links.create_veth(near_end, far_end, far.net.as_fd(), options.queues);
    made.map_err(Step::Veth.failed())?;
    let far_index = far.bring_up(FAR_DEVICE, options.mtu)?;
    let near_index = near.bring_up(NEAR_DEVICE, options.mtu)?;
    wait_until_up(&mut near, near_index, &mut far, far_index)?;
    namespace::name_this_thread(PROCESS_NAME).map_err(Step::Devices.failed())?;
    Ok(Lab { far_net: far.net, far: far.links, far_index, near_index })
}

/// As root a network namespace is enough. Everybody else gets a user namespace around it; so does a root that
/// is not allowed (in a container), because only trying tells.
fn leave_namespaces() -> Result<(), LabError> {
    if caps::has_lab_rights() && namespace::unshare_net().is_ok() {
        return Ok(());
    }
    let (uid, gid) = namespace::own_ids();
    namespace::unshare_user_and_net().map_err(Step::Namespaces.failed())?;
    namespace::map_ids(uid, gid).map_err(Step::Users.failed())
}

/// One end's network namespace, and what was opened in it.
struct Place {
    net: OwnedFd,
    links: Links,
    events: LinkEvents,
    /// IPv6 could not be turned off as a whole (a container's read-only /proc/sys).
    has_ipv6: bool,
}

impl Place {
    fn here() -> Result<Self, LabError> {
        let opened = || -> io::Result<Self> {
            let has_ipv6 = namespace::disable_ipv6().is_err();
            let net = namespace::present_net()?;
            Ok(Self { net, links: Links::open()?, events: LinkEvents::open()?, has_ipv6 })
        };
        opened().map_err(Step::Devices.failed())
    }

    fn bring_up(&mut self, device: &str, mtu: Option<u32>) -> Result<u32, LabError> {
        let mut raised = || -> io::Result<u32> {
            let link = self.links.by_name(device)?;
            let index = link.ok_or(io::ErrorKind::NotFound)?.index;
            if self.has_ipv6 {
                self.links.set_no_ipv6_address(index)?;
            }
            mtu.map_or(Ok(()), |mtu| self.links.set_mtu(index, mtu))?;
            self.links.set_up(index, true)?;
            Ok(index)
        };
        raised().map_err(Step::Devices.failed())
    }

    fn is_up(&mut self, index: u32) -> io::Result<bool> {
        self.events.pending()?;
        Ok(self.links.by_index(index)?.is_some_and(|link| link.carrier && link.operational))
    }
}

/// The kernel takes a carrier note of in a worker of its own, so "up" is not yet up.
fn wait_until_up(near: &mut Place, near_index: u32, far: &mut Place, far_index: u32) -> Result<(), LabError> {
    for _ in 0..UP_CHANGES {
        let up = near.is_up(near_index).and_then(|near_up| Ok(near_up && far.is_up(far_index)?));
        if up.map_err(Step::Devices.failed())? {
            return Ok(());
        }
        let mut heard = [PollFd::new(&near.events, PollFlags::IN), PollFd::new(&far.events, PollFlags::IN)];
        match poll(&mut heard, Some(&UP_TIMEOUT)) {
            Ok(0) => break,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(Step::Devices.failed()(errno.into())),
        }
    }
    Err(LabError::from(Cause::NotUp))
}

impl Lab {
    /// The device to send on, in the present namespace.
    pub fn device(&self) -> &'static str {
        NEAR_DEVICE
    }

    pub fn device_index(&self) -> u32 {
        self.near_index
    }

    /// Counts packets that arrive at the far end from now on. Call it while this thread has its rights.
    pub fn open_counter(&self) -> io::Result<PacketCounter> {
        let index = self.far_index;
        namespace::in_net(self.far_net.as_fd(), move || PacketCounter::open(index))
    }

    /// Sets the far end up or down. Call it while this thread has its rights.
    pub fn far_link_set(&mut self, up: bool) -> io::Result<()> {
        self.far.set_up(self.far_index, up)
    }

    /// Call it while this thread has its rights.
    pub fn set_far_mtu(&mut self, mtu: u32) -> io::Result<()> {
        self.far.set_mtu(self.far_index, mtu)
    }

    /// The far end's network namespace.
    pub fn far_fd(&self) -> BorrowedFd<'_> {
        self.far_net.as_fd()
    }

    /// The far end's devices, as its own namespace sees them.
    pub fn far_links(&mut self) -> &mut Links {
        &mut self.far
    }
}
