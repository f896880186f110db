//! The check of the project that a save starts.

use tokio::time::Instant;

use super::Why;
use super::find::Patience;
use crate::documents::Mark;
use crate::session::{Check, Core, Look};
use crate::spec::AfterSave;

impl Core {
    /// Waits until a check that began after the last save has ended. `first` stands for the save
    /// when there was none: servers of this kind check once by themselves when they have loaded.
    pub(super) async fn check_ended(
        &self,
        after: &AfterSave,
        saved: Option<Mark>,
        first: Instant,
        patience: Patience,
    ) -> Result<(), Why> {
        let begun = Instant::now();
        let deadline = patience.step(after.budget);
        let mark = saved.unwrap_or(Mark { seq: 0, at: first });
        let ended = self.inbox.until(deadline, |heard, now| {
            if let Some(ended) = &heard.ended {
                return Look::Found(Err(Why::Gone(ended.clone())));
            }
            let (at, found) = match heard.progress.check(&after.token, mark.seq) {
                Check::Runs => return Look::Wait,
                Check::NotBegun { older } => {
                    let since = older.map_or(mark.at, |older| older.max(mark.at));
                    (since + after.begin, Err(Why::CheckNotSeen))
                }
                // It ended because of a newer save: the run for that one begins soon.
                Check::Ended {
                    at,
                    cancelled: true,
                } => (at + after.begin, Ok(())),
                Check::Ended { at, .. } => (at + after.quiet, Ok(())),
            };
            if now >= at {
                Look::Found(found)
            } else {
                Look::At(at)
            }
        });
        match ended.await {
            Some(found) => found,
            None => Err(self.stuck().unwrap_or_else(|| Why::CheckStillRuns {
                after: begun.elapsed(),
            })),
        }
    }
}
