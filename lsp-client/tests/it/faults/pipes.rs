//! Faults of programs, over real pipes and through the pool, with short limits: each ends in a
//! verdict in time, with its reason, and the next write works again.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fourfold_child::Guard;
use fourfold_lsp_client::{
    Catalog, Change, DetectConfig, Detector, FileEvent, InUse, Origin, PoolConfig, Servers,
    ServersConfig, SessionLimits, Trust, Unavailable,
};
use fourfold_testkit::{FakeProgram, Project, Script, Step, Style, leftovers, program};
use serde_json::json;

use super::desk::{BUDGET, told};
use crate::our_memory;

const CHANGE: &str = "textDocument/didChange";
const BAD: &str = "[unknown name `bad_a`] ExactVersion";
const FINE: &str = "[] ExactVersion";

/// Far more than any of these needs on a busy machine, far less than a budget without limits.
const SOON: Duration = Duration::from_secs(20);

/// A project of a language that only the scripted server knows.
struct Desk {
    project: Project,
    servers: Servers,
    fake: FakeProgram,
}

impl Desk {
    /// With a server whose first publish after a change may take a while.
    fn new(script: &Script) -> Desk {
        Desk::with(script, Duration::from_secs(5))
    }

    fn with(script: &Script, appear: Duration) -> Desk {
        let project = Project::new().file("a.x", "first\n");
        let fake = FakeProgram::new(script, &project.beside());
        let mut command = vec![fake.program.to_str().unwrap().to_owned()];
        command.extend_from_slice(&fake.args);
        let config: ServersConfig = serde_json::from_value(json!({"fake": {
            "command": command,
            "language": "x",
            "extensions": ["x"],
            "root_markers": [],
            "times": {"appear_ms": appear.as_millis(), "warm_ms": 30_000},
        }}))
        .unwrap();
        let catalog = Catalog::built_in()
            .configured(&config, Origin::User)
            .unwrap();
        let mut detect = DetectConfig::new(project.beside().join("state"));
        detect.guard = Guard::Program(program::guard());
        let detector = Detector::new(catalog, project.root(), Trust::Untrusted, detect).unwrap();
        let mut pool = PoolConfig::default();
        pool.pause = Duration::ZERO;
        let mut limits = SessionLimits::default();
        limits.initialize = Duration::from_secs(2);
        limits.shutdown = Duration::from_millis(500);
        limits.exit = Duration::from_millis(500);
        limits.connection.write = Duration::from_millis(500);
        limits.connection.give_up = Duration::from_secs(2);
        Desk {
            project,
            servers: Servers::new(Arc::new(detector), pool, limits),
            fake,
        }
    }

    /// The next life of the server follows another script.
    fn next_life(&self, script: &Script) {
        FakeProgram::new(script, &self.project.beside());
    }

    fn path(&self) -> PathBuf {
        self.project.path("a.x")
    }

    async fn server(&self) -> Result<InUse, Unavailable> {
        let served = self.servers.for_file(&self.path()).await;
        served.into_iter().next().unwrap().session.unwrap()
    }

    /// What is said about a write, by whatever server there is, and how long it took.
    async fn verdict(&self, text: &str) -> String {
        let begun = Instant::now();
        let verdict = match self.server().await {
            Ok(session) => {
                let before = self.project.read("a.x");
                session.baseline(&self.path(), "x", &before, BUDGET).await;
                self.project.write("a.x", text);
                let change = Change::new(self.path(), FileEvent::Changed).with_text("x", text);
                // Whether it listens shows in the verdict.
                let _ = session.announce(&[change]).await;
                told(&session.settle(&self.path(), BUDGET).await)
            }
            Err(unavailable) => unavailable.to_string(),
        };
        println!("{verdict:.200} after {:?}", begun.elapsed());
        assert!(begun.elapsed() < SOON, "{verdict}: {:?}", begun.elapsed());
        verdict.replace(self.project.root().to_str().unwrap(), "ROOT")
    }

    async fn close(self) {
        self.servers.shutdown().await;
        leftovers::assert_none(&self.project.beside());
    }
}

/// A server that does this at the first change says this, and its next life is a good one.
async fn dies_of(steps: impl Into<Vec<Step>>, said: &str) {
    let desk = Desk::new(&Script::of(Style::Push).on(CHANGE, steps));
    assert_eq!(desk.verdict("bad_a\n").await, said);
    desk.next_life(&Script::of(Style::Push));
    assert_eq!(desk.verdict("fine\n").await, FINE);
    assert_eq!(desk.verdict("bad_a\n").await, BAD);
    desk.close().await;
}

