//! Language servers found, started and swept; documents kept in sync; diagnostics settled for this content.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod diagnostic;
mod position;
mod spec;
mod uri;

pub use diagnostic::{Diagnostic, Point, Related, Severity, Span, Tag};
pub use position::Encoding;
pub use spec::{
    AfterSave, Ask, DiagnosticsProfile, DocumentKind, Marker, Need, Readiness, Role, RootRule,
    ServerCommand, ServerSpec,
};
