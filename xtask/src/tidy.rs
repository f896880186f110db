//! The small rules of the house that no compiler knows.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::members::Member;
use crate::run::{Shell, output};

/// A source file longer than this is two files.
const MAX_LINES: usize = 900;

/// Folders of a developer's machine; text that names them is of use to nobody else.
const MACHINE_FOLDERS: &[&str] = &["/home/", "/root/", "/Users/", "/work/"];

/// Written in two parts, so that this file does not hold them.
const UNFINISHED: &[(&str, &str)] = &[
    (
        concat!("#[", "ignore"),
        "a test that does not run proves nothing",
    ),
    (concat!("todo", "!("), "unfinished code is not committed"),
    (
        concat!("unimplemented", "!("),
        "unfinished code is not committed",
    ),
];

/// Everything untidy, one line each.
pub(crate) fn untidy(shell: &Shell, members: &[Member]) -> Result<Vec<String>> {
    let mut found: Vec<String> = ["LICENSE-MIT", "LICENSE-APACHE"]
        .into_iter()
        .filter(|name| !shell.root().join(name).is_file())
        .map(|name| format!("{name}: missing"))
        .collect();
    for member in members {
        found.extend(untidy_member(member));
    }
    let listing = "ls-files --cached --others --exclude-standard -z";
    let files = output(shell.command("git").args(listing.split(' ')))?;
    for path in files.split_terminator('\0') {
        let on_disk = shell.root().join(path);
        // Deleted but not yet committed, or a link, or data that is no text.
        if !on_disk.is_file() || !is_ours(path) {
            continue;
        }
        let text = fs::read(&on_disk).with_context(|| format!("cannot read {path}"))?;
        match String::from_utf8(text) {
            Ok(text) => found.extend(untidy_file(path, &text)),
            Err(_) => found.push(format!("{path}: not UTF-8")),
        }
    }
    Ok(found)
}

/// Written by us to be read by people: sources, manifests, documents, scripts. Not test data.
fn is_ours(path: &str) -> bool {
    const DATA: &[&str] = &[
        "data",
        "corpus",
        "snippets",
        "cases",
        "fixtures",
        "scenarios",
        "proptest-regressions",
    ];
    let path = Path::new(path);
    if path
        .components()
        .any(|part| DATA.iter().any(|data| part.as_os_str() == *data))
    {
        return false;
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) => ["rs", "toml", "md", "sh", "scm"].contains(&extension),
        None => path.starts_with(".ci"),
    }
}

fn untidy_member(member: &Member) -> Vec<String> {
    let folder = member.folder_name();
    let mut found = Vec::new();
    let name = match folder {
        "facade" => "fourfold".to_owned(),
        "xtask" => "xtask".to_owned(),
        _ => format!("fourfold-{folder}"),
    };
    if member.name != name {
        found.push(format!(
            "{folder}: the package must be called {name}, not {}",
            member.name
        ));
    }
    let private = ["xtask", "benches", "testkit"].contains(&folder);
    if private && member.published {
        found.push(format!(
            "{folder}: private, so its manifest says `publish = false`"
        ));
    }
    if !private && !member.folder.join("README.md").is_file() {
        found.push(format!("{folder}: no README.md"));
    }
    if !private {
        let log = fs::read_to_string(member.folder.join("CHANGELOG.md")).unwrap_or_default();
        found.extend(untidy_changelog(folder, &log));
    }
    if !private && member.has_library && !member.has_example {
        found.push(format!("{folder}: no runnable example in examples/"));
    }
    let manifest = fs::read_to_string(member.folder.join("Cargo.toml")).unwrap_or_default();
    if !manifest.contains("[lints]\nworkspace = true") {
        found.push(format!(
            "{folder}: its manifest lacks `[lints] workspace = true`"
        ));
    }
    found
}

/// The changes of a crate have the form of <https://keepachangelog.com>.
fn untidy_changelog(folder: &str, log: &str) -> Vec<String> {
    const KINDS: &[&str] = &[
        "Added",
        "Changed",
        "Deprecated",
        "Removed",
        "Fixed",
        "Security",
    ];
    let mut found = Vec::new();
    if !log.starts_with("# Changelog\n") {
        found.push(format!(
            "{folder}: no CHANGELOG.md that begins with `# Changelog`"
        ));
    }
    for line in log.lines() {
        let version = line
            .strip_prefix("## ")
            .map(|heading| heading.starts_with('['));
        let kind = line.strip_prefix("### ").map(|kind| KINDS.contains(&kind));
        if version == Some(false) || kind == Some(false) {
            found.push(format!(
                "{folder}/CHANGELOG.md: `{line}`: versions are `## [VERSION]`, below them are {}",
                KINDS.join(", ")
            ));
        }
    }
    found
}

