//! Runs a program up to a line and evaluates there:
//!
//! `ask ADAPTER CONFIGURATION FILE:LINE[:CONDITION|:!MESSAGE] EXPRESSION…`, with the launch
//! configuration as JSON. `over`, `in`, `out`, `go` and `restart` go on, `threads` lists them,
//! `NAME:=VALUE` changes a variable, `@PATH` walks to a value. Or `ask ADAPTER pid:N - EXPRESSION…`, to attach and pause.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "an example prints, and ends when it cannot"
)]

use std::time::{Duration, Instant};

use fourfold_dap_client::{
    AttachRequest, Breakpoint, DebugError, Debugger, DebuggerConfig, EvaluateQuery, LaunchRequest,
    Outcome, Resume, Target,
};

fn main() {
    fourfold_child::guard::enter();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    if let Err(error) = runtime.block_on(run()) {
        println!("error: {error}");
    }
}

async fn run() -> Result<(), DebugError> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().unwrap_or_default();
    let (adapter, what, place) = (next(), next(), next());
    let here = std::env::current_dir().expect("a working directory");
    let mut config = DebuggerConfig::new(here);
    config.detect.trusted = true;
    let debugger = Debugger::new(config);
    let begin = Instant::now();
    let (mut session, mut outcome) = if let Some(pid) = what.strip_prefix("pid:") {
        let target = Target::Pid(pid.parse().expect("a process id"));
        let (session, outcome) = debugger
            .attach(AttachRequest::new(&adapter, target))
            .await?;
        println!("{outcome}\n-- {:?}", begin.elapsed());
        let outcome = match outcome {
            Outcome::StillRunning(_) => session.pause(None).await?,
            other => other,
        };
        (session, outcome)
    } else {
        let configuration = serde_json::from_str(&what).expect("a configuration in JSON");
        let mut request = LaunchRequest::new(&adapter, configuration);
        let mut parts = place.splitn(3, ':');
        if let (Some(file), Some(line)) = (parts.next(), parts.next()) {
            let mut breakpoint = match line.parse() {
                Ok(line) => Breakpoint::at_line(file, line),
                Err(_) => Breakpoint::at_text(file, line),
            };
            match parts.next().map(|option| option.split_at(1)) {
                Some(("!", message)) => breakpoint.log = Some(message.to_owned()),
                Some((first, rest)) => breakpoint.condition = Some(format!("{first}{rest}")),
                None => {}
            }
            request.breakpoints.push(breakpoint);
        }
        debugger.launch(request).await?
    };
    println!("{outcome}\n-- {:?}", begin.elapsed());
    for expression in args {
        if !matches!(outcome, Outcome::Stopped(_)) {
            break;
        }
        let begin = Instant::now();
        let step = match expression.as_str() {
            "over" => Some(Resume::StepOver),
            "in" => Some(Resume::StepIn),
            "out" => Some(Resume::StepOut),
            "go" => Some(Resume::Continue),
            _ => None,
        };
        if let Some(step) = step {
            outcome = session.resume(step, Duration::from_secs(10)).await?;
            println!("{outcome}");
        } else if expression == "threads" {
            for group in session.threads().await?.items {
                println!("{group}");
            }
        } else if expression == "restart" {
            (session, outcome) = debugger.restart(None).await?;
            println!("{outcome}");
        } else if let Some((name, value)) = expression.split_once(":=") {
            match session.set_variable(None, None, name, value).await {
                Ok(value) => println!("{value}"),
                Err(error) => println!("{error}"),
            }
        } else if let Some(path) = expression.strip_prefix('@') {
            let of = fourfold_dap_client::Of::Path {
                frame: None,
                path: path.parse()?,
            };
            match session
                .values(fourfold_dap_client::ValuesQuery::new(of))
                .await
            {
                Ok(values) => println!("{values}"),
                Err(error) => println!("{error}"),
            }
        } else {
            match session.evaluate(EvaluateQuery::new(expression)).await {
                Ok(value) => println!("{value}"),
                Err(error) => println!("{error}"),
            }
        }
        println!("-- {:?}", begin.elapsed());
    }
    for report in session.breakpoints()? {
        println!("{report}");
    }
    let begin = Instant::now();
    let end = debugger.terminate().await?;
    println!("{end}\n-- {:?}", begin.elapsed());
    Ok(())
}
