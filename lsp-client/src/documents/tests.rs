//! What servers are told about documents, and in which order.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::*;
use crate::peer::{Peer, session, session_with, spec};
use crate::{Session, SessionLimits};

const SAVE_WITH_TEXT: &str = r#"{ "textDocumentSync": { "save": { "includeText": true } } }"#;

async fn started() -> (Session, Peer) {
    session((spec(), Path::new("/r")), json!({})).await
}

/// What the client sent up to now: method, file name, and version or type.
async fn sent(session: &Session, peer: &mut Peer) -> Vec<String> {
    drop(session.notify("end", Value::Null).await);
    let mut sent = Vec::new();
    loop {
        let message = peer.next().await.expect("a message");
        let method = message["method"].as_str().expect("a method");
        let name = |uri: &Value| {
            uri.as_str()
                .and_then(|uri| uri.rsplit('/').next())
                .map(str::to_owned)
        };
        let params = &message["params"];
        let mut line = method.rsplit('/').next().unwrap_or_default().to_owned();
        if line == "end" {
            return sent;
        }
        for event in params["changes"].as_array().into_iter().flatten() {
            line += &format!(" {}:{}", name(&event["uri"]).expect("a URI"), event["type"]);
        }
        if let Some(name) = name(&params["textDocument"]["uri"]) {
            line += &format!(" {name}");
        }
        if let Some(version) = params["textDocument"]["version"].as_i64() {
            line += &format!(" v{version}");
        }
        sent.push(line);
    }
}

