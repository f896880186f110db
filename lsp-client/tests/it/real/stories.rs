//! The stories of `testkit/scenarios`, told by the servers that they name.

use std::collections::BTreeMap;

use fourfold_testkit::Scenario;

use super::desk::{Desk, write};

/// Each story, with the servers that tell it; several in one word tell it together. A test each, so
/// that a failure names both.
macro_rules! stories {
    ($($name:ident: $story:literal by $($server:literal)+;)+) => {
        $(#[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            tell($story, &[$($server),+]).await;
        })+

        #[test]
        fn none_is_left_out() {
            let mut told = vec![$(($story, vec![$($server),+])),+];
            let mut known = Vec::new();
            let names = Scenario::names();
            let scenarios: Vec<_> = names.iter().map(|name| Scenario::named(name)).collect();
            for (name, scenario) in names.iter().zip(&scenarios) {
                let servers: Vec<_> = scenario.servers.iter().map(String::as_str).collect();
                if scenario.together {
                    known.push((name.as_str(), servers));
                } else {
                    known.extend(servers.iter().map(|server| (name.as_str(), vec![*server])));
                }
            }
            told.sort();
            known.sort();
            assert_eq!(told, known);
        }
    };
}

stories! {
    rust_type_mismatch: "rust-type-mismatch" by "rust-analyzer";
    rust_borrow_after_save: "rust-borrow-after-save" by "rust-analyzer";
    rust_round: "round-rust" by "rust-analyzer";
    python_old_error_moves: "python-old-error-moves" by "pyright";
    python_old_error_moves_based: "python-old-error-moves" by "basedpyright";
    python_import_of_a_new_file: "python-import-of-a-new-file" by "pyright";
    python_import_of_a_new_file_based: "python-import-of-a-new-file" by "basedpyright";
    python_two_servers: "python-two-servers" by "pyright" "ruff";
    python_round: "round-python" by "pyright";
    python_round_based: "round-python" by "basedpyright";
    python_round_of_the_linter: "round-python-linter" by "ruff";
    typescript_clean_stays_clean: "typescript-clean-stays-clean" by "typescript";
    typescript_edit_misses_a_re_export: "typescript-edit-misses-a-re-export" by "typescript";
    typescript_round: "round-typescript" by "typescript";
    go_unused_and_undefined: "go-unused-and-undefined" by "gopls";
    go_round: "round-go" by "gopls";
    cpp_column_after_emoji: "cpp-column-after-emoji" by "clangd";
    cpp_round: "round-cpp" by "clangd";
    bash_shellcheck: "bash-shellcheck" by "bash";
    bash_round: "round-bash" by "bash";
    json_schema: "json-schema" by "json";
    json_round: "round-json" by "json";
}

async fn tell(story: &str, names: &[&str]) {
    let scenario = Scenario::named(story);
    let desk = Desk::new(scenario.project(), names);
    let mut servers = BTreeMap::new();
    for name in names {
        let server = desk.server(name, &scenario.write[0].file).await;
        for file in &scenario.open {
            server.look_at(file).await;
        }
        servers.insert((*name).to_owned(), server);
    }
    let mut wrong = Vec::new();
    for (index, step) in scenario.write.iter().enumerate() {
        for what in write(&servers, &desk.project, step).await {
            wrong.push(format!("write {}: {what}", index + 1));
        }
    }
    drop(servers);
    desk.close().await;
    assert!(wrong.is_empty(), "{}\n{}", scenario.about, wrong.join("\n"));
}
