//! Why a lab cannot be made here, and what to do about it. The cause is judged from facts, purely.

use std::fmt;
use std::io;

use crate::nic::namespace;

/// What was being done when the kernel refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Making the namespaces.
    Namespaces,
    /// Saying who the user is in the new user namespace.
    Users,
    /// Making the veth pair.
    Veth,
    /// Naming, raising and reading the devices.
    Devices,
}

/// What is known at a refusal. A setting the kernel does not have is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    pub step: Step,
    pub errno: Option<i32>,
    /// kernel.apparmor_restrict_unprivileged_userns
    pub apparmor_restricts: Option<u64>,
    /// user.max_user_namespaces
    pub max_user_namespaces: Option<u64>,
    /// kernel.unprivileged_userns_clone (Debian)
    pub unprivileged_clone: Option<u64>,
}

/// Why there is no lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The process already has this many threads; a defect of ours.
    Threads(usize),
    Queues(u32),
    AppArmor,
    /// user.max_user_namespaces is 0.
    NoneAllowed,
    /// As many user namespaces as user.max_user_namespaces allows are in use.
    TooMany(Option<u64>),
    /// kernel.unprivileged_userns_clone is 0.
    CloneOff,
    /// A container or another filter of system calls.
    Container,
    /// A kernel without user namespaces.
    NotBuilt,
    NoVeth,
    /// The devices did not come up in time.
    NotUp,
    Other(Step, Option<i32>),
}

/// Why a lab cannot be made: a sentence, a fix, and a code that scripts may rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabError {
    pub cause: Cause,
}

impl From<Cause> for LabError {
    fn from(cause: Cause) -> Self {
        Self { cause }
    }
}

impl std::error::Error for LabError {}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.message(), self.fix())
    }
}

impl Step {
    /// For `map_err`: a refusal at this step, explained.
    pub(in crate::lab) fn failed(self) -> impl Fn(io::Error) -> LabError {
        move |error| LabError::from(cause_of(&Refusal::now(self, error.raw_os_error())))
    }
}

impl Refusal {
    fn now(step: Step, errno: Option<i32>) -> Self {
        Self {
            step,
            errno,
            apparmor_restricts: namespace::setting("kernel/apparmor_restrict_unprivileged_userns"),
            max_user_namespaces: namespace::setting("user/max_user_namespaces"),
            unprivileged_clone: namespace::setting("kernel/unprivileged_userns_clone"),
        }
    }
}

/// Facts to cause.
pub fn cause_of(refusal: &Refusal) -> Cause {
    let denied = matches!(refusal.errno, Some(libc::EPERM | libc::EACCES));
    let apparmor = refusal.apparmor_restricts.is_some_and(|value| value != 0);
    match (refusal.step, refusal.errno) {
        (Step::Namespaces, Some(libc::ENOSPC)) if refusal.max_user_namespaces == Some(0) => Cause::NoneAllowed,
        (Step::Namespaces, Some(libc::ENOSPC | libc::EUSERS)) => Cause::TooMany(refusal.max_user_namespaces),
        (Step::Namespaces, Some(libc::EINVAL)) => Cause::NotBuilt,
        (Step::Namespaces, Some(libc::ENOSYS)) => Cause::Container,
        (Step::Namespaces, _) if denied && refusal.unprivileged_clone == Some(0) => Cause::CloneOff,
        // AppArmor gives the namespace and withholds its rights, so the refusal comes at any later step.
        (_, _) if denied && apparmor => Cause::AppArmor,
        (_, _) if denied => Cause::Container,
        (Step::Veth, Some(libc::EOPNOTSUPP)) => Cause::NoVeth,
        (step, errno) => Cause::Other(step, errno),
    }
}

