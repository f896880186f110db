//! Questions, renames and verdicts with real servers.

use fourfold::{
    ApplyPatchRequest, CheckRequest, Control, LspAction, LspRequest, ResolveRequest, VerdictState,
    WriteRequest,
};

mod debug;
mod go;
mod operations;
mod others;
mod rounds;
mod rust;
mod unopened;

use crate::served::{Served, places};

const PYTHON: &[(&str, &str)] = &[
    (
        "pyproject.toml",
        "[project]\nname = \"x\"\nversion = \"1\"\n",
    ),
    (
        "core.py",
        "def total(values: list[int]) -> int:\n    \"\"\"The sum.\"\"\"\n    return sum(values)\n",
    ),
    ("pkg/__init__.py", "from core import total as total\n"),
    ("main.py", "from pkg import total\n\nprint(total([1, 2]))\n"),
];

#[test]
fn a_rename_reaches_every_file_and_an_edit_that_misses_one_is_reported() {
    let served = Served::real(PYTHON, &["pyright-langserver", "node"]);
    let conversation = served.conversation();
    let total = |action| LspRequest::about(action, "core.py").at(1, "total");

    let hover = served.lsp(&total(LspAction::Hover)).hover.unwrap();
    assert!(
        hover.contains("def total(values: list[int]) -> int"),
        "{hover}"
    );
    let mut used = places(&served.lsp(&total(LspAction::References)));
    used.sort();
    assert_eq!(
        used,
        [
            "core.py:1:5",
            "main.py:1:17",
            "main.py:3:7",
            "pkg/__init__.py:1:18",
            "pkg/__init__.py:1:27",
        ]
    );

    let mut rename = total(LspAction::Rename);
    rename.new_name = Some("sum_of".to_owned());
    let staged = served.lsp(&rename);
    assert_eq!(staged.files, ["core.py", "main.py", "pkg/__init__.py"]);
    assert!(served.project.read("core.py").starts_with("def total("));
    let waiting = conversation.staged().unwrap();
    assert_eq!(
        waiting.stages[0].description.as_deref(),
        Some("rename total to sum_of")
    );
    let id = staged.stage.unwrap();
    conversation.resolve(&ResolveRequest::apply(id)).unwrap();
    assert_eq!(
        served.project.read("pkg/__init__.py"),
        "from core import sum_of as sum_of\n"
    );
    assert_eq!(
        served.project.read("main.py"),
        "from pkg import sum_of\n\nprint(sum_of([1, 2]))\n"
    );

    // All is well, and the server knows the file that re-exports it.
    let about = |file: &str| served.lsp(&LspRequest::about(LspAction::Diagnostics, file));
    assert_eq!(about("pkg/__init__.py").problems, []);
    let before = conversation.before_write(["core.py"]).unwrap();
    served.project.replace("core.py", "sum_of", "total");
    let verdict = conversation.after_write(before).unwrap();
    assert_eq!(verdict.state, VerdictState::Problems, "{verdict}");
    let missed: Vec<_> = verdict
        .new
        .iter()
        .map(|one| (one.path.as_str(), one.line))
        .collect();
    assert!(missed.contains(&("pkg/__init__.py", 1)), "{verdict}");

    // What diagnostics have shown is no news for the next verdict.
    served.project.write("main.py", "from pkg import absent\n");
    let shown = about("main.py").problems;
    assert_eq!(shown.len(), 1, "{shown:?}");
    let before = conversation.before_write(["main.py"]).unwrap();
    served
        .project
        .write("main.py", "from pkg import absent\n\n# more\n");
    let verdict = conversation.after_write(before).unwrap();
    assert_eq!(verdict.new, [], "{verdict}");
    assert_eq!(verdict.state, VerdictState::Clean, "{verdict}");
    assert_eq!(verdict.remaining.errors, 1, "{verdict}");

    // Somebody else writes.
    served.project.write("main.py", "x: int = \"a\"\n");
    let check = CheckRequest::default();
    let checked = conversation.check(&check, &Control::new()).unwrap();
    assert!(checked.files.contains(&"main.py".to_owned()));
    assert_eq!(checked.verdict.state, VerdictState::Problems);
    let new = &checked.verdict.new[0];
    assert_eq!(
        (new.path.as_str(), new.line, new.severity.as_str()),
        ("main.py", 1, "error")
    );
    let again = conversation.check(&check, &Control::new()).unwrap();
    // Both are as wrong as they were.
    assert_eq!(again.files, ["main.py", "pkg/__init__.py"]);
    assert_eq!(again.verdict.new, [], "{}", again.verdict);
    assert_eq!(again.verdict.remaining.errors, 2, "{}", again.verdict);
    served.close();
}

