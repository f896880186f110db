//! What a core file tells of the program that it is left of: which it was, and what ended it.

use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::elf::{number, part};

/// The most that is read of the notes of a file. Default 16 MiB: a thread takes 4 KiB.
const NOTES: u64 = 16 << 20;

/// The most headers that are looked at.
const HEADERS: u64 = 100_000;

/// The first bytes of an executable as it lies in memory, where its notes are. One page.
const FIRST: u64 = 4096;

/// Kinds of notes.
const PRSTATUS: u64 = 1;
const AUXV: u64 = 6;
const FILES: u64 = 0x4649_4c45;
const SIGINFO: u64 = 0x5349_4749;
const BUILD: u64 = 3;
const GO_BUILD: u64 = 4;

/// In the list of what the system told the program at its start: where its headers lie.
const HEADERS_AT: u64 = 3;

/// A core file, as far as it could be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CoreFile {
    /// The signal that ended the program.
    pub(crate) signal: Option<i32>,
    /// The program.
    pub(crate) program: Option<PathBuf>,
    /// By what its build is known.
    build: Option<Vec<u8>>,
}

/// How a core file and a program belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// The program has made it, or nothing speaks against that.
    Same,
    /// Another build has: of the program that is named, or of the same.
    Other(Option<PathBuf>),
    /// A program of another name has, and nothing more is known.
    Named(PathBuf),
}

/// A part of a file that was in memory.
struct Segment {
    kind: u64,
    at: u64,
    address: u64,
    length: u64,
}

impl CoreFile {
    /// Reads one; nothing when it is none, or not of 64 bits and the order of bytes that the machines of
    /// today have.
    pub(crate) fn read(path: &Path) -> Option<CoreFile> {
        let mut file = File::open(path).ok()?;
        let segments = segments(&mut file, Some(4))?;
        let mut core = CoreFile::default();
        let (mut files, mut headers) = (Vec::new(), None);
        for segment in segments.iter().filter(|segment| segment.kind == 4) {
            let bytes = part(&mut file, segment.at, segment.length.min(NOTES))?;
            for (name, kind, text) in notes(&bytes) {
                match (name, kind) {
                    (b"CORE", SIGINFO) => core.signal = signal(text, 0, 4).or(core.signal),
                    // The first thread is the one that was hit.
                    (b"CORE", PRSTATUS) => core.signal = core.signal.or(signal(text, 12, 2)),
                    (b"CORE", FILES) => files = mapped(text).unwrap_or_default(),
                    (b"CORE", AUXV) => headers = told(text, HEADERS_AT),
                    _ => {}
                }
            }
        }
        let of_program = |(begin, end, _): &&(u64, u64, PathBuf)| {
            headers.is_some_and(|at| (*begin..*end).contains(&at))
        };
        if let Some((begin, _, path)) = files.iter().find(of_program) {
            core.program = Some(path.clone());
            core.build = in_memory(&mut file, &segments, *begin);
        }
        Some(core)
    }

