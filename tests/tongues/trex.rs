//! TRex streams, in YAML and in Python.

use txdeck::{
    dialect::{Dialect, Given, import},
    profile::{Rate, Value},
};

use crate::{document, frames, hex, notes, plan, read};

/// After TRex's own mix of three sizes (D06), rebuilt: a class, a table, a function for each stream, padding by `len`.
const MIX: &str = r#"from trex_stl_lib.api import *

# three streams
class Mix(object):

    def __init__ (self):
        self.ranges = {'src': {'start': "10.0.0.1", 'end': "10.0.0.254"},
                       'dst': {'start': "8.0.0.1",  'end': "8.0.0.254"}}
        self.table = [ {'size': 60, 'pps': 28, 'isg': 0 },
                       {'size': 590, 'pps': 16, 'isg': 0.1 },
                       {'size': 1514, 'pps': 4, 'isg': 0.2 } ]

    def one (self, size, pps, isg, vm):
        base = Ether()/IP()/UDP()
        pad = max(0, size - len(base)) * 'x'
        return STLStream(isg = isg,
                         packet = STLPktBuilder(pkt = base/pad, vm = vm),
                         mode = STLTXCont(pps = pps))

    def get_streams (self, direction = 0, **kwargs):
        if direction == 0:
            src, dst = self.ranges['src'], self.ranges['dst']
        else:
            src, dst = self.ranges['dst'], self.ranges['src']
        vm = [
            STLVmFlowVar(name="src", min_value=src['start'], max_value=src['end'], size=4, op="inc"),
            STLVmWrFlowVar(fv_name="src", pkt_offset= "IP.src"),
            STLVmFlowVar(name="dst", min_value=dst['start'], max_value=dst['end'], size=4, op="random"),
            STLVmWrFlowVar(fv_name="dst", pkt_offset= "IP.dst"),
            STLVmFixIpv4(offset = "IP"),
        ]
        return [self.one(x['size'], x['pps'], x['isg'], vm) for x in self.table]

def register():
    return Mix()
"#;

#[test]
fn d06_three_sizes_of_a_class_that_declares() {
    let imported = read(Dialect::TrexPython, "mix.py", MIX);
    let document = document(&imported.text);
    let flows = &document.profile().flows;
    let sizes: Vec<_> = flows.iter().map(|flow| (flow.size.clone(), flow.rate, flow.start_ns)).collect();
    let expected = [(60, 28.0, 0), (590, 16.0, 100), (1514, 4.0, 200)];
    assert_eq!(sizes, expected.map(|(size, pps, start)| (Value::Fixed(size), Some(Rate::Pps(pps)), start)));
    let Some(txdeck::profile::Ip::V4(ip)) = &flows[0].ip else { panic!("IPv4") };
    assert_eq!(ip.src, Value::Sweep { from: 0x0a00_0001, to: 0x0a00_00fe, step: 1, every: 1 });
    assert_eq!(ip.dst, Value::Random { low: 0x0800_0001, high: 0x0800_00fe, every: 1 });
    let notes = notes(&imported);
    assert!(notes.iter().any(|note| note.contains("direction 0")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("UDP or TCP is right too")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("no destination MAC")), "{notes:?}");
    let frame = &frames(&plan(&imported.text), 0, 1)[0];
    assert_eq!(&frame[42..], [b'x'; 18]);
}

#[test]
fn c16_a_packet_padded_to_60_is_60_bytes() {
    let imported = read(Dialect::TrexPython, "mix.py", MIX);
    assert_eq!(frames(&plan(&imported.text), 0, 1)[0].len(), 60);
}

/// After TRex's chained bursts (D07), rebuilt.
const CHAIN: &str = "### one after the other ###
- name: s0
  next: s1
  stream:
    self_start: True
    packet:
      pcap: small.pcap
    mode:
      type: single_burst
      pps: 100
      total_pkts : 10000

- name: s1
  next: s2
  stream:
    self_start: False
    packet:
      pcap: small.pcap
    mode: { type: single_burst, pps: 100, total_pkts: 10000 }

- name: s2
  stream:
    self_start: False
    packet:
      pcap: small.pcap
    mode:
      type: single_burst
      pps: 100
      total_pkts : 10000
";

#[test]
fn c75_d07_chained_bursts_run_one_after_the_other() {
    let imported = read(Dialect::TrexYaml, "burst_1000_pkt.yaml", CHAIN);
    let document = document(&imported.text);
    let flows: Vec<_> = document
        .profile()
        .flows
        .iter()
        .map(|flow| (flow.name.as_str(), flow.count, flow.rate, flow.start_ns))
        .collect();
    let hundred = Some(Rate::Pps(100.0));
    let second = 1_000_000_000;
    let expected =
        [("s0", 10_000, hundred, 0), ("s1", 10_000, hundred, 100 * second), ("s2", 10_000, hundred, 200 * second)];
    assert_eq!(flows, expected);
    let notes = notes(&imported);
    assert_eq!(notes.iter().filter(|note| note.contains("small.pcap")).count(), 3, "{notes:?}");
    assert!(notes.iter().any(|note| note.starts_with("f:2: converted") && note.contains("s1")), "{notes:?}");
}

