//! Secrets that stand in pairs, in lists and under names of two words.

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{Breakpoint, EvaluateQuery, Of, Outcome, Resume, Session, ValuesQuery};
use fourfold_testkit::Project;

use super::bench::*;

/// What no answer may hold.
const SECRETS: [&str; 5] = [
    "hunter2xyz",
    "abc.def-9",
    "key-4711-x",
    "tok-99-abc",
    "dbpw-77-x",
];

const PYTHON: &str = r#"pairs = [("password", "hunter2xyz"), ("n", 1)]
headers = [(b"authorization", b"Bearer abc.def-9")]
named = {"api key": "key-4711-x", "dbPassword": "dbpw-77-x"}
args = ["run", "--token", "tok-99-abc", "-v"]
token_count, is_password, passes = 5, True, 3
# In one piece: the log comes between pieces.
print(f"printed {pairs} {args} {named}")
print("there")
"#;

const NODE: &str = r#"const pairs = [["password", "hunter2xyz"], ["n", 1]];
const headers = new Map([["Authorization", "Bearer abc.def-9"]]);
const named = { "api key": "key-4711-x", dbPassword: "dbpw-77-x" };
const args = ["run", "--token", "tok-99-abc", "-v"];
const tokenCount = 5, isPassword = true, passes = 3;
console.log("printed", pairs, args, named);
console.log("there");
"#;

const C: &str = r#"#include <stdio.h>

enum token { TOKEN_PLUS = 1 };
struct pair { const char *name, *value; };

int main(void) {
    struct pair pairs[] = {{"password", "hunter2xyz"}, {"Authorization", "Bearer abc.def-9"}};
    struct pair named[] = {{"api key", "key-4711-x"}, {"dbPassword", "dbpw-77-x"}};
    const char *args[] = {"run", "--token", "tok-99-abc", "-v"};
    int token_count = 5, passes = 3;
    enum token token = TOKEN_PLUS;
    printf("printed %s=%s %s\n", pairs[0].name, pairs[0].value, named[0].value);
    puts("there");
    return passes - token_count + token + args[0][0] == 0;
}
"#;

const GO: &str = r#"package main

import "fmt"

type pair struct{ Name, Value string }

func main() {
	pairs := [][2]string{{"password", "hunter2xyz"}}
	headers := []pair{{"Authorization", "Bearer abc.def-9"}}
	named := map[string]string{"api key": "key-4711-x", "dbPassword": "dbpw-77-x"}
	args := []string{"run", "--token", "tok-99-abc", "-v"}
	tokenCount, isPassword, passes := 5, true, 3
	fmt.Println("printed", pairs, headers, named, args)
	fmt.Println("there", tokenCount, isPassword, passes)
}
"#;

/// Everything that is told of the program, from the stop to its end.
async fn all_told(session: &Session, outcome: Outcome, expressions: &[&str]) -> String {
    let mut told = format!("{outcome}\n{outcome:?}\n");
    let mut query = ValuesQuery::new(Of::Frame(None));
    query.depth = 3;
    let page = session.values(query).await.unwrap();
    told.push_str(&format!("{page}\n{page:?}\n"));
    for expression in expressions {
        let value = session
            .evaluate(EvaluateQuery::new(*expression))
            .await
            .unwrap();
        told.push_str(&format!("{value}\n{value:?}\n"));
        if let Some(handle) = value.handle {
            let inside = session.values(ValuesQuery::new(Of::Value(handle))).await;
            told.push_str(&format!("{inside:?}\n"));
        }
    }
    let end = session.resume(Resume::Continue, WAIT).await.unwrap();
    told.push_str(&format!("{end}\n"));
    told.push_str(&format!("{:?}\n", session.output(0, 1 << 16).unwrap()));
    told
}

#[track_caller]
fn check(told: &str, shown: &[&str]) {
    for secret in SECRETS {
        let at = told
            .find(secret)
            .map(|at| &told[at.saturating_sub(200)..at + secret.len()]);
        assert_eq!(at, None, "{secret} is told");
    }
    for words in shown {
        assert!(told.contains(words), "no {words} in {told}");
    }
}

