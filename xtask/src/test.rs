//! `cargo xtask test`: get what the tests need, run them, end with the runner's summary.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::run::{Shell, is_installed, output, run, shown};
use crate::{adapters, clients, servers};

/// The packages whose tests talk to real language servers, all in modules called `real`.
const TALK_TO_SERVERS: &[&str] = &["fourfold-lsp-client", "fourfold", "fourfold-cli"];

/// An example that shows how to embed the library, run and not only built.
struct Embedding {
    name: &'static str,
    /// What it is told on its standard input.
    told: &'static str,
    /// What it has to say.
    says: &'static [&'static str],
}

/// All of them; who is asked says no, and yes.
const EMBEDDINGS: &[Embedding] = &[
    Embedding {
        name: "smallest",
        told: "",
        says: &["a.py"],
    },
    Embedding {
        name: "approval",
        told: "",
        says: &[
            "+new(1)",
            "accept? [y/N]",
            "not applied, declined by the host",
            "a.py is now: old(1) old(2)",
        ],
    },
    Embedding {
        name: "approval",
        told: "y\n",
        says: &[
            "-old(1)\n-old(2)\n+new(1)\n+new(2)",
            "accept? [y/N]",
            "written: a.py",
            "a.py is now: new(1) new(2)",
        ],
    },
    Embedding {
        name: "two_conversations",
        told: "",
        says: &["stage"],
    },
];

/// The packages whose tests drive real debug adapters, in modules of that name too.
const DRIVE_ADAPTERS: &[&str] = &["fourfold-dap-client", "fourfold", "fourfold-cli"];

/// With arguments only the tests they select; without any, doctests and examples as well.
pub(crate) fn main(shell: &Shell, mut args: lexopt::Parser) -> Result<()> {
    let mut selection = crate::rest(&mut args)?;
    let given = selection.len();
    selection.retain(|arg| arg != "--long");
    let long = selection.len() < given;
    provide_mkfs(shell);

    let nextest = output(&mut shell.cargo("nextest --version")).is_ok();
    let whole = selection.is_empty();
    let mut failed = Vec::new();
    let without_servers = servers::unwanted()?;
    let selects = |package: &&str| selection.iter().any(|arg| arg == package);
    let provided = [
        (
            TALK_TO_SERVERS,
            servers::provide as fn(&Shell) -> Result<()>,
        ),
        (DRIVE_ADAPTERS, adapters::provide),
    ];
    for (packages, provide) in provided {
        if without_servers || !(whole || packages.iter().any(selects)) {
            continue;
        }
        // The other tests can run without them, and the ones that cannot say so.
        if let Err(error) = provide(shell) {
            failed.push(format!("{error:#}"));
        }
    }
    if !without_servers
        && (whole || selects(&"fourfold-cli"))
        && let Err(error) = clients::provide(shell)
    {
        failed.push(format!("{error:#}"));
    }
    if whole {
        // First, so that the summary of the tests comes last.
        let mut steps = vec!["build --workspace --examples --locked"];
        if nextest {
            steps.push("test --workspace --doc --locked");
        }
        for step in steps {
            if let Err(error) = run(&mut shell.cargo(step)) {
                failed.push(error.to_string());
            }
        }
        for embedding in EMBEDDINGS {
            if let Err(error) = embedded(shell, embedding) {
                failed.push(format!("{error:#}"));
            }
        }
    }
    let mut tests = shell.cargo(if nextest {
        "nextest run"
    } else {
        "test --no-fail-fast"
    });
    if whole {
        tests.args(["--workspace", "--locked"]);
    }
    if long {
        tests.env("FOURFOLD_LONG", "1");
        if nextest {
            tests.args(["--profile", "long"]);
        }
    } else if std::env::var_os(SEED).is_none() {
        // A commit passes or fails by what is in it. What other seeds find is for the long run.
        tests.env(SEED, "1");
    }
    let mark = std::process::id().to_string();
    tests.env(MARK, &mark);
    tests.args(&selection);
    if without_servers {
        eprintln!(
            "note: the tests on real language servers and debug adapters are LEFT OUT, as the environment asks"
        );
        tests.args(if nextest {
            ["-E", "not test(/(^|::)real::/)"]
        } else {
            ["--", "--skip=real::"]
        });
    }
    if let Err(error) = if nextest {
        run_last(&mut tests)
    } else {
        counted(&mut tests)
    } {
        failed.push(error.to_string());
    }
    // Silent, so that the summary of the tests stays the last line.
    let leftovers =
        format!("run --quiet --locked -p fourfold-testkit --bin fourfold-leftovers {MARK} {mark}");
    if cfg!(target_os = "linux")
        && let Err(error) = output(&mut shell.cargo(&leftovers))
    {
        failed.push(error.to_string());
    }
    if !failed.is_empty() {
        bail!("{}", failed.join("; "));
    }
    Ok(())
}

