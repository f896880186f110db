//! A scripted adapter as a process, over real pipes and ports: what goes wrong there is said within
//! the wait, and nothing is left behind.

use std::time::Duration;

use fourfold_dap_client::{
    AdapterCatalog, AdaptersConfig, Breakpoint, DebugError, Debugger, DebuggerConfig,
    EvaluateQuery, LaunchRequest, Of, Outcome, Resume, Session, Stop, ValuesQuery,
};
use fourfold_testkit::{FakeProgram, Project, Script, Step, Style, leftovers, program};
use serde_json::json;

const WAIT: Duration = Duration::from_secs(20);

struct Bench {
    project: Project,
    fake: FakeProgram,
    debugger: Debugger,
}

impl Bench {
    fn of(script: Script, transport: &str) -> Bench {
        let project = Project::new().file("main.x", "a\nb\nc\nd\ne\nf\n");
        let fake = FakeProgram::new(&script, project.root());
        let mut command = vec![fake.program.display().to_string()];
        command.extend(fake.args.iter().cloned());
        let table = json!({
            "fake": { "command": command, "extensions": ["x"], "transport": transport }
        });
        let table: AdaptersConfig = serde_json::from_value(table).unwrap();
        let mut config = DebuggerConfig::new(project.root().to_owned());
        config.catalog = AdapterCatalog::built_in()
            .configured(&table, false)
            .unwrap();
        config.detect.guard = fourfold_child::Guard::Program(program::guard());
        config.limits.request = Duration::from_secs(3);
        config.limits.evaluate = Duration::from_secs(2);
        config.limits.connect = Duration::from_secs(3);
        config.limits.wait = WAIT;
        Bench {
            debugger: Debugger::new(config),
            project,
            fake,
        }
    }

    async fn launch(&self) -> Result<(Session, Outcome), DebugError> {
        let main = self.project.path("main.x");
        let mut request = LaunchRequest::new("fake", json!({ "program": main }));
        request.breakpoints.push(Breakpoint::at_line("main.x", 3));
        self.debugger.launch(request).await
    }

    async fn stopped(&self) -> (Session, Stop) {
        let (session, outcome) = self.launch().await.unwrap();
        match outcome {
            Outcome::Stopped(stop) => (session, *stop),
            other => panic!("{other}"),
        }
    }

    /// Why a launch failed; nothing is left of it.
    async fn refused(&self) -> String {
        let error = self.launch().await.unwrap_err().to_string();
        leftovers::assert_none(self.project.root());
        assert!(self.debugger.status().session.is_none());
        error
    }

    async fn end(&self) {
        let _ = self.debugger.terminate().await;
        leftovers::assert_none(self.project.root());
    }
}

#[tokio::test]
async fn all_is_well() {
    for style in [Style::Adapter, Style::EarlyAdapter] {
        let bench = Bench::of(Script::of(style).on("$start", [Step::Pieces(5)]), "stdio");
        let (session, stop) = bench.stopped().await;
        let place = stop.frame.as_ref().unwrap().place.as_ref().unwrap();
        assert_eq!(place.to_string(), "main.x:3");
        let value = session.evaluate(EvaluateQuery::new("items")).await.unwrap();
        assert_eq!(value.text, "[10, 20]");
        // A second launch never reaches the adapter.
        let second = bench.launch().await.unwrap_err();
        assert!(second.to_string().contains("already open"), "{second}");
        assert_eq!(
            (bench.fake.count("launch"), bench.fake.count("initialize")),
            (1, 1)
        );
        let end = session.resume(Resume::Continue, WAIT).await.unwrap();
        let Outcome::Exited(end) = end else {
            panic!("{end}")
        };
        assert_eq!((end.code, end.output.text().as_str()), (Some(0), "bye\n"));
        bench.end().await;
    }
}

#[tokio::test]
async fn one_that_dies_at_once_is_quoted() {
    let last_words = Step::Errors("no license\n".into(), 1);
    let script = Script::of(Style::Adapter).on("$start", [last_words, Step::Exit(3)]);
    let why = Bench::of(script, "stdio").refused().await;
    assert!(why.contains("no license"), "{why}");
}

