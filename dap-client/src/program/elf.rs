//! What the sections of an executable tell: whether it can be debugged, and what wrote it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// An executable in the format of Linux and most other systems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Executable {
    /// It names its source lines.
    pub(super) debug_info: bool,
    /// The Go compiler made it.
    pub(super) go: bool,
    /// The Rust compiler made it, with debug information.
    pub(super) rust: bool,
}

/// Reads the names of the sections; nothing when the file is no executable, or not of 64 bits and
/// the order of bytes that the machines of today have.
pub(super) fn read(path: &Path) -> Option<Executable> {
    let mut file = File::open(path).ok()?;
    let header = part(&mut file, 0, 64)?;
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let offset = number(&header, 0x28, 8)?;
    let size = number(&header, 0x3a, 2)?;
    let count = number(&header, 0x3c, 2)?;
    let names = number(&header, 0x3e, 2)?;
    let mut found = Executable::default();
    // A file without sections runs all the same.
    let Some(table) = names
        .checked_mul(size)
        .and_then(|skip| skip.checked_add(offset))
        .filter(|_| names < count && size >= 40)
        .and_then(|at| part(&mut file, at, 64))
    else {
        return Some(found);
    };
    let (at, length) = (number(&table, 0x18, 8)?, number(&table, 0x20, 8)?);
    let Some(text) = part(&mut file, at, length.min(1 << 20)) else {
        return Some(found);
    };
    for name in text.split(|byte| *byte == 0) {
        match name {
            b".debug_info" | b".zdebug_info" => found.debug_info = true,
            b".go.buildinfo" | b".note.go.buildid" => found.go = true,
            b".debug_gdb_scripts" => found.rust = true,
            _ => {}
        }
    }
    Some(found)
}

/// What makes other processes, as the names of functions stand in an executable: of C and Rust, of Go.
const FORKS: [&[u8]; 3] = [b"\0fork\0", b"\0vfork\0", b"os/exec.(*Cmd).Start\0"];

/// The most of an executable that is looked through.
const LONGEST: u64 = 64 << 20;

/// Whether an executable has what makes other processes.
pub(crate) fn forks(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let mut bytes = Vec::new();
    if file.take(LONGEST).read_to_end(&mut bytes).is_err() {
        return false;
    }
    FORKS
        .iter()
        .any(|name| memchr::memmem::find(&bytes, name).is_some())
}

pub(super) fn part(file: &mut File, at: u64, length: u64) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(at)).ok()?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == length).then_some(bytes)
}

pub(super) fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(width)?)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_is_a_rust_program_with_debug_information() {
        let found = read(&std::env::current_exe().unwrap()).unwrap();
        assert!(found.debug_info && !found.go, "{found:?}");
    }

    #[test]
    fn broken_executables_are_no_trouble() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        let whole = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        std::fs::write(&file, &whole[..64]).unwrap();
        assert_eq!(read(&file), Some(Executable::default()));
        let mut wild = whole[..4096].to_vec();
        wild[0x28..0x30].fill(0xff);
        std::fs::write(&file, &wild).unwrap();
        assert_eq!(read(&file), Some(Executable::default()));
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        assert_eq!(read(&file), None);
        assert_eq!(read(folder.path()), None);
    }
}
