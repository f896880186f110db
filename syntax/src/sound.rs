//! Whether a text parses as a whole, and where it stops to.

use tree_sitter::Node;

use crate::{Error, Language, ParseLimits, with_parser};

/// The row, counted from 0, of the first place at which a text is no code of its language: an error
/// node, or a token that the parser had to make up. `None` if it parses as a whole.
///
/// ```
/// use fourfold_syntax::{Language, ParseLimits, first_error};
///
/// let rust = Language::named("rust")?;
/// let limits = ParseLimits::default();
/// assert_eq!(first_error(rust, "fn a() {}\nfn b() {}\n", limits)?, None);
/// assert_eq!(first_error(rust, "fn a() {}\nfn b( {}\n", limits)?, Some(1));
/// # Ok::<(), fourfold_syntax::Error>(())
/// ```
///
/// # Errors
/// Those of [`Parser::parse`](crate::Parser::parse).
pub fn first_error(
    language: Language,
    text: &str,
    limits: ParseLimits,
) -> Result<Option<usize>, Error> {
    let tree = with_parser(limits, |parser| parser.parse(language, text))?;
    let mut node = tree.root_node();
    if !node.has_error() {
        return Ok(None);
    }
    // The way down to the first broken node, without recursion: texts nest deep.
    while let Some(child) = first_broken(node) {
        node = child;
        if node.is_error() || node.is_missing() {
            break;
        }
    }
    Ok(Some(node.start_position().row))
}

fn first_broken(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let mut children = node.children(&mut cursor);
    children.find(|child| child.has_error() || child.is_missing())
}