/// A server that does this at the first change is right all the same.
async fn lives_through(steps: impl Into<Vec<Step>>) {
    let mut steps = steps.into();
    steps.push(Step::AsUsual);
    let script = Script::of(Style::Push).times(1, CHANGE, steps);
    // A flood takes its time on a busy machine.
    let desk = Desk::with(&script, BUDGET);
    assert_eq!(desk.verdict("bad_a\n").await, BAD);
    assert_eq!(desk.verdict("fine\n").await, FINE);
    assert_eq!(desk.servers.status()[0].deaths, 0);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_banner() {
    let script = Script::of(Style::Push).on(
        "$start",
        [Step::Raw("\u{1b}[1mfake\u{1b}[0m 1.2 is ready\n\n".into())],
    );
    let desk = Desk::new(&script);
    assert_eq!(desk.verdict("bad_a\n").await, BAD);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_death_in_the_middle_of_a_message() {
    dies_of(
        [
            Step::Errors("out of memory\n".into(), 1),
            Step::Raw("Content-Length: 900\r\n\r\n{\"jsonrpc\"".into()),
            Step::Exit(7),
        ],
        "[] not confirmed: fake ended (exit code 7); its last words: out of memory",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_of_two_gigabytes() {
    dies_of(
        [Step::Raw("Content-Length: 2147483648\r\n\r\n".into())],
        "[] not confirmed: fake sent what cannot be read (reading a message: its header declares \
         2147483648 bytes and the limit is 67108864; end the program that sent it, or raise \
         `Limits::max_body` if messages of that size are expected)",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_json() {
    lives_through([Step::body("{\"jsonrpc\": \"2.0\", oops}")]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_nobody_knows() {
    lives_through([Step::ask("fake/whatDoYouThink", json!({})), Step::Answered]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn publishes_for_thousands_of_files() {
    let publish = |n: usize| {
        let file = format!("$file:never/opened-{n}.x");
        Step::publish_for(&file, json!(1), json!([]))
    };
    lives_through((0..5_000).map(publish).collect::<Vec<_>>()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_megabytes_of_log() {
    let before = our_memory();
    let line = format!("{}\n", "error: it goes on and on ".repeat(40));
    lives_through([Step::Errors(line.clone(), (100 << 20) / line.len())]).await;
    let params = json!({"type": 4, "message": line});
    let log = json!({"jsonrpc": "2.0", "method": "window/logMessage", "params": params});
    let frame = format!("Content-Length: {}\r\n\r\n{log}", log.to_string().len());
    lives_through([Step::RawTimes(frame.clone(), (20 << 20) / frame.len())]).await;
    if let (Some(before), Some(now)) = (before, our_memory()) {
        assert!(now < before + (32 << 20), "{before} -> {now} bytes");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_to_initialize() {
    let desk = Desk::new(&Script::of(Style::Push).on("initialize", []));
    assert_eq!(
        desk.verdict("bad_a\n").await,
        "fake in ROOT is not available: starting fake: it did not answer `initialize` within 2 s; \
         start it by hand in the same folder to see what it waits for; it is tried again at the \
         next request"
    );
    desk.next_life(&Script::of(Style::Push));
    assert_eq!(desk.verdict("bad_a\n").await, BAD);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_stops_reading() {
    let script = Script::of(Style::Push).on("textDocument/didOpen", [Step::StopReading]);
    let desk = Desk::with(&script, Duration::from_secs(1));
    let large = "fine ".repeat(1 << 19);
    let said = desk.verdict(&large).await;
    assert!(said.contains("read nothing for"), "{said}");
    // It is given up before long, and the next one is better.
    desk.next_life(&Script::of(Style::Push));
    let session = desk.server().await.unwrap();
    if session.generation() == 1 {
        session.ended().await;
    }
    assert_eq!(desk.verdict("bad_a\n").await, BAD);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_leaves_children_and_does_not_go() {
    let script = Script::of(Style::Push)
        .on("$start", [Step::Child])
        .on("shutdown", [])
        .on("exit", [])
        .on("$end", []);
    let desk = Desk::new(&script);
    assert_eq!(desk.verdict("bad_a\n").await, BAD);
    assert!(leftovers::of_folder(&desk.project.beside()).len() >= 2);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_never_stays_up_is_switched_off_until_it_is_reloaded() {
    let desk = Desk::new(&Script::of(Style::Push).on("initialized", [Step::Exit(1)]));
    // Each life is good for one answer or a few, until its end is noticed.
    while !desk
        .verdict("bad_a\n")
        .await
        .contains("reload it to try again")
    {}
    assert_eq!(desk.fake.count("initialize"), 5);
    desk.next_life(&Script::of(Style::Push));
    assert_eq!(desk.servers.reload(Some("fake")).await, 1);
    assert_eq!(desk.verdict("bad_a\n").await, BAD);
    desk.close().await;
}
