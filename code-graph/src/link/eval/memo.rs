//! Remembers what was worked out, and which look-ups it rests on.

use super::super::key;
use super::super::value::{FileId, Values};
use super::{DEPTH, Eval, FUEL, Node};
use hashbrown::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// A node that was worked out completely.
#[derive(Debug)]
pub(crate) struct Memo {
    pub(super) values: Values,
    /// How many levels of nodes it needed, itself included.
    pub(super) height: u16,
    /// What it looked up outside its file.
    pub(super) keys: Box<[u64]>,
    /// The kept nodes that it used.
    pub(super) uses: Box<[Arc<Memo>]>,
}

impl Memo {
    /// What it looked up.
    pub(in crate::link) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// What it used.
    pub(in crate::link) fn uses(&self) -> &[Arc<Memo>] {
        &self.uses
    }
}

/// A node in the making: where what it looked up and what it used begin in the lists of the
/// [`Eval`], which the nodes around it share.
#[derive(Default)]
pub(super) struct Frame {
    keys: usize,
    uses: usize,
    height: u16,
    cut: bool,
    /// The depth of the outermost node that it came back to.
    low: Option<usize>,
    /// Where what was cut short in it begins in [`Cuts::log`].
    log: usize,
    /// The fuel that was there when it began.
    fuel: u32,
}

/// Nodes that were cut short at a depth, for the file that is linked.
///
/// What such a node gives depends on what is around it by three things only: the depth, where it
/// comes back to, and the fuel. One that comes back to nothing around it is therefore the same
/// wherever it is asked at the same depth, as long as nothing that is around it there was worked
/// out in it, and the fuel lasts. What it looked up is its file's since it was first worked out.
/// Without this every use of a member of a class that inherits through very many others would go
/// through all of them that are within the depth limit again.
#[derive(Default)]
pub(super) struct Cuts {
    known: HashMap<(Node, usize), CutShort>,
    /// What was cut short, in the order in which it was done.
    log: Vec<Logged>,
}

/// A node that was cut short.
struct CutShort {
    values: Values,
    /// The fuel that it took.
    cost: u32,
    /// Its part of [`Cuts::log`].
    log: Range<usize>,
}

/// A step that was cut short.
enum Logged {
    /// A node that was worked out.
    Node(Node),
    /// All that was worked out for a node before.
    Again(Range<usize>),
}

impl Cuts {
    /// How many nodes were worked out and cut short.
    #[cfg(test)]
    fn worked_out(&self) -> usize {
        let is_node = |logged: &&Logged| matches!(logged, Logged::Node(_));
        self.log.iter().filter(is_node).count()
    }

    /// Whether one of these nodes is in a part of the log.
    fn meet(&self, active: &[Node], part: &Range<usize>) -> bool {
        let mut open = vec![part.clone()];
        while let Some(part) = open.pop() {
            for logged in self.log.get(part).unwrap_or_default() {
                match logged {
                    Logged::Node(node) if active.contains(node) => return true,
                    Logged::Node(_) => {}
                    Logged::Again(part) => open.push(part.clone()),
                }
            }
        }
        false
    }
}

