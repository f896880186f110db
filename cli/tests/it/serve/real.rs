//! The commands where a real server answers, and stays with the daemon.

use super::*;
use crate::lsp::real::{places_and_problems_are_told, writes_are_judged};
use crate::project::sources;

#[test]
fn one_server_answers_all_commands() {
    let served = Served::new(sources::C);
    served.project.install_clangd();
    assert_eq!(served.run(&["serve", "--background"]).status, 0);

    let hover = served.run(&["lsp", "hover", "sum.c:4", "-s", "sum"]);
    assert!(hover.out.contains("The sum."), "{}", hover.whole());
    let started = served.project.clangds_started();
    assert_eq!(started.len(), 1);
    let running = served.run(&["servers", "--json"]).json();
    let clangd = running
        .iter()
        .find(|one| one["server"] == "clangd")
        .unwrap();
    assert_eq!(clangd["state"], "running");

    places_and_problems_are_told(|args| served.run(args));
    writes_are_judged(&served.project, |args| served.run(args));
    // It is the one that was started for the first.
    assert_eq!(served.project.clangds_started(), started);
    assert!(fs::exists(format!("/proc/{}", started[0])).unwrap());
    assert_eq!(served.run(&["serve", "--stop"]).status, 0);
    served.project.assert_nobody_left();
}

#[test]
fn every_message_can_be_logged() {
    let served = Served::new(sources::C);
    served.project.install_clangd();
    let folder = served.folder.path();
    // Seen from where the command is run, also when it goes elsewhere first.
    let inside = served.project.root().join("deep");
    fs::create_dir(&inside).unwrap();
    let logged = |name: &str, args: &[&str]| {
        let mut command = served.command(&["-C", "..", "lsp", "hover", "sum.c:4", "-s", "sum"]);
        command.args(["--wire-log", name]).args(args);
        served.project.finish(command.current_dir(&inside))
    };
    let asked = |log: &Path| {
        let text = fs::read_to_string(log).unwrap();
        let said = |way: &str, what: &str| {
            let mut lines = text.lines();
            lines.any(|line| line.contains(way) && line.contains(what))
        };
        assert!(said("sent", r#""method":"textDocument/hover""#), "{text}");
        assert!(said("received", "The sum."), "{text}");
        let mode = fs::metadata(log).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    };
    let alone = logged("alone.log", &["--no-serve"]);
    assert_eq!((alone.status, alone.err.as_str()), (0, ""));
    asked(&inside.join("alone.log"));
    // The daemon that is started for it logs too; one that runs cannot be made to.
    let first = logged("first.log", &[]);
    assert_eq!((first.status, first.err.as_str()), (0, ""));
    asked(&inside.join("first.log"));
    let second = logged("second.log", &[]);
    assert_eq!(second.status, 0, "{}", second.whole());
    assert!(
        second
            .err
            .contains("what it says to servers is not logged now"),
        "{}",
        second.whole()
    );
    let nowhere = folder.join("nowhere/x.log");
    let refused = logged(nowhere.to_str().unwrap(), &[]);
    assert_eq!(refused.status, 2);
    assert!(refused.err.contains("cannot write the wire log"));
    assert_eq!(served.run(&["serve", "--stop"]).status, 0);
    served.project.assert_nobody_left();
}
