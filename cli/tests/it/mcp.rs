//! `fourfold mcp`, seen by clients that are not ours, and by what is no client at all.
//!
//! The official SDKs lie where `cargo xtask clients` puts them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use fourfold_testkit::leftovers;
use serde_json::{Value, json};

use crate::project::Project;
use crate::rewrite::{EXCEPT, torn};

const SHOP: &str = "\
def add(a, b):
    return a + b


def total(a, b, c):
    return add(a, add(b, c))


def test_total():
    assert add(1, 2) == 3
";

fn shop() -> Project {
    let project = Project::new(&[
        ("shop.py", SHOP),
        ("inner/i.py", "inner_only(1)\n"),
        // It is a checkout of its own.
        ("inner/fourfold.toml", ""),
        ("deep/down/a.txt", ""),
    ]);
    std::os::unix::fs::symlink("..", project.root().join("link")).unwrap();
    project
}

/// A checkout that takes a while to search.
fn large() -> Project {
    let project = Project::new(&[]);
    for number in 0..400 {
        let functions = (0..12)
            .map(|n| format!("def g{n}(x):\n    return f(x) + f({n}) * h(x, [f(y) for y in x])\n"));
        project.write(&format!("m{number}.py"), functions.collect::<String>());
    }
    project
}

/// One connection, spoken by hand.
struct Host {
    child: Child,
    say: ChildStdin,
    hear: BufReader<ChildStdout>,
}

impl Host {
    fn of(project: &Project, options: &[&str]) -> Host {
        Host::start(project.command(), options)
    }

