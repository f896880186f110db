//! The code graph as tools: what is in the checkout, who uses it, what a change reaches.

mod answer;
mod ask;
mod diff;
mod export;
mod request;

pub use answer::{
    CodeAnswer, CodeCoverage, CodeEntry, CodeGroup, CodeLine, CodeOutcome, CodeSource,
    FilesByReason,
};
pub(crate) use ask::Files;
pub use export::ExportForm;
pub use request::{
    Among, CallsRequest, CodeGraphRequest, CodeMapRequest, CodePage, CodeScope, CodeSymbolRequest,
    GraphAction, ImpactRequest, SearchCodeRequest, symbol_kinds,
};
