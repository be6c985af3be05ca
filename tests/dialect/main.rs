//! Tongues: files of other generators into profiles and back.

mod round;
