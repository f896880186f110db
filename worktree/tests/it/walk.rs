//! Which files a walk lists, and what it says about the others.

use std::ffi::OsStr;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

use expect_test::expect;
use fourfold_worktree::{Control, ReadLimits, WalkOptions, read_text};

use crate::{Place, over};

fn listed(place: &Place, options: &WalkOptions<'_>) -> Vec<String> {
    let walk = place.checkout.walk(options, &Control::new()).unwrap();
    walk.files().iter().map(ToString::to_string).collect()
}

fn tallied(place: &Place, options: &WalkOptions<'_>) -> String {
    let walk = place.checkout.walk(options, &Control::new()).unwrap();
    walk.tally().to_string()
}

fn refused(place: &Place, options: &WalkOptions<'_>) -> String {
    let error = place.checkout.walk(options, &Control::new()).unwrap_err();
    place.tidy(error)
}

#[test]
fn the_order_is_that_of_the_tree() {
    let place = Place::new(&[
        ("b.rs", ""),
        ("a/z.rs", ""),
        ("a/b/c.rs", ""),
        ("a-b/x.rs", ""),
        ("a.rs", ""),
        ("B.rs", ""),
    ]);
    assert_eq!(
        listed(&place, &over(&[])),
        ["B.rs", "a/b/c.rs", "a/z.rs", "a-b/x.rs", "a.rs", "b.rs"]
    );
}

#[test]
fn ignore_rules_hold_without_a_repository_too() {
    let place = Place::new(&[
        (".gitignore", "target/\n*.log\n!keep.log\n/only-here\n"),
        ("target/a.rs", ""),
        ("src/target/b.rs", ""),
        ("x.log", ""),
        ("keep.log", ""),
        ("only-here", ""),
        ("src/only-here", ""),
        ("src/.gitignore", "gen.rs\n"),
        ("src/gen.rs", ""),
        ("gen.rs", ""),
        (".ignore", "vendored\n"),
        ("vendored/v.rs", ""),
        (".hidden/h.rs", ""),
        (".git/config", ""),
        (".fourfold/state", ""),
    ]);
    let seen = ["gen.rs", "keep.log", "src/only-here"];
    assert_eq!(listed(&place, &over(&[])), seen);
    fs::remove_dir_all(place.path(".git")).unwrap();
    assert_eq!(listed(&place, &over(&[])), seen);

    let hidden = WalkOptions {
        hidden: true,
        ..over(&[])
    };
    place.write("sub/.git/HEAD", "");
    place.write("sub/s.rs", "");
    assert_eq!(
        listed(&place, &hidden),
        [
            ".gitignore",
            ".hidden/h.rs",
            ".ignore",
            "gen.rs",
            "keep.log",
            "src/.gitignore",
            "src/only-here",
            "sub/s.rs"
        ]
    );
    let all = WalkOptions {
        no_ignore: true,
        ..over(&["src", "target"])
    };
    assert_eq!(
        listed(&place, &all),
        [
            "src/gen.rs",
            "src/only-here",
            "src/target/b.rs",
            "target/a.rs"
        ]
    );
}

#[test]
fn what_is_named_is_listed() {
    let place = Place::new(&[
        (".gitignore", "out/\n*.log\n"),
        ("out/a.rs", ""),
        ("out/b.log", ""),
        ("x.log", ""),
        (".hidden", ""),
        ("src/a.rs", ""),
    ]);
    assert_eq!(
        listed(&place, &over(&["x.log", ".hidden"])),
        [".hidden", "x.log"]
    );
    assert_eq!(listed(&place, &over(&["out"])), ["out/a.rs"]);
    assert_eq!(listed(&place, &over(&["out/b.log"])), ["out/b.log"]);
    assert_eq!(
        listed(
            &place,
            &over(&["src", "src/a.rs", ".", "./src/../src/a.rs"])
        ),
        ["src/a.rs"]
    );
}

#[test]
fn globs_select_and_leave_out() {
    let place = Place::new(&[
        ("src/a.rs", ""),
        ("src/a_test.rs", ""),
        ("src/a.py", ""),
        ("lib/b.rs", ""),
    ]);
    let check = |globs: &[&str], expected: &[&str]| {
        let options = WalkOptions {
            globs: globs.iter().map(ToString::to_string).collect(),
            ..over(&[])
        };
        assert_eq!(listed(&place, &options), expected, "{globs:?}");
    };
    check(&["*.rs"], &["lib/b.rs", "src/a.rs", "src/a_test.rs"]);
    check(&["src/*.rs", "!*_test.rs"], &["src/a.rs"]);
    check(&["!src"], &["lib/b.rs"]);
    check(&["**/*.{py,ts}"], &["src/a.py"]);
    let faulty = WalkOptions {
        globs: vec!["*.rs".into(), "src/{a".into()],
        ..over(&[])
    };
    expect!["cannot use the glob `src/{a`: error parsing glob 'src/{a': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?); the form is that of .gitignore, with a leading `!` to leave out"]
        .assert_eq(&refused(&place, &faulty));
}

