//! A TRex profile in Python: unfolded, and its streams read off.

use std::rc::Rc;

use crate::dialect::{Draft, Imported, Refused, Report, finish, stem};

use super::{
    instructions::{Instruction, address_or_number},
    lex::{Wrong, words},
    scapy::{self, Stack},
    stream::{MOST_STREAMS, Mode, Packet, Stream, StreamRate, flows},
    tree::read,
    unfold::Unfolding,
    value::{Object, Value},
};

const MOST_TEXT: usize = 4 << 20;

/// In a comment of an exported file: the payload is pktgen's header, which txdeck fills.
pub const STAMPED: &str = "txdeck fills in number and time";

/// # Errors
/// A file that is no declaration of streams, with the place that shows it.
pub fn import(file: &str, text: &str) -> Result<Imported, Refused> {
    if text.len() > MOST_TEXT {
        return Err(Refused::whole(file, format!("{} bytes are too many (at most {MOST_TEXT})", text.len())));
    }
    let refused = |wrong: Wrong| Refused::place(file, wrong.place.line, wrong.place.column, wrong.why);
    let tokens = words(text).map_err(refused)?;
    let tree = read(&tokens).map_err(refused)?;
    let mut report = Report::default();
    let mut unfolding = Unfolding::new(&mut report);
    let value = unfolding.streams(&tree).map_err(refused)?;
    let assumed = std::mem::take(&mut unfolding.assumed);
    let uses = |name: &str| tokens.iter().filter(|token| token.word == super::lex::Word::Name(name.into())).count();
    if uses("direction") > 1 {
        report.assumed(0, "direction", "streams are those of direction 0; TRex swaps them on its odd ports");
    }
    for name in
        assumed.iter().filter(|name| !matches!(name.as_str(), "self" | "direction" | "port_id" | "tunables" | "args"))
    {
        report.assumed(0, name, "nobody gives this a value: it is taken as empty");
    }
    let objects = streams_of(&value);
    if objects.is_empty() {
        let why = format!("get_streams() returns {} and not STLStream(…)", value.shown());
        return Err(Refused::whole(file, why));
    }
    if objects.len() > MOST_STREAMS {
        return Err(Refused::whole(file, format!("{} streams are too many (at most {MOST_STREAMS})", objects.len())));
    }
    let mut streams = Vec::new();
    for object in &objects {
        streams.push(stream(object, &mut report).map_err(refused)?);
    }
    let mut draft = Draft::default();
    draft.name = stem(file);
    flows(&streams, text.contains(STAMPED), &mut draft, &mut report);
    if draft.flows.is_empty() {
        return Err(Refused::whole(file, "no stream of this file ever starts"));
    }
    finish(file, text, "#", draft, report)
}

fn streams_of(value: &Value) -> Vec<Rc<Object>> {
    let mut out = Vec::new();
    for item in value.items() {
        let Some(object) = item.as_object() else { continue };
        match &*object.class {
            "STLStream" => out.push(Rc::clone(object)),
            "STLProfile" => {
                let inside = object.argument("streams", 0).map(|inside| inside.items()).unwrap_or_default();
                out.extend(
                    inside.iter().filter_map(Value::as_object).filter(|one| &*one.class == "STLStream").cloned(),
                );
            }
            _ => {}
        }
    }
    out
}

/// Everything that `STLStream` takes and that is carried over, or changes nothing here.
const STREAM_KEYS: [&str; 8] = ["name", "packet", "mode", "enabled", "self_start", "isg", "next", "stream_id"];

fn stream(object: &Rc<Object>, report: &mut Report) -> Result<Stream, Wrong> {
    let line = object.place.line;
    for (key, value) in object.named.borrow().iter() {
        let is_nothing = matches!(value, Value::None) || matches!(value, Value::Int(0) | Value::Bool(false));
        if !STREAM_KEYS.contains(&key.as_str()) && !is_nothing {
            let sentence = match key.as_str() {
                "flow_stats" => "txdeck counts every flow by itself, in the pktgen payload",
                "action_count" => "a chain runs once here",
                _ => "STLStream's setting has no counterpart",
            };
            report.dropped(line, key, sentence);
        }
    }
    let text = |name: &str| object.get(name).and_then(|value| value.as_text());
    let is = |name: &str| object.get(name).is_none_or(|value| value.is_true());
    let mut stream = Stream {
        name: text("name").or_else(|| object.unnamed.borrow().first().and_then(Value::as_text)),
        line,
        self_start: is("self_start"),
        is_enabled: is("enabled"),
        isg_us: object.get("isg").and_then(|isg| isg.as_float()).unwrap_or(0.0),
        next: text("next"),
        ..Stream::default()
    };
    (stream.mode, stream.rate) = mode(object, report)?;
    match object.argument("packet", 1) {
        None => {}
        Some(Value::Object(builder)) => packet(&builder, &mut stream, report)?,
        Some(other) => return Err(Wrong::new(object.place, format!("packet = {} is not read", other.shown()))),
    }
    Ok(stream)
}

