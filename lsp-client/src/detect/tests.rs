//! Checkouts, search paths and programs, and what is found there.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use expect_test::{Expect, expect};
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::catalog::ServersConfig;

/// A checkout, two folders of a search path, and nothing else in the world.
struct World {
    base: TempDir,
}

impl World {
    fn new(files: &[&str]) -> Self {
        let base = TempDir::new().unwrap();
        for folder in ["checkout", "first", "second"] {
            fs::create_dir(base.path().join(folder)).unwrap();
        }
        let world = Self { base };
        for file in files {
            world.file(&format!("checkout/{file}"), "");
        }
        world
    }

    fn at(&self, path: &str) -> PathBuf {
        self.base.path().canonicalize().unwrap().join(path)
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A program that tells on us when it is run.
    fn program(&self, path: &str) {
        let told = self.at("was-run");
        self.script(path, &format!(": > '{}'", told.display()));
    }

    /// A program that runs this, without anything on its search path.
    fn script(&self, path: &str, script: &str) {
        self.file(path, &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn config(&self) -> DetectConfig {
        let mut config = DetectConfig::new(self.at("state"));
        config.search_path = env::join_paths([self.at("first"), self.at("second")]).unwrap();
        config.guard = Guard::None;
        config
    }

    fn detector(&self, trust: Trust) -> Detector {
        self.detector_of(Catalog::built_in(), trust, self.config())
    }

    fn detector_of(&self, catalog: Catalog, trust: Trust, config: DetectConfig) -> Detector {
        Detector::new(catalog, &self.at("checkout"), trust, config).unwrap()
    }

    /// Every server of a file, a line each, without the folder of the test.
    async fn lines(&self, detector: &Detector, file: &str) -> String {
        let found = detector.detect(Path::new(file)).await;
        self.plain(found.iter().map(ToString::to_string))
    }

    fn plain(&self, lines: impl Iterator<Item = String>) -> String {
        let base = self.at("").display().to_string();
        lines.map(|line| line.replace(&base, "") + "\n").collect()
    }

    async fn check(&self, detector: &Detector, file: &str, expected: Expect) {
        expected.assert_eq(&self.lines(detector, file).await);
        assert!(!self.at("was-run").exists(), "a server was started");
    }
}

fn failure(what: &str, last_words: &[&str]) -> Failure {
    Failure {
        what: what.to_owned(),
        last_words: last_words.iter().map(ToString::to_string).collect(),
    }
}

/// The usable server of a file.
async fn usable(detector: &Detector, file: &str) -> Option<Launchable> {
    let found = detector.detect(Path::new(file)).await;
    found.iter().find_map(Detection::launchable).cloned()
}

#[tokio::test]
async fn the_marker_alone_and_the_program_alone_are_not_enough() {
    let world = World::new(&["go.mod"]);
    let detector = world.detector(Trust::Trusted);
    world.check(&detector, "main.go", expect![[r#"
        gopls in checkout: there is no gopls in node_modules/.bin, .venv/bin, venv/bin or vendor/bin of the project, nor in the 2 folders of the search path; to install it: go install golang.org/x/tools/gopls@latest (Debian: apt-get install gopls)
    "#]]).await;
    world.program("second/gopls");
    world
        .check(
            &detector,
            "main.go",
            expect![[r#"
        gopls in checkout: can be used: second/gopls
    "#]],
        )
        .await;
    fs::remove_file(world.at("checkout/go.mod")).unwrap();
    world
        .check(
            &detector,
            "main.go",
            expect![[r#"
        gopls: no folder from the file up to the checkout's root has go.work or go.mod
    "#]],
        )
        .await;
}

#[tokio::test]
async fn a_relative_entry_of_the_search_path_is_passed_over() {
    let world = World::new(&["go.mod"]);
    world.program("checkout/bin/gopls");
    let mut config = world.config();
    config.search_path = ":bin:../checkout/bin".into();
    let detector = world.detector_of(Catalog::built_in(), Trust::Trusted, config);
    assert_eq!(usable(&detector, "main.go").await, None);
}

#[tokio::test]
async fn what_the_checkout_chooses_runs_only_in_a_trusted_one() {
    let world = World::new(&["pyproject.toml", "deep/pyproject.toml"]);
    world.program("checkout/.venv/bin/pyright-langserver");
    let detector = world.detector(Trust::Untrusted);
    world.check(&detector, "deep/a.py", expect![[r#"
        pyright in checkout/deep: found checkout/.venv/bin/pyright-langserver, which this checkout chooses and which runs only in a trusted one: `fourfold trust`
        ty in checkout/deep: there is no ty in node_modules/.bin, .venv/bin, venv/bin or vendor/bin of the project, nor in the 2 folders of the search path; to install it: pip install ty
        ruff in checkout/deep: there is no ruff in node_modules/.bin, .venv/bin, venv/bin or vendor/bin of the project, nor in the 2 folders of the search path; to install it: pip install ruff
    "#]]).await;
    // Something of the user's own is used meanwhile.
    world.program("first/basedpyright-langserver");
    world.check(&detector, "deep/a.py", expect![[r#"
        pyright in checkout/deep: can be used: first/basedpyright-langserver; passed over: checkout/.venv/bin/pyright-langserver runs only in a trusted checkout: `fourfold trust`
        ty in checkout/deep: there is no ty in node_modules/.bin, .venv/bin, venv/bin or vendor/bin of the project, nor in the 2 folders of the search path; to install it: pip install ty
        ruff in checkout/deep: there is no ruff in node_modules/.bin, .venv/bin, venv/bin or vendor/bin of the project, nor in the 2 folders of the search path; to install it: pip install ruff
    "#]]).await;
    // The project's own copy comes first, though another program is preferred.
    detector.set_trust(Trust::Trusted);
    world.check(&detector, "deep/a.py", expect![[r#"
        pyright in checkout/deep: can be used: checkout/.venv/bin/pyright-langserver
        ty in checkout/deep: there is no ty in node_modules/.bin, .venv/bin, venv/bin or vendor/bin of the project, nor in the 2 folders of the search path; to install it: pip install ty
        ruff in checkout/deep: there is no ruff in node_modules/.bin, .venv/bin, venv/bin or vendor/bin of the project, nor in the 2 folders of the search path; to install it: pip install ruff
    "#]]).await;
}

#[tokio::test]
async fn a_link_on_the_search_path_does_not_hide_the_checkout() {
    let world = World::new(&["go.mod"]);
    world.program("checkout/tools/gopls");
    symlink("../checkout/tools/gopls", world.at("first/gopls")).unwrap();
    let detector = world.detector(Trust::Untrusted);
    world.check(&detector, "main.go", expect![[r#"
        gopls in checkout: found first/gopls, which this checkout chooses and which runs only in a trusted one: `fourfold trust`
    "#]]).await;
}

#[tokio::test]
async fn the_checkouts_own_configuration_needs_trust() {
    let config: ServersConfig = toml::from_str(
        "[gopls]\nsettings = { gopls = { env = { GOFLAGS = \"-toolexec=evil\" } } }\n\
         [own]\ncommand = [\"tools/own\", \"--log\", \"{state}/log\"]\nextensions = [\"own\"]\n\
         [ruff]\nenabled = false\n",
    )
    .unwrap();
    let catalog = Catalog::built_in()
        .configured(&config, Origin::Checkout)
        .unwrap();
    let world = World::new(&["go.mod", "ruff.toml"]);
    world.program("first/gopls");
    world.program("first/ruff");
    world.program("checkout/tools/own");
    let detector = world.detector_of(catalog, Trust::Untrusted, world.config());
    world.check(&detector, "main.go", expect![[r#"
        gopls in checkout: this checkout decides what it runs, which needs a trusted one: `fourfold trust`
    "#]]).await;
    world.check(&detector, "a.own", expect![[r#"
        own in checkout: this checkout decides what it runs, which needs a trusted one: `fourfold trust`
    "#]]).await;
    detector.set_trust(Trust::Trusted);
    let own = usable(&detector, "a.own").await.unwrap();
    assert_eq!(own.program, world.at("checkout/tools/own"));
    assert_eq!(own.args, ["--log", &format!("{}/log", own.state.display())]);
    let found = detector.detect(Path::new("a.py")).await;
    assert_eq!(
        found.last().unwrap().availability,
        Availability::Disabled {
            by: Origin::Checkout
        }
    );
}

#[tokio::test]
async fn a_rustup_proxy_with_nothing_behind_it_is_passed_over() {
    let world = World::new(&["Cargo.toml"]);
    let asked = world.at("asked");
    world.script(
        "first/rustup",
        &format!(
            "echo \"$1 in $(pwd) $RUSTUP_AUTO_INSTALL\" >> '{}'\n\
             echo banner\necho \"error: unknown binary 'rust-analyzer'\" >&2\nexit 1",
            asked.display()
        ),
    );
    symlink("rustup", world.at("first/rust-analyzer")).unwrap();
    world.program("second/rust-analyzer");
    let detector = world.detector(Trust::Trusted);
    let asks = || fs::read_to_string(&asked).unwrap().lines().count();
    world.check(&detector, "src/lib.rs", expect![[r#"
        rust-analyzer in checkout: can be used: second/rust-analyzer; passed over: first/rust-analyzer is a name that rustup has nothing under (asked for its version: exit code 1: error: unknown binary 'rust-analyzer')
    "#]]).await;
    assert_eq!(
        fs::read_to_string(&asked).unwrap(),
        format!("--version in {} 0\n", world.at("checkout").display())
    );
    usable(&detector, "src/main.rs").await.unwrap();
    assert_eq!(asks(), 1, "known already");

    world.file("checkout/rust-toolchain", "nightly");
    usable(&detector, "src/main.rs").await.unwrap();
    assert_eq!(asks(), 2, "another toolchain, another answer");
    detector.forget_failures(None);
    usable(&detector, "src/main.rs").await.unwrap();
    assert_eq!(asks(), 3, "asked to look again");

    world.script("first/rustup", "exit 0");
    let launchable = usable(&detector, "src/main.rs").await.unwrap();
    assert_eq!(launchable.program, world.at("first/rust-analyzer"));
}

#[tokio::test]
async fn a_proxy_that_hangs_costs_its_limit_only() {
    let world = World::new(&["Cargo.toml"]);
    world.script("first/rustup", "/bin/sleep 60");
    symlink("rustup", world.at("first/rust-analyzer")).unwrap();
    let mut config = world.config();
    config.proof = Duration::from_millis(50);
    config.proof_again = Duration::ZERO;
    let detector = world.detector_of(Catalog::built_in(), Trust::Trusted, config);
    world.check(&detector, "src/lib.rs", expect![[r#"
        rust-analyzer in checkout: what was found cannot be used: first/rust-analyzer is a name that rustup has nothing under (asked for its version: no answer within 0.05 s); to install it: rustup component add rust-analyzer (Debian: apt-get install --no-install-recommends rust-web-analyzer)
    "#]]).await;
    // Not its fault, or installed since: it is asked again.
    world.script("first/rustup", "echo 1.0");
    assert!(usable(&detector, "src/lib.rs").await.is_some());
}

#[tokio::test]
async fn what_lies_beside_rustup_is_no_proxy() {
    let world = World::new(&["Cargo.toml", "tombi.toml"]);
    world.script("first/rustup", "exit 1");
    world.program("first/tombi");
    fs::hard_link(world.at("first/rustup"), world.at("first/rust-analyzer")).unwrap();
    let detector = world.detector(Trust::Trusted);
    let tombi = usable(&detector, "Cargo.toml").await.unwrap();
    assert_eq!(tombi.program, world.at("first/tombi"));
    assert_eq!(usable(&detector, "src/lib.rs").await, None);
    assert!(!world.at("was-run").exists());
}

#[tokio::test]
async fn a_failed_start_is_remembered_until_something_changes() {
    let world = World::new(&["pyproject.toml"]);
    world.program("first/basedpyright-langserver");
    world.program("second/pyright-langserver");
    world.program("second/ty");
    let detector = world.detector(Trust::Trusted);
    let first = usable(&detector, "a.py").await.unwrap();
    detector.remember_failure(&first, failure("exit code 127", &["env: node: not found"]));
    let second = usable(&detector, "a.py").await.unwrap();
    assert_eq!(second.program, world.at("second/pyright-langserver"));
    detector.remember_failure(&second, failure("exit code 1", &[]));
    world.check(&detector, "a.py", expect![[r#"
        pyright in checkout: what was found cannot be used: first/basedpyright-langserver did not start the last time (exit code 127: env: node: not found); it is tried again when it has changed, or after a reload; second/pyright-langserver did not start the last time (exit code 1); it is tried again when it has changed, or after a reload
        ty in checkout: can be used: second/ty
        ruff in checkout: there is no ruff in node_modules/.bin, .venv/bin, venv/bin or vendor/bin of the project, nor in the 2 folders of the search path; to install it: pip install ruff
    "#]]).await;

    // Installed again: another file under the same name.
    fs::remove_file(world.at("second/pyright-langserver")).unwrap();
    world.program("second/pyright-langserver");
    let again = usable(&detector, "a.py").await.unwrap();
    assert_eq!(again.program, second.program);
    detector.remember_failure(&again, failure("exit code 1", &[]));
    // A file that chooses versions appeared.
    world.file("checkout/.tool-versions", "nodejs 22");
    assert_eq!(
        usable(&detector, "a.py").await.unwrap().program,
        first.program
    );
    detector.remember_failure(&first, failure("exit code 127", &[]));
    detector.forget_failures(Some("ruff"));
    assert_ne!(
        usable(&detector, "a.py").await.unwrap().program,
        first.program
    );
    detector.forget_failures(Some("pyright"));
    assert_eq!(
        usable(&detector, "a.py").await.unwrap().program,
        first.program
    );
}

#[tokio::test]
async fn a_second_program_may_be_needed() {
    let world = World::new(&[]);
    world.program("first/bash-language-server");
    let detector = world.detector(Trust::Trusted);
    world.check(&detector, "run.sh", expect![[r#"
        bash in checkout: what was found cannot be used: first/bash-language-server needs shellcheck, which is not on the search path (all its diagnostics come from shellcheck: apt-get install shellcheck)
    "#]]).await;
    world.program("second/shellcheck");
    assert!(usable(&detector, "run.sh").await.is_some());
}

#[tokio::test]
async fn the_version_of_a_package_decides_which_server_serves() {
    let world = World::new(&["package-lock.json", "eslint.config.js"]);
    world.program("checkout/node_modules/.bin/tsc");
    world.program("first/typescript-language-server");
    world.program("first/vscode-eslint-language-server");
    let typescript = |version: &str| {
        world.file(
            "checkout/node_modules/typescript/package.json",
            &format!("{{\"version\": \"{version}\"}}"),
        );
    };
    let detector = world.detector(Trust::Trusted);
    typescript("5.9.3");
    world.check(&detector, "web/a.ts", expect![[r#"
        typescript-native in checkout: what was found cannot be used: checkout/node_modules/.bin/tsc needs version 7 or later of typescript; the project has 5: checkout/node_modules/typescript
        typescript in checkout: can be used: first/typescript-language-server
        deno: no folder from the file up to the checkout's root has deno.json, deno.jsonc or deno.lock
        eslint in checkout: what was found cannot be used: first/vscode-eslint-language-server needs the package eslint in the project, which no node_modules has; install the project's packages
        biome: no folder from the file up to the checkout's root has biome.json or biome.jsonc
        oxlint: no folder from the file up to the checkout's root has .oxlintrc.json
    "#]]).await;
    typescript("7.0.2");
    world.check(&detector, "web/a.ts", expect![[r#"
        typescript-native in checkout: can be used: checkout/node_modules/.bin/tsc
        typescript in checkout: what was found cannot be used: first/typescript-language-server needs a version of typescript before 7; the project has 7: checkout/node_modules/typescript
        deno: no folder from the file up to the checkout's root has deno.json, deno.jsonc or deno.lock
        eslint in checkout: what was found cannot be used: first/vscode-eslint-language-server needs the package eslint in the project, which no node_modules has; install the project's packages
        biome: no folder from the file up to the checkout's root has biome.json or biome.jsonc
        oxlint: no folder from the file up to the checkout's root has .oxlintrc.json
    "#]]).await;
}

#[tokio::test]
async fn settings_know_the_root() {
    let world = World::new(&["pyproject.toml", "pom.xml"]);
    world.program("first/basedpyright-langserver");
    world.program("first/jdtls");
    world.program("checkout/venv/bin/python");
    let detector = world.detector(Trust::Untrusted);
    let python = |launchable: Launchable| launchable.settings["python"].clone();
    assert_eq!(
        python(usable(&detector, "a.py").await.unwrap()),
        json!({ "analysis": { "diagnosticMode": "openFilesOnly", "autoSearchPaths": true } })
    );
    detector.set_trust(Trust::Trusted);
    assert_eq!(
        python(usable(&detector, "a.py").await.unwrap()),
        json!({
            "pythonPath": world.at("checkout/venv/bin/python"),
            "analysis": { "diagnosticMode": "openFilesOnly", "autoSearchPaths": true },
        })
    );
    let jdtls = usable(&detector, "src/A.java").await.unwrap();
    assert_eq!(jdtls.args, ["-data", jdtls.state.to_str().unwrap()]);
    assert!(jdtls.state.starts_with(world.at("state/jdtls")));
}

#[tokio::test]
async fn a_survey_takes_together_what_is_the_same() {
    let world = World::new(&["a/Cargo.toml", "b/Cargo.toml"]);
    world.program("first/rust-analyzer");
    world.program("first/bash-language-server");
    let detector = world.detector(Trust::Trusted);
    let files = [
        "a/src/lib.rs",
        "a/src/x.rs",
        "b/src/lib.rs",
        "loose.rs",
        "a/run.sh",
        "b/run.sh",
        "notes.txt",
        "main.go",
    ];
    let survey = detector.survey(files.map(PathBuf::from)).await;
    assert_eq!((survey.files, survey.left_out), (7, 0));
    let lines = survey.found.iter().map(|surveyed| {
        format!(
            "{} {} {}",
            surveyed.files,
            surveyed.example.display(),
            surveyed.detection
        )
    });
    expect![[r#"
        1 loose.rs rust-analyzer: no folder from the file up to the checkout's root has Cargo.toml or rust-project.json
        2 a/src/lib.rs rust-analyzer in checkout/a: can be used: first/rust-analyzer
        1 b/src/lib.rs rust-analyzer in checkout/b: can be used: first/rust-analyzer
        1 main.go gopls: no folder from the file up to the checkout's root has go.work or go.mod
        2 a/run.sh bash in checkout: what was found cannot be used: first/bash-language-server needs shellcheck, which is not on the search path (all its diagnostics come from shellcheck: apt-get install shellcheck)
    "#]].assert_eq(&world.plain(lines));

    let mut config = world.config();
    config.survey_roots = 2;
    let detector = world.detector_of(Catalog::built_in(), Trust::Trusted, config);
    let survey = detector.survey(files.map(PathBuf::from)).await;
    assert_eq!((survey.found.len(), survey.left_out), (2, 4));
    assert!(!world.at("was-run").exists());
}
