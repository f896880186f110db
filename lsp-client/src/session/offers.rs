//! What the server offers, now.

use serde_json::Value;

/// What was announced in the answer to `initialize`, and what was registered and taken back since.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    announced: Value,
    registered: Vec<Registered>,
}

#[derive(Debug)]
struct Registered {
    id: String,
    method: String,
    options: Value,
}

/// Where the announced capability of a method stands. The rest are named `…Provider`.
fn capability(method: &str) -> &str {
    match method {
        "textDocument/codeAction" => "codeActionProvider",
        "codeAction/resolve" => "codeActionProvider/resolveProvider",
        "textDocument/completion" => "completionProvider",
        "textDocument/declaration" => "declarationProvider",
        "textDocument/definition" => "definitionProvider",
        "textDocument/diagnostic" => "diagnosticProvider",
        "textDocument/documentHighlight" => "documentHighlightProvider",
        "textDocument/documentSymbol" => "documentSymbolProvider",
        "textDocument/formatting" => "documentFormattingProvider",
        "textDocument/hover" => "hoverProvider",
        "textDocument/implementation" => "implementationProvider",
        "textDocument/inlayHint" => "inlayHintProvider",
        "inlayHint/resolve" => "inlayHintProvider/resolveProvider",
        "textDocument/prepareCallHierarchy"
        | "callHierarchy/incomingCalls"
        | "callHierarchy/outgoingCalls" => "callHierarchyProvider",
        "textDocument/prepareRename" => "renameProvider/prepareProvider",
        "textDocument/prepareTypeHierarchy"
        | "typeHierarchy/supertypes"
        | "typeHierarchy/subtypes" => "typeHierarchyProvider",
        "textDocument/rangeFormatting" => "documentRangeFormattingProvider",
        "textDocument/references" => "referencesProvider",
        "textDocument/rename" => "renameProvider",
        "textDocument/signatureHelp" => "signatureHelpProvider",
        "textDocument/typeDefinition" => "typeDefinitionProvider",
        "textDocument/didSave" => "textDocumentSync/save",
        "workspace/diagnostic" => "diagnosticProvider/workspaceDiagnostics",
        "workspace/executeCommand" => "executeCommandProvider",
        "workspace/symbol" => "workspaceSymbolProvider",
        "workspaceSymbol/resolve" => "workspaceSymbolProvider/resolveProvider",
        "workspace/willRenameFiles" => "workspace/fileOperations/willRename",
        "workspace/didRenameFiles" => "workspace/fileOperations/didRename",
        _ => "",
    }
}

/// Methods that are registered as part of another one.
fn registered_as(method: &str) -> &str {
    match method {
        "codeAction/resolve" => "textDocument/codeAction",
        "inlayHint/resolve" => "textDocument/inlayHint",
        "textDocument/prepareRename" => "textDocument/rename",
        "callHierarchy/incomingCalls" | "callHierarchy/outgoingCalls" => {
            "textDocument/prepareCallHierarchy"
        }
        "typeHierarchy/supertypes" | "typeHierarchy/subtypes" => {
            "textDocument/prepareTypeHierarchy"
        }
        "workspace/diagnostic" => "textDocument/diagnostic",
        "workspaceSymbol/resolve" => "workspace/symbol",
        other => other,
    }
}

impl Offers {
    /// Takes the `capabilities` of the answer to `initialize`.
    pub(super) fn announce(&mut self, capabilities: Value) {
        self.announced = capabilities;
    }

    /// Takes the params of `client/registerCapability`.
    pub(super) fn register(&mut self, params: &Value) {
        for entry in array(params.get("registrations")) {
            let (Some(id), Some(method)) = (entry["id"].as_str(), entry["method"].as_str()) else {
                continue;
            };
            self.forget(id);
            self.registered.push(Registered {
                id: id.to_owned(),
                method: method.to_owned(),
                options: entry["registerOptions"].clone(),
            });
        }
    }

    /// Takes the params of `client/unregisterCapability`, in either spelling of the protocol.
    pub(super) fn unregister(&mut self, params: &Value) {
        let entries = params.get("unregisterations");
        for entry in array(entries.or_else(|| params.get("unregistrations"))) {
            if let Some(id) = entry["id"].as_str() {
                self.forget(id);
            }
        }
    }

