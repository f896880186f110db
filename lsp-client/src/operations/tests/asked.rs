//! Questions to a server whose every word a test says itself.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use expect_test::expect;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::Instant;

use super::super::*;
use super::{range, told};
use crate::peer::Peer;
use crate::session::{Launch, SessionLimits, Transport};
use crate::spec::{Readiness, ServerSpec};
use crate::{Point, Span, TextEdit};

const A: &str = "let 😀 = sell(1);\n  sell(2);\n";

/// A project with `a.ts` open at a server.
struct Desk {
    folder: TempDir,
    session: Session,
    peer: Peer,
}

impl Desk {
    async fn new(capabilities: Value) -> Desk {
        Desk::with(capabilities, Readiness::AtOnce).await
    }

    async fn with(capabilities: Value, readiness: Readiness) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.ts"), A).unwrap();
        let root = folder.path().canonicalize().unwrap();
        let mut spec = ServerSpec::new("fake");
        spec.readiness = readiness;
        let (mut peer, (read, write)) = Peer::new(1 << 16);
        let transport = Transport::Pipes {
            read: Box::new(read),
            write: Box::new(write),
        };
        let launch = Launch::new(Arc::new(spec), root, transport);
        let started = Session::start(launch, SessionLimits::default());
        let answered = async {
            let (id, _) = peer.expect("initialize").await;
            peer.answer(id, json!({"capabilities": capabilities})).await;
        };
        let (session, ()) = tokio::join!(started, answered);
        let session = session.unwrap();
        let desk = Desk {
            folder,
            session,
            peer,
        };
        let path = desk.path("a.ts");
        desk.session
            .documents()
            .sync(&path, "typescript", A)
            .await
            .unwrap();
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn uri(&self, name: &str) -> String {
        to_uri(&self.path(name))
    }

    /// Everything that the server has said so far has been heard.
    async fn heard(&mut self) {
        self.peer
            .request("heard", "workspace/workspaceFolders", Value::Null)
            .await;
        self.peer.answer_to("heard").await;
    }

    /// A file that was there long before the server was started.
    fn old_file(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    }
}

fn operations(session: &Session) -> Operations<'_> {
    Operations::new(session, OperationLimits::default())
}

fn point(line: u32, column: u32) -> Point {
    Point { line, column }
}

fn offer(methods: &[&str]) -> Value {
    methods
        .iter()
        .map(|method| ((*method).to_owned(), json!(true)))
        .collect()
}

/// The texts after a change, by file name.
fn after(change: &WorkspaceEdit) -> String {
    let edited = change.files.iter().map(|change| match change {
        crate::FileChange::Edit {
            path,
            before,
            edits,
        } => {
            let name = path.file_name().unwrap().display();
            format!("{name}: {:?}\n", TextEdit::apply(before, edits).unwrap())
        }
        other => format!("{other:?}\n"),
    });
    edited.collect()
}

