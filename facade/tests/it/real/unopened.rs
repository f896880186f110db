//! Changes that break files which nobody has opened, with servers that look at open files alone.

use fourfold::{
    ApplyPatchRequest, CheckRequest, Control, EditRequest, Limits, Verdict, VerdictState,
    WriteRequest,
};

use crate::served::Served;

const PYRIGHT: &[&str] = &["pyright-langserver", "node"];

const SHOP: &[(&str, &str)] = &[
    (
        "pyproject.toml",
        "[project]\nname = \"shop\"\nversion = \"1\"\n",
    ),
    (
        "shop/cart.py",
        "class Cart:\n    def add(self, item: str) -> int:\n        return 1\n",
    ),
    ("shop/__init__.py", "from .cart import Cart as Cart\n"),
    (
        "tests/test_cart.py",
        "from shop import Cart\n\n\ndef test_add():\n    wrong: int = \"from before\"\n    \
         cart = Cart()\n    assert cart.add(\"x\") == 1\n",
    ),
    (
        "tests/test_more.py",
        "from shop import Cart\n\n\ndef test_more():\n    assert Cart().add(\"y\") == 1\n",
    ),
    ("main.py", "print(1)\n"),
];

fn edit(served: &Served, path: &str, old: &str, new: &str) -> Verdict {
    let request = EditRequest::new(path, old, new);
    served
        .conversation()
        .edit(&request)
        .unwrap()
        .verdict
        .unwrap()
}

fn places(verdict: &Verdict) -> Vec<(&str, u32)> {
    let mut places: Vec<(&str, u32)> = verdict
        .new
        .iter()
        .map(|one| (one.path.as_str(), one.line))
        .collect();
    places.sort_unstable();
    places
}

#[test]
fn callers_in_files_that_nobody_opened_are_told() {
    let served = Served::real(SHOP, PYRIGHT);
    // The server is up, and has seen nothing of the shop.
    let warm = edit(&served, "main.py", "print(1)", "print(2)");
    assert_eq!(warm.state, VerdictState::Clean, "{warm}");

    let verdict = edit(&served, "shop/cart.py", "def add(", "def put(");
    assert_eq!(verdict.state, VerdictState::Problems, "{verdict}");
    assert_eq!(
        places(&verdict),
        [("tests/test_cart.py", 7), ("tests/test_more.py", 5)],
        "{verdict}"
    );
    assert!(verdict.new.iter().all(|one| !one.maybe_old), "{verdict}");

    let back = edit(&served, "shop/cart.py", "def put(", "def add(");
    assert_eq!(back.state, VerdictState::Clean, "{back}");
    assert_eq!(back.fixed.len(), 2, "{back}");

    // Without its annotation the type follows from the body: the callers are as right as before.
    let untyped = edit(&served, "shop/cart.py", " -> int:", ":");
    assert_eq!(untyped.state, VerdictState::Clean, "{untyped}");
    served.close();
}

#[test]
fn the_first_write_tells_what_it_broke_and_not_what_was_broken() {
    let served = Served::real(SHOP, PYRIGHT);
    let verdict = edit(&served, "shop/cart.py", "def add(", "def put(");
    assert_eq!(
        places(&verdict),
        [("tests/test_cart.py", 7), ("tests/test_more.py", 5)],
        "{verdict}"
    );
    served.close();
}