#[test]
fn actions_of_all_servers_are_offered_and_one_is_applied() {
    let files = &[PYTHON[0], ("a.py", "import os\n\nx = 1\n")];
    let served = Served::real(files, &["basedpyright-langserver", "node", "ruff"]);
    let mut request = LspRequest::about(LspAction::CodeActions, "a.py");
    request.line = Some(1);
    let offered = served.lsp(&request);
    assert_eq!(offered.server.as_deref(), Some("pyright, ruff"));
    let numbers: Vec<usize> = offered.actions.iter().map(|one| one.number).collect();
    assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>());
    let unused = offered
        .actions
        .iter()
        .find(|one| one.server == "ruff" && one.title.contains("Remove unused import"))
        .unwrap();

    request.apply = Some(unused.number.to_string());
    let staged = served.lsp(&request);
    assert_eq!(staged.files, ["a.py"]);
    let apply = ResolveRequest::apply(staged.stage.unwrap());
    served.conversation().resolve(&apply).unwrap();
    assert!(!served.project.read("a.py").contains("import os"));

    request.apply = Some("make it so".to_owned());
    let error = served.conversation().lsp(&request).unwrap_err().to_string();
    assert!(
        error.starts_with("no action is called or numbered `make it so`"),
        "{error}"
    );
    served.close();
}

#[test]
fn a_file_that_is_deleted_is_called_so() {
    let served = Served::real(PYTHON, &["pyright-langserver", "node"]);
    let conversation = served.conversation();
    // Somebody has to be there who could miss it.
    served.lsp(&LspRequest::about(LspAction::Diagnostics, "main.py"));
    let write = WriteRequest::new("lonely.py", "x: int = 1\n");
    let verdict = conversation.write(&write).unwrap().verdict.unwrap();
    assert_eq!(verdict.state, VerdictState::Clean, "{verdict}");
    // The write was an answer, so what was written since is known.
    let checked = conversation.check(&CheckRequest::default(), &Control::new());
    let verdict = checked.unwrap().verdict;
    assert_eq!(verdict.state, VerdictState::Clean, "{verdict}");
    let patch = "*** Begin Patch\n*** Delete File: lonely.py\n*** End Patch\n";
    let deleted = conversation
        .apply_patch(&ApplyPatchRequest::new(patch))
        .unwrap();
    let verdict = deleted.verdict.unwrap();
    assert_eq!(verdict.state, VerdictState::Clean, "{verdict}");
    let said = verdict.to_string();
    assert!(said.ends_with("\n  lonely.py: deleted\n"), "{said}");
    served.close();
}

#[test]
fn a_deletion_that_breaks_an_open_file_is_told() {
    let served = Served::real(PYTHON, &["pyright-langserver", "node"]);
    let conversation = served.conversation();
    // Open, and clean.
    served.lsp(&LspRequest::about(
        LspAction::Diagnostics,
        "pkg/__init__.py",
    ));
    let patch = "*** Begin Patch\n*** Delete File: core.py\n*** End Patch\n";
    let deleted = conversation
        .apply_patch(&ApplyPatchRequest::new(patch))
        .unwrap();
    let verdict = deleted.verdict.unwrap();
    assert_eq!(verdict.state, VerdictState::Problems, "{verdict}");
    assert!(
        verdict.new.iter().any(|new| new.path == "pkg/__init__.py"),
        "{verdict}"
    );
    served.close();
}

/// A server renames what its configuration lets it see. The code graph knows who is left out.
#[test]
fn a_rename_tells_of_files_that_a_server_does_not_look_at() {
    let served = Served::real(
        &[
            ("pyproject.toml", "[tool.pyright]\ninclude = [\"src\"]\n"),
            ("src/shop.py", "def total(x: int) -> int:\n    return x\n"),
            ("src/till.py", "from shop import total\n\nprint(total(1))\n"),
            (
                "tests/test_shop.py",
                "from shop import total\n\n\ndef test_total():\n    assert total(1) == 1\n",
            ),
        ],
        &["pyright-langserver"],
    );
    // From a use, at once, when the server has only just been started.
    let mut rename = LspRequest::about(LspAction::Rename, "src/till.py").at(3, "total");
    rename.new_name = Some("sum_of".to_owned());
    let staged = served.lsp(&rename);
    assert_eq!(staged.files, ["src/shop.py", "src/till.py"]);
    assert_eq!(
        staged.notices,
        [
            "the change does not reach everything: `total` is used in tests/test_shop.py:1, 5 too, \
             which it leaves as it is"
        ]
    );
    served.close();
}

#[test]
fn a_rename_leaves_other_names_alone_and_refuses_what_is_no_name() {
    let alias = "from core import total as summed\n\nprint(summed([1]))\n";
    let files = [
        PYTHON[0],
        PYTHON[1],
        ("alias.py", alias),
        ("notes.txt", "total\n"),
    ];
    let served = Served::real(&files, &["pyright-langserver", "node"]);
    let to = |new: &str| {
        let mut rename = LspRequest::about(LspAction::Rename, "core.py").at(1, "total");
        rename.new_name = Some(new.to_owned());
        rename
    };
    let staged = served.lsp(&to("sum_of"));
    assert_eq!(staged.files, ["alias.py", "core.py"]);
    assert_eq!(staged.notices, [""; 0]);

    let refused = |new: &str| served.conversation().lsp(&to(new)).unwrap_err().to_string();
    for new in ["1bad name", "class"] {
        assert_eq!(
            refused(new),
            format!(
                "`{new}` cannot stand where `total` does, so nothing was asked; give a `new_name` \
                 that is a name in this language"
            )
        );
    }

    let nobody = served.lsp(&LspRequest::about(LspAction::Diagnostics, "notes.txt"));
    assert_eq!(
        nobody.unconfirmed,
        ["no server is known for this kind of file"]
    );
    served.close();
}