/// What all that the tests start inherits, by which it is known if it outlives them.
const MARK: &str = "FOURFOLD_TEST_RUN";

/// Runs an example; it ends well and says what it has to.
fn embedded(shell: &Shell, embedding: &Embedding) -> Result<()> {
    let name = embedding.name;
    let mut command = shell.cargo(&format!(
        "run --quiet --locked -p fourfold --example {name}"
    ));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let line = shown(&command);
    eprintln!("$ {line}");
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start `{line}`"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that asks nothing may have ended.
        let _ = stdin.write_all(embedding.told.as_bytes());
    }
    let ended = child.wait_with_output()?;
    if !ended.status.success() {
        bail!("`{line}` failed ({})", ended.status);
    }
    let said = String::from_utf8_lossy(&ended.stdout);
    match embedding.says.iter().find(|part| !said.contains(**part)) {
        Some(missing) => bail!("`{line}` does not say `{missing}` but\n{said}"),
        None => Ok(()),
    }
}

/// What the random choices of the property tests come from.
const SEED: &str = "PROPTEST_RNG_SEED";

/// Runs a command whose own last line is to stay the last.
fn run_last(command: &mut Command) -> Result<()> {
    let line = shown(command);
    eprintln!("$ {line}");
    let status = command
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Runs `cargo test` and adds up the results of its many programs in one last line.
fn counted(command: &mut Command) -> Result<()> {
    let line = shown(command);
    eprintln!("$ {line}");
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{line}`"))?;
    let (mut passed, mut failed) = (0, 0);
    if let Some(stdout) = child.stdout.take() {
        let mut screen = std::io::stdout().lock();
        for text in BufReader::new(stdout).split(b'\n') {
            let text = text?;
            screen.write_all(&text)?;
            screen.write_all(b"\n")?;
            if let Some((more, bad)) = result_line(&String::from_utf8_lossy(&text)) {
                passed += more;
                failed += bad;
            }
        }
    }
    let status = child.wait()?;
    println!("{passed} passed, {failed} failed");
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// The numbers of `test result: ok. 7 passed; 0 failed; …`.
fn result_line(line: &str) -> Option<(u64, u64)> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number = |word: &str| {
        let part = counts.split(';').find(|part| part.ends_with(word))?;
        part.trim().split(' ').next()?.parse().ok()
    };
    Some((number(" passed")?, number(" failed")?))
}

/// The power-cut tests make a small ext4 of their own; they say so when they cannot.
fn provide_mkfs(shell: &Shell) {
    if is_installed("mkfs.ext4") || !is_installed("apt-get") {
        return;
    }
    let is_root = output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !is_root {
        eprintln!(
            "note: mkfs.ext4 is missing (package e2fsprogs): the power-cut tests will be left out"
        );
        return;
    }
    let installed = run(shell.command("apt-get").args(["update", "-qq"])).and_then(|()| {
        let args = [
            "install",
            "-y",
            "-qq",
            "--no-install-recommends",
            "e2fsprogs",
        ];
        run(shell.command("apt-get").args(args))
    });
    if let Err(error) = installed {
        eprintln!("note: {error:#}; the power-cut tests will be left out");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_read() {
        let line =
            "test result: FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; 1 filtered out";
        assert_eq!(result_line(line), Some((12, 3)));
        assert_eq!(
            result_line("test result: ok. 0 passed; 0 failed; 0 ignored"),
            Some((0, 0))
        );
        assert_eq!(result_line("test walk::x ... ok"), None);
    }
}
