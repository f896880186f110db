//! What somebody else does to files by other means: `check` finds it, deletions and new files too.

use std::fs;

use fourfold::{
    CheckRequest, CheckResult, Control, EditRequest, Verdict, VerdictState, WriteRequest,
};

use crate::served::Served;

const PYRIGHT: &[&str] = &["pyright-langserver", "node"];

const SHOP: &[(&str, &str)] = &[
    (
        "pyproject.toml",
        "[project]\nname = \"shop\"\nversion = \"1\"\n",
    ),
    ("shop/__init__.py", ""),
    ("shop/cart.py", "class Cart:\n    size: int = 1\n"),
    (
        "shop/till.py",
        "from .cart import Cart\n\nprint(Cart().size)\n",
    ),
    ("main.py", "print(1)\n"),
];

fn check(served: &Served, paths: &[&str]) -> CheckResult {
    let request = CheckRequest {
        paths: paths.iter().map(|path| (*path).into()).collect(),
        ..CheckRequest::default()
    };
    let checked = served.conversation().check(&request, &Control::new());
    checked.unwrap()
}

fn warm(served: &Served) {
    let request = EditRequest::new("main.py", "print(1)", "print(2)");
    served.conversation().edit(&request).unwrap();
}

fn places(verdict: &Verdict) -> Vec<(&str, u32)> {
    let new = verdict.new.iter();
    new.map(|one| (one.path.as_str(), one.line)).collect()
}

#[test]
fn a_file_that_was_deleted_is_found_and_so_is_who_used_it() {
    let served = Served::real(SHOP, PYRIGHT);
    // Whoever asks for the tools has the files looked through.
    served.checkout().tools();
    warm(&served);
    let cart = served.project.path("shop/cart.py");
    let text = fs::read_to_string(&cart).unwrap();
    fs::remove_file(&cart).unwrap();
    let checked = check(&served, &[]);
    // Those that were made when the conversation began may be among them.
    let last = checked.files.last().map(String::as_str);
    assert_eq!(last, Some("shop/cart.py"), "{}", checked.verdict);
    assert_eq!(
        places(&checked.verdict),
        [("shop/till.py", 1)],
        "{}",
        checked.verdict
    );
    // It is told once, and stays known.
    let again = check(&served, &[]);
    assert_eq!(again.files, ["shop/till.py"], "{}", again.verdict);
    assert_eq!(again.verdict.state, VerdictState::Clean);
    assert_eq!(again.verdict.remaining.errors, 1, "{}", again.verdict);

    fs::write(&cart, text).unwrap();
    let back = check(&served, &[]);
    assert_eq!(back.verdict.state, VerdictState::Clean, "{}", back.verdict);
    assert_eq!(back.verdict.fixed.len(), 1, "{}", back.verdict);
    served.close();
}

#[test]
fn what_was_left_wrong_or_without_an_answer_is_looked_at_until_it_is_right() {
    let served = Served::real(SHOP, PYRIGHT);
    warm(&served);
    // The project is as new as the conversation.
    check(&served, &[]);
    served
        .project
        .write("part.c", "int f(void) { return missing; }\n");
    let wrong = EditRequest::new("main.py", "print(2)", "print(absent)");
    let verdict = served.conversation().edit(&wrong).unwrap().verdict;
    assert_eq!(places(&verdict.unwrap()), [("main.py", 1)]);
    for _ in 0..2 {
        let checked = check(&served, &[]);
        let mut files = checked.files.clone();
        files.sort();
        assert_eq!(files, ["main.py", "part.c"], "{}", checked.verdict);
        let states = checked.verdict.files.iter();
        let state = |path: &str| states.clone().find(|one| one.path == path).unwrap().state;
        assert_eq!(state("part.c"), VerdictState::NoServer);
        assert_eq!(state("main.py"), VerdictState::Clean);
        assert_eq!(checked.verdict.remaining.errors, 1, "{}", checked.verdict);
        assert_eq!(checked.verdict.new, [], "{}", checked.verdict);
    }
    let right = EditRequest::new("main.py", "absent", "3");
    served.conversation().edit(&right).unwrap();
    fs::remove_file(served.project.path("part.c")).unwrap();
    check(&served, &[]);
    let checked = check(&served, &[]);
    assert_eq!(checked.files, [""; 0], "{}", checked.verdict);
    assert_eq!(checked.verdict.state, VerdictState::Clean);
    served.close();
}

#[test]
fn a_deleted_file_can_be_named_and_one_that_never_was_cannot() {
    let served = Served::real(SHOP, PYRIGHT);
    served.checkout().tools();
    warm(&served);
    fs::remove_file(served.project.path("shop/cart.py")).unwrap();
    let checked = check(&served, &["shop/cart.py"]);
    assert_eq!(
        places(&checked.verdict),
        [("shop/till.py", 1)],
        "{}",
        checked.verdict
    );
    let request = CheckRequest {
        paths: vec!["shop/card.py".into()],
        ..CheckRequest::default()
    };
    let never = served.conversation().check(&request, &Control::new());
    assert!(never.is_err());
    served.close();
}

#[test]
fn a_file_that_is_moved_before_any_server_runs_is_found() {
    let served = Served::real(SHOP, PYRIGHT);
    served.checkout().tools();
    let (cart, card) = (
        served.project.path("shop/cart.py"),
        served.project.path("shop/card.py"),
    );
    fs::rename(&cart, &card).unwrap();
    let checked = check(&served, &[]);
    assert_eq!(
        places(&checked.verdict),
        [("shop/till.py", 1)],
        "{}",
        checked.verdict
    );
    fs::rename(&card, &cart).unwrap();
    let back = check(&served, &[]);
    assert_eq!(back.verdict.state, VerdictState::Clean, "{}", back.verdict);
    assert_eq!(back.verdict.fixed.len(), 1, "{}", back.verdict);
    served.close();
}

#[test]
fn a_file_that_others_add_is_looked_for_again() {
    let served = Served::real(SHOP, PYRIGHT);
    let write = WriteRequest::new("shop/use.py", "from .more import thing as thing\n");
    let wrote = served
        .conversation()
        .write(&write)
        .unwrap()
        .verdict
        .unwrap();
    assert_eq!(places(&wrote), [("shop/use.py", 1)], "{wrote}");
    served.project.write("shop/more.py", "thing = 1\n");
    let checked = check(&served, &[]);
    assert_eq!(checked.files[0], "shop/more.py", "the newest first");
    assert_eq!(checked.verdict.fixed.len(), 1, "{}", checked.verdict);
    served.close();
}

#[test]
fn announced_files_have_to_be_named_and_may_be_in_folders() {
    let served = Served::real(SHOP, PYRIGHT);
    warm(&served);
    let announce = |paths: &[&str]| {
        let request = CheckRequest {
            paths: paths.iter().map(|path| (*path).into()).collect(),
            before: true,
        };
        served.conversation().check(&request, &Control::new())
    };
    let none = announce(&[]).unwrap_err().to_string();
    assert!(none.contains("`before` needs `paths`"), "{none}");
    let noted = announce(&["shop"]).unwrap();
    assert_eq!(
        noted.files,
        ["shop/__init__.py", "shop/cart.py", "shop/till.py"]
    );
    served
        .project
        .replace("shop/cart.py", "size: int", "width: int");
    let checked = check(&served, &[]);
    assert_eq!(
        places(&checked.verdict),
        [("shop/till.py", 3)],
        "{}",
        checked.verdict
    );
    assert!(checked.verdict.new.iter().all(|one| !one.maybe_old));
    served.close();
}
