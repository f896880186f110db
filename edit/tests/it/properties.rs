//! What holds for any text.

use fourfold_edit::{Error, FileChange, Outcome, Patch, Replacement, Tolerance, apply, replace};
use proptest::collection::vec;
use proptest::prelude::*;
use similar::TextDiff;

use crate::{checks, diffs};

/// Each costs up to some milliseconds in a build that is not optimised.
const CASES: u32 = 300;

/// Texts of few different lines, so that they repeat, with all ends and odd bytes.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        8 => "[abc]{0,2}".prop_map(String::into_bytes),
        2 => " ?[ab]? ?\t?".prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..4),
    ];
    let end = prop_oneof![6 => Just("\n"), 3 => Just("\r\n"), 1 => Just("\r")];
    (vec((line, end), 0..14), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text = Vec::new();
        for (line, end) in lines {
            text.extend(line);
            text.extend(end.as_bytes());
        }
        if !ended {
            text.pop();
        }
        text
    })
}

/// A text, and another that was made of it by replacing some of its lines.
fn two_texts() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    (text(), vec((any::<prop::sample::Index>(), text()), 0..4)).prop_map(|(old, changes)| {
        let mut lines: Vec<Vec<u8>> = diffs::lines(&old)
            .iter()
            .map(|line| line.to_vec())
            .collect();
        for (at, new) in changes {
            if !lines.is_empty() {
                let at = at.index(lines.len());
                lines.splice(
                    at..at + 1,
                    diffs::lines(&new).iter().map(|line| line.to_vec()),
                );
            }
        }
        (old, lines.concat())
    })
}

fn marked_wide(text: &[u8]) -> bool {
    matches!(
        replace(text, &[Replacement::unique("a", "b")]),
        Err(Error::Encoding { .. })
    )
}

fn only_file(patch: &[u8]) -> FileChange {
    let patch = Patch::parse(patch).unwrap_or_else(|error| {
        panic!("{error}\n{}", String::from_utf8_lossy(patch));
    });
    patch.files[0].clone()
}

/// How often `needle` occurs, overlaps counted, by the plainest means.
fn occurrences(text: &[u8], needle: &[u8]) -> usize {
    text.windows(needle.len())
        .filter(|window| *window == needle)
        .count()
}

