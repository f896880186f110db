//! Who is asked, who could be, and what is missing: no real server is needed to tell.

use fourfold::{LspAction, LspRequest, VerdictState};

use crate::served::Served;

const GO: &[(&str, &str)] = &[("go.mod", "module x\n"), ("main.go", "package main\n")];

#[test]
fn a_marker_alone_is_no_server() {
    let served = Served::alone(GO);
    assert_eq!(served.states(), ["gopls: missing"]);
    let about = served.about("gopls");
    assert!(about.starts_with("there is no gopls"), "{about}");
    assert!(about.contains("to install it: "), "{about}");
    assert!(!about.contains('\n'), "{about}");

    let conversation = served.conversation();
    let before = conversation.before_write(["main.go"]).unwrap();
    served
        .project
        .write("main.go", "package main\n\nfunc f() {}\n");
    let verdict = conversation.after_write(before).unwrap();
    assert_eq!(verdict.state, VerdictState::NoServer);
    let reason = verdict.reason.unwrap();
    assert!(reason.contains("there is no gopls"), "{reason}");

    let hover = LspRequest::about(LspAction::Hover, "main.go").at(1, "main");
    let error = conversation.lsp(&hover).unwrap_err().to_string();
    assert!(
        error.starts_with("no language server can be asked: gopls"),
        "{error}"
    );
}

/// `go vet` is a checker of its own, and what the checkout decides may run with it.
#[test]
fn a_checker_alone_is_worth_a_tool_where_it_may_run() {
    let served = Served::alone(GO);
    served.on_path("go", "");
    let offered = || {
        let tools = served.checkout().tools();
        ["lsp", "check"].map(|name| tools.iter().any(|tool| tool.name == name))
    };
    assert_eq!(offered(), [false, false]);
    served.checkout().set_trust(true).unwrap();
    assert_eq!(offered(), [true, true]);
    served.checkout().set_trust(false).unwrap();
    assert_eq!(offered(), [false, false]);
    assert_eq!(served.started(), "");
}

#[test]
fn a_program_alone_is_no_server() {
    let served = Served::alone(&[("main.go", "package main\n")]);
    served.on_path("gopls", "");
    served.on_path("go", "");
    assert_eq!(served.states(), ["gopls: unneeded"]);
    assert!(served.about("gopls").contains("go.mod"));
    let conversation = served.conversation();
    let before = conversation.before_write(["main.go"]).unwrap();
    let verdict = conversation.after_write(before).unwrap();
    assert_eq!(verdict.state, VerdictState::NoServer);
    assert_eq!(served.started(), "");
}

#[test]
fn a_program_of_the_checkout_runs_only_when_it_is_trusted() {
    let served = Served::alone(&[
        ("package.json", "{}"),
        ("tsconfig.json", "{}"),
        ("a.ts", "let a = 1\n"),
    ]);
    let program = "node_modules/.bin/typescript-language-server";
    served.program(&served.project.path(program), "exit 3");
    served.project.write(
        "node_modules/typescript/package.json",
        "{\"version\":\"5.9.3\"}",
    );
    served
        .project
        .write("node_modules/typescript/lib/tsserver.js", "");
    let state = |served: &Served| {
        let states = served.states();
        let state = states.iter().find(|state| state.starts_with("typescript:"));
        state.unwrap().clone()
    };
    assert_eq!(state(&served), "typescript: untrusted");
    let conversation = served.conversation();
    let before = conversation.before_write(["a.ts"]).unwrap();
    let verdict = conversation.after_write(before).unwrap();
    assert_eq!(verdict.state, VerdictState::NoServer);
    let reason = verdict.reason.unwrap();
    assert!(reason.contains("`fourfold trust`"), "{reason}");
    assert_eq!(served.started(), "");

    served.checkout().set_trust(true).unwrap();
    assert_eq!(state(&served), "typescript: usable");
    // It is run now, and shows that it cannot serve.
    let before = conversation.before_write(["a.ts"]).unwrap();
    let verdict = conversation.after_write(before).unwrap();
    assert_eq!(verdict.state, VerdictState::Unconfirmed, "{verdict}");
    assert_eq!(served.started(), "typescript-language-server\n");
    served.checkout().set_trust(false).unwrap();
    assert_eq!(state(&served), "typescript: untrusted");
    served.close();
}

#[test]
fn who_never_touches_a_language_never_starts_its_server() {
    let served = Served::alone(&[
        ("go.mod", "module x\n"),
        ("main.go", "package main\n"),
        ("notes.txt", "a\n"),
    ]);
    served.on_path("gopls", "");
    served.on_path("go", "");
    assert_eq!(served.states(), ["gopls: usable"]);
    let conversation = served.conversation();
    let before = conversation.before_write(["notes.txt"]).unwrap();
    served.project.write("notes.txt", "b\n");
    let verdict = conversation.after_write(before).unwrap();
    assert_eq!(verdict.state, VerdictState::NoServer);
    let everywhere = served.everywhere();
    assert_eq!(
        everywhere.unconfirmed,
        ["no server runs yet; ask about a file first, which starts its server"]
    );
    assert_eq!(served.started(), "");
}