    /// Whether this program has made it.
    pub(crate) fn is_of(&self, program: &Path) -> Match {
        let build = build(program);
        match (&self.build, &build) {
            (Some(its), Some(given)) if its == given => Match::Same,
            (Some(_), Some(_)) => {
                Match::Other(self.program.clone().filter(|its| !is_same(its, program)))
            }
            _ => match &self.program {
                Some(its) if its.file_name() != program.file_name() => Match::Named(its.clone()),
                _ => Match::Same,
            },
        }
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

/// By what the build of an executable is known.
fn build(program: &Path) -> Option<Vec<u8>> {
    let mut file = File::open(program).ok()?;
    let segments = segments(&mut file, None)?;
    let notes = segments.iter().filter(|segment| segment.kind == 4);
    let mut known = notes.filter_map(|segment| {
        let bytes = part(&mut file, segment.at, segment.length.min(NOTES))?;
        build_in(&bytes)
    });
    known.next()
}

/// The same of an executable that lay in memory from `begin` on.
fn in_memory(file: &mut File, segments: &[Segment], begin: u64) -> Option<Vec<u8>> {
    let held = segments.iter().find(|segment| {
        segment.kind == 1 && segment.address <= begin && begin - segment.address < segment.length
    })?;
    let at = held.at.checked_add(begin - held.address)?;
    let length = (held.length - (begin - held.address)).min(FIRST);
    let first = part(file, at, length)?;
    let offset = number(&first, 0x20, 8)?;
    let (size, count) = (number(&first, 0x36, 2)?, number(&first, 0x38, 2)?);
    (0..count).find_map(|index| {
        let header = offset.checked_add(size.checked_mul(index)?)?;
        let field = |skip, length| number(&first, usize::try_from(header).ok()? + skip, length);
        if field(0, 4)? != 4 {
            return None;
        }
        let from = usize::try_from(field(8, 8)?).ok()?;
        let length = usize::try_from(field(0x20, 8)?).ok()?;
        build_in(first.get(from..from.checked_add(length)?)?)
    })
}

fn build_in(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut known = notes(bytes).into_iter().filter(|(name, kind, text)| {
        !text.is_empty() && matches!((*name, *kind), (b"GNU", BUILD) | (b"Go", GO_BUILD))
    });
    known.next().map(|(_, _, text)| text.to_owned())
}

/// The segments of a file that is a core file, or an executable when `kind` is not given.
fn segments(file: &mut File, kind: Option<u64>) -> Option<Vec<Segment>> {
    let header = part(file, 0, 64)?;
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    if kind.is_some_and(|kind| number(&header, 0x10, 2) != Some(kind)) {
        return None;
    }
    let offset = number(&header, 0x20, 8)?;
    let (size, mut count) = (number(&header, 0x36, 2)?, number(&header, 0x38, 2)?);
    if count == 0xffff {
        // There are more than that field can hold: it stands in the first section.
        let section = part(file, number(&header, 0x28, 8)?, 64)?;
        count = number(&section, 0x2c, 4)?;
    }
    if size < 56 || count > HEADERS {
        return None;
    }
    let table = part(file, offset, size.checked_mul(count)?)?;
    let all = table.chunks_exact(usize::try_from(size).ok()?);
    let read = |header: &[u8]| {
        Some(Segment {
            kind: number(header, 0, 4)?,
            at: number(header, 8, 8)?,
            address: number(header, 0x10, 8)?,
            length: number(header, 0x20, 8)?,
        })
    };
    all.map(read).collect()
}

/// The notes in these bytes: whose they are, of which kind, and what they hold.
fn notes(mut bytes: &[u8]) -> Vec<(&[u8], u64, &[u8])> {
    let mut all = Vec::new();
    let mut next = || {
        let length = |at| usize::try_from(number(bytes, at, 4)?).ok();
        let (name, text) = (length(0)?, length(4)?);
        let kind = number(bytes, 8, 4)?;
        let begin = 12usize.checked_add(name.checked_next_multiple_of(4)?)?;
        let end = begin.checked_add(text)?;
        let whose = bytes.get(12..12usize.checked_add(name)?)?;
        let held = bytes.get(begin..end)?;
        let rest = end.checked_next_multiple_of(4)?.min(bytes.len());
        bytes = bytes.get(rest..)?;
        Some((whose.strip_suffix(b"\0").unwrap_or(whose), kind, held))
    };
    while let Some(note) = next() {
        all.push(note);
    }
    all
}

fn signal(text: &[u8], at: usize, length: usize) -> Option<i32> {
    let number = i32::try_from(number(text, at, length)?).ok()?;
    (number > 0).then_some(number)
}

/// What the system told the program at its start under this number.
fn told(text: &[u8], what: u64) -> Option<u64> {
    let mut pairs = text.chunks_exact(16);
    pairs.find_map(|pair| (number(pair, 0, 8)? == what).then(|| number(pair, 8, 8))?)
}

/// The files that lay in memory from their beginnings on, each with where.
fn mapped(text: &[u8]) -> Option<Vec<(u64, u64, PathBuf)>> {
    let count = usize::try_from(number(text, 0, 8)?).ok()?;
    let names = text.get(16usize.checked_add(count.checked_mul(24)?)?..)?;
    let names = names.split(|byte| *byte == 0);
    let table = text.get(16..)?.chunks_exact(24).take(count).zip(names);
    let mut all: Vec<(u64, u64, PathBuf)> = Vec::new();
    for (place, name) in table {
        let (begin, end) = (number(place, 0, 8)?, number(place, 8, 8)?);
        let path = PathBuf::from(std::ffi::OsString::from_vec(name.to_owned()));
        match all.last_mut() {
            // The next part of the same file.
            Some((_, last, known)) if *known == path => *last = end,
            _ => all.push((begin, end, path)),
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn note(name: &[u8], kind: u32, text: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in [name.len() as u32 + 1, text.len() as u32, kind] {
            bytes.extend(number.to_le_bytes());
        }
        for part in [[name, b"\0"].concat(), text.to_owned()] {
            bytes.extend(&part);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        bytes
    }

    #[test]
    fn notes_are_read_one_after_the_other() {
        let bytes = [note(b"CORE", 1, b"abcde"), note(b"GNU", 3, b"\x01\x02")].concat();
        let expected: [(&[u8], u64, &[u8]); 2] = [(b"CORE", 1, b"abcde"), (b"GNU", 3, b"\x01\x02")];
        assert_eq!(notes(&bytes), expected);
        assert_eq!(build_in(&bytes), Some(vec![1, 2]));
        assert_eq!(build_in(&note(b"Go", 4, b"id")), Some(b"id".to_vec()));
    }

    #[test]
    fn the_parts_of_a_file_in_memory_are_one() {
        let mut text = Vec::new();
        for number in [
            3u64, 4096, 0x1000, 0x2000, 0, 0x2000, 0x4000, 1, 0x9000, 0xa000, 0,
        ] {
            text.extend(number.to_le_bytes());
        }
        text.extend(b"/a/shop\0/a/shop\0/lib/c.so\0");
        let files = mapped(&text).unwrap();
        let expected = [
            (0x1000, 0x4000, "/a/shop".into()),
            (0x9000, 0xa000, "/lib/c.so".into()),
        ];
        assert_eq!(files, expected);
    }

    #[test]
    fn what_is_no_core_file_is_told_from_one() {
        let own = std::env::current_exe().unwrap();
        assert_eq!(CoreFile::read(&own), None);
        let core = CoreFile {
            program: Some("/a/shop".into()),
            ..CoreFile::default()
        };
        assert_eq!(core.is_of(Path::new("/b/shop")), Match::Same);
        assert_eq!(
            core.is_of(Path::new("/b/other")),
            Match::Named("/a/shop".into())
        );
        let core = CoreFile {
            build: Some(b"another".to_vec()),
            ..core
        };
        if build(&own).is_some() {
            assert_eq!(core.is_of(&own), Match::Other(Some("/a/shop".into())));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            notes(&bytes);
            mapped(&bytes);
            told(&bytes, HEADERS_AT);
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("core");
            let whole = [b"\x7fELF\x02\x01".as_slice(), &[0; 10], b"\x04\0", &bytes].concat();
            std::fs::write(&file, whole).unwrap();
            CoreFile::read(&file);
            build(&file);
        }
    }
}
