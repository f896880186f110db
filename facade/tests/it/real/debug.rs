//! The tool `debug` with a real adapter, as an agent calls it.

use std::path::Path;

use fourfold::{Conversation, Guard, Host, HostConfig};
use fourfold_testkit::{Project, adapters, leftovers, program};
use serde_json::{Value, json};

const CART: &str = "def total(prices, discounts=[]):\n    amount = sum(prices)\n    \
    for percent in discounts:\n        amount -= amount * percent / 100\n    return amount\n\n\n\
    def give(percent):\n    total.__defaults__[0].append(percent)\n";

const TEST: &str = "from cart import give, total\n\n\ndef test_discount():\n    give(50)\n    \
    assert total([10]) == 5\n\n\ndef test_plain():\n    assert total([20, 20]) == 40\n\n\n\
    def test_all():\n    test_discount()\n    test_plain()\n";

struct Agent {
    project: Project,
    conversation: Conversation,
    _host: Host,
}

impl Agent {
    fn new() -> Agent {
        Agent::of(HostConfig::default())
    }

    fn of(config: HostConfig) -> Agent {
        Agent::with(config, None)
    }

    /// The same where programs are looked for in one folder only.
    fn with(mut config: HostConfig, only: Option<&Path>) -> Agent {
        let machine = adapters::path();
        let python = [adapters::folder().join("venv/bin")];
        let all = python.into_iter().chain(std::env::split_paths(&machine));
        let all: Vec<_> = match only {
            Some(folder) => vec![folder.to_owned()],
            None => all.collect(),
        };
        config.servers.search_path = Some(std::env::join_paths(all).unwrap());
        Agent::found_by(config)
    }

    /// The same where programs are looked for as the host is configured.
    fn found_by(mut config: HostConfig) -> Agent {
        let project = Project::new()
            .file("cart.py", CART)
            .file("test_cart.py", TEST);
        config.user_folder = None;
        config.servers.enabled = false;
        config.servers.guard = Guard::Program(program::guard());
        let host = Host::new(config);
        let checkout = host.checkout(project.root()).unwrap();
        Agent {
            conversation: checkout.conversation("test"),
            project,
            _host: host,
        }
    }

    async fn debug(&self, arguments: Value) -> (String, Value) {
        let answer = self.conversation.call("debug", arguments).await.unwrap();
        (answer.text, answer.value)
    }

    async fn refused(&self, arguments: Value) -> String {
        self.conversation
            .call("debug", arguments)
            .await
            .unwrap_err()
            .to_string()
    }
}

#[tokio::test]
async fn one_question_is_one_call_and_leaves_nothing() {
    let agent = Agent::new();
    let (text, value) = agent
        .debug(json!({
            "action": "ask", "test": "test_cart.py::test_all", "at": "cart.py:return amount",
            "condition": "len(prices) == 2", "evaluate": ["discounts", "amount", "nobody"],
            "callers": 1, "exceptions": "none",
        }))
        .await;
    assert_eq!(value["hits"][0]["at"], "cart.py:5", "{text}");
    let here = &value["hits"][0]["answers"][0];
    assert_eq!(here["values"][0]["text"], "[50]");
    assert_eq!(here["values"][1]["text"], "20.0");
    assert!(
        here["failed"][0].as_str().unwrap().contains("nobody"),
        "{here}"
    );
    let frame = value["hits"][0]["answers"][1]["frame"].as_str().unwrap();
    assert_eq!(frame, "test_plain at test_cart.py:10");
    assert!(text.contains("discounts = [50]"), "{text}");
    leftovers::assert_none(agent.project.root());
    let (status, _) = agent.debug(json!({"action": "status"})).await;
    assert!(
        status.starts_with("no debug session; the session"),
        "{status}"
    );

    // The failure itself, without a place; and a test that does not fail.
    let (text, value) = agent
        .debug(
            json!({"action": "ask", "test": "test_cart.py::test_all", "evaluate": "total([20])"}),
        )
        .await;
    assert_eq!(value["hits"][0]["at"], "test_cart.py:10", "{text}");
    assert_eq!(value["hits"][0]["answers"][0]["values"][0]["text"], "10.0");
    let (text, value) = agent
        .debug(json!({"action": "ask", "test": "test_cart.py::test_discount"}))
        .await;
    assert_eq!(value["outcome"], "exited", "{text}");
    assert!(
        text.contains("the test passed; nothing stopped it"),
        "{text}"
    );
    leftovers::assert_none(agent.project.root());
}

