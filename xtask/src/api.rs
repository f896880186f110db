//! `cargo xtask api` and `lint api`: what each published library offers by name, kept in its
//! `api.txt`, so that nothing that others use goes unnoticed.
//!
//! It is read from the pages that `cargo doc` has written: their anchors are what others link to, so
//! they are as stable as names are, and stable Rust makes them. Types of arguments and results are
//! not compared; `cargo semver-checks` does that before a release, which takes minutes and needs its
//! own installation.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::members::{Member, members};
use crate::run::{Shell, run};

/// The file beside a `Cargo.toml`.
const FILE: &str = "api.txt";

/// The kinds of members, as their anchors begin.
const MEMBERS: &[&str] = &[
    "associatedconstant",
    "associatedtype",
    "method",
    "structfield",
    "tymethod",
    "variant",
];

/// What is derived, not written; and where a page begins to tell of others.
const ENDS: &[&str] = &[
    "id=\"trait-implementations\"",
    "id=\"synthetic-implementations\"",
    "id=\"blanket-implementations\"",
    "id=\"foreign-impls\"",
    "id=\"implementors\"",
    "id=\"deref-methods",
];

/// Writes every `api.txt` anew.
pub(crate) fn write(shell: &Shell) -> Result<()> {
    run(&mut shell.cargo("doc --workspace --no-deps --locked"))?;
    for member in published(&members(shell)?) {
        let file = member.folder.join(FILE);
        fs::write(&file, text(&offered(shell, member)?))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// What was offered and is not any more, one line each; `cargo doc` has to have run.
pub(crate) fn gone(shell: &Shell, members: &[Member]) -> Result<Vec<String>> {
    compared(shell, members, |_, lost| lost)
}

/// What `api.txt` says that is not so, or does not say, one line each.
pub(crate) fn drift(shell: &Shell, members: &[Member]) -> Result<Vec<String>> {
    compared(shell, members, |new, lost| new.chain(lost).collect())
}

/// Compares what is offered now with what was.
fn compared(
    shell: &Shell,
    members: &[Member],
    pick: impl Fn(&mut dyn Iterator<Item = String>, Vec<String>) -> Vec<String>,
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for member in published(members) {
        let now = offered(shell, member)?;
        let before = fs::read_to_string(member.folder.join(FILE)).unwrap_or_default();
        let before: BTreeSet<&str> = before.lines().collect();
        let say = |what: &str, line: &str| format!("{}: {what}: {line}", member.name);
        let lost = before.iter().filter(|line| !now.contains(**line));
        let lost = lost.map(|line| say("gone", line)).collect();
        let new = now.iter().filter(|line| !before.contains(line.as_str()));
        found.extend(pick(&mut new.map(|line| say("new", line)), lost));
    }
    if !found.is_empty() {
        found.push(
            "when that is meant: say it in the CHANGELOG.md, and `cargo xtask api` notes it"
                .to_owned(),
        );
    }
    Ok(found)
}

fn published(members: &[Member]) -> impl Iterator<Item = &Member> {
    members
        .iter()
        .filter(|member| member.published && member.has_library)
}

/// Every name that a library offers, such as `struct Host` and `struct Host method checkout`.
fn offered(shell: &Shell, member: &Member) -> Result<BTreeSet<String>> {
    let docs = shell
        .root()
        .join("target/doc")
        .join(member.name.replace('-', "_"));
    let index = page(&docs.join("all.html"))?;
    let front = page(&docs.join("index.html"))?;
    let mut all: BTreeSet<String> = quoted(&front, "id=\"reexport.")
        .map(|name| format!("reexport {name}"))
        .collect();
    for link in quoted(&index, "href=\"").filter(|link| !link.contains("..")) {
        let Some(item) = link.strip_suffix(".html") else {
            continue;
        };
        let (module, name) = item.rsplit_once('/').unwrap_or(("", item));
        let Some((kind, name)) = name.split_once('.') else {
            continue;
        };
        let path = match module {
            "" => name.to_owned(),
            module => format!("{}::{name}", module.replace('/', "::")),
        };
        all.extend(anchored(
            &page(&docs.join(link))?,
            &format!("{kind} {path}"),
        ));
        all.insert(format!("{kind} {path}"));
    }
    if all.is_empty() {
        bail!("{}: its documentation lists nothing", member.name);
    }
    Ok(all)
}

/// The members of one item, by the anchors of its page.
fn anchored(page: &str, item: &str) -> BTreeSet<String> {
    let end = ENDS.iter().filter_map(|end| page.find(end)).min();
    let own = end.and_then(|end| page.get(..end)).unwrap_or(page);
    quoted(own, "id=\"")
        .filter_map(|anchor| {
            let (kind, name) = anchor.split_once('.')?;
            // The heading above the fields of a variant.
            if name.ends_with(".fields") {
                return None;
            }
            let kind = MEMBERS.iter().find(|known| **known == kind)?;
            // A second one of the same name has a number behind it.
            let (name, number) = name.rsplit_once('-').unwrap_or((name, ""));
            number
                .bytes()
                .all(|b| b.is_ascii_digit())
                .then(|| format!("{item} {kind} {name}"))
        })
        .collect()
}

/// What stands between `before` and the next quotation mark.
fn quoted<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    let parts = text.split(before).skip(1);
    parts.filter_map(|rest| rest.split_once('"').map(|(inside, _)| inside))
}

fn page(path: &PathBuf) -> Result<String> {
    let shown = Path::new(path).display();
    fs::read_to_string(path)
        .with_context(|| format!("cannot read {shown}: `cargo xtask lint doc` writes it"))
}

fn text(all: &BTreeSet<String>) -> String {
    all.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_members_of_an_item_are_its_own() {
        let page = r##"<h2 id="fields">..</h2><span id="structfield.root"></span>
            <section id="method.open"><a href="#method.open"></a></section><h2 id="errors-1"></h2>
            <section id="method.open-1"></section>
            <h2 id="trait-implementations"></h2><section id="method.clone"></section>"##;
        let all = anchored(page, "struct Host");
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        assert_eq!(
            all,
            ["struct Host method open", "struct Host structfield root"]
        );
    }
}
