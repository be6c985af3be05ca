//! What an open socket is asked for besides: busy polling and the budget of a kick.

use libc::{SO_BUSY_POLL, SO_BUSY_POLL_BUDGET, SO_PREFER_BUSY_POLL, SOL_SOCKET, SOL_XDP, c_int};

use super::config::XdpConfig;
use crate::nic::open_error::{Cause, OpenError, Right};
use crate::nic::sockopt;
use std::io;
use std::os::fd::BorrowedFd;

/// linux/if_xdp.h; since Linux 6.17.
const XDP_MAX_TX_SKB_BUDGET: c_int = 9;
/// Packets a polling round may handle: what NAPI itself takes (NAPI_POLL_WEIGHT), so it takes no further right.
const POLL_BUDGET: c_int = 64;

/// # Errors
/// The right or the kernel that an option takes, by name; options that are not asked for are not touched.
pub(super) fn set(config: &XdpConfig, socket: BorrowedFd<'_>) -> Result<(), OpenError> {
    if let Some(budget) = config.skb_budget {
        let budget = c_int::try_from(budget).unwrap_or(c_int::MAX);
        let answer = sockopt::set(socket, SOL_XDP, XDP_MAX_TX_SKB_BUDGET, budget);
        answer.map_err(|why| refused(config, &why, no_budget))?;
    }
    if let Some(us) = config.busy_poll_us {
        let us = c_int::try_from(us).unwrap_or(c_int::MAX);
        let wanted = [(SO_PREFER_BUSY_POLL, 1), (SO_BUSY_POLL, us), (SO_BUSY_POLL_BUDGET, POLL_BUDGET)];
        for (option, value) in wanted {
            let answer = sockopt::set(socket, SOL_SOCKET, option, value);
            answer.map_err(|why| refused(config, &why, no_polling))?;
        }
    }
    Ok(())
}

fn refused(config: &XdpConfig, why: &io::Error, cause: fn(i32) -> Cause) -> OpenError {
    let errno = why.raw_os_error().unwrap_or(libc::EIO);
    config.error(cause(errno), errno)
}

fn no_budget(errno: i32) -> Cause {
    match errno {
        libc::ENOPROTOOPT => Cause::OldKernel { key: "tx.skb_budget", since: "6.17" },
        _ => Cause::Refused { step: "setting the budget of a kick (tx.skb_budget)" },
    }
}

fn no_polling(errno: i32) -> Cause {
    match errno {
        libc::EPERM => Cause::NoRight(Right::BusyPoll),
        libc::ENOPROTOOPT => Cause::OldKernel { key: "tx.busy_poll", since: "5.11 with CONFIG_NET_RX_BUSY_POLL" },
        _ => Cause::Refused { step: "asking for busy polling (tx.busy_poll)" },
    }
}
