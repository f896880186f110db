//! Verdicts composed from answers that were thought out, and how they read.

use std::time::Duration;

use expect_test::{Expect, expect};
use fourfold_ledger::{Config, Finding, Hides, Ledger, Severity};

use super::compose::{Answer, Heard, Outcome, Question, Unserved, compose};
use super::concern::Unlooked;
use super::standing::{Page, Standing};
use super::{Verdict, VerdictState};

const CONFIRMED: Outcome = Outcome::Confirmed("it named this version");

fn error(message: &str, line: u32) -> Finding {
    Finding::new(Severity::Error, message, line).with_code("E1")
}

fn answer(server: &str, path: &str, outcome: Outcome, heard: &[Finding]) -> Answer {
    let heard = heard.iter().map(|finding| Heard {
        finding: finding.clone(),
        column: 5,
        source: Some("    total(name)".to_owned()),
    });
    Answer {
        server: server.to_owned(),
        types: server != "ruff",
        errors_hide: (server == "gopls").then_some(Hides::Lesser),
        path: path.to_owned(),
        changed: true,
        heard: heard.collect(),
        before: Some(Vec::new()),
        before_guessed: false,
        outcome,
        took: Duration::from_millis(340),
        edited: Vec::new(),
    }
}

fn late() -> Outcome {
    Outcome::Unconfirmed("still loading the project".to_owned())
}

fn composed(ledger: &mut Ledger, answers: Vec<Answer>) -> Verdict {
    let question = Question {
        files: &["a.py".to_owned()],
        most: 20,
        counts: true,
        ..Question::default()
    };
    compose(ledger, &question, answers)
}

fn ledger() -> Ledger {
    Ledger::new(Config::default())
}

fn reads(verdict: &Verdict, expected: Expect) {
    expected.assert_eq(&verdict.to_string());
}

