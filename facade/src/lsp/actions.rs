//! What the servers of a file offer to do there.

use std::path::PathBuf;

use fourfold_lsp_client::{
    CodeAction, InUse, OperationError, OperationLimits, Operations, Session,
};

use super::ask::{Heard, Question};
use super::request::{LspAction, LspRequest};
use super::result::ActionInfo;
use crate::Error;
use crate::conversation::Conversation;
use crate::nearest::hint;
use crate::verdict::Desk;

/// An action, and the server that offers it.
struct Offer<'a> {
    server: &'a Session,
    action: CodeAction,
}

impl Question {
    /// Lists what all servers of the file offer, numbered through, or performs what is to be
    /// applied. What a server that fails would offer is left out, and said.
    pub(super) async fn actions(
        &self,
        desk: &Desk,
        leases: &[(InUse, String)],
    ) -> Result<Heard, Error> {
        let mut heard = Heard::default();
        let (mut names, mut refusals) = (Vec::new(), Vec::new());
        let mut offers = Vec::new();
        for (lease, _) in leases {
            // What it offers depends on what it finds wrong.
            if let Some(file) = &self.file {
                desk.looked(lease, file).await;
            }
            match self.offered(lease).await? {
                Ok(offered) => {
                    names.push(lease.spec().id.clone());
                    offers.extend(offered.into_iter().map(|action| Offer {
                        server: lease,
                        action,
                    }));
                }
                Err(OperationError::NotOffered { server, .. }) => refusals.push(server),
                Err(error) => heard.notices.push(error.to_string()),
            }
        }
        if names.is_empty() {
            return Err(match heard.notices.is_empty() {
                true => self.nobody(&refusals, &[]),
                false => Error::Server {
                    message: heard.notices.join("; "),
                },
            });
        }
        heard.server = Some(names.join(", "));
        let Some(wanted) = &self.request.apply else {
            let disabled = offers.len();
            offers.retain(|offer| offer.action.disabled.is_none());
            let disabled = disabled - offers.len();
            if disabled > 0 {
                let notice = format!("{disabled} more are offered and not possible there");
                heard.notices.push(notice);
            }
            let all = offers.iter().enumerate();
            heard.actions = all.map(|(at, offer)| offer.info(at + 1)).collect();
            return Ok(heard);
        };
        let chosen = match &self.listed {
            Some(listed) => listed.among(&offers)?,
            None => choose(&offers, wanted)?,
        };
        heard.server = Some(chosen.server.spec().id.clone());
        let operations = Operations::new(chosen.server, OperationLimits::default());
        let performed = operations.perform(&chosen.action).await;
        let performed = performed.map_err(|error| Error::Server {
            message: error.to_string(),
        })?;
        if let Some(command) = performed.not_run {
            let notice = format!("the server's command {command} was not run afterwards");
            heard.notices.push(notice);
        }
        heard.change = Some((performed.change, chosen.action.title.clone()));
        Ok(heard)
    }

    /// The outer error is one of the request, the inner one of the server.
    async fn offered(
        &self,
        lease: &Session,
    ) -> Result<Result<Vec<CodeAction>, OperationError>, Error> {
        let Some(file) = &self.file else {
            return Ok(Ok(Vec::new()));
        };
        let span = self.span()?;
        let operations = Operations::new(lease, OperationLimits::default());
        Ok(operations.code_actions(file, span, &[]).await)
    }
}

/// An action as it was listed: its number may be another one when it is asked for again.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    number: usize,
    server: String,
    title: String,
}

/// What was listed last, and where.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    place: Place,
    /// The server and the title of each.
    actions: Vec<(String, String)>,
}

/// A file, the line, the symbol.
type Place = (Option<PathBuf>, Option<u32>, Option<String>);

fn place(request: &LspRequest) -> Place {
    (request.file.clone(), request.line, request.symbol.clone())
}

impl Conversation {
    /// Remembers which action has which number.
    pub(super) fn keep_listing(&self, request: &LspRequest, actions: &[ActionInfo]) {
        let actions = actions.iter();
        *self.inner().listing.lock() = Listing {
            place: place(request),
            actions: actions
                .map(|action| (action.server.clone(), action.title.clone()))
                .collect(),
        };
    }

    /// The action that had this number when those of this place were listed last.
    pub(super) fn listed(&self, request: &LspRequest) -> Option<Listed> {
        let number: usize = request.apply.as_ref()?.parse().ok()?;
        let listing = self.inner().listing.lock();
        if request.action != LspAction::CodeActions || listing.place != place(request) {
            return None;
        }
        let (server, title) = listing.actions.get(number.checked_sub(1)?)?.clone();
        Some(Listed {
            number,
            server,
            title,
        })
    }
}

impl Listed {
    fn among<'a, 's>(&self, offers: &'a [Offer<'s>]) -> Result<&'a Offer<'s>, Error> {
        let same = |offer: &&Offer<'_>| {
            offer.server.spec().id == self.server && offer.action.title == self.title
        };
        offers.iter().find(same).ok_or_else(|| {
            Error::usage(format!(
                "action {} ({}) is not offered there any more; list the actions again",
                self.number, self.title
            ))
        })
    }
}

impl Offer<'_> {
    fn info(&self, number: usize) -> ActionInfo {
        ActionInfo {
            number,
            title: self.action.title.clone(),
            server: self.server.spec().id.clone(),
            kind: self.action.kind.clone(),
            preferred: self.action.preferred,
        }
    }
}

/// The action of this number or title.
fn choose<'a, 's>(offers: &'a [Offer<'s>], wanted: &str) -> Result<&'a Offer<'s>, Error> {
    let possible: Vec<&Offer<'_>> = offers
        .iter()
        .filter(|offer| offer.action.disabled.is_none())
        .collect();
    let chosen = match wanted.parse::<usize>() {
        Ok(number) => number
            .checked_sub(1)
            .and_then(|at| possible.get(at).copied()),
        // One that is not possible says why.
        Err(_) => offers.iter().find(|offer| offer.action.title == wanted),
    };
    chosen.ok_or_else(|| {
        let all = possible.iter().enumerate();
        let titles: Vec<String> = all
            .map(|(at, offer)| format!("{} {}", at + 1, offer.action.title))
            .collect();
        let offered = match titles.as_slice() {
            [] => "nothing is offered there".to_owned(),
            titles => format!("offered are {}", titles.join("; ")),
        };
        let known = possible.iter().map(|offer| offer.action.title.as_str());
        let hint = match wanted.parse::<usize>() {
            Ok(_) => String::new(),
            Err(_) => hint(wanted, known),
        };
        Error::usage(format!(
            "no action is called or numbered `{wanted}`{hint}; {offered}"
        ))
    })
}
