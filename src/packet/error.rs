//! Why a profile does not compile. The profile's own check finds most of this earlier and with a line number;
//! what is left here is what only the host knows, and the guard that no hand-made profile can panic.

use std::net::IpAddr;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    #[error(
        "flow.{flow}.eth.dst: no neighbour entry for {address}. Add one: ip neigh add {address} lladdr MAC dev DEVICE, or write the MAC into eth.dst"
    )]
    NoNeighbour { flow: String, address: IpAddr },
    #[error(
        "flow.{flow}.eth.dst: \"neighbour\" needs one fixed IP destination, and {field} varies. Fix {field}, or write the MAC into eth.dst"
    )]
    NeighbourVaries { flow: String, field: &'static str },
    #[error(
        "flow.{flow}.{field}: \"neighbour\" needs an IP destination, which this field does not have. Write the MAC, or \"device\""
    )]
    NeighbourOfNobody { flow: String, field: &'static str },
    #[error("flow.{flow}.{field}: {value} is out of range, 0..{most} is allowed")]
    TooLarge { flow: String, field: String, value: u128, most: u128 },
    #[error("flow.{flow}.{field}: from {from} to {to} runs backwards. Swap the two")]
    Backwards { flow: String, field: String, from: u128, to: u128 },
    #[error("flow.{flow}.{field}: the list is empty. Give at least one value")]
    EmptyList { flow: String, field: String },
    #[error("flow.{flow}.size: {size} is too small, the headers of this flow need {least}..65535")]
    TooSmall { flow: String, size: u128, least: usize },
    #[error(
        "flow.{flow}.flows.count: {count} conversations, and the addresses and ports of this flow make {most} different ones. Let more of them vary"
    )]
    TooFewTuples { flow: String, count: u32, most: u128 },
    #[error("flow.{flow}.{field}: {message}")]
    Misfit { flow: String, field: String, message: String },
    #[error("flow.{flow}.replay.file: {path}: {why}")]
    NoCapture { flow: String, path: String, why: String },
    #[error("flow.{flow}.replay.odd: {odd}: {remedy}")]
    OddRecords { flow: String, odd: String, remedy: &'static str },
    #[error("flow.{flow}.replay.file: {path}: none of its {records} records can be sent{why}")]
    NothingToReplay { flow: String, path: String, records: u64, why: String },
    #[error("flow.{flow}.queues: queue {queue} is not in tx.queues. Add it there, or remove it here")]
    UnknownQueue { flow: String, queue: u32 },
}
