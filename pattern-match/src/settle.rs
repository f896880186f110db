//! Settling how each site is written: terminators, parentheses, lines inside strings. The result
//! is parsed and looked at, and what is wrong with it is changed, until nothing more can be.

use crate::layout::Layout;
use crate::render::{Excess, Landed, MAX_TOTAL, Plan, Rendered, Renderer, Tail};
use crate::rewrite::RewriteError;
use crate::template::Part;
use fourfold_syntax::{Language, ParseLimits, with_parser};
use std::collections::BTreeSet;
use std::ops::Range;
use tree_sitter::Tree;

/// Times that the whole result is parsed to find out about one kind of trouble.
const MAX_ROUNDS: usize = 6;
/// Times that one pair of parentheses is tried alone because a batch of them failed.
const MAX_SINGLES: usize = 16;

/// A result with the tree of its text.
pub(crate) struct Attempt {
    pub(crate) done: Vec<Rendered>,
    pub(crate) file: Rendered,
    /// Outermost sites with the stretch of the original that each replacement takes.
    pub(crate) edits: Vec<(usize, Range<usize>)>,
    tree: Tree,
}

/// What is to be said of a result.
#[derive(Debug, Default)]
pub(crate) struct Judgement {
    pub(crate) errors: usize,
    pub(crate) unread_macros: usize,
    /// Sites with an error in them that was not there before.
    pub(crate) broken: BTreeSet<usize>,
    /// Sites whose terminator stands alone.
    stray: BTreeSet<usize>,
    /// What is torn apart by its new surroundings: a site and a part of the template, or all.
    pub(crate) torn: BTreeSet<Piece>,
    /// What is in parentheses that do not do what they should.
    mistaken: BTreeSet<Piece>,
    /// Lines of the template that start inside a string.
    frozen: BTreeSet<usize>,
}

/// A site, and a part of its template or all of it.
pub(crate) type Piece = (usize, Option<usize>);

/// Parses and judges results.
pub(crate) struct Settler<'a, 't> {
    pub(crate) renderer: Renderer<'a, 't>,
    pub(crate) language: Language,
    pub(crate) frozen: Vec<bool>,
}

impl Settler<'_, '_> {
    /// Finds the best way to write every site.
    pub(crate) fn settle(
        &mut self,
        plans: &mut [Plan],
    ) -> Result<(Attempt, Judgement), RewriteError> {
        let (mut attempt, mut judgement) = self.attempt(plans)?;
        if !judgement.frozen.is_empty() {
            for &line in &judgement.frozen {
                if let Some(is_frozen) = self.frozen.get_mut(line) {
                    *is_frozen = true;
                }
            }
            (attempt, judgement) = self.attempt(plans)?;
        }
        for _ in 0..MAX_ROUNDS {
            if !next_tails(plans, &judgement) {
                break;
            }
            (attempt, judgement) = self.attempt(plans)?;
        }
        let mut hopeless = BTreeSet::new();
        for _ in 0..MAX_ROUNDS {
            let pending: Vec<Piece> = judgement.torn.difference(&hopeless).copied().collect();
            // What is torn inside a site may be all that tears the site.
            let parts: Vec<Piece> = pending
                .iter()
                .copied()
                .filter(|(_, part)| part.is_some())
                .collect();
            let batch = if parts.is_empty() { pending } else { parts };
            if batch.is_empty() {
                break;
            }
            let failed = self.wrap(&batch, plans, judgement.errors)?;
            hopeless.extend(failed);
            (attempt, judgement) = self.attempt(plans)?;
        }
        Ok((attempt, judgement))
    }

    /// Puts pieces in parentheses and keeps those that help; the others are returned.
    fn wrap(
        &mut self,
        batch: &[Piece],
        plans: &mut [Plan],
        errors: usize,
    ) -> Result<Vec<Piece>, RewriteError> {
        for &piece in batch {
            set(plans, piece, true);
        }
        let (_, judgement) = self.attempt(plans)?;
        let helps = |judgement: &Judgement, piece: &Piece| {
            judgement.errors <= errors && !judgement.mistaken.contains(piece)
        };
        let mut failed: Vec<Piece> = batch
            .iter()
            .copied()
            .filter(|piece| !helps(&judgement, piece))
            .collect();
        for &piece in &failed {
            set(plans, piece, false);
        }
        if failed.len() > 1 {
            let mut kept = Vec::new();
            for &piece in failed.iter().take(MAX_SINGLES) {
                set(plans, piece, true);
                let (_, judgement) = self.attempt(plans)?;
                if helps(&judgement, &piece) {
                    kept.push(piece);
                } else {
                    set(plans, piece, false);
                }
            }
            failed.retain(|piece| !kept.contains(piece));
        }
        Ok(failed)
    }

