//! The hands: arguments, files, the terminal, the one loop.

pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
