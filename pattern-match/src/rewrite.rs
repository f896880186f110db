//! Rewriting the matches of one text by a template.

use crate::indent::Style;
use crate::layout::Layout;
use crate::loss::{Loss, losses};
use crate::nesting::Nesting;
use crate::pattern::Pattern;
use crate::render::{Plan, Renderer};
use crate::search::Match;
use crate::settle::{Attempt, Judgement, Settler, tails};
use crate::template::{Part, Template};
use crate::tree::Capture;
use std::ops::Range;
use tree_sitter::Tree;

/// Longest result in bytes: what a parser takes by default.
const MAX_BYTES: usize = 8 << 20;
/// Times that a result may be longer than the text and its templates together. Nested matches of
/// a template that uses a capture twice double what is inside them at every level.
const MAX_GROWTH: usize = 8;
/// Sites that are tried alone to find the one that breaks the syntax.
const MAX_SUSPECTS: usize = 32;

/// What a rewrite may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RewriteOptions {
    /// Drop source text that neither the pattern nor a capture holds.
    pub allow_loss: bool,
    /// Accept a result with more syntax errors than the original.
    pub force_syntax: bool,
}

/// A match that is rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Index of the match in the list that was given.
    pub matched: usize,
    /// Bytes of the original text that the match has.
    pub range: Range<usize>,
    /// Index into [`Pattern::readings`].
    pub reading: usize,
    /// What takes its place, with the sites inside it rewritten, indented as at its own place.
    pub replacement: String,
    /// What is dropped here.
    pub losses: Vec<Loss>,
    /// Index of the match around this one whose capture holds it: its replacement is part of
    /// that match's replacement, and no edit of its own.
    pub inside: Option<usize>,
    /// Captures (bytes of the original text), or the whole match, that the result no longer holds
    /// as one piece, where parentheses cannot help: to be looked at.
    pub regrouped: Vec<Range<usize>>,
}

/// One change of the original text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Bytes of the original text. Where a match is deleted, its separator or line may be
    /// included.
    pub range: Range<usize>,
    /// What takes their place.
    pub replacement: String,
}

/// A result with syntax errors that the original did not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Syntax errors of the original.
    pub before: usize,
    /// Syntax errors of the result.
    pub after: usize,
    /// Bodies of macros that could be read as code and no longer can.
    pub macros: usize,
    /// Indices of the matches whose rewriting breaks it, as far as they can be told.
    pub matches: Vec<usize>,
}

/// The rewriting of one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// Every match that is rewritten, by start, the outer before the inner.
    pub sites: Vec<Site>,
    /// The changes, by start, none overlapping another; what comes out as it was is left out.
    pub edits: Vec<Edit>,
    /// The whole new text.
    pub text: String,
    /// Indices of matches that overlap an earlier one without lying inside it (or are the same
    /// stretch) and are left as they are.
    pub crossing: Vec<usize>,
    /// Indices of matches inside another one, but in nothing that the template keeps: they go
    /// with what is around them.
    pub unreached: Vec<usize>,
    /// Set when the result has more syntax errors than the original.
    pub broken: Option<Broken>,
}

impl Rewritten {
    /// Why the rewriting is to be refused under these options, if it is.
    pub fn refusal(&self, options: &RewriteOptions) -> Option<RewriteError> {
        if let Some(broken) = self.broken.as_ref().filter(|_| !options.force_syntax) {
            let places = broken.matches.iter().filter_map(|&at| {
                let site = self.sites.iter().find(|site| site.matched == at)?;
                Some(site.range.clone())
            });
            return Some(RewriteError::DoesNotParse {
                before: broken.before,
                after: broken.after,
                macros: broken.macros,
                sites: places.collect(),
            });
        }
        let losses: Vec<Loss> = self
            .sites
            .iter()
            .flat_map(|site| site.losses.iter().cloned())
            .collect();
        (!losses.is_empty() && !options.allow_loss).then_some(RewriteError::Loses { losses })
    }
}

/// Why a text is not rewritten.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RewriteError {
    /// The result has more syntax errors than the original.
    #[error(
        "the result does not parse: {}, at the matches at bytes {}; correct the template, or force the \
         rewrite",
        trouble(*.before, *.after, *.macros), starts(.sites)
    )]
    DoesNotParse {
        /// Syntax errors of the original.
        before: usize,
        /// Syntax errors of the result.
        after: usize,
        /// Bodies of macros that were read as code and would no longer be.
        macros: usize,
        /// Bytes of the original text of the matches whose rewriting breaks it, as far as they
        /// can be told.
        sites: Vec<Range<usize>>,
    },
    /// Source text would be dropped that neither the pattern nor a capture holds.
    #[error(
        "the rewrite would drop {}; capture it, name it in the pattern, or allow the loss",
        listed(.losses)
    )]
    Loses {
        /// What would be dropped, in the order of the text.
        losses: Vec<Loss>,
    },
    /// The result is too long.
    #[error(
        "the rewrite was given up because its result would be longer than {limit} bytes; a template that \
         uses a capture twice doubles what is nested in it"
    )]
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// Too many matches lie inside one another.
    #[error(
        "the rewrite was given up because so many matches lie inside one another that their replacements, \
         each with those inside it, would have more than {limit} bytes together; rewrite the inner ones \
         first, or narrow the pattern"
    )]
    TooNested {
        /// The limit in bytes.
        limit: usize,
    },
    /// A match does not lie in the text, or has other captures than the pattern.
    #[error("match {index} is not one of this pattern in this text; search the text again")]
    Foreign {
        /// Index of the match.
        index: usize,
    },
    /// The result could not be parsed at all.
    #[error("the result of the rewrite was not parsed: {0}")]
    Unparsed(#[from] fourfold_syntax::Error),
}