    /// Renders, parses and judges.
    pub(crate) fn attempt(&self, plans: &[Plan]) -> Result<(Attempt, Judgement), RewriteError> {
        let too_long = |excess| match excess {
            Excess::Length => RewriteError::TooLong {
                limit: self.renderer.max_bytes,
            },
            Excess::Nesting => RewriteError::TooNested { limit: MAX_TOTAL },
        };
        let done = self.renderer.sites(plans, &self.frozen).map_err(too_long)?;
        let mut edits = Vec::new();
        let file = self
            .renderer
            .file(&done, |site, range| edits.push((site, range)))
            .map_err(too_long)?;
        let tree = with_parser(ParseLimits::default(), |parser| {
            parser.parse(self.language, &file.text)
        })?;
        let attempt = Attempt {
            done,
            file,
            edits,
            tree,
        };
        let judgement = self.judge(&attempt, plans);
        Ok((attempt, judgement))
    }

    fn judge(&self, attempt: &Attempt, plans: &[Plan]) -> Judgement {
        let before = self.renderer.layout;
        let after = Layout::new(self.language, &attempt.file.text, &attempt.tree);
        let mut judgement = Judgement {
            errors: after.errors(),
            unread_macros: after.unread_macros(),
            ..Judgement::default()
        };
        for mark in &attempt.file.marks {
            let site = mark.site;
            let found = &self.renderer.matches[site];
            match mark.what {
                Landed::Line(number) => {
                    if after.is_in_string(mark.range.start) {
                        judgement.frozen.insert(number);
                    }
                }
                Landed::Tail => {
                    if is_stray(&after, &mark.range) {
                        judgement.stray.insert(site);
                    }
                }
                Landed::Site => {
                    if after.touches_error(&mark.range) && !before.touches_error(&found.range) {
                        judgement.broken.insert(site);
                    }
                    if !is_statement_place(before, &found.range) {
                        let wrapped = plans[site].parentheses;
                        let piece = (site, None);
                        self.grouping(
                            &after,
                            piece,
                            &found.range,
                            &mark.range,
                            wrapped,
                            &mut judgement,
                        );
                    }
                }
                Landed::Part(part) => {
                    let Some(Part::Variable { slot, many: false }) =
                        self.renderer.template.parts().get(part)
                    else {
                        continue;
                    };
                    let Some(source) = found.captures[*slot].span() else {
                        continue;
                    };
                    let wrapped = plans[site].wrapped.contains(&part);
                    let piece = (site, Some(part));
                    self.grouping(&after, piece, &source, &mark.range, wrapped, &mut judgement);
                }
            }
        }
        judgement
    }

    /// Whether what was one node in the source still is one.
    fn grouping(
        &self,
        after: &Layout<'_>,
        piece: Piece,
        source: &Range<usize>,
        landed: &Range<usize>,
        wrapped: bool,
        judgement: &mut Judgement,
    ) {
        let before = self.renderer.layout;
        if wrapped {
            let around = landed.start.saturating_sub(1)..landed.end + 1;
            let holds = after.exact(&around).is_some_and(|(outer, inner)| {
                let is_list = |at| is_list_in_brackets(after.name(at));
                !is_list(outer) && !is_list(inner)
            });
            let is_one = after.exact(landed).is_some() || {
                let before = before.exact(source);
                before.is_some_and(|(_, at)| is_bare_list(self.renderer.layout.name(at)))
            };
            if !holds || !is_one {
                judgement.mistaken.insert(piece);
            }
            return;
        }
        let Some((whole, source)) = before.exact(source) else {
            return;
        };
        let is_site = piece.1.is_none();
        if self.language.id() == "bash" || !can_be_grouped(before.name(source)) {
            return;
        }
        if !is_site && before.is_leaf(source) && self.renderer.nesting.inside(piece.0).is_empty() {
            return;
        }
        let is_torn = match after.exact(landed) {
            // An object or a set that is read as a block. The grammar of JavaScript reads one
            // after an arrow as an object, which the language does not.
            Some((outer, inner)) => {
                let follows_arrow = has_objects(self.language)
                    && after.text[..landed.start].trim_end().ends_with("=>");
                let is_block_now = after.text[landed.clone()].starts_with('{')
                    && !is_block(before.name(source))
                    && (follows_arrow || is_block(after.name(inner)));
                // What is whole itself may be the reason why what stands beside it is not.
                let is_misplaced = after.errors() > before.errors()
                    && after.is_beside_error(outer)
                    && !before.is_beside_error(whole);
                is_block_now || is_misplaced
            }
            None => !after.is_in_text(landed),
        };
        if is_torn {
            judgement.torn.insert(piece);
        }
    }
}

