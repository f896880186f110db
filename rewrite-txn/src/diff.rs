//! A stage as a unified diff, in the form that git writes and reads.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use std::os::unix::ffi::OsStrExt;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices_deadline, group_diff_ops};

use crate::entry::{Action, Entry};

/// How a diff is written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DiffOptions {
    /// Unchanged lines shown around a change. Default 3.
    pub context: usize,
    /// About how many bytes it may have; what is left out is said. Default 256 KiB.
    pub max_bytes: usize,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self {
            context: 3,
            max_bytes: 256 << 10,
        }
    }
}

impl DiffOptions {
    /// Everything, however long: what `git apply` can take.
    pub fn full() -> Self {
        Self {
            max_bytes: usize::MAX,
            ..Self::default()
        }
    }

    /// The same with another bound.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// The same with another number of unchanged lines.
    #[must_use]
    pub fn context(mut self, context: usize) -> Self {
        self.context = context;
        self
    }
}

/// A unified diff. Its bytes are exact, whatever the encoding of the files; as text, what is not
/// UTF-8 is shown with replacement characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    bytes: Vec<u8>,
    left_out: Vec<PathBuf>,
    binary: Vec<PathBuf>,
}

impl Diff {
    /// The exact bytes, for `git apply`.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The files that are not shown, or not to their end, because of the bound.
    pub fn left_out(&self) -> &[PathBuf] {
        &self.left_out
    }

    /// The files of which only is said that they are binary and differ.
    pub fn binary(&self) -> &[PathBuf] {
        &self.binary
    }

    /// Whether the diff holds the whole change, so that it can be applied elsewhere.
    pub fn is_complete(&self) -> bool {
        self.left_out.is_empty() && self.binary.is_empty()
    }
}

impl fmt::Display for Diff {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&String::from_utf8_lossy(&self.bytes))
    }
}

/// How long the shortest diff of one file is searched for. After that a longer one, just as right,
/// has to do.
const PATIENCE: Duration = Duration::from_millis(500);

/// Where git looks for a zero byte to call a file binary.
const BINARY_PROBE: usize = 8000;

pub(crate) fn render(entries: &[Entry], options: &DiffOptions) -> Diff {
    let mut diff = Diff {
        bytes: Vec::new(),
        left_out: Vec::new(),
        binary: Vec::new(),
    };
    for (index, entry) in entries.iter().enumerate() {
        let file = render_file(entry, options.context, &mut diff.binary);
        let room = options.max_bytes - diff.bytes.len();
        if file.len() <= room {
            diff.bytes.extend_from_slice(&file);
            continue;
        }
        // Whole lines only.
        let end = file[..room]
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        diff.bytes.extend_from_slice(&file[..end]);
        diff.left_out = entries[index..]
            .iter()
            .map(|entry| entry.path.clone())
            .collect();
        diff.bytes
            .extend_from_slice(note(&diff.left_out, end > 0).as_bytes());
        break;
    }
    diff
}

fn note(left_out: &[PathBuf], begun: bool) -> String {
    let first = left_out
        .first()
        .map(|path| path.display().to_string())
        .unwrap_or_default();
    let first = if begun {
        format!("the rest of {first}")
    } else {
        first
    };
    match left_out.len() {
        0 | 1 => format!("[left out: {first}]\n"),
        many => format!("[left out: {first} and {} more files]\n", many - 1),
    }
}