fn replaced(text: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(old) {
            out.extend_from_slice(new);
            at += old.len();
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    out
}

fn plain_ends(text: &[u8]) -> Vec<u8> {
    replaced(text, b"\r\n", b"\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn replacing_is_what_naive_replacing_is(
        text in text(),
        old in "[abc]{1,3}",
        new in "[abc ]{0,4}",
        all in any::<bool>(),
    ) {
        prop_assume!(old != new && !marked_wide(&text));
        let (old, new) = (old.as_bytes(), new.as_bytes());
        let result = replace(&text, &[Replacement { old, new, all }]);
        match occurrences(&text, old) {
            0 => {
                let loose = matches!(result, Err(Error::NotFound { .. }));
                prop_assert!(loose, "{result:?}");
            }
            1 => prop_assert_eq!(result.unwrap().text, replaced(&text, old, new)),
            _ if all => prop_assert_eq!(result.unwrap().text, replaced(&text, old, new)),
            many => {
                let error = result.unwrap_err();
                let counted = matches!(error, Error::Ambiguous { count, .. } if count == many);
                prop_assert!(counted, "{error}");
            }
        }
    }

    #[test]
    fn replacements_in_a_row_are_one_after_another(
        text in text(),
        pairs in vec(("[abc]{1,2}", "[abcd]{0,3}"), 1..5),
    ) {
        prop_assume!(!marked_wide(&text));
        let mut edits = Vec::new();
        let mut plain = text.clone();
        for (old, new) in &pairs {
            if old != new && occurrences(&plain, old.as_bytes()) > 0 {
                edits.push(Replacement::everywhere(old, new));
                plain = replaced(&plain, old.as_bytes(), new.as_bytes());
            }
        }
        prop_assume!(!edits.is_empty());
        let change = replace(&text, &edits).unwrap();
        prop_assert_eq!(&change.text, &plain);
        prop_assert_eq!(apply(&text, &change.edits).unwrap(), plain);
    }

    #[test]
    fn a_text_with_other_line_ends_is_found_as_its_lf_form(
        before in "[a-c\n]{0,12}", old in "[xy]\n[xy \n]{0,6}[xy]", after in "[a-c\n]{0,12}",
        end in prop_oneof![Just("\r\n"), Just("\r")],
    ) {
        let (lf, new) = (format!("{before}{old}{after}"), "n\nm");
        let native = |text: &str| text.replace('\n', end);
        let change = replace(native(&lf).as_bytes(), &[Replacement::unique(&old, new)]).unwrap();
        let wanted = native(&format!("{before}{new}{after}"));
        prop_assert_eq!(String::from_utf8(change.text.clone()).unwrap(), wanted);
        prop_assert_eq!(change.tolerance(), Tolerance::LineEnds);
    }

    #[test]
    fn a_unified_diff_gives_the_new_text((old, new) in two_texts(), context in 1_usize..5) {
        prop_assume!(old != new && !marked_wide(&old));
        let file = only_file(&diffs::unified(&old, &new, context));
        let Outcome::Updated(change) = file.apply(Some(&old)).unwrap() else {
            panic!("an update");
        };
        prop_assert_eq!(&change.text, &new);
        prop_assert_eq!(change.tolerance(), Tolerance::Exact);
        prop_assert_eq!(apply(&old, &change.edits).unwrap(), new);
    }

    #[test]
    fn so_does_one_that_a_library_wrote(old in "([ab]{0,2}(\n|\r\n)){0,12}[ab]?", new in "([ab]{0,2}(\n|\r\n)){0,12}[ab]?") {
        prop_assume!(old != new && !old.is_empty());
        let diff = TextDiff::from_lines(&old, &new);
        let text = diff.unified_diff().header("a/file", "b/file").to_string();
        let Outcome::Updated(change) = only_file(text.as_bytes()).apply(Some(old.as_bytes())).unwrap() else {
            panic!("an update");
        };
        prop_assert_eq!(String::from_utf8(change.text).unwrap(), new);
    }

    #[test]
    fn an_envelope_gives_the_new_text_or_is_refused((old, new) in two_texts(), context in 0_usize..4) {
        prop_assume!(old != new && !marked_wide(&old));
        // What the form cannot tell: how the last line ends.
        let ended = |text: &[u8]| text.is_empty() || text.ends_with(b"\n");
        prop_assume!(ended(&old) == ended(&new));
        let patch = diffs::envelope(&old, &new, context);
        let file = only_file(&patch);
        match file.apply(Some(&old)) {
            // A last line without an end is followed by lines that end as those around it.
            Ok(Outcome::Updated(change)) if !ended(&old) => {
                prop_assert_eq!(plain_ends(&change.text), plain_ends(&new));
            }
            Ok(Outcome::Updated(change)) => prop_assert_eq!(change.text, new),
            Ok(other) => panic!("{other:?}"),
            Err(error) => for error in error.each() {
                let unsure = matches!(error, Error::Ambiguous { .. } | Error::NoPlace { .. });
                prop_assert!(unsure, "{}\n{}", error, String::from_utf8_lossy(&patch));
            },
        }
    }

    #[test]
    fn any_bytes_are_answered(data in vec(any::<u8>(), 0..200)) {
        checks::patching(&data);
        checks::replacing(&data);
    }

    #[test]
    fn any_lines_of_patches_are_answered(
        lines in vec(prop_oneof![
            Just("*** Begin Patch"), Just("*** End Patch"), Just("*** Update File: a"),
            Just("*** Add File: b/c"), Just("*** Delete File: a"), Just("*** Move to: d"),
            Just("*** End of File"), Just("@@"), Just("@@ x"), Just("@@ -1,2 +1,3 @@ y"),
            Just("--- a/a"), Just("+++ b/a"), Just("+++ /dev/null"), Just("--- /dev/null"),
            Just("diff --git a/a b/a"), Just("rename from a"), Just("rename to z"),
            Just("new file mode 100644"), Just("deleted file mode 100644"), Just("\\ No newline"),
            Just("+x"), Just("-x"), Just(" x"), Just(""), Just(" y"), Just("+y\r"), Just("```"),
            Just("~~~~"), Just("x"), Just("y"), Just("-- "),
        ], 0..24),
    ) {
        checks::patching(lines.join("\n").as_bytes());
    }
}
