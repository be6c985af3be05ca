//! The Edit screen: what its keys do to the open profile, and what a person sees of it.

use txdeck::{
    app::{Event, Focus, Overlay, Phase, PlaceKind, Screen},
    profile::{Document, Ip, Value},
    ui::{Glyphs, Look},
};

use crate::stage::{Stage, UDP_64, place, text};

fn shown(stage: &Stage, width: u16, height: u16) -> String {
    text(&stage.picture(width, height, &Look::default()))
}

#[test]
fn peek() {
    let text = std::env::var("PEEK").map(|p| std::fs::read_to_string(p).unwrap()).unwrap_or(UDP_64.to_owned());
    let mut stage = Stage::with(&text, Some(place(PlaceKind::Lab)));
    stage.keys(&std::env::var("KEYS").unwrap_or("e".into()));
    let (w, h) = std::env::var("SIZE")
        .ok()
        .map(|s| {
            let (w, h) = s.split_once('x').unwrap();
            (w.parse().unwrap(), h.parse().unwrap())
        })
        .unwrap_or((80, 24));
    println!("{}", shown(&stage, w, h));
}
