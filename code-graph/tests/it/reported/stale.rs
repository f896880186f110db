//! Answers that are stale, or damaged by edits.

use super::{Checkout, ask, group};
use crate::index::{Project, refresh};
use fourfold_code_graph::index::{Cache, Index, IndexConfig};
use fourfold_code_graph::query::{CallRequest, Outcome};
use fourfold_worktree::Checkout as WorkTree;
use std::fs;
use std::process::Command;

const CALLED: &str = "def helper():\n    return 1\n";

fn pair() -> Checkout {
    Checkout::of(
        "\
== lib.py
def helper():
    return 1
== use.py
from lib import helper

def main():
    helper()
",
    )
}

fn git(project: &Project, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e"])
        .args(args)
        .current_dir(project.root())
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn case_22_an_edit_of_the_called_file_keeps_the_callers() {
    let checkout = pair();
    let before = checkout.callers("helper");
    assert_eq!(before, ["use.py main [exact]"]);
    checkout
        .project
        .write("lib.py", format!("# moved\n\n{CALLED}"));
    assert_eq!(checkout.callers("helper"), before);
}

#[test]
fn case_23_many_refreshes_lose_nothing() {
    let checkout = pair();
    for round in 0..20 {
        let (path, text) = match round % 2 {
            0 => ("lib.py", format!("# {round}\n{CALLED}")),
            _ => (
                "use.py",
                format!("from lib import helper\n\ndef main():\n    helper()  # {round}\n"),
            ),
        };
        checkout.project.write(path, text);
        refresh(&checkout.index);
        let fresh = checkout.project.dump_anew();
        assert_eq!(checkout.index.dump().unwrap(), fresh, "after {round}");
    }
    assert_eq!(checkout.callers("helper"), ["use.py main [exact]"]);
}

#[test]
fn case_24_a_new_export_satisfies_who_asked_for_it_before() {
    let checkout = Checkout::of(
        "\
== lib.ts
export function old() {}
== use.ts
import { fresh } from './lib';
import { later } from './more';

export function main() {
  fresh();
  later();
}
",
    );
    assert_eq!(checkout.callees("main"), [""; 0]);
    checkout.project.write(
        "lib.ts",
        "export function old() {}\nexport function fresh() {}\n",
    );
    assert_eq!(checkout.callers("fresh"), ["use.ts main [exact]"]);
    checkout
        .project
        .write("more.ts", "export function later() {}\n");
    refresh(&checkout.index);
    assert_eq!(checkout.callers("later"), ["use.ts main [exact]"]);
}

#[test]
fn case_25_a_cycle_of_the_same_edits_ends_where_it_began() {
    let checkout = pair();
    let edges = || checkout.index.graph().edges().len();
    let before = edges();
    for _ in 0..10 {
        checkout.project.write("lib.py", "def other():\n    pass\n");
        refresh(&checkout.index);
        checkout.project.write("lib.py", CALLED);
        refresh(&checkout.index);
        assert_eq!(edges(), before);
    }
}

#[test]
fn case_26_an_open_index_sees_what_another_process_made_anew() {
    let checkout = pair();
    fs::remove_dir_all(checkout.project.cache()).unwrap();
    checkout.project.write(
        "use.py",
        "from lib import helper\n\ndef renamed():\n    helper()\n",
    );
    let other = checkout.project.open();
    refresh(&other);
    assert_eq!(checkout.callers("helper"), ["use.py renamed [exact]"]);
    let answer = ask(&checkout.project, &other, |inquiry| {
        inquiry.callers(&CallRequest::named("helper"))
    });
    assert_eq!(group(&answer, "callers"), ["use.py renamed [exact]"]);
}

#[test]
fn case_27_what_the_index_writes_is_no_change() {
    let project = Project::new(&[("a.py", CALLED)]);
    let config = IndexConfig {
        cache: Cache::Folder(project.root().join(".cache")),
        ..IndexConfig::default()
    };
    let index = project.open_with(config.clone());
    let first = refresh(&index).generation;
    for _ in 0..3 {
        let again = refresh(&index);
        assert_eq!((again.generation, again.parsed), (first, 0));
        let opened = refresh(&project.open_with(config.clone()));
        assert_eq!((opened.generation, opened.parsed), (first, 0));
    }
    let ours = index.graph();
    let paths: Vec<&str> = ours.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a.py"]);
}

#[test]
fn case_28_the_work_of_an_edit_does_not_grow_with_the_checkout() {
    let project = Project::new(&[]);
    for number in 0..60 {
        project.write(
            &format!("m{number}.py"),
            format!("def f{number}():\n    return g{number}()\n\ndef g{number}(): pass\n"),
        );
    }
    let index = project.open();
    refresh(&index);
    project.write("m7.py", "def f7():\n    return 7\n");
    let refreshed = refresh(&index);
    assert_eq!((refreshed.parsed, refreshed.relinked), (1, 1));
}

#[test]
fn case_29_a_pull_is_seen_whatever_version_control_says() {
    let checkout = pair();
    let project = &checkout.project;
    git(project, &["init", "-q"]);
    git(project, &["add", "."]);
    git(project, &["commit", "-qm", "one"]);
    refresh(&checkout.index);
    project.write(
        "lib.py",
        "def helper():\n    return 2\n\ndef more(): pass\n",
    );
    git(project, &["commit", "-qam", "two"]);
    assert_eq!(checkout.callers("more"), [""; 0]);
    let asked = CallRequest::named("more");
    // Back to the first: nothing is uncommitted, and yet all is different.
    git(project, &["reset", "-q", "--hard", "HEAD~1"]);
    let answer = checkout.ask(|inquiry| inquiry.callers(&asked));
    assert_eq!(answer.outcome, Outcome::NotFound, "{answer}");
}

#[test]
fn case_29_a_file_of_the_same_length_and_time_is_seen() {
    let checkout = Checkout::of("== a.py\ndef one(): pass\n");
    let path = checkout.project.root().join("a.py");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    checkout.project.write("a.py", "def two(): pass\n");
    let file = fs::File::options().append(true).open(&path).unwrap();
    file.set_modified(time).unwrap();
    refresh(&checkout.index);
    assert_eq!(checkout.index.graph().named("two").len(), 1);
}

#[test]
fn case_30_what_another_version_kept_is_made_again() {
    let checkout = pair();
    let snapshot = checkout.project.cached_with("snapshot").remove(0);
    let whole = fs::read(&snapshot).unwrap();
    // Somewhere among the first bytes stands what made it.
    for at in 0..48 {
        let mut other = whole.clone();
        other[at] ^= 0x55;
        fs::write(&snapshot, &other).unwrap();
        let opened = checkout.project.open();
        assert_eq!(opened.generation(), 0, "byte {at} of the head is another");
        refresh(&opened);
        assert_eq!(opened.dump().unwrap(), checkout.index.dump().unwrap());
    }
}

#[test]
fn case_31_a_work_tree_inside_of_another_has_its_own_answers() {
    let checkout = pair();
    let project = &checkout.project;
    git(project, &["init", "-q"]);
    git(project, &["add", "."]);
    git(project, &["commit", "-qm", "one"]);
    git(project, &["worktree", "add", "-q", "trees/side"]);
    let side = project.root().join("trees/side");
    fs::write(
        side.join("use.py"),
        "from lib import helper\n\ndef side():\n    helper()\n",
    )
    .unwrap();
    let found = WorkTree::discover(side.join("use.py").parent().unwrap()).unwrap();
    assert_eq!(found.root(), fs::canonicalize(&side).unwrap());
    let index = Index::open(&found, project.config());
    refresh(&index);
    let graph = index.graph();
    assert_eq!(
        (graph.named("side").len(), graph.named("main").len()),
        (1, 0)
    );
    refresh(&checkout.index);
    assert_eq!(checkout.callers("helper"), ["use.py main [exact]"]);
}

#[test]
fn case_32_another_branch_costs_the_files_that_differ() {
    let checkout = pair();
    let project = &checkout.project;
    git(project, &["init", "-q", "-b", "one"]);
    git(project, &["add", "."]);
    git(project, &["commit", "-qm", "one"]);
    git(project, &["checkout", "-q", "-b", "two"]);
    project.write("lib.py", "def helper():\n    return 3\n\ndef two(): pass\n");
    git(project, &["commit", "-qam", "two"]);
    assert_eq!(refresh(&checkout.index).parsed, 1);
    for branch in ["one", "two", "one"] {
        git(project, &["checkout", "-q", branch]);
        assert_eq!(refresh(&checkout.index).parsed, 0, "back on {branch}");
        assert_eq!(checkout.index.dump().unwrap(), project.dump_anew());
    }
}

#[test]
fn case_33_uses_of_a_type_are_found_without_a_server_and_through_another_name() {
    let checkout = Checkout::of(
        "\
== src/shape.ts
export interface Shape {
  area(): number;
}
== src/index.ts
export { Shape as Form } from './shape';
== src/use.ts
import { Form } from './index';

export function total(forms: Form[]): number {
  return forms.reduce((sum, form) => sum + form.area(), 0);
}
",
    );
    let answer = checkout.ask(|inquiry| inquiry.references(&CallRequest::named("Shape")));
    let users = group(&answer, "users");
    assert!(
        users.contains(&"src/use.ts total [exact]".to_owned()),
        "{answer}"
    );
    let callers = checkout.callers("Shape.area");
    assert_eq!(callers.len(), 1, "{callers:?}");
    assert!(callers[0].starts_with("src/use.ts total"), "{callers:?}");
}