#[tokio::test]
async fn one_that_announces_a_wrong_port_or_none_is_given_up() {
    for line in ["listening at 127.0.0.1:1", "listening somewhere"] {
        let script = Script::of(Style::Adapter).listening(line);
        let why = Bench::of(script, "announced").refused().await;
        assert!(why.contains("starting") && why.contains("failed"), "{why}");
    }
}

#[tokio::test]
async fn one_that_announces_its_port_is_connected_to() {
    let script = Script::of(Style::Adapter).listening("DAP server listening at: $address");
    let bench = Bench::of(script, "announced");
    bench.stopped().await;
    bench.end().await;
}

#[tokio::test]
async fn one_that_dies_in_variables_ends_the_session() {
    let script = Script::of(Style::Adapter).on("variables", [Step::Exit(1)]);
    let bench = Bench::of(script, "stdio");
    if let Ok((session, _)) = bench.launch().await {
        let error = session
            .values(ValuesQuery::new(Of::Frame(None)))
            .await
            .unwrap_err();
        assert!(error.to_string().contains("adapter"), "{error}");
    }
    bench.end().await;
    let last = bench.debugger.status().last.unwrap().to_string();
    assert!(last.contains("adapter"), "{last}");
}

#[tokio::test]
async fn one_that_hangs_in_variables_is_not_waited_for() {
    let script = Script::of(Style::Adapter).on("variables", []);
    let bench = Bench::of(script, "stdio");
    // The stop is told without its locals.
    let (_, stop) = bench.stopped().await;
    assert!(stop.locals.items.is_empty(), "{stop}");
    assert!(!stop.notes.is_empty(), "{stop}");
    bench.end().await;
}

#[tokio::test]
async fn garbage_between_the_messages_is_passed_over() {
    let noise = Step::Raw("Segmentation fault (core dumped)\n".into());
    let script = Script::of(Style::Adapter)
        .on("stackTrace", [noise, Step::AsUsual])
        .on("$start", [Step::Raw("banner\n".into())]);
    let bench = Bench::of(script, "stdio");
    let (_, stop) = bench.stopped().await;
    assert!(stop.frame.is_some(), "{stop}");
    bench.end().await;
}

#[tokio::test]
async fn wishes_that_nobody_knows_are_refused_and_not_left_open() {
    let wish = Step::ask("brewCoffee", json!({ "cups": 2 }));
    let script = Script::of(Style::Adapter).on("launch", [wish, Step::Answered, Step::AsUsual]);
    let bench = Bench::of(script, "stdio");
    bench.stopped().await;
    let received = bench.fake.received();
    let answer = received
        .iter()
        .find(|message| message["type"] == "response")
        .unwrap();
    assert_eq!(
        (&answer["command"], &answer["success"]),
        (&json!("brewCoffee"), &json!(false))
    );
    bench.end().await;
}

#[tokio::test]
async fn a_failure_that_says_success_is_shown_as_it_is_and_ends_nothing() {
    let said = json!({ "result": "Error: could not evaluate expression", "variablesReference": 0 });
    let script = Script::of(Style::Adapter).on("evaluate", [Step::Answer(said)]);
    let bench = Bench::of(script, "stdio");
    let (session, _) = bench.stopped().await;
    let value = session.evaluate(EvaluateQuery::new("line")).await.unwrap();
    assert_eq!(value.text, "Error: could not evaluate expression");
    bench.end().await;
}

#[tokio::test]
async fn processes_of_the_adapter_end_with_it() {
    let script = Script::of(Style::Adapter)
        .on("launch", [Step::Child, Step::AsUsual])
        .on("disconnect", []);
    let bench = Bench::of(script, "stdio");
    bench.stopped().await;
    assert!(leftovers::of_folder(bench.project.root()).len() > 1);
    let end = bench.debugger.terminate().await.unwrap();
    assert_eq!(end.left, Some(0), "{end}");
    leftovers::assert_none(bench.project.root());
}