#[tokio::test(start_paused = true)]
async fn columns_are_the_servers() {
    for (encoding, column) in [("utf-8", 11), ("utf-16", 9), ("utf-32", 8)] {
        let offers = json!({"hoverProvider": true, "positionEncoding": encoding});
        let mut desk = Desk::new(offers).await;
        let (path, uri) = (desk.path("a.ts"), desk.uri("a.ts"));
        let asked = operations(&desk.session);
        let (found, ()) = tokio::join!(asked.hover(&path, point(0, 11)), async {
            let (id, params) = desk.peer.expect("textDocument/hover").await;
            let expected = json!({
                "textDocument": {"uri": uri},
                "position": {"line": 0, "character": column},
            });
            assert_eq!(params, expected);
            let sell = range((0, column), (0, column + 4));
            desk.peer
                .answer(id, json!({"contents": "Sells.", "range": sell}))
                .await;
        });
        let found = found.unwrap().unwrap();
        assert_eq!(found.text, "Sells.");
        assert_eq!(told(found.span.unwrap()), "0:11-0:15");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_offered_comes_and_goes() {
    let mut desk = Desk::new(json!({"hoverProvider": false})).await;
    let path = desk.path("a.ts");
    let asked = operations(&desk.session);
    let at = point(1, 2);
    let refused = asked.hover(&path, at).await.unwrap_err();
    expect!["fake does not offer textDocument/hover; ask another server, or do it by other means"]
        .assert_eq(&refused.to_string());

    let registration = json!({"registrations": [{"id": "1", "method": "textDocument/hover"}]});
    desk.peer
        .request(1, "client/registerCapability", registration)
        .await;
    desk.peer.answer_to(1).await;
    let (found, ()) = tokio::join!(asked.hover(&path, at), async {
        let (id, _) = desk.peer.expect("textDocument/hover").await;
        desk.peer.answer(id, Value::Null).await;
    });
    assert_eq!(found.unwrap(), None);

    let gone = json!({"unregisterations": [{"id": "1", "method": "textDocument/hover"}]});
    desk.peer
        .request(2, "client/unregisterCapability", gone)
        .await;
    desk.peer.answer_to(2).await;
    let refused = asked.hover(&path, at).await;
    assert!(matches!(refused, Err(OperationError::NotOffered { .. })));
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_server_is_asked_again() {
    const MODIFIED: i64 = -32801;
    const CANCELLED: i64 = -32802;
    let mut desk = Desk::new(offer(&["declarationProvider"])).await;
    let (path, uri) = (desk.path("a.ts"), desk.uri("a.ts"));
    let asked = operations(&desk.session);
    let method = Goto::Declaration.method();
    let start = Instant::now();
    let (found, ()) = tokio::join!(asked.go_to(Goto::Declaration, &path, point(1, 2)), async {
        for code in [MODIFIED, CANCELLED] {
            let (id, _) = desk.peer.expect(method).await;
            desk.peer.fail(id, code, Value::Null).await;
        }
        let (id, _) = desk.peer.expect(method).await;
        let found = json!({"uri": uri, "range": range((1, 2), (1, 6))});
        desk.peer.answer(id, found).await;
    });
    assert_eq!(found.unwrap().places.len(), 1);
    assert_eq!(start.elapsed(), 2 * OperationLimits::default().again);

    let (found, ()) = tokio::join!(asked.go_to(Goto::Declaration, &path, point(1, 2)), async {
        let (id, _) = desk.peer.expect(method).await;
        let never = json!({"retriggerRequest": false});
        desk.peer.fail(id, CANCELLED, never).await;
    });
    assert!(matches!(found, Err(OperationError::Request(_))));

    // At last the time is over.
    let start = Instant::now();
    let answers = async {
        loop {
            let (id, _) = desk.peer.expect(method).await;
            desk.peer.fail(id, MODIFIED, Value::Null).await;
        }
    };
    let error = tokio::select! {
        found = asked.go_to(Goto::Declaration, &path, point(1, 2)) => found.unwrap_err(),
        () = answers => unreachable!("it answers for ever"),
    };
    assert!(matches!(error, OperationError::Request(_)), "{error}");
    let limits = OperationLimits::default();
    assert!(start.elapsed() > limits.request - 2 * limits.again);
    assert!(start.elapsed() <= limits.request);
}

#[tokio::test(start_paused = true)]
async fn no_answer_is_waited_for_longer_than_said() {
    let offers = offer(&["hoverProvider", "referencesProvider"]);
    let desk = Desk::new(offers).await;
    let path = desk.path("a.ts");
    let asked = operations(&desk.session);
    let limits = OperationLimits::default();
    let start = Instant::now();
    asked.hover(&path, point(1, 2)).await.unwrap_err();
    assert_eq!(start.elapsed(), limits.request);
    let start = Instant::now();
    asked
        .references(&path, point(1, 2), true)
        .await
        .unwrap_err();
    assert_eq!(start.elapsed(), limits.search);
}

#[tokio::test(start_paused = true)]
async fn references_are_asked_for_again_when_the_work_is_done() {
    let mut desk = Desk::new(offer(&["referencesProvider"])).await;
    let (path, uri) = (desk.path("a.ts"), desk.uri("a.ts"));
    let place = |line, start| json!({"uri": uri, "range": range((line, start), (line, start + 4))});
    let progress =
        |kind: &str| json!({"token": "index", "value": {"kind": kind, "title": "Indexing"}});
    let method = "textDocument/references";
    desk.peer.notify("$/progress", progress("begin")).await;
    desk.heard().await;
    let asked = operations(&desk.session);
    let (found, ()) = tokio::join!(asked.references(&path, point(1, 2), false), async {
        let (id, params) = desk.peer.expect(method).await;
        assert_eq!(params["context"], json!({"includeDeclaration": false}));
        desk.peer.answer(id, json!([place(1, 2)])).await;
        desk.peer.notify("$/progress", progress("end")).await;
        let (id, _) = desk.peer.expect(method).await;
        desk.peer
            .answer(id, json!([place(0, 9), place(1, 2)]))
            .await;
    });
    let found = found.unwrap();
    let spans: Vec<String> = found.places.iter().map(|place| told(place.span)).collect();
    assert_eq!(spans, ["0:11-0:15", "1:2-1:6"]);

    // Without open work one place is what there is.
    let (found, ()) = tokio::join!(asked.references(&path, point(1, 2), true), async {
        let (id, _) = desk.peer.expect(method).await;
        desk.peer.answer(id, json!([place(1, 2)])).await;
    });
    assert_eq!(found.unwrap().places.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_may_be_anywhere_is_asked_for_when_the_index_is_built() {
    let mut desk = Desk::new(offer(&["hoverProvider", "definitionProvider"])).await;
    let path = desk.path("a.ts");
    let asked = operations(&desk.session);
    let progress = |kind: &str| json!({"token": 1, "value": {"kind": kind, "title": "index"}});
    let start = Instant::now();
    let (_, ()) = tokio::join!(asked.hover(&path, point(1, 2)), async {
        let (id, _) = desk.peer.expect("textDocument/hover").await;
        desk.peer.answer(id, Value::Null).await;
    });
    assert_eq!(start.elapsed(), Duration::ZERO);
    // It begins a moment after the document was opened.
    let (_, ()) = tokio::join!(asked.go_to(Goto::Definition, &path, point(1, 2)), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        desk.peer.notify("$/progress", progress("begin")).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        desk.peer.notify("$/progress", progress("end")).await;
        let (id, _) = desk.peer.expect("textDocument/definition").await;
        desk.peer.answer(id, Value::Null).await;
    });
    assert_eq!(start.elapsed(), Duration::from_millis(2800));
}

#[tokio::test(start_paused = true)]
async fn a_method_that_is_announced_and_missing_is_not_offered() {
    let mut desk = Desk::new(offer(&["hoverProvider"])).await;
    let path = desk.path("a.ts");
    let asked = operations(&desk.session);
    let (found, ()) = tokio::join!(asked.hover(&path, point(1, 2)), async {
        let (id, _) = desk.peer.expect("textDocument/hover").await;
        desk.peer.fail(id, -32601, Value::Null).await;
    });
    assert!(matches!(found, Err(OperationError::NotOffered { .. })));
}

#[tokio::test(start_paused = true)]
async fn nothing_from_a_server_that_loads_is_no_answer() {
    let mut desk = Desk::with(offer(&["hoverProvider"]), Readiness::ServerStatus).await;
    let path = desk.path("a.ts");
    let asked = operations(&desk.session);
    let method = "textDocument/hover";
    let begun = json!({"token": 1, "value": {"kind": "begin", "title": "Building graph"}});
    desk.peer.notify("$/progress", begun).await;
    let start = Instant::now();
    let (found, ()) = tokio::join!(asked.hover(&path, point(1, 2)), async {
        let (id, _) = desk.peer.expect(method).await;
        desk.peer.answer(id, Value::Null).await;
    });
    assert_eq!(start.elapsed(), OperationLimits::default().ready);
    expect!["asking fake for textDocument/hover: it found nothing and is still loading the project after 30 s (Building graph); ask again later"].assert_eq(&found.unwrap_err().to_string());

    let (found, ()) = tokio::join!(asked.hover(&path, point(1, 2)), async {
        let (id, _) = desk.peer.expect(method).await;
        desk.peer.answer(id, json!({"contents": "Sells."})).await;
    });
    assert!(found.unwrap().is_some());

    let loaded = json!({"quiescent": true});
    desk.peer.notify("experimental/serverStatus", loaded).await;
    let (found, ()) = tokio::join!(asked.hover(&path, point(1, 2)), async {
        let (id, _) = desk.peer.expect(method).await;
        desk.peer.answer(id, Value::Null).await;
    });
    assert_eq!(found.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn an_answer_about_a_text_that_is_gone_does_not_count() {
    let mut desk = Desk::new(offer(&["documentSymbolProvider"])).await;
    let path = desk.path("a.ts");
    let asked = operations(&desk.session);
    let method = "textDocument/documentSymbol";
    let symbol = |line| {
        let at = range((line, 9), (line, 13));
        json!([{"name": "sell", "kind": 12, "range": at, "selectionRange": at}])
    };
    let (found, ()) = tokio::join!(asked.document_symbols(&path), async {
        let (id, _) = desk.peer.expect(method).await;
        let documents = desk.session.documents();
        documents
            .sync(&path, "typescript", &format!("\n{A}"))
            .await
            .unwrap();
        desk.peer.answer(id, symbol(0)).await;
        let (id, _) = desk.peer.expect(method).await;
        desk.peer.answer(id, symbol(1)).await;
    });
    let spans: Vec<String> = found.unwrap().iter().map(|one| told(one.span)).collect();
    assert_eq!(spans, ["1:11-1:15"]);
}

#[tokio::test(start_paused = true)]
async fn what_others_changed_on_disk_is_told_first() {
    let mut desk = Desk::new(offer(&["hoverProvider"])).await;
    let path = desk.path("a.ts");
    fs::write(&path, "\nsell(3);\n").unwrap();
    let asked = operations(&desk.session);
    let (found, ()) = tokio::join!(asked.hover(&path, point(1, 0)), async {
        let (_, params) = desk.peer.expect("textDocument/didChange").await;
        assert_eq!(params["contentChanges"], json!([{"text": "\nsell(3);\n"}]));
        let (id, params) = desk.peer.expect("textDocument/hover").await;
        assert_eq!(params["position"], json!({"line": 1, "character": 0}));
        desk.peer.answer(id, Value::Null).await;
    });
    assert_eq!(found.unwrap(), None);
    fs::remove_file(&path).unwrap();
    let gone = asked.hover(&path, point(1, 0)).await.unwrap_err();
    let folder = format!("{}/", desk.path("").display());
    expect!["asking fake about /a.ts: the document is not open; the file may have been deleted or be no text any more, else open it first"].assert_eq(&gone.to_string().replace(folder.trim_end_matches('/'), ""));
}

#[tokio::test(start_paused = true)]
async fn a_rename_reaches_other_files() {
    let offers = json!({"renameProvider": {"prepareProvider": true}});
    let mut desk = Desk::new(offers).await;
    desk.old_file("b.ts", "sell();\n");
    let (path, a, b) = (desk.path("a.ts"), desk.uri("a.ts"), desk.uri("b.ts"));
    let asked = operations(&desk.session);
    let edit =
        |line, start| json!({"range": range((line, start), (line, start + 4)), "newText": "buy"});
    let (change, ()) = tokio::join!(asked.rename(&path, point(1, 2), "buy"), async {
        let (id, params) = desk.peer.expect("textDocument/prepareRename").await;
        assert_eq!(params["position"], json!({"line": 1, "character": 2}));
        desk.peer.answer(id, range((1, 2), (1, 6))).await;
        let (id, params) = desk.peer.expect("textDocument/rename").await;
        assert_eq!(params["newName"], "buy");
        let changes = json!({(&a): [edit(1, 2), edit(0, 9)], (&b): [edit(0, 0)]});
        desk.peer.answer(id, json!({"changes": changes})).await;
    });
    expect![[r#"
        a.ts: "let 😀 = buy(1);\n  buy(2);\n"
        b.ts: "buy();\n"
    "#]]
    .assert_eq(&after(&change.unwrap()));

    let (change, ()) = tokio::join!(asked.rename(&path, point(1, 0), "buy"), async {
        let (id, _) = desk.peer.expect("textDocument/prepareRename").await;
        desk.peer.answer(id, Value::Null).await;
    });
    let told = change.unwrap_err().to_string();
    let folder = format!("{}/", path.parent().unwrap().display());
    expect!["fake says that nothing at a.ts:2 can be renamed"]
        .assert_eq(&told.replace(&folder, ""));
}

#[tokio::test(start_paused = true)]
async fn a_file_that_others_changed_is_renamed_in_as_it_is() {
    let mut desk = Desk::new(offer(&["renameProvider"])).await;
    let path = desk.path("a.ts");
    let b = desk.uri("b.ts");
    fs::write(desk.path("b.ts"), "\nsell();\n").unwrap();
    let asked = operations(&desk.session);
    let changes = |line| {
        let edit = json!({"range": range((line, 0), (line, 4)), "newText": "buy"});
        json!({"changes": {(&b): [edit]}})
    };
    let (change, ()) = tokio::join!(asked.rename(&path, point(1, 2), "buy"), async {
        let (id, _) = desk.peer.expect("textDocument/rename").await;
        desk.peer.answer(id, changes(0)).await;
        let (_, told) = desk.peer.expect("workspace/didChangeWatchedFiles").await;
        assert_eq!(told, json!({"changes": [{"uri": b, "type": 2}]}));
        let (id, _) = desk.peer.expect("textDocument/rename").await;
        desk.peer.answer(id, changes(1)).await;
    });
    expect![[r#"
        b.ts: "\nbuy();\n"
    "#]]
    .assert_eq(&after(&change.unwrap()));
}

#[tokio::test(start_paused = true)]
async fn imports_follow_a_file_that_is_moved() {
    let operations_of_files = json!({"willRename": {"filters": []}, "didRename": {"filters": []}});
    let offers = json!({"workspace": {"fileOperations": operations_of_files}});
    let mut desk = Desk::new(offers).await;
    let (a, b, c) = (desk.uri("a.ts"), desk.uri("b.ts"), desk.uri("c.ts"));
    let asked = operations(&desk.session);
    let files = [(desk.path("b.ts"), desk.path("c.ts"))];
    let expected = json!({"files": [{"oldUri": b, "newUri": c}]});
    let (change, ()) = tokio::join!(asked.will_rename_files(&files), async {
        let (id, params) = desk.peer.expect("workspace/willRenameFiles").await;
        assert_eq!(params, expected);
        let edit = json!({"range": range((0, 0), (0, 3)), "newText": "var"});
        desk.peer
            .answer(id, json!({"changes": {(&a): [edit]}}))
            .await;
    });
    expect![[r#"
        a.ts: "var 😀 = sell(1);\n  sell(2);\n"
    "#]]
    .assert_eq(&after(&change.unwrap()));
    asked.did_rename_files(&files).await.unwrap();
    let (_, params) = desk.peer.expect("workspace/didRenameFiles").await;
    assert_eq!(params, expected);
}

#[tokio::test(start_paused = true)]
async fn actions_are_asked_for_with_the_problems_at_hand() {
    let offers = json!({"codeActionProvider": {"resolveProvider": true}});
    let mut desk = Desk::new(offers).await;
    let (path, uri) = (desk.path("a.ts"), desk.uri("a.ts"));
    let problem = |line| {
        let at = range((line, 2), (line, 6));
        json!({"range": at, "message": "unknown", "code": 2304, "data": {"fix": line}})
    };
    let problems = json!({"uri": uri, "version": 1, "diagnostics": [problem(0), problem(1)]});
    desk.peer
        .notify("textDocument/publishDiagnostics", problems)
        .await;
    desk.heard().await;
    let asked = operations(&desk.session);
    let span = Span {
        start: point(1, 6),
        end: point(1, 9),
    };
    let only = ["quickfix".to_owned()];
    let (found, ()) = tokio::join!(asked.code_actions(&path, span, &only), async {
        let (id, params) = desk.peer.expect("textDocument/codeAction").await;
        assert_eq!(params["range"], range((1, 6), (1, 9)));
        let context = json!({"diagnostics": [problem(1)], "only": ["quickfix"], "triggerKind": 1});
        assert_eq!(params["context"], context);
        let fix = json!({"title": "Import", "kind": "quickfix", "data": {"id": 1}});
        desk.peer
            .answer(id, json!([fix, {"title": "Other", "kind": "refactor"}]))
            .await;
    });
    let found = found.unwrap();
    let [import] = found.as_slice() else {
        panic!("{found:?}")
    };
    let (done, ()) = tokio::join!(asked.perform(import), async {
        let (id, mut action) = desk.peer.expect("codeAction/resolve").await;
        assert_eq!(action["data"], json!({"id": 1}));
        let edit = json!({"range": range((0, 0), (0, 0)), "newText": "import s;\n"});
        action["edit"] = json!({"changes": {(&uri): [edit]}});
        action["command"] = json!({"title": "show", "command": "editor.show"});
        desk.peer.answer(id, action).await;
    });
    let done = done.unwrap();
    expect![[r#"
        a.ts: "import s;\nlet 😀 = sell(1);\n  sell(2);\n"
    "#]]
    .assert_eq(&after(&done.change));
    assert_eq!(done.not_run, None);
}

#[tokio::test(start_paused = true)]
async fn pulled_problems_are_problems_at_hand() {
    let offers = json!({
        "codeActionProvider": true,
        "diagnosticProvider": {"identifier": "own", "interFileDependencies": true},
    });
    let mut desk = Desk::new(offers).await;
    let path = desk.path("a.ts");
    let asked = operations(&desk.session);
    let problem = json!({"range": range((1, 2), (1, 6)), "message": "unknown", "data": 7});
    let (found, ()) = tokio::join!(asked.code_actions(&path, Span::default(), &[]), async {
        let (id, params) = desk.peer.expect("textDocument/diagnostic").await;
        assert_eq!(params["identifier"], "own");
        let everywhere = json!({"range": range((0, 0), (9, 0)), "message": "old"});
        let items = json!([problem, everywhere]);
        desk.peer
            .answer(id, json!({"kind": "full", "items": items}))
            .await;
        let (id, params) = desk.peer.expect("textDocument/codeAction").await;
        assert_eq!(params["context"]["diagnostics"], json!([everywhere]));
        assert_eq!(params["context"].get("only"), None);
        desk.peer.answer(id, Value::Null).await;
    });
    assert_eq!(found.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn a_command_brings_its_edits() {
    let offers = json!({"executeCommandProvider": {"commands": ["sort", "idle"]}});
    let mut desk = Desk::new(offers).await;
    let uri = desk.uri("a.ts");
    let asked = operations(&desk.session);
    let action = |sent: Value| CodeAction::read_all(&json!([sent]), &[]).remove(0);
    let sort = action(json!({"title": "Sort", "command": "sort", "arguments": [uri]}));
    let edit = |text: &str| {
        let edit = json!({"range": range((0, 0), (0, 0)), "newText": text});
        json!({"label": "sort", "edit": {"changes": {(&uri): [edit]}}})
    };
    // In the middle of the command, or late.
    for late in [false, true] {
        let (done, ()) = tokio::join!(asked.perform(&sort), async {
            let (id, params) = desk.peer.expect("workspace/executeCommand").await;
            assert_eq!(params, json!({"command": "sort", "arguments": [uri]}));
            if late {
                desk.peer.answer(id.clone(), Value::Null).await;
            }
            desk.peer
                .request("e", "workspace/applyEdit", edit("s\n"))
                .await;
            let answer = desk.peer.answer_to("e").await;
            assert_eq!(answer["result"]["applied"], true);
            if !late {
                desk.peer.answer(id, Value::Null).await;
            }
        });
        expect![[r#"
            a.ts: "s\nlet 😀 = sell(1);\n  sell(2);\n"
        "#]]
        .assert_eq(&after(&done.unwrap().change));
    }
    // Nobody asked.
    desk.peer
        .request("f", "workspace/applyEdit", edit("x"))
        .await;
    let answer = desk.peer.answer_to("f").await;
    assert_eq!(answer["result"]["applied"], false);

    let (done, ()) = tokio::join!(asked.perform(&sort), async {
        let (id, _) = desk.peer.expect("workspace/executeCommand").await;
        for number in [1, 2] {
            desk.peer
                .request(number, "workspace/applyEdit", edit("x"))
                .await;
            desk.peer.answer_to(number).await;
        }
        desk.peer.answer(id, Value::Null).await;
    });
    let several = done.unwrap_err().to_string();
    let folder = format!("{}/", desk.path("a.ts").parent().unwrap().display());
    let elsewhere = action(json!({"title": "Show", "command": "editor.show"}));
    let elsewhere = asked.perform(&elsewhere).await.unwrap_err().to_string();
    let disabled = action(json!({"title": "Extract", "disabled": {"reason": "nothing selected"}}));
    let disabled = asked.perform(&disabled).await.unwrap_err().to_string();
    let told = format!("{several}\n{elsewhere}\n{disabled}\n").replace(&folder, "");
    expect![[r#"
        "Sort" changes a.ts in several steps, which cannot be told apart; make the change by other means
        "Show" is the command editor.show of an editor, which fake does not run; make the change by other means
        "Extract" cannot be done here: nothing selected
    "#]].assert_eq(&told);
}

#[tokio::test(start_paused = true)]
async fn formatting_says_how_the_text_is_indented() {
    let offers = offer(&[
        "documentFormattingProvider",
        "documentRangeFormattingProvider",
    ]);
    let mut desk = Desk::new(offers).await;
    let path = desk.path("a.ts");
    let asked = operations(&desk.session);
    let two = json!({"tabSize": 2, "insertSpaces": true});
    let (change, ()) = tokio::join!(asked.format(&path, None), async {
        let (id, params) = desk.peer.expect("textDocument/formatting").await;
        assert_eq!(params["options"], two);
        let edits = json!([{"range": range((1, 0), (1, 2)), "newText": ""}]);
        desk.peer.answer(id, edits).await;
    });
    expect![[r#"
        a.ts: "let 😀 = sell(1);\nsell(2);\n"
    "#]]
    .assert_eq(&after(&change.unwrap()));
    let span = Span {
        start: point(0, 4),
        end: point(0, 8),
    };
    let tabs = Indentation {
        size: 8,
        spaces: false,
    };
    let part = asked.format_range(&path, span, Some(tabs));
    let (change, ()) = tokio::join!(part, async {
        let (id, params) = desk.peer.expect("textDocument/rangeFormatting").await;
        assert_eq!(
            params["options"],
            json!({"tabSize": 8, "insertSpaces": false})
        );
        assert_eq!(params["range"], range((0, 4), (0, 6)));
        desk.peer.answer(id, Value::Null).await;
    });
    assert_eq!(change.unwrap(), WorkspaceEdit::default());
}

#[tokio::test(start_paused = true)]
async fn symbols_without_a_place_are_asked_for_it() {
    let offers = json!({"workspaceSymbolProvider": {"resolveProvider": true}});
    let mut desk = Desk::new(offers).await;
    let uri = desk.uri("a.ts");
    let asked = operations(&desk.session);
    let symbol =
        |name: &str, location: Value| json!({"name": name, "kind": 12, "location": location});
    let place = || json!({"uri": uri, "range": range((0, 9), (0, 13))});
    let (found, ()) = tokio::join!(asked.workspace_symbols("se"), async {
        let (id, params) = desk.peer.expect("workspace/symbol").await;
        assert_eq!(params, json!({"query": "se"}));
        let found = json!([
            symbol("known", place()),
            symbol("asked", json!({"uri": uri})),
            symbol("refused", json!({"uri": uri})),
        ]);
        desk.peer.answer(id, found).await;
        let (id, params) = desk.peer.expect("workspaceSymbol/resolve").await;
        assert_eq!(params, symbol("asked", json!({"uri": uri})));
        desk.peer.answer(id, symbol("asked", place())).await;
        let (id, _) = desk.peer.expect("workspaceSymbol/resolve").await;
        desk.peer.fail(id, -32603, Value::Null).await;
    });
    let found = found.unwrap();
    let names: Vec<_> = found
        .iter()
        .map(|one| (&*one.name, one.span.map(told)))
        .collect();
    let place = || Some("0:11-0:15".to_owned());
    assert_eq!(
        names,
        [("known", place()), ("asked", place()), ("refused", None)]
    );
}

#[tokio::test(start_paused = true)]
async fn hierarchies_hand_back_what_they_got() {
    let offers = offer(&["callHierarchyProvider", "typeHierarchyProvider"]);
    let mut desk = Desk::new(offers).await;
    let (path, uri) = (desk.path("a.ts"), desk.uri("a.ts"));
    let asked = operations(&desk.session);
    let item = |name: &str| {
        let at = range((1, 2), (1, 6));
        json!({"name": name, "kind": 12, "uri": uri, "range": at, "selectionRange": at, "data": 7})
    };
    let (found, ()) = tokio::join!(asked.call_hierarchy(&path, point(1, 2)), async {
        let (id, _) = desk.peer.expect("textDocument/prepareCallHierarchy").await;
        desk.peer.answer(id, json!([item("sell")])).await;
    });
    let found = found.unwrap().remove(0);
    for (direction, method, other) in [
        (Direction::Incoming, "callHierarchy/incomingCalls", "from"),
        (Direction::Outgoing, "callHierarchy/outgoingCalls", "to"),
    ] {
        let (calls, ()) = tokio::join!(asked.calls(&found, direction), async {
            let (id, params) = desk.peer.expect(method).await;
            assert_eq!(params, json!({"item": item("sell")}));
            let call = json!({(other): item("main"), "fromRanges": [range((0, 9), (0, 13))]});
            desk.peer.answer(id, json!([call])).await;
        });
        let calls = calls.unwrap().remove(0);
        assert_eq!(calls.item.name, "main");
        assert_eq!(told(calls.sites[0]), "0:11-0:15");
    }
    let (found, ()) = tokio::join!(asked.type_hierarchy(&path, point(1, 2)), async {
        let (id, _) = desk.peer.expect("textDocument/prepareTypeHierarchy").await;
        desk.peer.answer(id, json!([item("Shop")])).await;
    });
    let found = found.unwrap().remove(0);
    let (above, ()) = tokio::join!(asked.supertypes(&found), async {
        let (id, params) = desk.peer.expect("typeHierarchy/supertypes").await;
        assert_eq!(params, json!({"item": item("Shop")}));
        desk.peer.answer(id, json!([item("Place")])).await;
    });
    assert_eq!(above.unwrap()[0].name, "Place");
    let (below, ()) = tokio::join!(asked.subtypes(&found), async {
        let (id, _) = desk.peer.expect("typeHierarchy/subtypes").await;
        desk.peer.answer(id, Value::Null).await;
    });
    assert_eq!(below.unwrap(), []);
}
