//! A rename through the server reaches what an edit by hand forgets.

use fourfold_lsp_client::{FileChange, OperationLimits, Operations, Point, TextEdit};
use fourfold_testkit::Scenario;

use super::desk::{Desk, seen};

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_reaches_a_re_export() {
    let scenario = Scenario::named("typescript-edit-misses-a-re-export");
    let desk = Desk::new(scenario.project(), &["typescript"]);
    let project = &desk.project;
    let server = desk.server("typescript", "src/crane.ts").await;
    server.baseline("src/crane.ts").await;

    let point = Point {
        line: 0,
        column: "export function ".len() as u32,
    };
    let operations = Operations::new(&server.session, OperationLimits::default());
    let change = operations
        .rename(&project.path("src/crane.ts"), point, "hoist")
        .await
        .unwrap();
    let mut written = Vec::new();
    for file in &change.files {
        let FileChange::Edit {
            path,
            before,
            edits,
        } = file
        else {
            panic!("{file:?}");
        };
        let path = path.strip_prefix(project.root()).unwrap().to_str().unwrap();
        assert_eq!(project.read(path), **before);
        let text = TextEdit::apply(before, edits).unwrap();
        project.write(path, &text);
        written.push((path, text));
    }
    let paths: Vec<_> = written.iter().map(|(path, _)| *path).collect();
    assert_eq!(paths, ["src/crane.ts", "src/index.ts", "src/quay.ts"]);
    for (path, text) in &written {
        assert!(text.contains("hoist"), "{path}: {text}");
        server.after(path, false, text).await;
    }
    for (path, _) in &written {
        let settled = server.baseline(path).await;
        assert!(
            settled.evidence.is_confirmed(),
            "{path}: {:?}",
            settled.evidence
        );
        assert_eq!(seen(&settled.diagnostics), [], "{path}");
    }
    drop(server);
    desk.close().await;
}