#[test]
fn files_that_are_too_many_to_be_opened_are_named() {
    let limits = Limits {
        max_user_files: 1,
        ..Limits::default()
    };
    let served = Served::real_within(SHOP, PYRIGHT, limits);
    let check = || {
        let conversation = served.conversation();
        conversation
            .check(&CheckRequest::default(), &Control::new())
            .unwrap()
    };
    edit(&served, "main.py", "print(1)", "print(2)");
    // The project is as new as the conversation.
    check();

    // The one that is looked at says nothing about the others.
    let optional = "item: str, more: int = 0)";
    let verdict = edit(&served, "shop/cart.py", "item: str)", optional);
    assert_eq!(verdict.state, VerdictState::Unconfirmed, "{verdict}");
    let reason = verdict.reason.as_deref().unwrap_or_default();
    assert!(
        reason.contains("pyright looks at open files alone"),
        "{verdict}"
    );
    assert!(reason.contains("tests/test_more.py"), "{verdict}");

    // Nobody has to be looked at for a body behind a type that is written down.
    let body = edit(&served, "shop/cart.py", "return 1", "return 2");
    assert_eq!(body.state, VerdictState::Clean, "{body}");
    assert!(body.unlooked.is_empty(), "{body}");

    edit(&served, "shop/cart.py", " -> int:", ":");
    let body = edit(&served, "shop/cart.py", "return 2", "return 3");
    assert_eq!(body.state, VerdictState::Clean, "{body}");
    assert_eq!(body.unlooked, ["tests/test_more.py"], "{body}");

    // A check of all looks at what was left open, and at the one that was broken, and then that one
    // is left.
    let checked = check();
    let both = ["tests/test_more.py", "tests/test_cart.py"];
    assert_eq!(checked.files, both, "{}", checked.verdict);
    assert_eq!(
        checked.verdict.state,
        VerdictState::Clean,
        "{}",
        checked.verdict
    );
    assert_eq!(check().files, ["tests/test_cart.py"]);
    served.close();
}

#[test]
fn a_file_that_was_left_open_is_no_change_of_its_own() {
    let limits = Limits {
        max_user_files: 1,
        ..Limits::default()
    };
    let user = |name: &str| {
        format!(
            "from shop import Cart\n\n\ndef use_{name}() -> int:\n    wrong: int = \"from before\"\n    \
             return Cart().add(\"x\")\n"
        )
    };
    let users = ["one", "two", "three"].map(|name| (format!("{name}.py"), user(name)));
    // Each of them has more users than are opened.
    let far = ["a", "b", "c"].map(|name| {
        let text = "from one import use_one\nfrom two import use_two\nfrom three import use_three\n\n\
                    old: str = use_one() + use_two() + use_three()\n";
        (format!("far_{name}.py"), text.to_owned())
    });
    let shop = SHOP[..3].iter().map(|(path, text)| (*path, *text));
    let more = users.iter().chain(&far);
    let more = more.map(|(path, text)| (path.as_str(), text.as_str()));
    let files: Vec<(&str, &str)> = shop.chain(more).collect();
    let served = Served::real_within(&files, PYRIGHT, limits);
    let check = || {
        let conversation = served.conversation();
        let all = CheckRequest::default();
        conversation.check(&all, &Control::new()).unwrap()
    };
    edit(&served, "shop/__init__.py", "as Cart\n", "as Cart\n\n");
    check();

    let optional = "item: str, more: int = 0)";
    let verdict = edit(&served, "shop/cart.py", "item: str)", optional);
    assert_eq!(verdict.state, VerdictState::Unconfirmed, "{verdict}");
    assert_eq!(verdict.unlooked.len(), 2, "{verdict}");

    // What is wrong in those two has nothing to do with it, and who uses them is as right as before.
    let checked = check();
    let open = &verdict.unlooked;
    let all = &checked.files;
    assert!(open.iter().all(|path| all.contains(path)), "{all:?}");
    // The one that was edited had no sure answer either.
    assert!(all.contains(&"shop/cart.py".to_owned()), "{all:?}");
    let verdict = &checked.verdict;
    assert_eq!(verdict.new, [], "{verdict}");
    assert_eq!(verdict.unlooked, Vec::<String>::new(), "{verdict}");
    assert_eq!(verdict.state, VerdictState::Clean, "{verdict}");
    // Each of the others has its one mistake; which of them were known to be wrong depends on what
    // was new when the conversation began.
    assert_eq!(verdict.remaining.errors, all.len() - 1, "{verdict}");

    // What it breaks in one that was left open is told, and where.
    let verdict = edit(&served, "shop/cart.py", "def add(", "def put(");
    assert_eq!(verdict.state, VerdictState::Problems, "{verdict}");
    let mut told = places(&verdict);
    let checked = check();
    told.extend(places(&checked.verdict));
    told.sort_unstable();
    assert_eq!(told, [("one.py", 6), ("three.py", 6), ("two.py", 6)]);
    served.close();
}

