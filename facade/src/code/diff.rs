//! What changed in the work tree since a commit, as git tells it.

use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fourfold_child::{Guard, Limits, Spawn, which};
use fourfold_code_graph::query::ChangedFile;
use tokio::io::AsyncReadExt as _;

use crate::Error;
use crate::checkout::Checkout;

/// The longest that git may take.
const TIME: Duration = Duration::from_secs(30);

/// The longest answer of git that is read, in bytes.
const OUTPUT: usize = 64 << 20;

/// The files and lines that differ from a commit, those that git does not know yet included.
pub(super) fn since(checkout: &Checkout, commit: &str) -> Result<Vec<ChangedFile>, Error> {
    if commit.is_empty() || commit.starts_with('-') || commit.contains("..") {
        return Err(Error::usage(format!(
            "`{commit}` is not one commit; name the one that the work tree is compared with, such as \
             HEAD or main"
        )));
    }
    program(checkout)?;
    if git(checkout, &["rev-parse", "--git-dir"]).is_err() {
        return Err(Error::usage(format!(
            "git cannot tell what changed: {} is in no git repository; name symbols or files in \
             place of a commit",
            checkout.root().display()
        )));
    }
    let named = format!("{commit}^{{commit}}");
    if git(checkout, &["rev-parse", "--verify", "--quiet", &named]).is_err() {
        return Err(Error::usage(format!(
            "git cannot tell what changed: it knows no commit `{commit}`; name one, such as HEAD or \
             a branch"
        )));
    }
    let mut changed = parse(&git(checkout, &diff(commit, &["--unified=0"]))?);
    // The whole of what a file was is in its difference with all that it has around.
    let whole = git(
        checkout,
        &diff(commit, &["--unified=1000000000", "--diff-filter=DMT"]),
    )?;
    let mut before = texts_before(&whole);
    for file in &mut changed {
        file.before = before.remove(&file.path);
    }
    let unknown = git(
        checkout,
        &["ls-files", "--others", "--exclude-standard", "-z"],
    )?;
    for path in unknown.split('\0').filter(|path| !path.is_empty()) {
        changed.push(ChangedFile {
            path: path.to_owned(),
            lines: vec![(1, u32::MAX)],
            ..ChangedFile::default()
        });
    }
    Ok(changed)
}

/// The arguments for the difference of the work tree from a commit.
fn diff<'a>(commit: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    let usual = [
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--no-prefix",
        "--relative",
        commit,
        "--",
    ];
    let mut all = vec!["diff"];
    all.extend(options);
    all.extend(usual);
    all
}

/// Git, which the checkout itself does not get to choose.
fn program(checkout: &Checkout) -> Result<PathBuf, Error> {
    let search_path = env::var_os("PATH").unwrap_or_default();
    let lookup = which(OsStr::new("git"), &search_path, checkout.root());
    lookup.first().map(Path::to_path_buf).ok_or_else(|| {
        Error::usage(
            "what changed since a commit is asked of git, which is not installed here; name symbols \
             or files in place of it",
        )
    })
}

fn git(checkout: &Checkout, arguments: &[&str]) -> Result<String, Error> {
    // What the checkout itself configures must not be run.
    let spawn = Spawn::new(program(checkout)?)
        .args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"])
        .args(arguments)
        .cwd(checkout.root())
        .env_without_secrets()
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .guard(Guard::None)
        .limits(Limits::default().with_hard(TIME));
    let ran = checkout.engine().run(async move {
        let mut child = spawn.spawn().await.map_err(|error| error.to_string())?;
        drop(child.take_stdin());
        let mut output = Vec::new();
        if let Some(stdout) = child.take_stdout() {
            let mut stdout = stdout.take(OUTPUT as u64 + 1);
            stdout
                .read_to_end(&mut output)
                .await
                .map_err(|error| error.to_string())?;
        }
        if output.len() > OUTPUT {
            child.kill();
            return Err(format!("its answer is longer than {} MiB", OUTPUT >> 20));
        }
        let exit = child.wait().await;
        match exit.success() {
            true => Ok(String::from_utf8_lossy(&output).into_owned()),
            false => Err(match child.last_words(1).await.pop() {
                Some(said) => said,
                None => exit.to_string(),
            }),
        }
    })?;
    ran.map_err(|said| {
        Error::usage(format!(
            "git cannot tell what changed: {}",
            said.trim().trim_end_matches('.')
        ))
    })
}