    fn start(mut command: Command, options: &[&str]) -> Host {
        command.arg("mcp").args(options);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.unwrap();
        Host {
            say: child.stdin.take().unwrap(),
            hear: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn greeted(project: &Project, options: &[&str]) -> Host {
        let mut host = Host::of(project, options);
        host.hello();
        host
    }

    fn hello(&mut self) -> Value {
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "1"}});
        let hello = self.ask(1, "initialize", hello);
        assert_eq!(hello["result"]["serverInfo"]["name"], "fourfold");
        self.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        hello
    }

    fn line(&mut self, line: &str) {
        writeln!(self.say, "{line}").unwrap();
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.hear.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or(Value::Null)
    }

    fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        let ask = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.line(&ask.to_string());
        self.answer(id)
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            let said = self.next();
            assert!(!said.is_null(), "it has gone");
            if said["id"] == id {
                return said;
            }
        }
    }

    fn end(mut self) {
        drop(self.say);
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn what_is_no_request_does_not_end_the_connection() {
    let project = shop();
    let mut host = Host::greeted(&project, &[]);
    for (garbage, code, id) in [
        ("nonsense", -32700, Value::Null),
        ("{}", -32600, Value::Null),
        ("[]", -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":7}"#, -32600, json!(7)),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":"no/such"}"#,
            -32601,
            json!(8),
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":[]}"#,
            -32602,
            json!(9),
        ),
        (
            r#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":7}}"#,
            -32602,
            json!(10),
        ),
        ("\u{0}\u{1}", -32700, Value::Null),
    ] {
        host.line(garbage);
        let said = host.next();
        assert_eq!(
            (&said["error"]["code"], &said["id"]),
            (&json!(code), &id),
            "{garbage}: {said}"
        );
    }
    host.line(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#);
    host.line("");
    let call = json!({"name": "ast_grep", "arguments": {"pattern": "add($A, $B)"}});
    let found = host.ask(11, "tools/call", call);
    assert_eq!(
        found["result"]["structuredContent"]["summary"]["matches"],
        3
    );
    let unknown = host.ask(12, "tools/call", json!({"name": "ast_grpe"}));
    let said = unknown["error"]["message"].as_str().unwrap();
    assert!(said.contains("did you mean `ast_grep`?"), "{unknown}");
    host.end();
    leftovers::assert_none(project.root());
}

#[test]
fn what_a_crash_left_is_told_before_the_first_answer() {
    let project = torn();
    let mut host = Host::greeted(&project, &[]);
    let mut ask = |id: u64| {
        let call = json!({"name": "ast_grep", "arguments": {"pattern": "print(1)", "limit": 1}});
        let found = host.ask(id, "tools/call", call)["result"].clone();
        let text = found["content"][0]["text"].as_str().unwrap().to_owned();
        (text, found["structuredContent"]["recovered"].clone())
    };
    let (text, value) = ask(1);
    assert!(text.starts_with("note: interrupted commit s-"), "{text}");
    assert!(text.contains(EXCEPT), "{text}");
    assert!(value[0].as_str().unwrap().contains(EXCEPT), "{value}");
    let (text, value) = ask(2);
    assert!(!text.contains("interrupted") && value.is_null(), "{text}");
    host.end();
}

/// Before the first good request nothing can be about anything, so what needs no answer is passed
/// over, in the protocol with a handshake and in the one without.
#[test]
fn what_comes_before_the_conversation_does_not_end_it() {
    let project = shop();
    let early = [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/foo"}"#,
        r#"{"jsonrpc":"2.0","id":5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":6,"error":{"code":-1,"message":"no"}}"#,
    ];
    for line in early {
        let mut host = Host::of(&project, &[]);
        host.line(line);
        host.hello();
        let listed = host.ask(2, "tools/list", json!({}));
        assert!(listed["result"]["tools"].is_array(), "{line}: {listed}");
        host.end();
    }
    let mut host = Host::of(&project, &[]);
    let meta = |version: &str| {
        json!({"_meta": {"io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {}}})
    };
    // Neither what says too little nor what names a protocol that nobody knows begins anything.
    for (id, params) in [(1, json!({"_meta": {}})), (2, meta("1999-01-01"))] {
        let refused = host.ask(id, "tools/list", params);
        assert!(refused["error"]["code"].is_number(), "{refused}");
        early.iter().for_each(|line| host.line(line));
    }
    let listed = host.ask(3, "tools/list", meta("2026-07-28"));
    assert!(listed["result"]["tools"].is_array(), "{listed}");
    early.iter().for_each(|line| host.line(line));
    let listed = host.ask(4, "tools/list", meta("2026-07-28"));
    assert!(listed["result"]["tools"].is_array(), "{listed}");
    host.end();
    leftovers::assert_none(project.root());
}

/// A model or a person reads what is served in place of a method that is not.
#[test]
fn a_method_that_is_not_served_is_told_what_is() {
    let project = shop();
    let mut host = Host::greeted(&project, &[]);
    let long = "x".repeat(100_000);
    for method in ["prompts/list", "resources/subscribe", "nope/x", &long] {
        let params = json!({"uri": "fourfold://shop/map"});
        let refused = host.ask(7, method, params);
        assert_eq!(refused["error"]["code"], -32601, "{method}");
        let why = refused["error"]["message"].as_str().unwrap();
        let short = method.get(..80).unwrap_or(method);
        assert_eq!(
            why,
            format!(
                "`{short}` is not served here; these are: initialize, ping, server/discover, \
                 tools/list, tools/call, resources/list, resources/templates/list, resources/read, \
                 subscriptions/listen"
            )
        );
    }
    host.end();
}

/// Hosts that know no project start a server in `/` or the home folder. It says what it needs, at
/// once, and reads nothing.
#[test]
fn neither_the_disk_nor_a_home_is_walked() {
    let project = shop();
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("a.py"), "f(1)\n").unwrap();
    for (folder, what) in [
        (home.path(), "the home folder"),
        (Path::new("/"), "the whole file system"),
    ] {
        let mut command = project.command();
        command.current_dir(folder).env("HOME", home.path());
        let mut host = Host::start(command, &[]);
        let hello = host.hello();
        let instructions = hello["result"]["instructions"].as_str().unwrap();
        assert!(instructions.contains(what), "{instructions}");
        assert!(instructions.contains("`--root FOLDER`"), "{instructions}");
        let listed = host.ask(2, "tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        assert!(
            tools.iter().any(|tool| tool["name"] == "ast_grep"),
            "{listed}"
        );
        let call = json!({"name": "ast_grep", "arguments": {"pattern": "f($X)"}});
        let refused = host.ask(3, "tools/call", call);
        assert_eq!(refused["result"]["isError"], true);
        let why = refused["result"]["content"][0]["text"].as_str().unwrap();
        assert!(why.contains("`--root FOLDER`"), "{why}");
        host.end();
    }
}

/// What is offered for reading speaks of nothing else.
#[test]
fn what_is_read_only_speaks_of_no_change() {
    let project = Project::asking(&[("a.go", "package a\n"), ("go.mod", "module a\n")]);
    project.install("gopls");
    let mut host = Host::start(project.command(), &["--read-only"]);
    let hello = host.hello();
    let instructions = hello["result"]["instructions"].as_str().unwrap();
    assert!(
        !instructions.contains("hange") && !instructions.contains("tage"),
        "{instructions}"
    );
    let listed = host.ask(2, "tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let lsp = tools
        .iter()
        .find(|tool| tool["name"] == "lsp")
        .unwrap()
        .to_string();
    for word in ["rename", "format", "new_name", "apply", "stage", "resolve"] {
        assert!(!lsp.contains(word), "{word}: {lsp}");
    }
    assert!(lsp.contains("references"), "{lsp}");
    host.end();
}

/// Without `resolve` nothing is staged that nobody could apply.
#[test]
fn what_cannot_be_resolved_is_not_offered() {
    let project = Project::asking(&[("a.go", "package a\n"), ("go.mod", "module a\n")]);
    project.install("gopls");
    let mut host = Host::start(project.command(), &["--tools", "lsp,write"]);
    host.hello();
    let listed = host.ask(2, "tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let lsp = tools.iter().find(|tool| tool["name"] == "lsp").unwrap();
    let lsp = lsp.to_string();
    for word in ["rename", "format", "new_name", "apply", "stage", "resolve"] {
        assert!(!lsp.contains(word), "{word}: {lsp}");
    }
    for arguments in [
        json!({"action": "rename", "file": "a.go", "line": 1, "symbol": "a", "new_name": "b"}),
        json!({"action": "format", "file": "a.go"}),
        json!({"action": "code_actions", "file": "a.go", "line": 1, "apply": "x"}),
    ] {
        let call = json!({"name": "lsp", "arguments": arguments});
        let refused = host.ask(3, "tools/call", call);
        assert_eq!(refused["result"]["isError"], true, "{refused}");
        let why = refused["result"]["content"][0]["text"].as_str().unwrap();
        assert!(why.contains("`resolve`, which would apply it"), "{why}");
    }
    host.end();
}

#[test]
fn edits_that_build_on_each_other_may_be_sent_in_one_go() {
    let project = Project::new(&[("a.txt", "n = 0\n")]);
    let mut host = Host::greeted(&project, &[]);
    let edit = |number: u64| {
        let arguments = json!({"path": "a.txt", "old_text": format!("n = {number}\n"),
            "new_text": format!("n = {}\n", number + 1)});
        let params = json!({"name": "edit", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": 10 + number, "method": "tools/call", "params": params})
    };
    let all: Vec<String> = (0..20).map(|number| edit(number).to_string()).collect();
    host.line(&all.join("\n"));
    for number in 0..20 {
        let answer = host.next();
        assert_eq!(answer["id"], json!(10 + number), "{answer}");
        assert_ne!(answer["result"]["isError"], json!(true), "{answer}");
    }
    host.end();
    assert_eq!(project.read("a.txt"), "n = 20\n");
}

#[test]
fn names_of_tools_may_have_blanks_around_them() {
    let project = shop();
    let mut host = Host::greeted(&project, &["--tools", "ast_grep, edit"]);
    let listed = host.ask(2, "tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["ast_grep", "edit"]);
    host.end();
}

#[test]
fn a_host_that_says_nothing_costs_nothing() {
    let project = shop();
    Host::of(&project, &[]).end();
    leftovers::assert_none(project.root());
}

/// Who serves several checkouts says in which of them something was not found, and which has it.
#[test]
fn what_another_checkout_has_is_told() {
    let shop = shop();
    let other = Project::new(&[("src/lib.py", "def route():\n    return 1\n")]);
    let root = other.root().canonicalize().unwrap();
    let name = root.file_name().unwrap().to_str().unwrap();
    let roots = [
        "--root",
        shop.root().to_str().unwrap(),
        "--root",
        root.to_str().unwrap(),
    ];
    let mut host = Host::greeted(&shop, &roots);
    let mut said = |tool: &str, arguments: Value| {
        let call = json!({"name": tool, "arguments": arguments});
        let answer = host.ask(2, "tools/call", call);
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let has = format!("as the call names no `root`; {name} has it");
    let found = said("code_symbol", json!({"symbol": "route"}));
    assert!(found.contains(&has), "{found}");
    let edit = json!({"path": "src/lib.py", "old_text": "1", "new_text": "2"});
    let refused = said("edit", edit);
    assert!(refused.contains(&has), "{refused}");
    let nowhere = said("code_symbol", json!({"symbol": "nothing_like_it"}));
    let others = format!("as the call names no `root`; others are {name}");
    assert!(nowhere.contains(&others), "{nowhere}");
    // A call that says where it belongs is told nothing more, nor is one that is wrong anywhere.
    for quiet in [
        said("code_symbol", json!({"symbol": "nothing", "root": name})),
        said(
            "ast_grep",
            json!({"pattern": "nothing()", "paths": ["shop.py"]}),
        ),
        said(
            "edit",
            json!({"path": "shop.py", "old_text": "nothing", "new_text": ""}),
        ),
        said("code_symbol", json!({})),
    ] {
        assert!(!quiet.contains("names no `root`"), "{quiet}");
    }
    // An absolute path in a patch says which one is meant.
    let patch = format!(
        "*** Begin Patch\n*** Update File: {}/src/lib.py\n@@\n-    return 1\n+    return 2\n*** End Patch",
        root.display()
    );
    let done = said("apply_patch", json!({"patch": patch}));
    assert!(done.contains("updated src/lib.py"), "{done}");
    host.end();
}

/// What was asked for and cannot be offered is said at once.
#[test]
fn tools_that_are_never_offered_are_refused() {
    let project = shop();
    let run = project.run(["mcp", "--tools", "edit,debug", "--read-only"]);
    assert_eq!(run.status, 2, "{}", run.whole());
    assert_eq!(
        run.err,
        "error: with `--read-only` nothing is left of `--tools edit, debug` to offer; leave one of them \
         out\n"
    );
    let run = project.run(["mcp", "--tools", "debug,ast_grep", "--no-execute"]);
    assert_eq!(run.status, 0, "{}", run.whole());
    assert_eq!(
        run.err,
        "with `--no-execute` these are not offered: debug\n"
    );
}

/// A checkout in which every tool can work: programs for it are there, and nothing starts them.
fn whole() -> Project {
    let project = Project::asking(&[("a.go", "package a\n"), ("go.mod", "module a\n")]);
    project.install("gopls");
    project.install("dlv");
    project
}

/// What every host pays in every conversation: a token is four bytes, and there are 6,000 for all
/// tools, also where each of them says which checkout is meant.
#[test]
fn the_list_of_tools_is_short() {
    let project = whole();
    for name in ["shop", "lib"] {
        let folder = project.root().join(name);
        std::fs::create_dir(&folder).unwrap();
        for file in ["a.go", "go.mod"] {
            std::fs::copy(project.root().join(file), folder.join(file)).unwrap();
        }
        std::fs::write(folder.join("fourfold.toml"), "").unwrap();
    }
    let root = project.root().to_str().unwrap();
    let [shop, lib] = ["shop", "lib"].map(|name| format!("{root}/{name}"));
    for (roots, argument) in [
        (&["--root", &shop][..], false),
        (&["--root", &shop, "--root", &lib], true),
    ] {
        let mut host = Host::greeted(&project, roots);
        let listed = host.ask(2, "tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 18, "{roots:?}");
        for tool in tools {
            let takes = &tool["inputSchema"]["properties"];
            assert_eq!(takes.get("root").is_some(), argument, "{tool}");
        }
        let bytes = serde_json::to_vec(tools).unwrap().len();
        assert!(bytes < 24_000, "{roots:?}: {bytes} bytes");
        host.end();
    }
}

/// What a tool is called and what it does to the world, worked out by hand. Of what changes nothing
/// nobody is told whether it destroys or may be repeated.
#[test]
fn the_hints_are_true() {
    let changes = |repeats: bool| json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": repeats, "openWorldHint": true});
    let inside = json!({"readOnlyHint": true, "openWorldHint": false});
    let asks_a_server = json!({"readOnlyHint": true, "openWorldHint": true});
    let hints = [
        ("ast_grep", &inside),
        ("search_code", &inside),
        ("code_symbol", &inside),
        ("code_callers", &inside),
        ("code_callees", &inside),
        ("code_impact", &inside),
        ("code_map", &inside),
        ("code_graph", &inside),
        ("ast_edit", &inside),
        ("resolve", &changes(true)),
        ("staged", &inside),
        ("lsp", &asks_a_server),
        ("check", &asks_a_server),
        ("debug", &changes(false)),
        ("ast_explain", &inside),
        ("write", &changes(true)),
        ("edit", &changes(false)),
        ("apply_patch", &changes(false)),
    ];
    let project = whole();
    let mut host = Host::greeted(&project, &[]);
    let listed = host.ask(2, "tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().iter();
    let told: Vec<_> = tools
        .map(|tool| (tool["name"].as_str().unwrap(), &tool["annotations"]))
        .collect();
    assert_eq!(told, hints);
    host.end();
}

#[test]
fn a_tool_that_nobody_has_is_no_option() {
    let project = shop();
    let run = project.run(["mcp", "--tools", "ast_grep,ast_gerp"]);
    assert_eq!(run.status, 2);
    assert_eq!(
        run.err,
        "error: `--tools` cannot be `ast_gerp`; did you mean `ast_grep`?\n"
    );
}

/// With a handshake a host is told unasked; without, on the stream of its subscription alone.
#[test]
fn other_tools_are_told_of() {
    let modern = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}});
    for listens in [false, true] {
        let project = Project::asking(&[("a.txt", "x\n")]);
        let mut host = Host::of(&project, &[]);
        if !listens {
            host.hello();
        }
        let with_meta = |mut params: Value| {
            if listens {
                params["_meta"] = modern.clone();
            }
            params
        };
        let names = |listed: &Value| -> Vec<String> {
            let tools = listed["result"]["tools"].as_array().unwrap().iter();
            tools
                .map(|tool| tool["name"].as_str().unwrap().to_owned())
                .collect()
        };
        let before = names(&host.ask(2, "tools/list", with_meta(json!({}))));
        assert!(!before.contains(&"lsp".to_owned()), "{before:?}");
        if listens {
            let params = with_meta(json!({"notifications": {"toolsListChanged": true}}));
            let listen = json!({"jsonrpc": "2.0", "id": "heard", "method": "subscriptions/listen",
                "params": params});
            host.line(&listen.to_string());
            let acknowledged = host.next();
            assert_eq!(
                acknowledged["method"], "notifications/subscriptions/acknowledged",
                "{acknowledged}"
            );
        }
        // A server of the user's, a file for it, and what makes it a project.
        project.install("gopls");
        project.write("a.go", "package a\n");
        let write = json!({"path": "go.mod", "content": "module a\n"});
        let call = with_meta(json!({"name": "write", "arguments": write}));
        host.ask(3, "tools/call", call);
        let told = loop {
            let said = host.next();
            assert!(!said.is_null(), "it has gone");
            if said["method"] == "notifications/tools/list_changed" {
                break said;
            }
        };
        let stream = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(stream == "heard", listens, "{told}");
        let after = names(&host.ask(4, "tools/list", with_meta(json!({}))));
        assert!(after.contains(&"lsp".to_owned()), "{after:?}");
        host.end();
    }
}

/// `fourfold serve` for a project, as it is typed.
fn daemon(project: &Project, args: &[&str]) -> crate::project::Run {
    let mut command = project.command();
    command
        .env_remove("FOURFOLD_NO_SERVE")
        .arg("serve")
        .args(args);
    project.finish(&mut command)
}

/// A host that may only read shares what a daemon has loaded.
#[test]
fn who_only_reads_joins_a_daemon() {
    let project = shop();
    assert_eq!(daemon(&project, &["--background"]).status, 0);
    let mut command = project.command();
    command.env_remove("FOURFOLD_NO_SERVE");
    let mut host = Host::start(command, &["--read-only"]);
    host.hello();
    let call = json!({"name": "ast_grep", "arguments": {"pattern": "add($A, $B)"}});
    let found = host.ask(2, "tools/call", call);
    assert_eq!(
        found["result"]["structuredContent"]["summary"]["matches"],
        3
    );
    let status = daemon(&project, &["--status", "--json"]).json();
    let own = status[0]["conversations"][0].as_str().unwrap();
    assert!(own.starts_with("mcp-"), "{status:?}");
    host.end();
    assert_eq!(daemon(&project, &["--stop"]).status, 0);
    leftovers::assert_none(project.root());
}

mod real;
