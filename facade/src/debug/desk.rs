//! The debugger of a conversation.

use std::path::Path;
use std::sync::Arc;

use fourfold_dap_client::{
    AdapterCatalog, AdaptersConfig, Debugger, DebuggerConfig, Detector, Mask,
};
use parking_lot::Mutex;
use tokio::runtime::Handle;

use crate::Error;
use crate::checkout::Checkout;
use crate::config::{ConfigTable, FILE};

/// Keeps the debugger of one conversation: made when first asked for, and its session ended when
/// the conversation goes.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    kept: Mutex<Option<Kept>>,
}

#[derive(Debug)]
struct Kept {
    debugger: Arc<Debugger>,
    trusted: bool,
    runtime: Handle,
}

impl Desk {
    /// Whether a program is being debugged.
    pub(crate) fn is_busy(&self) -> bool {
        let kept = self.kept.lock();
        kept.as_ref()
            .is_some_and(|kept| kept.debugger.status().session.is_some())
    }

    /// The debugger, as the checkout is trusted now; while there is a session, as it was when that
    /// began.
    pub(super) fn debugger(&self, checkout: &Checkout) -> Result<Arc<Debugger>, Error> {
        let runtime = checkout.engine().handle()?;
        let trusted = checkout.trust().is_granted();
        let mut kept = self.kept.lock();
        if let Some(kept) = &*kept {
            let busy = kept.debugger.status().session.is_some();
            if kept.trusted == trusted || busy {
                return Ok(Arc::clone(&kept.debugger));
            }
        }
        let _entered = runtime.enter();
        let debugger = Arc::new(Debugger::new(config(checkout, trusted)?));
        *kept = Some(Kept {
            debugger: Arc::clone(&debugger),
            trusted,
            runtime: runtime.clone(),
        });
        Ok(debugger)
    }
}

/// Whether some adapter may be started here, by looking alone.
pub(crate) fn may_start(checkout: &Checkout) -> bool {
    match config(checkout, checkout.trust().is_granted()) {
        Ok(config) => Detector::new(config.catalog, config.detect).may_start(),
        // The tool says what is wrong with it.
        Err(_) => true,
    }
}

fn config(checkout: &Checkout, trusted: bool) -> Result<DebuggerConfig, Error> {
    let mut config = DebuggerConfig::new(checkout.root().to_path_buf());
    config.catalog = catalog(checkout.adapter_tables(), checkout.root())?;
    let options = checkout.server_options();
    config.detect.trusted = trusted;
    config.detect.guard = options.guard.clone();
    if checkout.shows_secrets() {
        config.mask = Mask::Off;
    }
    if let Some(path) = &options.search_path {
        config.detect.search_path.clone_from(path);
    }
    Ok(config)
}

impl Drop for Desk {
    fn drop(&mut self) {
        if let Some(kept) = self.kept.get_mut().take() {
            // It is ended where it was started.
            let _entered = kept.runtime.enter();
            drop(kept.debugger);
        }
    }
}

fn catalog(tables: &[ConfigTable], root: &Path) -> Result<AdapterCatalog, Error> {
    let fail = |reason: String| Error::Config {
        path: root.join(FILE),
        reason,
    };
    let mut catalog = AdapterCatalog::built_in();
    for table in tables {
        let config: AdaptersConfig = table
            .table
            .clone()
            .try_into()
            .map_err(|error: toml::de::Error| fail(format!("[adapters]: {error}")))?;
        catalog = catalog
            .configured(&config, table.of_checkout)
            .map_err(|error| fail(error.to_string()))?;
    }
    Ok(catalog)
}
