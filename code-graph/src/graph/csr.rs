//! Numbers grouped by node, in two flat arrays.

use super::NodeId;

/// For each node a run of numbers.
#[derive(Debug, Default)]
pub(super) struct Csr {
    /// Where the run of each node begins; one more than there are nodes.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Csr {
    /// Groups `0..keys.len()` by key; what has one key keeps its order.
    pub(super) fn group(groups: usize, keys: impl Iterator<Item = NodeId> + Clone) -> Csr {
        Csr::group_pairs(groups, keys.zip(0..))
    }

    /// Where the runs of keys that are grouped already are; the numbers themselves are not kept.
    pub(super) fn runs(groups: usize, keys: impl Iterator<Item = NodeId>) -> Csr {
        Csr {
            starts: starts(groups, keys),
            items: Vec::new(),
        }
    }

    /// Groups numbers by the node that each comes with; what has one node keeps its order.
    pub(super) fn group_pairs(
        groups: usize,
        pairs: impl Iterator<Item = (NodeId, u32)> + Clone,
    ) -> Csr {
        let starts = starts(groups, pairs.clone().map(|(node, _)| node));
        let mut next = starts.clone();
        let mut items = vec![0; starts.last().copied().unwrap_or(0) as usize];
        for (node, item) in pairs {
            let slot = &mut next[node.index()];
            items[*slot as usize] = item;
            *slot += 1;
        }
        Csr { starts, items }
    }

    /// The grouped numbers, one run after another; what is left tells where the runs are.
    pub(super) fn take_items(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.items)
    }

    /// Where the run of a node begins and ends; nowhere for a node there is not.
    pub(super) fn range(&self, node: NodeId) -> (usize, usize) {
        let at = node.index();
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(start), Some(end)) => (*start as usize, *end as usize),
            _ => (0, 0),
        }
    }

    /// The run of a node; empty for a node there is not.
    pub(super) fn of(&self, node: NodeId) -> &[u32] {
        let (start, end) = self.range(node);
        &self.items[start..end]
    }
}

/// Where the run of each key begins when they are grouped, and where the last ends.
fn starts(groups: usize, keys: impl Iterator<Item = NodeId>) -> Vec<u32> {
    let mut starts = vec![0u32; groups + 1];
    for node in keys {
        starts[node.index() + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    starts
}
