//! What drawing one screen costs at 200×60 with an hour of memory behind the graphs. Fails above 2 ms: at ten redraws
//! a second that would be 2 % of a core that the senders may want.

use std::{hint::black_box, process::ExitCode, time::Instant};

use ratatui::{buffer::Buffer, layout::Rect};
use txdeck::ui::{self, Glyphs, Look, Theme};

#[allow(dead_code)]
#[path = "../screens/stage.rs"]
mod stage;

use stage::Stage;

const MOST_US: f64 = 2000.0;
const DRAWS: usize = 400;

fn main() -> ExitCode {
    let mut stage = Stage::lab();
    // An hour and a little, with changes on the way.
    stage.keys("space");
    for _ in 0..40 {
        stage.ticks(910).keys("l").ticks(1).keys("h");
    }
    let mut is_fast = true;
    for (name, keys, look) in [
        ("live, a minute", "", Look::default()),
        ("live, an hour", "- - - -", Look::default()),
        ("live, an hour, ASCII", "", Look { glyphs: Glyphs::Ascii, ..Look::default() }),
        ("live, light", "0", Look { theme: Theme::shipped("light").unwrap_or_default(), ..Look::default() }),
        ("big digits", "z", Look::default()),
        ("help", "z ?", Look::default()),
    ] {
        stage.keys(keys);
        let median_us = median_us(&stage, &look);
        println!("draw/200x60 {name:<22} {median_us:8.1} us median of {DRAWS}");
        is_fast &= median_us <= MOST_US;
    }
    if is_fast { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Of painting a whole screen and finding what differs from the one before.
fn median_us(stage: &Stage, look: &Look) -> f64 {
    let area = Rect::new(0, 0, 200, 60);
    let before = Buffer::empty(area);
    let mut times: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let began = Instant::now();
            let mut buffer = Buffer::empty(area);
            ui::paint(&mut buffer, area, &stage.app, look);
            black_box(before.diff(&buffer).len());
            began.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[DRAWS / 2]
}
