//! Who used a file that is gone, when no graph tells.

use super::{Stake, UserFile};
use crate::graph::{Graph, NodeId};
use crate::link::Certainty;
use crate::query::Reader;

/// The files that may have imported a file that is gone and that the graph does not know any more:
/// those with uses that lead out of the checkout or nowhere, and with a line that imports something
/// of its name. `reader` gives their texts.
pub fn lost_users(graph: &Graph, path: &str, reader: &dyn Reader) -> Vec<UserFile> {
    let name = module_name(path);
    if name.is_empty() {
        return Vec::new();
    }
    let mut users = Vec::new();
    for file in graph.files() {
        let nodes = graph.within(file.node);
        let open =
            |node: NodeId| graph.unresolved_in(node).len() > 0 || graph.external_in(node).len() > 0;
        if file.path == path || !nodes.into_iter().any(open) {
            continue;
        }
        let text = reader.read(&file.path);
        let lines = text.as_deref().unwrap_or_default().lines();
        let rows: Vec<u32> = (0..)
            .zip(lines)
            .filter(|(_, line)| imports(line, name))
            .map(|(row, _)| row)
            .collect();
        if !rows.is_empty() {
            users.push(UserFile {
                path: file.path.clone(),
                stake: Stake::Declaration,
                certainty: Certainty::Name,
                uses: vec![path.to_owned()],
                rows,
            });
        }
    }
    users
}

/// What a file is imported as: its name without extension, that of its folder where it stands for it.
fn module_name(path: &str) -> &str {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or_default();
    match stem {
        "__init__" | "index" | "mod" => folder.rsplit('/').next().unwrap_or_default(),
        stem => stem,
    }
}

/// Whether a line imports something of this name, as languages write it.
fn imports(line: &str, name: &str) -> bool {
    const WORDS: [&str; 9] = [
        "import", "from", "export", "require", "include", "use", "using", "mod", "source",
    ];
    let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    let is_import = words.clone().any(|word| WORDS.contains(&word));
    is_import && words.any(|word| word == name)
}
