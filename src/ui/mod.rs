//! The face.
