//! The rows that are compiled in. Lists are words with blanks between them.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    Adapter, AdapterCommand, ExceptionFilters, HitCounts, Injector, Probe, Start, Transport,
};

/// A row in the making.
struct Row(Adapter);

fn row(id: &str, languages: &[&str], extensions: &str, markers: &str) -> Row {
    Row(Adapter {
        languages: languages.iter().map(|name| (*name).to_owned()).collect(),
        extensions: words(extensions),
        markers: words(markers),
        ..Adapter::new(id)
    })
}

fn words(list: &str) -> Vec<String> {
    list.split_whitespace().map(str::to_owned).collect()
}

fn command(line: &str) -> AdapterCommand {
    let mut words = words(line).into_iter();
    let program = words.next().unwrap_or_default();
    AdapterCommand::new(program, words)
}

impl Row {
    fn run(mut self, line: &str) -> Self {
        self.0.commands.push(command(line));
        self
    }

    fn run_as(mut self, command: AdapterCommand) -> Self {
        self.0.commands.push(command);
        self
    }

    fn transport(mut self, transport: Transport) -> Self {
        self.0.transport = transport;
        self
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env.push((name.to_owned(), value.to_owned()));
        self
    }

    fn launch(mut self, defaults: Value) -> Self {
        self.0.launch_defaults = defaults;
        self
    }

    fn attach(mut self, pid: &str, defaults: Value) -> Self {
        self.0.attach_pid = Some(pid.to_owned());
        self.0.attach_defaults = defaults;
        self
    }

    fn exceptions(mut self, uncaught: &str, all: &str, functions: &str) -> Self {
        self.0.exceptions = ExceptionFilters {
            uncaught: words(uncaught),
            all: words(all),
            functions: words(functions),
            in_tests: Vec::new(),
            functions_with: (!functions.is_empty()).then(|| "Cargo.toml".to_owned()),
        };
        self
    }

    fn within(mut self, seconds: u64) -> Self {
        self.0.launch_within = Duration::from_secs(seconds);
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Adapter)) -> Self {
        change(&mut self.0);
        self
    }

    fn untried(mut self) -> Self {
        self.0.tried = false;
        self
    }

    /// The end of the row.
    fn install(mut self, hint: &str) -> Adapter {
        self.0.install_hint = hint.to_owned();
        self.0
    }
}

pub(super) fn rows() -> Vec<Adapter> {
    let mut rows = scripting();
    rows.extend(native());
    rows.extend(managed());
    rows
}

/// Files that mark a project of C or C++.
const C_MARKERS: &str = "CMakeLists.txt Makefile compile_commands.json meson.build configure.ac";

/// Sources that native debuggers know.
const NATIVE: &str = "rs c h cc cpp cxx hh hpp";

/// A call within a call, such as the allocation of a string that is an argument, leaves gdb's server in
/// the belief that the program runs. It is told what is true when a call has ended.
const GDB_CALLS: &str = "python gdb.events.inferior_call.connect(lambda event: isinstance(event, \
    gdb.InferiorCallPostEvent) and gdb.selected_thread() and not gdb.selected_thread().is_running() \
    and setattr(__import__('gdb.dap.events', fromlist=['events']), 'inferior_running', False))";

/// A condition that names what there is not switches its breakpoint off, and gdb says so nowhere.
const GDB_CONDITIONS: &str = "python gdb.events.breakpoint_modified.connect(lambda point: \
    point.condition and 'condition is invalid' in \
    gdb.execute('info breakpoints ' + str(point.number), to_string=True) and \
    __import__('gdb.dap.server', fromlist=['server']).send_event('output', {'category': 'console', \
    'output': 'the condition `' + point.condition + '` names what there is not\\n'}))";

/// Of a program that a signal has ended, gdb says that it exited with 0.
const GDB_KILLED: &str = "python gdb.events.exited.connect(lambda event: \
    hasattr(event, 'exit_code') or \
    __import__('gdb.dap.server', fromlist=['server']).send_event('output', {'category': 'console', \
    'output': 'terminated with signal ' + str(gdb.convenience_variable('_exitsignal')) + '\\n'}))";

