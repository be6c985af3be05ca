//! What libxdp and libbpf have to say goes to a log instead of standard error, which would garble the screen.

use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;

static SINK: OnceLock<Sink> = OnceLock::new();

type Sink = fn(LibraryLevel, &str);

/// How much a line of theirs matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LibraryLevel {
    Warn,
    Info,
    Debug,
}

/// The longest line passed on; more is cut off.
const LINE_BYTES: usize = 512;

/// A `va_list` parameter: a pointer in the C ABI of x86-64 (an array type decays) and of aarch64 (a struct
/// above 16 bytes is passed by reference).
type VaList = *mut c_void;
type Print = unsafe extern "C" fn(level: c_int, format: *const c_char, arguments: VaList) -> c_int;

// SAFETY: signatures as in xdp/libxdp.h, bpf/libbpf.h and stdio.h; the libraries are linked by xsk-rs. The
// functions return the previous callback, which nobody needs here.
unsafe extern "C" {
    fn libxdp_set_print(print: Option<Print>) -> Option<Print>;
    fn libbpf_set_print(print: Option<Print>) -> Option<Print>;
    fn vsnprintf(buffer: *mut c_char, size: usize, format: *const c_char, arguments: VaList) -> c_int;
}

/// Sends every line of the libraries to `sink` from now on. The first call decides.
pub fn set_library_log(sink: Sink) {
    if SINK.set(sink).is_ok() {
        // SAFETY: `pass_on` has the signature that the libraries call, lives for ever and keeps no state of theirs.
        unsafe {
            libxdp_set_print(Some(pass_on));
            libbpf_set_print(Some(pass_on));
        }
    }
}

unsafe extern "C" fn pass_on(level: c_int, format: *const c_char, arguments: VaList) -> c_int {
    let mut line = [0u8; LINE_BYTES];
    // SAFETY: the library passes a format with its arguments, and the buffer's size is told.
    let length = unsafe { vsnprintf(line.as_mut_ptr().cast(), line.len(), format, arguments) };
    let kept = usize::try_from(length).unwrap_or(0).min(line.len() - 1);
    // enum libbpf_print_level and libxdp_print_level: warn, info, debug.
    let level = match level {
        0 => LibraryLevel::Warn,
        1 => LibraryLevel::Info,
        _ => LibraryLevel::Debug,
    };
    if let Some(sink) = SINK.get() {
        sink(level, String::from_utf8_lossy(&line[..kept]).trim_end());
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

    // SAFETY: signature as in libxdp's libxdp_internal.h.
    unsafe extern "C" {
        fn libxdp_print(level: c_int, format: *const c_char, ...);
    }

    #[test]
    fn the_library_prints_into_the_sink() {
        set_library_log(|level, line| LINES.lock().unwrap().push(format!("{level:?} {line}")));
        // SAFETY: the format matches its arguments.
        unsafe { libxdp_print(0, c"%s has %d queues, %lu\n".as_ptr(), c"a0".as_ptr(), 4 as c_int, u64::MAX) };
        assert_eq!(*LINES.lock().unwrap(), ["Warn a0 has 4 queues, 18446744073709551615"]);
    }
}
