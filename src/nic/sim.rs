//! The simulated nic.
