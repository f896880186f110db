//! Doc comments.

use super::Walk;
use crate::facts::NameId;
use tree_sitter::Node;

impl<'t> Walk<'_, 't> {
    /// A comment: it may be what documents the next declaration. Line comments without a blank
    /// line between them are one.
    pub(super) fn comment(&mut self, node: Node<'_>) {
        let (start, end) = (node.start_byte(), node.end_byte());
        let goes_on = self.comment.filter(|(_, before)| {
            let text = self.b.source().get(start..end).unwrap_or_default();
            let between = self.b.source().get(*before..start).unwrap_or_default();
            !text.starts_with("/*")
                && between.trim().is_empty()
                && between.matches('\n').count() <= 1
        });
        self.comment = Some((goes_on.map_or(start, |(first, _)| first), end));
    }

    /// The text of the comment that ends right before `start`.
    pub(crate) fn comment_before(&self, start: usize) -> Option<&'t str> {
        let (first, end) = self.comment?;
        let source = self.b.source();
        let between = source.get(end..start)?;
        source.get(first..end).filter(|_| between.trim().is_empty())
    }

    /// The doc comment that ends right before `start`: its first paragraph. `plain` says whether a
    /// comment of any form documents (Go).
    pub(crate) fn doc_before(&mut self, start: usize, plain: bool) -> Option<NameId> {
        let (first, end) = self.comment?;
        let source = self.b.source();
        let between = source.get(end..start)?;
        if !between.trim().is_empty() || (plain && between.matches('\n').count() > 1) {
            return None;
        }
        let text = source.get(first..end)?;
        let is_doc = plain || text.starts_with("/**") || text.starts_with("///");
        let doc = is_doc
            .then(|| first_paragraph(text))
            .filter(|doc| !doc.is_empty())?;
        Some(self.b.line_of(&doc))
    }
}

/// The first paragraph of a comment without its markers.
fn first_paragraph(text: &str) -> String {
    let mut paragraph = String::new();
    for line in text.lines() {
        let line = line.trim().trim_end_matches("*/");
        let line = line
            .trim_start_matches("/**")
            .trim_start_matches("/*")
            .trim_start_matches(['/', '*', '#'])
            .trim_start_matches("--")
            .trim_start_matches(['-', '!'])
            .trim();
        let line = line.replace("<summary>", "").replace("</summary>", "");
        let line = line.trim();
        let ends = line.is_empty() || line.starts_with('@') || line.starts_with("<p>");
        if ends {
            if paragraph.is_empty() {
                continue;
            }
            break;
        }
        if line.starts_with("go:") {
            break;
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(line);
    }
    paragraph
}

#[cfg(test)]
mod tests {
    use super::first_paragraph;

    #[test]
    fn markers_tags_and_further_paragraphs_are_left_out() {
        assert_eq!(
            first_paragraph("/**\n * Adds two.\n * And so on.\n *\n * @param a one\n */"),
            "Adds two. And so on."
        );
        assert_eq!(
            first_paragraph("/// <summary>Adds.</summary>\n/// <x/>"),
            "Adds. <x/>"
        );
        assert_eq!(
            first_paragraph("// New makes one.\n//\n// More."),
            "New makes one."
        );
        assert_eq!(first_paragraph("/** @deprecated */"), "");
    }
}
