//! `cargo xtask lint book`: the guides hang together: every page is in the summary, every link leads
//! somewhere, and none leaves the book, which is read without the repository beside it.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

use crate::members::Member;
use crate::run::{Shell, output};

const SUMMARY: &str = "docs/SUMMARY.md";

/// Everything that leads nowhere, one line each.
pub(crate) fn astray(shell: &Shell, members: &[Member]) -> Result<Vec<String>> {
    let listing = "ls-files --cached --others --exclude-standard -z -- *.md";
    let files = output(shell.command("git").args(listing.split(' ')))?;
    let ours = |path: &&str| {
        let path = Path::new(path);
        let folder = path.parent().unwrap_or(path);
        let of_member = members
            .iter()
            .any(|member| shell.root().join(folder) == member.folder);
        folder == Path::new("") || folder == Path::new("docs") || of_member
    };
    let mut found = Vec::new();
    for page in files.split_terminator('\0').filter(ours) {
        let path = shell.root().join(page);
        if path.is_file() {
            let text =
                std::fs::read_to_string(&path).with_context(|| format!("cannot read {page}"))?;
            let read = |path: &Path| {
                let path = shell.root().join(path);
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                path.exists().then_some(text)
            };
            found.extend(astray_in(page, &text, read));
        }
    }
    let summary = std::fs::read_to_string(shell.root().join(SUMMARY)).unwrap_or_default();
    let linked: BTreeSet<&str> = links(&summary).map(|(_, target)| target).collect();
    for page in files.split_terminator('\0') {
        let in_book = page.strip_prefix("docs/").filter(|_| page != SUMMARY);
        if in_book.is_some_and(|name| !linked.contains(name)) {
            found.push(format!("{page}: not in {SUMMARY}"));
        }
    }
    Ok(found)
}

/// The links of one page that lead nowhere; `read` gives what is at a place, if anything is.
fn astray_in(page: &str, text: &str, read: impl Fn(&Path) -> Option<String>) -> Vec<String> {
    let own = Path::new(page);
    let folder = own.parent().unwrap_or(own);
    let mut found = Vec::new();
    for (line, target) in links(text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        if page.starts_with("docs/") && file.starts_with("../") {
            found.push(format!("{page}:{line}: `{target}` leaves the book"));
            continue;
        }
        let file = match file {
            "" => own.to_path_buf(),
            file => folder.join(file),
        };
        match read(&file) {
            None => found.push(format!("{page}:{line}: `{target}` is not there")),
            Some(there) if !anchor.is_empty() && !anchors(&there).contains(anchor) => {
                found.push(format!(
                    "{page}:{line}: `{target}`: no heading of that name"
                ));
            }
            Some(_) => {}
        }
    }
    for (line, text) in prose(text) {
        if let Some(tag) = tag(text) {
            found.push(format!(
                "{page}:{line}: `<{tag}>` is taken for a tag and not shown; put it into backticks"
            ));
        }
    }
    found
}

/// What would be taken for a tag of HTML in a line: it would not be shown.
fn tag(line: &str) -> Option<&str> {
    // What stands between backticks is code.
    line.split('`').step_by(2).find_map(|prose| {
        prose.split('<').skip(1).find_map(|rest| {
            let name = rest.trim_start_matches('/');
            let end = name
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(name.len());
            let is_link = name[end..].starts_with(':');
            (end > 0 && name.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_link)
                .then(|| &name[..end])
        })
    })
}

/// The lines outside of fenced blocks, counted from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((index + 1, line))
    })
}

/// Where the links of a page lead, each with its line.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(number, line)| {
        let parts = line.split("](").skip(1);
        parts.filter_map(move |rest| rest.split_once(')').map(|(target, _)| (number, target)))
    })
}

/// The names by which the headings of a page are linked to.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter_map(|(_, line)| line.strip_prefix('#'));
    headings
        .map(|heading| {
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = heading
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_is_named() {
        let other = "# What it is, and why\n\n```sh\n# no heading\n```\n";
        let page = "# A\n[b](b.md) [c](c.md)\n[x](b.md#what-it-is-and-why) [y](b.md#no-heading)\n\
                    [z](#a) [w](https://example.org/c.md)\n```md\n[q](q.md)\n```\n";
        let read = |path: &Path| match path.to_str() {
            Some("docs/a.md") => Some(page.to_owned()),
            Some("docs/b.md") => Some(other.to_owned()),
            _ => None,
        };
        assert_eq!(
            astray_in("docs/a.md", page, read),
            [
                "docs/a.md:2: `c.md` is not there",
                "docs/a.md:3: `b.md#no-heading`: no heading of that name"
            ]
        );
    }

    #[test]
    fn what_the_book_would_not_show_is_named() {
        let page =
            "[r](../README.md) `a < b` a < b <https://example.org> `Vec<T>`\nVec<T>\n<!-- -->\n";
        assert_eq!(
            astray_in("docs/a.md", page, |_| Some(String::new())),
            [
                "docs/a.md:1: `../README.md` leaves the book",
                "docs/a.md:2: `<T>` is taken for a tag and not shown; put it into backticks"
            ]
        );
    }
}