/// Whether the language writes objects in braces.
fn has_objects(language: Language) -> bool {
    matches!(language.id(), "javascript" | "jsx" | "typescript" | "tsx")
}

/// Kinds that are several things with nothing around them, and one thing in parentheses.
fn is_bare_list(name: &str) -> bool {
    matches!(
        name,
        "expression_list" | "pattern_list" | "sequence_expression" | "generator_expression"
    )
}

fn set(plans: &mut [Plan], (site, part): Piece, on: bool) {
    match part {
        None => plans[site].parentheses = on,
        Some(part) => {
            plans[site].wrapped.retain(|&wrapped| wrapped != part);
            if on {
                plans[site].wrapped.push(part);
            }
        }
    }
}

/// Goes on to the next way to end a site where the present one is wrong; whether any did.
fn next_tails(plans: &mut [Plan], judgement: &Judgement) -> bool {
    let mut changed = false;
    for &site in judgement.broken.union(&judgement.stray) {
        let plan = &mut plans[site];
        if plan.tail + 1 < plan.tails.len() {
            plan.tail += 1;
            changed = true;
        } else if plan.tails.len() > 1 && judgement.broken.contains(&site) {
            // None helps, so the terminator is not what is wrong.
            plan.tails.truncate(1);
            plan.tail = 0;
            changed = true;
        }
    }
    changed
}

/// The ways to end a site, the most likely one first.
pub(crate) fn tails(
    pattern: &str,
    template: &[Part],
    text: &str,
    range: &Range<usize>,
) -> Vec<Tail> {
    const TERMINATORS: [&str; 3] = [";;", ";", ","];
    let ending = |text: &str| TERMINATORS.into_iter().find(|end| text.ends_with(end));
    let last = match template.last() {
        Some(Part::Text(text)) => ending(text),
        None => return Vec::new(),
        Some(_) => None,
    };
    let matched = ending(&text[range.clone()]);
    match (matched, last) {
        (Some(terminator), None) if pattern.ends_with(terminator) => {
            vec![Tail::AsIs, Tail::Add(terminator)]
        }
        (Some(terminator), None) => vec![Tail::Add(terminator), Tail::AsIs],
        (None, Some(terminator)) => {
            if text[range.end..].trim_start().starts_with(terminator) {
                vec![Tail::Drop(terminator)]
            } else {
                vec![Tail::AsIs, Tail::Drop(terminator)]
            }
        }
        _ => Vec::new(),
    }
}

/// Whether a terminator belongs to nothing that stands before it.
fn is_stray(layout: &Layout<'_>, terminator: &Range<usize>) -> bool {
    let parent = layout
        .leaf_at(terminator.start)
        .and_then(|leaf| layout.parent(leaf));
    parent.is_none_or(|parent| {
        let start = layout.document().node(parent).start as usize;
        let end = layout.end(parent);
        start >= terminator.start || end != terminator.end
    })
}

/// Whether a site stands where a statement stands, so that nothing around it can regroup it.
fn is_statement_place(layout: &Layout<'_>, site: &Range<usize>) -> bool {
    let Some((outer, _)) = layout.exact(site) else {
        return true;
    };
    let is_place = |name: &str| {
        matches!(
            name,
            "expression_statement"
                | "program"
                | "module"
                | "source_file"
                | "source"
                | "compilation_unit"
                | "translation_unit"
                | "chunk"
                | "document"
                | "statements"
                | "declaration_list"
        ) || is_block(name)
    };
    match layout.parent(outer) {
        None => true,
        Some(parent) => is_place(layout.name(outer)) || is_place(layout.name(parent)),
    }
}

fn is_block(name: &str) -> bool {
    name.contains("block") || name.contains("body") || name.contains("compound_statement")
}

fn is_list_in_brackets(name: &str) -> bool {
    name.contains("argument") || name.contains("parameter")
}

/// Whether parentheses may stand around a node of this kind.
fn can_be_grouped(name: &str) -> bool {
    const NEVER: [&str; 16] = [
        "statement",
        "declaration",
        "definition",
        "block",
        "_item",
        "clause",
        "parameter",
        "pair",
        "match_arm",
        "arguments",
        "argument_list",
        "body",
        "spread",
        "splat",
        "attribute",
        "comment",
    ];
    // In Python `a.b` is an attribute.
    name == "attribute" || !NEVER.iter().any(|part| name.contains(part))
}
