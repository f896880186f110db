//! Servers that can be asked past the protocol.

use std::path::Path;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::find::Native;
use super::{Evidence, Why};
use crate::connection::RequestError;
use crate::position::Encoding;
use crate::received::Received;
use crate::session::Core;
use crate::spec::Ask;

const COMMAND: &str = "typescript.tsserverRequest";
const METHOD: &str = "workspace/executeCommand";

impl Core {
    /// How the server can be asked directly, now.
    pub(super) fn asks(&self) -> Option<Ask> {
        let ask = self.spec.diagnostics.ask?;
        let offered = self.inbox.look(|heard| match ask {
            Ask::TsServer => heard.offers.command(COMMAND),
        });
        offered.then_some(ask)
    }

    /// Asks about a document.
    pub(super) async fn asked(&self, ask: Ask, path: &Path, deadline: Instant) -> Native {
        let seen = self.seen();
        let answer = match ask {
            Ask::TsServer => self.tsserver(path, deadline).await,
        };
        let (items, evidence) = match answer {
            Ok(items) => (items, Evidence::Asked),
            Err(why) => (Vec::new(), Evidence::Unconfirmed(why)),
        };
        Native {
            // tsserver counts in UTF-16, whatever the server in front of it has agreed on.
            diagnostics: self.convert(path, items.into(), Encoding::Utf16).await,
            evidence,
            related: Vec::new(),
            seen,
        }
    }

    async fn tsserver(&self, path: &Path, deadline: Instant) -> Result<Vec<Received>, Why> {
        let mut found = Vec::new();
        for command in ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"] {
            let params = json!({
                "command": COMMAND,
                "arguments": [command, { "file": path.to_string_lossy() }],
            });
            let answer = loop {
                let left = deadline.saturating_duration_since(Instant::now());
                match self.connection.request(METHOD, params.clone(), left).await {
                    Err(RequestError::Again { .. }) if left > self.limits.settle.again => {
                        tokio::time::sleep(self.limits.settle.again).await;
                    }
                    answer => break answer?,
                }
            };
            let Some(items) = answer.get("body").and_then(Value::as_array) else {
                let message = answer.get("message").and_then(Value::as_str);
                return Err(Why::RequestFailed(RequestError::Refused {
                    server: self.spec.id.clone(),
                    method: command.to_owned(),
                    code: 0,
                    message: message.unwrap_or("its answer has no list").to_owned(),
                }));
            };
            found.extend(items.iter().filter_map(Received::from_tsserver));
        }
        Ok(found)
    }
}
