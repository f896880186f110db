//! `fourfold mcp`: the tools for agent hosts, by the Model Context Protocol on standard input and
//! output.
//!
//! Everything about tools comes from the facade's table; no tool is known here by its name.

mod answer;
mod elsewhere;
mod gone;
mod heard;
mod house;
mod offer;
mod order;
mod resources;
mod root;
mod server;
mod transport;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use rmcp::ServiceExt as _;
use tokio::runtime::Builder;

use crate::Outcome;
use crate::args::Mcp;
use crate::mcp::house::{House, Terms};
use crate::mcp::offer::Offer;
use crate::mcp::root::Root;
use crate::mcp::server::Server;
use crate::mcp::transport::LineTransport;
use crate::session::{Session, current};

/// At the end, work that does not stop is left alone after this time. A commit that is cut off is
/// brought to its end by recovery.
const LAST: Duration = Duration::from_secs(2);

pub(crate) fn run(session: &mut Session, args: &Mcp) -> Result<Outcome> {
    let houses = houses(session, args)?;
    let offer = Offer {
        reads_only: args.read_only,
        executes: !args.no_execute,
        only: args.tools.clone(),
        chooses_root: houses.len() > 1,
    };
    let never = offer.never_offered();
    if !never.is_empty() {
        let why = match (args.read_only, args.no_execute) {
            (true, true) => "`--read-only` and `--no-execute`",
            (true, false) => "`--read-only`",
            _ => "`--no-execute`",
        };
        let never = never.join(", ");
        if never.len() == args.tools.join(", ").len() {
            bail!(
                "with {why} nothing is left of `--tools {never}` to offer; leave one of them out"
            );
        }
        session.warn([format!("with {why} these are not offered: {never}")]);
    }
    if offer.stages_for_nobody() {
        session.warn([
            "`ast_edit` stages what `resolve` applies: without `resolve` in `--tools` only \
                       `fourfold resolve` at a terminal can, and only what was kept on disk"
                .to_owned(),
        ]);
    }
    if args.roots.is_empty() {
        fourfold::sweep();
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the threads of the server")?;
    let done = runtime.block_on(async {
        let (input, output) = rmcp::transport::stdio();
        let transport = LineTransport::new(input, output);
        let heard = (transport.order(), transport.over());
        let server = Arc::new(Server::new(houses, offer, gone::watch(), heard));
        let served = Arc::clone(&server).serve(transport);
        let running = match served.await {
            Ok(running) => running,
            // A host that goes before it has said anything wanted nothing.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => {
                return Ok(Outcome::Found);
            }
            Err(error) => return Err(error).context("the host does not speak as hosts do"),
        };
        let watching = tokio::spawn(watch::watch(Arc::clone(&server)));
        let left = running.waiting().await;
        watching.abort();
        left.context("the connection broke")?;
        Ok(Outcome::Found)
    });
    runtime.shutdown_timeout(LAST);
    done
}

/// The checkouts to serve, each of them once.
fn houses(session: &Session, args: &Mcp) -> Result<Vec<House>> {
    let folders = match args.roots.as_slice() {
        [] => vec![current()?],
        folders => folders.to_vec(),
    };
    let mut houses: Vec<House> = Vec::new();
    for folder in folders {
        let serves = || format!("cannot serve `{}`", folder.display());
        let root = match folder.is_file() {
            // It is refused as what it is.
            true => Root::open(folder.clone()),
            false => root::of(&folder).with_context(serves)?,
        };
        let closed = root.closed;
        let host = session.host_with(closed.is_none() && !session.asks_nobody());
        let checkout = match args.read_only || closed.is_some() {
            true => host.checkout_read_only(&root.path),
            false => host.checkout(&root.path),
        };
        let checkout = checkout.with_context(serves)?;
        let has = |house: &House| house.checkout.root() == checkout.root();
        if houses.iter().any(has) {
            continue;
        }
        session.warn(checkout.notices());
        session.warn(&closed);
        let terms = Terms {
            reads_only: args.read_only,
            runs_nothing: args.no_execute,
            joins: !session.serves_alone() && session.global.wire_log.is_none(),
            closed,
        };
        let taken: Vec<&str> = houses.iter().map(House::name).collect();
        let house = House::open(host, checkout, &taken, terms);
        houses.push(house);
    }
    Ok(houses)
}
