//! Unique replacement: what is found, what is refused and how it is said, what becomes of line ends.

use expect_test::{Expect, expect};
use fourfold_edit::{Change, Edit, Error, Replacement, Tolerance, apply, replace};

const CODE: &str = "fn one() {\n    start();\n    stop();\n}\n\nfn two() {\n    start();\n    wait(3);\n    stop();\n}\n";

fn change(text: &str, old: &str, new: &str) -> Change {
    let change = replace(text.as_bytes(), &[Replacement::unique(old, new)]).unwrap();
    assert_eq!(apply(text.as_bytes(), &change.edits).unwrap(), change.text);
    change
}

fn after(text: &str, old: &str, new: &str) -> (String, Tolerance) {
    let change = change(text, old, new);
    let tolerance = change.tolerance();
    (String::from_utf8(change.text).unwrap(), tolerance)
}

fn refused(text: &str, replacements: &[Replacement<'_>], said: &Expect) -> Error {
    let error = replace(text.as_bytes(), replacements).unwrap_err();
    said.assert_eq(&error.to_string());
    error
}

#[test]
fn the_only_occurrence_is_replaced_and_nothing_else() {
    let change = change(CODE, "wait(3)", "wait(4)");
    assert_eq!(change.edits, [Edit::new(67..74, "wait(4)")]);
    assert_eq!((change.matches[0].line, change.matches[0].count), (8, 1));
    assert_eq!(change.tolerance(), Tolerance::Exact);
}

#[test]
fn several_places_are_all_named() {
    let ambiguous = [Replacement::unique("    start();\n", "    go();\n")];
    refused(
        CODE,
        &ambiguous,
        &expect![[r#"
            replacing: the old text is found at 2 places:
                2 |     start();
                7 |     start();
            give more of the lines around the one that is meant, or replace all of them"#]],
    );
    let many = "x = 1\n".repeat(30);
    refused(
        &many,
        &[Replacement::unique("x = 1", "x = 2")],
        &expect![[r#"
            replacing: the old text is found at 30 places:
                1 | x = 1
                2 | x = 1
                3 | x = 1
                4 | x = 1
                5 | x = 1
                  … 25 more
            give more of the lines around the one that is meant, or replace all of them"#]],
    );
}

#[test]
fn an_occurrence_that_overlaps_itself_is_two() {
    let error = replace(b"aaa", &[Replacement::unique("aa", "b")]).unwrap_err();
    assert!(
        matches!(error, Error::Ambiguous { count: 2, .. }),
        "{error}"
    );
    // Everywhere: from the left, without overlaps.
    let change = replace(b"aaa", &[Replacement::everywhere("aa", "b")]).unwrap();
    assert_eq!(change.text, b"ba");
}

#[test]
fn all_are_replaced_where_that_is_asked_for() {
    let change = replace(
        CODE.as_bytes(),
        &[Replacement::everywhere("start", "begin")],
    )
    .unwrap();
    assert_eq!(
        String::from_utf8(change.text).unwrap(),
        CODE.replace("start", "begin")
    );
    assert_eq!(change.matches[0].count, 2);
    let error = replace(CODE.as_bytes(), &[Replacement::everywhere("begin", "go")]).unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }));
}

#[test]
fn what_is_not_there_is_answered_with_what_comes_nearest() {
    let wanted = "fn two() {\n    start();\n    wait(5);\n    stop();\n";
    refused(
        CODE,
        &[Replacement::unique(wanted, "fn two() {\n")],
        &expect![[r#"
        replacing: the old text is not in the file; the nearest place is:
            6 | fn two() {
            7 |     start();
            8 |     wait(3);
            9 |     stop();
              line 8 differs: the file has "    wait(3);", not "    wait(5);"
        copy the text exactly as it stands in the file"#]],
    );
    refused(
        CODE,
        &[Replacement::unique(
            "fn two() {\n\tstart();\n\twait(3);\n",
            "",
        )],
        &expect![[r#"
            replacing: the old text is not in the file; the nearest place is:
                6 | fn two() {
                7 |     start();
                8 |     wait(3);
                  line 7 differs in its indentation: the file has "    start();", not "\tstart();"
                  line 8 differs in its indentation: the file has "    wait(3);", not "\twait(3);"
            copy the text exactly as it stands in the file"#]],
    );
    refused(
        "let name = \"O\u{2019}Hara\";\nlet other = Name;\n",
        &[Replacement::unique(
            "let name = \"O'Hara\";\nLet other = name;\n",
            "",
        )],
        &expect![[r#"
            replacing: the old text is not in the file; the nearest place is:
                1 | let name = "O’Hara";
                2 | let other = Name;
                  line 1 differs in typographic signs: the file has "let name = \"O’Hara\";", not "let name = \"O'Hara\";"
                  line 2 differs in upper and lower case: the file has "let other = Name;", not "Let other = name;"
            copy the text exactly as it stands in the file"#]],
    );
    refused(
        "a();\nb();\nc();\nd();\n",
        &[Replacement::unique("a();\nb();\nb2();\nc();\n", "")],
        &expect![[r#"
            replacing: the old text is not in the file; the nearest place is:
                1 | a();
                2 | b();
                3 | c();
                4 | d();
                  before line 3: the file lacks "b2();"
                  line 4: only the file has "d();"
            copy the text exactly as it stands in the file"#]],
    );
}

#[test]
fn nothing_like_it_is_said_too() {
    refused(
        CODE,
        &[Replacement::unique("SELECT * FROM users", "")],
        &expect![[r#"
        replacing: the old text is not in the file, and nothing in it is like it; read the file and copy the text from it"#]],
    );
    refused(
        "",
        &[Replacement::unique("x", "y")],
        &expect![[r#"
        replacing: the old text is not in the file, and nothing in it is like it; read the file and copy the text from it"#]],
    );
}

#[test]
fn the_usual_mistakes_are_recognised() {
    refused(
        CODE,
        &[Replacement::unique(
            "wait(2);\n    go();",
            "wait(3);\n    stop();",
        )],
        &expect![[r#"
        replacing: the old text is not in the file; what it should become is there at line 8: the change seems to be made already; the nearest place is:
            8 |     wait(3);
            9 |     stop();
              line 8 differs: the file has "    wait(3);", not "wait(2);"
              line 9 differs: the file has "    stop();", not "    go();""#]],
    );
    refused(
        CODE,
        &[Replacement::unique(
            "     8\t    wait(3);\n     9\t    stop();\n",
            "",
        )],
        &expect![[r#"
            replacing: the old text is not in the file; without the line numbers in front of its lines it is at line 8: leave them out; the nearest place is:
                8 |     wait(3);
                9 |     stop();
                  line 8 differs: the file has "    wait(3);", not "     8\t    wait(3);"
                  line 9 differs: the file has "    stop();", not "     9\t    stop();""#]],
    );
    let error = replace(
        CODE.as_bytes(),
        &[Replacement::unique(r"wait(3);\n    stop();", "")],
    )
    .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("with its escapes (such as \\n) as real characters it is at line 8"),
        "{error}"
    );
}

#[test]
fn requests_that_can_do_nothing_are_refused() {
    refused(
        CODE,
        &[Replacement::unique("", "x")],
        &expect![[r#"
        replacing: the old text is empty, so it names no place; copy the lines to change from the file, with one line around an insertion"#]],
    );
    refused(
        CODE,
        &[Replacement::unique("stop", "stop")],
        &expect![[r#"
        replacing: the old text and the new text are the same, so nothing would change; give the text as it shall become"#]],
    );
    refused(
        CODE,
        &[],
        &expect![[r#"
        reading the edits: there are none; give at least one old text and its replacement"#]],
    );
}

#[test]
fn each_replacement_sees_what_the_one_before_it_left() {
    let edits = [
        Replacement::unique("wait(3)", "pause(3)"),
        Replacement::unique("pause(3);\n    stop();", "pause(4);"),
        Replacement::everywhere("start", "begin"),
    ];
    let change = replace(CODE.as_bytes(), &edits).unwrap();
    let text = String::from_utf8(change.text.clone()).unwrap();
    assert_eq!(
        text,
        "fn one() {\n    begin();\n    stop();\n}\n\nfn two() {\n    begin();\n    pause(4);\n}\n"
    );
    assert_eq!(apply(CODE.as_bytes(), &change.edits).unwrap(), change.text);
    assert_eq!(change.edits.len(), 3);
}

#[test]
fn all_that_fail_are_named() {
    let edits = [
        Replacement::unique("fn three", "fn four"),
        Replacement::unique("wait(3)", "wait(4)"),
        Replacement::unique("stop", "halt"),
    ];
    let error = refused(
        CODE,
        &edits,
        &expect![[r#"
            2 problems, nothing was changed:
            1. replacing, edit 1 of 3: the old text is not in the file, and nothing in it is like it; read the file and copy the text from it
            2. replacing, edit 3 of 3: the old text is found at 2 places:
                3 |     stop();
                9 |     stop();
            give more of the lines around the one that is meant, or replace all of them"#]],
    );
    assert_eq!(error.each().len(), 2);
}

#[test]
fn lines_that_come_end_as_the_lines_that_go() {
    let crlf = "a\r\nb\r\nc\r\n";
    assert_eq!(
        after(crlf, "a\nb\n", "a\nx\ny\n"),
        ("a\r\nx\r\ny\r\nc\r\n".to_owned(), Tolerance::LineEnds)
    );
    // Line by line in a file that mixes them.
    assert_eq!(
        after("a\r\nb\nc\r\n", "a\nb\nc", "A\nB\nC").0,
        "A\r\nB\nC\r\n"
    );
    assert_eq!(after("a\rb\rc\r", "a\nb\n", "a\nx\n").0, "a\rx\rc\r");
    // The other way round.
    assert_eq!(
        after("a\nb\nc\n", "a\r\nb", "x\r\ny\r\nz").0,
        "x\ny\nz\nc\n"
    );
}

#[test]
fn a_part_of_a_line_grows_with_the_line_ends_around() {
    assert_eq!(
        after("one\r\ntwo\r\n", "two", "2\n2"),
        ("one\r\n2\r\n2\r\n".to_owned(), Tolerance::Exact)
    );
    assert_eq!(after("one\rtwo", "two", "2\n2").0, "one\r2\r2");
    // Plain LFs are no accident where the old text shows them, nor are CRs in the new one.
    assert_eq!(after("x\r\na\nb\r\n", "a\nb", "c\nd").0, "x\r\nc\nd\r\n");
    assert_eq!(after("one\r\ntwo\r\n", "two", "2\r2").0, "one\r\n2\r2\r\n");
    // A CR inside a line of a file with LFs is no line end.
    assert_eq!(after("10%\r20%\n", "10%", "1\n2").0, "1\n2\r20%\n");
}

#[test]
fn trailing_blanks_may_differ_and_stay_where_nothing_changes() {
    let text = "if a:  \n    b()\t\n    c()\n";
    let (new, tolerance) = after(text, "if a:\n    b()\n    c()", "if a:\n    b()\n    d()");
    assert_eq!(new, "if a:  \n    b()\t\n    d()\n");
    assert_eq!(tolerance, Tolerance::TrailingBlanks);
    assert_eq!(after("a\nb\n", "a  \nb  ", "a\nc").0, "a\nc\n");
    // Two places that differ in trailing blanks are two places.
    let error = replace(b"a \nb\na\t\nb\n", &[Replacement::unique("a\nb", "")]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("at 2 places, all with other trailing blanks"),
        "{error}"
    );
}

#[test]
fn an_exact_place_wins_over_loose_ones() {
    let (new, tolerance) = after("a\r\nb\na\nb\n", "a\nb", "x\ny");
    assert_eq!(
        (new.as_str(), tolerance),
        ("a\r\nb\nx\ny\n", Tolerance::Exact)
    );
}

#[test]
fn indentation_is_never_guessed() {
    let text = "class A:\n    def f(self):\n        return 1\n";
    let error = replace(
        text.as_bytes(),
        &[Replacement::unique("def f(self):\n    return 1", "x")],
    );
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("line 3 differs in its indentation")
    );
}

#[test]
fn a_text_without_a_final_newline_keeps_being_one() {
    assert_eq!(
        after("a\nb", "b\n", "c\n"),
        ("a\nc".to_owned(), Tolerance::LineEnds)
    );
    assert_eq!(after("a\nb", "b\n", "b\nc\n").0, "a\nb\nc");
    assert_eq!(after("a\r\nb", "b\n", "b\nc\n").0, "a\r\nb\r\nc");
    assert_eq!(after("a\nb", "b", "c\n").0, "a\nc\n");
    assert_eq!(after("a\nb", "a\nb\n", "a\n").0, "a\n");
}

#[test]
fn long_texts_are_cut_in_messages() {
    let line = "é".repeat(20_000);
    let wanted = format!("{}x", "é".repeat(2000));
    let text = format!("{line}\n").repeat(10);
    let error = replace(text.as_bytes(), &[Replacement::unique(&line, "")]).unwrap_err();
    assert!(error.to_string().len() < 4000);
    let error = replace(text.as_bytes(), &[Replacement::unique(&wanted, "")]).unwrap_err();
    assert!(error.to_string().len() < 4000);
}
