//! What is worth reading again and again: how the checkout is, and what is staged.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::conversation::Conversation;
use crate::debug::{DebugAction, DebugRequest};
use crate::echo::shortened;
use crate::nearest;
use crate::text;

/// Something that a host may show a person, or give a model again, without a call of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resource {
    /// What [`Conversation::resource`] takes, such as `status` or `staged/s-7k2m`.
    pub name: String,
    /// A short name for people.
    pub title: String,
    /// Its media type.
    pub media_type: String,
}

const STATUS: &str = "status";
const STAGED: &str = "staged/";
const OUTPUT: &str = "debug/output";

impl Conversation {
    /// What there is to read: the status of the checkout, the diff of each stage, and what a program
    /// printed that is being debugged; blocking.
    ///
    /// # Errors
    /// [`Error::Stage`] when the folder of the kept stages cannot be read.
    pub fn resources(&self) -> Result<Vec<Resource>, Error> {
        let mut all = vec![Resource {
            name: STATUS.to_owned(),
            title: "Status of the checkout".to_owned(),
            media_type: "text/plain".to_owned(),
        }];
        for stage in self.staged_here()? {
            all.push(Resource {
                name: format!("{STAGED}{}", stage.id),
                title: format!("Diff of the stage {}", stage.id),
                media_type: "text/x-diff".to_owned(),
            });
        }
        if self.is_executing() && self.inner().debugger.is_busy() {
            all.push(Resource {
                name: OUTPUT.to_owned(),
                title: "Output of the program that is debugged".to_owned(),
                media_type: "text/plain".to_owned(),
            });
        }
        Ok(all)
    }

    /// The text of a resource; blocking.
    ///
    /// # Errors
    /// There is no such resource, in a sentence that says which there are; or it cannot be read.
    pub fn resource(&self, name: &str) -> Result<String, Error> {
        if name == STATUS {
            return self.status();
        }
        if name == OUTPUT {
            let this = self.clone();
            let output = DebugRequest::of(DebugAction::Output);
            return Ok(self.ask(async move { this.debug(output).await })??.text);
        }
        if let Some(id) = name.strip_prefix(STAGED) {
            return self.diff(id, self.checkout().limits().max_diff_bytes);
        }
        let known = self.resources()?;
        let known: Vec<&str> = known.iter().map(|one| one.name.as_str()).collect();
        let name = shortened(name, [name]);
        Err(Error::usage(format!(
            "there is no resource `{name}`{}; there are {}",
            nearest::hint(&name, known.iter().copied()),
            known.join(", ")
        )))
    }

    fn status(&self) -> Result<String, Error> {
        let checkout = self.checkout();
        let mut said = String::new();
        // Writing to a text does not fail.
        let _ = writeln!(said, "checkout: {}", checkout.root().display());
        if !self.is_writable() {
            said.push_str("opened for reading only\n");
        }
        let trusted = if checkout.trust().is_granted() {
            "yes"
        } else {
            "no; `fourfold trust` lets it choose what is run"
        };
        let _ = writeln!(said, "trusted: {trusted}");
        for notice in checkout.notices() {
            let _ = writeln!(said, "note: {notice}");
        }
        for notice in checkout.recovery().notices() {
            let _ = writeln!(said, "{notice}");
        }
        said.push_str("\nlanguage servers\n");
        match self.servers() {
            Ok(servers) if servers.is_empty() => {
                said.push_str("  none is known for the files here\n");
            }
            Ok(servers) => {
                for one in servers {
                    let _ = writeln!(said, "  {} {}: {}", one.server, one.state, one.about);
                }
            }
            Err(error) => {
                let _ = writeln!(said, "  {error}");
            }
        }
        said.push_str("\nstages\n");
        let staged = text::staged(&crate::result::StagedResult {
            stages: self.staged_here()?,
            evicted: Vec::new(),
        });
        for line in staged.lines() {
            let _ = writeln!(said, "  {line}");
        }
        Ok(said)
    }

    fn staged_here(&self) -> Result<Vec<crate::result::StagedInfo>, Error> {
        if !self.is_writable() {
            return Ok(Vec::new());
        }
        Ok(self.staged()?.stages)
    }
}
