//! The rounds of `testkit/scenarios` as an agent meets them: through a conversation, with its ledger.

use std::collections::BTreeMap;

use fourfold::{LspAction, LspRequest, ResolveRequest, RewriteRequest, Verdict, VerdictState};
use fourfold_testkit::{Scenario, Seen, Write, servers};

use super::PYTHON;
use crate::served::Served;

macro_rules! rounds {
    ($($name:ident: $story:literal by $server:literal;)+) => {
        $(#[test]
        fn $name() {
            tell($story, $server);
        })+
    };
}

rounds! {
    of_rust: "round-rust" by "rust-analyzer";
    of_python: "round-python" by "pyright";
    of_python_based: "round-python" by "basedpyright";
    of_typescript: "round-typescript" by "typescript";
    of_go: "round-go" by "gopls";
    of_cpp: "round-cpp" by "clangd";
    of_bash: "round-bash" by "bash";
    of_json: "round-json" by "json";
}

fn tell(story: &str, server: &str) {
    let scenario = Scenario::named(story);
    let served = Served::real_in(scenario.project(), servers::known(server).1);
    let written = scenario.write.iter().map(|write| &write.file).take(1);
    for file in scenario.open.iter().chain(written) {
        let about = LspRequest::about(LspAction::Diagnostics, file.as_str());
        let known = served.lsp(&about);
        assert!(
            known.unconfirmed.is_empty(),
            "{file}: {:?}",
            known.unconfirmed
        );
    }
    let mut open = BTreeMap::new();
    for (index, write) in scenario.write.iter().enumerate() {
        let before = served.conversation().before_write([&write.file]).unwrap();
        let (_, text) = write.apply(&served.project);
        let verdict = served.conversation().after_write(before).unwrap();
        let mut wrong = judge(server, write, &verdict, &text);
        keep_count(&mut open, &verdict);
        // What was told of it is taken back.
        let well = write.well_again.iter();
        let ill = well.filter(|file| open.get(*file).is_some_and(|errors| *errors > 0));
        wrong.extend(ill.map(|file| format!("{file} is well again: {open:?}")));
        assert!(
            wrong.is_empty(),
            "{}\nwrite {}: {}\n{verdict}",
            scenario.about,
            index + 1,
            wrong.join("\n")
        );
    }
    served.close();
}

/// The errors of each file that were told and not taken back.
fn keep_count(open: &mut BTreeMap<String, u32>, verdict: &Verdict) {
    let new = verdict.new.iter().filter(|one| one.severity == "error");
    for one in new {
        *open.entry(one.path.clone()).or_default() += 1;
    }
    let fixed = verdict.fixed.iter().filter(|one| one.severity == "error");
    for one in fixed {
        let errors = open.entry(one.path.clone()).or_default();
        *errors = errors.saturating_sub(one.count);
    }
}

/// What is wrong with a verdict.
fn judge(server: &str, write: &Write, verdict: &Verdict, text: &str) -> Vec<String> {
    let mut new: BTreeMap<String, Vec<Seen>> = BTreeMap::new();
    for problem in &verdict.new {
        new.entry(problem.path.clone()).or_default().push(Seen {
            severity: problem.severity.clone(),
            code: problem.code.clone(),
            message: problem.message.clone(),
            line: problem.line - 1,
            column: problem.column - 1,
        });
    }
    let own = verdict.fixed.iter().filter(|one| one.path == write.file);
    let gone: Vec<Seen> = own
        .flat_map(|one| {
            let seen = Seen {
                severity: one.severity.clone(),
                code: one.code.clone(),
                message: one.message.clone(),
                line: 0,
                column: 0,
            };
            std::iter::repeat_n(seen, one.count as usize)
        })
        .collect();
    let here = new.remove(&write.file).unwrap_or_default();
    let mut wrong = write.judge(server, &here, &gone, text);
    let state = match verdict.new.is_empty() {
        true => VerdictState::Clean,
        false => VerdictState::Problems,
    };
    if verdict.state != state {
        wrong.push(format!("it is {state:?}"));
    }
    let unexpected = new
        .keys()
        .filter(|path| !write.elsewhere.contains_key(*path));
    wrong.extend(unexpected.map(|path| format!("{path} has nothing new")));
    for file in &write.well_again {
        // That is all that is to be said of it here.
        new.entry(file.clone()).or_default();
    }
    wrong.extend(write.judge_elsewhere(&new));
    wrong
}

/// What is applied from a stage is answered as what is written.
#[test]
fn what_a_resolve_breaks_and_mends_is_told() {
    let served = Served::real(PYTHON, servers::known("pyright").1);
    served.lsp(&LspRequest::about(LspAction::Diagnostics, "main.py"));
    let apply = |pattern: &str, template: &str| {
        let request = RewriteRequest::new(pattern, template);
        let staged = served.conversation().rewrite(&request, &Default::default());
        let id = staged.unwrap().stage.unwrap();
        let applied = served.conversation().resolve(&ResolveRequest::apply(id));
        applied.unwrap().verdict.unwrap()
    };
    let broken = apply("print($X)", "print(total($X))");
    assert_eq!(broken.state, VerdictState::Problems, "{broken}");
    let told = broken.new.iter().map(|one| (one.path.as_str(), one.line));
    assert_eq!(told.collect::<Vec<_>>(), [("main.py", 3)], "{broken}");
    let mended = apply("print(total(total($X)))", "print(total($X))");
    assert_eq!(mended.state, VerdictState::Clean, "{mended}");
    let told = mended
        .fixed
        .iter()
        .map(|one| (one.path.as_str(), one.count));
    assert_eq!(told.collect::<Vec<_>>(), [("main.py", 1)], "{mended}");
    served.close();
}
