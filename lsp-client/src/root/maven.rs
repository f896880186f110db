//! From a Maven module to the project that lists it.

use std::path::{Path, PathBuf};

use super::{join_within, read_start, upwards};

/// The topmost folder that is reached from `module` by going, again and again, to a `pom.xml` above
/// that lists the one reached so far.
pub(super) fn aggregator(checkout: &Path, module: &Path) -> PathBuf {
    let mut reached = module.to_path_buf();
    if !reached.join("pom.xml").is_file() {
        return reached;
    }
    for above in upwards(checkout, module)
        .unwrap_or_default()
        .into_iter()
        .skip(1)
    {
        if lists(checkout, above, &reached) {
            reached = above.to_path_buf();
        }
    }
    reached
}

/// Whether a `<module>` of the project in `above` is `module`: its folder, or a file in it.
fn lists(checkout: &Path, above: &Path, module: &Path) -> bool {
    let Some(text) = read_start(&above.join("pom.xml")) else {
        return false;
    };
    let text = without_comments(&text);
    text.split("<module>")
        .skip(1)
        .filter_map(|rest| rest.split("</module>").next())
        .filter_map(|path| join_within(checkout, above, path.trim()))
        .any(|path| path == module || (path.is_file() && path.parent() == Some(module)))
}

fn without_comments(xml: &str) -> String {
    let mut kept = String::with_capacity(xml.len());
    let mut rest = xml;
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}
