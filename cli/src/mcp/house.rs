//! One checkout of a connection, and where its calls are carried out: by the daemon that serves it
//! when one runs, else in this process.

use std::sync::{Arc, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use fourfold::{Checkout, Control, Host};
use tokio::sync::Mutex;

use crate::remote::link::{Failed, Link, Patience};
use crate::remote::many::Many;
use crate::serve::service::{Service as _, Tools};
use crate::serve::wire::{Answer, Call, Refusal};

/// How often a daemon may end just when it is asked, before it is done without one.
const ATTEMPTS: usize = 2;

/// A checkout that is served.
#[derive(Debug)]
pub(crate) struct House {
    name: String,
    pub(crate) checkout: Arc<Checkout>,
    tools: Tools,
    /// The conversation of who names none.
    own: String,
    daemon: Mutex<Daemon>,
    /// What became of interrupted commits and was not told yet.
    news: std::sync::Mutex<Vec<String>>,
    /// Whether nothing in it may be changed.
    reads_only: bool,
    /// Whether nothing in it may be run.
    runs_nothing: bool,
    /// Why nothing in it is looked at, if that is so.
    closed: Option<String>,
}

/// How a checkout is served.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    /// Whether nothing in it may be changed.
    pub(crate) reads_only: bool,
    /// Whether nothing in it may be run.
    pub(crate) runs_nothing: bool,
    /// Whether a daemon is looked for.
    pub(crate) joins: bool,
    /// Why every call is refused, if that is so.
    pub(crate) closed: Option<String>,
}

/// The daemon of the checkout.
#[derive(Debug)]
enum Daemon {
    /// It was not looked for yet.
    Unknown,
    /// There is none, or it is of no use.
    None,
    Joined(Arc<Many>),
}

impl House {
    /// A checkout under a name that is not `taken`.
    pub(crate) fn open(host: Host, checkout: Arc<Checkout>, taken: &[&str], terms: Terms) -> House {
        let folder = checkout.root().file_name().unwrap_or_default();
        let folder = folder.to_string_lossy();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let base: String = folder
            .chars()
            .map(|c| if plain(c) { c } else { '-' })
            .collect();
        let base = if base.is_empty() {
            "root".to_owned()
        } else {
            base
        };
        let mut name = base.clone();
        let mut number = 2;
        while taken.contains(&name.as_str()) {
            name = format!("{base}-{number}");
            number += 1;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_nanos());
        House {
            name,
            own: format!("mcp-{}-{now:x}", std::process::id()),
            tools: Tools::of(host, Arc::clone(&checkout)),
            news: std::sync::Mutex::new(checkout.recovery().notices().collect()),
            checkout,
            daemon: Mutex::new(match terms.joins && terms.closed.is_none() {
                true => Daemon::Unknown,
                false => Daemon::None,
            }),
            reads_only: terms.reads_only,
            runs_nothing: terms.runs_nothing,
            closed: terms.closed,
        }
    }

    /// What tells it from the other checkouts of the connection.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Why nothing in it is looked at, if that is so.
    pub(crate) fn closed(&self) -> Option<&str> {
        self.closed.as_deref()
    }

    /// The conversation of who names none; it ends with the connection.
    pub(crate) fn own_conversation(&self) -> &str {
        &self.own
    }

    /// What became of interrupted commits; each is told once.
    pub(crate) fn news(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.news))
    }

    /// Calls a tool, or what stands in place of one.
    ///
    /// Cancel safety: dropping the future cancels what can be cancelled.
    ///
    /// # Errors
    /// What the tool says; or that the daemon was lost while it worked.
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: serde_json::Value,
        conversation: Option<&str>,
        control: &Arc<Control>,
        far: impl Fn(usize, usize) + Sync,
    ) -> Result<Answer, Refusal> {
        if let Some(why) = &self.closed {
            return Err(Refusal {
                message: why.clone(),
                typed: None,
                usage: true,
            });
        }
        let call = Call {
            tool: tool.to_owned(),
            arguments,
            conversation: conversation.unwrap_or(&self.own).to_owned(),
            reads_only: self.reads_only,
            runs_nothing: self.runs_nothing,
        };
        for _ in 0..ATTEMPTS {
            let Some(many) = self.daemon().await else {
                break;
            };
            match many.call(call.clone(), &far).await {
                Ok(answer) => return Ok(answer),
                Err(Failed::Refused(refusal)) => return Err(refusal),
                Err(Failed::NotTaken) => self.look_again(&many).await,
                Err(Failed::Lost(why)) => {
                    self.look_again(&many).await;
                    return Err(Refusal {
                        message: format!(
                            "{why}, and it is not known whether `{tool}` was done: look at the files \
                             before you call it again. Stages that were not kept on disk are gone"
                        ),
                        typed: None,
                        usage: false,
                    });
                }
            }
        }
        self.tools.call(call, Arc::clone(control)).await
    }

    /// Asks for what stands in place of a tool and is quick.
    ///
    /// Cancel safety and errors as those of [`call`](House::call).
    pub(crate) async fn show(
        &self,
        what: &str,
        arguments: serde_json::Value,
        conversation: Option<&str>,
    ) -> Result<Answer, Refusal> {
        let control = Arc::new(Control::new());
        self.call(what, arguments, conversation, &control, |_, _| {})
            .await
    }

    /// The daemon, if one serves this checkout. What was found at first holds: a conversation does
    /// not move.
    async fn daemon(&self) -> Option<Arc<Many>> {
        let mut daemon = self.daemon.lock().await;
        if let Daemon::Joined(many) = &*daemon {
            if !many.is_over() {
                return Some(Arc::clone(many));
            }
            *daemon = Daemon::Unknown;
        }
        if matches!(*daemon, Daemon::Unknown) {
            *daemon = match self.join().await {
                Ok(Some(many)) => Daemon::Joined(Arc::new(many)),
                Ok(None) => Daemon::None,
                Err(error) => {
                    tracing::warn!(%error, "going on without `fourfold serve`");
                    Daemon::None
                }
            };
        }
        match &*daemon {
            Daemon::Joined(many) => Some(Arc::clone(many)),
            _ => None,
        }
    }

    async fn join(&self) -> anyhow::Result<Option<Many>> {
        let mut link = Link::to(self.checkout.root(), Patience::default())?;
        if !link.connect().await? {
            return Ok(None);
        }
        // What is odd about the checkout was said when it was opened here.
        let known = self.checkout.notices();
        let new = link
            .notices()
            .into_iter()
            .filter(|one| !known.contains(one));
        lock(&self.news).extend(new);
        let many = Many::over(link);
        if let Some(many) = &many {
            many.own(&self.own);
        }
        Ok(many)
    }

    async fn look_again(&self, lost: &Arc<Many>) {
        let mut daemon = self.daemon.lock().await;
        if matches!(&*daemon, Daemon::Joined(many) if Arc::ptr_eq(many, lost)) {
            *daemon = Daemon::Unknown;
        }
    }
}

fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Nothing panics while it holds one.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
