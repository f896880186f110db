//! How the life of a server ended.

use std::fmt;
use std::time::Duration;

/// The end of a server's life: why, with what its program said last. Its `Display` form is one
/// line.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ended {
    /// The server.
    pub server: String,
    /// What was seen of it.
    pub cause: Cause,
    /// How its program ended, in words such as `exit status 1`; nothing when it had not ended yet.
    pub exit: Option<String>,
    /// The code with which its program exited by itself, neither ended by a signal nor by us.
    pub code: Option<i32>,
    /// The last lines of its standard error.
    pub stderr: String,
    /// The end of what it printed to its standard output that was no message.
    pub noise: String,
}

/// What ended it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// It closed its output, most often by ending.
    ClosedOutput,
    /// It sent what cannot be read: the words of the framing's error.
    Unreadable(String),
    /// It closed its input: the words of the system.
    ClosedInput(String),
    /// It read nothing for so long.
    NeverReads(Duration),
    /// We stopped it.
    Stopped,
}

/// What a program has to say at its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastWords {
    pub(crate) exit: Option<String>,
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
}

impl Ended {
    pub(crate) fn new(server: &str, cause: Cause, words: LastWords, noise: String) -> Self {
        Self {
            server: server.to_owned(),
            cause,
            exit: words.exit,
            code: words.code,
            stderr: words.stderr,
            noise,
        }
    }

    pub(crate) fn stopped(server: &str) -> Self {
        Self::new(server, Cause::Stopped, LastWords::default(), String::new())
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.server)?;
        match &self.cause {
            Cause::ClosedOutput if self.exit.is_some() => f.write_str("ended"),
            Cause::ClosedOutput => f.write_str("closed its output"),
            Cause::Unreadable(why) => write!(f, "sent what cannot be read ({why})"),
            Cause::ClosedInput(why) => write!(f, "closed its input ({why})"),
            Cause::NeverReads(time) => write!(f, "read nothing for {} s", time.as_secs()),
            Cause::Stopped => f.write_str("was stopped"),
        }?;
        if let Some(exit) = &self.exit {
            write!(f, " ({exit})")?;
        }
        for (what, text) in [
            ("its last words", &self.stderr),
            ("it printed", &self.noise),
        ] {
            let text = text.trim();
            if !text.is_empty() {
                write!(f, "; {what}: {}", text.replace('\n', " / "))?;
            }
        }
        Ok(())
    }
}