#[test]
fn what_others_write_is_followed_too() {
    let served = Served::real(SHOP, PYRIGHT);
    let conversation = served.conversation();
    edit(&served, "main.py", "print(1)", "print(2)");

    let before = conversation.before_write(["shop/cart.py"]).unwrap();
    served
        .project
        .replace("shop/cart.py", "def add(", "def put(");
    let verdict = conversation.after_write(before).unwrap();
    assert_eq!(
        places(&verdict),
        [("tests/test_cart.py", 7), ("tests/test_more.py", 5)],
        "{verdict}"
    );
    served
        .project
        .replace("shop/cart.py", "def put(", "def add(");
    let checked = conversation
        .check(&CheckRequest::default(), &Control::new())
        .unwrap();
    assert_eq!(checked.verdict.fixed.len(), 2, "{}", checked.verdict);
    served.close();
}

#[test]
fn what_others_wrote_without_a_word_is_followed_too() {
    let served = Served::real(SHOP, PYRIGHT);
    let conversation = served.conversation();
    edit(&served, "main.py", "print(1)", "print(2)");
    served
        .project
        .replace("shop/cart.py", "def add(", "def put(");
    let check = CheckRequest {
        paths: vec!["shop/cart.py".into()],
        ..CheckRequest::default()
    };
    let checked = conversation.check(&check, &Control::new()).unwrap();
    let verdict = checked.verdict;
    assert_eq!(
        places(&verdict),
        [("tests/test_cart.py", 7), ("tests/test_more.py", 5)],
        "{verdict}"
    );
    served.close();
}

#[test]
fn a_file_that_goes_is_missed_where_nobody_looked() {
    let served = Served::real(SHOP, PYRIGHT);
    edit(&served, "main.py", "print(1)", "print(2)");
    let patch = "*** Begin Patch\n*** Delete File: shop/cart.py\n*** End Patch\n";
    let deleted = served
        .conversation()
        .apply_patch(&ApplyPatchRequest::new(patch))
        .unwrap();
    let verdict = deleted.verdict.unwrap();
    assert_eq!(verdict.state, VerdictState::Problems, "{verdict}");
    assert!(
        places(&verdict).contains(&("shop/__init__.py", 1)),
        "{verdict}"
    );
    served.close();
}

#[test]
fn importers_in_typescript_are_told() {
    let files = &[
        (
            "tsconfig.json",
            "{\"compilerOptions\": {\"strict\": true, \"module\": \"esnext\", \
             \"moduleResolution\": \"bundler\"}}\n",
        ),
        ("package.json", "{\"name\": \"shop\", \"private\": true}\n"),
        (
            "src/shape.ts",
            "export interface Shape {\n  area(): number;\n}\n",
        ),
        (
            "src/unit.ts",
            "import type { Shape } from './shape';\n\nexport const unit: Shape = {\n  \
             area: () => 1,\n};\n",
        ),
        ("src/main.ts", "export const one = 1;\n"),
    ];
    let programs = &["typescript-language-server", "node"];
    let served = Served::real(files, programs);
    let warm = edit(&served, "src/main.ts", "one = 1", "one = 2");
    assert_eq!(warm.state, VerdictState::Clean, "{warm}");
    let verdict = edit(
        &served,
        "src/shape.ts",
        "area(): number;",
        "area(): number;\n  size(): number;",
    );
    assert_eq!(places(&verdict), [("src/unit.ts", 3)], "{verdict}");
    served.close();
}

