//! Stories of writes, told with a server whose every word is scripted, on a paused clock.

mod checks;
mod faults;
mod loading;
mod others;
mod pulls;
mod pushes;

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::*;
use crate::documents::FileEvent;
use crate::peer::{Peer, items, session, session_with, spec};
use crate::{ServerSpec, Session, SessionLimits};

const A: &str = "/r/a.x";
const A_URI: &str = "file:///r/a.x";
const BUDGET: Duration = Duration::from_secs(30);

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn root() -> &'static Path {
    Path::new("/r")
}

/// A write of `A`.
async fn write(session: &Session, text: &str) -> Result<(), SessionGone> {
    let change = Change::new(A, FileEvent::Changed).with_text("x", text);
    session.announce(&[change]).await
}

async fn settle(session: &Session) -> Settled {
    session.settle(Path::new(A), BUDGET).await
}

/// The messages that were found.
fn found(settled: &Settled) -> Vec<&str> {
    messages(&settled.diagnostics)
}

fn messages(diagnostics: &[Diagnostic]) -> Vec<&str> {
    diagnostics.iter().map(|one| &*one.message).collect()
}

/// Why it is not confirmed.
fn why(settled: &Settled) -> String {
    match &settled.evidence {
        Evidence::Unconfirmed(why) => why.to_string(),
        evidence => panic!("confirmed: {evidence:?}"),
    }
}

/// Puts a server's offers and the first version of `A` behind it.
async fn opened(spec: ServerSpec, capabilities: Value) -> (Session, Peer) {
    let (session, mut peer) = session((spec, root()), capabilities).await;
    write(&session, "one").await.expect("sent");
    peer.expect("textDocument/didSave").await;
    (session, peer)
}