#[test]
fn bytes_in_base64_with_a_field_engine() {
    let text = "- name: l1\n  stream:\n    self_start: true\n    isg: 0.0\n    mode:\n      type: continuous\n      rate: { type: pps, value: 4000.0 }\n    packet:\n      binary: \"AAAAAAAAAAAAAAAACABFAAAuBNIAAH8R9usQAAABMAAAAQQBBBkAEgAAAAAAAAAAAAAAAAAAAAAAAAAA\"\n      meta: \"\"\n    vm:\n      instructions: [\n        { type: flow_var, name: port, min_value: 100, max_value: 5000, init_value: 100, op: inc, size: 2, step: 1 },\n        { type: write_flow_var, name: port, pkt_offset: 34, add_value: 1, is_big_endian: true } ]\n";
    let imported = read(Dialect::TrexYaml, "l1.yaml", text);
    let document = document(&imported.text);
    let flow = &document.profile().flows[0];
    assert_eq!(flow.rate, Some(Rate::Pps(4000.0)));
    let udp = flow.udp.as_ref().expect("UDP");
    assert_eq!(udp.src, Value::Sweep { from: 101, to: 5001, step: 1, every: 1 });
    let frame = &frames(&plan(&imported.text), 0, 1)[0];
    assert_eq!(hex(&frame[12..24]), "08004500002e04d200007f11");
}

#[test]
fn nothing_is_ever_executed_and_programs_are_refused() {
    let endless = "def register():\n    x = []\n    for i in range(20000):\n        for j in range(20000):\n            x = i\n    return x\n";
    let outside = "import os\nos.system('touch /tmp/x')\ndef register():\n    return STLProfile([STLStream(packet=STLPktBuilder(pkt=Ether(dst='02:00:00:00:00:02')/IP(src=os.environ['A'], dst='198.18.0.2')/UDP()))])\n";
    for (text, word) in [(endless, "does not end soon"), (outside, "is not known here")] {
        let refused = import(Dialect::TrexPython, "x.py", text.as_bytes(), &Given::default()).expect_err("refused");
        assert!(refused.to_string().contains(word), "{refused}");
    }
}

fn one_stream(vm: &str) -> String {
    format!(
        "def register():\n    p = Ether(dst='02:00:00:00:00:02')/IP(src='10.0.0.1', dst='10.0.0.2')/UDP(sport=1, dport=2)/('x' * 20)\n    \
         return STLStream(packet=STLPktBuilder(pkt=p, vm=STLScVmRaw([{vm}])), mode=STLTXCont(pps=10))\n"
    )
}

#[test]
fn c34_a_start_outside_its_range_and_a_range_backwards_are_named() {
    let write = "STLVmWrFlowVar(fv_name='p', pkt_offset='UDP.sport')";
    let started = one_stream(&format!(
        "STLVmFlowVar(name='p', init_value=9, min_value=500, max_value=60000, size=2, step=7), {write}"
    ));
    let told = notes(&read(Dialect::TrexPython, "s.py", &started));
    assert!(told.iter().any(|note| note.contains("converted: p: it starts at 9")), "{told:?}");
    let backwards = one_stream(&format!("STLVmFlowVar(name='p', min_value=2000, max_value=1000, size=2), {write}"));
    let told = notes(&read(Dialect::TrexPython, "s.py", &backwards));
    assert!(told.iter().any(|note| note.contains("2000 is above its maximum 1000")), "{told:?}");
}

#[test]
fn c26_checksums_that_nobody_fixes_are_said_to_be_right_here() {
    let vm =
        "STLVmFlowVar(name='p', min_value=1, max_value=9, size=2), STLVmWrFlowVar(fv_name='p', pkt_offset='UDP.sport')";
    let told = notes(&read(Dialect::TrexPython, "s.py", &one_stream(vm)));
    assert!(told.iter().any(|note| note.contains("no checksum is fixed there")), "{told:?}");
    let fixed =
        format!("{vm}, STLVmFixChecksumHw(l3_offset='IP', l4_offset='UDP', l4_type=CTRexVmInsFixHwCs.L4_TYPE_UDP)");
    assert_eq!(notes(&read(Dialect::TrexPython, "s.py", &one_stream(&fixed))), Vec::<String>::new());
}

#[test]
fn c97_bits_there_count_the_fcs() {
    let text = one_stream("").replace("pps=10", "bps_L2=1000000");
    let imported = read(Dialect::TrexPython, "s.py", &text);
    let flow = &document(&imported.text).profile().flows[0].clone();
    // 62 bytes here are 66 there.
    assert_eq!(flow.rate, Some(Rate::Bits((1e6_f64 * 62.0 / 66.0).round())));
    assert!(notes(&imported).iter().any(|note| note.contains("count the FCS")));
}