/// The texts that files had which lost lines, by path, from a unified diff with all context.
fn texts_before(diff: &str) -> HashMap<String, String> {
    let mut all = HashMap::new();
    let (mut path, mut text, mut loses) = (String::new(), String::new(), false);
    // Lines of the old and the new file that are still to come.
    let (mut old, mut new) = (0u32, 0u32);
    for line in diff.split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        match bare.as_bytes().first() {
            Some(b' ' | b'-') if old > 0 => {
                old -= 1;
                loses |= bare.starts_with('-');
                new -= u32::from(new > 0 && bare.starts_with(' '));
                text.push_str(&line[1..]);
            }
            Some(b'+') if new > 0 => new -= 1,
            _ => {
                if let Some(before) = bare.strip_prefix("--- ") {
                    path = unquoted(before.trim_end_matches('\t'));
                    text.clear();
                    loses = false;
                } else if let Some(ranges) = bare.strip_prefix("@@ ") {
                    let mut ranges = ranges.split(' ').filter_map(range);
                    old = ranges.next().map_or(0, |(_, count)| count);
                    new = ranges.next().map_or(0, |(_, count)| count);
                }
            }
        }
        if old == 0 && new == 0 && loses {
            all.insert(path.clone(), std::mem::take(&mut text));
            loses = false;
        }
    }
    all
}

/// Reads a unified diff without context.
fn parse(diff: &str) -> Vec<ChangedFile> {
    let mut all: Vec<ChangedFile> = Vec::new();
    let mut before = "";
    // Lines of a hunk that are still to come: they may look like headers.
    let mut left = 0usize;
    for line in diff.lines() {
        if left > 0 && line.starts_with(['+', '-']) {
            left -= 1;
        } else if let Some(path) = line.strip_prefix("--- ") {
            before = path.trim_end_matches('\t');
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let path = match path.trim_end_matches('\t') {
                "/dev/null" => before,
                path => path,
            };
            all.push(ChangedFile {
                path: unquoted(path),
                ..ChangedFile::default()
            });
        } else if let Some(ranges) = line.strip_prefix("@@ ") {
            let mut ranges = ranges.split(' ').filter_map(range);
            if let (Some((_, removed)), Some((first, added))) = (ranges.next(), ranges.next()) {
                left = removed as usize + added as usize;
                if let Some(file) = all.last_mut() {
                    match added {
                        0 => file.removed_after.push(first),
                        added => file.lines.push((first, first.saturating_add(added - 1))),
                    }
                }
            }
        }
    }
    all
}

/// `-a,b` or `+c`: the first line and how many.
fn range(text: &str) -> Option<(u32, u32)> {
    let text = text.strip_prefix(['-', '+'])?;
    match text.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// Git quotes paths with quotes, backslashes and control characters in them.
fn unquoted(path: &str) -> String {
    let inner = path
        .strip_prefix('"')
        .and_then(|path| path.strip_suffix('"'));
    let Some(inner) = inner else {
        return path.to_owned();
    };
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('t') => out.push('\t'),
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => {}
            },
            (c, false) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_becomes_lines() {
        let diff = "\
diff --git src/a.py src/a.py
index 1..2 100644
--- src/a.py
+++ src/a.py
@@ -3 +3,2 @@ def f():
-    return 1
+--- not a header
++++ nor this
@@ -9,2 +9,0 @@
-gone
-gone too
diff --git old.py old.py
deleted file mode 100644
--- old.py
+++ /dev/null
@@ -1 +0,0 @@
-x = 1
diff --git \"q\\\"uote.py\" \"q\\\"uote.py\"
--- /dev/null
+++ \"q\\\"uote.py\"
@@ -0,0 +1 @@
+x = 1
";
        let file = |path: &str, lines: &[(u32, u32)], removed_after: &[u32]| ChangedFile {
            path: path.to_owned(),
            lines: lines.to_vec(),
            removed_after: removed_after.to_vec(),
            before: None,
        };
        assert_eq!(
            parse(diff),
            [
                file("src/a.py", &[(3, 4)], &[9]),
                file("old.py", &[], &[0]),
                file("q\"uote.py", &[(1, 1)], &[]),
            ]
        );
    }

    #[test]
    fn the_text_before_is_read_from_a_diff_with_all_context() {
        let diff = "\
diff --git a.py a.py
--- a.py
+++ a.py
@@ -1,4 +1,3 @@
 def kept():
-    return 1
+    return 2
 
--- not a header
diff --git grown.py grown.py
--- grown.py
+++ grown.py
@@ -1 +1,2 @@
 x = 1
+y = 2
diff --git gone.py gone.py
deleted file mode 100644
--- gone.py
+++ /dev/null
@@ -1 +0,0 @@
-z = 1
";
        let mut before: Vec<(String, String)> = texts_before(diff).into_iter().collect();
        before.sort();
        let text = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        assert_eq!(
            before,
            [
                text("a.py", "def kept():\n    return 1\n\n-- not a header\n"),
                text("gone.py", "z = 1\n"),
            ]
        );
    }
}
