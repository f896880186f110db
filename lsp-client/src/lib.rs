//! Language servers found, started and swept; documents kept in sync; diagnostics settled for this content.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod catalog;
mod detect;
mod diagnostic;
mod name;
mod root;
mod servers;
mod spec;

pub use catalog::{Catalog, ConfigError, ServerConfig, ServersConfig, TimesConfig};
pub use detect::{
    Availability, DetectConfig, Detection, Detector, Failure, Launchable, PassedOver, Survey,
    Surveyed, Trust, WhyNot,
};
pub use diagnostic::{Diagnostic, Point, Related, Severity, Span, Tag};
pub use servers::{PoolConfig, ServerState, ServerStatus, Unavailable};
pub use spec::{
    AfterSave, Ask, Climb, DiagnosticsProfile, DocumentKind, Marker, Need, Origin, Package,
    Readiness, Role, RootRule, ServerCommand, ServerSpec,
};
