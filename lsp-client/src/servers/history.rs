//! What the lives of a server so far say about the next one.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::PoolConfig;

/// How the lives of one server at one root ended that were not ended by us.
#[derive(Debug, Default)]
pub(super) struct History {
    /// When, as far as it still matters.
    deaths: VecDeque<Instant>,
    /// How many in a row failed to start, or ended before they were proven.
    unproven: u32,
    /// The end of the last one.
    last: Option<Death>,
    off: bool,
}

/// One end.
#[derive(Clone, Debug)]
pub(super) struct Death {
    /// Which life it was.
    pub(super) generation: u64,
    /// In words.
    pub(super) why: String,
    /// When the next life may begin.
    pub(super) not_before: Instant,
}

impl History {
    /// Takes note of an end. `up_for` is nothing for a start that failed.
    pub(super) fn died(
        &mut self,
        generation: u64,
        why: String,
        up_for: Option<Duration>,
        config: &PoolConfig,
    ) {
        let now = Instant::now();
        if up_for.is_some_and(|up_for| up_for >= config.proven) {
            self.unproven = 0;
        }
        let doubled = 2_u32.saturating_pow(self.unproven);
        let pause = config
            .pause
            .saturating_mul(doubled)
            .min(config.pause_at_most);
        self.unproven = self.unproven.saturating_add(1);
        self.last = Some(Death {
            generation,
            why,
            not_before: now + pause,
        });
        self.deaths.push_back(now);
        while self
            .deaths
            .front()
            .is_some_and(|death| now.duration_since(*death) > config.deaths_within)
        {
            self.deaths.pop_front();
        }
        self.off = self.off || self.deaths.len() >= config.deaths;
    }

    pub(super) fn last(&self) -> Option<&Death> {
        self.last.as_ref()
    }

    /// How many ends are remembered.
    pub(super) fn deaths(&self) -> usize {
        self.deaths.len()
    }

    /// Whether it ended too often.
    pub(super) fn off(&self) -> bool {
        self.off
    }
}
