//! The name that everything a child starts carries in its environment.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::process;

use crate::processes;

/// The environment variable that holds the token.
pub const TOKEN_VARIABLE: &str = "FOURFOLD_CHILD";

/// Marks a child and everything it starts, through the environment variable [`TOKEN_VARIABLE`].
///
/// As text: `<owner's pid>.<owner's start time>.<pid namespace>.<random>`. Pid and start time tell
/// whether the owner still lives, even when its pid has been given to another process; the namespace
/// keeps a sweep from judging pids that mean something else where they were written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Token {
    text: String,
    owner: Owner,
}

/// The process that started a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Owner {
    pid: u32,
    /// In clock ticks since the machine started; 0 where the system does not tell.
    start: u64,
    /// Inode of the pid namespace; 0 where the system does not tell.
    namespace: u64,
}

impl Token {
    /// A token that no other child has, owned by this process.
    pub(crate) fn new() -> Self {
        let owner = Owner::this_process();
        // Its keys are random, and differ from call to call.
        let random = RandomState::new().build_hasher().finish();
        let Owner {
            pid,
            start,
            namespace,
        } = owner;
        Self {
            text: format!("{pid}.{start}.{namespace}.{random:016x}"),
            owner,
        }
    }

    /// Reads a token as a process has it in its environment; `None` if it is not of our making.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let owner = Owner {
            pid: parts.next()?.parse().ok()?,
            start: parts.next()?.parse().ok()?,
            namespace: parts.next()?.parse().ok()?,
        };
        let random = parts.next()?;
        let good = random.len() == 16
            && random.bytes().all(|byte| byte.is_ascii_hexdigit())
            && parts.next().is_none();
        good.then(|| Self {
            text: text.to_owned(),
            owner,
        })
    }

    /// The token as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether its owner is known to be gone. `false` when this process cannot know.
    pub(crate) fn is_orphaned(&self) -> bool {
        if self.owner.namespace != processes::pid_namespace() {
            return false;
        }
        match i32::try_from(self.owner.pid).ok().and_then(processes::read) {
            Some(process) => process.start != self.owner.start || process.has_ended(),
            None => true,
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Owner {
    fn this_process() -> Self {
        let pid = process::id();
        let this = i32::try_from(pid).ok().and_then(processes::read);
        Self {
            pid,
            start: this.map_or(0, |this| this.start),
            namespace: processes::pid_namespace(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_as_it_was_written() {
        let token = Token::new();
        assert_eq!(Token::parse(token.as_str()), Some(token.clone()));
        assert_eq!(token.owner.pid, process::id());
        assert_ne!(token, Token::new());
    }

    #[test]
    fn what_is_not_ours_is_no_token() {
        for text in [
            "",
            "1",
            "1.2.3",
            "1.2.3.4",
            "x.2.3.0123456789abcdef",
            "1.2.3.0123456789abcdeg",
            "1.2.3.0123456789abcdef.5",
            "-1.2.3.0123456789abcdef",
        ] {
            assert_eq!(Token::parse(text), None, "{text}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_owner_is_its_pid_and_its_start() {
        let token = Token::new();
        assert!(!token.is_orphaned());

        let Owner {
            pid,
            start,
            namespace,
        } = token.owner;
        let with = |start, namespace| {
            Token::parse(&format!("{pid}.{start}.{namespace}.0123456789abcdef")).unwrap()
        };
        // The pid has been given to another process.
        assert!(with(start - 1, namespace).is_orphaned());
        // Of another namespace nothing is known.
        assert!(!with(start - 1, namespace + 1).is_orphaned());
    }
}
