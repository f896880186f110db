//! What a scripted server received.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;

/// The messages that a server received.
#[derive(Clone, Debug)]
pub struct Log {
    messages: Arc<Mutex<Vec<Value>>>,
    changed: watch::Sender<()>,
    file: Option<Arc<std::fs::File>>,
}

impl Default for Log {
    fn default() -> Log {
        Log {
            messages: Arc::default(),
            changed: watch::Sender::new(()),
            file: None,
        }
    }
}

impl Log {
    /// One that also appends each message to a file, a line each.
    pub fn to_file(path: &Path) -> Log {
        let file = std::fs::File::options()
            .create(true)
            .append(true)
            .open(path);
        Log {
            file: Some(Arc::new(file.unwrap())),
            ..Log::default()
        }
    }

    /// All messages so far, in order.
    pub fn received(&self) -> Vec<Value> {
        self.messages.lock().clone()
    }

    /// The `params` of the messages of this method so far, in order.
    pub fn params(&self, method: &str) -> Vec<Value> {
        self.messages
            .lock()
            .iter()
            .filter(|message| message["method"] == method)
            .map(|message| message["params"].clone())
            .collect()
    }

    /// The methods of all messages so far, in order; an answer is `answer`.
    pub fn methods(&self) -> Vec<String> {
        self.messages
            .lock()
            .iter()
            .map(|message| message["method"].as_str().unwrap_or("answer").to_owned())
            .collect()
    }

    /// Waits until so many messages of this method have come, and gives the `params` of the last
    /// of them.
    ///
    /// *Cancel safety*: nothing is lost.
    pub async fn wait_for(&self, method: &str, count: usize) -> Value {
        let mut changed = self.changed.subscribe();
        loop {
            if let Some(params) = self.params(method).into_iter().nth(count - 1) {
                return params;
            }
            changed
                .changed()
                .await
                .expect("the log itself holds the sender");
        }
    }

    pub(crate) fn add(&self, message: &Value) {
        if let Some(file) = &self.file {
            use std::io::Write as _;
            let _ = (&**file).write_all(format!("{message}\n").as_bytes());
        }
        self.messages.lock().push(message.clone());
        self.changed.send_replace(());
    }
}
