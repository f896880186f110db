//! `fourfold mcp`: the tools for agent hosts, by the Model Context Protocol on standard input and
//! output.
//!
//! Everything about tools comes from the facade's table; no tool is known here by its name.

mod answer;
mod gone;
mod house;
mod offer;
mod resources;
mod server;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rmcp::ServiceExt as _;
use tokio::runtime::Builder;

use crate::Outcome;
use crate::args::Mcp;
use crate::mcp::house::House;
use crate::mcp::offer::Offer;
use crate::mcp::server::Server;
use crate::session::Session;

/// At the end, work that does not stop is left alone after this time. A commit that is cut off is
/// brought to its end by recovery.
const LAST: Duration = Duration::from_secs(2);

pub(crate) fn run(session: &mut Session, args: &Mcp) -> Result<Outcome> {
    let roots = match args.roots.as_slice() {
        [] => vec![session.root()?],
        roots => roots.to_vec(),
    };
    let offer = Offer {
        executes: !args.no_execute,
        only: args.tools.clone(),
        chooses_root: roots.len() > 1,
    };
    let mut houses: Vec<House> = Vec::new();
    for root in roots {
        let host = session.host();
        let checkout = match args.read_only {
            true => host.checkout_read_only(&root),
            false => host.checkout(&root),
        };
        let checkout = checkout.with_context(|| format!("cannot serve `{}`", root.display()))?;
        session.warn(checkout.notices());
        let joins = !args.read_only && !session.serves_alone();
        let taken: Vec<&str> = houses.iter().map(House::name).collect();
        houses.push(House::open(host, checkout, &taken, joins));
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
        let server = Arc::new(Server::new(houses, offer, gone::watch()));
        let served = Arc::clone(&server).serve(rmcp::transport::stdio());
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