#[tokio::test]
async fn a_session_from_launch_to_its_end() {
    let agent = Agent::new();
    let launch = json!({
        "action": "launch", "test": "test_cart.py::test_all",
        "breakpoints": [{"at": "cart.py:2"}, {"at": "give"}],
    });
    let mut wrong = launch.clone();
    wrong["breakpoints"][1]["at"] = "cart.py:99".into();
    let wrong = agent.refused(wrong).await;
    assert!(wrong.contains("the file has 9 lines"), "{wrong}");
    assert!(agent.debug(json!({"action": "status"})).await.1["session"].is_null());

    let (text, value) = agent.debug(launch.clone()).await;
    // `give` comes first, and is left by its number.
    assert_eq!(value["stop"]["at"], "cart.py:8", "{text}");
    let remove = json!({"action": "breakpoints", "remove": 2});
    assert_eq!(
        agent.debug(remove).await.1["breakpoints"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let (text, value) = agent.debug(json!({"action": "continue"})).await;
    let id = value["session"]["id"].as_str().unwrap().to_owned();
    assert_eq!(value["stop"]["at"], "cart.py:2", "{text}");
    assert!(text.contains(">    2     amount = sum(prices)"), "{text}");

    let second = agent.refused(launch).await;
    assert!(
        second.contains("a debug session is already open"),
        "{second}"
    );
    assert!(
        second.contains(&id) && second.contains("cart.py:2"),
        "{second}"
    );

    let (_, value) = agent
        .debug(json!({"action": "step_over", "session": id}))
        .await;
    assert_eq!(value["stop"]["at"], "cart.py:3");
    let (_, value) = agent
        .debug(json!({"action": "evaluate", "expression": "amount"}))
        .await;
    assert_eq!(value["values"]["values"][0]["text"], "10");
    let (_, value) = agent
        .debug(json!({"action": "variables", "path": "discounts"}))
        .await;
    let inside = &value["values"]["values"][0]["inside"];
    assert_eq!(inside["values"][0]["text"], "50");
    let (_, value) = agent
        .debug(json!({"action": "set_variable", "path": "amount", "expression": "7"}))
        .await;
    assert_eq!(value["values"]["values"][0]["text"], "7");
    let (text, value) = agent.debug(json!({"action": "stack", "limit": 2})).await;
    assert_eq!(value["stack"][0]["function"], "total", "{text}");
    let (text, value) = agent
        .debug(json!({"action": "breakpoints", "clear": true}))
        .await;
    assert!(
        value["breakpoints"].is_null() && text.contains("no breakpoints"),
        "{text}"
    );
    let (text, value) = agent
        .debug(json!({"action": "run_to", "at": "cart.py:return amount"}))
        .await;
    assert_eq!(value["stop"]["at"], "cart.py:5", "{text}");
    // 7, and half of it.
    let amount = json!({"action": "variables", "names": "amount"});
    assert_eq!(
        agent.debug(amount).await.1["values"]["values"][0]["text"],
        "3.5"
    );
    let wrong = agent
        .refused(json!({"action": "continue", "session": "dbg-none"}))
        .await;
    assert!(wrong.contains(&id), "{wrong}");
    let bad = agent
        .refused(json!({"action": "evaluate", "expression": "x", "frame": "7"}))
        .await;
    assert_eq!(
        bad,
        "`7` is no handle; one looks like `f3.0` and comes with an answer"
    );

    // A conversation that ends takes its session with it.
    let Agent {
        project,
        conversation,
        _host,
    } = agent;
    drop(conversation);
    leftovers::assert_none(project.root());
}

#[tokio::test]
async fn a_question_that_is_refused_leaves_the_one_that_runs_alone() {
    let agent = Agent::new();
    let question = || {
        let arguments = json!({
            "action": "ask", "test": "test_cart.py::test_all", "evaluate": "total([20])",
        });
        agent.conversation.call("debug", arguments)
    };
    let (one, other) = tokio::join!(question(), question());
    let (answers, refusals): (Vec<_>, Vec<_>) = [one, other].into_iter().partition(Result::is_ok);
    let answer = answers.into_iter().next().unwrap().unwrap();
    assert_eq!(answer.value["hits"][0]["at"], "test_cart.py:10");
    let refusal = refusals
        .into_iter()
        .next()
        .unwrap()
        .unwrap_err()
        .to_string();
    assert!(
        refusal.contains("a debug session is already open"),
        "{refusal}"
    );
    leftovers::assert_none(agent.project.root());
}

#[tokio::test]
async fn hits_are_those_of_the_place_and_the_failure_is_apart() {
    let agent = Agent::new();
    let ask = |at: &str| {
        agent.debug(json!({
            "action": "ask", "test": "test_cart.py::test_all", "at": at, "times": 5,
            "evaluate": ["nobody", "1 + 1"],
        }))
    };
    // `total` runs twice before the second test fails.
    let (text, value) = ask("cart.py:5").await;
    assert_eq!(value["hits"].as_array().unwrap().len(), 2, "{text}");
    assert_eq!(value["instead"]["at"], "test_cart.py:10", "{text}");
    assert!(
        text.contains("note: `cart.py:5` was hit 2 of 5 times before this stop"),
        "{text}"
    );
    // In the order of the questions.
    let answers: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("  nobody: ") || line.starts_with("  1 + 1 = "))
        .collect();
    assert!(
        answers[0].starts_with("  nobody: ") && answers[1] == "  1 + 1 = 2",
        "{text}"
    );

    assert!(!text.contains("expires in"), "the session is over: {text}");
    leftovers::assert_none(agent.project.root());
}

#[tokio::test]
async fn a_question_for_several_places_says_where_it_stopped_instead() {
    let agent = Agent::new();
    let ask = |at: &str, other: &str| {
        agent.debug(json!({
            "action": "ask", "test": "test_cart.py::test_all", "at": at,
            "breakpoints": [{"at": other}], "evaluate": ["1 + 1"],
        }))
    };
    // The place is the second discount; the other comes before it.
    let (text, value) = ask("test_cart.py:10", "cart.py:9").await;
    let note = "`test_cart.py:10` was not reached yet: this is another one of the places";
    assert_eq!(value["notices"][0], note, "{text}");
    assert_eq!(value["hits"][0]["at"], "cart.py:9", "{text}");
    assert!(text.contains(&format!("note: {note}\n")), "{text}");
    // The place comes first: there is nothing to say of the other.
    let (text, value) = ask("cart.py:9", "test_cart.py:10").await;
    assert_eq!(value["hits"][0]["at"], "cart.py:9", "{text}");
    assert!(!text.contains("was not reached"), "{text}");
    // The failure comes before both.
    let agent = Agent::new();
    std::fs::write(
        agent.project.root().join("fails.py"),
        "def run(n):\n    return 1 / n\n\n\nrun(0)\nprint('after')\nprint('end')\n",
    )
    .unwrap();
    let (text, value) = agent
        .debug(json!({
            "action": "ask", "program": "fails.py", "at": "fails.py:6",
            "breakpoints": [{"at": "fails.py:7"}], "evaluate": ["n"],
        }))
        .await;
    let note = "none of the places was reached before this stop";
    assert_eq!(value["notices"][0], note, "{text}");
    assert!(value["hits"].as_array().is_none_or(Vec::is_empty), "{text}");
    assert_eq!(value["instead"]["at"], "fails.py:2", "{text}");
    assert!(text.contains("  n = 0\n"), "{text}");
    leftovers::assert_none(agent.project.root());
}

#[tokio::test]
async fn a_question_that_only_logs_is_answered_with_what_was_logged() {
    let agent = Agent::new();
    let text = "from cart import total\n\n\ndef run():\n    for count in range(1, 4):\n        \
        print('paid', total([count * 10]))\n\n\nrun()\n";
    std::fs::write(agent.project.path("shop.py"), text).unwrap();
    let ask = |change: Value| {
        let mut asked = json!({
            "action": "ask", "program": "shop.py", "exceptions": "none",
            "breakpoints": [{"at": "cart.py:return amount", "log": "amount {amount}"}],
        });
        asked
            .as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        asked
    };
    let (text, value) = agent.debug(ask(json!({}))).await;
    assert_eq!(value["outcome"], "exited", "{text}");
    assert!(text.contains("exited (code 0)"), "{text}");
    assert!(
        value["stop"].is_null() && value["hits"].is_null(),
        "{value}"
    );
    let output = value["output"].as_str().unwrap();
    let lines = |start: &str| {
        let lines = output.lines().filter(|line| line.starts_with(start));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        lines("amount"),
        ["amount 10", "amount 20", "amount 30"],
        "{output}"
    );
    assert_eq!(lines("paid"), ["paid 10", "paid 20", "paid 30"], "{output}");
    assert!(text.contains("amount 30"), "{text}");
    assert!(!text.contains("note:"), "{text}");
    leftovers::assert_none(agent.project.root());

    // What it counts are stops.
    let refused = agent.refused(ask(json!({"times": 2}))).await;
    assert!(refused.starts_with("`times` counts stops"), "{refused}");
    let (text, value) = agent
        .debug(ask(json!({
            "breakpoints": [], "at": "cart.py:return amount", "evaluate": ["amount"], "times": 2,
        })))
        .await;
    let hits = value["hits"].as_array().unwrap();
    let told: Vec<&Value> = hits
        .iter()
        .map(|hit| &hit["answers"][0]["values"][0]["text"])
        .collect();
    assert_eq!(told, ["10", "20"], "{text}");

    // A failure behind it is the answer, and no stop instead of one.
    std::fs::write(
        agent.project.path("shop.py"),
        "from cart import total\n\npaid = total([7])\nassert paid == 8\n",
    )
    .unwrap();
    let (text, value) = agent
        .debug(ask(json!({"exceptions": "uncaught", "evaluate": ["paid"]})))
        .await;
    assert_eq!(value["hits"][0]["at"], "shop.py:4", "{text}");
    assert_eq!(value["hits"][0]["answers"][0]["values"][0]["text"], "7");
    assert!(value["instead"].is_null(), "{value}");
    assert!(text.contains("amount 7"), "{text}");
    assert!(
        !text.contains("not reached") && !text.contains("none of"),
        "{text}"
    );
    leftovers::assert_none(agent.project.root());
}

#[tokio::test]
async fn a_session_is_stepped_in_and_out_looked_at_and_begun_anew() {
    let agent = Agent::new();
    let text = "from cart import total\n\n\ndef pay(count):\n    print('pays', count)\n    \
        paid = total([count])\n    return paid\n\n\nprint('begins')\nsum = pay(30)\nprint('sum', sum)\n";
    std::fs::write(agent.project.path("shop.py"), text).unwrap();
    let (text, value) = agent
        .debug(json!({
            "action": "launch", "program": "shop.py", "breakpoints": [{"at": "shop.py:6"}],
        }))
        .await;
    let first = value["session"]["id"].as_str().unwrap().to_owned();
    assert_eq!(value["stop"]["at"], "shop.py:6", "{text}");
    let act = |action: &str| agent.debug(json!({"action": action}));
    let (text, value) = act("step_in").await;
    assert_eq!(value["stop"]["at"], "cart.py:2", "{text}");

    // Where it is then.
    let (text, value) = act("threads").await;
    assert_eq!(value["threads"].as_array().unwrap().len(), 1, "{text}");
    assert!(text.contains("total at cart.py:2"), "{text}");
    let (text, value) = act("scopes").await;
    let names: Vec<&Value> = value["scopes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|scope| &scope["name"])
        .collect();
    assert_eq!(names, ["Locals", "Globals"], "{text}");
    let (_, stack) = act("stack").await;
    let caller = stack["stack"][1]["frame"].clone();
    let (text, value) = agent
        .debug(json!({"action": "variables", "frame": caller, "names": ["count"]}))
        .await;
    assert_eq!(value["values"]["values"][0]["text"], "30", "{text}");

    let (text, value) = act("step_out").await;
    assert!(
        ["shop.py:6", "shop.py:7"].contains(&value["stop"]["at"].as_str().unwrap()),
        "{text}"
    );

    // The output, from its beginning and from where the answer before ended.
    let (text, value) = act("output").await;
    assert_eq!(value["output"], "begins\npays 30\n", "{text}");
    let next = value["next_offset"].as_u64().unwrap();
    assert_eq!(next, 15);
    let (_, value) = agent.debug(json!({"action": "output", "offset": 7})).await;
    assert_eq!(value["output"], "pays 30\n");
    let (text, value) = act("continue").await;
    assert_eq!(value["outcome"], "exited", "{text}");
    let (_, value) = agent
        .debug(json!({"action": "output", "offset": next}))
        .await;
    assert_eq!(value["output"], "sum 30\n");

    // Anew, with its breakpoints, and under another handle.
    let (text, value) = act("restart").await;
    assert_eq!(value["stop"]["at"], "shop.py:6", "{text}");
    assert_ne!(value["session"]["id"], first.as_str());
    let old = agent
        .refused(json!({"action": "step_over", "session": first}))
        .await;
    assert!(old.contains(&first), "{old}");
    let (text, value) = act("step_over").await;
    assert_eq!(value["stop"]["at"], "shop.py:7", "{text}");
    act("terminate").await;
    leftovers::assert_none(agent.project.root());
}

#[tokio::test]
async fn what_is_left_out_of_a_value_is_said_with_the_way_to_it() {
    let agent = Agent::new();
    let source = "text = 'x' * 2000\nprint(text)\n";
    std::fs::write(agent.project.root().join("long.py"), source).unwrap();
    let ask = |characters: Option<usize>| {
        agent.debug(json!({
            "action": "ask", "program": "long.py", "at": "long.py:2", "evaluate": ["text"],
            "characters": characters.unwrap_or(300),
        }))
    };
    let words = "`characters` (`--characters 2000`) gives longer texts";
    let (text, value) = ask(None).await;
    assert!(text.contains(words), "{text}");
    assert_eq!(
        value["hits"][0]["answers"][0]["values"][0]["shortened"],
        true
    );
    let (text, value) = ask(Some(3000)).await;
    assert!(!text.contains(words), "{text}");
    let told = &value["hits"][0]["answers"][0]["values"][0];
    assert_eq!(told["text"].as_str().map(str::len), Some(2002), "{value}");
    agent
        .debug(
            json!({"action": "launch", "program": "long.py", "breakpoints": [{"at": "long.py:2"}]}),
        )
        .await;
    let (text, _) = agent
        .debug(json!({"action": "evaluate", "expression": "text"}))
        .await;
    assert!(
        text.contains(
            "note: `…` in a value: `characters` (`--characters 16000`) gives longer texts"
        ),
        "{text}"
    );
    agent.debug(json!({"action": "terminate"})).await;
    leftovers::assert_none(agent.project.root());
}

#[tokio::test]
async fn an_adapter_is_looked_for_where_the_caller_would_find_it() {
    // A process that serves many has no search path of its own that counts.
    let mut config = HostConfig::default();
    config.servers.search_path = None;
    let agent = Agent::found_by(config);
    let launch = |path: String| {
        json!({"action": "ask", "program": "cart.py", "at": "cart.py:1", "env": [
            format!("PATH={path}"), "VIRTUAL_ENV=",
        ]})
    };
    let refused = agent.refused(launch("/nowhere".to_owned())).await;
    assert!(
        refused.contains("there is no python3 or python on the search path"),
        "{refused}"
    );
    assert!(
        refused.contains("VIRTUAL_ENV as it is set for this command"),
        "{refused}"
    );
    let python = adapters::folder().join("venv/bin");
    let (text, _) = agent.debug(launch(python.display().to_string())).await;
    assert!(text.contains("stop 1: breakpoint"), "{text}");
    leftovers::assert_none(agent.project.root());
}

#[tokio::test]
async fn a_question_that_takes_too_long_says_so_once() {
    let agent = Agent::new();
    std::fs::write(
        agent.project.root().join("loop.py"),
        "import time\npassword = 'hunter2-77'\nprint('is', password, flush=True)\n\
         while True:\n    time.sleep(0.1)\n",
    )
    .unwrap();
    let (text, value) = agent
        .debug(
            json!({"action": "ask", "program": "loop.py", "at": "loop.py:3",
            "evaluate": ["locals()['pass' + 'word']", "len(password)", "{'k': password}"]}),
        )
        .await;
    assert_eq!(
        value["hits"][0]["answers"][0]["values"][1]["text"], "10",
        "{text}"
    );
    assert!(!text.contains("hunter2-77"), "{text}");
    assert!(!value.to_string().contains("hunter2-77"), "{value}");
    assert_eq!(
        text.matches("`***` stands for a secret").count(),
        1,
        "{text}"
    );
    let (text, value) = agent
        .debug(json!({"action": "ask", "program": "loop.py", "wait_s": 6}))
        .await;
    assert_eq!(value["outcome"], "still_running");
    assert!(
        text.contains(
            "did not stop within 6 s, and was ended; `wait_s` (`--wait`) gives it longer"
        ),
        "{text}"
    );
    for wrong in ["expires in", "still running"] {
        assert!(!text.contains(wrong), "{text}");
    }
    assert!(text.contains("where it was then:\n"), "{text}");
    assert!(text.contains("at loop.py:"), "{text}");
    leftovers::assert_none(agent.project.root());
}

const STUCK: &str = "import threading\n\nlock = threading.Lock()\n\n\ndef late():\n    \
    lock.acquire()\n    print('never')\n\n\nlock.acquire()\nothers = \
    [threading.Thread(target=late) for _ in range(2)]\nfor other in others:\n    \
    other.start()\nothers[0].join()\n";

#[tokio::test]
async fn a_question_to_a_program_that_hangs_is_answered_with_where() {
    let agent = Agent::new();
    std::fs::write(agent.project.root().join("stuck.py"), STUCK).unwrap();
    let (text, value) = agent
        .debug(json!({"action": "ask", "program": "stuck.py", "at": "stuck.py:8", "wait_s": 8}))
        .await;
    assert_eq!(value["outcome"], "still_running", "{text}");
    assert!(
        text.contains("did not stop within 8 s, and was ended"),
        "{text}"
    );
    let (_, hangs) = text.split_once("where it was then:\n").unwrap();
    assert!(hangs.contains("2 threads: "), "{text}");
    assert!(hangs.contains("late at stuck.py:7"), "{text}");
    assert!(hangs.contains("<module> at stuck.py:15"), "{text}");
    assert_eq!(
        value["threads"].as_array().map(Vec::len),
        Some(2),
        "{value}"
    );
    leftovers::assert_none(agent.project.root());

    // Its handles were those of a session that is over.
    for action in ["stack", "variables"] {
        let refused = agent
            .refused(json!({"action": action, "frame": "f0.0"}))
            .await;
        assert!(
            refused.contains("was that of an `ask`, and ended with its answer"),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn a_condition_has_a_place_of_its_own() {
    let agent = Agent::new();
    let asked = json!({
        "action": "ask", "program": "cart.py", "at": "cart.py:2 if len(prices) > 1",
    });
    let refused = agent.refused(asked).await;
    assert!(
        refused.contains("give `cart.py:2` as `at`, and `len(prices) > 1` as `condition`"),
        "{refused}"
    );
}

#[tokio::test]
async fn secrets_are_shown_where_the_host_allows_it() {
    let mut config = HostConfig::default();
    config.show_secrets = true;
    let agent = Agent::of(config);
    let source = "password = 'hunter2-77'\nprint('is', password)\n";
    std::fs::write(agent.project.root().join("login.py"), source).unwrap();
    let (text, value) = agent
        .debug(
            json!({"action": "ask", "program": "login.py", "at": "login.py:2",
            "evaluate": ["password"]}),
        )
        .await;
    assert_eq!(
        value["hits"][0]["answers"][0]["values"][0]["text"], "'hunter2-77'",
        "{text}"
    );
    assert!(!text.contains("***"), "{text}");
    leftovers::assert_none(agent.project.root());
}

#[tokio::test]
async fn a_program_reads_what_the_call_gives_it() {
    let agent = Agent::new();
    let text = "import sys\n\nprices = [int(line) for line in sys.stdin]\nassert sum(prices) < 9\n";
    std::fs::write(agent.project.path("reads.py"), text).unwrap();
    let (text, value) = agent
        .debug(json!({
            "action": "ask", "program": "reads.py", "stdin": "4\n5\n", "evaluate": ["prices"],
        }))
        .await;
    assert_eq!(value["hits"][0]["at"], "reads.py:4", "{text}");
    let values = &value["hits"][0]["answers"][0]["values"];
    assert_eq!(values[0]["text"], "[4, 5]", "{text}");
    let (text, value) = agent
        .debug(json!({
            "action": "ask", "program": "reads.py", "stdin": "4\n5\n", "evaluate": ["prices"],
            "depth": 1,
        }))
        .await;
    let inside = &value["hits"][0]["answers"][0]["values"][0]["inside"]["values"];
    assert_eq!(inside[1]["text"], "5", "{text}");
    leftovers::assert_none(agent.project.root());
    let wrong = agent
        .refused(json!({"action": "attach", "core": "core"}))
        .await;
    assert_eq!(
        wrong,
        "a core file needs `program`: the executable that left it"
    );
    let wrong = agent
        .refused(json!({"action": "attach", "core": "core", "program": "reads.py", "pid": 1}))
        .await;
    assert_eq!(
        wrong,
        "attach takes one of `pid`, `port` and `core`, not several"
    );
}

const ORDERS: &str = "#include <stdlib.h>\n#include <unistd.h>\n\n\
    static int price(int count) {\n    int each = 7;\n    if (count > 2) abort();\n    \
    return count * each;\n}\n\n\
    int main(int argc, char **argv) {\n    write(1, \"on\\n\", 3);\n    \
    while (argc == 1) usleep(1000);\n    return price(3);\n}\n";

/// An agent whose checkout has a program of C.
fn native(only: Option<&Path>) -> Agent {
    let agent = Agent::with(HostConfig::default(), only);
    std::fs::write(agent.project.path("orders.c"), ORDERS).unwrap();
    let built = std::process::Command::new("cc")
        .args(["-g", "-O0", "orders.c", "-o", "orders"])
        .current_dir(agent.project.root())
        .status()
        .unwrap();
    assert!(built.success());
    agent
}

#[tokio::test]
async fn a_core_file_is_opened_with_the_program_that_left_it() {
    let agent = native(None);
    let mut dump = std::process::Command::new("gdb");
    dump.args(["-q", "-nx", "-batch"]);
    for command in ["run", "generate-core-file core", "kill"] {
        dump.args(["-ex", command]);
    }
    dump.args(["--args", "./orders", "now"]);
    dump.current_dir(agent.project.root())
        .env("PATH", adapters::path());
    assert!(dump.output().unwrap().status.success());
    let (text, value) = agent
        .debug(json!({"action": "attach", "core": "core", "program": "orders"}))
        .await;
    assert_eq!(value["stop"]["at"], "orders.c:6", "{text}");
    assert_eq!(value["stop"]["reason"], "core file", "{text}");
    let why = value["stop"]["detail"].as_str().unwrap();
    assert!(why.contains(" ended the program"), "{text}");
    let (text, _) = agent
        .debug(json!({"action": "evaluate", "expression": "count * each"}))
        .await;
    assert!(text.starts_with("count * each: int = 21"), "{text}");
    agent.debug(json!({"action": "terminate"})).await;
    leftovers::assert_none(agent.project.root());
}

#[tokio::test]
async fn a_process_is_attached_to_with_lldb_where_gdb_is_too_old() {
    let folder = tempfile::tempdir().unwrap();
    let gdb = folder.path().join("gdb");
    std::fs::write(&gdb, "#!/bin/sh\necho GNU gdb 13.1\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&gdb, mode).unwrap();
    let lldb = adapters::find("lldb-dap-19");
    std::os::unix::fs::symlink(lldb, folder.path().join("lldb-dap")).unwrap();
    let agent = native(Some(folder.path()));
    let mut program = std::process::Command::new(agent.project.path("orders"))
        .current_dir(agent.project.root())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let (text, value) = agent
        .debug(json!({"action": "attach", "pid": program.id(), "wait_s": 1}))
        .await;
    assert_eq!(value["session"]["adapter"], "lldb-dap", "{text}");
    let (text, value) = agent.debug(json!({"action": "pause"})).await;
    assert_eq!(value["stop"]["at"], "orders.c:12", "{text}");
    let (text, _) = agent.debug(json!({"action": "terminate"})).await;
    assert!(text.contains("let go and living on"), "{text}");
    assert!(program.try_wait().unwrap().is_none());
    program.kill().unwrap();
    program.wait().unwrap();
    leftovers::assert_none(agent.project.root());
}

#[tokio::test]
async fn the_adapter_is_told_more_in_its_own_words() {
    let agent = Agent::new();
    let text = "import os, sys\nwho = os.environ.get('WHO'), sys.flags.optimize\nprint(who)\n";
    std::fs::write(agent.project.path("who.py"), text).unwrap();
    let (text, value) = agent
        .debug(json!({
            "action": "ask", "program": "who.py", "at": "who.py:3", "evaluate": ["who"],
            "configuration": {"env": {"WHO": "ada"}, "pythonArgs": ["-O"]},
        }))
        .await;
    let values = &value["hits"][0]["answers"][0]["values"];
    assert_eq!(values[0]["text"], "('ada', 1)", "{text}");
    leftovers::assert_none(agent.project.root());
    // Of what runs already, it can be all there is to say.
    let mut program = std::process::Command::new(adapters::python())
        .args(["-c", "import time\nwhile True: time.sleep(0.05)"])
        .current_dir(agent.project.root())
        .spawn()
        .unwrap();
    let (text, value) = agent
        .debug(json!({
            "action": "attach", "adapter": "gdb", "configuration": {"pid": program.id()},
        }))
        .await;
    assert_eq!(value["outcome"], "stopped", "{text}");
    let (text, _) = agent.debug(json!({"action": "terminate"})).await;
    assert!(text.contains("let go and living on"), "{text}");
    assert!(program.try_wait().unwrap().is_none());
    program.kill().unwrap();
    program.wait().unwrap();
    leftovers::assert_none(agent.project.root());
}

#[tokio::test]
async fn pages_of_values_say_where_they_end_and_how_long_a_text_is() {
    let agent = Agent::new();
    let text = "lst = list(range(20))\nlong = 'x' * 200000\nn = 7\ndone = 1\n";
    std::fs::write(agent.project.path("long.py"), text).unwrap();
    agent
        .debug(json!({
            "action": "launch", "program": "long.py", "breakpoints": [{"at": "long.py:4"}],
        }))
        .await;
    let page = |offset: u32| {
        agent.debug(json!({
            "action": "variables", "path": "lst", "limit": 2, "offset": offset,
        }))
    };
    let (text, value) = page(0).await;
    let inside = &value["values"]["values"][0]["inside"];
    assert_eq!(inside["values"][1]["text"], "1", "{text}");
    assert!(text.contains("more: offset 2"), "{text}");
    let (text, _) = page(290).await;
    assert!(text.contains("no values from offset 290 on"), "{text}");
    let (text, _) = agent
        .debug(json!({"action": "evaluate", "expression": "long"}))
        .await;
    assert!(text.contains(" characters or more)"), "{text}");
    agent.debug(json!({"action": "terminate"})).await;
    // What was asked has changed it before it is shown.
    let (text, value) = agent
        .debug(json!({
            "action": "ask", "program": "long.py", "at": "long.py:4", "evaluate": ["globals().update(n=100)", "n"],
        }))
        .await;
    let locals = value["stop"]["locals"]["values"].as_array().unwrap();
    let n = locals.iter().find(|value| value["name"] == "n").unwrap();
    assert_eq!(n["text"], "100", "{text}");
    leftovers::assert_none(agent.project.root());
}
