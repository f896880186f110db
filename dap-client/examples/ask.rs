//! Runs a program up to a line and evaluates there:
//!
//! `ask ADAPTER CONFIGURATION FILE:LINE[:CONDITION|:!MESSAGE] EXPRESSION…`, with the launch
//! configuration as JSON. `over`, `in`, `out`, `go` and `restart` go on, `threads` lists them,
//! `NAME:=VALUE` changes a variable, `@PATH` walks to a value, `hold` waits for the end of its own
//! input. Or `ask ADAPTER pid:N FILE:LINE… EXPRESSION…`, to attach and go on to that line; with `-` in
//! its place, to attach and pause.
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
use tokio::io::AsyncReadExt as _;

/// How long a program that was attached to is let run before something else is asked.
const ATTACHED: Duration = Duration::from_secs(1);

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
        let mut request = AttachRequest::new(&adapter, target);
        request.breakpoints.extend(breakpoint(&place));
        let goes_on = !request.breakpoints.is_empty();
        let (session, outcome) = debugger.attach(request).await?;
        println!("{outcome}\n-- {:?}", begin.elapsed());
        let outcome = match outcome {
            Outcome::StillRunning(_) if !goes_on => session.pause(None).await?,
            // Some stop where they are attached to.
            Outcome::Stopped(stop) if goes_on && stop.breakpoints.is_empty() => {
                session.resume(Resume::Continue, ATTACHED).await?
            }
            other => other,
        };
        (session, outcome)
    } else {
        let configuration = serde_json::from_str(&what).expect("a configuration in JSON");
        let mut request = LaunchRequest::new(&adapter, configuration);
        request.breakpoints.extend(breakpoint(&place));
        debugger.launch(request).await?
    };
    println!("{outcome}\n-- {:?}", begin.elapsed());
    for expression in args {
        if expression == "hold" {
            println!("holds");
            // Whatever comes, or nothing more: it is over.
            let _ = tokio::io::stdin().read(&mut [0]).await;
            break;
        }
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

/// `FILE:LINE`, with what may follow.
fn breakpoint(place: &str) -> Option<Breakpoint> {
    let mut parts = place.splitn(3, ':');
    let (file, line) = (parts.next()?, parts.next()?);
    let mut breakpoint = match line.parse() {
        Ok(line) => Breakpoint::at_line(file, line),
        Err(_) => Breakpoint::at_text(file, line),
    };
    match parts.next().map(|option| option.split_at(1)) {
        Some(("!", message)) => breakpoint.log = Some(message.to_owned()),
        Some((first, rest)) => breakpoint.condition = Some(format!("{first}{rest}")),
        None => {}
    }
    Some(breakpoint)
}
