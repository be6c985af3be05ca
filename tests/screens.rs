//! The console without a terminal: scenarios of keys and ticks, pictures of every screen, random keys and resizes.

#[path = "screens/bad_input.rs"]
mod bad_input;
#[path = "screens/calibration.rs"]
mod calibration;
#[path = "screens/edit.rs"]
mod edit;
#[path = "screens/fuzz.rs"]
mod fuzz;
#[path = "screens/line.rs"]
mod line;
#[path = "screens/live.rs"]
mod live;
#[path = "screens/pictures.rs"]
mod pictures;
#[path = "screens/readme_pictures.rs"]
mod readme_pictures;
#[path = "screens/scenarios.rs"]
mod scenarios;
#[path = "screens/stage.rs"]
mod stage;
#[path = "screens/tongues.rs"]
mod tongues;
#[path = "screens/traps.rs"]
mod traps;
#[path = "screens/trials.rs"]
mod trials;
