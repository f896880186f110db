//! From the command line to a request of the facade.

use std::path::PathBuf;

use fourfold::{Selection, Shape};

use crate::args::Search;
use crate::session::Here;

/// What to look for. The caller adds the pattern or the query.
pub(crate) fn shape(search: &Search) -> Shape {
    let constraints = &search.constraints;
    let mut shape = Shape::default();
    shape.languages.clone_from(&search.langs);
    shape.as_rung.clone_from(&search.rung);
    shape.strict = search.strict;
    shape.inside.clone_from(&constraints.inside);
    shape.not_inside.clone_from(&constraints.not_inside);
    shape.has.clone_from(&constraints.has);
    shape.not_has.clone_from(&constraints.not_has);
    shape.conditions.clone_from(&constraints.wheres);
    shape.kind.clone_from(&constraints.kind);
    shape
}

/// Where to look. Paths are typed relative to the current folder, which is what is searched when
/// there are none; globs are relative to the checkout.
pub(crate) fn selection(here: &Here, search: &Search, paths: &[PathBuf]) -> Selection {
    let mut selection = Selection::default();
    if paths.is_empty() && !here.is_root() {
        selection.paths.push(here.inside("".as_ref()));
    }
    let typed = paths.iter().map(|path| here.inside(path));
    selection.paths.extend(typed);
    selection.globs.clone_from(&search.globs);
    selection.hidden = search.hidden;
    selection.no_ignore = search.no_ignore;
    selection
}

/// `1 file`, `2 files`.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    let plural = match thing {
        "match" => "matches",
        _ => return format!("{number} {thing}{}", if number == 1 { "" } else { "s" }),
    };
    format!("{number} {}", if number == 1 { thing } else { plural })
}
