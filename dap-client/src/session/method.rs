//! A function of Python by its qualified name, for an adapter that knows functions by their own name
//! alone.

use std::path::{Path, PathBuf};

use crate::program::files;
use crate::source;

/// Where the body of `Class.method`, `module.function` or `package.module.Class.method` begins.
///
/// # Errors
/// Why there is no such place, or no single one, in words.
pub(super) fn find(name: &str, project: &Path) -> Result<(PathBuf, u32), String> {
    let wanted: Vec<&str> = name.split('.').collect();
    let own = wanted.last().copied().unwrap_or_default();
    let mut found = Vec::new();
    for file in files(project) {
        if file.extension().is_none_or(|extension| extension != "py") {
            continue;
        }
        let Some(text) = source::read(&file) else {
            continue;
        };
        if !text.contains(&format!("def {own}")) {
            continue;
        }
        let module = module(file.strip_prefix(project).unwrap_or(&file));
        for function in functions(&text) {
            let whole: Vec<&str> = module
                .iter()
                .map(String::as_str)
                .chain(function.path)
                .collect();
            if whole.ends_with(&wanted) {
                found.push((file.clone(), function.line, function.is_stub));
            }
        }
    }
    // What only declares it does nothing.
    let any = found.iter().any(|(_, _, is_stub)| !is_stub);
    found.retain(|(_, _, is_stub)| !any || !is_stub);
    let found: Vec<(PathBuf, u32)> = found
        .into_iter()
        .map(|(file, line, _)| (file, line))
        .collect();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(format!(
            "no Python file of the project defines it; name the file and the line, or `{own}` for \
             every function of that name"
        )),
        many => {
            let places: Vec<String> = many
                .iter()
                .take(4)
                .map(|(file, line)| format!("{}:{line}", super::points::shown(file, project)))
                .collect();
            Err(format!(
                "there are {} of this name: {}; name one of these places",
                many.len(),
                places.join(", ")
            ))
        }
    }
}

/// The names that lead to a module.
fn module(file: &Path) -> Vec<String> {
    let without = file.with_extension("");
    let parts = without
        .iter()
        .map(|part| part.to_string_lossy().into_owned());
    parts.filter(|part| part != "__init__").collect()
}

/// A function of a text.
struct Function<'a> {
    /// The names that lead to it.
    path: Vec<&'a str>,
    /// The first line of its body.
    line: u32,
    /// Whether it is only declared there: one of several for `@overload`, or with `...` for a body.
    is_stub: bool,
}

/// Every function of a text.
fn functions(text: &str) -> Vec<Function<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut around: Vec<(usize, &str)> = Vec::new();
    let mut all = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        let rest = code.strip_prefix("async ").unwrap_or(code).trim_start();
        let (is_function, rest) = match (rest.strip_prefix("def "), rest.strip_prefix("class ")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => continue,
        };
        let rest = rest.trim_start();
        let end = rest
            .find(|char: char| !(char.is_alphanumeric() || char == '_'))
            .unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default();
        while around.last().is_some_and(|(outer, _)| *outer >= indent) {
            around.pop();
        }
        around.push((indent, name));
        if is_function {
            let line = body(&lines, index);
            let first = lines.get(line as usize - 1).copied().unwrap_or_default();
            let is_empty = first.trim() == "..."
                || line as usize == index + 1 && first.trim_end().ends_with(": ...");
            all.push(Function {
                path: around.iter().map(|(_, name)| *name).collect(),
                line,
                is_stub: is_empty || is_overload(&lines, index),
            });
        }
    }
    all
}

/// Whether a head is one of several for the checkers of types.
fn is_overload(lines: &[&str], head: usize) -> bool {
    let above = lines.get(..head).unwrap_or_default().iter().rev();
    let mut marks = above
        .map(|line| line.trim())
        .take_while(|line| line.starts_with('@') || line.starts_with('#'));
    marks.any(|mark| matches!(mark, "@overload" | "@typing.overload" | "@t.overload"))
}

