//! Which symbol is meant by what people write.

use super::Inquiry;
use super::answer::{Answer, Outcome, count};
use super::compose::{Draft, Page};
use crate::facts::{Flags, SymbolKind};
use crate::graph::{File, Graph, NodeId};
use crate::link::{Certainty, EdgeKind};
use fourfold_syntax::Language;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a question is about, as it is written, with what narrows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wanted {
    /// A name, bare or qualified in any way that languages write it (`f`, `C.m`, `a.b.C.m`,
    /// `C::m`), a path (`a/b.py`), a place (`b.py:40`), a name in a file (`b.py::C::m`, `b.py#f`),
    /// or an id.
    pub symbol: String,
    /// Only symbols of this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<SymbolKind>,
    /// Only symbols of files whose path is, ends with or lies below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Wanted {
    /// What this text means, without anything to narrow it.
    pub fn named(symbol: impl Into<String>) -> Wanted {
        Wanted {
            symbol: symbol.into(),
            ..Wanted::default()
        }
    }
}

/// What a name turned out to mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// One thing; several nodes when a file declares it several times (overloads, branches of a
    /// condition, a property's getter and setter).
    One(Vec<NodeId>),
    /// Several things, those first that are most likely meant.
    Many(Vec<NodeId>),
    /// Nothing.
    None,
}

impl Graph {
    /// What a name means; never something that merely looks like it.
    pub fn resolve(&self, wanted: &Wanted) -> Resolution {
        let text = wanted.symbol.trim().trim_matches('`');
        let text = text.strip_suffix("()").unwrap_or(text).trim_end();
        if let Some(node) = id_of(text).and_then(|id| self.by_id(id)) {
            return Resolution::One(vec![node]);
        }
        let mut found = self.in_file(text);
        let mut folder = Vec::new();
        if found.is_empty() && text.contains('/') {
            folder = self.files_below(text);
        }
        if found.is_empty() && folder.is_empty() {
            found = self.by_name(text);
        }
        if found.is_empty() && folder.is_empty() {
            folder = self.files_below(text);
        }
        found.retain(|node| self.fits(*node, wanted));
        folder.retain(|node| self.fits(*node, wanted));
        match folder.is_empty() {
            true => self.decide(found),
            false => Resolution::One(folder),
        }
    }

    /// The files of a folder, at any depth, in order: of the folder of exactly this path, else of
    /// those whose path ends so.
    fn files_below(&self, text: &str) -> Vec<NodeId> {
        let folder = text.trim_start_matches("./").trim_end_matches('/');
        let files = |lies: &dyn Fn(&str) -> bool| -> Vec<NodeId> {
            let files = self.files().iter().filter(|file| lies(&file.path));
            files.map(|file| file.node).collect()
        };
        if folder.is_empty() || folder == "." {
            return match text.is_empty() {
                true => Vec::new(),
                false => files(&|_| true),
            };
        }
        let exact = files(&|path| below(path, folder));
        match exact.is_empty() && folder.contains('/') {
            true => {
                let inner = format!("/{folder}/");
                files(&|path| path.contains(&inner))
            }
            false => exact,
        }
    }

    /// The file and the line that a text is a place in.
    fn place(&self, text: &str) -> Option<(&File, u32)> {
        let (path, rest) = text.split_once(':')?;
        let line = rest.split(':').next()?.parse().ok()?;
        match self.files_named(path).as_slice() {
            [file] => Some((file, line)),
            _ => None,
        }
    }

    fn fits(&self, node: NodeId, wanted: &Wanted) -> bool {
        let kind = wanted.kind.is_none() || wanted.kind == self.kind(node);
        let path = wanted.path.as_deref().is_none_or(|path| {
            let path = path.trim_start_matches("./").trim_end_matches('/');
            let here = &self.file(node).path;
            is_suffix(here, path) || below(here, path)
        });
        kind && path
    }

