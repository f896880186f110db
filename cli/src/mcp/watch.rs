//! Tells the host when other tools can work than before.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::mcp::server::Server;

/// Files and programs come and go by other hands as well. Default 60 s: a look walks the checkout,
/// and nothing is wrong as long as nobody has looked.
const NOW_AND_THEN: Duration = Duration::from_secs(60);

/// After a call it is looked soon, but not after each of a series. Default 5 s.
const SETTLED: Duration = Duration::from_secs(5);

/// Looks after calls and now and then, as long as the connection lives.
///
/// Cancel safety: nothing is lost when the future is dropped.
pub(crate) async fn watch(server: Arc<Server>) {
    let mut before = server.offered().await;
    loop {
        if timeout(NOW_AND_THEN, server.called.notified())
            .await
            .is_ok()
        {
            sleep(SETTLED).await;
        }
        let now = server.offered().await;
        if now != before {
            before = now;
            server.tell_of_tools().await;
        }
    }
}