/// gdb looks a name up in every library. Rust has no globals but those that a module brings in.
const GDB_FOREIGN: &str = "python symbol = gdb.lookup_symbol('{name}')[0]; \
    frame = gdb.selected_frame(); own = frame.function(); \
    whole = lambda symbol: (symbol.symtab.objfile.owner or symbol.symtab.objfile).filename; \
    print(whole(symbol) if frame.language() == 'rust' and own and symbol and symbol.symtab \
    and not symbol.needs_frame and whole(symbol) != whole(own) else '')";

fn native() -> Vec<Adapter> {
    let markers = format!("Cargo.toml {C_MARKERS}");
    let native: &[&str] = &["Rust", "C", "C++"];
    vec![
        // First for Rust: lldb up to 22 hangs in a Vec of an enum. Escapes and downloads off.
        row("gdb", native, NATIVE, &markers)
            .run_as(AdapterCommand {
                args: [
                    "-q",
                    "-nx",
                    "-iex",
                    "set style enabled off",
                    "-iex",
                    "set debuginfod enabled off",
                    "-iex",
                    GDB_CALLS,
                    "-iex",
                    GDB_CONDITIONS,
                    "-iex",
                    GDB_KILLED,
                    "--interpreter=dap",
                ]
                .map(str::to_owned)
                .to_vec(),
                probe: Some(Probe {
                    args: words("-nx --version"),
                    at_least: Some(14),
                    means: "gdb speaks the protocol from version 14 on".to_owned(),
                }),
                ..command("gdb")
            })
            .attach("pid", Value::Null)
            // The name changed with the compiler; gdb wants it whole.
            .exceptions(
                "",
                "throw",
                "rust_panic __rustc::rust_panic std::panicking::rust_panic",
            )
            .with(|row| {
                row.attach_address = json!({ "target": "{host}:{port}" });
                row.core = json!({ "program": "{program}", "coreFile": "{core}" });
                row.signal_expression = Some("$_siginfo.si_signo".to_owned());
                row.foreign_symbol = Some(GDB_FOREIGN.to_owned());
                row.hit_counts = HitCounts::After;
                // Else all of them are one line.
                row.log_form = Some("{message}\n".to_owned());
                // The program prints into a pipe of gdb, which a thread of it reads line by line.
                row.marks_output =
                    Some("python __import__('os').write(1, b'{mark}\\n')".to_owned());
            })
            .install("pip install gdb-for-pwndbg, or the system's package of gdb 14 or later"),
        row(
            "lldb-dap",
            &[native, &["Swift", "Zig"]].concat(),
            &format!("{NATIVE} swift zig"),
            &format!("{markers} Package.swift build.zig"),
        )
        .run("lldb-dap")
        .run("lldb-dap-22")
        .run("lldb-dap-21")
        .run("lldb-dap-20")
        .run("lldb-dap-19")
        .run("lldb-dap-18")
        .run("lldb-vscode")
        .run("lldb-vscode-16")
        .run("lldb-vscode-14")
        .launch(json!({ "stopOnEntry": false }))
        .attach("pid", Value::Null)
        .exceptions("", "cpp_throw", "rust_panic")
        // Of one that crashes, a helper would be killed that leaves files behind.
        .env("LLVM_DISABLE_SYMBOLIZATION", "1")
        .with(|row| {
            row.signals_as_codes = true;
            row.hit_counts = HitCounts::From;
            row.attach_address = json!({ "attachCommands": ["gdb-remote {host}:{port}"] });
            row.core = json!({ "program": "{program}", "coreFile": "{core}" });
        })
        .install("apt-get install lldb-19, or the system's package of lldb"),
        row("codelldb", native, NATIVE, &markers)
            .run("codelldb --port {port}")
            .transport(Transport::Port)
            .launch(json!({ "stopOnEntry": false, "terminal": "console" }))
            .attach("pid", Value::Null)
            .exceptions("", "cpp_throw", "rust_panic")
            .untried()
            .install("the release of codelldb, with its `adapter` folder on the search path"),
        row("delve", &["Go"], "go", "go.mod go.work")
            .run("dlv dap --listen=127.0.0.1:0")
            .transport(Transport::Announced)
            .launch(json!({ "stopOnEntry": false }))
            .attach("processId", json!({ "mode": "local" }))
            // It stops at panics and fatal errors by itself. It builds first.
            .within(120)
            .with(|row| {
                row.output_on_stdout = true;
                row.exit_code = false;
                row.signals_below = Some(0);
                row.hit_counts = HitCounts::Unannounced;
                row.condition_faults = [
                    "error evaluating expression:",
                    "condition expression unreadable:",
                    "condition expression not boolean",
                ]
                .map(str::to_owned)
                .to_vec();
                // A headless delve is an adapter itself.
                row.attach_direct = true;
                row.attach_address = json!({ "mode": "remote" });
                row.core_with = Start::Launch;
                row.core =
                    json!({ "mode": "core", "program": "{program}", "coreFilePath": "{core}" });
            })
            .install("go install github.com/go-delve/delve/cmd/dlv@latest"),
    ]
}

