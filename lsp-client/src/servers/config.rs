//! How many servers may run, and for how long.

use std::time::Duration;

/// Bounds of the servers that run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PoolConfig {
    /// How many may run at a time. Default: 6; a server takes between 50 MiB and 2 GiB. For a new
    /// one the idle one that was unused for longest is ended, never one in use.
    pub live: usize,
    /// After how long without use one is ended. Default: 10 min; a conversation comes back to a
    /// language within that, or not at all.
    pub idle: Duration,
    /// The same for one that takes long to start ([`ServerSpec::heavy`](crate::ServerSpec::heavy)).
    /// Default: 20 min.
    pub idle_heavy: Duration,
    /// How often it is looked whether one that was in use when its idle time was over still is.
    /// Default: 60 s.
    pub check: Duration,
    /// How long one must have been up before its end counts as a crash and no longer as another
    /// failed start. Default: 10 s; what is missing shows within that.
    pub proven: Duration,
    /// How long nothing is started after a first failure; doubled with every further one. Default:
    /// 1 s.
    pub pause: Duration,
    /// The longest such pause. Default: 5 min.
    pub pause_at_most: Duration,
    /// How many ends within [`PoolConfig::deaths_within`] switch a server off until it is reloaded.
    /// Default: 5.
    pub deaths: usize,
    /// Default: 15 min.
    pub deaths_within: Duration,
}

impl Default for PoolConfig {
    fn default() -> Self {
        Self {
            live: 6,
            idle: Duration::from_secs(10 * 60),
            idle_heavy: Duration::from_secs(20 * 60),
            check: Duration::from_secs(60),
            proven: Duration::from_secs(10),
            pause: Duration::from_secs(1),
            pause_at_most: Duration::from_secs(5 * 60),
            deaths: 5,
            deaths_within: Duration::from_secs(15 * 60),
        }
    }
}