fn mode(object: &Rc<Object>, report: &mut Report) -> Result<(Mode, StreamRate), Wrong> {
    let Some(mode) = object.argument("mode", 2) else { return Ok((Mode::Continuous, StreamRate::default())) };
    let Some(mode) = mode.as_object() else {
        return Err(Wrong::new(object.place, format!("mode = {} is not read", mode.shown())));
    };
    let number = |name: &str| -> Result<Option<f64>, Wrong> {
        let Some(value) = mode.get(name).filter(|value| !matches!(value, Value::None)) else { return Ok(None) };
        let number = value.as_float().filter(|number| *number >= 0.0 && number.is_finite());
        number.map(Some).ok_or_else(|| Wrong::new(mode.place, format!("{name} = {} is no number", value.shown())))
    };
    let count = |value: Option<f64>, default: u64| value.map_or(default, |value| value.min(9e18) as u64);
    let rate = if let Some(pps) = number("pps")? {
        StreamRate::Pps(pps)
    } else if let Some(bits) = number("bps_L1")? {
        StreamRate::WireBits(bits)
    } else if let Some(bits) = number("bps_L2")? {
        StreamRate::Bits(bits)
    } else if let Some(percent) = number("percentage")? {
        StreamRate::Percentage(percent)
    } else {
        let first = mode.unnamed.borrow().first().and_then(Value::as_float);
        first.filter(|_| &*mode.class == "STLTXCont").map_or(StreamRate::default(), StreamRate::Pps)
    };
    let kind = match &*mode.class {
        "STLTXCont" => Mode::Continuous,
        "STLTXSingleBurst" => Mode::Single { packets: count(number("total_pkts")?, 1) },
        "STLTXMultiBurst" => Mode::Multi {
            per_burst: count(number("pkts_per_burst")?, 1),
            bursts: count(number("count")?, 1),
            gap_us: number("ibg")?.unwrap_or(0.0),
        },
        other => {
            report.dropped(mode.place.line, other, "a way of sending not known here: the stream goes on and on");
            Mode::Continuous
        }
    };
    Ok((kind, rate))
}

fn packet(builder: &Rc<Object>, stream: &mut Stream, report: &mut Report) -> Result<(), Wrong> {
    if matches!(&*builder.class, "STLPktBuilder" | "STLScapyPktBuilder") {
        for (key, value) in builder.named.borrow().iter() {
            if !matches!(key.as_str(), "pkt" | "vm" | "pkt_buffer" | "path_relative_to_profile")
                && !matches!(value, Value::None)
            {
                report.dropped(builder.place.line, key, "STLPktBuilder's setting has no counterpart");
            }
        }
    } else if &*builder.class != "/" && !scapy::LAYERS.iter().any(|layer| layer.names.contains(&&*builder.class)) {
        return Err(Wrong::new(builder.place, format!("packet = {}(…) is not read", builder.class)));
    }
    let is_builder = builder.class.ends_with("PktBuilder");
    let inside = if is_builder { builder.argument("pkt", 0) } else { Some(Value::Object(Rc::clone(builder))) };
    let inside = inside.or_else(|| builder.get("pkt_buffer"));
    match inside {
        None => return Ok(()),
        Some(Value::Text(file)) if file.ends_with(b".pcap") || file.ends_with(b".cap") => {
            stream.packet = Packet::Capture(String::from_utf8_lossy(&file).into_owned());
            return Ok(());
        }
        Some(inside) => {
            let stack = scapy::build(&inside)?;
            let vm = if is_builder { builder.argument("vm", 2).or_else(|| builder.get("vm")) } else { None };
            if let Some(vm) = vm {
                for one in vm_calls(&vm) {
                    instruction(&one, &stack, &mut stream.instructions, report)?;
                }
            }
            left_open(&stack, stream, builder.place.line, report);
            let lengths = lengths(&stack);
            stream.packet = Packet::Bytes(stack.sample, lengths);
        }
    }
    Ok(())
}

fn vm_calls(vm: &Value) -> Vec<Rc<Object>> {
    let items = match vm {
        Value::Object(object) if matches!(&*object.class, "STLScVmRaw" | "STLVM" | "CTRexScRaw") => {
            let first = object.argument("list_of_commands", 0);
            match first {
                Some(Value::List(items)) => items.borrow().clone(),
                _ => object.unnamed.borrow().clone(),
            }
        }
        other => other.items(),
    };
    items.iter().filter_map(Value::as_object).cloned().collect()
}

fn lengths(stack: &Stack) -> Vec<usize> {
    stack.layers.iter().filter_map(|placed| placed.layer.length.map(|(bit, _)| 8 * placed.at + bit)).collect()
}

/// Addresses that neither the packet nor the field engine says.
fn left_open(stack: &Stack, stream: &Stream, line: usize, report: &mut Report) {
    for (layer, field, bit) in &stack.open {
        let is_written = stream.instructions.iter().any(|one| one.at.is_some_and(|at| at >= *bit && at < bit + 128));
        if !is_written {
            let text = format!("{layer}.{field}");
            report.assumed(line, &text, "not said: scapy's own loopback address is taken");
        }
    }
}

