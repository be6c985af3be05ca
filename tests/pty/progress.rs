//! How far `show` and `import` have come, on a stderr that is a terminal while stdout is not.

use std::{fs, io::Write, time::Duration};

use super::{Console, Reader};

const PATIENCE: Duration = Duration::from_secs(60);

const PROFILE: &str = "version = 1\n[[flow]]\neth = { dst = \"02:00:00:00:00:02\" }\n";

/// Everything the command wrote to the terminal, its stdout being elsewhere.
fn told(stdout: &str, args: &str, prepare: impl FnOnce(&std::path::Path)) -> String {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let line = format!("cd {} && exec \"$0\" {args} {stdout}", folder.path().display());
    // The program stands behind the wrapper's words, so it is the script's $0.
    let mut console = Console::open_through(&["sh", "-c", &line], &[], Reader::Reads, &[], "");
    assert_eq!(console.end(PATIENCE), 0, "{}", console.text());
    assert_eq!(console.text().trim(), "", "erased at the end");
    String::from_utf8_lossy(&console.raw.lock().unwrap()).into_owned()
}

/// Long enough for several looks, even where the machine is quick.
fn show(stdout: &str, more: &str) -> String {
    let prepare = |folder: &std::path::Path| fs::write(folder.join("x.toml"), PROFILE).unwrap();
    told(stdout, &format!("show x.toml -n 200000 {more}"), prepare)
}

#[test]
fn show_says_how_far_it_is_and_takes_it_back() {
    let told = show("> /dev/null", "");
    assert!(told.contains("\x1b[Kshow: ") && told.contains(" frames/s, ") && told.contains(" s left"), "{told:?}");
    assert!(told.ends_with("\r\x1b[K"), "{told:?}");
    let to_a_file = show("", "-o frames.txt");
    assert!(to_a_file.contains("show: "), "{to_a_file:?}");
}

#[test]
fn show_is_quiet_where_it_is_told_to_be_and_before_a_pipe() {
    assert_eq!(show("> /dev/null", "-q"), "");
    // Behind the pipe might be a pager on this very terminal.
    let prepare = |folder: &std::path::Path| fs::write(folder.join("x.toml"), PROFILE).unwrap();
    assert_eq!(told("| cat > /dev/null", "show x.toml -n 200000", prepare), "");
}

#[test]
fn show_on_the_terminal_itself_has_frames_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.toml"), PROFILE).unwrap();
    let line = format!("exec \"$0\" show {}/x.toml -n 30000", folder.path().display());
    let mut console = Console::open_through(&["sh", "-c", &line], &[], Reader::Reads, &[], "");
    assert_eq!(console.end(PATIENCE), 0);
    let raw = console.raw.lock().unwrap();
    assert!(!raw.contains(&0x1b), "nothing is erased, for nothing was told");
}

#[test]
fn c77_an_import_says_how_far_it_is() {
    let big = |folder: &std::path::Path| {
        // The classic header, then records of 64 KiB, of which a longer one is no frame but is read.
        let mut file = fs::File::create(folder.join("big.pcap")).unwrap();
        let header: [u32; 6] = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65535, 1];
        file.write_all(&header.map(u32::to_le_bytes).concat()).unwrap();
        let record: Vec<u8> = [0u32, 0, 100, 100].map(u32::to_le_bytes).concat().into_iter().chain([7; 100]).collect();
        let many = record.repeat(10_000);
        (0..60).for_each(|_| file.write_all(&many).unwrap());
    };
    let line = told("", "import big.pcap -o big.toml", big);
    assert!(line.contains("\x1b[Kbig.pcap: ") && line.contains(" MiB/s, "), "{line:?}");
}
