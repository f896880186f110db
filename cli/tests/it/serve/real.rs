//! The commands where a real server answers, and stays with the daemon.

use super::*;
use crate::lsp::real::{places_and_problems_are_told, writes_are_judged};
use crate::project::sources;

#[test]
fn one_server_answers_all_commands() {
    let served = Served::new(sources::C);
    served.project.install_clangd();
    assert_eq!(served.run(&["serve", "--background"]).status, 0);

    let hover = served.run(&["lsp", "hover", "main.c:3", "-s", "total"]);
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
