//! Language servers found, started and swept; documents kept in sync; diagnostics settled for this content.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod diagnostic;
mod lens;
mod locate;
mod operations;
mod position;
mod spec;
mod text_edit;
mod texts;
mod uri;
mod workspace_edit;

pub use diagnostic::{Diagnostic, Point, Related, Severity, Span, Tag};
pub use locate::{LocateError, locate};
pub use operations::{
    Calls, CodeAction, Direction, FoundSymbol, HierarchyItem, Hover, Indentation, InlayHint,
    InlayKind, Parameter, Place, Places, Renamable, Signature, SignatureHelp, Symbol, SymbolKind,
};
pub use position::Encoding;
pub use spec::{
    AfterSave, Ask, DiagnosticsProfile, DocumentKind, Marker, Need, Readiness, Role, RootRule,
    ServerCommand, ServerSpec,
};
pub use text_edit::TextEdit;
pub use texts::TextError;
pub use workspace_edit::{Annotation, EditError, FileChange, WorkspaceEdit};
