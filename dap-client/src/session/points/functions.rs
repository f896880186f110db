//! The functions of a project by the look of their heads, to say which of them may be meant.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::program::files;
use crate::source;

/// Functions of the project with names like one, in words.
pub(super) fn alike(name: &str, project: &Path) -> String {
    near_of(name, functions(project))
}

/// What is said of a function that no source of the project defines.
pub(in crate::session) fn undefined(name: &str, project: &Path) -> Option<String> {
    let known = functions(project);
    (!known.contains(name)).then(|| {
        format!(
            "no source of the project defines it{}; it stops only where a library has a function of this \
             name",
            near_of(name, known)
        )
    })
}

/// Those of some names that are like one, in words.
fn near_of(name: &str, names: impl IntoIterator<Item = String>) -> String {
    let own = |name: &str| {
        let end = name.rsplit(['.', ':']).next().unwrap_or(name);
        end.trim_end_matches(['(', ')']).to_lowercase()
    };
    let wanted = own(name);
    let mut near: Vec<(f64, String)> = names
        .into_iter()
        .map(|known| {
            (
                strsim::normalized_levenshtein(&wanted, &known.to_lowercase()),
                known,
            )
        })
        .filter(|(likeness, _)| *likeness > 0.5)
        .collect();
    near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let near: Vec<String> = near.into_iter().take(3).map(|(_, name)| name).collect();
    match near.is_empty() {
        true => String::new(),
        false => format!("; the project has {}", near.join(", ")),
    }
}

/// The names of the functions that the sources of a project define, by the look of their heads.
fn functions(project: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let is_source = |file: &PathBuf| {
        let ending = file.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|language| SOURCES.contains(&language))
    };
    let sources = files(project).into_iter().filter(is_source);
    for file in sources.take(SEARCHED) {
        for line in source::read(&file).unwrap_or_default().lines() {
            names.extend(defined(line).map(str::to_owned));
        }
    }
    names
}

/// Files that are looked through for functions, and their endings.
const SEARCHED: usize = 2000;
const SOURCES: &[&str] = &[
    "c", "h", "cc", "cpp", "cxx", "hpp", "go", "rs", "py", "js", "mjs", "cjs", "ts", "rb", "php",
];

/// The function whose head a line is, by its look.
fn defined(line: &str) -> Option<&str> {
    let (head, _) = line.split_once('(')?;
    let head = match head.trim_end() {
        // The receiver of Go.
        "func" => line.split_once(')')?.1.split_once('(')?.0,
        _ => head,
    };
    let head = head.split(['<', '[']).next()?.trim_end();
    let begin = head
        .rfind(|char: char| !(char.is_alphanumeric() || char == '_'))
        .map_or(0, |at| at + 1);
    let name = head.get(begin..).filter(|name| !name.is_empty())?;
    let before = head.get(..begin)?.trim_end();
    let marked = ["fn", "def", "func", "function"].iter().any(|word| {
        before == *word || before.ends_with(&format!(" {word}")) || line.starts_with("func (")
    });
    // A head of C begins at the left edge, and has a type.
    let of_c = !line.starts_with(char::is_whitespace)
        && !before.is_empty()
        && before
            .chars()
            .all(|char| char.is_alphanumeric() || " _*&:~".contains(char))
        && !line.trim_end().ends_with(';')
        && !before.starts_with("return")
        && !before.starts_with("else");
    (marked || of_c).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_functions_are_known_by_their_look() {
        for (line, name) in [
            (
                "static long *home(struct table *t, const char *k)",
                Some("home"),
            ),
            ("int main(void) {", Some("main")),
            ("    pub fn push<T>(&mut self) {", Some("push")),
            ("func (c *Cart) Total(tax int) int {", Some("Total")),
            ("func run() {", Some("run")),
            ("    def total(self):", Some("total")),
            ("async function load(path) {", Some("load")),
            ("int home(int);", None),
            ("    run(home);", None),
            ("return home(x)", None),
            ("home(x)", None),
        ] {
            assert_eq!(defined(line), name, "{line}");
        }
    }
}
