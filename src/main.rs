//! Arguments in, exit code out; everything else lives in the library.

fn main() -> std::process::ExitCode {
    txdeck::shell::main()
}