#[test]
fn the_caller_chooses_what_it_can_use() {
    let place = Place::new(&[("a.rs", ""), ("a.txt", ""), ("deep/b.rs", "")]);
    place.fifo("pipe.rs");
    place.fifo("pipe.txt");
    let wanted = |path: &std::path::Path| path.extension() == Some(OsStr::new("rs"));
    let options = |paths| WalkOptions {
        wanted: Some(&wanted),
        ..over(paths)
    };
    assert_eq!(listed(&place, &options(&[])), ["a.rs", "deep/b.rs"]);
    assert_eq!(
        tallied(&place, &options(&[])),
        "skipped: 1 not a regular file"
    );
    assert_eq!(listed(&place, &options(&["a.rs", "a.txt"])), ["a.rs"]);
    assert_eq!(
        tallied(&place, &options(&["a.rs", "a.txt"])),
        "skipped: 1 of another kind"
    );
}

#[test]
fn links_are_followed_only_when_named_and_inside() {
    let place = Place::new(&[("src/a.rs", "")]);
    fs::write(place.outside.path().join("secret.rs"), "").unwrap();
    place.link("src/a.rs", "alias.rs");
    place.link("src", "sources");
    place.link("../secret.rs", "leak.rs");
    place.link("..", "up");
    place.link("gone", "broken.rs");
    place.link(".", "src/round");
    assert_eq!(listed(&place, &over(&[])), ["src/a.rs"]);
    assert_eq!(tallied(&place, &over(&[])), "skipped: nothing");
    assert_eq!(
        listed(&place, &over(&["alias.rs", "sources"])),
        ["src/a.rs"]
    );
    let all = over(&["alias.rs", "sources", "leak.rs", "up", "broken.rs"]);
    assert_eq!(listed(&place, &all), ["src/a.rs"]);
    assert_eq!(
        tallied(&place, &all),
        "skipped: 2 link out of the checkout, 1 broken link"
    );
}

#[test]
fn a_wrong_path_ends_the_walk_before_it_begins() {
    let place = Place::new(&[("a.rs", ""), (".git/config", "")]);
    expect!["cannot search `scr`: nothing is there; check the spelling (relative paths start at `BASE/tree`)"]
        .assert_eq(&refused(&place, &over(&["a.rs", "scr"])));
    expect!["cannot search `..`: it is outside the checkout `BASE/tree`; name a path inside, or open the checkout it belongs to"]
        .assert_eq(&refused(&place, &over(&[".."])));
    expect!["cannot search `.git`: `.git` holds what a program keeps for itself; leave it alone and name a file of the project"]
        .assert_eq(&refused(&place, &over(&[".git"])));
}

#[test]
fn strange_names_and_faulty_ignore_files_are_survived() {
    let place = Place::new(&[
        (".gitignore", "[\n*.log\n"),
        ("x.log", ""),
        ("a b\n.rs", ""),
    ]);
    place.write(OsStr::from_bytes(b"caf\xe9/\xff.rs"), "");
    assert_eq!(
        listed(&place, &over(&[])),
        ["a b\n.rs", "caf\u{fffd}/\u{fffd}.rs"]
    );
}

#[test]
fn the_run_goes_on_where_it_can_and_counts_the_rest() {
    let place = Place::new(&[
        ("a", "text"),
        ("b", "\0"),
        ("c", "gone soon"),
        ("d", "more"),
    ]);
    place.write("e", b"\xff");
    fs::File::create(place.path("huge"))
        .unwrap()
        .set_len(100 << 20)
        .unwrap();
    let control = Control::new();
    let mut walk = place.checkout.walk(&over(&[]), &control).unwrap();
    fs::remove_file(place.path("c")).unwrap();
    walk.retain(|file| file.relative() != "d");
    let mut seen = Vec::new();
    let mapped = walk
        .map(
            &control,
            || (),
            |(), file| Ok(Some(read_text(file, &ReadLimits::default())?.text)),
            |file, text| {
                seen.push(format!("{file}: {text}"));
                ControlFlow::Continue(())
            },
        )
        .unwrap();
    assert_eq!(seen, ["a: text"]);
    assert_eq!(
        mapped.tally.to_string(),
        "skipped: 1 binary, 1 not UTF-8, 1 too large (>8 MiB), 1 vanished"
    );
    assert_eq!((control.done(), control.total()), (5, 5));
}

#[test]
fn a_cancelled_walk_lists_and_does_nothing() {
    let place = Place::new(&[("a", ""), ("b", "")]);
    let control = Control::new();
    control.cancel();
    let walk = place.checkout.walk(&over(&[]), &control).unwrap();
    assert_eq!(walk.files(), []);
}
