//! What building one frame costs, in memory that remembers its template and in memory that does not.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use txdeck::profile::{Flow, Ip, Ipv4, Ipv6, Payload, Tcp, Udp, Value};

#[path = "../packet/build.rs"]
mod build;

use build::{fixed, frame, label, random, stamp, sweep, tcp, tcp_flow, udp, v4, v4_flow, v6, v6_flow};

/// Three varied fields, UDP checksum, pktgen header.
fn three(src: Value, dst: Value, port: Value) -> Flow {
    Flow { ip: Some(Ip::V4(Ipv4 { src, dst, ..v4() })), udp: Some(Udp { src: port, ..udp() }), ..v4_flow() }
}

fn flows() -> Vec<(&'static str, Flow)> {
    let net = 0xc612_0000;
    let pool = 0x2001_0db8_u128 << 96;
    let segment = Tcp { src: random(1024, 65535), dst: random(1, 1023), seq: random(0, 0xffff_ffff), ..tcp() };
    let wide = Ip::V6(Ipv6 { dst: random(pool, pool | u128::MAX >> 32), ..v6() });
    vec![
        ("fixed", Flow { payload: Payload::Zero, ..v4_flow() }),
        ("stamped", v4_flow()),
        ("three swept", three(sweep(net, net + 99, 1), sweep(net, net + 253, 1), sweep(1024, 65535, 1))),
        ("three random", three(random(net, net + 99), random(net, net + 253), random(1024, 65535))),
        ("sizes swept", Flow { size: sweep(60, 1514, 1), ..v4_flow() }),
        ("wide random", Flow { ip: Some(wide), ..v6_flow() }),
        ("label random", Flow { mpls: vec![label(random(16, 0xf_ffff))], size: fixed(64), ..v4_flow() }),
        ("tcp three random", Flow { tcp: Some(segment), ..tcp_flow() }),
        ("1514 random", Flow { size: fixed(1514), payload: Payload::Random, ..v4_flow() }),
        ("1514 stamped", Flow { size: fixed(1514), ..v4_flow() }),
    ]
}

fn write(criterion: &mut Criterion) {
    for (name, flow) in flows() {
        let frame = frame(flow);
        let mut memory = vec![0; frame.max_len()];
        for (how, forget) in [("held", false), ("fresh", true)] {
            let (mut held, mut stamp) = (0, stamp(0));
            criterion.bench_function(&format!("write/{name}/{how}"), |bencher| {
                bencher.iter(|| {
                    if forget {
                        held = 0;
                    }
                    stamp.k += 1;
                    stamp.seq = stamp.seq.wrapping_add(1);
                    frame.write(black_box(&mut memory), &mut held, &stamp);
                });
            });
        }
    }
}

criterion_group!(benches, write);
criterion_main!(benches);
