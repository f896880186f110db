//! The whole graph for other programs.

use std::io::Write;

use fourfold_code_graph::export::{call_edges, json_lines, scip};
use fourfold_worktree::Control;

use super::ask::Files;
use crate::Error;
use crate::checkout::Checkout;

/// A form in which the graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportForm {
    /// Every node and edge, one JSON object a line.
    Jsonl,
    /// The calls, as pairs of definitions, one JSON object a line.
    Edges,
    /// SCIP, the form of code searches that serve many checkouts.
    Scip,
}

impl Checkout {
    /// Writes the graph of the checkout as it is now; blocking.
    ///
    /// # Errors
    /// A checkout that cannot be indexed, [`Error::Cancelled`], and that `out` cannot be written.
    pub fn export_code(
        &self,
        form: ExportForm,
        out: &mut dyn Write,
        control: &Control,
    ) -> Result<(), Error> {
        self.index().refresh(control)?;
        let graph = self.index().graph();
        let written = match form {
            ExportForm::Jsonl => json_lines(&graph, out),
            ExportForm::Edges => call_edges(&graph, out),
            ExportForm::Scip => {
                let root = self.root();
                scip(
                    &graph,
                    &Files(self.tree()),
                    &format!("file://{}", root.display()),
                    out,
                )
            }
        };
        written.map_err(|error| Error::usage(format!("the export could not be written: {error}")))
    }
}
