//! Language servers found, started and swept; documents kept in sync; diagnostics settled for this content.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod diagnostic;
mod spec;

pub use diagnostic::{Diagnostic, Point, Related, Severity, Span, Tag};
pub use spec::{
    AfterSave, Ask, Climb, DiagnosticsProfile, DocumentKind, Marker, Need, Origin, Package,
    Readiness, Role, RootRule, ServerCommand, ServerSpec,
};