    /// What a text that begins with a path means.
    fn in_file(&self, text: &str) -> Vec<NodeId> {
        let whole = self.files_named(text);
        if !whole.is_empty() {
            return whole.iter().map(|file| file.node).collect();
        }
        for separator in ["::", "#", ":"] {
            let Some((path, rest)) = text.split_once(separator) else {
                continue;
            };
            let files = self.files_named(path);
            if files.is_empty() {
                continue;
            }
            // A column may follow the line.
            let line = rest.split(':').next().unwrap_or_default().parse::<u32>();
            return files
                .iter()
                .flat_map(|file| match line {
                    Ok(0) => Vec::new(),
                    // What stands outside of every declaration is no symbol, nor the whole file.
                    Ok(line) => {
                        let node = self.at_line(file, line);
                        Vec::from_iter((node != file.node).then_some(node))
                    }
                    Err(_) => self.named_in(file, rest),
                })
                .collect();
        }
        Vec::new()
    }

    /// The files that a path may mean: the one of exactly this path, else those whose path ends so.
    fn files_named(&self, path: &str) -> Vec<&File> {
        let path = path.trim_start_matches("./");
        if !path.contains(['.', '/']) {
            return Vec::new();
        }
        match self.file_at(path) {
            Some(file) => vec![file],
            None => {
                let all = self.files().iter();
                all.filter(|file| is_suffix(&file.path, path)).collect()
            }
        }
    }

    /// The innermost symbol around a 1-based line, else the file.
    pub(super) fn at_line(&self, file: &File, line: u32) -> NodeId {
        let row = line.saturating_sub(1);
        let around = (0..)
            .zip(&file.outline.items)
            .filter(|(_, item)| item.span.row <= row && row <= item.span.end_row)
            // Of those that begin together, the one whose name stands on the line, else the inner.
            .max_by_key(|(at, item)| (item.span.row, item.name_row == row, *at));
        around.map_or(file.node, |(at, _)| NodeId(file.node.0 + 1 + at))
    }

    fn named_in(&self, file: &File, name: &str) -> Vec<NodeId> {
        let mut all = self.by_name(name);
        all.retain(|node| self.file(*node).node == file.node);
        all
    }

    /// The symbols, else the files, that a qualified or bare name fits best.
    fn by_name(&self, text: &str) -> Vec<NodeId> {
        let given: Vec<&str> = parts(text)
            .skip_while(|part| matches!(*part, "crate" | "self" | "super"))
            .collect();
        let Some(last) = given.last() else {
            return Vec::new();
        };
        let mut best = Fit::None;
        let mut found = Vec::new();
        for node in self.named(last) {
            let fit = self.fit(&given, node);
            if fit > best {
                best = fit;
                found.clear();
            }
            if fit == best && fit > Fit::None {
                found.push(node);
            }
        }
        if found.is_empty() && given.len() > 1 {
            let modules = self.files().iter();
            found.extend(
                modules
                    .filter(|file| ends_with(&module(&file.path), &given))
                    .map(|file| file.node),
            );
        }
        found
    }

    /// How well a name fits a symbol whose simple name it ends with.
    fn fit(&self, given: &[&str], node: NodeId) -> Fit {
        let qualified = self.qualified(node);
        let own: Vec<&str> = parts(&qualified).collect();
        if ends_with(&own, given) {
            // A bare name means a method as well as a function.
            let whole = own.len() == given.len() && given.len() > 1;
            return if whole { Fit::Whole } else { Fit::Tail };
        }
        let module = module(&self.file(node).path);
        if let Some(rest) = given.len().checked_sub(own.len())
            && ends_with(given, &own)
            && ends_with(&module, &given[..rest])
        {
            return Fit::Module;
        }
        if let Some(rest) = given.len().checked_sub(own.len())
            && ends_with(given, &own)
            && in_order(module.iter(), &given[..rest])
        {
            return Fit::Package;
        }
        match in_order(module.iter().chain(&own), given) {
            true => Fit::Inside,
            false => Fit::None,
        }
    }

    /// What a variable hands on under the same name: `var f = require('./a').f`.
    pub(super) fn alias_of(&self, node: NodeId) -> Option<NodeId> {
        let item = self.symbol(node)?;
        if !matches!(item.kind, SymbolKind::Variable | SymbolKind::Constant) {
            return None;
        }
        let name = self.name(node);
        let edge = self.outgoing(node).find(|edge| {
            edge.kind == EdgeKind::References
                && edge.row == item.name_row
                && edge.to != node
                && edge.certainty <= Certainty::Inferred
                && self.name(edge.to) == name
        })?;
        Some(edge.to)
    }

