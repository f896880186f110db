//! Servers that publish by themselves: when is what they published all there is?

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::find::{Native, Patience};
use super::{Evidence, Why};
use crate::connection::RequestError;
use crate::documents::View;
use crate::session::{Core, Heard, Look};
use crate::spec::Readiness;
use crate::uri::to_uri;

/// So many texts in a row whose versions never came back make a server one whose versions mean
/// nothing: one sends the same number for ever, another one is off by one.
const LIES: u32 = 2;

/// So many times as long may the first publish take of a server that loads a project and has not said
/// anything yet: the sign that it has loaded comes before it has looked at the files.
const FIRST: u32 = 4;

/// What was published.
enum Published {
    /// All there is about exactly this version.
    Exact,
    /// All there is, as far as can be told without versions.
    Quiet,
    /// Nothing about this text.
    Silent,
    /// For another version.
    Other(i32),
    /// The server now offers something better.
    Better,
    Gone(Why),
}

/// What is waited for.
struct Goal<'a> {
    path: &'a Path,
    view: &'a View,
    /// Versions of publishes mean nothing.
    lies: bool,
    /// What it publishes about this text has a version: what has none is about the file as it was on the
    /// disk when the project was loaded, and the document is another one by now.
    versioned: bool,
    /// When the server can be expected to have begun with this text.
    from: Instant,
    /// How long its first publish may take.
    appear: Duration,
    /// How long its last one must stay the last.
    settle: Duration,
    /// When it answered a question that was asked after the text.
    answered: Option<Instant>,
    /// Silence is waited out.
    late: bool,
}

impl Goal<'_> {
    fn look(&self, heard: &Heard, now: Instant) -> Look<Published> {
        if let Some(ended) = &heard.ended {
            return Look::Found(Published::Gone(Why::Gone(ended.clone())));
        }
        if let Some(why) = &heard.unusable {
            return Look::Found(Published::Gone(Why::Unusable(why.clone())));
        }
        if !heard.offers.all("textDocument/diagnostic").is_empty() {
            return Look::Found(Published::Better);
        }
        let found = |at: Instant, found| {
            if now >= at {
                Look::Found(found)
            } else {
                Look::At(at)
            }
        };
        let appear = self.from + self.appear;
        let published = heard.publishes.get(self.path);
        let of_disk = |version: Option<i32>| self.versioned && version.is_none();
        let published = published.filter(|one| one.seq > self.view.sent.seq);
        let Some(published) = published.filter(|one| !of_disk(one.version)) else {
            // It may be busy with this very text, or have nothing to say.
            return match heard.progress.idle_since(appear) {
                Some(idle) if self.answered.is_some() && !self.late => {
                    found(idle, Published::Silent)
                }
                _ => Look::Wait,
            };
        };
        // Whatever was sent since may bring another round.
        let last = published.at.max(self.view.world_at);
        match published.version {
            Some(version) if version >= self.view.version && !self.lies => {
                found(last + self.settle, Published::Exact)
            }
            Some(version) if !self.lies => match self.answered {
                Some(_) => {
                    let at = appear.max(last + self.settle);
                    found(at, Published::Other(version))
                }
                None => Look::Wait,
            },
            _ => {
                let Some(answered) = self.answered else {
                    return Look::Wait;
                };
                match heard.progress.idle_since(last.max(answered)) {
                    Some(idle) => found(idle + self.settle, Published::Quiet),
                    None => Look::Wait,
                }
            }
        }
    }
}