impl Eval<'_> {
    /// Begins with the next use: it has all the fuel.
    pub(in crate::link) fn refuel(&mut self) {
        self.fuel = FUEL;
        self.aborted = false;
    }

    /// Notes that something was looked up that another file decides.
    pub(crate) fn note(&mut self, key: u64) {
        self.keys.push(key);
    }

    /// Notes that a file's wildcard imports or exports were looked at.
    pub(crate) fn note_wildcards(&mut self, file: FileId) {
        if let Some(unit) = self.world.unit(file) {
            self.note(key::of_file(unit.path, key::WILDCARDS));
        }
    }

    /// What `work`, which evaluates no node, finds, and all that it looked up: whoever keeps both
    /// [`lean_on`](Eval::lean_on)s the second when the first is used again.
    pub(in crate::link) fn looked_up<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> T,
    ) -> (T, Arc<Memo>) {
        let from = self.keys.len();
        let found = work(self);
        let memo = Arc::new(Memo {
            values: Values::none(),
            height: 0,
            keys: sorted(self.keys.get_mut(from..).unwrap_or_default()),
            uses: Box::default(),
        });
        self.keys.truncate(from);
        self.lean_on(&memo);
        (found, memo)
    }

    /// Notes everything that was looked up for something that was found before.
    pub(in crate::link) fn lean_on(&mut self, memo: &Arc<Memo>) {
        // One name is often used several times in a row. What the nodes around this one use is theirs.
        let from = self.frames.last().map_or(0, |frame| frame.uses);
        let last = self.uses.get(from..).and_then(<[_]>::last);
        if !last.is_some_and(|last| Arc::ptr_eq(last, memo)) {
            self.uses.push(Arc::clone(memo));
        }
    }

    /// The values of a node: kept ones, or what `work` finds.
    pub(crate) fn node(&mut self, node: Node, work: impl FnOnce(&mut Self) -> Values) -> Values {
        if self.aborted {
            self.cut();
            return Values::none();
        }
        let depth = self.active.len();
        if let Some(memo) = self.kept(node)
            && depth + usize::from(memo.height) <= DEPTH
        {
            let values = memo.values.clone();
            self.depend(memo);
            return values;
        }
        if depth >= DEPTH {
            self.cut();
            return Values::none();
        }
        if let Some(at) = self.active.iter().position(|active| *active == node) {
            self.cut();
            self.came_back(at);
            return Values::none();
        }
        if depth == 0
            && let Some(values) = self.alone.get(&node)
        {
            return values.clone();
        }
        if let Some(values) = self.cut_before(node) {
            self.cut();
            return values;
        }
        self.active.push(node);
        self.frames.push(Frame {
            keys: self.keys.len(),
            uses: self.uses.len(),
            log: self.cuts.log.len(),
            fuel: self.fuel,
            ..Frame::default()
        });
        let around = self.here;
        self.here = node.place().unwrap_or(around);
        let mut values = work(self);
        self.here = around;
        self.active.pop();
        let Some(frame) = self.frames.pop() else {
            return values;
        };
        if frame.cut || self.aborted {
            match self.fuel.checked_sub(1) {
                Some(left) => self.fuel = left,
                None => self.aborted = true,
            }
            if self.aborted {
                values = Values::none();
            }
            // What it looked up and used is its parent's now.
            self.cut();
            self.cuts.log.push(Logged::Node(node));
            let around = frame.low.filter(|low| *low < depth);
            if let Some(low) = around {
                self.came_back(low);
            }
            if depth == 0 {
                self.alone.insert(node, values.clone());
            } else if around.is_none() && !self.aborted {
                let known = CutShort {
                    values: values.clone(),
                    cost: frame.fuel.saturating_sub(self.fuel),
                    log: frame.log..self.cuts.log.len(),
                };
                self.cuts.known.insert((node, depth), known);
            }
            return values;
        }
        let memo = Arc::new(Memo {
            values: values.clone(),
            height: frame.height + 1,
            keys: sorted(self.keys.get_mut(frame.keys..).unwrap_or_default()),
            uses: self.uses.drain(frame.uses..).collect(),
        });
        self.keys.truncate(frame.keys);
        self.keep(node, &memo);
        self.depend(memo);
        values
    }

    /// The file that members are looked up from, where that makes a difference.
    pub(in crate::link) fn seen_from(&self) -> FileId {
        if self.world.rules(self.here).extensions_by_file() {
            self.here
        } else {
            FileId(u32::MAX)
        }
    }

    /// Takes it that what is being worked out is incomplete.
    fn cut(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.cut = true;
        }
    }

    /// Takes it that what is being worked out came back to the node at a depth.
    fn came_back(&mut self, depth: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.low = Some(frame.low.map_or(depth, |low| low.min(depth)));
        }
    }

    /// What a node gave that was cut short at this depth, if it would give the same again.
    fn cut_before(&mut self, node: Node) -> Option<Values> {
        let known = self.cuts.known.get(&(node, self.active.len()))?;
        let fuel = self.fuel.checked_sub(known.cost)?;
        if self.cuts.meet(&self.active, &known.log) {
            return None;
        }
        let values = known.values.clone();
        let again = Logged::Again(known.log.clone());
        self.cuts.log.push(again);
        self.fuel = fuel;
        Some(values)
    }

    fn depend(&mut self, memo: Arc<Memo>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.height = frame.height.max(memo.height);
            if !memo.keys.is_empty() || !memo.uses.is_empty() {
                self.uses.push(memo);
            }
        }
    }

    fn kept(&self, node: Node) -> Option<Arc<Memo>> {
        match node {
            Node::Expr(..) => self.local.get(&node).cloned(),
            Node::Namespace(..) => self.world.shared.lock().get(&node).cloned(),
            _ => self
                .world
                .unit(node.file()?)?
                .memo
                .lock()
                .get(&node)
                .cloned(),
        }
    }

    pub(super) fn keep(&mut self, node: Node, memo: &Arc<Memo>) {
        match node {
            Node::Expr(file, ..) => {
                if file == self.file {
                    self.local.insert(node, memo.clone());
                }
            }
            Node::Namespace(..) => {
                self.world.shared.lock().insert(node, memo.clone());
            }
            _ => {
                if let Some(unit) = node.file().and_then(|file| self.world.unit(file)) {
                    unit.memo.lock().insert(node, memo.clone());
                }
            }
        }
    }
}

/// These keys in order, each once.
fn sorted(keys: &mut [u64]) -> Box<[u64]> {
    keys.sort_unstable();
    let mut sorted = Vec::with_capacity(keys.len());
    for together in keys.chunk_by(|a, b| a == b) {
        sorted.extend(together.first());
    }
    sorted.into()
}

#[cfg(test)]
mod tests;
