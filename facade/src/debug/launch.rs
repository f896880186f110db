//! From a request to a launch or an attach.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use fourfold_dap_client::program::{Plan, ProgramRequest, Runner, What, choose, prepare};
use fourfold_dap_client::{
    AttachRequest, DebugError, Debugger, Detector, Exceptions, LaunchRequest, State, Target,
};
use serde_json::Value;

use super::place;
use super::request::DebugRequest;
use crate::Error;

/// What is to be launched, built and ready. Refused while a session is open, before anything runs.
pub(super) async fn prepared(
    debugger: &Debugger,
    detector: &Detector,
    request: &DebugRequest,
    root: &Path,
) -> Result<LaunchRequest, Error> {
    refuse_second(debugger)?;
    let program = program(request)?;
    let breakpoints = place::breakpoints(&request.breakpoints, root)?;
    let plan = Plan::new(&program, root)?;
    let adapter = choose(&plan, detector).await?;
    let mut launch = prepare(&plan, &adapter, &Runner::of(detector.config())).await?;
    launch.exceptions = place::exceptions(request.exceptions.unwrap_or_default());
    if launch.exceptions == Exceptions::None {
        // Those that stand for failures.
        launch.breakpoints.clear();
    }
    launch.breakpoints.extend(breakpoints);
    launch.ttl = request.ttl_s.map(Duration::from_secs);
    launch.wait = request.wait_s.map(Duration::from_secs);
    Ok(launch)
}

/// Looks for adapters where the one who asks would find them: a process that serves several is not started in
/// the environment of each. A search path that the host has `fixed` stays.
pub(super) fn detector(debugger: &Debugger, request: &DebugRequest, fixed: bool) -> Detector {
    let own = debugger.detector();
    let mut config = own.config().clone();
    for (name, value) in request.env.iter().filter_map(|line| line.split_once('=')) {
        match name {
            "PATH" if !fixed => config.search_path = value.into(),
            "VIRTUAL_ENV" => config.virtual_env = Some(value.into()).filter(|_| !value.is_empty()),
            _ => {}
        }
    }
    Detector::new(own.catalog().clone(), config)
}

/// What is to be attached to.
pub(super) async fn attach(
    debugger: &Debugger,
    request: &DebugRequest,
    root: &Path,
) -> Result<AttachRequest, Error> {
    let target = match (request.pid, request.port, &request.core) {
        (Some(pid), None, None) => Target::Pid(pid),
        (None, Some(port), None) => Target::Address {
            host: request.host.clone().unwrap_or("127.0.0.1".to_owned()),
            port,
        },
        (None, None, Some(core)) => Target::Core {
            core: core.clone(),
            program: request.program.clone().ok_or_else(|| {
                Error::usage("a core file needs `program`: the executable that left it")
            })?,
        },
        (None, None, None) if !request.configuration.is_empty() => {
            Target::Configured("what the configuration names".to_owned())
        }
        (None, None, None) => {
            return Err(Error::usage(
                "attach needs `pid`, `port` (and `host`) of a debugger that listens, or `core`",
            ));
        }
        _ => {
            return Err(Error::usage(
                "attach takes one of `pid`, `port` and `core`, not several",
            ));
        }
    };
    let adapter = match (&request.adapter, &target) {
        (Some(adapter), _) => adapter.clone(),
        (None, Target::Pid(pid)) => usable(debugger, of_process(*pid)).await.to_owned(),
        (None, Target::Core { program, .. }) => of_program(&root.join(program)).to_owned(),
        (None, _) => {
            return Err(Error::usage(
                "attach needs `adapter`, such as debugpy or js-debug: nothing tells what listens there",
            ));
        }
    };
    let mut attach = AttachRequest::new(adapter, target);
    if request.port.is_some() {
        attach.program.clone_from(&request.program);
    }
    attach.configuration = configuration(request);
    attach.breakpoints = place::breakpoints(&request.breakpoints, root)?;
    attach.exceptions = request
        .exceptions
        .map_or(Exceptions::None, place::exceptions);
    attach.ttl = request.ttl_s.map(Duration::from_secs);
    attach.wait = request.wait_s.map(Duration::from_secs);
    Ok(attach)
}

/// The adapter of a process, by the program that it runs.
fn of_process(pid: u32) -> &'static str {
    let program = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with("python") {
        return "debugpy";
    }
    match &*name {
        "node" => "js-debug",
        "ruby" => "rdbg",
        _ => of_program(&program),
    }
}

/// The adapter of a native program that is there: gdb speaks the protocol from its version 14 on.
async fn usable(debugger: &Debugger, adapter: &'static str) -> &'static str {
    if adapter != "gdb" {
        return adapter;
    }
    for one in ["gdb", "lldb-dap", "codelldb"] {
        let detection = debugger.detector().find(one).await;
        if detection.is_some_and(|detection| detection.launchable().is_some()) {
            return one;
        }
    }
    // Its refusal says what is missing.
    adapter
}

/// The adapter of an executable.
fn of_program(program: &Path) -> &'static str {
    match fourfold_dap_client::program::is_go(program) {
        true => "delve",
        false => "gdb",
    }
}

/// The refusal of a second session, before a build begins.
fn refuse_second(debugger: &Debugger) -> Result<(), Error> {
    match debugger.status().session {
        Some(facts) if !matches!(facts.state, State::Exited { .. }) => {
            Err(DebugError::AlreadyOpen(Box::new(facts)).into())
        }
        _ => Ok(()),
    }
}

fn program(request: &DebugRequest) -> Result<ProgramRequest, Error> {
    let given = [
        request.program.clone().map(What::File),
        request.module.clone().map(What::Module),
        request.test.clone().map(What::Test),
    ];
    let mut given = given.into_iter().flatten();
    let action = request.action.name();
    let what = given.next().ok_or_else(|| {
        Error::usage(format!(
            "{action} needs one of `program` (a file), `module` (of Python) or `test`"
        ))
    })?;
    if given.next().is_some() {
        return Err(Error::usage(format!(
            "{action} takes one of `program`, `module` and `test`, not several"
        )));
    }
    let mut program = ProgramRequest::new(what);
    program.args.clone_from(&request.args);
    program.stdin.clone_from(&request.stdin);
    program.cwd.clone_from(&request.cwd);
    program.build.clone_from(&request.build);
    program.adapter.clone_from(&request.adapter);
    program.env = env(&request.env)?;
    program.configuration = configuration(request);
    Ok(program)
}

fn env(given: &[String]) -> Result<BTreeMap<String, String>, Error> {
    let pair = |line: &String| match line.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(Error::usage(format!(
            "`{line}` in `env` is not NAME=VALUE; write `{line}=1`"
        ))),
    };
    given.iter().map(pair).collect()
}

fn configuration(request: &DebugRequest) -> Value {
    match request.configuration.is_empty() {
        true => Value::Null,
        false => request.configuration.clone().into(),
    }
}
