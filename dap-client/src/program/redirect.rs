//! Standard input of a program under a debugger, and its exit code where the adapter does not tell it:
//! a word to the debugger where there is one, else a shell in front of the program.

use std::path::Path;

use serde_json::{Value, json};

use super::prepare::Learned;
use crate::request::LaunchRequest;

/// The adapters whose programs can be given standard input.
const CAN: &[&str] = &["debugpy", "gdb", "lldb-dap", "delve", "js-debug"];

/// The variable for the folder of temporary files.
const TEMPORARY: &str = "TMPDIR";

/// Whether a program under this adapter can be given standard input.
pub(super) fn can(adapter: &str) -> bool {
    CAN.contains(&adapter)
}

/// Has the program read what was learned, and its exit code be told.
pub(super) fn lay(
    adapter: &str,
    program: &Path,
    learned: &Learned,
    launch: &mut LaunchRequest,
    configuration: &mut Value,
) {
    if let (Some(node), Some(code)) = (&learned.node, &learned.code) {
        // Not `exec`: the shell stays to see the end. What is killed is killed as a tree.
        let from = learned.stdin.as_deref().unwrap_or(Path::new("/dev/null"));
        let script = format!(
            "\"$0\" \"$@\" < {}; code=$?; echo $code > {}; exit $code",
            quoted(from),
            quoted(code)
        );
        let mut args = vec![json!("-c"), json!(script), json!(node)];
        if let Some(Value::Array(given)) = configuration.get("runtimeArgs") {
            args.extend(given.iter().cloned());
        }
        configuration["runtimeExecutable"] = json!("/bin/sh");
        configuration["runtimeArgs"] = args.into();
        launch.code = Some(code.clone());
        // js-debug leaves files behind when it is killed: they go with ours. The program has the place
        // for such files that it would have anyway.
        if let (Some(ours), Some(env)) = (code.parent(), configuration["env"].as_object_mut()) {
            let ours = ours.display().to_string();
            launch.env.insert(TEMPORARY.to_owned(), ours);
            let place = std::env::var(TEMPORARY).ok();
            env.entry(TEMPORARY).or_insert_with(|| json!(place));
        }
    }
    let Some(stdin) = &learned.stdin else { return };
    let script = format!("exec \"$0\" \"$@\" < {}", quoted(stdin));
    match adapter {
        "debugpy" => {
            configuration["python"] = json!(["/bin/sh", "-c", script, program]);
            // What starts it, and would be that shell too.
            configuration["debugLauncherPython"] = json!(program);
        }
        "gdb" => {
            let command = format!("set exec-wrapper /bin/sh -c {}", single(&script));
            launch.adapter_args.extend(["-iex".to_owned(), command]);
        }
        "lldb-dap" => {
            configuration["preRunCommands"] =
                json!([format!("settings set target.input-path {}", quoted(stdin))]);
        }
        // The program inherits that of the adapter.
        "delve" => launch.stdin = Some(stdin.clone()),
        _ => {}
    }
}

/// A path in double quotes; those of our folders have nothing in them that a shell reads.
fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.display())
}

/// A script in single quotes.
fn single(script: &str) -> String {
    format!("'{script}'")
}
