//! The private lab: fresh namespaces, a veth pair `deck0`/`sink0`, a far end that counts. It lives as long as
//! the process: nothing is named, so nothing is left behind, whatever ends it.

/// How the lab is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabOptions {
    pub queues: u32,
    /// `sink0` gets 02:00:00:00:00:02, so udp-64's frames go up its stack instead of being dropped early.
    pub deliver: bool,
}