/// js-debug takes minutes for an object of a million keys. What a getter would say is left to it.
const PART: &str = "(whole => { if (whole === null || typeof whole !== 'object' || Array.isArray(whole) \
    || ArrayBuffer.isView(whole)) return; const keys = Object.keys(whole); \
    if (keys.length <= 10000) return; const part = Object.create(null); \
    for (const key of keys.slice({from}, {to})) \
    Object.defineProperty(part, key, Object.getOwnPropertyDescriptor(whole, key)); \
    return part; })({value})";

/// What a failing test of JavaScript throws: an assertion as node, chai and jest make it, or an error
/// that comes from the project's own code and that no assertion waits for.
const FAILS: &str = r"typeof error === 'object' && error !== null && (error.name === 'AssertionError' || error.code === 'ERR_ASSERTION' || error.matcherResult !== undefined || (typeof error.stack === 'string' && !/node:|node_modules/.test((error.stack.match(/^ +at .*$/m) || ['node:'])[0]) && !/\b(throws|rejects|doesNotThrow|doesNotReject|toThrow\w*|waitForActual|getActual)\b/.test(error.stack)))";

/// Starts debugpy's adapter with nothing to read and nowhere to print: the program inherits both, and what
/// it prints comes as events. Whoever connects to its port must be the same user: it runs what it is told.
const ADAPTER: &str = "import os, runpy, sys
from debugpy.common import sockets
null = os.open(os.devnull, os.O_RDWR)
os.dup2(null, 0)
os.dup2(null, 1)
def is_ours(sock):
    try:
        table = open('/proc/net/tcp').readlines()[1:]
    except OSError:
        return True
    ends = tuple(':%04X' % end[1] for end in (sock.getpeername(), sock.getsockname()))
    for line in table:
        words = line.split()
        if words[1].endswith(ends[0]) and words[2].endswith(ends[1]):
            return int(words[7]) in (0, os.getuid())
    return False
serve = sockets.serve
def careful(name, handler, *rest, **more):
    def take(sock):
        if name != 'Client' or is_ours(sock):
            handler(sock)
        else:
            sock.close()
    return serve(name, take, *rest, **more)
sockets.serve = careful
sys.argv[0] = 'debugpy.adapter'
runpy.run_module('debugpy.adapter', run_name='__main__', alter_sys=True)";

/// gdb calls a function of a program that does nothing; it exits with 1 when that fails.
const CALLS: [&str; 15] = [
    "-nx",
    "-q",
    "-batch",
    "-iex",
    "set auto-load no",
    "-iex",
    "set startup-with-shell off",
    "-ex",
    "catch syscall exit_group",
    "-ex",
    "run",
    "-ex",
    "print ((int(*)(void))getpid)() > 0",
    "--args",
    "true",
];

/// What debugpy is taught before the program runs.
const DEBUGPY: &str = include_str!("debugpy.py");

