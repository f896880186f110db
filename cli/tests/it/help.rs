//! Help, versions, languages, completions.

use expect_test::expect;

use crate::project::{Project, trimmed};

#[test]
fn help_is_help() {
    let project = Project::new(&[]);
    let run = project.run(["--help"]);
    assert_eq!(run.status, 0);
    expect![[r#"
        Know code by a graph, by shape, by its language servers and under a debugger, and change it safely

        Usage: fourfold [OPTIONS] <COMMAND>

        Commands:
          grep         Search for a code shape [alias: search]
          rewrite      Stage a rewrite and show it as a diff; nothing is changed before `fourfold resolve`
          staged       List the staged rewrites, or show the diff of one
          resolve      Apply a staged rewrite, all of it or nothing, or discard it
          write        Write a file whole, from standard input or a file
          edit         Replace a text in a file that occurs in it exactly once
          patch        Apply a patch, all of it or nothing
          explain      Tell how a pattern is read, and why it does not match
          graph        Ask the code graph: who calls it, what depends on it, what is there; without a server
          lsp          Ask the language servers: where is it defined, who uses it, what is wrong; rename it
          debug        Debug a program or a test: stop it, and look at what is true at that moment
          check        Tell what the language servers find wrong in files that were changed
          servers      List the language servers that this checkout could use, and exactly what is missing
          trust        Let this checkout choose what is run: its own programs and commands
          languages    List the languages that can be searched
          recover      Bring to an end what a crash has left in the middle of a commit
          serve        Keep this checkout at hand in a process of its own, for the other commands
          mcp          Offer the tools to an agent host, by the Model Context Protocol on standard input and
                       output
          tour         Show on this checkout what Fourfold does; nothing in it is changed
          completions  Write a script that completes commands in a shell
          man          Write the manual pages, one for each command
          help         Print this message or the help of the given subcommand(s)

        Options:
          -h, --help
                  Print help (see a summary with '-h')

          -V, --version
                  Print version

        General options:
          -C <DIR>
                  Run as if started in DIR; the checkout is the nearest folder above it that holds `.git`,
                  `.fourfold` or `fourfold.toml`

              --json
                  Write JSON, one object a line, the last of them a summary

              --color <WHEN>
                  Colour the output; `auto` does on a terminal unless NO_COLOR is set

                  Possible values:
                  - auto:   On a terminal, unless NO_COLOR is set
                  - always: In files and pipes too
                  - never:  Not at all

                  [default: auto]

              --max-text <BYTES>
                  Show at most so many bytes of one text; what is cut is marked

                  [default: 2000]

          -j, --threads <N>
                  Use so many threads, not as many as the machine offers; 256 at most

              --conversation <NAME>
                  Work in the conversation NAME: what another one was told of problems, and its debug
                  session, stay there. Stages that are kept on disk belong to the checkout

                  [default: cli]

              --no-serve
                  Neither use nor start `fourfold serve`; FOURFOLD_NO_SERVE in the environment does the same

              --no-check
                  Ask no language server what it thinks of a change; FOURFOLD_NO_CHECK in the environment
                  does the same

              --wire-log <FILE>
                  Write every message from and to language servers and debug adapters to FILE, with the
                  source texts and values in it; FOURFOLD_WIRE_LOG in the environment does the same

        Patterns are code:  $X is one node, $$$XS any number of siblings, $_ and $$$ the same without a
        name.
        A name used twice has to stand for the same code: `if ($X != null) $X.dispose()`.

        Exit status: 0 something was found, 1 nothing was found, 2 an error.
    "#]].assert_eq(&trimmed(&run.out));
    let all = commands(&run.out);
    assert_eq!(all.len(), 22, "{all:?}");
    for command in all.into_iter().filter(|command| command != "help") {
        let run = project.run([command.as_str(), "--help"]);
        assert_eq!((run.status, run.err.as_str()), (0, ""), "{command}");
        assert!(run.out.contains("Usage: fourfold"), "{command}");
        for part in commands(&run.out) {
            let run = project.run([command.as_str(), &part, "--help"]);
            assert_eq!((run.status, run.err.as_str()), (0, ""), "{command} {part}");
            let usage = format!("Usage: fourfold {command} {part}");
            assert!(run.out.contains(&usage), "{command} {part}: {}", run.out);
        }
    }
    let run = project.run(["--version"]);
    assert_eq!(run.out, format!("fourfold {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(project.run([""; 0]).status, 2);
}

/// The commands that a help lists.
fn commands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = lines.take_while(|line| !line.trim().is_empty());
    // What a line says goes on further in.
    let own = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let named = own.filter(|name| !name.is_empty());
    named.map(str::to_owned).collect()
}

#[test]
fn every_language_is_listed() {
    let project = Project::new(&[]);
    let run = project.run(["languages"]);
    assert_eq!(run.status, 0);
    let ids: Vec<&str> = run
        .out
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    expect!["bash c cpp csharp css dart elixir go haskell html java javascript json jsx kotlin lua php proto python ruby rust scala swift toml tsx typescript yaml zig"].assert_eq(&ids.join(" "));
    let json = project.run(["languages", "--json"]).json();
    assert_eq!(json.len(), ids.len() + 1);
    assert_eq!(json[0]["id"], "bash");
    assert_eq!(json[ids.len()]["languages"], ids.len());
}

#[test]
fn completions_for_every_shell() {
    let project = Project::new(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = project.run(["completions", shell]);
        assert_eq!(run.status, 0, "{shell}");
        for word in ["rewrite", "not-inside", "recover", "no-execute"] {
            assert!(run.out.contains(word), "{shell}: {word}");
        }
    }
    let other = project.run(["completions", "tcsh"]);
    assert_eq!(other.status, 2);
    let five = "`bash`, `elvish`, `fish`, `powershell`, `zsh`";
    assert!(other.err.contains(five), "{}", other.err);
}

#[test]
fn recovery_with_nothing_to_recover() {
    let project = Project::new(&[("a.py", "x\n")]);
    project.run(["recover"]).expect(&expect![[r#"
        nothing was interrupted here; no commit is half done
        --- stderr, status 0
    "#]]);
    let json = project.run(["recover", "--json"]).json();
    assert_eq!(json[0]["type"], "summary");
}

#[test]
fn help_can_be_asked_for_as_a_command() {
    let project = Project::new(&[]);
    let (asked, typed) = (
        project.run(["help", "grep"]),
        project.run(["grep", "--help"]),
    );
    assert_eq!((asked.status, &asked.out), (0, &typed.out));
}

#[test]
fn every_command_has_a_manual_page() {
    let project = Project::new(&[]);
    let run = project.run(["man", "share/man1"]);
    assert_eq!(
        (run.status, run.whole().as_str()),
        (0, "--- stderr, status 0\n")
    );
    let whole = project.read("share/man1/fourfold.1");
    assert!(
        whole.contains(".TH fourfold 1") && whole.contains("Exit status"),
        "{whole}"
    );
    let mut pages = vec!["fourfold".to_owned()];
    for command in commands(&project.run(["--help"]).out) {
        let parts = commands(&project.run([command.as_str(), "--help"]).out);
        pages.extend(
            parts
                .iter()
                .map(|part| format!("fourfold-{command}-{part}")),
        );
        pages.push(format!("fourfold-{command}"));
    }
    // Help has no help.
    pages.retain(|page| !page.ends_with("-help"));
    pages.sort();
    let folder = std::fs::read_dir(project.root().join("share/man1")).unwrap();
    let mut written: Vec<String> = folder
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| name.strip_suffix(".1").unwrap().to_owned())
        .collect();
    written.sort();
    assert_eq!(written, pages);
    // Itself, 21 commands, and the 16 questions to the graph.
    assert_eq!(pages.len(), 38);
    for name in pages {
        let page = project.read(&format!("share/man1/{name}.1"));
        for part in [
            &format!(".TH {name} 1"),
            ".SH NAME",
            ".SH SYNOPSIS",
            ".SH DESCRIPTION",
        ] {
            assert!(page.contains(part), "{name}: {part}: {page}");
        }
    }
}