fn instruction(call: &Rc<Object>, stack: &Stack, out: &mut Vec<Instruction>, report: &mut Report) -> Result<(), Wrong> {
    let place = call.place;
    let text = |name: &str, at: usize| call.argument(name, at).and_then(|value| value.as_text());
    let number = |names: &[&str], default: u128| -> Result<u128, Wrong> {
        let Some(value) = names.iter().find_map(|name| call.get(name)).filter(|value| !matches!(value, Value::None))
        else {
            return Ok(default);
        };
        let found = value.as_int().and_then(|int| u128::try_from(int).ok());
        found
            .or_else(|| value.as_text().and_then(|text| address_or_number(&text)))
            .filter(|number| *number <= u128::from(u64::MAX))
            .ok_or_else(|| Wrong::new(place, format!("{}({} = {}): not a number", call.class, names[0], value.shown())))
    };
    let signed = |name: &str| call.get(name).and_then(|value| value.as_int()).unwrap_or(0);
    let mut one = Instruction { line: place.line, step: 1, mask: 0xff, ..Instruction::default() };
    let offset = |one: &mut Instruction, value: Option<Value>| {
        let fixup = signed("offset_fixup") * 8;
        one.offset_text = value.as_ref().map(Value::shown).unwrap_or_default();
        let bit = match &value {
            Some(Value::Text(name)) => stack.find(&String::from_utf8_lossy(name)).map(|(bit, _)| bit as i128),
            Some(other) => other.as_int().map(|bytes| bytes.saturating_mul(8)),
            None => None,
        };
        one.at = bit.and_then(|bit| usize::try_from(bit.saturating_add(fixup)).ok()).filter(|bit| *bit < 8 * 70_000);
    };
    let class = call.class.trim_start_matches("trex_stl_lib.api.");
    match class {
        "STLVmFlowVar" | "var" | "STLVmFlowVarRepetableRandom" | "STLVmFlowVarRepeatableRandom" => {
            one.kind = "flow_var".into();
            one.name = text("name", 0).or_else(|| text("fv_name", 0)).unwrap_or_default();
            one.size = number(&["size"], 4)?.clamp(1, 8) as usize;
            one.min = number(&["min_value"], 0)?;
            one.max =
                number(&["max_value"], if one.size >= 8 { u128::from(u64::MAX) } else { (1 << (8 * one.size)) - 1 })?;
            one.init = call
                .get("init_value")
                .filter(|value| !matches!(value, Value::None))
                .map(|_| number(&["init_value"], 0))
                .transpose()?;
            one.step = number(&["step"], 1)?;
            one.op = text("op", 7).unwrap_or_else(|| "inc".into());
            one.next = text("next_var", 99);
            if class.ends_with("Random") {
                one.op = "random".into();
                report.converted(
                    place.line,
                    &one.name,
                    "random numbers that repeat after a limit there, and never here",
                );
            }
        }
        "STLVmTupleGen" | "tuple_var" => {
            one.kind = "tuple_flow_var".into();
            one.name = text("name", 0).unwrap_or_else(|| "tuple".into());
            one.min = number(&["ip_min"], 1)?;
            one.max = number(&["ip_max"], 1)?;
            one.mask = number(&["port_min"], 1025)? << 16 | (number(&["port_max"], 65535)? & 0xffff);
            one.init = Some(number(&["limit_flows"], 0)?);
        }
        "STLVmWrFlowVar" | "write" => {
            one.kind = "write_flow_var".into();
            one.name = text("fv_name", 0).unwrap_or_default();
            offset(&mut one, call.argument("pkt_offset", 1));
            one.add = signed("add_val") + signed("add_value");
            one.is_little = call.get("is_big").is_some_and(|is| !is.is_true());
        }
        "STLVmWrMaskFlowVar" => {
            one.kind = "write_mask_flow_var".into();
            one.name = text("fv_name", 0).unwrap_or_default();
            offset(&mut one, call.argument("pkt_offset", 1));
            one.size = number(&["pkt_cast_size"], 1)?.clamp(1, 4) as usize;
            one.mask = number(&["mask"], 0xff)?;
            one.shift = signed("shift");
            one.add = signed("add_val") + signed("add_value");
            one.is_little = call.get("is_big").is_some_and(|is| !is.is_true());
        }
        "STLVmFixIpv4" => one.kind = "fix_checksum_ipv4".into(),
        "fix_chksum" | "STLVmFixChecksumHw" | "STLVmFixIcmpv6" | "fix_chksum_hw" => {
            one.kind = if class == "fix_chksum" { "fix_checksum_ipv4" } else { "fix_checksum_hw" }.into();
        }
        "STLVmTrimPktSize" | "trim" => {
            one.kind = "trim_pkt_size".into();
            one.name = text("fv_name", 0).unwrap_or_default();
        }
        other => {
            report.dropped(place.line, other, "this part of the field engine is not known here");
            return Ok(());
        }
    }
    out.push(one);
    Ok(())
}
