//! What either program found, as sets that can be compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// Bytes of a match's text that are kept for the report.
const TEXT: usize = 120;

/// Where a match is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Path relative to the searched folder, with `/`.
    pub path: String,
    /// First byte.
    pub start: u64,
    /// Byte after the last.
    pub end: u64,
}

/// What is known of a match beside its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The first characters of its text.
    pub text: String,
    /// The reading that found it (ours only).
    pub rung: Option<String>,
}

/// All matches of a run.
pub type Matches = BTreeMap<Span, Found>;

#[derive(Deserialize)]
struct PeerLine {
    file: String,
    text: String,
    range: PeerRange,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PeerRange {
    byte_offset: PeerBytes,
}

#[derive(Deserialize)]
struct PeerBytes {
    start: u64,
    end: u64,
}

/// One line of ours. Lines that are no match (a summary, a note) have no path or no place.
#[derive(Deserialize)]
struct OurLine {
    path: Option<String>,
    #[serde(alias = "start")]
    start_byte: Option<u64>,
    #[serde(alias = "end")]
    end_byte: Option<u64>,
    #[serde(default)]
    text: String,
    rung: Option<String>,
}

/// Reads what the peer printed.
///
/// # Errors
/// When the file cannot be read or a line has another form.
pub fn of_peer(output: &Path) -> Result<Matches> {
    lines(output, |line: PeerLine| {
        let PeerBytes { start, end } = line.range.byte_offset;
        let place = Span {
            path: relative(&line.file),
            start,
            end,
        };
        Some((
            place,
            Found {
                text: head(&line.text),
                rung: None,
            },
        ))
    })
}

/// Reads what our program printed when it searched `folder`. Its paths are relative to the root of
/// the checkout that the folder lies in.
///
/// # Errors
/// When the file cannot be read or a line is no JSON object.
pub fn of_ours(output: &Path, folder: &Path) -> Result<Matches> {
    let mut below_root = None;
    lines(output, |line: OurLine| {
        let path = line.path?;
        let below_root = below_root.get_or_insert_with(|| {
            let root = folder.ancestors().find(|root| root.join(&path).exists());
            root.and_then(|root| folder.strip_prefix(root).ok())
                .unwrap_or(Path::new(""))
        });
        let path = Path::new(&path);
        let place = Span {
            path: relative(
                &path
                    .strip_prefix(*below_root)
                    .unwrap_or(path)
                    .to_string_lossy(),
            ),
            start: line.start_byte?,
            end: line.end_byte?,
        };
        Some((
            place,
            Found {
                text: head(&line.text),
                rung: line.rung,
            },
        ))
    })
}

fn lines<L: for<'d> Deserialize<'d>>(
    output: &Path,
    mut read: impl FnMut(L) -> Option<(Span, Found)>,
) -> Result<Matches> {
    let file = File::open(output).with_context(|| format!("reading {}", output.display()))?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut found = Matches::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let parsed = serde_json::from_slice(&line)
            .with_context(|| format!("line {number} of {} has another form", output.display()))?;
        if let Some((place, what)) = read(parsed) {
            // The primary reading comes first; a place found by two readings keeps the first.
            found.entry(place).or_insert(what);
        }
    }
    Ok(found)
}