impl Core {
    /// What the server publishes about a text; `None` when it offers to be asked now.
    pub(super) async fn pushed(
        &self,
        path: &Path,
        view: &View,
        from: Instant,
        patience: Patience,
    ) -> Option<Native> {
        let begun = Instant::now();
        let deadline = patience.step(self.step());
        let profile = &self.spec.diagnostics;
        let loads = !matches!(self.spec.readiness, Readiness::AtOnce);
        let cold = loads && !self.memory.warm.load(Ordering::Relaxed);
        let lies = self.memory.wrong_versions.load(Ordering::Relaxed) >= LIES;
        // A server whose versions can be trusted says by itself which text it is about.
        let trusted = profile.versioned && !lies;
        let mut goal = Goal {
            path,
            view,
            lies,
            versioned: trusted && view.sent.at > view.opened,
            from,
            appear: match cold {
                true => profile.appear * FIRST,
                false => profile.appear,
            },
            // Files that come and go it reads in its own time, and what it says first may be about some
            // of them only.
            settle: match view.moved {
                true => profile.settle * 2,
                false => profile.settle,
            },
            answered: view.answered,
            late: patience.late,
        };
        let barrier = async {
            if trusted {
                self.without_version(path, view, from + profile.appear)
                    .await;
            }
            self.barrier(path, deadline).await;
            self.documents.answered(path, view);
            Instant::now()
        };
        let mut barrier = std::pin::pin!(barrier);
        let published = loop {
            let pending = goal.answered.is_none();
            tokio::select! {
                // An answer that is there already is seen before what came after it.
                biased;
                answered = &mut barrier, if pending => goal.answered = Some(answered),
                found = self.inbox.until(deadline, |heard, now| goal.look(heard, now)) => break found,
            }
        };
        let evidence = match published {
            Some(Published::Exact) => {
                self.memory.wrong_versions.store(0, Ordering::Relaxed);
                Evidence::ExactVersion
            }
            Some(Published::Quiet) => Evidence::QuietAfterChange,
            // It cannot say anything about a text that it has not read.
            Some(Published::Silent) => {
                let silent = match cold {
                    true => Why::StillLoading {
                        running: self.started.elapsed(),
                        doing: self.doing(),
                    },
                    false => Why::SilentAboutThisVersion {
                        usual: profile.silent_when_clean,
                    },
                };
                Evidence::Unconfirmed(self.stuck().unwrap_or(silent))
            }
            Some(Published::Other(published)) => {
                self.memory.wrong_versions.fetch_add(1, Ordering::Relaxed);
                Evidence::Unconfirmed(Why::OtherVersion {
                    sent: view.version,
                    published,
                })
            }
            Some(Published::Better) => return None,
            Some(Published::Gone(why)) => Evidence::Unconfirmed(why),
            None => Evidence::Unconfirmed(self.late_why(begun)),
        };
        let (diagnostics, seen) = self.published(path, |all| all.get(path)).await;
        Some(Native {
            diagnostics,
            evidence,
            related: Vec::new(),
            seen,
        })
    }

    /// Waits until the server publishes something about the document whose version does not tell
    /// whether it is about this text, but not longer than until then.
    async fn without_version(&self, path: &Path, view: &View, then: Instant) {
        let unclear = self.inbox.until(then, |heard, _| {
            let published = heard.publishes.get(path);
            let published = published.filter(|one| one.seq > view.sent.seq);
            match published.map(|one| one.version) {
                Some(Some(version)) if version >= view.version => Look::Wait,
                Some(_) => Look::Found(()),
                None => Look::Wait,
            }
        });
        let _ = unclear.await;
    }

    /// Asks something that every server answers quickly, in order, and that depends on the text.
    /// What cannot be asked counts as answered. Waits for ever when there is no answer.
    pub(super) async fn barrier(&self, path: &Path, deadline: Instant) {
        let method = "textDocument/documentSymbol";
        if self.inbox.look(|heard| heard.offers.one(method).is_some()) {
            let params = json!({ "textDocument": { "uri": to_uri(path) } });
            let left = deadline.saturating_duration_since(Instant::now());
            match self.connection.request(method, params, left).await {
                // A refusal is an answer too.
                Ok(_) | Err(RequestError::Refused { .. } | RequestError::Again { .. }) => {}
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// What can be said of a server that was waited for since `begun` in vain.
    pub(super) fn late_why(&self, begun: Instant) -> Why {
        if let Some(stuck) = self.stuck() {
            return stuck;
        }
        let doing = self.doing();
        if doing.is_empty() {
            Why::TimedOut {
                after: begun.elapsed(),
            }
        } else {
            Why::StillBusy { doing }
        }
    }

    /// That it does not read, when it does not.
    pub(super) fn stuck(&self) -> Option<Why> {
        let time = self.connection.stuck()?;
        Some(Why::Stuck {
            seconds: time.as_secs(),
        })
    }
}
