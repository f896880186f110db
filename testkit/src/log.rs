//! What a scripted server received.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;

/// The method of a message and its `params`, in the words of either protocol; nothing of an answer.
pub(crate) fn named(message: &Value) -> Option<(String, Value)> {
    let (name, params) = match message["type"].as_str() {
        Some("response") => return None,
        Some("request") => ("command", "arguments"),
        _ => ("method", "params"),
    };
    Some((message[name].as_str()?.to_owned(), message[params].clone()))
}

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

    /// The `params`, or `arguments`, of the messages of this method so far, in order.
    pub fn params(&self, method: &str) -> Vec<Value> {
        self.messages
            .lock()
            .iter()
            .filter_map(named)
            .filter(|(name, _)| name == method)
            .map(|(_, params)| params)
            .collect()
    }

    /// The methods of all messages so far, in order; an answer is `answer`.
    pub fn methods(&self) -> Vec<String> {
        self.messages
            .lock()
            .iter()
            .map(|message| named(message).map_or_else(|| "answer".into(), |(name, _)| name))
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
