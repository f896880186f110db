//! Where the functions and classes of Python files begin and end, and what the files import, by the
//! interpreter's own parser.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The program that is run, in Python.
const PROGRAM: &str = include_str!("spans.py");

/// A function or a class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) name: String,
    /// The line of the name, from zero.
    pub(crate) line: usize,
    /// First line, decorators included, and last.
    pub(crate) whole: (usize, usize),
    pub(crate) is_class: bool,
}

/// `import a.b`, or `from ..a import b, c`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Import {
    /// The number of dots in front.
    pub(crate) level: usize,
    pub(crate) module: String,
    /// None for a plain `import`.
    pub(crate) names: Option<Vec<String>>,
    pub(crate) line: usize,
    /// The line it ends on.
    pub(crate) last: usize,
}

/// What is known of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) spans: Vec<Span>,
    /// Functions that follow each other in one block, as places in `spans`.
    pub(crate) groups: Vec<Vec<usize>>,
    pub(crate) imports: Vec<Import>,
}

/// Asks Python about files below a folder. A file that it cannot parse is left out.
pub(crate) fn read(root: &Path, paths: &[String]) -> Result<HashMap<String, File>> {
    if paths.is_empty() {
        return Ok(HashMap::new());
    }
    let doing = "asking python3 where functions begin and end";
    let mut python = Command::new("python3")
        .args(["-c", PROGRAM])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{doing}: it cannot be started; install python3"))?;
    // It answers only when it has read all questions.
    if let Some(mut questions) = python.stdin.take() {
        questions
            .write_all(paths.join("\n").as_bytes())
            .context(doing)?;
    }
    let answers = python.wait_with_output().context(doing)?;
    if !answers.status.success() {
        bail!("{doing}: it failed ({})", answers.status);
    }
    let answers = String::from_utf8(answers.stdout).context(doing)?;
    let mut files = HashMap::new();
    for (path, answer) in paths.iter().zip(answers.lines()) {
        let answer: Value = serde_json::from_str(answer).context(doing)?;
        if !answer.is_null() {
            let file = file(&answer).with_context(|| format!("{doing}: {answer} is no answer"))?;
            files.insert(path.clone(), file);
        }
    }
    Ok(files)
}

fn file(answer: &Value) -> Option<File> {
    let list = |key: &str| answer[key].as_array();
    let spans = list("spans")?.iter().map(span).collect::<Option<_>>()?;
    let imports = list("imports")?.iter().map(import).collect::<Option<_>>()?;
    let group = |group: &Value| group.as_array()?.iter().map(number).collect::<Option<_>>();
    let groups = list("groups")?.iter().map(group).collect::<Option<_>>()?;
    Some(File {
        spans,
        groups,
        imports,
    })
}

fn span(value: &Value) -> Option<Span> {
    Some(Span {
        name: value[0].as_str()?.to_owned(),
        line: number(&value[1])?,
        whole: (number(&value[2])?, number(&value[3])?),
        is_class: value[4].as_bool()?,
    })
}

fn import(value: &Value) -> Option<Import> {
    let name = |name: &Value| name.as_str().map(str::to_owned);
    Some(Import {
        level: number(&value[0])?,
        module: name(&value[1])?,
        names: match &value[2] {
            Value::Null => None,
            names => Some(names.as_array()?.iter().map(name).collect::<Option<_>>()?),
        },
        line: number(&value[3])?,
        last: number(&value[4])?,
    })
}

fn number(value: &Value) -> Option<usize> {
    value
        .as_u64()
        .and_then(|number| usize::try_from(number).ok())
}

/// Every name that the text gives with `as`.
pub(crate) fn aliases(text: &str) -> HashSet<&str> {
    let is_word = super::source::is_word;
    text.match_indices("as")
        .filter(|(at, _)| !text[..*at].ends_with(is_word))
        .filter_map(|(at, word)| {
            let rest = &text[at + word.len()..];
            let name = rest.trim_start();
            let end = name.find(|c| !is_word(c)).unwrap_or(name.len());
            (name.len() < rest.len() && end > 0).then(|| &name[..end])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_found() {
        let found = aliases("import a as b\nwith x as\n  y: class z");
        assert_eq!(found, HashSet::from(["b", "y"]));
    }
}