async fn looked(
    bench: &Bench,
    request: &ProgramRequest,
    at: Breakpoint,
    log: Breakpoint,
    of: &[&str],
) -> String {
    let (session, outcome) = bench
        .launch(request, |launch| {
            launch.breakpoints.push(at);
            launch.breakpoints.push(log);
        })
        .await
        .unwrap();
    assert!(matches!(outcome, Outcome::Stopped(_)), "{outcome}");
    let told = all_told(&session, outcome, of).await;
    bench.end().await;
    told
}

fn logging(file: &str, text: &str, log: &str) -> Breakpoint {
    let mut breakpoint = Breakpoint::at_text(file, text);
    breakpoint.log = Some(log.to_owned());
    breakpoint
}

#[tokio::test]
async fn of_python() {
    let bench = Bench::new(Project::new().file("a.py", PYTHON));
    let told = looked(
        &bench,
        &ProgramRequest::file("a.py"),
        Breakpoint::at_text("a.py", "\"there\""),
        logging("a.py", "\"printed", "logged {pairs} {args} {headers}"),
        &[
            "pairs",
            "pairs[0]",
            "headers",
            "args",
            "args[2]",
            "dict(pairs)",
            "list(named.items())",
        ],
    )
    .await;
    let shown = [
        "[('password', '***'), ('n', 1)]",
        "'--token', '***', '-v'",
        "token_count: int = 5",
        "is_password: bool = True",
        "passes: int = 3",
        "logged [('password', '***')",
        "printed [('password', '***')",
    ];
    check(&told, &shown);
}

#[tokio::test]
async fn of_javascript() {
    let bench = Bench::new(Project::new().file("a.js", NODE));
    let told = looked(
        &bench,
        &ProgramRequest::file("a.js"),
        Breakpoint::at_text("a.js", "\"there\""),
        logging("a.js", "\"printed\"", "logged {pairs} {args}"),
        &[
            "pairs",
            "pairs[0]",
            "headers",
            "args",
            "args[2]",
            "Object.entries(named)",
        ],
    )
    .await;
    check(
        &told,
        &[
            "tokenCount: number = 5",
            "isPassword: boolean = true",
            "passes: number = 3",
        ],
    );
}

async fn of_c(adapter: &str) -> String {
    let bench = Bench::new(Project::new().file("a.c", C));
    let mut request = ProgramRequest::file("a");
    request.build = Some("cc -g -O0 a.c -o a".to_owned());
    request.adapter = Some(adapter.to_owned());
    let at = Breakpoint::at_text("a.c", "puts(");
    let of = [
        "pairs",
        "pairs[0]",
        "pairs[0].value",
        "named",
        "args",
        "args[2]",
    ];
    let again = at.clone();
    looked(&bench, &request, at, again, &of).await
}

#[tokio::test]
async fn of_c_with_gdb() {
    let told = of_c("gdb").await;
    check(
        &told,
        &[
            "token_count: int = 5",
            "passes: int = 3",
            "= TOKEN_PLUS",
            "\"***\"",
        ],
    );
}

#[tokio::test]
async fn of_c_with_lldb() {
    let told = of_c("lldb-dap").await;
    check(
        &told,
        &[
            "token_count: int = 5",
            "passes: int = 3",
            "= TOKEN_PLUS",
            "\"***\"",
        ],
    );
}

#[tokio::test]
async fn of_go() {
    let project = Project::new()
        .file("go.mod", "module a\n\ngo 1.19\n")
        .file("main.go", GO);
    let bench = Bench::new(project);
    let told = looked(
        &bench,
        &ProgramRequest::file("main.go"),
        Breakpoint::at_text("main.go", "\"there\""),
        logging("main.go", "\"printed\"", "logged {pairs} {args}"),
        &[
            "pairs",
            "pairs[0]",
            "pairs[0][1]",
            "headers",
            "named",
            "args",
            "args[2]",
        ],
    )
    .await;
    check(
        &told,
        &[
            "tokenCount: int = 5",
            "isPassword: bool = true",
            "passes: int = 3",
        ],
    );
}
