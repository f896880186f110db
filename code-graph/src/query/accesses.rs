//! Where names are read from something, or stand in quotes: signs of a use that no edge tells.

use super::Inquiry;
use crate::graph::NodeId;
use hashbrown::HashMap;

/// Where a name is first read from something or quoted, and how often in all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    file: usize,
    /// 1-based.
    line: u32,
    times: usize,
}

/// Reads the words of a text: each with the byte it begins at.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(part)?;
        let word = text.get(start..)?;
        let end = word.find(|c| !part(c)).unwrap_or(word.len());
        at = start + end;
        Some((start, &word[..end]))
    })
}

/// Whether what stands before and after a word makes it a member that is read, or a quoted name.
fn is_access(before: &str, after: &str) -> bool {
    let member = [".", "->", "::"]
        .into_iter()
        .any(|sign| before.ends_with(sign));
    let quoted = ['"', '\'', '`']
        .into_iter()
        .any(|quote| before.ends_with(quote) && after.starts_with(quote));
    member || quoted
}

impl Inquiry<'_> {
    /// Of these symbols, those whose name is read from something or quoted outside of their own
    /// declaration, in a file of the index as it is now.
    pub(super) fn accesses(&self, nodes: &[NodeId]) -> HashMap<NodeId, Access> {
        let graph = self.graph;
        let mut wanted: HashMap<&str, Vec<NodeId>> = HashMap::new();
        for node in nodes {
            wanted.entry(graph.name(*node)).or_default().push(*node);
        }
        let mut found: HashMap<NodeId, Access> = HashMap::new();
        if wanted.is_empty() {
            return found;
        }
        for (number, file) in graph.files().iter().enumerate() {
            let Some(text) = self.reader.read(&file.path) else {
                continue;
            };
            let (mut row, mut counted) = (0, 0);
            for (at, word) in words(&text) {
                let Some(nodes) = wanted.get(word) else {
                    continue;
                };
                if !is_access(&text[..at], &text[at + word.len()..]) {
                    continue;
                }
                row += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..at]).count() as u32;
                counted = at;
                for node in nodes {
                    let own = graph.file_number(*node) == number
                        && graph
                            .symbol(*node)
                            .is_some_and(|item| (item.span.row..=item.span.end_row).contains(&row));
                    if own {
                        continue;
                    }
                    let access = found.entry(*node).or_insert(Access {
                        file: number,
                        line: row + 1,
                        times: 0,
                    });
                    access.times += 1;
                }
            }
        }
        found
    }

    /// "its name is read or quoted in a.py:5 and 2 more places".
    pub(super) fn said_access(&self, access: &Access) -> String {
        let path = self.graph.files().get(access.file);
        let path = path.map_or("", |file| file.path.as_str());
        let more = match access.times {
            1 => String::new(),
            2 => " and 1 more place".to_owned(),
            many => format!(" and {} more places", many - 1),
        };
        format!("its name is read or quoted in {path}:{}{more}", access.line)
    }
}

#[cfg(test)]
mod tests {
    use super::{is_access, words};

    #[test]
    fn members_and_quoted_names_are_told_from_plain_words() {
        let text = "a = x.Deser; T = {\"Named\": 1}; p->f; A::g; plain # and 'it' isn't";
        let accessed: Vec<&str> = words(text)
            .filter(|(at, word)| is_access(&text[..*at], &text[at + word.len()..]))
            .map(|(_, word)| word)
            .collect();
        assert_eq!(accessed, ["Deser", "Named", "f", "g", "it"]);
    }
}
