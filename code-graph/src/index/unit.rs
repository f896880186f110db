//! One file that has changed, or may have: read, hashed and, if need be, parsed.

use super::content::{Entry, State};
use super::coverage::Reason;
use super::fold::{facts_from_bytes, facts_to_bytes, outline_to_bytes};
use super::heap::encode;
use super::list::{Found, Role};
use super::pack::{Key, Packs};
use super::rules::{Care, by_text};
use super::trees::Trees;
use crate::extract;
use crate::facts::{Extent, Facts};
use crate::graph::Outline;
use crate::link::Surface;
use fourfold_syntax::{ContentHash, Error, FileSummary, Language, Parser, Tree};
use fourfold_worktree::{ReadLimits, Skipped, Stamp, read_text};
use parking_lot::RwLock;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

/// What became of a file.
pub(super) struct Looked {
    pub(super) stamp: Stamp,
    /// An equal stamp later on proves equal bytes.
    pub(super) settled: bool,
    pub(super) content: ContentHash,
    pub(super) what: What,
}

/// What a file is.
pub(super) enum What {
    /// What it was before.
    Same,
    /// Source code.
    Unit(Box<Unit>),
    /// A project file with something to say: the manifest, as bytes.
    Project(Vec<u8>),
    /// Of no use.
    Nothing,
    /// Left out.
    Left(Reason),
}

/// What a source file says, as bytes that are kept.
pub(super) struct Unit {
    pub(super) language: Language,
    pub(super) outline_only: Option<Reason>,
    pub(super) partial: bool,
    pub(super) outline: Vec<u8>,
    pub(super) surface: Vec<u8>,
    /// Facts and summary, when they are not in the packs.
    pub(super) extracted: Option<(Vec<u8>, Vec<u8>)>,
}

/// Reads a file and finds out what it says. `before` is what was known of it; `None` when it is gone.
/// `trees` are those of files that were parsed before, where this one may be edited again and again.
/// What comes when `cancel` is set meanwhile is worth nothing.
pub(super) fn look(
    found: &Found,
    before: Option<&Entry>,
    limits: &ReadLimits,
    packs: &RwLock<Packs>,
    parser: &mut Parser,
    trees: Option<&Trees>,
    cancel: &AtomicBool,
) -> Option<Looked> {
    let now = SystemTime::now();
    let text = match read_text(&found.file, limits) {
        Ok(text) => text,
        Err(why) => return unread(found, &why, now),
    };
    let content = ContentHash::of(text.text.as_bytes());
    let looked = |what| {
        Some(Looked {
            stamp: text.stamp,
            settled: text.stamp.is_settled_at(now),
            content,
            what,
        })
    };
    if before.is_some_and(|before| before.content == content) {
        return looked(What::Same);
    }
    let text = text.text.as_str();
    let language = match found.role {
        Role::Source(language) => language,
        Role::Project => {
            let manifest = extract::manifest(&found.path, text);
            return looked(
                manifest.map_or(What::Nothing, |manifest| What::Project(encode(&manifest))),
            );
        }
        Role::Script => {
            let first_line = text.lines().next().unwrap_or_default();
            match Language::of_shebang(first_line).filter(|language| extract::knows(*language)) {
                Some(language) => language,
                None => return looked(What::Nothing),
            }
        }
    };
    let outline_only = match (by_text(language.id(), text), found.care) {
        (Care::Leave(reason), _) => return looked(What::Left(reason)),
        (Care::Outline(reason), _) | (Care::Whole, Care::Outline(reason)) => Some(reason),
        _ => None,
    };
    let key = Key::of(content, language);
    let kept = packs.read().facts(&key);
    if let Some(facts) = kept.and_then(|bytes| facts_from_bytes(&bytes.ok()?).ok()) {
        let shown = unit(language, outline_only, &facts);
        return looked(What::Unit(Box::new(shown)));
    }
    let tree = match trees {
        Some(trees) => trees.parse(&found.path, language, text, parser, cancel),
        None => parser.parse_with(language, text, cancel),
    };
    let tree = match tree {
        Ok(tree) => tree,
        Err(error) => return looked(What::Left(reason_of(&error))),
    };
    match extract(language, text, tree) {
        Some((facts, summary)) => {
            let mut shown = unit(language, outline_only, &facts);
            shown.extracted = Some((facts_to_bytes(facts), summary));
            looked(What::Unit(Box::new(shown)))
        }
        None => looked(What::Nothing),
    }
}

/// The facts of a text, and its summary as bytes.
pub(super) fn extract(language: Language, text: &str, tree: Tree) -> Option<(Facts, Vec<u8>)> {
    let facts = extract::extract(language, text, &tree)?;
    Some((facts, FileSummary::new(language, text, &tree).to_bytes()))
}

fn unit(language: Language, outline_only: Option<Reason>, facts: &Facts) -> Unit {
    Unit {
        language,
        outline_only,
        partial: facts.extent == Extent::Partial,
        outline: outline_to_bytes(Outline::of(facts)),
        surface: encode(&Surface::of(facts)),
        extracted: None,
    }
}

/// What becomes of a file that could not be read.
fn unread(found: &Found, why: &Skipped, now: SystemTime) -> Option<Looked> {
    let (reason, lasts) = match why {
        Skipped::TooLarge { .. } => (Reason::TooLarge, true),
        Skipped::Binary { .. } => (Reason::Binary, true),
        Skipped::NotUtf8 { .. } => (Reason::NotUtf8, true),
        Skipped::Vanished | Skipped::NotRegular { .. } => return None,
        _ => (Reason::Unreadable, false),
    };
    // A file whose name does not say that it is source code is not missed.
    let is_source = matches!(found.role, Role::Source(_));
    Some(Looked {
        stamp: found.stamp,
        settled: lasts && found.stamp.is_settled_at(now),
        content: NOTHING.into(),
        what: if is_source {
            What::Left(reason)
        } else {
            What::Nothing
        },
    })
}

/// The content of a file of which nothing was read; no content has this hash.
const NOTHING: [u8; 32] = [0; 32];

fn reason_of(error: &Error) -> Reason {
    match error {
        Error::TooLarge { .. } => Reason::TooLarge,
        Error::TooSlow { .. } => Reason::TooSlow,
        Error::BeyondGrammar { .. } => Reason::BeyondGrammar,
        _ => Reason::Crashed,
    }
}

/// What the index keeps of a file on which the work failed.
pub(super) fn crashed(found: &Found) -> Looked {
    Looked {
        stamp: found.stamp,
        settled: found.stamp.is_settled_at(SystemTime::now()),
        content: NOTHING.into(),
        what: What::Left(Reason::Crashed),
    }
}

/// The state that a file had stands for what is found in it now.
pub(super) fn stands_for(before: &State, found: &Found) -> bool {
    match (before, found.role) {
        (State::Indexed(indexed), Role::Source(language)) => indexed.language == language,
        (State::Indexed(_), Role::Script) => true,
        (State::Left(_), Role::Source(_)) => true,
        (State::Project(_), Role::Project) => true,
        (State::Nothing, _) => true,
        _ => false,
    }
}