    fn forget(&mut self, id: &str) {
        self.registered.retain(|entry| entry.id != id);
    }

    /// All the ways in which `method` is offered now: the announced options first.
    pub(crate) fn all(&self, method: &str) -> Vec<Value> {
        let announced = capability(method)
            .split('/')
            .try_fold(&self.announced, |value, key| value.get(key))
            .filter(|value| !matches!(value, Value::Null | Value::Bool(false)))
            .cloned()
            // The short form of `textDocumentSync` includes saving.
            .or_else(|| {
                let short = method == "textDocument/didSave"
                    && self.announced.get("textDocumentSync")?.is_number();
                short.then_some(Value::Bool(true))
            });
        let part = registered_as(method);
        let registered = self
            .registered
            .iter()
            .filter(|entry| entry.method == method || entry.method == part)
            .filter(|entry| entry.method == method || part_is_on(method, &entry.options))
            .map(|entry| match &entry.options {
                Value::Null => Value::Bool(true),
                options => options.clone(),
            });
        announced.into_iter().chain(registered).collect()
    }

    /// How `method` is offered now, if it is.
    pub(crate) fn one(&self, method: &str) -> Option<Value> {
        self.all(method).into_iter().next()
    }

    /// Whether `workspace/executeCommand` knows a command.
    pub(crate) fn command(&self, command: &str) -> bool {
        self.all("workspace/executeCommand").iter().any(|options| {
            array(options.get("commands")).any(|known| known.as_str() == Some(command))
        })
    }
}

/// Whether the options of the whole include the part.
fn part_is_on(part: &str, options: &Value) -> bool {
    let key = match part {
        "textDocument/prepareRename" => "prepareProvider",
        "workspace/diagnostic" => "workspaceDiagnostics",
        "codeAction/resolve" | "inlayHint/resolve" | "workspaceSymbol/resolve" => "resolveProvider",
        _ => return true,
    };
    options.get(key) == Some(&Value::Bool(true))
}

fn array(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn announced_registered_and_taken_back() {
        let mut offers = Offers::default();
        offers.announce(json!({
            "hoverProvider": true,
            "definitionProvider": false,
            "renameProvider": { "prepareProvider": true },
            "textDocumentSync": 1,
            "executeCommandProvider": { "commands": ["a.b"] },
        }));
        assert_eq!(offers.one("textDocument/hover"), Some(json!(true)));
        assert_eq!(offers.one("textDocument/definition"), None);
        assert_eq!(offers.one("textDocument/prepareRename"), Some(json!(true)));
        assert_eq!(offers.one("textDocument/didSave"), Some(json!(true)));
        assert_eq!(offers.one("unheard/of"), None);
        assert!(offers.command("a.b") && !offers.command("c"));

        offers.register(&json!({ "registrations": [
            { "id": "1", "method": "textDocument/diagnostic",
              "registerOptions": { "identifier": "Pyright" } },
            { "id": 2 },
            { "id": "3", "method": "textDocument/rename" },
            { "id": "4", "method": "workspace/executeCommand",
              "registerOptions": { "commands": ["c"] } },
        ]}));
        assert_eq!(
            offers.one("textDocument/diagnostic"),
            Some(json!({ "identifier": "Pyright" }))
        );
        assert_eq!(offers.all("textDocument/rename").len(), 2);
        assert_eq!(offers.all("textDocument/prepareRename").len(), 1);
        assert!(offers.command("c"));

        offers.unregister(&json!({ "unregisterations": [{ "id": "1" }] }));
        offers.unregister(&json!({ "unregistrations": [{ "id": "4" }] }));
        assert_eq!(offers.one("textDocument/diagnostic"), None);
        assert!(!offers.command("c"));
    }

    #[test]
    fn registering_again_replaces() {
        let mut offers = Offers::default();
        for identifier in ["a", "b"] {
            offers.register(&json!({ "registrations": [{ "id": "x",
                "method": "textDocument/diagnostic",
                "registerOptions": { "identifier": identifier } }] }));
        }
        assert_eq!(
            offers.all("textDocument/diagnostic"),
            [json!({ "identifier": "b" })]
        );
    }
}
