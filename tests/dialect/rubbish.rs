//! Whatever a file holds: an answer, never a panic, never for ever.

use proptest::prelude::*;
use txdeck::{
    dialect::{Dialect, Given, import, sniff},
    profile::Document,
};

/// Pieces that scripts are made of, in any order.
fn piece() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "for",
        "in",
        "do",
        "done",
        "while",
        "case",
        "esac",
        "[[",
        "]]",
        "[",
        "]",
        "(",
        ")",
        "((",
        "))",
        "{",
        "}",
        "$(",
        "`",
        "${",
        "$((",
        "\"",
        "'",
        "\\",
        "<<<",
        "<<EOF",
        ">",
        "|",
        "&&",
        "||",
        ";",
        ";;",
        "\n",
        " ",
        "x=",
        "$x",
        "${x[1]}",
        "${#x[*]}",
        "${x:-1}",
        "${x%%@*}",
        "i++",
        "1",
        "99999999999",
        "echo",
        "pgset",
        "pg_set eth1 ",
        "read -r a b",
        "source parameters.sh",
        "seq 1 3",
        "{1..3}",
        "function f()",
        "PGDEV=/proc/net/pktgen/eth1",
        "> /proc/net/pktgen/eth1",
        "add_device eth1",
        "> /proc/net/pktgen/kpktgend_0",
        "pkt_size 60",
        "imix_weights 1,2 3",
        "mpls 0001,",
        "rate 1G",
        "count 5",
        "clone_skb 4000000000",
        "burst 4000000000",
        "dst6_max ::1",
        "udp_src_max 0",
        "flows 70000",
        "flag IPV6",
        "vlan_id 5",
        "svlan_id 6",
        "# txdeck: tx.burst = 0",
        "# Written by txdeck export",
        "Params: count 5",
        "ifname: eth1",
        "delay 2147483647",
        "src_mac_count 4294967295",
        "src_mac ff:ff:ff:ff:ff:ff",
        "dst_max 0.0.0.1",
        "flag TXSIZE_RND",
        "max_pkt_size 4294967295",
        "min_pkt_size 1",
    ]);
    prop_oneof![8 => known.prop_map(str::to_owned), 1 => "[ -~\n]{0,12}", 1 => "\\PC{0,4}"]
}

fn holds(text: &str) {
    let bytes = text.as_bytes();
    let _ = sniff("x", bytes);
    for dialect in [Dialect::Pktgen, Dialect::Command] {
        let given = Given { arguments: vec!["-i".into(), "eth1".into(), "-t".into(), "2".into()] };
        match import(dialect, "x", bytes, &given) {
            Ok(imported) => {
                assert!(Document::parse("x", &imported.text).is_ok(), "{text}\n{}", imported.text);
                assert!(imported.report.notes.iter().all(|note| !note.sentence.is_empty()));
            }
            Err(why) => assert!(!why.to_string().is_empty()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn pieces_in_any_order_are_answered(pieces in prop::collection::vec((piece(), "[ \n]?"), 0..40)) {
        holds(&pieces.iter().map(|(piece, gap)| format!("{piece}{gap}")).collect::<String>());
    }

    #[test]
    fn commands_in_any_order_are_answered(commands in prop::collection::vec(piece(), 0..30)) {
        let lines: String = commands
            .iter()
            .filter(|text| !text.contains(['\n', '\'', '\\']))
            .map(|text| format!("echo '{text}' > /proc/net/pktgen/eth1\n"))
            .collect();
        holds(&format!("echo add_device eth1 > /proc/net/pktgen/kpktgend_0\n{lines}"));
        holds(&format!("Params: count 5\n{}", commands.join(" ")));
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_line() {
    let why = import(Dialect::Pktgen, "x.sh", b"a\n\xff\xfe", &Given::default()).expect_err("no text");
    assert_eq!(why.to_string(), "x.sh:2: not UTF-8 text (byte 2)");
}

#[test]
fn a_script_that_grows_without_end_is_given_up() {
    for text in [
        "x=a\nwhile true; do x=$x$x; done\n",
        "f() { f; f; }\nf\n",
        "for a in {1..60000}; do for b in {1..60000}; do c=1; done; done\n",
        "a\u{a0}b\u{2028}\n",
        &"$(".repeat(5000),
        &"((".repeat(5000),
        &"[[ ( ".repeat(5000),
    ] {
        assert!(import(Dialect::Pktgen, "x", text.as_bytes(), &Given::default()).is_err(), "{:.40}", text);
    }
}
