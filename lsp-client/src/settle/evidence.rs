//! Why a list of diagnostics can be relied on, or cannot.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::connection::{Ended, RequestError, SessionGone};

/// Why a list of diagnostics is all there is about a text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Evidence {
    /// The server published it for exactly this version, and nothing more for a while.
    ExactVersion,
    /// It answers a pull that was sent after the text.
    Pulled,
    /// It answers a direct question that was sent after the text.
    Asked,
    /// The server publishes without versions: it came after the text was sent, the server had
    /// answered another question about the text, worked on nothing and said nothing more for a
    /// while.
    QuietAfterChange,
    /// As one of the above, and a check of the whole project has ended that began after the text
    /// was written.
    CheckEnded,
    /// There is none.
    Unconfirmed(Why),
}

/// Why a list of diagnostics may not be all there is. Its `Display` form is a clause that goes on
/// after "not confirmed: ".
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Why {
    /// The server still loads the project.
    StillLoading {
        /// For how long it has been running.
        running: Duration,
        /// What it says that it is doing.
        doing: Vec<String>,
    },
    /// The server said nothing about this text, and is idle.
    SilentAboutThisVersion {
        /// Whether it is known to say nothing about a clean file that stays clean.
        usual: bool,
    },
    /// It publishes, but for another version.
    OtherVersion {
        /// The version of the text.
        sent: i32,
        /// The version of the last publish.
        published: i32,
    },
    /// It was still working.
    StillBusy {
        /// What it says that it is doing.
        doing: Vec<String>,
    },
    /// It did not answer in time.
    TimedOut {
        /// How long was waited.
        after: Duration,
    },
    /// It does not read what it is sent.
    Stuck {
        /// For how long.
        seconds: u64,
    },
    /// It has ended.
    Gone(Arc<Ended>),
    /// The check of the project was not seen to begin: only what the server finds by itself is
    /// known.
    CheckNotSeen,
    /// The check of the project has not ended: only what the server finds by itself is known.
    CheckStillRuns {
        /// How long was waited.
        after: Duration,
    },
    /// It refused the question.
    RequestFailed(RequestError),
    /// It says that it is of no use here, and why.
    Unusable(String),
    /// The text was changed again meanwhile.
    Overtaken,
    /// The file is not open at the server.
    NotOpen,
}

impl Evidence {
    /// Whether there is any.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        !matches!(self, Self::Unconfirmed(_))
    }
}

impl Why {
    /// Whether waiting longer may help.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::StillLoading { .. }
            | Self::SilentAboutThisVersion { .. }
            | Self::StillBusy { .. }
            | Self::TimedOut { .. }
            | Self::Stuck { .. }
            | Self::CheckStillRuns { .. } => true,
            Self::OtherVersion { .. }
            | Self::Gone(_)
            | Self::CheckNotSeen
            | Self::RequestFailed(_)
            | Self::Unusable(_)
            | Self::Overtaken
            | Self::NotOpen => false,
        }
    }
}

impl From<SessionGone> for Why {
    fn from(gone: SessionGone) -> Self {
        match gone {
            SessionGone::Stuck { seconds, .. } => Self::Stuck { seconds },
            SessionGone::Ended(ended) => Self::Gone(ended),
        }
    }
}

impl From<RequestError> for Why {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Gone(gone) => gone.into(),
            RequestError::TimedOut { after, .. } => Self::TimedOut { after },
            error => Self::RequestFailed(error),
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |time: &Duration| (time.as_secs_f32() * 10.0).round() / 10.0;
        match self {
            Self::StillLoading { running, doing } => {
                write!(
                    f,
                    "the server still loads the project, {} s after its start",
                    seconds(running)
                )?;
                list(f, doing)
            }
            Self::SilentAboutThisVersion { usual: true } => f.write_str(
                "the server said nothing about this text, as it does when a clean file stays clean",
            ),
            Self::SilentAboutThisVersion { usual: false } => {
                f.write_str("the server said nothing about this text")
            }
            Self::OtherVersion { sent, published } => write!(
                f,
                "the server published for version {published} of the text, and this is {sent}"
            ),
            Self::StillBusy { doing } => {
                f.write_str("the server was still busy")?;
                list(f, doing)
            }
            Self::TimedOut { after } if after.as_millis() < 50 => {
                f.write_str("there was no time left to ask the server")
            }
            Self::TimedOut { after } => {
                write!(f, "the server did not answer within {} s", seconds(after))
            }
            Self::Stuck { seconds } => write!(f, "the server has read nothing for {seconds} s"),
            Self::Gone(ended) => write!(f, "{ended}"),
            Self::CheckNotSeen => f.write_str(
                "the check of the project was not seen to begin, so its findings are missing",
            ),
            Self::CheckStillRuns { after } => write!(
                f,
                "the check of the project still ran after {} s, so its findings are missing",
                seconds(after)
            ),
            Self::RequestFailed(error) => write!(f, "{error}"),
            Self::Unusable(why) => f.write_str(why),
            Self::Overtaken => f.write_str("the text was changed again meanwhile"),
            Self::NotOpen => f.write_str("the file is not open at the server"),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, doing: &[String]) -> fmt::Result {
    let doing: Vec<_> = doing.iter().filter(|title| !title.is_empty()).collect();
    match doing.as_slice() {
        [] => Ok(()),
        [first] => write!(f, " ({first})"),
        [first, rest @ ..] => write!(f, " ({first} and {} more)", rest.len()),
    }
}
