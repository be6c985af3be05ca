//! From the command line to the console: what to open, where, and how it is to look.

use crate::shell::{
    args::{Cli, Common, LabArgs},
    failure::Failure,
    output::Ending,
};

/// `txdeck [PROFILE] [-i IF]`
pub fn console(_cli: &Cli) -> Result<u8, Ending> {
    Err(Failure::new("no_console", "the console is not in this build").into()) // MERGE: the console's loop
}

/// `txdeck lab [PROFILE]`
pub fn lab(_args: &LabArgs, _common: &Common) -> Result<u8, Ending> {
    Err(Failure::new("no_console", "the console is not in this build").into()) // MERGE: the console's loop
}
