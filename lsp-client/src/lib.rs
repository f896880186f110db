//! Language servers found, started and swept; documents kept in sync; diagnostics settled for this
//! content.
//!
//! - [`Catalog`] is what is known about servers, [`Detector`] what of it can run here, [`Servers`]
//!   those that do.
//! - A [`Session`] is one of them: [`Session::baseline`], [`Session::announce`] and
//!   [`Session::settle`] go around a change, and say with [`Evidence`] how sure the answer is.
//! - [`Operations`] is everything else that can be asked.
//!
//! ```
//! use fourfold_lsp_client::Catalog;
//!
//! let catalog = Catalog::built_in();
//! let servers = catalog.for_path("src/app.py".as_ref()).map(|server| server.id.as_str());
//! assert!(servers.collect::<Vec<_>>().contains(&"pyright"));
//! ```
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod catalog;
mod checker;
mod connection;
mod detect;
mod diagnostic;
mod documents;
mod lens;
mod locate;
mod name;
mod operations;
#[cfg(test)]
mod peer;
mod position;
mod received;
mod root;
mod servers;
mod session;
mod settle;
mod spec;
mod text_edit;
mod texts;
mod uri;
mod wire;
mod workspace_edit;

pub use catalog::{Catalog, ConfigError, ServerConfig, ServersConfig, TimesConfig};
pub use checker::{CheckEnd, CheckLimits, Checked};
pub use connection::{Cause, ConnectionLimits, Ended, RequestError, SessionGone};
pub use detect::{
    Availability, DetectConfig, Detection, Detector, Failure, Launchable, PassedOver, Survey,
    Surveyed, Trust, WhyNot,
};
pub use diagnostic::{Diagnostic, Point, Related, Severity, Span, Tag};
pub use documents::{Change, DocumentLimits, FileEvent};
pub use locate::{LocateError, locate};
pub use operations::{
    Calls, CodeAction, Direction, FoundSymbol, Goto, HierarchyItem, Hover, Indentation, InlayHint,
    InlayKind, OperationError, OperationLimits, Operations, Parameter, Performed, Place, Places,
    Renamable, Signature, SignatureHelp, Symbol, SymbolKind,
};
pub use position::Encoding;
pub use servers::{
    Begun, InUse, PoolConfig, Served, ServerState, ServerStatus, Servers, Unavailable,
};
pub use session::{Launch, Session, SessionLimits, StartError, Transport};
pub use settle::{Before, Dependent, Evidence, Late, OpenError, SettleLimits, Settled, Why};
pub use spec::{
    Ask, Climb, DiagnosticsProfile, DocumentKind, Hides, Marker, Need, Origin, Package,
    ProjectCheck, Readiness, Role, RootRule, ServerCommand, ServerSpec,
};
pub use text_edit::TextEdit;
pub use texts::TextError;
pub use wire::Interrupted;
pub use workspace_edit::{Annotation, EditError, FileChange, WorkspaceEdit};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
