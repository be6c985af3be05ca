//! Tongues: files of other generators into profiles and back.

mod cases;
mod checker;
mod frames;
mod random;
#[path = "../random_profiles/mod.rs"]
mod random_profiles;
mod round;
mod rubbish;
mod selftest;
mod table;
