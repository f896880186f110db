//! Bounds of a session.

use std::time::Duration;

use crate::connection::ConnectionLimits;
use crate::documents::DocumentLimits;
use crate::settle::SettleLimits;

/// Bounds of a session. What differs from server to server stands in its
/// [`DiagnosticsProfile`](crate::DiagnosticsProfile).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionLimits {
    /// How long the answer to `initialize` may take; 45 s. A JVM on a busy machine needs 20.
    pub initialize: Duration,
    /// How long the answer to `shutdown` may take; 5 s. The slowest healthy server needs 4.7.
    pub shutdown: Duration,
    /// How long a server that was told to exit may take to close its output before its program is
    /// stopped; 2 s.
    pub exit: Duration,
    /// How long the exit status of a program is awaited that has closed its output; 1 s.
    pub farewell: Duration,
    /// How long no work must be open before a server without a better sign counts as ready; 500 ms.
    /// Loading shows as a chain of short pieces of work.
    pub idle: Duration,
    /// How long the work that shows that a project is loaded may take to begin; 10 s. After that its
    /// absence means that there is nothing to load.
    pub signal: Duration,
    /// The connection's.
    pub connection: ConnectionLimits,
    /// The documents'.
    pub documents: DocumentLimits,
    /// Those of waiting for diagnostics.
    pub settle: SettleLimits,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            initialize: Duration::from_secs(45),
            shutdown: Duration::from_secs(5),
            exit: Duration::from_secs(2),
            farewell: Duration::from_secs(1),
            idle: Duration::from_millis(500),
            signal: Duration::from_secs(10),
            connection: ConnectionLimits::default(),
            documents: DocumentLimits::default(),
            settle: SettleLimits::default(),
        }
    }
}
