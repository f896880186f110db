//! Where hunks belong: content first, then headers, line numbers and order; else refused.

use expect_test::{Expect, expect};
use fourfold_edit::{Change, Error, Outcome, Patch};

fn applied(body: &str, old: &str) -> Result<Change, Error> {
    let text = format!("*** Begin Patch\n*** Update File: f\n{body}*** End Patch\n");
    match Patch::parse(&text)?.files[0].apply(Some(old.as_bytes()))? {
        Outcome::Updated(change) => Ok(change),
        other => panic!("{other:?}"),
    }
}

fn after(body: &str, old: &str) -> String {
    let change = applied(body, old).unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(change.text).unwrap()
}

fn refused(body: &str, old: &str, said: &Expect) {
    said.assert_eq(&applied(body, old).unwrap_err().to_string());
}

const CODE: &str = "class A:\n    def run(self):\n        return 1\n\n    def stop(self):\n        return 1\n\nclass B:\n    def run(self):\n        return 1\n";

#[test]
fn several_places_are_refused_and_named() {
    refused(
        "@@\n-        return 1\n+        return 2\n",
        CODE,
        &expect![[r#"
            updating f, hunk 1 of 1 (line 3 of the patch): the lines that it shows are found at 3 places:
                3 |         return 1
                6 |         return 1
               10 |         return 1
            give more unchanged lines around the change, or name the enclosing function or class after @@"#]],
    );
    refused(
        "@@ def run(self):\n-        return 1\n+        return 2\n",
        CODE,
        &expect![[r#"
            updating f, hunk 1 of 1 (line 3 of the patch): the lines that it shows are found at 2 places:
                3 |         return 1
               10 |         return 1
            give more unchanged lines around the change, or name the enclosing function or class after @@"#]],
    );
}

#[test]
fn headers_decide() {
    let body = "@@ class A:\n@@ def run(self):\n-        return 1\n+        return 2\n";
    assert_eq!(after(body, CODE), CODE.replacen("return 1", "return 2", 1));
    let body = "@@ class B\n-        return 1\n+        return 2\n";
    let last = CODE.strip_suffix("return 1\n").unwrap().to_owned() + "return 2\n";
    assert_eq!(after(body, CODE), last);
    assert_eq!(
        after("@@     def stop(self): @@\n-        return 1\n", CODE),
        CODE.replace("stop(self):\n        return 1\n", "stop(self):\n")
    );
    // What a header encloses comes before an exact match elsewhere.
    let blanks = "fn a() {\n    x();\n}\nfn b() {\n    x(); \n}\n";
    assert_eq!(
        after("@@ fn b() {\n-    x();\n+    y();\n", blanks),
        "fn a() {\n    x();\n}\nfn b() {\n    y();\n}\n"
    );
}

#[test]
fn a_header_that_is_not_there_is_let_pass_only_where_content_is_enough() {
    let change = applied("@@ def halt(self):\n-class B:\n+class C:\n", CODE).unwrap();
    assert!(change.matches[0].header_off);
    assert_eq!(change.text, CODE.replace("class B", "class C").as_bytes());
    refused(
        "@@ def halt(self):\n-        return 1\n",
        CODE,
        &expect![[r#"
            updating f, hunk 1 of 1 (line 3 of the patch): the lines that it shows are found at 3 places:
                3 |         return 1
                6 |         return 1
               10 |         return 1
            give more unchanged lines around the change, or name the enclosing function or class after @@"#]],
    );
    refused(
        "@@ class B:\n-    def stop(self):\n+    def halt(self):\n",
        CODE,
        &expect![[r#"
            updating f, hunk 1 of 1 (line 3 of the patch): its lines are not below `@@ class B:`; they stand here:
                5 |     def stop(self):
            name the line that encloses them, or none if that is the place"#]],
    );
}

#[test]
fn an_exactly_right_line_number_decides_and_a_nearly_right_one_does_not() {
    let hunk =
        |line: usize| format!("@@ -{line},1 +{line},1 @@\n-        return 1\n+        return 2\n");
    assert_eq!(
        after(&hunk(3), CODE),
        CODE.replacen("return 1", "return 2", 1)
    );
    let error = applied(&hunk(4), CODE).unwrap_err();
    assert!(
        matches!(error, Error::Ambiguous { count: 3, .. }),
        "{error}"
    );
    // The function that a diff names, if it is one place.
    let named = "@@ -99,1 +99,1 @@ class B:\n-        return 1\n+        return 2\n";
    assert!(after(named, CODE).ends_with("return 2\n"));
}

#[test]
fn the_order_of_the_hunks_decides() {
    let all = "@@\n-        return 1\n+        return 2\n".repeat(3);
    assert_eq!(after(&all, CODE), CODE.replace("return 1", "return 2"));
    let between = "@@\n-    def stop(self):\n+    def halt(self):\n@@\n-        return 1\n+        return 2\n@@\n-class B:\n+class C:\n";
    let wanted = CODE
        .replace(
            "stop(self):\n        return 1",
            "halt(self):\n        return 2",
        )
        .replace("class B", "class C");
    assert_eq!(after(between, CODE), wanted);
    let two = "@@\n-        return 1\n+        return 2\n".repeat(2);
    let error = applied(&two, CODE).unwrap_err();
    assert_eq!(error.each().len(), 2, "{error}");
}

#[test]
fn hunks_that_are_certain_may_stand_in_any_order() {
    let body = "@@\n-class B:\n+class C:\n@@\n-    def stop(self):\n+    def halt(self):\n";
    assert_eq!(
        after(body, CODE),
        CODE.replace("class B", "class C").replace("stop", "halt")
    );
}

#[test]
fn hunks_may_share_what_stays_and_nothing_else() {
    let old = "a\nb\nc\nd\n";
    assert_eq!(
        after("@@\n-a\n+A\n b\n@@\n b\n-c\n+C\n", old),
        "A\nb\nC\nd\n"
    );
    assert_eq!(after("@@\n a\n+x\n@@\n-b\n+B\n", old), "a\nx\nB\nc\nd\n");
    refused(
        "@@\n a\n-b\n+x\n@@\n-b\n+y\n c\n",
        old,
        &expect![
            "updating f, hunk 2 of 2 (line 7 of the patch): it changes lines that hunk 1 (line 3 of the patch) changes too, or adds some at the same place; make them one hunk"
        ],
    );
    refused(
        "@@\n a\n+x\n@@\n+y\n b\n",
        old,
        &expect![
            "updating f, hunk 2 of 2 (line 6 of the patch): it changes lines that hunk 1 (line 3 of the patch) changes too, or adds some at the same place; make them one hunk"
        ],
    );
}

#[test]
fn additions_need_a_place() {
    refused(
        "@@ a\n+x\n",
        "a\nb\n",
        &expect![
            "updating f, hunk 1 of 1 (line 3 of the patch): it only adds lines and shows none of the file, so nothing says where they belong; put an unchanged line before or after them, or end the hunk with `*** End of File` to append"
        ],
    );
    assert_eq!(after("@@\n+x\n*** End of File\n", "a\nb\n"), "a\nb\nx\n");
    assert_eq!(after("@@\n+x\n*** End of File\n", "a\r\nb"), "a\r\nb\r\nx");
    assert_eq!(after("+x\n", ""), "x\n");
}

#[test]
fn the_end_of_the_file_is_a_place() {
    assert_eq!(
        after("@@\n a\n+b\n*** End of File\n", "a\nx\na\n"),
        "a\nx\na\nb\n"
    );
    assert_eq!(after("@@\n-a\n+b\n*** End of File\n", "a\nx\na"), "a\nx\nb");
    refused(
        "@@\n a\n+b\n*** End of File\n",
        "a\nx\n",
        &expect![[r#"
        updating f, hunk 1 of 1 (line 3 of the patch): it ends with `*** End of File`, but its lines are not the last ones of the file; they stand here:
            1 | a
        leave the marker out if that is the place"#]],
    );
}

#[test]
fn every_hunk_that_fails_is_told() {
    let body = "@@\n-class C:\n+class D:\n@@\n-    def stop(self):\n+    def halt(self):\n@@\n     def stop(self):\n-        return 2\n+        return 3\n@@\n     def go(self):\n";
    refused(
        body,
        CODE,
        &expect![[r#"
        2 problems, nothing was changed:
        1. updating f, hunk 1 of 3 (line 3 of the patch): the lines that it shows are not in the file; the nearest places are:
            1 | class A:
              line 1 differs: the file has "class A:", not "class C:"
              --
            8 | class B:
              line 8 differs: the file has "class B:", not "class C:"
        copy the text exactly as it stands in the file
        2. updating f, hunk 3 of 3 (line 9 of the patch): the lines that it shows are not in the file; the nearest places are:
            5 |     def stop(self):
            6 |         return 1
              line 6 differs: the file has "        return 1", not "        return 2"
              --
            2 |     def run(self):
            3 |         return 1
              line 2 differs: the file has "    def run(self):", not "    def stop(self):"
              line 3 differs: the file has "        return 1", not "        return 2"
              --
            9 |     def run(self):
           10 |         return 1
              line 9 differs: the file has "    def run(self):", not "    def stop(self):"
              line 10 differs: the file has "        return 1", not "        return 2"
        copy the text exactly as it stands in the file"#]],
    );
}

#[test]
fn a_patch_that_was_applied_before_is_recognised() {
    let body = "@@\n     def stop(self):\n-        return 0\n+        return 1\n";
    refused(
        body,
        CODE,
        &expect![[r#"
        updating f, hunk 1 of 1 (line 3 of the patch): the lines that it shows are not in the file; what it should become is there at line 5: the change seems to be made already; the nearest places are:
            5 |     def stop(self):
            6 |         return 1
              line 6 differs: the file has "        return 1", not "        return 0"
              --
            2 |     def run(self):
            3 |         return 1
              line 2 differs: the file has "    def run(self):", not "    def stop(self):"
              line 3 differs: the file has "        return 1", not "        return 0"
              --
            9 |     def run(self):
           10 |         return 1
              line 9 differs: the file has "    def run(self):", not "    def stop(self):"
              line 10 differs: the file has "        return 1", not "        return 0""#]],
    );
}