    /// One, several or none.
    fn decide(&self, mut found: Vec<NodeId>) -> Resolution {
        let flagged = |node: &NodeId, flag| {
            // What an interface declares is no mere declaration of what shares its name.
            let owner = self.parent(*node).and_then(|owner| self.kind(owner));
            let promised = flag == Flags::DECLARATION && owner == Some(SymbolKind::Interface);
            !promised && self.symbol(*node).is_some_and(|i| i.flags.has(flag))
        };
        // A local is named by its function; a mere declaration stands for its definition.
        for flag in [Flags::LOCAL, Flags::DECLARATION] {
            if found.iter().any(|node| !flagged(node, flag)) {
                found.retain(|node| !flagged(node, flag));
            }
        }
        // A variable that only hands on something under its own name is that.
        let all = found.clone();
        found.retain(|node| self.alias_of(*node).is_none_or(|of| !all.contains(&of)));
        // The name of a class means the class, not the constructor of that name in it.
        let all = found.clone();
        found.retain(|node| self.parent(*node).is_none_or(|class| !all.contains(&class)));
        found.sort_by_key(|node| {
            let uses = self.incoming(*node).len();
            (self.is_test(*node), std::cmp::Reverse(uses), *node)
        });
        found.dedup();
        let Some(first) = found.first().copied() else {
            return Resolution::None;
        };
        let name = self.qualified(first);
        let file = self.file(first).node;
        let one = found
            .iter()
            .all(|node| self.file(*node).node == file && self.qualified(*node) == name);
        if one {
            found.sort();
            Resolution::One(found)
        } else {
            Resolution::Many(found)
        }
    }
}

/// How a name fits, from not at all to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    None,
    /// Its parts occur in this order in the path and the qualified name.
    Inside,
    /// It is the qualified name with names of folders around the module before it: a package hands
    /// on what its modules declare.
    Package,
    /// It is the qualified name with the end of the module's path before it.
    Module,
    /// It is the end of the qualified name.
    Tail,
    /// It is the qualified name.
    Whole,
}

/// The parts of a name, whatever the language puts between them.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let split = |c: char| matches!(c, '.' | ':' | '#' | '\\' | '/' | '>');
    text.split(split)
        .map(|part| part.trim_end_matches('-'))
        .filter(|part| !part.is_empty())
}

/// The parts of a path as they occur in the names of modules.
fn module(path: &str) -> Vec<&str> {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let mut parts: Vec<&str> = stem.split('/').collect();
    if let Some("__init__" | "mod" | "index" | "lib" | "main") = parts.last().copied() {
        parts.pop();
    }
    parts
}

/// Whether two parts are one name: packages are written with hyphens on disk and without in code.
fn same(a: &str, b: &str) -> bool {
    let plain = |byte: u8| if byte == b'-' { b'_' } else { byte };
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(|(a, b)| plain(a) == plain(b))
}

fn ends_with(all: &[&str], end: &[&str]) -> bool {
    let from = all.len().checked_sub(end.len());
    from.is_some_and(|from| all[from..].iter().zip(end).all(|(a, b)| same(a, b)))
}

/// Whether some names occur among others in their order.
fn in_order(mut all: impl Iterator<Item = impl AsRef<str>>, wanted: &[&str]) -> bool {
    wanted
        .iter()
        .all(|part| all.any(|one| same(one.as_ref(), part)))
}

/// Whether a file lies in a folder, at any depth.
fn below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// Whether `end` is the whole path, or its end from a `/` on.
fn is_suffix(path: &str, end: &str) -> bool {
    let before = path.strip_suffix(end);
    before.is_some_and(|before| !end.is_empty() && (before.is_empty() || before.ends_with('/')))
}

fn id_of(text: &str) -> Option<crate::link::StableId> {
    let hex = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let id = hex.then(|| u64::from_str_radix(text, 16).ok()).flatten();
    id.map(crate::link::StableId)
}