/// The first line, from 1, of what a function does: behind its head and what documents it.
fn body(lines: &[&str], head: usize) -> u32 {
    let mut depth = 0i64;
    let mut at = head;
    // The head ends with the colon outside of all brackets.
    for line in lines.get(head..).unwrap_or_default() {
        let code = line.split(" #").next().unwrap_or(line);
        depth += code.matches(['(', '[', '{']).count() as i64;
        depth -= code.matches([')', ']', '}']).count() as i64;
        at += 1;
        if depth <= 0 {
            if !code.trim_end().ends_with(':') {
                // All of it in one line.
                return at as u32;
            }
            break;
        }
    }
    let mut quotes: Option<&str> = None;
    let mut documented = false;
    for (index, line) in lines.iter().enumerate().skip(at) {
        let code = line.trim();
        if let Some(end) = quotes {
            if code.contains(end) {
                quotes = None;
            }
            continue;
        }
        if code.is_empty() || code.starts_with('#') {
            continue;
        }
        let text = code.trim_start_matches(['r', 'R', 'u', 'U']);
        let opens = ["\"\"\"", "'''", "\"", "'"]
            .into_iter()
            .find(|quotes| text.starts_with(quotes));
        if let Some(opens) = opens.filter(|_| !documented) {
            documented = true;
            let closed = text
                .get(opens.len()..)
                .is_some_and(|rest| rest.contains(opens));
            quotes = (!closed).then_some(opens);
            continue;
        }
        return index as u32 + 1;
    }
    head as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "class Signer:\n    def sign(self, v): return v\n\n    @property\n    \
        def unsign(\n        self,\n        value,  # a note: here\n    ):\n        \"\"\"Says\n        \
        what.\"\"\"\n        # first\n        value = 1\n        return value\n\n    \
        class Inner:\n        async def sign(self):\n            pass\n\n\ndef sign():\n    'doc'\n    return 2\n";

    #[test]
    fn the_body_of_a_function_is_found_by_its_qualified_name() {
        let found: Vec<(String, u32)> = functions(TEXT)
            .into_iter()
            .map(|function| (function.path.join("."), function.line))
            .collect();
        let expected = [
            ("Signer.sign", 2),
            ("Signer.unsign", 12),
            ("Signer.Inner.sign", 17),
            ("sign", 22),
        ];
        assert_eq!(found, expected.map(|(name, line)| (name.to_owned(), line)));
    }

    #[test]
    fn what_only_declares_a_function_is_none() {
        const LOADS: &str = "class Loader:\n    @overload\n    def load(self, x: int) -> int: ...\n    \
            @typing.overload\n    # or\n    def load(self, x: str) -> str:\n        \"\"\"Says.\"\"\"\n    \
            def load(self, x):\n        return x\n\nclass Like(Protocol):\n    def save(self):\n        ...\n";
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.py"), LOADS).unwrap();
        std::fs::write(folder.path().join("a.pyi"), LOADS).unwrap();
        let line = |name: &str| find(name, folder.path()).map(|(_, line)| line);
        assert_eq!(line("Loader.load"), Ok(9));
        // There is nothing better.
        assert_eq!(line("Like.save"), Ok(13));
    }

    #[test]
    fn a_name_is_found_in_the_files_of_a_project_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("pkg")).unwrap();
        std::fs::write(folder.path().join("pkg/signer.py"), TEXT).unwrap();
        std::fs::write(folder.path().join("other.py"), TEXT).unwrap();
        let at = |name: &str| {
            let (file, line) = find(name, folder.path())?;
            Ok::<_, String>(format!(
                "{}:{line}",
                super::super::points::shown(&file, folder.path())
            ))
        };
        assert_eq!(
            at("pkg.signer.Signer.unsign").as_deref(),
            Ok("pkg/signer.py:12")
        );
        assert_eq!(at("other.sign").as_deref(), Ok("other.py:22"));
        let several = at("Signer.unsign").unwrap_err();
        assert!(
            several.contains("there are 2 of this name: other.py:12, pkg/signer.py:12"),
            "{several}"
        );
        let none = at("Signer.nothing").unwrap_err();
        assert!(
            none.contains("no Python file of the project defines it"),
            "{none}"
        );
    }
}
