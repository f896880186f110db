//! Many writes in a row on one server: each verdict is right, and nothing grows.

use fourfold_testkit::{Project, Seen, fresh, leftovers};

use super::desk::{Desk, seen};
use crate::our_memory;

/// How many writes; the long runs have more of the slower servers.
const MANY: usize = 200;
const SOME: usize = 40;

/// A language, by what a function in it looks like that has an error of one of two kinds or none.
struct Language {
    server: &'static str,
    file: &'static str,
    project: fn() -> Project,
    head: &'static str,
    good: fn(usize) -> String,
    wrong: [fn(usize) -> String; 2],
    /// What the messages of these errors hold, `of_kind` of no other.
    of_kind: [&'static str; 2],
}

const PYTHON: Language = Language {
    server: "pyright",
    file: "crane.py",
    project: || {
        Project::new()
            .file(
                "pyproject.toml",
                "[project]\nname = \"harbour\"\nversion = \"0.1.0\"\n",
            )
            .file("crane.py", "")
    },
    head: "class Crane:\n    tons: int = 40\n",
    good: |n| format!("\n\ndef good_{n}(crane: Crane) -> int:\n    return crane.tons\n"),
    wrong: [
        |n| format!("\n\ndef wrong_{n}(crane: Crane) -> int:\n    return crane.ton\n"),
        |n| format!("\n\ndef wrong_{n}() -> int:\n    return tons\n"),
    ],
    of_kind: ["\"ton\"", "\"tons\" is not defined"],
};

const CPP: Language = Language {
    server: "clangd",
    file: "crane.cpp",
    project: || {
        Project::new()
            .file("compile_flags.txt", "-xc++\n-std=c++17\n")
            .file("crane.cpp", "")
    },
    head: "struct Crane { int tons; };\n",
    good: |n| format!("\nint good_{n}(Crane crane) {{ return crane.tons; }}\n"),
    wrong: [
        |n| format!("\nint wrong_{n}(Crane crane) {{ return crane.ton; }}\n"),
        |n| format!("\nint wrong_{n}() {{ return draught; }}\n"),
    ],
    of_kind: ["member named 'ton'", "identifier 'draught'"],
};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit as u64) as usize
    }
}

impl Language {
    /// A text, and how many errors of each kind it has.
    fn text(&self, numbers: &mut Numbers) -> (String, [usize; 2]) {
        let mut text = self.head.to_owned();
        let mut errors = [0, 0];
        for function in 0..numbers.below(6) {
            let blank_lines = numbers.below(5);
            text.push_str(&"\n".repeat(blank_lines));
            let kind = numbers.below(4);
            match self.wrong.get(kind) {
                Some(wrong) => {
                    errors[kind] += 1;
                    text.push_str(&wrong(function));
                }
                None => text.push_str(&(self.good)(function)),
            }
        }
        (text, errors)
    }

    /// How many errors of each kind there are; all must be of one.
    fn count(&self, seen: &[Seen]) -> [usize; 2] {
        let errors: Vec<_> = seen
            .iter()
            .filter(|seen| seen.severity == "error")
            .collect();
        let counts = self.of_kind.map(|what| {
            errors
                .iter()
                .filter(|seen| seen.message.contains(what))
                .count()
        });
        assert_eq!(counts[0] + counts[1], errors.len(), "{errors:?}");
        counts
    }
}

async fn write_many(language: &Language, writes: usize) {
    let desk = Desk::new((language.project)(), &[language.server]);
    let server = desk.server(language.server, language.file).await;
    let memory = || leftovers::resident(&desk.processes());
    let mut numbers = Numbers(7);
    let mut known = [0, 0];
    let (mut theirs, mut ours) = (0, None);
    for write in 0..writes {
        let before = server.baseline(language.file).await;
        let (text, errors) = language.text(&mut numbers);
        desk.project.write(language.file, &text);
        let after = server.after(language.file, false, &text).await;
        for settled in [&before, &after] {
            assert!(
                settled.evidence.is_confirmed(),
                "write {write}: {:?}",
                settled.evidence
            );
        }
        let (before, after) = (seen(&before.diagnostics), seen(&after.diagnostics));
        assert_eq!(language.count(&before), known, "before write {write}");
        assert_eq!(language.count(&after), errors, "write {write}: {text}");
        let more = [0, 1].map(|kind| errors[kind].saturating_sub(known[kind]));
        assert_eq!(
            language.count(&fresh(&before, &after)),
            more,
            "new in write {write}"
        );
        known = errors;
        if write == writes / 4 {
            (theirs, ours) = (memory(), our_memory());
        }
    }
    let (theirs_now, ours_now) = (memory(), our_memory());
    println!("{}: {theirs} -> {theirs_now} bytes", language.server);
    // What a collector of garbage has not collected yet comes and goes.
    assert!(
        theirs_now < theirs + theirs / 2 + (64 << 20),
        "{theirs} -> {theirs_now} bytes"
    );
    if let (Some(ours), Some(ours_now)) = (ours, ours_now) {
        assert!(
            ours_now < ours + (8 << 20),
            "we: {ours} -> {ours_now} bytes"
        );
    }
    drop(server);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_asked() {
    write_many(&PYTHON, MANY).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_publishes() {
    let long = std::env::var_os("FOURFOLD_LONG").is_some();
    write_many(&CPP, if long { MANY } else { SOME }).await;
}
