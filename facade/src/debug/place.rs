//! Places as people write them: `FILE:LINE`, `FILE:TEXT`, a function.

use std::path::Path;

use fourfold_dap_client::{At, Breakpoint, Exceptions};

use super::request::{DebugBreakpoint, DebugExceptions};
use crate::Error;

/// Reads a place.
pub(super) fn read(at: &str, checkout: &Path) -> Result<At, Error> {
    let at = at.trim();
    if at.is_empty() {
        return Err(Error::usage(
            "a breakpoint needs `at`: FILE:LINE, FILE:TEXT of the line, or a function",
        ));
    }
    for (colon, _) in at.match_indices(':') {
        let (file, rest) = (&at[..colon], &at[colon + 1..]);
        let is_there = checkout.join(file).is_file();
        let looks = Path::new(file).extension().is_some() && !rest.starts_with(':');
        if !is_there && !looks {
            continue;
        }
        // `FILE:LINE:COLUMN` is how places are printed.
        let number = rest.split(':').next().unwrap_or(rest);
        return match number.parse::<u32>() {
            Ok(0) => Err(Error::usage(format!("lines are counted from 1: `{at}`"))),
            Ok(line) => Ok(At::Line {
                file: file.into(),
                line,
            }),
            Err(_) => Ok(At::Text {
                file: file.into(),
                text: rest.to_owned(),
            }),
        };
    }
    if checkout.join(at).is_file() {
        return Err(Error::usage(format!(
            "`{at}` is a file; a place in it is `{at}:LINE`, or `{at}:TEXT` of the line"
        )));
    }
    Ok(At::Function {
        name: at.to_owned(),
    })
}

/// Reads breakpoints.
pub(super) fn breakpoints(
    given: &[DebugBreakpoint],
    checkout: &Path,
) -> Result<Vec<Breakpoint>, Error> {
    let read = |one: &DebugBreakpoint| {
        let mut breakpoint = Breakpoint::new(read(&one.at, checkout)?);
        breakpoint.condition.clone_from(&one.condition);
        breakpoint.hit.clone_from(&one.hit);
        breakpoint.log.clone_from(&one.log);
        Ok(breakpoint)
    };
    given.iter().map(read).collect()
}

pub(super) fn exceptions(given: DebugExceptions) -> Exceptions {
    match given {
        DebugExceptions::None => Exceptions::None,
        DebugExceptions::Uncaught => Exceptions::Uncaught,
        DebugExceptions::All => Exceptions::All,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_line_a_text_or_a_function() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("Makefile"), "all: x\n").unwrap();
        std::fs::create_dir(root.path().join("src")).unwrap();
        std::fs::write(root.path().join("src/a.py"), "x = 1\n").unwrap();
        let at = |text: &str| read(text, root.path()).map_err(|error| error.to_string());
        let line = |file: &str, line| {
            Ok(At::Line {
                file: file.into(),
                line,
            })
        };
        assert_eq!(at("src/a.py:7"), line("src/a.py", 7));
        assert_eq!(at("src/a.py:7:3"), line("src/a.py", 7));
        assert_eq!(at("gone.py:7"), line("gone.py", 7));
        assert_eq!(at("Makefile:1"), line("Makefile", 1));
        let text = At::Text {
            file: "src/a.py".into(),
            text: "if x: y".into(),
        };
        assert_eq!(at("src/a.py:if x: y"), Ok(text));
        for name in ["main", "ns::run", "pair::tests::it", "inventory.Merge"] {
            let name = name.to_owned();
            assert_eq!(at(&name), Ok(At::Function { name }));
        }
        assert!(at("src/a.py").unwrap_err().contains("`src/a.py:LINE`"));
        assert!(at("src/a.py:0").unwrap_err().contains("from 1"));
        assert!(at(" ").unwrap_err().contains("needs `at`"));
    }
}