fn relative(path: &str) -> String {
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

fn head(text: &str) -> String {
    let mut cut = TEXT.min(text.len());
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    text[..cut].to_owned()
}

/// Two sets beside each other.
#[derive(Debug, Default)]
pub struct Difference {
    /// Places that both have.
    pub both: usize,
    /// Places that begin at the same byte and end differently: theirs, our end.
    pub ends: Vec<(Span, Found, u64)>,
    /// Places that only the peer has.
    pub only_peer: Vec<(Span, Found)>,
    /// Places that only we have.
    pub only_ours: Vec<(Span, Found)>,
}

/// Compares by path, first and last byte.
#[must_use]
pub fn compare(ours: &Matches, peer: &Matches) -> Difference {
    let mut difference = Difference::default();
    let mut begins: BTreeMap<(&str, u64), Vec<&Span>> = BTreeMap::new();
    for place in ours.keys().filter(|p| !peer.contains_key(p)) {
        begins
            .entry((&place.path, place.start))
            .or_default()
            .push(place);
    }
    let mut taken = BTreeSet::new();
    for (place, what) in peer {
        if ours.contains_key(place) {
            difference.both += 1;
        } else if let Some(our) = begins
            .get_mut(&(place.path.as_str(), place.start))
            .and_then(Vec::pop)
        {
            difference.ends.push((place.clone(), what.clone(), our.end));
            taken.insert(our);
        } else {
            difference.only_peer.push((place.clone(), what.clone()));
        }
    }
    for (place, what) in ours {
        if !peer.contains_key(place) && !taken.contains(place) {
            difference.only_ours.push((place.clone(), what.clone()));
        }
    }
    difference
}

/// How many of `wanted` are among `found`, an end that differs by `;`, `,` or blanks forgiven.
///
/// # Errors
/// When a source file that was matched cannot be read any more.
pub fn covered(wanted: &Matches, found: &Matches, folder: &Path) -> Result<usize> {
    let mut loose = BTreeMap::new();
    let mut covered = 0;
    for place in wanted.keys() {
        if found.contains_key(place) {
            covered += 1;
            continue;
        }
        let same_begin = || {
            Span {
                end: 0,
                ..place.clone()
            }..Span {
                end: u64::MAX,
                ..place.clone()
            }
        };
        if found.range(same_begin()).next().is_none() {
            continue;
        }
        if !loose.contains_key(&place.path) {
            let source = std::fs::read(folder.join(&place.path))
                .with_context(|| format!("reading {} again", place.path))?;
            loose.insert(place.path.clone(), source);
        }
        let source = &loose[&place.path];
        let trimmed = |end: u64| {
            let end = usize::try_from(end).unwrap_or(usize::MAX).min(source.len());
            let start = usize::try_from(place.start).unwrap_or(end).min(end);
            let tail = |b: &u8| *b == b';' || *b == b',' || b.is_ascii_whitespace();
            source[start..end]
                .iter()
                .rposition(|b| !tail(b))
                .map(|at| start + at)
        };
        let goal = trimmed(place.end);
        covered += usize::from(
            found
                .range(same_begin())
                .any(|(f, _)| trimmed(f.end) == goal),
        );
    }
    Ok(covered)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn set(places: &[(u64, u64)]) -> Matches {
        places
            .iter()
            .map(|&(start, end)| {
                (
                    Span {
                        path: "a".into(),
                        start,
                        end,
                    },
                    Found::default(),
                )
            })
            .collect()
    }

    #[test]
    fn differences_are_told_apart() {
        let d = compare(
            &set(&[(0, 5), (10, 16), (30, 31)]),
            &set(&[(0, 5), (10, 15), (20, 25)]),
        );
        assert_eq!(d.both, 1);
        assert_eq!(
            d.ends.iter().map(|e| (e.0.end, e.2)).collect::<Vec<_>>(),
            [(15, 16)]
        );
        assert_eq!(
            d.only_peer.iter().map(|e| e.0.start).collect::<Vec<_>>(),
            [20]
        );
        assert_eq!(
            d.only_ours.iter().map(|e| e.0.start).collect::<Vec<_>>(),
            [30]
        );
    }

    #[test]
    fn both_forms_of_output_give_the_same_place() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            File::create(&path)
                .unwrap()
                .write_all(text.as_bytes())
                .unwrap();
            path
        };
        let peer = write(
            "peer",
            "{\"text\":\"f(x)\",\"range\":{\"byteOffset\":{\"start\":3,\"end\":7}},\"file\":\"./a.rs\"}\n",
        );
        let ours = write(
            "ours",
            "{\"path\":\"s/a.rs\",\"start_byte\":3,\"end_byte\":7,\"text\":\"f(x)\",\"rung\":\"expression\"}\n{\"summary\":{}}\n",
        );
        // Our paths begin at the root of the checkout, here one folder above the searched one.
        std::fs::create_dir(dir.path().join("s")).unwrap();
        std::fs::write(dir.path().join("s/a.rs"), "   f(x)").unwrap();
        let (peer, ours) = (
            of_peer(&peer).unwrap(),
            of_ours(&ours, &dir.path().join("s")).unwrap(),
        );
        assert_eq!(compare(&ours, &peer).both, 1);
        assert_eq!(
            ours.values().next().unwrap().rung.as_deref(),
            Some("expression")
        );
    }

    #[test]
    fn a_terminator_does_not_make_a_miss() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), "f(x) ; g(y)").unwrap();
        assert_eq!(
            covered(&set(&[(0, 4)]), &set(&[(0, 6)]), dir.path()).unwrap(),
            1
        );
        assert_eq!(
            covered(&set(&[(0, 4)]), &set(&[(0, 8)]), dir.path()).unwrap(),
            0
        );
        assert_eq!(
            covered(&set(&[(0, 4)]), &set(&[(7, 11)]), dir.path()).unwrap(),
            0
        );
    }
}
