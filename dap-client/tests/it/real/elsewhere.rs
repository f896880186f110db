//! What a debugger has at hand and is not meant: symbols of other libraries, children of a program.

use fourfold_dap_client::program::ProgramRequest;
use fourfold_dap_client::{Breakpoint, EvaluateQuery, Of, ValuesQuery};
use fourfold_testkit::Project;

use super::bench::*;

const LIBRARY: &str = "static int stock = 7;\nint price(int each) { return each * stock; }\n";

const MAIN: &str = r#"#[link(name = "shop")]
unsafe extern "C" {
    fn price(each: i32) -> i32;
}

static LIMIT: i32 = 40;

fn total(each: i32) -> i32 {
    let whole = unsafe { price(each) };
    whole.min(LIMIT)
}

fn main() {
    println!("{}", total(6));
}
"#;

#[tokio::test]
async fn gdb_finds_no_global_of_a_library_in_a_frame_of_rust() {
    let bench = Bench::new(Project::new().file("shop.c", LIBRARY).file("main.rs", MAIN));
    let mut request = ProgramRequest::file("main");
    request.build = Some(
        "cc -g -shared -fPIC shop.c -o libshop.so && rustc --edition 2024 -g -L . main.rs -o main \
         -C link-arg=-Wl,-rpath,."
            .to_owned(),
    );
    request.adapter = Some("gdb".to_owned());
    let (session, outcome) = bench
        .launch(&request, |launch| {
            launch
                .breakpoints
                .push(Breakpoint::at_text("main.rs", "whole.min"));
        })
        .await
        .unwrap();
    let stop = stopped(outcome);
    assert_eq!(local(&stop, "whole"), "42", "{stop}");
    assert_eq!(asked(&session, "whole + each").await, "48");
    assert_eq!(asked(&session, "LIMIT").await, "40");
    for expression in ["stock", "stock + 1"] {
        let refused = session.evaluate(EvaluateQuery::new(expression)).await;
        let refused = refused.unwrap_err().to_string();
        assert!(
            refused.contains("there is no `stock` in this frame"),
            "{refused}"
        );
        assert!(refused.contains("libshop.so"), "{refused}");
    }
    let query = ValuesQuery::new(Of::Path {
        frame: None,
        path: "stock".parse().unwrap(),
    });
    let refused = session.values(query).await.unwrap_err().to_string();
    assert!(refused.contains("stock"), "{refused}");
    bench.end().await;
}

const FORKS: &str = r"#include <sys/wait.h>
#include <unistd.h>

static int in_child(int n) { return n + 1; }

int main(void) {
    pid_t child = fork();
    if (child == 0) _exit(in_child(2));
    int status;
    waitpid(child, &status, 0);
    return 0;
}
";

async fn forks(adapter: &str) {
    let bench = Bench::new(Project::new().file("forks.c", FORKS));
    let mut request = ProgramRequest::file("forks");
    request.build = Some("cc -g -O0 forks.c -o forks".to_owned());
    request.adapter = Some(adapter.to_owned());
    let (_, outcome) = bench
        .launch(&request, |launch| {
            launch.breakpoints.push(Breakpoint::at_function("in_child"));
        })
        .await
        .unwrap();
    let end = exited(outcome);
    let said = format!(
        "{adapter} does not follow the processes that a program starts: in those, breakpoints stop nothing"
    );
    assert!(end.notes.contains(&said), "{end:?}");
    bench.end().await;
}

#[tokio::test]
async fn a_breakpoint_in_a_forked_child_is_told_of_by_gdb() {
    forks("gdb").await;
}

#[tokio::test]
async fn a_breakpoint_in_a_forked_child_is_told_of_by_lldb() {
    forks("lldb-dap").await;
}