fn render_file(entry: &Entry, context: usize, binary: &mut Vec<PathBuf>) -> Vec<u8> {
    let (old, new) = (entry.old(), entry.result().unwrap_or_default());
    let to = match &entry.action {
        Action::Rename { to, .. } => to,
        _ => &entry.path,
    };
    let (from_name, to_name) = (quoted("a/", &entry.path), quoted("b/", to));
    let mut out = Vec::with_capacity(256);
    line(&mut out, &[b"diff --git ", &from_name, b" ", &to_name]);
    match &entry.action {
        Action::Create(_) => line(&mut out, &[b"new file mode 100644"]),
        Action::Delete => {
            let mode = entry
                .original
                .as_ref()
                .map_or(0, |original| original.captured.mode);
            let mode: &[u8] = if mode & 0o111 == 0 {
                b"100644"
            } else {
                b"100755"
            };
            line(&mut out, &[b"deleted file mode ", mode]);
        }
        Action::Rename { .. } => {
            let percent = similarity(entry, old.len(), new.len()).to_string();
            line(&mut out, &[b"similarity index ", percent.as_bytes(), b"%"]);
            line(&mut out, &[b"rename from ", &quoted("", &entry.path)]);
            line(&mut out, &[b"rename to ", &quoted("", to)]);
        }
        Action::Edit(_) | Action::Write(_) => {}
    }
    if *old == *new {
        return out;
    }
    let nothing = b"/dev/null".to_vec();
    let from_name = if matches!(entry.action, Action::Create(_)) {
        nothing.clone()
    } else {
        from_name
    };
    let to_name = if matches!(entry.action, Action::Delete) {
        nothing
    } else {
        to_name
    };
    if is_binary(old) || is_binary(&new) {
        line(
            &mut out,
            &[b"Binary files ", &from_name, b" and ", &to_name, b" differ"],
        );
        binary.push(entry.path.clone());
        return out;
    }
    line(&mut out, &[b"--- ", &from_name, tab_after(&from_name)]);
    line(&mut out, &[b"+++ ", &to_name, tab_after(&to_name)]);
    let (old, new) = (lines(old), lines(&new));
    let deadline = Instant::now() + PATIENCE;
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline));
    for hunk in group_diff_ops(ops, context) {
        render_hunk(&mut out, &hunk, &old, &new);
    }
    out
}

fn render_hunk(out: &mut Vec<u8>, hunk: &[DiffOp], old: &[&[u8]], new: &[&[u8]]) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
        return;
    };
    let old_span = span(first.old_range().start, last.old_range().end);
    let new_span = span(first.new_range().start, last.new_range().end);
    line(out, &[format!("@@ -{old_span} +{new_span} @@").as_bytes()]);
    for op in hunk {
        let removed = old[op.old_range()].iter().map(|text| (b'-', *text));
        let added = new[op.new_range()].iter().map(|text| (b'+', *text));
        if op.tag() == DiffTag::Equal {
            removed.for_each(|(_, text)| body(out, b' ', text));
        } else {
            removed
                .chain(added)
                .for_each(|(sign, text)| body(out, sign, text));
        }
    }
}

/// A range of lines as hunk headers have it: an empty one names the line before it.
fn span(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

fn body(out: &mut Vec<u8>, sign: u8, text: &[u8]) {
    out.push(sign);
    out.extend_from_slice(text);
    if !text.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}

fn line(out: &mut Vec<u8>, parts: &[&[u8]]) {
    parts.iter().for_each(|part| out.extend_from_slice(part));
    out.push(b'\n');
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n').collect()
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(BINARY_PROBE)].contains(&0)
}

/// How much of a renamed file stays, in percent.
fn similarity(entry: &Entry, old: usize, new: usize) -> usize {
    let gone: usize = entry.edits().iter().map(|edit| edit.range.len()).sum();
    ((old - gone) * 100)
        .checked_div(old.max(new))
        .unwrap_or(100)
}

/// A path as git writes it: in double quotes with escapes if it has bytes that would be misread.
fn quoted(prefix: &str, path: &Path) -> Vec<u8> {
    let name = path.as_os_str().as_bytes();
    let plain = |byte: &u8| !matches!(byte, b'"' | b'\\' | 0..=31 | 127);
    if std::str::from_utf8(name).is_ok() && name.iter().all(plain) {
        return [prefix.as_bytes(), name].concat();
    }
    let mut out = format!("\"{prefix}").into_bytes();
    for byte in name {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            0..=31 | 127.. => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
            _ => out.push(*byte),
        }
    }
    out.push(b'"');
    out
}

/// A tab ends a name with a space in it.
fn tab_after(name: &[u8]) -> &'static [u8] {
    if name.contains(&b' ') && !name.starts_with(b"\"") {
        b"\t"
    } else {
        b""
    }
}