fn scripting() -> Vec<Adapter> {
    vec![
        row(
            "debugpy",
            &["Python"],
            "py pyw",
            "pyproject.toml setup.py setup.cfg requirements.txt Pipfile tox.ini",
        )
        .run_as(python("python3"))
        .run_as(python("python"))
        .env("PYDEVD_DISABLE_FILE_VALIDATION", "1")
        // What the program starts is told over a port only.
        .transport(Transport::Port)
        .launch(json!({ "console": "internalConsole", "subProcess": true, "justMyCode": false }))
        .attach(
            "processId",
            json!({ "subProcess": false, "justMyCode": false }),
        )
        .exceptions("uncaught userUnhandled", "raised uncaught", "")
        .with(|row| {
            row.injector = Some(Injector {
                program: "gdb".to_owned(),
                probe: Probe {
                    args: CALLS.map(str::to_owned).to_vec(),
                    at_least: None,
                    means: "it cannot call a function of a program on this machine, and what it tries \
                            that on dies; install a later gdb (pip install gdb-for-pwndbg), or start \
                            the program with `python -m debugpy --listen PORT` and attach to that port"
                        .to_owned(),
                },
                // It injects itself from Python 3.14 on.
                unless: Some(Probe {
                    args: ["-c", "import sys; sys.exit(not hasattr(sys, 'remote_exec'))"]
                        .map(str::to_owned)
                        .to_vec(),
                    at_least: None,
                    means: String::new(),
                }),
            });
            row.stacks_while_running = true;
            row.hit_counts = HitCounts::Relations;
            row.passed_exceptions = words("SystemExit");
            // Else a condition that raises is taken for false, and a wrong name in it is not even told.
            row.preparations = vec![
                (
                    "setDebuggerProperty".to_owned(),
                    json!({
                        "skipSuspendOnBreakpointException": [],
                        "skipPrintBreakpointException": ["BaseException"],
                    }),
                ),
                (
                    "evaluate".to_owned(),
                    json!({ "expression": DEBUGPY, "context": "repl" }),
                ),
            ];
            row.post_mortem = true;
            // What `debugpy --listen` opens is an adapter itself.
            row.attach_direct = true;
            row.attach_address = json!({ "justMyCode": false });
            row.signals_below = Some(256);
            // The last are those of a rewritten assertion.
            row.hidden_values = [
                "special variables",
                "function variables",
                "class variables",
                "@py_*",
            ]
            .map(str::to_owned)
            .to_vec();
        })
        .install("python3 -m pip install debugpy, with the Python that runs the program: that of VIRTUAL_ENV as \
             it is set for this command, else of .venv, venv or env in the root of the checkout, else the first \
             python3 or python of the search path"),
        row(
            "js-debug",
            &["JavaScript", "TypeScript"],
            "js mjs cjs jsx ts mts cts tsx",
            "package.json tsconfig.json",
        )
        .run("js-debug-adapter 0 127.0.0.1")
        .run("js-debug 0 127.0.0.1")
        .transport(Transport::Announced)
        .launch(json!({
            "type": "pwa-node",
            "console": "internalConsole",
            "outputCapture": "std",
            "skipFiles": ["<node_internals>/**"],
        }))
        .exceptions("uncaught", "all uncaught", "")
        .with(|row| {
            row.exit_code = false;
            row.hit_counts = HitCounts::Relations;
            row.attach_address = json!({ "address": "{host}", "port": "{port}" });
            row.attach_inspector = true;
            row.in_parts = true;
            row.function_breakpoints = false;
            // It may stop once more at the entry of a file whose breakpoints it has just set.
            row.unexplained_stop =
                Some(("Paused on debugger statement".to_owned(), "debugger".to_owned()));
            // Of a program that is not ours, neither the environment nor the children are changed.
            row.attach_defaults = json!({
                "type": "pwa-node",
                // Without it, it launches something.
                "request": "attach",
                "autoAttachChildProcesses": false,
                "attachExistingChildren": false,
                "skipFiles": ["<node_internals>/**"],
            });
            row.exceptions.in_tests = vec![("all".to_owned(), FAILS.to_owned())];
            row.part_form = Some(PART.to_owned());
            row.condition_form =
                Some("(() => { try { return ({condition}\n) } catch { return true } })()".to_owned());
        })
        .install(
            "unpack js-debug-dap-VERSION.tar.gz of https://github.com/microsoft/vscode-js-debug/releases, and \
             write into fourfold.toml, the user's ($XDG_CONFIG_HOME/fourfold/fourfold.toml) or a trusted \
             checkout's: [adapters.js-debug] and below it command = [\"node\", \
             \"FOLDER/js-debug/src/dapDebugServer.js\", \"0\", \"127.0.0.1\"]",
        ),
        // The program is on its command line: the adapter is the program.
        row("rdbg", &["Ruby"], "rb", "Gemfile *.gemspec Rakefile")
            .run("rdbg --open --host 127.0.0.1 --port {port}")
            .run("rdbg3.1 --open --host 127.0.0.1 --port {port}")
            .transport(Transport::Port)
            .launch(json!({ "localfs": true }))
            .exceptions("any", "any", "")
            .with(|row| {
                row.is_program = true;
                row.output_on_stdout = true;
                row.exit_code = false;
            })
            .install("gem install debug"),
        row("bash-dap", &["Bash"], "sh bash", "")
            .run("bash-dap")
            .install("pip install bash-dap"),
        row("php-debug", &["PHP"], "php", "composer.json")
            .run("php-debug-adapter")
            .exceptions("*", "*", "")
            .untried()
            .install("the release of vscode-php-debug, and the Xdebug extension of PHP"),
        row(
            "perl",
            &["Perl"],
            "pl pm t",
            "cpanfile Makefile.PL dist.ini",
        )
        .run("perl -MPerl::LanguageServer -e Perl::LanguageServer::run -- --port {port}")
        .transport(Transport::Port)
        .launch(json!({ "reloadModules": true }))
        .install("apt-get install libperl-languageserver-perl"),
        row("lua", &["Lua"], "lua", ".luarc.json *.rockspec")
            .run("local-lua-dbg")
            .untried()
            .install("the release of local-lua-debugger-vscode"),
        row("elixir", &["Elixir"], "ex exs", "mix.exs")
            .run("elixir-ls-debugger")
            .run("debug_adapter.sh")
            .launch(json!({ "type": "mix_task" }))
            .within(120)
            .untried()
            .install("the release of elixir-ls"),
    ]
}