#[test]
fn nothing_new_is_clean_only_when_confirmed() {
    let mut ledger = ledger();
    let clean = composed(&mut ledger, vec![answer("pyright", "a.py", CONFIRMED, &[])]);
    assert_eq!(clean.state, VerdictState::Clean);
    reads(
        &clean,
        expect![[r#"
        clean: nothing new (pyright 340 ms)
    "#]],
    );
    let open = composed(&mut ledger, vec![answer("pyright", "a.py", late(), &[])]);
    assert_eq!(open.state, VerdictState::Unconfirmed);
    reads(
        &open,
        expect![[r#"
        unconfirmed: pyright: still loading the project
    "#]],
    );
}

#[test]
fn what_was_there_before_is_counted_and_not_told() {
    let mut ledger = ledger();
    let mut one = answer(
        "pyright",
        "a.py",
        CONFIRMED,
        &[error("old", 9), error("new", 3)],
    );
    one.before = Some(vec![error("old", 5)]);
    let verdict = composed(&mut ledger, vec![one]);
    assert_eq!(verdict.state, VerdictState::Problems);
    reads(
        &verdict,
        expect![[r#"
        problems: 1 error new; 1 error from before (pyright 340 ms)
          a.py:4:5 error E1: new
              4 |     total(name)
    "#]],
    );
    // Moved, and the new one repaired.
    let verdict = composed(
        &mut ledger,
        vec![answer("pyright", "a.py", CONFIRMED, &[error("old", 20)])],
    );
    assert_eq!(verdict.state, VerdictState::Clean);
    reads(
        &verdict,
        expect![[r#"
        clean: nothing new; 1 fixed; 1 error from before (pyright 340 ms)
          fixed: a.py error E1: new
    "#]],
    );
}

#[test]
fn a_second_equal_problem_is_new() {
    let mut ledger = ledger();
    let mut one = answer(
        "pyright",
        "a.py",
        CONFIRMED,
        &[error("same", 5), error("same", 8)],
    );
    one.before = Some(vec![error("same", 5)]);
    let verdict = composed(&mut ledger, vec![one]);
    assert_eq!((verdict.new.len(), verdict.remaining.errors), (1, 1));
    assert_eq!(verdict.new[0].line, 9);
}

#[test]
fn a_file_that_depends_on_the_change_makes_it_a_problem() {
    let mut ledger = ledger();
    let mut other = answer(
        "pyright",
        "b.py",
        CONFIRMED,
        &[error("no such argument", 1)],
    );
    other.changed = false;
    let verdict = composed(
        &mut ledger,
        vec![answer("pyright", "a.py", CONFIRMED, &[]), other],
    );
    assert_eq!(verdict.state, VerdictState::Problems);
    assert_eq!(verdict.files[0].state, VerdictState::Clean);
    assert_eq!(verdict.new[0].path, "b.py");
}

#[test]
fn a_linter_alone_makes_nothing_clean_where_types_could_be_checked() {
    let mut ledger = ledger();
    let missing = Unserved {
        path: "a.py".to_owned(),
        reason: "pyright is not installed; `pip install pyright`".to_owned(),
        types: true,
        failed: false,
    };
    let files = ["a.py".to_owned()];
    let linter = || vec![answer("ruff", "a.py", CONFIRMED, &[])];
    let asked = |unserved| Question {
        files: &files,
        unserved,
        most: 20,
        counts: true,
        ..Question::default()
    };
    let missing = [missing];
    let verdict = compose(&mut ledger, &asked(&missing), linter());
    reads(
        &verdict,
        expect![[r#"
        unconfirmed: ruff found nothing, but checks no types; pyright is not installed; `pip install pyright` (ruff 340 ms)
    "#]],
    );
    let verdict = compose(&mut ledger, &asked(&[]), linter());
    assert_eq!(verdict.state, VerdictState::Clean);
    let verdict = compose(&mut ledger, &asked(&missing), Vec::new());
    assert_eq!(verdict.state, VerdictState::NoServer);
    reads(
        &verdict,
        expect![[r#"
        no server: pyright is not installed; `pip install pyright`
    "#]],
    );
}

#[test]
fn a_server_that_failed_is_no_consent() {
    let failed = Unserved {
        path: "a.py".to_owned(),
        reason: "pyright ended with status 1: no node".to_owned(),
        types: true,
        failed: true,
    };
    let answers = vec![answer("ruff", "a.py", CONFIRMED, &[])];
    let asked = Question {
        files: &["a.py".to_owned()],
        unserved: &[failed],
        most: 20,
        counts: true,
        ..Question::default()
    };
    let verdict = compose(&mut ledger(), &asked, answers);
    assert_eq!(verdict.state, VerdictState::Unconfirmed);
}

#[test]
fn what_is_not_shown_is_told_the_next_time() {
    let mut ledger = ledger();
    let many: Vec<Finding> = (0..5).map(|n| error(&format!("wrong {n}"), n)).collect();
    let files = ["a.py".to_owned()];
    let asked = |most| Question {
        files: &files,
        most,
        ..Question::default()
    };
    let answers = || vec![answer("pyright", "a.py", CONFIRMED, &many)];
    let first = compose(&mut ledger, &asked(2), answers());
    assert_eq!((first.new.len(), first.new_left_out), (2, 3));
    let said = first.to_string();
    let head = said.lines().next().unwrap_or_default();
    assert_eq!(head, "problems: 5 new (2 errors shown) (pyright 340 ms)");
    let second = compose(&mut ledger, &asked(20), answers());
    assert_eq!((second.new.len(), second.new_left_out), (3, 0));
    assert_eq!(second.remaining.errors, 2);
}

#[test]
fn one_problem_told_by_two_servers_is_shown_once() {
    let mut ledger = ledger();
    let both = vec![
        answer("pyright", "a.py", CONFIRMED, &[error("undefined", 3)]),
        answer("basedpyright", "a.py", CONFIRMED, &[error("undefined", 3)]),
    ];
    let verdict = composed(&mut ledger, both.clone());
    assert_eq!((verdict.new.len(), verdict.new_left_out), (1, 0));
    assert!(composed(&mut ledger, both).new.is_empty());
}

#[test]
fn without_knowing_what_was_before_it_says_so() {
    let mut ledger = ledger();
    let mut one = answer("pyright", "a.py", CONFIRMED, &[error("odd", 3)]);
    one.before = None;
    let verdict = composed(&mut ledger, vec![one]);
    reads(
        &verdict,
        expect![[r#"
            problems: 1 error, which may have been there before (pyright 340 ms)
              a.py:4:5 error E1: odd
                  4 |     total(name)
              (all of it may have been there before: what the file held is not known, or an error hid it)
        "#]],
    );
}

#[test]
fn a_syntax_error_hides_others_and_fixes_nothing() {
    let mut ledger = ledger();
    let mut one = answer(
        "pyright",
        "a.py",
        CONFIRMED,
        &[error("`)` expected", 3).as_syntax()],
    );
    one.before = Some(vec![error("unknown name", 5)]);
    let verdict = composed(&mut ledger, vec![one]);
    assert!(verdict.fixed.is_empty());
    assert_eq!((verdict.new.len(), verdict.remaining.errors), (1, 1));
}

#[test]
fn states_of_several_files_are_told_apart() {
    let files = ["a.py".to_owned(), "b.rb".to_owned()];
    let unserved = [Unserved {
        path: "b.rb".to_owned(),
        reason: "ruby-lsp is not installed".to_owned(),
        types: true,
        failed: false,
    }];
    let answers = vec![answer("pyright", "a.py", CONFIRMED, &[])];
    let asked = Question {
        files: &files,
        unserved: &unserved,
        most: 20,
        counts: true,
        ..Question::default()
    };
    let verdict = compose(&mut ledger(), &asked, answers);
    reads(
        &verdict,
        expect![[r#"
        clean: nothing new (pyright 340 ms)
          b.rb: no server: ruby-lsp is not installed
    "#]],
    );
}

#[test]
fn what_an_error_hides_is_not_fixed_and_comes_back_as_known() {
    let mut ledger = ledger();
    let vet = Finding::new(
        Severity::Warning,
        "Printf format %d has arg of wrong type",
        7,
    );
    let typed = error("undeclared name: twice", 3);
    let go = |path: &str, heard: &[Finding]| answer("gopls", path, CONFIRMED, heard);
    let files = ["a.go".to_owned()];
    let mut told = |answers: Vec<Answer>| {
        let asked = Question {
            files: &files,
            most: 20,
            ..Question::default()
        };
        let verdict = compose(&mut ledger, &asked, answers);
        (verdict.state, verdict.new.len(), verdict.fixed.len())
    };
    let (clean, problems) = (VerdictState::Clean, VerdictState::Problems);
    let first = vec![go("a.go", std::slice::from_ref(&vet))];
    assert_eq!(told(first), (problems, 1, 0));
    // The error is in another file, and it is told after the one in which it hides something.
    let broken = vec![go("a.go", &[]), go("b.go", std::slice::from_ref(&typed))];
    assert_eq!(told(broken), (problems, 1, 0));
    let repaired = vec![go("a.go", std::slice::from_ref(&vet)), go("b.go", &[])];
    assert_eq!(told(repaired), (clean, 0, 1));
    assert_eq!(told(vec![go("a.go", &[])]), (clean, 0, 1));

    // It goes while an error is in the way, and nobody speaks of its file again.
    assert_eq!(told(vec![go("a.go", &[vet])]), (problems, 1, 0));
    let typed = std::slice::from_ref(&typed);
    assert_eq!(
        told(vec![go("b.go", typed), go("a.go", &[])]),
        (problems, 1, 0)
    );
    assert_eq!(told(vec![go("b.go", &[])]).2, 2);
}

#[test]
fn one_mistake_in_the_words_of_two_servers_is_one() {
    let mut ledger = ledger();
    let name = Finding::new(Severity::Error, "\"cent\" is not defined", 3)
        .with_code("reportUndefinedVariable");
    let linted = Finding::new(Severity::Error, "Undefined name `cent`", 3).with_code("F821");
    let unused = Finding::new(Severity::Warning, "`cent` imported but unused", 3).with_code("F401");
    let both = |pyright: &[Finding], ruff: &[Finding]| {
        vec![
            answer("ruff", "a.py", CONFIRMED, ruff),
            answer("pyright", "a.py", CONFIRMED, pyright),
        ]
    };
    let names = std::slice::from_ref(&name);
    let told = composed(&mut ledger, both(names, &[linted.clone(), unused.clone()]));
    let codes: Vec<_> = told
        .new
        .iter()
        .filter_map(|new| new.code.as_deref())
        .collect();
    assert_eq!(codes, ["reportUndefinedVariable", "F401"]);
    assert_eq!(told.new_left_out, 0);

    let stands = composed(&mut ledger, both(names, &[linted, unused.clone()]));
    assert_eq!((stands.new.len(), stands.remaining.total()), (0, 2));

    let gone = composed(&mut ledger, both(&[], &[unused]));
    assert_eq!(gone.fixed.len(), 1);
    assert_eq!(gone.fixed[0].server, "pyright");
}

#[test]
fn what_uses_a_changed_declaration_and_was_not_looked_at_is_in_the_way_of_clean() {
    let files = ["a.py".to_owned(), "b.py".to_owned()];
    let unlooked = |path: &str, uses: &str, declared: bool| Unlooked {
        path: Some(path.to_owned()),
        uses: vec![uses.to_owned()],
        rows: Vec::new(),
        declared,
        server: "pyright".to_owned(),
        why: None,
    };
    let both = || {
        vec![
            answer("pyright", "a.py", CONFIRMED, &[]),
            answer("pyright", "b.py", CONFIRMED, &[]),
        ]
    };
    let told = |unlooked: &[Unlooked], expected: Expect| {
        let asked = Question {
            files: &files,
            unlooked,
            most: 20,
            ..Question::default()
        };
        reads(&compose(&mut ledger(), &asked, both()), expected);
    };
    let many = (1..=7).map(|n| unlooked(&format!("t{n}.py"), "a.py", n < 7));
    told(
        &many.collect::<Vec<_>>(),
        expect![[r#"
        unconfirmed: pyright looks at open files alone, and did not look at t1.py, t2.py, t3.py, t4.py, t5.py and 1 more, which use what was changed; `check` them (pyright 340 ms)
          b.py: nothing new
    "#]],
    );
    told(
        &[unlooked("t.py", "a.py", false)],
        expect![[r#"
        clean: nothing new (pyright 340 ms)
          not looked at, though they use what was changed: t.py
    "#]],
    );
    let unknown = Unlooked {
        path: None,
        uses: Vec::new(),
        rows: Vec::new(),
        declared: true,
        server: String::new(),
        why: Some("the code graph of the checkout is still being made".to_owned()),
    };
    told(
        &[unknown],
        expect![[r#"
        unconfirmed: which other files use what was changed is not known: the code graph of the checkout is still being made (pyright 340 ms)
    "#]],
    );
}

#[test]
fn what_a_server_says_in_other_words_because_an_error_hides_it_is_neither_new_nor_fixed() {
    let mut ledger = ledger();
    let native = Finding::new(Severity::Error, "no such value", 49).with_code("E0425");
    let compiler = Finding::new(Severity::Error, "cannot find `missing`", 49).with_code("E0425");
    let native = std::slice::from_ref(&native);
    let compiler = std::slice::from_ref(&compiler);
    let mut then = |changed: &[Finding], before: &[Finding], heard: &[Finding]| {
        let mut beside = answer("rust-analyzer", "tests/t.rs", CONFIRMED, heard);
        beside.changed = false;
        beside.before = Some(before.to_vec());
        let mut all = vec![answer("rust-analyzer", "a.py", CONFIRMED, changed), beside];
        for one in &mut all {
            one.errors_hide = Some(Hides::All);
        }
        composed(&mut ledger, all)
    };
    let told = then(&[], &[], compiler);
    assert_eq!(told.new.len(), 1, "{told}");
    // The compiler does not come to it, and the server has words of its own.
    let broken = then(&[error("odd", 3)], compiler, native);
    assert_eq!((broken.new.len(), broken.fixed.len()), (1, 0), "{broken}");
    assert_eq!(broken.new[0].path, "a.py", "{broken}");
    let repaired = then(&[], native, compiler);
    assert_eq!(repaired.new, [], "{repaired}");
    let fixed = repaired.fixed.iter();
    assert!(fixed.clone().all(|one| one.path == "a.py"), "{repaired}");
    // Gone for good.
    let gone = then(&[], compiler, &[]);
    let fixed: Vec<&str> = gone.fixed.iter().map(|one| one.path.as_str()).collect();
    assert!(fixed.contains(&"tests/t.rs"), "{gone}");
}

#[test]
fn what_a_server_says_in_other_words_is_neither_new_nor_fixed() {
    let mut ledger = ledger();
    let native =
        Finding::new(Severity::Error, "no such value in this scope", 49).with_code("E0425");
    let compiler =
        Finding::new(Severity::Error, "cannot find function `missing`", 49).with_code("E0425");
    let beside = |before: &[Finding], heard: &[Finding]| {
        let mut beside = answer("rust-analyzer", "tests/t.rs", CONFIRMED, heard);
        beside.changed = false;
        beside.before = Some(before.to_vec());
        let changed = answer("rust-analyzer", "a.py", CONFIRMED, &[]);
        vec![changed, beside]
    };
    let told = composed(&mut ledger, beside(&[], std::slice::from_ref(&native)));
    assert_eq!((told.state, told.new.len()), (VerdictState::Problems, 1));
    let known = std::slice::from_ref(&native);
    let again = composed(&mut ledger, beside(known, std::slice::from_ref(&compiler)));
    assert_eq!(again.state, VerdictState::Clean, "{again}");
    assert_eq!((again.new.len(), again.fixed.len()), (0, 0), "{again}");

    // On another line it is another mistake.
    let mut elsewhere = native.clone();
    elsewhere.line = 12;
    let known = std::slice::from_ref(&compiler);
    let other = composed(&mut ledger, beside(known, &[elsewhere]));
    assert_eq!((other.new.len(), other.fixed.len()), (1, 1), "{other}");
}

#[test]
fn what_was_there_and_is_not_seen_is_perhaps_gone() {
    let mut ledger = ledger();
    let compiled = |outcome, heard: &[Finding]| {
        let mut one = answer("rust-analyzer", "a.py", outcome, heard);
        one.errors_hide = Some(Hides::All);
        one
    };
    let stands = [error("one", 1), error("two", 2)];
    composed(&mut ledger, vec![compiled(CONFIRMED, &stands)]);
    // An error of another step may hide both.
    let mut hiding = error("three", 3);
    hiding.code = Some("E2".to_owned());
    reads(
        &composed(&mut ledger, vec![compiled(CONFIRMED, &[hiding.clone()])]),
        expect![[r#"
            problems: 1 error, which may have been there before; 2 errors from before, perhaps gone (rust-analyzer 340 ms)
              a.py:4:5 error E2: three
                  4 |     total(name)
              (all of it may have been there before: what the file held is not known, or an error hid it)
        "#]],
    );
    reads(
        &composed(&mut ledger, vec![compiled(late(), &[hiding.clone()])]),
        expect![[r#"
            unconfirmed: rust-analyzer: still loading the project; 3 errors from before, 2 of them perhaps gone
        "#]],
    );
    let some = [hiding.clone(), error("one", 1)];
    reads(
        &composed(&mut ledger, vec![compiled(CONFIRMED, &some)]),
        expect![[r#"
            clean: nothing new; 3 errors from before, 1 of them perhaps gone (rust-analyzer 340 ms)
        "#]],
    );
    let verdict = composed(&mut ledger, vec![compiled(CONFIRMED, &[])]);
    reads(
        &verdict,
        expect![[r#"
        clean: nothing new; 3 fixed (rust-analyzer 340 ms)
          fixed: a.py error E1: one
          fixed: a.py error E2: three
          fixed: a.py error E1: two
    "#]],
    );
    assert_eq!(verdict.remaining_unseen, 0);
}

fn told(page: &Page) -> Vec<&str> {
    let problems = page.problems.iter();
    problems.map(|problem| problem.message.as_str()).collect()
}

#[test]
fn what_a_page_does_not_show_is_not_told() {
    let mut ledger = ledger();
    let none = composed(&mut ledger, vec![answer("pyright", "a.py", CONFIRMED, &[])]);
    assert_eq!(none.state, VerdictState::Clean);
    // Somebody else wrote these; the agent asks what is wrong.
    let found = [error("one", 1), error("two", 2), error("two", 3)];
    let mut standing = Standing::default();
    standing.hear(vec![now("a.py", &found)], &mut ledger);
    let first = standing.page(0..2, &mut ledger);
    assert_eq!((told(&first), first.total), (vec!["one", "two"], 3));
    let asked = ledger.checkpoint();
    let new = composed(&mut ledger, vec![now("a.py", &found)]).new;
    assert_eq!(new.iter().map(|one| one.line).collect::<Vec<_>>(), [4]);
    ledger.restore(asked);

    let second = standing.page(2..4, &mut ledger);
    assert_eq!((told(&second), second.total), (vec!["two"], 3));
    let verdict = composed(&mut ledger, vec![now("a.py", &found)]);
    assert_eq!((verdict.state, verdict.new.len()), (VerdictState::Clean, 0));
    assert_eq!(verdict.remaining.errors, 3);
}

#[test]
fn a_mistake_that_two_servers_tell_is_listed_once_and_told_for_both() {
    let mut ledger = ledger();
    let named = [error("\"cent\" is not defined", 1), error("other", 2)];
    let mut linter = now("a.py", &[error("Undefined name `cent`", 1)]);
    (linter.server, linter.types) = ("ruff".to_owned(), false);
    let mut standing = Standing::default();
    standing.hear(vec![linter.clone(), now("a.py", &named)], &mut ledger);
    let page = standing.page(0..5, &mut ledger);
    assert_eq!(
        (told(&page), page.total),
        (vec!["\"cent\" is not defined", "other"], 2)
    );
    // The linter alone says it later, and it is no news.
    let verdict = composed(&mut ledger, vec![linter]);
    assert_eq!(verdict.new, []);
}

#[test]
fn what_nobody_had_looked_at_is_not_blamed_on_a_write_for_being_on_another_page() {
    let mut ledger = ledger();
    let found = [error("one", 1), error("two", 2)];
    let mut standing = Standing::default();
    standing.hear(vec![now("a.py", &found)], &mut ledger);
    assert_eq!(told(&standing.page(0..1, &mut ledger)), ["one"]);
    let verdict = composed(&mut ledger, vec![now("a.py", &found[1..])]);
    assert_eq!(verdict.new, []);
    assert_eq!(verdict.fixed.len(), 1);
    assert_eq!(verdict.remaining.errors, 1);
    // An answer that is not the whole truth proves nothing of what was there.
    let mut standing = Standing::default();
    let mut partly = now("b.py", &found);
    partly.outcome = late();
    standing.hear(vec![partly], &mut ledger);
    let page = standing.page(0..1, &mut ledger);
    assert_eq!(
        page.unconfirmed,
        ["b.py: pyright: still loading the project"]
    );
    let verdict = composed(&mut ledger, vec![now("b.py", &found)]);
    let new: Vec<_> = verdict
        .new
        .iter()
        .map(|one| (one.line, one.maybe_old))
        .collect();
    assert_eq!(new, [(3, true)]);
}

/// An answer about a file as it is, from before anybody asked.
fn now(path: &str, found: &[Finding]) -> Answer {
    let mut answer = answer("pyright", path, CONFIRMED, found);
    answer.before = None;
    answer
}

/// What nobody had looked at before: the file is not of the change, or its old text is not known.
fn first_look(path: &str, found: &[Finding]) -> Answer {
    Answer {
        before: None,
        ..answer("pyright", path, CONFIRMED, found)
    }
}

#[test]
fn a_flood_where_nobody_had_looked_is_counted_once_and_hides_nothing_that_is_new() {
    let mut ledger = ledger();
    let old: Vec<Finding> = (0..30)
        .map(|line| error(&format!("old {line}"), line))
        .collect();
    let mut elsewhere = first_look("b.py", &old);
    elsewhere.changed = false;
    let new = Finding::new(Severity::Warning, "brought", 4);
    let own = answer("pyright", "a.py", CONFIRMED, &[new]);
    let question = Question {
        files: &["a.py".to_owned()],
        most: 3,
        counts: true,
        ..Question::default()
    };
    let verdict = compose(&mut ledger, &question, vec![own.clone(), elsewhere.clone()]);
    assert_eq!((verdict.new_left_out, verdict.maybe_old_left_out), (28, 28));
    reads(
        &verdict,
        expect![[r#"
            problems: 31 problems new, 30 of them perhaps not (2 errors, 1 warning shown) (pyright 340 ms)
              a.py:5:5 warning: brought
                  5 |     total(name)
              b.py:1:5 error E1: old 0
                  1 |     total(name)
                  (may have been there before)
              b.py:2:5 error E1: old 1
                  2 |     total(name)
                  (may have been there before)
              … 28 more where nobody had looked before, which are not told again; `lsp diagnostics` lists those of a file
        "#]],
    );

    // The next change is not blamed for any of them, and what it brings there is told.
    let found = [&old[..], &[error("brought too", 40)]].concat();
    let mut next = first_look("b.py", &found);
    next.changed = false;
    let verdict = compose(&mut ledger, &question, vec![own, next]);
    let new: Vec<&str> = verdict.new.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(new, ["brought too"]);
    assert!(!verdict.new[0].maybe_old, "{verdict}");
    assert_eq!((verdict.new_left_out, verdict.fixed.len()), (0, 0));
}

#[test]
fn what_stands_in_edited_lines_comes_first_where_nobody_had_looked() {
    let mut ledger = ledger();
    let mut found: Vec<Finding> = (0..9).map(|line| error("old", line)).collect();
    found.push(Finding::new(Severity::Warning, "brought", 20));
    let mut one = first_look("a.py", &found);
    one.edited = Vec::from([20..21, 22..23]);
    let question = Question {
        files: &["a.py".to_owned()],
        most: 2,
        counts: true,
        ..Question::default()
    };
    let verdict = compose(&mut ledger, &question, vec![one]);
    assert_eq!(verdict.new[0].message, "brought", "{verdict}");
    let said = verdict.to_string();
    let head = "problems: 10 problems, which may have been there before (1 error, 1 warning shown)";
    assert!(said.starts_with(head), "{said}");
}

#[test]
fn equal_errors_are_shown_while_there_is_room() {
    let mut ledger = ledger();
    let mut found: Vec<Finding> = (0..7).map(|line| error("same", line)).collect();
    found.push(Finding::new(Severity::Warning, "else", 30));
    let question = Question {
        files: &["a.py".to_owned()],
        most: 6,
        counts: true,
        ..Question::default()
    };
    let verdict = compose(
        &mut ledger,
        &question,
        vec![answer("pyright", "a.py", CONFIRMED, &found)],
    );
    // Three of the equal ones, the other one, and two more of the equal ones.
    let lines: Vec<u32> = verdict.new.iter().map(|one| one.line).collect();
    assert_eq!(lines, [1, 2, 3, 4, 5, 31], "{verdict}");
    assert_eq!(verdict.new_left_out, 2);
}

#[test]
fn equal_errors_of_the_change_come_before_what_may_be_old() {
    let mut ledger = ledger();
    let found: Vec<Finding> = (0..5).map(|line| error("same", line)).collect();
    let mut elsewhere = first_look("b.py", &[error("old", 1)]);
    elsewhere.changed = false;
    let question = Question {
        files: &["a.py".to_owned()],
        most: 5,
        counts: true,
        ..Question::default()
    };
    let own = answer("pyright", "a.py", CONFIRMED, &found);
    let verdict = compose(&mut ledger, &question, vec![own, elsewhere]);
    let paths: Vec<&str> = verdict.new.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["a.py"; 5]);
    assert_eq!((verdict.new_left_out, verdict.maybe_old_left_out), (1, 1));
}

#[test]
fn what_is_found_late_is_all_told_because_nobody_says_how_much_there_is() {
    let mut ledger = ledger();
    let found: Vec<Finding> = (0..3)
        .map(|line| error(&format!("old {line}"), line))
        .collect();
    let question = Question {
        most: 2,
        ..Question::default()
    };
    let mut told: Vec<Vec<u32>> = Vec::new();
    for _ in 0..3 {
        let late = vec![first_look("a.py", &found)];
        let verdict = compose(&mut ledger, &question, late);
        told.push(verdict.new.into_iter().map(|one| one.line).collect());
    }
    assert_eq!(told, [vec![1, 2], vec![3], vec![]]);
}

#[test]
fn what_is_wrong_where_nobody_had_looked_is_told_from_what_the_change_may_have_brought() {
    let mut ledger = ledger();
    let found = [error("old", 1), error("brought", 7)];
    let guessed = |outcome: Outcome, found: &[Finding]| {
        let mut one = first_look("b.py", found);
        (one.changed, one.outcome) = (false, outcome);
        one.guess(&[7]);
        one
    };
    let own = answer("pyright", "a.py", CONFIRMED, &[]);
    // A server that is not done has found nothing yet, which is no state to compare with.
    let open = composed(&mut ledger, vec![own.clone(), guessed(late(), &[])]);
    assert_eq!(open.new, []);
    assert_eq!(open.fixed, []);
    let verdict = composed(&mut ledger, vec![own.clone(), guessed(CONFIRMED, &found)]);
    let told = |verdict: &Verdict| -> Vec<(u32, bool)> {
        let new = verdict.new.iter();
        new.map(|one| (one.line, one.maybe_old)).collect()
    };
    assert_eq!(told(&verdict), [(8, true)], "{verdict}");
    // And what is known is no guess.
    let more = [&found[..], &[error("surely", 7)]].concat();
    let verdict = composed(&mut ledger, vec![own, guessed(CONFIRMED, &more)]);
    assert_eq!(told(&verdict), [(8, false)], "{verdict}");
}
