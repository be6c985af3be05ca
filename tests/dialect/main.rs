//! Tongues: files of other generators into profiles and back.

mod cases;
mod checker;
mod frames;
mod round;
mod rubbish;
mod selftest;
mod table;