#[test]
fn many_edits_of_bodies_and_then_one_of_a_name() {
    let served = Served::real(SHOP, PYRIGHT);
    edit(&served, "main.py", "print(1)", "print(2)");
    let longer = "        one = 1\n\n        return one";
    let first = edit(&served, "shop/cart.py", "        return 1", longer);
    assert_eq!(first.state, VerdictState::Clean, "{first}");
    let second = edit(&served, "shop/cart.py", "one = 1", "one = 2");
    assert_eq!(second.state, VerdictState::Clean, "{second}");

    // A new file uses it, and another does by now; both before the next look at the cart.
    let text = "from shop import Cart\n\n\ndef more() -> int:\n    return Cart().add(\"x\")\n";
    let write = WriteRequest::new("shop/more.py", text);
    served.conversation().write(&write).unwrap();
    let uses = "from shop import Cart\n\nprint(Cart().add(\"z\"))";
    edit(&served, "main.py", "print(2)", uses);
    let verdict = edit(&served, "shop/cart.py", "def add(", "def put(");
    assert_eq!(
        places(&verdict),
        [
            ("main.py", 3),
            ("shop/more.py", 5),
            ("tests/test_cart.py", 7),
            ("tests/test_more.py", 5)
        ],
        "{verdict}"
    );
    served.close();
}

#[test]
fn a_type_that_follows_from_what_was_changed_is_told_at_the_second_remove() {
    let served = Served::real(
        &[
            (
                "pyproject.toml",
                "[project]\nname = \"shop\"\nversion = \"1\"\n",
            ),
            ("width.py", "def width():\n    return 1\n"),
            (
                "area.py",
                "from width import width\n\n\ndef area():\n    return width() * 2\n",
            ),
            (
                "told.py",
                "from area import area\n\nprint(area().bit_length())\n",
            ),
            ("main.py", "print(1)\n"),
        ],
        PYRIGHT,
    );
    edit(&served, "main.py", "print(1)", "print(2)");
    let verdict = edit(&served, "width.py", "return 1", "return \"1\"");
    assert_eq!(places(&verdict), [("told.py", 3)], "{verdict}");
    let back = edit(&served, "width.py", "return \"1\"", "return 1");
    assert_eq!(back.fixed.len(), 1, "{back}");
    served.close();
}

/// A package that is used from `src` and installed too, as it is in a checkout that has an older
/// release of itself in its environment.
const INSTALLED: &[(&str, &str)] = &[
    (
        "pyproject.toml",
        "[project]\nname = \"parcel\"\nversion = \"2\"\n",
    ),
    ("src/parcel/__init__.py", ""),
    (
        "src/parcel/seal.py",
        "def want_bytes(text: str) -> bytes:\n    return text.encode()\n",
    ),
    (
        "tests/test_seal.py",
        "from parcel.seal import want_bytes\n\nassert want_bytes(\"x\") == b\"x\"\n",
    ),
];

fn src_comes_before_what_is_installed(binary: &'static str) {
    let served = Served::real(INSTALLED, &[binary, "node"]);
    let installed = "venv/lib/python3.11/site-packages/parcel";
    let seal = INSTALLED[2].1;
    served.project.write(&format!("{installed}/seal.py"), seal);
    served
        .project
        .write(&format!("{installed}/__init__.py"), "");
    // Where pyright looks for libraries when there is no interpreter to ask.
    served.project.write(
        "pyrightconfig.json",
        "{ \"venvPath\": \".\", \"venv\": \"venv\" }\n",
    );
    let verdict = edit(&served, "src/parcel/seal.py", "want_bytes", "to_bytes");
    // That its type is unknown too is a warning of basedpyright alone.
    let errors = verdict.new.iter().filter(|one| one.severity == "error");
    let errors: Vec<(&str, u32)> = errors.map(|one| (one.path.as_str(), one.line)).collect();
    assert_eq!(errors, [("tests/test_seal.py", 1)], "{verdict}");
    served.close();
}

#[test]
fn src_comes_before_what_is_installed_pyright() {
    src_comes_before_what_is_installed("pyright-langserver");
}

#[test]
fn src_comes_before_what_is_installed_basedpyright() {
    src_comes_before_what_is_installed("basedpyright-langserver");
}
