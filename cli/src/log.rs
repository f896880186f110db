//! What the libraries have to tell, and where it goes.

use std::env;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context as _, Result};
use tracing_subscriber::filter::{EnvFilter, LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::args::Global;

/// The environment variable that names the wire log; a daemon that is started gets it too.
pub(crate) const WIRE_LOG: &str = "FOURFOLD_WIRE_LOG";

/// The target of every message from and to servers and adapters.
const WIRE: &str = "fourfold::wire";

/// Where every message from and to servers and adapters is to be written, if anywhere: as it was
/// `typed`, or as the environment has it, seen from the folder that is the current one now.
pub(crate) fn wire_log(typed: Option<PathBuf>) -> Option<PathBuf> {
    let named = env::var_os(WIRE_LOG).filter(|name| !name.is_empty());
    let path = typed.or(named.map(PathBuf::from))?;
    Some(std::path::absolute(&path).unwrap_or(path))
}

/// From here on what the libraries tell goes to standard error, when RUST_LOG asks for it, and every
/// message from and to servers and adapters to a file, when that is asked for.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn begin(global: &Global) -> Result<()> {
    let told = env::var_os("RUST_LOG").is_some().then(|| {
        fmt::layer()
            .with_writer(io::stderr)
            .with_filter(EnvFilter::from_default_env())
    });
    let wire = global.wire_log.as_deref().map(wire).transpose()?;
    if told.is_some() || wire.is_some() {
        tracing_subscriber::registry().with(told).with(wire).init();
    }
    Ok(())
}

/// The log of every message, which nobody else may read.
pub(crate) fn wire<S>(path: &Path) -> Result<impl Layer<S> + use<S>>
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
{
    let file =
        open(path).with_context(|| format!("cannot write the wire log `{}`", path.display()))?;
    let layer = fmt::layer().with_ansi(false).with_writer(Mutex::new(file));
    Ok(layer.with_filter(Targets::new().with_target(WIRE, LevelFilter::TRACE)))
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
}
