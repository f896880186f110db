//! Bounds of operations.

use std::time::Duration;

/// How long operations wait.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationLimits {
    /// How long an answer about one document may take; 20 s. Warm servers answer in well under a
    /// second, a cold one on a large project in ten.
    pub request: Duration,
    /// How long an answer may take that the whole project is searched for: definitions,
    /// references, renames, hierarchies, symbols by name; 60 s.
    pub search: Duration,
    /// How long a server may take to load the project before it is asked all the same; 30 s. That
    /// is enough for a project of 100,000 lines on most servers; of an answer with nothing in it
    /// the caller then hears that the server is still loading.
    pub ready: Duration,
    /// How long open work is waited for that may be an index of the project; 5 s. A server may have
    /// other work open for minutes, so it is asked all the same.
    pub indexing: Duration,
    /// The pause before a server is asked again that was interrupted; 100 ms.
    pub again: Duration,
    /// How long the edits of a command may come after its answer; 1 s. Most come before it.
    pub late_edits: Duration,
    /// How many symbols of one search are asked for their places one by one; 50, what an answer
    /// shows at most.
    pub resolved: usize,
}

impl Default for OperationLimits {
    fn default() -> Self {
        OperationLimits {
            request: Duration::from_secs(20),
            search: Duration::from_secs(60),
            ready: Duration::from_secs(30),
            indexing: Duration::from_secs(5),
            again: Duration::from_millis(100),
            late_edits: Duration::from_secs(1),
            resolved: 50,
        }
    }
}