impl LabError {
    /// Stable name of the cause, for scripts.
    pub fn code(&self) -> &'static str {
        match self.cause {
            Cause::Threads(_) => "lab_threads",
            Cause::Queues(_) => "lab_queues",
            Cause::AppArmor => "lab_apparmor",
            Cause::NoneAllowed => "lab_max_user_namespaces",
            Cause::TooMany(_) => "lab_too_many_namespaces",
            Cause::CloneOff => "lab_unprivileged_userns_clone",
            Cause::Container => "lab_container",
            Cause::NotBuilt => "lab_no_user_namespaces",
            Cause::NoVeth => "lab_no_veth",
            Cause::NotUp => "lab_not_up",
            Cause::Other(..) => "lab_failed",
        }
    }

    /// What failed and why, one sentence without its full stop.
    pub fn message(&self) -> String {
        let why = match self.cause {
            Cause::Threads(threads) => {
                format!("this process already has {threads} threads; a lab must be made while there is one")
            }
            Cause::Queues(queues) => format!("{queues} queues: a lab has 1..256"),
            Cause::AppArmor => "this kernel gave a user namespace without rights (AppArmor, the default on Ubuntu \
                                24.04 and later)"
                .to_owned(),
            Cause::NoneAllowed => "user namespaces are turned off (user.max_user_namespaces = 0)".to_owned(),
            Cause::TooMany(Some(most)) => {
                format!("no more namespaces are allowed (user.max_user_namespaces = {most}, or nested too deep)")
            }
            Cause::TooMany(None) => "no more namespaces are allowed, or they are nested too deep".to_owned(),
            Cause::CloneOff => {
                "ordinary users may not make user namespaces (kernel.unprivileged_userns_clone = 0)".to_owned()
            }
            Cause::Container => "making namespaces is forbidden here (a container, or another filter of system \
                                 calls)"
                .to_owned(),
            Cause::NotBuilt => "this kernel has no user namespaces (CONFIG_USER_NS)".to_owned(),
            Cause::NoVeth => "this kernel has no veth devices, or its module is not loaded".to_owned(),
            Cause::NotUp => "deck0 and sink0 did not come up within 5 s".to_owned(),
            Cause::Other(step, errno) => format!("{} failed: {}", step_name(step), errno_text(errno)),
        };
        format!("lab: {why}")
    }

    /// What to do.
    pub fn fix(&self) -> &'static str {
        match self.cause {
            Cause::Threads(_) => "This is a defect of txdeck: please report it",
            Cause::Queues(_) => "Use --lab-queues 1..256",
            Cause::AppArmor => {
                "Now: sudo txdeck lab. For good: txdeck lab --print-apparmor | sudo tee /etc/apparmor.d/txdeck && \
                 sudo apparmor_parser -r /etc/apparmor.d/txdeck. Without rights: txdeck --device sim"
            }
            Cause::NoneAllowed => {
                "Now: sudo txdeck lab. For good: sudo sysctl -w user.max_user_namespaces=15000. \
                 Without rights: txdeck --device sim"
            }
            Cause::TooMany(_) => {
                "Now: end programs that hold namespaces, or sudo sysctl -w user.max_user_namespaces=15000. \
                 Without rights: txdeck --device sim"
            }
            Cause::CloneOff => {
                "Now: sudo txdeck lab. For good: sudo sysctl -w kernel.unprivileged_userns_clone=1. \
                 Without rights: txdeck --device sim"
            }
            Cause::Container => {
                "Now: run it on the host, or start the container with --cap-add SYS_ADMIN --cap-add NET_ADMIN and \
                 run txdeck as root in it. Without rights: txdeck --device sim"
            }
            Cause::NotBuilt => "Now: sudo txdeck lab. Without rights: txdeck --device sim",
            Cause::NoVeth => "Once: sudo modprobe veth. Without it: txdeck --device sim",
            Cause::NotUp => "Try again; if it stays so, dmesg may tell why. Without a lab: txdeck --device sim",
            Cause::Other(..) => "Now: sudo txdeck lab. Without rights: txdeck --device sim",
        }
    }
}

fn step_name(step: Step) -> &'static str {
    match step {
        Step::Namespaces => "making namespaces",
        Step::Users => "mapping the user into the new namespace",
        Step::Veth => "making the veth pair deck0/sink0",
        Step::Devices => "setting up deck0 and sink0",
    }
}

fn errno_text(errno: Option<i32>) -> String {
    errno.map_or_else(|| "not found".to_owned(), |errno| io::Error::from_raw_os_error(errno).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Refusal = Refusal {
        step: Step::Namespaces,
        errno: Some(libc::EPERM),
        apparmor_restricts: None,
        max_user_namespaces: Some(15000),
        unprivileged_clone: None,
    };

    #[test]
    fn each_refusal_has_its_cause() {
        let restricted = Refusal { apparmor_restricts: Some(1), ..PLAIN };
        let cases = [
            (restricted, Cause::AppArmor),
            (Refusal { step: Step::Users, ..restricted }, Cause::AppArmor),
            (Refusal { step: Step::Users, errno: Some(libc::EACCES), ..restricted }, Cause::AppArmor),
            (Refusal { step: Step::Veth, ..restricted }, Cause::AppArmor),
            (Refusal { apparmor_restricts: Some(0), ..PLAIN }, Cause::Container),
            (PLAIN, Cause::Container),
            (Refusal { errno: Some(libc::ENOSYS), ..PLAIN }, Cause::Container),
            (Refusal { errno: Some(libc::ENOSPC), max_user_namespaces: Some(0), ..PLAIN }, Cause::NoneAllowed),
            (Refusal { errno: Some(libc::ENOSPC), ..PLAIN }, Cause::TooMany(Some(15000))),
            (Refusal { errno: Some(libc::EUSERS), ..PLAIN }, Cause::TooMany(Some(15000))),
            (Refusal { unprivileged_clone: Some(0), ..PLAIN }, Cause::CloneOff),
            (Refusal { unprivileged_clone: Some(1), ..PLAIN }, Cause::Container),
            (Refusal { errno: Some(libc::EINVAL), ..PLAIN }, Cause::NotBuilt),
            (Refusal { step: Step::Veth, errno: Some(libc::EOPNOTSUPP), ..PLAIN }, Cause::NoVeth),
            (
                Refusal { step: Step::Veth, errno: Some(libc::ENOMEM), ..PLAIN },
                Cause::Other(Step::Veth, Some(libc::ENOMEM)),
            ),
        ];
        for (refusal, cause) in cases {
            assert_eq!(cause_of(&refusal), cause, "{refusal:?}");
        }
    }

    #[test]
    fn the_apparmor_text_is_the_promised_one() {
        assert_eq!(
            LabError::from(Cause::AppArmor).to_string(),
            "lab: this kernel gave a user namespace without rights (AppArmor, the default on Ubuntu 24.04 and \
             later). Now: sudo txdeck lab. For good: txdeck lab --print-apparmor | sudo tee /etc/apparmor.d/txdeck \
             && sudo apparmor_parser -r /etc/apparmor.d/txdeck. Without rights: txdeck --device sim"
        );
    }

    #[test]
    fn what_is_not_a_known_cause_still_says_what_failed() {
        let text = LabError::from(Cause::Other(Step::Veth, Some(libc::ENOMEM))).to_string();
        assert!(text.starts_with("lab: making the veth pair deck0/sink0 failed: "), "{text}");
    }
}
