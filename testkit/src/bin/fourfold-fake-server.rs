//! A language server or debug adapter that plays the script in the file that its first argument names, and appends
//! what it receives to the one that its second names. Other arguments mean nothing to it.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;

use fourfold_testkit::{Log, Script, listen, serve};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let Some(file) = args.next() else {
        return complain("usage: fourfold-fake-server SCRIPT [RECEIVED]");
    };
    let log = args
        .next()
        .map_or_else(Log::default, |file| Log::to_file(Path::new(&file)));
    let script = std::fs::read_to_string(&file)
        .map_err(|error| error.to_string())
        .and_then(|text| serde_json::from_str::<Script>(&text).map_err(|error| error.to_string()));
    let script = match script {
        Ok(script) => script,
        Err(error) => return complain(&format!("{}: {error}", file.display())),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return complain(&error.to_string()),
    };
    let code = runtime.block_on(async {
        if script.listen.is_some() {
            return listen(&script, log).await;
        }
        let (stdin, stdout) = (tokio::io::stdin(), tokio::io::stdout());
        Ok(serve(script, stdin, stdout, tokio::io::stderr(), log).await)
    });
    // A thread may still wait for input that never comes.
    runtime.shutdown_background();
    match code {
        Ok(code) => code.into(),
        Err(error) => complain(&error.to_string()),
    }
}

#[allow(clippy::print_stderr, reason = "the last words of a program")]
fn complain(what: &str) -> ExitCode {
    eprintln!("{what}");
    ExitCode::from(2)
}
