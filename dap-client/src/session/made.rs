//! Code that is in no file: what a program makes while it runs, and what is built into its language.

use std::path::Path;

use crate::protocol::RawFrame;

/// Code without a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    /// What people call it, such as `node:fs`.
    pub(super) name: String,
    /// Whether it belongs to the language, and not to the program.
    pub(super) is_built_in: bool,
}

/// What the code of a frame is, when it is in no file. Some adapters put its name below the folder that the
/// program runs in.
pub(super) fn of(frame: &RawFrame, project: &Path) -> Option<Made> {
    let given = frame.path.as_deref().or(frame.source_name.as_deref())?;
    let path = Path::new(given);
    let name = path.strip_prefix(project).unwrap_or(path).to_string_lossy();
    let built_in = |name: String| Made {
        name,
        is_built_in: true,
    };
    if let Some(module) = name.strip_prefix("<node_internals>/") {
        return Some(built_in(format!(
            "node:{} (in Node.js itself)",
            module.trim_end_matches(".js")
        )));
    }
    if name.starts_with("node:") {
        return Some(built_in(format!("{name} (in Node.js itself)")));
    }
    if let Some(module) = name
        .strip_prefix("<frozen ")
        .and_then(|name| name.strip_suffix('>'))
    {
        return Some(built_in(format!("{module} (in Python itself)")));
    }
    let is_made = name.starts_with("<eval>") || name.starts_with('<') && name.ends_with('>');
    (is_made && !path.exists()).then(|| Made {
        name: match name.split('/').next() {
            Some("<string>") => "a string that the program runs".to_owned(),
            Some("<eval>") => "code that the program makes".to_owned(),
            Some("<stdin>") => "standard input".to_owned(),
            _ => format!("{name} (no file)"),
        },
        is_built_in: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str) -> Option<(String, bool)> {
        let frame = RawFrame {
            path: Some(path.to_owned()),
            ..RawFrame::default()
        };
        let made = of(&frame, Path::new("/p"))?;
        Some((made.name, made.is_built_in))
    }

    #[test]
    fn code_without_a_file_is_known_by_its_name() {
        let some = |name: &str, is_built_in| Some((name.to_owned(), is_built_in));
        assert_eq!(
            name("<string>"),
            some("a string that the program runs", false)
        );
        assert_eq!(
            name("/p/<string>"),
            some("a string that the program runs", false)
        );
        assert_eq!(
            name("<frozen importlib._bootstrap>"),
            some("importlib._bootstrap (in Python itself)", true)
        );
        assert_eq!(
            name("<node_internals>/fs"),
            some("node:fs (in Node.js itself)", true)
        );
        assert_eq!(
            name("<eval>/VM46947589"),
            some("code that the program makes", false)
        );
        assert_eq!(
            name("<ipython-input-1>"),
            some("<ipython-input-1> (no file)", false)
        );
        assert_eq!(name("/p/src/a.py"), None);
        assert_eq!(name("src/a.rs"), None);
    }
}
