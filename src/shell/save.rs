//! Saving a file so that either the old or the new one is there, whole, whatever happens.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use crate::shell::failure::Failure;

/// Whether a shipped profile's name may be taken by a user's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    Refuse,
    Force,
}

/// Writes `text` to `path`: a new file in the same folder, synced, then renamed over the old one. Permissions of
/// the old file are kept and symlinks are followed, so a profile kept in a dotfile repository stays there.
pub fn save(path: &Path, text: &str) -> Result<(), Failure> {
    save_bytes(path, text.as_bytes())
}

/// The same of bytes.
pub fn save_bytes(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    save_inner(path, bytes).map_err(|why| Failure::file("saving", path, &why))
}

fn save_inner(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = resolve(path)?;
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".txdeck-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    let permissions = fs::metadata(&target).map(|old| old.permissions()).unwrap_or_else(|_| new_file_permissions());
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|failed| failed.error)?;
    // The rename itself is only as durable as its folder.
    fs::File::open(folder)?.sync_all()
}

/// What open(2) would have given: 0666 less the umask.
fn new_file_permissions() -> fs::Permissions {
    let umask = fs::read_to_string("/proc/self/status").ok().and_then(|status| umask_of(&status)).unwrap_or(0o022);
    std::os::unix::fs::PermissionsExt::from_mode(0o666 & !umask)
}

/// umask(2) cannot be read without changing it for every thread; /proc tells it.
fn umask_of(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
    u32::from_str_radix(line.trim(), 8).ok()
}

/// The file behind a chain of symlinks, which need not exist yet.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    const MOST_LINKS: usize = 40; // what the kernel follows
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&at) {
            Ok(next) => at = at.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(at),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// Why a profile cannot have a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("\"{0}\" is no profile name: letters, digits, . _ - and not a dot in front")]
    Bad(String),
    /// `free` is the next name that nobody has.
    #[error("{name} is a shipped profile; yours would hide it")]
    Shipped { name: String, free: String },
}

/// Refuses to hide a shipped profile behind a user's file of the same name, and proposes the next free one.
/// `taken` says which names are in use, `shipped` which of them are embedded.
pub fn check_name(
    name: &str,
    overwrite: Overwrite,
    shipped: impl Fn(&str) -> bool,
    taken: impl Fn(&str) -> bool,
) -> Result<(), NameError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        return Err(NameError::Bad(name.to_owned()));
    }
    if overwrite == Overwrite::Force || !shipped(name) {
        return Ok(());
    }
    let free = (2u32..).map(|n| format!("{name}-{n}")).find(|next| !taken(next)).unwrap_or_default();
    Err(NameError::Shipped { name: name.to_owned(), free })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_saved_file_keeps_its_permissions_and_its_symlink() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.toml"), folder.path().join("link.toml"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real.toml", &link).unwrap();
        save(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
    }

    #[test]
    fn folders_are_made_and_a_failure_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/c.toml");
        save(&deep, "text").unwrap();
        assert_eq!(fs::read_to_string(&deep).unwrap(), "text");
        let failure = save(&deep.join("below-a-file.toml"), "x").unwrap_err();
        assert!(failure.message.contains("saving failed"), "{failure}");
        assert_eq!(fs::read_to_string(&deep).unwrap(), "text");
    }

    #[test]
    fn a_circle_of_links_ends() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        symlink(&b, &a).unwrap();
        symlink(&a, &b).unwrap();
        assert!(save(&a, "x").is_err());
    }

    #[test]
    fn shipped_names_are_refused_unless_forced_and_the_next_is_proposed() {
        let shipped = |name: &str| name == "udp-64";
        let taken = |name: &str| name == "udp-64-2";
        let refused = check_name("udp-64", Overwrite::Refuse, shipped, taken).unwrap_err();
        assert_eq!(refused, NameError::Shipped { name: "udp-64".into(), free: "udp-64-3".into() });
        assert!(check_name("udp-64", Overwrite::Force, shipped, taken).is_ok());
        assert!(check_name("mine", Overwrite::Refuse, shipped, taken).is_ok());
        for bad in ["", "../x", "a/b", ".hidden", "a b"] {
            assert!(check_name(bad, Overwrite::Force, shipped, taken).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_umask_is_read_from_proc() {
        assert_eq!(umask_of("Name:\tx\nUmask:\t0027\nState:\tR\n"), Some(0o027));
        assert_eq!(umask_of(""), None);
    }
}