#[test]
fn without_a_server_the_projects_own_checker_is_run() {
    let served = Served::alone(GO);
    served.on_path("go", "/bin/cat found >&2; test ! -s found");
    served.project.write("found", "./main.go:1:9: first\n");
    // Nobody trusts it yet.
    let refused = served.everywhere();
    assert_eq!(refused.unconfirmed.len(), 1);
    assert!(refused.unconfirmed[0].contains("`fourfold trust`"));
    assert_eq!(served.started(), "");

    served.checkout().set_trust(true).unwrap();
    let first = served.everywhere();
    let said: Vec<_> = first.problems.iter().map(|one| &one.message).collect();
    assert_eq!(said, ["first"]);
    assert_eq!((first.problems[0].line, first.problems[0].column), (1, 9));
    assert_eq!(first.checkers[0].checker, "go vet");
    assert_eq!(
        (first.checkers[0].new, first.checkers[0].from_before),
        (1, 0)
    );

    let both = "./main.go:1:9: first\n./main.go:1:1: second\n";
    served.project.write("found", both);
    let second = served.everywhere();
    let said: Vec<_> = second.problems.iter().map(|one| &one.message).collect();
    assert_eq!(said, ["second"]);
    assert_eq!(
        (second.checkers[0].new, second.checkers[0].from_before),
        (1, 1)
    );

    served.project.write("found", "");
    let third = served.everywhere();
    assert!(third.problems.is_empty() && third.unconfirmed.is_empty());
    assert_eq!(
        (third.checkers[0].fixed, third.checkers[0].from_before),
        (2, 0)
    );
    served.close();
}

/// A trusted checkout without a server, whose own checker finds `p1`, `p2` and so on.
fn with_a_checker_that_finds(many: usize) -> Served {
    let served = Served::alone(GO);
    let all = 1..=many;
    let found: String = all.map(|n| format!("./main.go:1:1: p{n}\n")).collect();
    served.project.write("found", &found);
    served.on_path("go", "/bin/cat found >&2; exit 1");
    served.checkout().set_trust(true).unwrap();
    served
}

#[test]
fn a_page_says_what_is_left_out() {
    let served = with_a_checker_that_finds(5);
    let page = |offset| {
        let mut request = LspRequest::about(LspAction::Diagnostics, "*");
        request.limit = Some(2);
        request.offset = offset;
        let value = serde_json::to_value(&request).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let called = served.conversation();
        runtime.block_on(called.call("lsp", value)).unwrap().text
    };
    let text = page(0);
    assert!(text.starts_with("5 problems"), "{text}");
    assert!(
        text.contains("3 more after these; offset=2 gives the next, limit more at once"),
        "{text}"
    );
    let next = page(2);
    for shown in ["5 problems", "p3", "p4", "offset=4"] {
        assert!(next.contains(shown), "{next}");
    }
    let last = page(4);
    assert!(last.contains("p5") && !last.contains("p4"), "{last}");
    assert_eq!(served.started(), "go\n", "pages of one list");
    // What was on the pages is told, and nothing of it is new to the next run.
    let again = page(0);
    let heading = "0 problems, beside 5 that were told before\ngo vet: 0 new, 5 as before";
    assert!(again.starts_with(heading), "{again}");
    served.close();
}

#[test]
fn a_checkers_finding_that_was_on_no_page_is_new_to_the_next_run() {
    let served = with_a_checker_that_finds(3);
    let mut request = LspRequest::about(LspAction::Diagnostics, "*");
    request.limit = Some(1);
    let messages = || -> Vec<String> {
        let result = served.lsp(&request);
        let problems = result.problems.iter();
        problems.map(|problem| problem.message.clone()).collect()
    };
    assert_eq!(messages(), ["p1"]);
    assert_eq!(messages(), ["p2"]);
    assert_eq!(messages(), ["p3"]);
    assert!(messages().is_empty());
    served.close();
}

#[test]
fn a_wrong_setting_is_told_and_is_not_silence() {
    let wrong = ("fourfold.toml", "[servers.gopls]\ndisabled = true\n");
    let served = Served::alone(&[GO, &[wrong]].concat());
    let conversation = served.conversation();
    let hover = LspRequest::about(LspAction::Hover, "main.go").at(1, "main");
    let error = conversation.lsp(&hover).unwrap_err().to_string();
    assert!(error.contains("`disabled`"), "{error}");
    assert!(error.contains("fourfold.toml"), "{error}");
    let before = conversation.before_write(["main.go"]).unwrap();
    let verdict = conversation.after_write(before).unwrap();
    assert_eq!(verdict.state, VerdictState::NoServer);
    assert_eq!(verdict.reason.as_deref(), Some(error.as_str()));
}
