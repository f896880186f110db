//! Servers that are shell scripts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fourfold_child::Guard;
use tempfile::TempDir;

use super::*;
use crate::catalog::Catalog;
use crate::detect::{Availability, DetectConfig, Trust, WhyNot};
use crate::servers::{PoolConfig, ServerState, Servers, Unavailable};

/// Answers `initialize`, then does what comes next.
const ANSWER: &str = "body='{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"capabilities\":{}}}'\n\
    printf 'Content-Length: %s\\r\\n\\r\\n%s' ${#body} \"$body\"\n";

struct World {
    base: TempDir,
    servers: Servers,
}

impl World {
    fn new() -> Self {
        let base = TempDir::new().unwrap();
        let at = |path: &str| base.path().join(path);
        for folder in ["checkout", "first", "second"] {
            fs::create_dir(at(folder)).unwrap();
        }
        fs::write(at("checkout/pyproject.toml"), "").unwrap();
        fs::write(at("checkout/pom.xml"), "").unwrap();
        let mut config = DetectConfig::new(at("state"));
        config.search_path = std::env::join_paths([at("first"), at("second")]).unwrap();
        config.guard = Guard::None;
        let detector = Detector::new(
            Catalog::built_in(),
            &at("checkout"),
            Trust::Untrusted,
            config,
        )
        .unwrap();
        let limits = SessionLimits {
            initialize: Duration::from_secs(20),
            shutdown: Duration::from_millis(50),
            ..SessionLimits::default()
        };
        let servers = Servers::new(Arc::new(detector), PoolConfig::default(), limits);
        Self { base, servers }
    }

    fn script(&self, path: &str, script: &str) -> PathBuf {
        let path = self.base.path().join(path);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    async fn launchable(&self, file: &str) -> Option<Launchable> {
        let found = self.servers.detector().detect(Path::new(file)).await;
        found.iter().find_map(|found| found.launchable()).cloned()
    }
}

#[tokio::test]
async fn a_program_that_is_no_server_is_remembered_and_the_next_one_serves() {
    let world = World::new();
    world.script(
        "first/basedpyright-langserver",
        "echo usage: something\necho 'env: node: not found' >&2\nexit 127",
    );
    let pid = world.base.path().join("pid");
    let real = world.script(
        "second/pyright-langserver",
        &format!(
            "echo $$ > '{}'\n{ANSWER}exec /bin/cat > /dev/null",
            pid.display()
        ),
    );
    let mut served = world.servers.for_file(Path::new("a.py")).await;
    let pyright = served.remove(0);
    let session = pyright.session.unwrap().unwrap();
    assert_eq!(session.root(), world.servers.detector().checkout());
    assert!(served.iter().all(|other| other.session.is_none()));

    let found = world.servers.detector().detect(Path::new("a.py")).await;
    assert_eq!(
        found[0].launchable().unwrap().program,
        real.canonicalize().unwrap()
    );
    let WhyNot::Failed(failure) = &found[0].passed_over[0].why else {
        panic!("{:?}", found[0]);
    };
    assert_eq!(
        failure.to_string(),
        "exit code 127: env: node: not found / usage: something"
    );
    assert_eq!(world.servers.running().len(), 1);
    drop(session);
    world.servers.shutdown().await;
    assert!(world.servers.running().is_empty());
    let pid = fs::read_to_string(pid).unwrap();
    assert!(!Path::new("/proc").join(pid.trim()).exists(), "it is gone");
}

#[tokio::test]
async fn when_nothing_starts_the_reason_is_told_and_then_the_detection_knows() {
    let world = World::new();
    world.script("first/jdtls", "echo 'needs Java 21'\nexit 13");
    let jdtls = world.launchable("A.java").await.unwrap();
    let Err(Unavailable::Failed { why, .. }) = world.servers.session(&jdtls).await else {
        panic!("it is no server");
    };
    assert!(
        why.contains("exit code 13") && why.contains("needs Java 21"),
        "{why}"
    );
    assert!(jdtls.state.is_dir(), "it was named to it");
    let found = world.servers.detector().detect(Path::new("A.java")).await;
    assert_eq!(found[0].availability, Availability::NoneStarts);
    // Whoever has repaired something that cannot be seen says so.
    assert_eq!(world.servers.reload(Some("jdtls")).await, 1);
    assert!(world.launchable("A.java").await.is_some());
}

#[tokio::test]
async fn a_program_that_cannot_be_executed_is_remembered_too() {
    let world = World::new();
    let program = world.script("first/jdtls", "");
    fs::write(&program, "#!/no/such/interpreter\n").unwrap();
    let jdtls = world.launchable("A.java").await.unwrap();
    assert!(world.servers.session(&jdtls).await.is_err());
    assert_eq!(world.launchable("A.java").await, None);
}

#[tokio::test]
async fn one_that_was_killed_is_not_blamed_on_its_program() {
    let world = World::new();
    world.script("first/jdtls", "kill -9 $$");
    let jdtls = world.launchable("A.java").await.unwrap();
    assert!(world.servers.session(&jdtls).await.is_err());
    let ServerState::Failed { why, again_in } = world.servers.status().remove(0).state else {
        panic!("{:?}", world.servers.status());
    };
    assert!(why.contains("signal 9 (KILL)"), "{why}");
    assert!(again_in <= Duration::from_secs(1));
    assert!(world.launchable("A.java").await.is_some());
}

#[tokio::test]
async fn a_server_that_ends_later_counts_as_a_death() {
    let world = World::new();
    world.script(
        "first/jdtls",
        &format!("{ANSWER}read line\necho 'out of memory' >&2\nexit 3"),
    );
    let jdtls = world.launchable("A.java").await.unwrap();
    let session = world.servers.session(&jdtls).await.unwrap();
    let ended = session.ended().await;
    assert_eq!(ended.code, Some(3));
    let Err(again) = world.servers.session(&jdtls).await else {
        panic!("it has just ended");
    };
    assert!(again.to_string().contains("out of memory"), "{again}");
    assert_eq!(world.servers.status()[0].deaths, 1);
}