#[tokio::test(start_paused = true)]
async fn a_document_is_opened_once_and_its_versions_are_counted() {
    let (session, mut peer) = started().await;
    let documents = session.documents();
    let path = Path::new("/r/a.x");
    let mut seen = Vec::new();
    for text in ["one", "one", "two", "one"] {
        let synced = documents.sync(path, "x", text).await.expect("sent");
        seen.push((synced.version, synced.changed));
    }
    assert_eq!(seen, [(1, true), (1, false), (2, true), (3, true)]);
    assert_eq!(documents.text(path).as_deref(), Some("one"));
    // Opened again, it begins above everything that may still be on its way.
    documents.close(path).await.expect("sent");
    documents.close(path).await.expect("nothing to do");
    assert_eq!(documents.version(path), None);
    documents.sync(path, "x", "one").await.expect("sent");
    assert_eq!(
        sent(&session, &mut peer).await,
        [
            "didOpen a.x v1",
            "didChange a.x v2",
            "didChange a.x v3",
            "didClose a.x",
            "didOpen a.x v4"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_patch_is_announced_in_the_order_that_servers_need() {
    let (session, mut peer) = started().await;
    let documents = session.documents();
    documents
        .sync(Path::new("/r/old.x"), "x", "")
        .await
        .expect("sent");
    documents
        .sync(Path::new("/r/b.x"), "x", "")
        .await
        .expect("sent");
    sent(&session, &mut peer).await;
    let changes = [
        Change::new("/r/b.x", FileEvent::Changed).with_text("x", "b"),
        Change::new("/r/data.json", FileEvent::Changed),
        Change::new("/r/old.x", FileEvent::Deleted),
        Change::new("/r/new.x", FileEvent::Created).with_text("x", "n"),
    ];
    session.announce(&changes).await.expect("sent");
    assert_eq!(
        sent(&session, &mut peer).await,
        [
            "didClose old.x",
            "didChangeWatchedFiles old.x:3 new.x:1",
            "didChange b.x v2",
            // Nothing that was published for the closed one can be taken for its.
            "didOpen new.x v2",
            "didSave b.x",
            "didSave new.x",
            "didChangeWatchedFiles b.x:2 data.json:2",
        ]
    );
    session.announce(&[]).await.expect("nothing to do");
    assert_eq!(sent(&session, &mut peer).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn texts_go_without_byte_order_mark_and_with_a_save_that_wants_them() {
    let capabilities = serde_json::from_str(SAVE_WITH_TEXT).expect("JSON");
    let (session, mut peer) = session((spec(), Path::new("/r")), capabilities).await;
    let change = Change::new("/r/a.x", FileEvent::Created).with_text("x", "\u{feff}é");
    session.announce(&[change]).await.expect("sent");
    let (_, opened) = peer.expect("textDocument/didOpen").await;
    assert_eq!(
        opened["textDocument"],
        json!({ "uri": "file:///r/a.x", "languageId": "x", "version": 1, "text": "é" })
    );
    assert_eq!(peer.expect("textDocument/didSave").await.1["text"], "é");
    assert_eq!(
        session.documents().text(Path::new("/r/a.x")).as_deref(),
        Some("\u{feff}é")
    );
}

#[tokio::test(start_paused = true)]
async fn of_too_many_the_least_recently_used_are_closed_but_none_that_is_waited_for() {
    let mut limits = SessionLimits::default();
    limits.documents.open = 3;
    limits.documents.open_bytes = 100;
    let root = Path::new("/r");
    let (session, mut peer) = session_with((spec(), root), json!({}), limits, 1 << 16).await;
    let documents = session.documents();
    let sync = async |name: &str, text: &str| {
        let synced = documents.sync(&root.join(name), "x", text).await;
        synced.expect("sent");
    };
    let names = || {
        let open = documents.open().into_iter();
        open.map(|path| {
            path.file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect::<Vec<_>>()
    };
    for name in ["a", "b", "c"] {
        sync(name, "").await;
    }
    sync("a", "").await;
    sync("d", "").await;
    assert_eq!(names(), ["d", "a", "c"]);
    // The oldest is in use now.
    let c = root.join("c");
    let pinned = documents.pin(&c).expect("open");
    sync("e", "").await;
    sync("f", "").await;
    assert_eq!(names(), ["f", "e", "c"]);
    drop(pinned);
    // A large one needs the room of two.
    sync("g", &"x".repeat(60)).await;
    sync("h", &"x".repeat(60)).await;
    assert_eq!(names(), ["h"]);
    // One that is larger than all room is opened alone.
    sync("i", &"x".repeat(200)).await;
    assert_eq!(names(), ["i"]);
    sent(&session, &mut peer).await;
}

/// Files that are long since as they are, so that their time stamps can be relied on.
fn age(path: &Path) {
    let file = fs::File::options().write(true).open(path).expect("a file");
    let long_ago = SystemTime::now() - Duration::from_secs(60);
    file.set_modified(long_ago).expect("set");
}

#[tokio::test(start_paused = true)]
async fn what_others_change_on_disk_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder");
    let limits = SessionLimits {
        documents: DocumentLimits {
            text_bytes: 100,
            ..DocumentLimits::default()
        },
        ..SessionLimits::default()
    };
    let (session, mut peer) = session_with((spec(), &root), json!({}), limits, 1 << 16).await;
    let path = |name: &str| root.join(name);
    for name in ["same", "changed", "touched", "gone", "large", "binary"] {
        fs::write(path(name), "text").expect("written");
        age(&path(name));
        session.open(&path(name), "x").await.expect("open");
    }
    assert_eq!(session.refresh_from_disk().await.expect("sent").len(), 0);
    sent(&session, &mut peer).await;

    fs::write(path("changed"), "more").expect("written");
    fs::write(path("touched"), "text").expect("written");
    fs::remove_file(path("gone")).expect("removed");
    fs::write(path("large"), "x".repeat(101)).expect("written");
    fs::write(path("binary"), b"\xff\xfe").expect("written");
    let mut changed = session.refresh_from_disk().await.expect("sent");
    changed.sort();
    assert_eq!(changed, ["binary", "changed", "gone", "large"].map(path));
    assert_eq!(
        sent(&session, &mut peer).await,
        [
            "didClose binary",
            "didClose large",
            "didClose gone",
            "didChangeWatchedFiles gone:3",
            "didChange changed v2",
            "didSave changed",
            "didChangeWatchedFiles binary:2 changed:2 large:2",
        ]
    );
    assert_eq!(session.refresh_from_disk().await.expect("sent").len(), 0);
    assert_eq!(sent(&session, &mut peer).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_same_size_within_one_tick_of_the_clock_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder");
    let (session, _peer) = session((spec(), &root), json!({})).await;
    let path = root.join("a.x");
    fs::write(&path, "one").expect("written");
    session.open(&path, "x").await.expect("open");
    let modified = fs::metadata(&path)
        .and_then(|file| file.modified())
        .expect("a time");
    assert_eq!(session.refresh_from_disk().await.expect("sent").len(), 0);
    fs::write(&path, "two").expect("written");
    let file = fs::File::options().write(true).open(&path).expect("a file");
    file.set_modified(modified).expect("set");
    assert_eq!(session.refresh_from_disk().await.expect("sent"), [&*path]);
    assert_eq!(session.documents().text(&path).as_deref(), Some("two"));
}

#[tokio::test(start_paused = true)]
async fn a_file_that_has_no_text_is_not_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder");
    let (session, _peer) = session((spec(), &root), json!({})).await;
    let why = async |name: &str| {
        let opened = session.open(&root.join(name), "x").await;
        opened.expect_err("no text").to_string()
    };
    assert!(
        why("absent")
            .await
            .ends_with("absent at the server: there is no such file")
    );
    assert!(
        why(".").await.contains("neither a file nor"),
        "{}",
        why(".").await
    );
    fs::write(root.join("latin"), b"caf\xe9").expect("written");
    assert!(why("latin").await.contains("not UTF-8 from byte 3"));
}