impl Inquiry<'_> {
    /// The nodes that a question is about, or the answer that says why there is none such.
    pub(super) fn subject(&self, wanted: &Wanted, page: &Page) -> Result<Vec<NodeId>, Box<Answer>> {
        match self.graph.resolve(wanted) {
            Resolution::One(nodes) => Ok(nodes),
            Resolution::Many(nodes) => Err(Box::new(self.ambiguous(wanted, nodes, page))),
            Resolution::None => Err(Box::new(self.nothing(wanted, page))),
        }
    }

    pub(super) fn ambiguous(&self, wanted: &Wanted, nodes: Vec<NodeId>, page: &Page) -> Answer {
        let headline = format!(
            "`{}` is {}: name one of them, as Owner.name, path::name or path:line",
            wanted.symbol,
            count(nodes.len(), "symbol")
        );
        let mut draft = Draft::new(headline, self.coverage);
        draft.answer.outcome = Outcome::Ambiguous;
        draft.group("candidates", false, nodes, |node| self.entry(*node));
        draft.finish(page)
    }

    /// The answer to a question about something that there is not: why, and what is near.
    pub(super) fn nothing(&self, wanted: &Wanted, page: &Page) -> Answer {
        let text = wanted.symbol.trim().trim_matches('`');
        if let Some((file, line)) = self.graph.place(text) {
            return self.no_declaration(file, line, page);
        }
        let path = text.split([':', '#']).next().unwrap_or_default();
        let path = path.trim_start_matches("./").trim_end_matches('/');
        let is_path = path.contains('/') || Language::of_path(Path::new(path)).is_some();
        let known = self.graph.file_at(path).is_some();
        if !path.is_empty() && !known && self.reader.exists(path) {
            return self.not_indexed(path, page);
        }
        let narrowed = match (&wanted.kind, &wanted.path) {
            (None, None) => String::new(),
            (kind, path) => {
                let kind = kind.map(|kind| format!(" of kind {}", kind.word()));
                let path = path.as_ref().map(|path| format!(" in {path}"));
                format!("{}{}", kind.unwrap_or_default(), path.unwrap_or_default())
            }
        };
        let headline = format!("no symbol or file is called `{text}`{narrowed}");
        let mut draft = Draft::new(headline, self.coverage);
        draft.answer.outcome = Outcome::NotFound;
        let last = parts(text).last().unwrap_or_default();
        let external = self
            .graph
            .external_names()
            .filter(|(name, _)| *name == text || parts(name).last() == Some(last));
        let external: Vec<(String, usize)> = external
            .map(|(name, uses)| (name.to_owned(), uses))
            .collect();
        if let Some((name, uses)) = external.first() {
            draft.note(format!(
                "`{name}` is used {} and lies outside of the checkout",
                super::answer::times(*uses)
            ));
        }
        let unresolved = self.graph.unresolved_named(last).count();
        if unresolved > 0 {
            draft.note(format!(
                "{} of `{last}` could not be told",
                count(unresolved, "use")
            ));
        }
        let partial = &self.coverage.partial;
        if !partial.examples.is_empty() {
            let more = if partial.files > 3 { ", …" } else { "" };
            draft.note(format!(
                "{} known in part only, for syntax errors: {}{more}",
                match partial.files {
                    1 => "1 file is".to_owned(),
                    many => format!("{many} files are"),
                },
                partial.examples[..partial.examples.len().min(3)].join(", ")
            ));
        }
        if is_path && !known {
            let nearest = self.nearest_files(path);
            draft.group("nearest files", false, nearest, |node| self.entry(*node));
            return draft.finish(page);
        }
        let mut nearest = self.graph.nearest(last, 8);
        let mut title = "nearest names".to_owned();
        if nearest.is_empty()
            && let Some((owner, members)) = self.members_of_owner(text)
        {
            title = format!("what {owner} declares");
            nearest = members;
        }
        draft.group(title, false, nearest, |node| self.entry(*node));
        draft.finish(page)
    }

    /// The answer to a question about a line that lies in no declaration.
    fn no_declaration(&self, file: &File, line: u32, page: &Page) -> Answer {
        let path = &file.path;
        let lines = self.reader.read(path).map(|text| text.lines().count());
        let why = match lines {
            _ if line == 0 => "lines are counted from 1".to_owned(),
            Some(lines) if line as usize > lines => {
                format!("{path} has {}", count(lines, "line"))
            }
            _ => "no declaration is around that line".to_owned(),
        };
        let headline =
            format!("{path}:{line} is no symbol: {why}; name one of these, or the file `{path}`");
        let mut draft = Draft::new(headline, self.coverage);
        draft.answer.outcome = Outcome::NotFound;
        let row = line.saturating_sub(1);
        let mut nearest: Vec<(u32, NodeId)> = (0..)
            .zip(&file.outline.items)
            .filter(|(_, item)| !item.flags.has(Flags::LOCAL))
            .map(|(at, item)| {
                let before = item.span.row.saturating_sub(row);
                let after = row.saturating_sub(item.span.end_row);
                (before.max(after), NodeId(file.node.0 + 1 + at))
            })
            .collect();
        nearest.sort_unstable();
        nearest.truncate(4);
        draft.group("nearest declarations", false, nearest, |(_, node)| {
            self.entry(*node)
        });
        draft.finish(page)
    }

    /// The answer to a question about a file or folder that is there and not in the graph.
    fn not_indexed(&self, path: &str, page: &Page) -> Answer {
        let here = |list: &[String]| list.iter().any(|one| one == path);
        let skipped = self.coverage.skipped.iter();
        let reason = skipped
            .filter(|(_, counted)| here(&counted.examples))
            .next();
        let folder = path
            .rsplit('/')
            .next()
            .is_some_and(|name| !name.contains('.'));
        let why = match (reason, Language::of_path(Path::new(path))) {
            (Some((reason, _)), _) => reason.to_string(),
            (None, None) if folder => {
                "nothing in it is of a language that the graph knows".to_owned()
            }
            (None, None) => "of no language that the graph knows".to_owned(),
            (None, Some(language)) if !crate::extract::knows(language) => {
                format!("the graph knows nothing of {}", language.name())
            }
            (None, Some(_)) if self.reader.read(path).is_none() => "not UTF-8 text".to_owned(),
            (None, Some(_)) => "an ignore rule or a limit leaves it out".to_owned(),
        };
        let mut draft = Draft::new(
            format!("{path} exists, but is not in the index: {why}"),
            self.coverage,
        );
        draft.answer.outcome = Outcome::NotFound;
        draft.finish(page)
    }

    /// The files whose names are nearest to that of a path, those of nearest folders first.
    fn nearest_files(&self, path: &str) -> Vec<NodeId> {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let wanted = name(path);
        let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        let most = wanted.len().div_ceil(3);
        let mut near: Vec<(usize, usize, NodeId)> = self
            .graph
            .files()
            .iter()
            .filter_map(|file| {
                let here = name(&file.path);
                let slips = match stem(&here) == stem(&wanted) {
                    true if here == wanted => 0,
                    true => 1,
                    false => 1 + strsim::osa_distance(&here, &wanted),
                };
                let apart = strsim::osa_distance(&file.path, path);
                (slips <= most).then_some((slips, apart, file.node))
            })
            .collect();
        near.sort_unstable();
        near.into_iter().take(8).map(|(_, _, node)| node).collect()
    }

    /// For `Owner.name`: the owner, if there is one, and what it declares.
    fn members_of_owner(&self, text: &str) -> Option<(String, Vec<NodeId>)> {
        let last = parts(text).last()?;
        let owner = text.strip_suffix(last)?;
        let owner = owner.trim_end_matches(['.', ':', '#', '\\', '/', '>', '-']);
        match self.graph.resolve(&Wanted::named(owner)) {
            Resolution::One(nodes) if !owner.is_empty() => {
                let node = *nodes.first()?;
                let members: Vec<NodeId> = self.graph.children(node).collect();
                Some((self.said(node), members))
            }
            _ => None,
        }
    }
}
