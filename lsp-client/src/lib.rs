//! Language servers found, started and swept; documents kept in sync; diagnostics settled for this content.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

#[allow(dead_code, reason = "the session is being built on it")]
mod connection;
mod diagnostic;
#[cfg(test)]
mod peer;
mod position;
mod spec;
mod uri;
#[allow(dead_code, reason = "the session is being built on it")]
mod wire;

pub use connection::{Cause, ConnectionLimits, Ended, RequestError, SessionGone};
pub use diagnostic::{Diagnostic, Point, Related, Severity, Span, Tag};
pub use position::Encoding;
pub use spec::{
    AfterSave, Ask, Climb, DiagnosticsProfile, DocumentKind, Marker, Need, Origin, Package,
    Readiness, Role, RootRule, ServerCommand, ServerSpec,
};
pub use wire::Interrupted;
