//! Broken files of other tools, each with the message it must give in its first line; and no text panics any reader.

use std::{fs, path::Path};

use proptest::prelude::*;
use txdeck::dialect::{Dialect, Given, import};

const DIALECTS: [(Dialect, &str); 4] =
    [(Dialect::Trafgen, "trafgen"), (Dialect::TrexYaml, "yaml"), (Dialect::TrexPython, "py"), (Dialect::Dpdk, "pkt")];

#[test]
fn every_broken_file_gives_its_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad/imports");
    let mut seen = 0;
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some((dialect, _)) = DIALECTS.iter().find(|(_, ending)| name.ends_with(&format!(".{ending}"))) else {
            continue;
        };
        let text = fs::read_to_string(&path).expect(&name);
        let expected = text.lines().next().and_then(|line| line.strip_prefix("# expect: ")).expect(&name);
        let refused = import(*dialect, &name, text.as_bytes(), &Given::default());
        let refused = refused.map(|imported| imported.text).expect_err(&name).to_string();
        assert!(refused.contains(expected), "{name}\n  gives    {refused}\n  and not  {expected}");
        seen += 1;
    }
    assert!(seen >= 25, "{seen} files");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    for (dialect, _) in DIALECTS {
        let refused = import(dialect, "x", b"a\n\xff\xfe", &Given::default()).expect_err("no text");
        assert!(refused.to_string().starts_with("x:2: not UTF-8"), "{refused}");
    }
}

/// Words that bring a random text past the first rules of a language.
fn words(dialect: Dialect) -> Vec<&'static str> {
    match dialect {
        Dialect::Trafgen => vec![
            "{",
            "}",
            "(",
            ")",
            ",",
            "=",
            "[",
            "]",
            ":",
            "eth",
            "ipv4",
            "ipv6",
            "udp",
            "tcp",
            "vlan",
            "mpls",
            "arp",
            "icmp4",
            "fill",
            "rnd",
            "drnd",
            "dinc",
            "ddec",
            "seqinc",
            "c16",
            "c32",
            "csumip",
            "csumudp",
            "csumtcp6",
            "cpu",
            "sa",
            "da",
            "sp",
            "id",
            "len",
            "csum",
            "tpid",
            "0x45",
            "0x0800",
            "0",
            "255",
            "65535",
            "99999999999999999999",
            "-",
            "+",
            "<<",
            "/",
            "%",
            "02:00:00:00:00:02",
            "10.0.0.1",
            "::1",
            "\"a\"",
            "'x'",
            "#define A 1\n",
            "#define F(x) x x\n",
            "A",
            "F(",
            "#ifdef A\n",
            "#else\n",
            "#endif\n",
            "/*",
            "*/",
            "//",
            "\n",
            "\\\n",
        ],
        Dialect::TrexYaml => vec![
            "- ",
            "name: ",
            "stream:",
            "\n",
            "  ",
            "    ",
            "packet:",
            "mode:",
            "vm:",
            "instructions: [",
            "]",
            "{",
            "}",
            ",",
            "type: ",
            "flow_var",
            "write_flow_var",
            "continuous",
            "single_burst",
            "pps: ",
            "1e400",
            "-1",
            "0",
            "65535",
            "total_pkts: ",
            "binary: ",
            "AAAAAAAAAAAAAAAAAAAAAAAA",
            "pkt_offset: ",
            "min_value: ",
            "max_value: ",
            "size: ",
            "&a ",
            "*a",
            "\"",
            "'",
            "next: ",
            "self_start: ",
            "False",
            "isg: ",
            "? ",
            "| ",
            ">",
            "---\n",
            "...\n",
            "#",
            "!!x ",
        ],
        Dialect::TrexPython => vec![
            "def ",
            "register",
            "get_streams",
            "(",
            ")",
            ":",
            "\n",
            "    ",
            "        ",
            "return ",
            "class ",
            "A",
            "x",
            "self",
            ".",
            ",",
            "=",
            "[",
            "]",
            "{",
            "}",
            "STLStream",
            "STLPktBuilder",
            "STLTXCont",
            "STLVmFlowVar",
            "STLScVmRaw",
            "packet",
            "pkt",
            "vm",
            "Ether()",
            "IP()",
            "UDP()",
            "/",
            "*",
            "+",
            "-",
            "**",
            "<<",
            "%",
            "'a'",
            "\"b\"",
            "'''",
            "0",
            "1",
            "1e308",
            "999999999999999999",
            "for ",
            "in ",
            "if ",
            "else",
            "range(9)",
            "len",
            "max",
            "not ",
            "and ",
            "lambda",
            "pps=",
            "name=",
            "size=",
            "min_value=",
            "'IP.src'",
            "\\",
        ],
        _ => vec![
            "set ",
            "range ",
            "enable ",
            "sequence ",
            "0 ",
            "all ",
            "0-3,5 ",
            "size ",
            "64 ",
            "1518 ",
            "rate ",
            "src ",
            "dst ",
            "ip ",
            "mac ",
            "port ",
            "start ",
            "min ",
            "max ",
            "inc ",
            "10.0.0.1 ",
            "00:00:00:00:00:01 ",
            "vlan ",
            "mpls ",
            "entry ",
            "ff ",
            "proto ",
            "udp ",
            "tcp ",
            "icmp ",
            "ipv6 ",
            "type ",
            "count ",
            "18446744073709551615 ",
            "seq_cnt ",
            "16 ",
            "qinqids ",
            "pattern ",
            "user ",
            "\n",
            "#",
            "burst ",
            "::1 ",
        ],
    }
}

fn soup() -> impl Strategy<Value = (Dialect, String)> {
    (0..DIALECTS.len()).prop_flat_map(|at| {
        let dialect = DIALECTS[at].0;
        let words = words(dialect);
        let word = prop_oneof![8 => prop::sample::select(words).prop_map(str::to_string), 1 => "\\PC{0,6}", 1 => "[0-9]{1,40}"];
        prop::collection::vec(word, 0..120).prop_map(move |words| {
            // Past the first rule: a packet, a stream, a function, a port.
            let text = words.concat();
            let text = match dialect {
                Dialect::Trafgen if words.len() % 2 == 0 => format!("{{ {} }}", words.join(" ")),
                Dialect::TrexPython if words.len() % 2 == 0 => format!("def register():\n    return [{text}]\n"),
                Dialect::TrexYaml if words.len() % 2 == 0 => format!("- name: a\n  stream:\n    {text}\n"),
                Dialect::Dpdk => format!("set 0 size 64\n{text}"),
                _ => text,
            };
            (dialect, text)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics_a_reader((dialect, text) in soup()) {
        if let Ok(imported) = import(dialect, "x", text.as_bytes(), &Given::default()) {
            let document = txdeck::profile::Document::parse("x", &imported.text);
            prop_assert!(document.is_ok(), "what an import makes is a valid profile");
        }
    }
}
