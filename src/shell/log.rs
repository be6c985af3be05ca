//! The log of a command without a screen: to stderr, as far as `-v` or TXDECK_LOG ask for it.

use std::io::IsTerminal;

use tracing::Level;

use crate::{
    nic::xdp,
    shell::args::{Color, Common},
};

/// Sets up the log. Without `-v` only warnings are told.
pub fn to_stderr(common: &Common) {
    let colour = match common.color {
        Color::Always => true,
        Color::Never => false,
        // https://no-color.org: any value but an empty one.
        Color::Auto => {
            std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    };
    let log = tracing_subscriber::fmt().with_max_level(level(common)).with_writer(std::io::stderr).with_ansi(colour);
    // A second log in one process (tests) keeps the first.
    let _ = log.try_init();
    xdp::set_library_log(|_, line| tracing::debug!(target: "libxdp", "{line}"));
}

/// TXDECK_LOG names a level; `-v` only ever raises it.
pub fn level(common: &Common) -> Level {
    let asked = match common.verbose {
        0 => Level::WARN,
        1 => Level::INFO,
        _ => Level::DEBUG,
    };
    let named = std::env::var("TXDECK_LOG").ok().and_then(|name| name.parse::<Level>().ok());
    named.map_or(asked, |named| named.max(asked))
}
