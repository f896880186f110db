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
    let (before, condition) = with_condition(at);
    let refused = |condition: &str| {
        Err(Error::usage(format!(
            "`at` is the place alone: give `{before}` as `at`, and `{condition}` as `condition` (on the \
             command line `{before} if {condition}`)"
        )))
    };
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
            Err(_) => match condition {
                // The line may be one that has these words.
                Some(condition) if !has_text(&checkout.join(file), rest) => refused(condition),
                _ => Ok(At::Text {
                    file: file.into(),
                    text: rest.to_owned(),
                }),
            },
        };
    }
    if checkout.join(at).is_file() {
        return Err(Error::usage(format!(
            "`{at}` is a file; a place in it is `{at}:LINE`, or `{at}:TEXT` of the line"
        )));
    }
    if let Some(condition) = condition {
        return refused(condition);
    }
    Ok(At::Function {
        name: at.to_owned(),
    })
}

/// The parts of `PLACE if CONDITION` and `PLACE when CONDITION`.
fn with_condition(at: &str) -> (&str, Option<&str>) {
    let words = [" if ", " when "];
    let first = words
        .into_iter()
        .filter_map(|word| Some((at.find(word)?, word.len())));
    match first.min() {
        Some((begin, length)) => {
            let condition = at.get(begin + length..).unwrap_or_default().trim();
            (at.get(..begin).unwrap_or(at).trim_end(), Some(condition))
        }
        None => (at, None),
    }
}

/// Whether a line of a file has this text.
fn has_text(file: &Path, text: &str) -> bool {
    std::fs::read_to_string(file).is_ok_and(|content| content.contains(text.trim()))
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
        for (given, place, condition) in [
            ("src/a.py:7 if n > 2", "src/a.py:7", "n > 2"),
            (
                "src/a.py:7 when n == 'a if b'",
                "src/a.py:7",
                "n == 'a if b'",
            ),
            ("src/a.py:x = 1 if n", "src/a.py:x = 1", "n"),
            ("shop.total if n", "shop.total", "n"),
        ] {
            assert_eq!(
                at(given).unwrap_err(),
                format!(
                    "`at` is the place alone: give `{place}` as `at`, and `{condition}` as `condition` \
                     (on the command line `{place} if {condition}`)"
                )
            );
        }
        assert!(at("src/a.py").unwrap_err().contains("`src/a.py:LINE`"));
        assert!(at("src/a.py:0").unwrap_err().contains("from 1"));
        assert!(at(" ").unwrap_err().contains("needs `at`"));
    }
}