/// The module must be there in the interpreter that is found first in the project.
fn python(program: &str) -> AdapterCommand {
    AdapterCommand {
        look_in: words(".venv/bin venv/bin env/bin"),
        probe: Some(Probe {
            args: vec!["-c".to_owned(), "import debugpy.adapter".to_owned()],
            at_least: None,
            means: "this Python cannot import debugpy".to_owned(),
        }),
        ..AdapterCommand::new(
            program,
            ["-c", ADAPTER, "--host", "127.0.0.1", "--port", "{port}"],
        )
    }
}

fn managed() -> Vec<Adapter> {
    vec![
        row(
            "java-debug",
            &["Java"],
            "java",
            "pom.xml build.gradle build.gradle.kts",
        )
        .run("java-debug-adapter")
        .exceptions("uncaught", "caught uncaught", "")
        .untried()
        .install("a JDI debug adapter as `java-debug-adapter` on the search path"),
        row(
            "kotlin",
            &["Kotlin"],
            "kt kts",
            "build.gradle.kts build.gradle",
        )
        .run("kotlin-debug-adapter")
        .untried()
        .install("the release of kotlin-debug-adapter"),
        row(
            "netcoredbg",
            &["C#", "F#"],
            "cs fs",
            "*.sln *.csproj *.fsproj",
        )
        .run("netcoredbg --interpreter=vscode")
        .attach("processId", Value::Null)
        .exceptions("user-unhandled", "all", "")
        .untried()
        .install("the release of netcoredbg"),
        row("dart", &["Dart"], "dart", "pubspec.yaml")
            .run("dart debug_adapter")
            .exceptions("Unhandled", "All", "")
            .within(120)
            .untried()
            .install("the Dart SDK"),
    ]
}