fn trouble(before: usize, after: usize, macros: usize) -> String {
    if after > before {
        format!("the text had {before} syntax errors and would have {after}")
    } else if macros > 0 {
        format!("{macros} bodies of macros that read as code no longer would")
    } else {
        "there would be syntax errors in code that had none".to_owned()
    }
}

fn starts(sites: &[Range<usize>]) -> String {
    let starts: Vec<String> = sites
        .iter()
        .take(5)
        .map(|site| site.start.to_string())
        .collect();
    let more = if sites.len() > 5 { ", …" } else { "" };
    format!("{}{more}", starts.join(", "))
}

fn listed(losses: &[Loss]) -> String {
    let shown: Vec<String> = losses.iter().take(5).map(Loss::to_string).collect();
    let more = losses.len().saturating_sub(5);
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Rewrites matches of a pattern in a text.
///
/// `tree` is the tree of `text` that was searched; `matches` are those of its matches that are to
/// be rewritten: usually the ones of reading 0, less those that somebody left out.
///
/// Matches inside a capture of another match are rewritten inside its replacement. Captures keep
/// their bytes; lines that move keep their distance to the line that they move with, in the
/// indentation and with the line ends of the place, except inside strings. Parentheses are put
/// where a capture or a replacement would otherwise be regrouped by its new surroundings. A
/// template that says what the pattern says changes nothing.
///
/// With both options set nothing is refused: the losses of each site and [`Rewritten::broken`]
/// tell what would have been, and [`Rewritten::refusal`] applies other options afterwards.
///
/// ```
/// use fourfold_pattern_match::{Options, Pattern, RewriteOptions, Template, rewrite};
/// use fourfold_syntax::{Language, ParseLimits, with_parser};
///
/// let language = Language::named("python")?;
/// let text = "x = double(a + b) - double(double(c))\n";
/// let tree = with_parser(ParseLimits::default(), |parser| parser.parse(language, text))?;
///
/// let pattern = Pattern::compile(language, "double($N)", &Options::default())?;
/// let template = Template::parse("$N * 2", &pattern)?;
/// let matches = pattern.search(text, &tree).matches;
/// let rewritten = rewrite(&pattern, &template, text, &tree, &matches, &RewriteOptions::default())?;
/// assert_eq!(rewritten.text, "x = (a + b) * 2 - c * 2 * 2\n");
/// assert_eq!(rewritten.sites.len(), 3);
/// assert_eq!(rewritten.edits.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RewriteError::DoesNotParse`] and [`RewriteError::Loses`] unless the options allow it;
/// [`RewriteError::TooLong`], [`RewriteError::TooNested`] and [`RewriteError::Unparsed`] when the result grows over what can
/// be parsed; [`RewriteError::Foreign`] when a match belongs to another text or pattern.
pub fn rewrite(
    pattern: &Pattern,
    template: &Template,
    text: &str,
    tree: &Tree,
    matches: &[Match],
    options: &RewriteOptions,
) -> Result<Rewritten, RewriteError> {
    if let Some(index) = matches.iter().position(|found| !fits(pattern, text, found)) {
        return Err(RewriteError::Foreign { index });
    }
    let nesting = Nesting::of(matches, template);
    if template.is_identity() {
        return Ok(unchanged(text, matches, &nesting));
    }
    if matches.is_empty() {
        return Ok(Rewritten {
            text: text.to_owned(),
            ..Rewritten::default()
        });
    }
    let layout = Layout::new(pattern.language(), text, tree);
    let style = Style::of(&layout);
    let mut plans: Vec<Plan> = matches
        .iter()
        .map(|found| Plan {
            tails: tails(pattern.text(), template.parts(), text, &found.range),
            ..Plan::default()
        })
        .collect();
    let mut settler = Settler {
        renderer: Renderer {
            template,
            layout: &layout,
            matches,
            nesting: &nesting,
            style: &style,
            max_bytes: longest(text, matches, template),
        },
        language: pattern.language(),
        frozen: vec![false; template.lines()],
    };
    let (attempt, judgement) = settler.settle(&mut plans)?;
    let broken = broken(&settler, &judgement, &plans, template)?;
    let sites = nesting
        .sites()
        .iter()
        .map(|&at| Site {
            matched: at,
            range: matches[at].range.clone(),
            reading: matches[at].reading,
            replacement: attempt.done[at].text.clone(),
            losses: losses(&layout, &matches[at], pattern.text(), template),
            inside: nesting.outer(at),
            regrouped: regrouped(&judgement, at, &matches[at], template),
        })
        .collect();
    let rewritten = Rewritten {
        sites,
        edits: edits(&attempt, text),
        text: attempt.file.text,
        crossing: nesting.crossing.clone(),
        unreached: nesting.unreached.clone(),
        broken,
    };
    match rewritten.refusal(options) {
        Some(refusal) => Err(refusal),
        None => Ok(rewritten),
    }
}

/// Longest result that is worked out, in bytes.
fn longest(text: &str, matches: &[Match], template: &Template) -> usize {
    let templates = matches.len().saturating_mul(template.own_bytes());
    let grown = text
        .len()
        .saturating_add(templates)
        .saturating_mul(MAX_GROWTH);
    grown.saturating_add(16 << 10).min(MAX_BYTES)
}

/// Whether a match can be one of the pattern in this text.
fn fits(pattern: &Pattern, text: &str, found: &Match) -> bool {
    let lies = |range: &Range<usize>| {
        range.start <= range.end
            && found.range.start <= range.start
            && range.end <= found.range.end
            && text.get(range.clone()).is_some()
    };
    let is_in_order = |items: &[Range<usize>]| {
        items.iter().all(lies) && items.windows(2).all(|pair| pair[0].end <= pair[1].start)
    };
    found.captures.len() == pattern.variables().len()
        && found.reading < pattern.readings().len()
        && lies(&found.range)
        && !found.range.is_empty()
        && found
            .skipped
            .iter()
            .all(|range| text.get(range.clone()).is_some())
        && found
            .captures
            .iter()
            .enumerate()
            .all(|(slot, capture)| match capture {
                Capture::One(range) => !pattern.is_many(slot) && lies(range),
                Capture::Many(items) => pattern.is_many(slot) && is_in_order(items),
            })
}

fn unchanged(text: &str, matches: &[Match], nesting: &Nesting) -> Rewritten {
    let site = |&at: &usize| Site {
        matched: at,
        range: matches[at].range.clone(),
        reading: matches[at].reading,
        replacement: text[matches[at].range.clone()].to_owned(),
        losses: Vec::new(),
        inside: nesting.outer(at),
        regrouped: Vec::new(),
    };
    Rewritten {
        sites: nesting.sites().iter().map(site).collect(),
        text: text.to_owned(),
        crossing: nesting.crossing.clone(),
        unreached: nesting.unreached.clone(),
        ..Rewritten::default()
    }
}

fn edits(attempt: &Attempt, text: &str) -> Vec<Edit> {
    attempt
        .edits
        .iter()
        .map(|(site, range)| Edit {
            range: range.clone(),
            replacement: attempt.done[*site].text.clone(),
        })
        .filter(|edit| text[edit.range.clone()] != edit.replacement)
        .collect()
}

fn regrouped(
    judgement: &Judgement,
    site: usize,
    found: &Match,
    template: &Template,
) -> Vec<Range<usize>> {
    judgement
        .torn
        .range((site, None)..=(site, Some(usize::MAX)))
        .filter_map(|(_, part)| match part {
            None => Some(found.range.clone()),
            Some(part) => match template.parts().get(*part) {
                Some(Part::Variable { slot, .. }) => found.captures[*slot].span(),
                _ => None,
            },
        })
        .collect()
}

/// Whether the result has more syntax errors, and by which matches.
fn broken(
    settler: &Settler<'_, '_>,
    judgement: &Judgement,
    plans: &[Plan],
    template: &Template,
) -> Result<Option<Broken>, RewriteError> {
    let renderer = &settler.renderer;
    let before = renderer.layout.errors();
    // A macro that the template brings may hold what is no code.
    let macros_before = match template
        .parts()
        .iter()
        .any(|part| matches!(part, Part::Text(text) if text.contains('!')))
    {
        true => usize::MAX,
        false => renderer.layout.unread_macros(),
    };
    let is_worse = |judgement: &Judgement| {
        judgement.errors > before || judgement.unread_macros > macros_before
    };
    if !is_worse(judgement) && judgement.broken.is_empty() {
        return Ok(None);
    }
    let mut culprits: Vec<usize> = judgement.broken.iter().copied().collect();
    let outermost = renderer.nesting.outermost();
    if culprits.is_empty() && outermost.len() > 1 {
        for &site in outermost.iter().take(MAX_SUSPECTS) {
            let nesting = renderer.nesting.alone(site);
            let alone = Settler {
                renderer: Renderer {
                    nesting: &nesting,
                    ..*renderer
                },
                frozen: settler.frozen.clone(),
                ..*settler
            };
            let (_, judgement) = alone.attempt(plans)?;
            if is_worse(&judgement) {
                culprits.push(site);
            }
        }
    }
    if culprits.is_empty() {
        culprits = outermost.to_vec();
    }
    Ok(Some(Broken {
        before,
        after: judgement.errors,
        macros: judgement.unread_macros.saturating_sub(macros_before),
        matches: culprits,
    }))
}
