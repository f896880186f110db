//! A hunk: lines that stay, go and come, and what the patch says about where.

/// One connected change of a file, as a patch shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Where it begins in the patch, counted from 1.
    pub(crate) line: usize,
    /// Lines that stand somewhere above it, the outermost first. The envelope has them.
    pub(crate) headers: Vec<Vec<u8>>,
    /// What stands behind the second `@@` of a unified diff: the line of a function above, perhaps.
    pub(crate) heading: Option<Vec<u8>>,
    /// The first line of the old side, counted from 1, as the patch says.
    pub(crate) old_line: Option<usize>,
    /// Its lines are the last ones of the file.
    pub(crate) at_end: bool,
    /// Whether it can say that the last line of a file has no end.
    pub(crate) tells_ends: bool,
    pub(crate) lines: Vec<HunkLine>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HunkLine {
    pub(crate) sign: Sign,
    /// Without the LF.
    pub(crate) text: Vec<u8>,
    /// Whether it has an end.
    pub(crate) ended: bool,
    /// An empty line of the patch: one that stays empty, or one that only parts.
    pub(crate) bare: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Keep,
    Remove,
    Add,
}

impl Hunk {
    /// The line of the patch where it begins, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Takes a line of a patch as one of the hunk's. `false` if it is none.
    pub(crate) fn take(&mut self, line: &[u8]) -> bool {
        let (sign, text) = match line {
            // The blank in front of an empty line is easily lost.
            [] | [b'\r'] => (Sign::Keep, line),
            [b' ', text @ ..] => (Sign::Keep, text),
            [b'-', text @ ..] => (Sign::Remove, text),
            [b'+', text @ ..] => (Sign::Add, text),
            _ => return false,
        };
        self.lines.push(HunkLine {
            sign,
            text: text.to_vec(),
            ended: true,
            bare: line.is_empty() || line == b"\r",
        });
        true
    }

    /// Takes away the bare lines at the end: they part the hunk from what follows.
    pub(crate) fn trim(&mut self) {
        while self.lines.pop_if(|line| line.bare).is_some() {}
    }

    pub(crate) fn changes_something(&self) -> bool {
        self.lines.iter().any(|line| line.sign != Sign::Keep)
    }

    /// The lines of the old side.
    pub(crate) fn old_side(&self) -> impl Iterator<Item = &HunkLine> {
        self.lines.iter().filter(|line| line.sign != Sign::Add)
    }

    /// The lines of the new side.
    pub(crate) fn new_side(&self) -> impl Iterator<Item = &HunkLine> {
        self.lines.iter().filter(|line| line.sign != Sign::Remove)
    }

    /// How many lines of the old side stand before the first change, and up to the last one.
    pub(crate) fn core(&self) -> (usize, usize) {
        let kept = |line: &&HunkLine| line.sign == Sign::Keep;
        let before = self.lines.iter().take_while(kept).count();
        let after = self.lines.iter().rev().take_while(kept).count();
        let old = self.old_side().count();
        (
            before.min(old),
            old.saturating_sub(after).max(before.min(old)),
        )
    }
}

/// Lines as one text.
pub(crate) fn joined<'l>(lines: impl Iterator<Item = &'l HunkLine>) -> Vec<u8> {
    let mut text = Vec::new();
    for line in lines {
        text.extend_from_slice(&line.text);
        if line.ended {
            text.push(b'\n');
        }
    }
    text
}
