//! Finding and ending by token what no guard ended.

use std::collections::HashSet;
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, getpid};

use crate::processes::{self, Process};
use crate::token::{TOKEN_VARIABLE, Token};

/// Looks at all processes before what is still there is given up. A look and the pause after it take
/// some 20 ms, so that this is four seconds.
const ROUNDS: usize = 200;

/// Pause between two looks: what was killed needs a moment to go.
const PAUSE: Duration = Duration::from_millis(10);

/// Looks in a row that must find nothing. One is not enough: a process that is just replacing its
/// program has no environment for a moment.
const QUIET_ROUNDS: usize = 2;

/// Characters of a command line that are kept for people.
const COMMAND_LENGTH: usize = 200;

/// A process that carries the token of a child, or stems from one that does.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leftover {
    /// Its process id.
    pub pid: u32,
    /// Its command line, shortened.
    pub command: String,
}

/// What [`sweep`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Swept {
    /// Processes that were there and are not any more.
    pub ended: Vec<Leftover>,
    /// Processes that are still there: not ours to end, or stuck inside the system.
    pub left: Vec<Leftover>,
}

/// Ends the leftovers of owners that are gone, of whatever host of this user.
///
/// A guard does this work at once; this is for what is left when the guard was killed together with
/// its host, or when there was none. A host calls it when it starts. A token that this process has
/// in its own environment is left alone: it would be the end of us.
///
/// It reads `/proc`, takes some 10 to 50 ms when nothing is found and at most some seconds, and
/// blocks for that time: call it through `spawn_blocking` from asynchronous code. Processes of other
/// users are not seen. On systems other than Linux it finds nothing.
pub fn sweep() -> Swept {
    let own = std::env::var(TOKEN_VARIABLE).ok();
    let mut orphaned = Known::default();
    end(|token| own.as_deref() != Some(token.as_str()) && orphaned.is_orphaned(token))
}

/// The processes that carry `token` now, or stem from one that does. For checks after the end of a
/// child; the answer may be old when it arrives.
pub fn leftovers(token: &Token) -> Vec<Leftover> {
    find(&mut |found| found == token)
        .iter()
        .map(describe)
        .collect()
}

/// Ends everything with `token`; how many were left.
pub(crate) fn end_all_of(token: &Token) -> usize {
    end(|found| found == token).left.len()
}

/// Judging a token means reading `/proc`: once for each is enough.
#[derive(Default)]
struct Known(Vec<(Token, bool)>);

impl Known {
    fn is_orphaned(&mut self, token: &Token) -> bool {
        if let Some((_, orphaned)) = self.0.iter().find(|(known, _)| known == token) {
            return *orphaned;
        }
        let orphaned = token.is_orphaned();
        self.0.push((token.clone(), orphaned));
        orphaned
    }
}

fn end(mut wanted: impl FnMut(&Token) -> bool) -> Swept {
    let mut met: Vec<(Process, Leftover)> = Vec::new();
    let mut quiet = 0;
    let mut found = Vec::new();
    for round in 0..ROUNDS {
        if round > 0 {
            thread::sleep(PAUSE);
        }
        found = find(&mut wanted);
        quiet = if found.is_empty() { quiet + 1 } else { 0 };
        if quiet == QUIET_ROUNDS {
            break;
        }
        for process in &found {
            let same = |(known, _): &(Process, Leftover)| {
                known.pid == process.pid && known.start == process.start
            };
            if !met.iter().any(same) {
                met.push((*process, describe(process)));
            }
            process.signal(Signal::KILL);
        }
    }
    let left: HashSet<i32> = found.iter().map(|process| process.pid).collect();
    let (left, ended): (Vec<_>, Vec<_>) = met
        .into_iter()
        .partition(|(process, _)| left.contains(&process.pid));
    let only_leftovers =
        |of: Vec<(Process, Leftover)>| of.into_iter().map(|(_, leftover)| leftover).collect();
    Swept {
        ended: only_leftovers(ended),
        left: only_leftovers(left),
    }
}

/// Living processes whose token is wanted, and what stems from them; never this process or one that
/// it stems from.
fn find(wanted: &mut impl FnMut(&Token) -> bool) -> Vec<Process> {
    let all = processes::all();
    let mut found: Vec<Process> = all
        .iter()
        .filter(|process| {
            processes::variable(process.pid, TOKEN_VARIABLE)
                .and_then(|text| Token::parse(&text))
                .is_some_and(|token| wanted(&token))
        })
        .copied()
        .collect();
    let carriers: Vec<i32> = found.iter().map(|process| process.pid).collect();
    found.extend(processes::descendants(&carriers, &all));
    let spared = with_ancestors(getpid().as_raw_pid(), &all);
    found.retain(|process| !process.has_ended() && !spared.contains(&process.pid));
    found
}

fn with_ancestors(mut pid: i32, all: &[Process]) -> HashSet<i32> {
    let mut line = HashSet::new();
    while line.insert(pid) {
        match all.iter().find(|process| process.pid == pid) {
            Some(process) => pid = process.parent,
            None => break,
        }
    }
    line
}

fn describe(process: &Process) -> Leftover {
    Leftover {
        pid: process.pid.unsigned_abs(),
        command: processes::command_line(process.pid, COMMAND_LENGTH),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_has_the_token_ends_and_is_told() {
        let (token, other) = (Token::new(), Token::new());
        let start = |token: &Token| {
            Command::new("sleep")
                .arg("1000")
                .env(TOKEN_VARIABLE, token.as_str())
                .stdin(Stdio::null())
                .spawn()
                .unwrap()
        };
        let (mut wanted, mut spared) = (start(&token), start(&other));
        let leftover = Leftover {
            pid: wanted.id(),
            command: "sleep 1000".to_owned(),
        };
        assert_eq!(leftovers(&token), std::slice::from_ref(&leftover));

        let swept = end(|found| *found == token);
        assert_eq!(swept.ended, [leftover]);
        assert_eq!(swept.left, []);
        // It is a zombie of ours, and not a leftover any more.
        assert_eq!(leftovers(&token), []);
        assert!(!wanted.wait().unwrap().success());

        assert_eq!(leftovers(&other).len(), 1);
        assert_eq!(end_all_of(&other), 0);
        spared.wait().unwrap();
    }

    #[test]
    fn neither_we_nor_our_ancestors_are_swept() {
        let this = getpid().as_raw_pid();
        let all = processes::all();
        let line = with_ancestors(this, &all);
        let parent = processes::read(this).unwrap().parent;
        assert!(line.contains(&this) && line.contains(&parent));
    }
}
