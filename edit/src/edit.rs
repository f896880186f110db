//! Byte edits: what they are, their application, and several steps made one.

use std::ops::Range;

use crate::Error;

/// One replacement: the bytes in `range` become `replacement`.
///
/// An empty range inserts, an empty replacement deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Byte offsets into the text before the change, end exclusive.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub replacement: Vec<u8>,
}

impl Edit {
    /// An edit of the bytes in `range`.
    pub fn new(range: Range<usize>, replacement: impl Into<Vec<u8>>) -> Self {
        Self {
            range,
            replacement: replacement.into(),
        }
    }
}

/// The text after `edits`, which are in ascending order and do not overlap.
///
/// # Errors
///
/// [`Error::EditsDoNotFit`] if an edit lies outside of the text or before the end of the one in
/// front of it: they were made for another text.
pub fn apply(text: &[u8], edits: &[Edit]) -> Result<Vec<u8>, Error> {
    let added: usize = edits.iter().map(|edit| edit.replacement.len()).sum();
    let mut new = Vec::with_capacity(text.len() + added);
    let mut at = 0;
    for edit in edits {
        let kept = text.get(at..edit.range.start);
        let (Some(kept), true) = (kept, edit.range.end <= text.len()) else {
            return Err(misfit(edit, text));
        };
        if edit.range.end < edit.range.start {
            return Err(misfit(edit, text));
        }
        new.extend_from_slice(kept);
        new.extend_from_slice(&edit.replacement);
        at = edit.range.end;
    }
    new.extend_from_slice(&text[at..]);
    Ok(new)
}

fn misfit(edit: &Edit, text: &[u8]) -> Error {
    Error::EditsDoNotFit {
        range: edit.range.clone(),
        len: text.len(),
    }
}

/// A text and what several steps made of it: one list of edits against the text at the beginning.
pub(crate) struct Composed<'t> {
    source: &'t [u8],
    pub(crate) edits: Vec<Edit>,
    pub(crate) text: Vec<u8>,
}

impl<'t> Composed<'t> {
    pub(crate) fn new(source: &'t [u8]) -> Self {
        Self {
            source,
            edits: Vec::new(),
            text: source.to_vec(),
        }
    }

    /// Takes another step: edits against [`text`](Self::text) as it is now.
    pub(crate) fn step(&mut self, edits: Vec<Edit>) -> Result<(), Error> {
        let new = apply(&self.text, &edits)?;
        self.edits = if self.edits.is_empty() {
            edits
        } else {
            compose(self.source, &self.text, &self.edits, &edits)
        };
        self.edits
            .retain(|edit| self.source.get(edit.range.clone()) != Some(&edit.replacement[..]));
        self.text = new;
        Ok(())
    }
}

/// Edits from `source` to what `second` makes of `middle`, where `first` made `middle` of `source`.
/// Edits of the two that overlap or touch become one.
fn compose(source: &[u8], middle: &[u8], first: &[Edit], second: &[Edit]) -> Vec<Edit> {
    let mut composed = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.iter().peekable(), second.iter().peekable());
    // How far the middle text has grown and shrunk against the source, before the next of `first`.
    let (mut grown, mut shrunk) = (0, 0);
    loop {
        let of_first = first.peek().map(|edit| edit.range.start + grown - shrunk);
        let of_second = second.peek().map(|edit| edit.range.start);
        let Some(start) = of_first.into_iter().chain(of_second).min() else {
            return composed;
        };
        let source_start = start + shrunk - grown;
        let mut end = start;
        let mut replacement = Vec::new();
        // Up to where `middle` has been taken over.
        let mut taken = start;
        loop {
            if let Some(edit) = first
                .peek()
                .filter(|e| e.range.start + grown - shrunk <= end)
            {
                grown += edit.replacement.len();
                shrunk += edit.range.len();
                end = end.max(edit.range.end + grown - shrunk);
                first.next();
            } else if let Some(edit) = second.peek().filter(|e| e.range.start <= end) {
                replacement.extend_from_slice(&middle[taken..edit.range.start]);
                replacement.extend_from_slice(&edit.replacement);
                taken = edit.range.end;
                end = end.max(taken);
                second.next();
            } else {
                break;
            }
        }
        replacement.extend_from_slice(&middle[taken..end]);
        let source_end = (end + shrunk - grown).min(source.len());
        composed.push(Edit::new(source_start..source_end, replacement));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Edits that fit a text of `len` bytes, from any numbers.
    fn edits_for(len: usize, numbers: &[(u8, u8, Vec<u8>)]) -> Vec<Edit> {
        let mut at = 0;
        let mut edits = Vec::new();
        for (gap, size, replacement) in numbers {
            let start = at + usize::from(*gap % 7);
            let end = start + usize::from(*size % 5);
            if end > len {
                break;
            }
            edits.push(Edit::new(start..end, replacement.clone()));
            at = end + 1;
        }
        edits
    }

    fn numbers() -> impl Strategy<Value = Vec<(u8, u8, Vec<u8>)>> {
        let text = proptest::collection::vec(b'a'..=b'e', 0..6);
        proptest::collection::vec((any::<u8>(), any::<u8>(), text), 0..8)
    }

    proptest! {
        #[test]
        fn steps_composed_are_the_steps_one_after_another(
            source in proptest::collection::vec(b'A'..=b'E', 0..60),
            steps in proptest::collection::vec(numbers(), 1..5),
        ) {
            let mut composed = Composed::new(&source);
            let mut plain = source.clone();
            for step in &steps {
                let edits = edits_for(plain.len(), step);
                plain = apply(&plain, &edits).unwrap();
                composed.step(edits).unwrap();
                prop_assert_eq!(&composed.text, &plain);
                prop_assert_eq!(apply(&source, &composed.edits).unwrap(), plain.clone());
            }
        }
    }

    #[test]
    fn a_later_edit_of_a_replacement_is_part_of_it() {
        let mut composed = Composed::new(b"one two three");
        composed.step(vec![Edit::new(4..7, "2")]).unwrap();
        composed
            .step(vec![Edit::new(2..5, "E|"), Edit::new(7..8, "H")])
            .unwrap();
        assert_eq!(composed.text, b"onE| tHree");
        assert_eq!(
            composed.edits,
            [Edit::new(2..7, "E|"), Edit::new(9..10, "H")]
        );
    }

    #[test]
    fn there_and_back_is_no_edit() {
        let mut composed = Composed::new(b"abc");
        composed.step(vec![Edit::new(1..2, "x")]).unwrap();
        composed.step(vec![Edit::new(1..2, "b")]).unwrap();
        assert_eq!(composed.edits, []);
        assert_eq!(composed.text, b"abc");
    }

    #[test]
    fn edits_of_another_text_are_an_error() {
        for edits in [
            vec![Edit::new(2..9, "")],
            vec![Edit::new(2..3, ""), Edit::new(1..2, "")],
            vec![Edit {
                range: Range { start: 3, end: 2 },
                replacement: Vec::new(),
            }],
        ] {
            assert!(matches!(
                apply(b"abcd", &edits),
                Err(Error::EditsDoNotFit { len: 4, .. })
            ));
        }
    }
}
