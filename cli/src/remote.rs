//! Calls of tools: by the daemon of the checkout when there is one, else in this process.

mod inherited;
pub(crate) mod link;
pub(crate) mod many;
mod start;

use std::env;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use fourfold::{Conversation, Host};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::progress::Progress;
use crate::remote::link::{Failed, Link, Patience};
use crate::resolve;
use crate::screen::note;
use crate::serve::service::perform;
use crate::serve::wire::{Answer, Call};
use crate::session::Session;

/// What calls leave behind for the next one.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    runtime: Option<Arc<Runtime>>,
    link: Option<Link>,
    /// The daemon is of no use: it is not asked again.
    without: bool,
    /// The conversation in this process.
    local: Option<Conversation>,
}

/// How often a daemon may end just when it is asked, before it is done without one.
const ATTEMPTS: usize = 2;

impl Session {
    /// Calls a tool in the conversation of this run: by the daemon of the checkout if one runs, or
    /// if the tool is one of those that are better off with one, else in this process.
    ///
    /// # Errors
    /// What the tool says; or that the daemon was lost while it was changing files.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Result<Answer> {
        let call = Call {
            tool: tool.to_owned(),
            arguments,
            conversation: self.global.conversation.clone(),
            reads_only: false,
            runs_nothing: false,
        };
        let root = self.root()?;
        let was_none = !Host::is_marked(&root)?;
        let answer = match self.call_daemon(&call)? {
            Some(answer) => answer,
            None => self.call_here(call)?,
        };
        // What was done is done, whatever became of the folder since.
        if was_none && Host::is_marked(&root).unwrap_or(false) {
            note(format_args!(
                "no folder from `{}` up holds `.git`, `.fourfold` or `fourfold.toml`: it is a checkout of \
                 its own from here on",
                root.display()
            ));
        }
        tell_late(&answer);
        Ok(answer)
    }

    /// Calls a tool of the daemon of the checkout, if one runs or the tool is better off with one.
    ///
    /// # Errors
    /// What the tool says.
    pub(crate) fn ask_daemon(&mut self, tool: &str, arguments: Value) -> Result<Option<Answer>> {
        let call = Call {
            tool: tool.to_owned(),
            arguments,
            conversation: self.global.conversation.clone(),
            reads_only: false,
            runs_nothing: false,
        };
        let answer = self.call_daemon(&call)?;
        answer.iter().for_each(tell_late);
        Ok(answer)
    }

    /// The runtime on which this run waits.
    pub(crate) fn runtime(&mut self) -> Result<Arc<Runtime>> {
        if let Some(runtime) = &self.calls.runtime {
            return Ok(Arc::clone(runtime));
        }
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = Arc::new(runtime.context("cannot begin to wait")?);
        self.calls.runtime = Some(Arc::clone(&runtime));
        Ok(runtime)
    }

    fn call_daemon(&mut self, call: &Call) -> Result<Option<Answer>> {
        if self.serves_alone()
            || (self.asks_nobody() && wants_servers(call) && call.tool != "debug")
            || self.calls.without
        {
            return Ok(None);
        }
        let runtime = self.runtime()?;
        let mut link = match self.calls.link.take() {
            Some(link) => link,
            None => match Link::to(&self.root()?, Patience::default()) {
                Ok(link) => link.logged(self.global.wire_log.clone()),
                Err(error) => return Ok(self.without(&error)),
            },
        };
        for _ in 0..ATTEMPTS {
            let waiting = Progress::wait();
            let ready = runtime.block_on(async {
                match wants_servers(call) {
                    true => link.start().await.map(Some),
                    false => Ok(link.connect().await?.then_some(false)),
                }
            });
            drop(waiting);
            match ready {
                Ok(Some(started)) => {
                    self.warn(link.notices());
                    self.tell_unlogged(started);
                }
                Ok(None) => return Ok(None),
                Err(error) => return Ok(self.without(&error)),
            }
            let waiting = Progress::wait();
            let answered = runtime.block_on(link.call(call));
            drop(waiting);
            match answered {
                Ok(answer) => {
                    if misses_programs(&answer.value) {
                        self.tell_unsearched(&link.unsearched());
                    }
                    self.calls.link = Some(link);
                    return Ok(Some(answer));
                }
                Err(Failed::Refused(refusal)) => {
                    self.calls.link = Some(link);
                    bail!(refusal.typed.unwrap_or(refusal.message));
                }
                Err(Failed::NotTaken) => {}
                Err(Failed::Lost(why)) if changes_files(&call.tool) => bail!(
                    "{why}, and it is not known whether `{}` was done: look at the files, and at \
                     `{} staged`, before you try again",
                    call.tool,
                    self.program()
                ),
                Err(Failed::Lost(why)) => return Ok(self.without(&anyhow!(why))),
            }
        }
        Ok(self.without(&anyhow!("the daemon ends")))
    }

    /// Says that a daemon writes no wire log though one was asked for, if it was not `started` now.
    pub(crate) fn tell_unlogged(&mut self, started: bool) {
        if self.global.wire_log.take().is_some() && !started {
            note(format_args!(
                "`fourfold serve` was started before, and what it says to servers is not logged now; \
                 `{} serve --stop` ends it, and the next command starts one",
                self.program()
            ));
        }
    }

    /// Says where the daemon does not look for the programs that it misses.
    fn tell_unsearched(&self, folders: &[String]) {
        if folders.is_empty() {
            return;
        }
        note(format_args!(
            "`fourfold serve` was started with another PATH, without {}: what is there is not found; \
             `{} serve --stop` ends it, and the next command starts one",
            folders.join(", "),
            self.program()
        ));
    }

    /// Says why the daemon is of no use; from here on it is done without.
    fn without<T>(&mut self, why: &anyhow::Error) -> Option<T> {
        let why = crate::sentence(why);
        note(format_args!("{why}; going on without `fourfold serve`"));
        self.calls.without = true;
        None
    }

    /// The conversation of this run in this process.
    pub(crate) fn conversation(&mut self) -> Result<Conversation> {
        if let Some(conversation) = &self.calls.local {
            return Ok(conversation.clone());
        }
        let (checkout, _) = self.open_to_write()?;
        let conversation = checkout.conversation(&self.global.conversation);
        Ok(self.calls.local.insert(conversation).clone())
    }

    fn call_here(&mut self, call: Call) -> Result<Answer> {
        let conversation = self.conversation()?;
        let answer = perform(&conversation, &call.tool, call.arguments);
        Ok(self.runtime()?.block_on(answer).map_err(resolve::typed)?)
    }
}