fn untidy_file(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let rust = path.ends_with(".rs");
    let is_test = Path::new(path)
        .components()
        .any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs");
    if rust && !text.starts_with("//!") {
        found.push(format!(
            "{path}:1: begins without a `//!` comment that says what it is"
        ));
    }
    let lines = text.lines().count();
    if rust && !is_test && lines > MAX_LINES {
        found.push(format!(
            "{path}: {lines} lines, more than {MAX_LINES}; split it by meaning"
        ));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        found.push(format!("{path}: the last line has no end"));
    }
    // Tests hold samples of other people's files, blanks and tabs included.
    let mut sample = is_test;
    for (index, line) in text.lines().enumerate() {
        let mut complain = |what: &str| found.push(format!("{path}:{}: {what}", index + 1));
        sample |= rust && line.trim_start().starts_with("#[cfg(test)]");
        if !sample && line.ends_with([' ', '\t', '\r']) {
            complain("blanks at the end of the line");
        }
        if rust && !sample && line.contains('\t') {
            complain("a tab; write \\t in a string");
        }
        for folder in MACHINE_FOLDERS
            .iter()
            .filter(|_| path != "xtask/src/tidy.rs")
        {
            if names_folder(line, folder) {
                complain(&format!("names `{folder}`, a folder of one machine"));
            }
        }
        for (text, why) in UNFINISHED.iter().filter(|_| rust) {
            if line.contains(text) {
                complain(&format!("`{text}`: {why}"));
            }
        }
    }
    found
}

/// Whether an absolute path in `line` begins with `folder`.
fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-/*})]~".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_eq!(untidy_file(path, text), expected);
    }

    #[test]
    fn sources_are_tidy() {
        check("a/src/lib.rs", "//! What.\nfn f() {}\n", &[]);
        check(
            "a/src/lib.rs",
            "fn f() {} \n\tx",
            &[
                "a/src/lib.rs:1: begins without a `//!` comment that says what it is",
                "a/src/lib.rs: the last line has no end",
                "a/src/lib.rs:1: blanks at the end of the line",
                "a/src/lib.rs:2: a tab; write \\t in a string",
            ],
        );
        check("a/tests/it/go.rs", "//! Go.\n\"\n\tx \n\"\n", &[]);
        check("a/src/x.rs", "//! X.\n#[cfg(test)]\n\tx \n", &[]);
        let (text, why) = UNFINISHED[1];
        let complaint = format!("a/src/x.rs:2: `{text}`: {why}");
        check("a/src/x.rs", &format!("//! X.\n{text})\n"), &[&complaint]);
    }

    #[test]
    fn changelogs_have_one_form() {
        let good = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- It.\n";
        assert!(untidy_changelog("a", good).is_empty());
        let bad = "# Changelog\n\n## 0.1.0\n\n### News\n";
        assert_eq!(untidy_changelog("a", bad).len(), 2);
        assert_eq!(untidy_changelog("a", "").len(), 1);
    }

    #[test]
    fn long_files_are_split() {
        let long = format!("//! X.\n{}", "\n".repeat(900));
        check(
            "a/src/x.rs",
            &long,
            &["a/src/x.rs: 901 lines, more than 900; split it by meaning"],
        );
        check("a/tests/it/x.rs", &long, &[]);
    }

    #[test]
    fn machine_paths_are_found_where_they_begin() {
        assert!(names_folder("see /home/me/x", "/home/"));
        assert!(names_folder("`/work/x`", "/work/"));
        assert!(!names_folder("src/work/x.rs", "/work/"));
        assert!(!names_folder("https://example.org/home/x", "/home/"));
    }

    #[test]
    fn test_data_is_not_ours() {
        assert!(is_ours("a/src/lib.rs") && is_ours(".ci/run") && is_ours("README.md"));
        assert!(!is_ours("a/tests/cases/x.md") && !is_ours("a/fuzz/corpus/f/x.rs"));
        assert!(!is_ours("Cargo.lock"));
    }
}
