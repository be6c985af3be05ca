//! Finds the labs that run on this machine, and runs a command inside one. There is no state file: a lab's
//! process is known by its main thread's name and by the far end's namespace, which it holds open.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::lab::PROCESS_NAME;
use crate::nic::{caps, namespace, processes};

/// Which end of a lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Where `deck0` is.
    Near,
    /// Where `sink0` is.
    Far,
}

/// A lab that runs now, of a process that we may enter.
#[derive(Debug)]
pub struct RunningLab {
    pub pid: u32,
    user: OwnedFd,
    near: OwnedFd,
    far: OwnedFd,
}

/// The running labs we may enter, oldest process number first.
pub fn find_running() -> Vec<RunningLab> {
    // In two passes: what is opened of one lab must not make this process look like another.
    let is_lab = |pid: &u32| RunningLab::of_process(*pid).is_some();
    let labs: Vec<u32> = processes::named(PROCESS_NAME).into_iter().filter(is_lab).collect();
    labs.into_iter().filter_map(RunningLab::of_process).collect()
}

impl RunningLab {
    /// `None` if the process is gone, is not ours to see, or only has the name.
    fn of_process(pid: u32) -> Option<Self> {
        let (near, user) = processes::namespaces_of(pid)?;
        let is_near = namespace::identity(near.as_fd()).ok()?;
        let other = |net: &OwnedFd| namespace::identity(net.as_fd()).is_ok_and(|held| held != is_near);
        let far = processes::held_network_namespaces(pid).into_iter().find(other)?;
        Some(Self { pid, user, near, far })
    }

    /// Becomes `command` inside the lab, with every right there. The process must have one thread. Returns
    /// only if that failed. What is under /sys stays that of the place the command came from.
    pub fn enter_and_exec(&self, end: End, mut command: Command) -> io::Error {
        match self.enter(end) {
            Ok(()) => command.exec(),
            Err(error) => error,
        }
    }

    fn enter(&self, end: End) -> io::Result<()> {
        let present = namespace::identity(namespace::present_user()?)?;
        if namespace::identity(self.user.as_fd())? != present {
            namespace::enter_user(self.user.as_fd())?;
        }
        match end {
            End::Near => namespace::enter_net(self.near.as_fd())?,
            End::Far => namespace::enter_net(self.far.as_fd())?,
        }
        caps::pass_on_when_executing()
    }
}