impl Session {
    /// Whether no daemon is to be asked in this run.
    pub(crate) fn serves_alone(&self) -> bool {
        self.global.no_serve || is_set("FOURFOLD_NO_SERVE")
    }

    /// Whether no language server is to be asked in this run.
    pub(crate) fn asks_nobody(&self) -> bool {
        self.global.no_check || is_set("FOURFOLD_NO_CHECK")
    }
}

/// Says what was found late, and what is gone. It is not told again, so it is told whatever was asked.
fn tell_late(answer: &Answer) {
    if answer.late.is_empty() && answer.late_fixed.is_empty() {
        return;
    }
    note("found since the last answer, about earlier changes:");
    for problem in &answer.late {
        note(problem.to_string().trim_end());
    }
    for fixed in &answer.late_fixed {
        note(fixed.to_string().trim_end());
    }
}

/// Whether a tool changes files of the project, or runs it, so that it must not be called twice by
/// mistake.
fn changes_files(tool: &str) -> bool {
    matches!(tool, "resolve" | "write" | "edit" | "apply_patch" | "debug")
}

/// Whether an answer tells that a language server is missing.
fn misses_programs(value: &Value) -> bool {
    let servers = value["servers"].as_array().into_iter().flatten();
    let mut states = servers.map(|server| &server["state"]);
    value["verdict"]["state"] == "no_server"
        || value["state"] == "no_server"
        || states.any(|state| state == "missing")
}

/// Whether a call has something started that is worth keeping: language servers, a debug session.
fn wants_servers(call: &Call) -> bool {
    match call.tool.as_str() {
        "lsp" => !matches!(call.arguments["action"].as_str(), Some("status" | "reload")),
        "debug" => matches!(call.arguments["action"].as_str(), Some("launch" | "attach")),
        tool => matches!(tool, "write" | "edit" | "apply_patch" | "resolve" | "check"),
    }
}

/// Whether an environment variable switches something on.
fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0")
}
