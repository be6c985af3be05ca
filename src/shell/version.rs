//! `txdeck --version`: what this is, what it runs on, and what works here. Found by trying.

use std::process::{Command, Stdio};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use crate::{
    nic::host,
    shell::{args::Common, listing, output::Ending},
};

/// AF_XDP, as <linux/socket.h> numbers it.
const AF_XDP: u16 = 44;

pub fn run(common: &Common) -> Result<u8, Ending> {
    listing::put(&text(), common)
}

fn text() -> String {
    let rows = [
        ("commit", option_env!("TXDECK_COMMIT").unwrap_or("unknown").to_owned()),
        ("kernel", format!("{} {}", host::kernel_release(), std::env::consts::ARCH)),
        ("libxdp", option_env!("TXDECK_LIBXDP").unwrap_or("unknown").to_owned()),
        ("AF_XDP", af_xdp()),
        ("lab", lab()),
    ];
    let rows: String = rows.iter().map(|(name, value)| format!("{name:<8} {value}\n")).collect();
    format!("txdeck {}\n{rows}", env!("CARGO_PKG_VERSION"))
}

/// Whether a socket of this family can be made now.
fn af_xdp() -> String {
    let made = socket_with(AddressFamily::from_raw(AF_XDP), SocketType::RAW, SocketFlags::CLOEXEC, None);
    match made {
        Ok(_) => "works here".into(),
        Err(rustix::io::Errno::PERM) => {
            "in this kernel; no right to send outside a lab (CAP_NET_RAW): sudo setcap cap_net_raw+ep $(command -v txdeck)".into()
        }
        Err(rustix::io::Errno::AFNOSUPPORT) => "not in this kernel (CONFIG_XDP_SOCKETS)".into(),
        Err(why) => format!("refused: {why}"),
    }
}

/// A lab takes the whole process with it, so another one tries.
fn lab() -> String {
    let program = std::env::current_exe();
    let tried = program.and_then(|program| {
        Command::new(program).args(["lab", "--try"]).stdin(Stdio::null()).stdout(Stdio::null()).output()
    });
    match tried {
        Ok(output) if output.status.success() => "works here".into(),
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(why) => format!("could not be tried: {why}"),
    }
}
