//! The first words to a server.

use serde_json::{Value, json};

use super::inbox::Inbox;
use super::launch::Launch;
use crate::uri::to_uri;

/// The params of `initialize`.
pub(super) fn initialize(launch: &Launch, inbox: &Inbox) -> Value {
    let root = &launch.root;
    let mut params = json!({
        "processId": std::process::id(),
        "clientInfo": { "name": "fourfold", "version": env!("CARGO_PKG_VERSION") },
        "locale": "en",
        "rootPath": root.to_string_lossy(),
        "rootUri": to_uri(root),
        "workspaceFolders": inbox.folders(),
        "capabilities": capabilities(),
        "trace": "off",
    });
    if !launch.initialization_options.is_null() {
        params["initializationOptions"] = launch.initialization_options.clone();
    }
    params
}

/// What we can do. Each entry is there because a server does something only when it is told, or
/// does it in a better form; what is announced is also done.
fn capabilities() -> Value {
    let dynamic = || json!({ "dynamicRegistration": true });
    let links = || json!({ "dynamicRegistration": true, "linkSupport": true });
    let kinds = |last: u32| (1..=last).collect::<Vec<_>>();
    json!({
        "general": {
            // UTF-16 must be among them.
            "positionEncodings": ["utf-8", "utf-16"],
            "markdown": { "parser": "none" },
        },
        "textDocument": {
            "synchronization": { "dynamicRegistration": true, "didSave": true },
            // Some servers push only to clients that do not offer to pull, and the reverse.
            "diagnostic": { "dynamicRegistration": true, "relatedDocumentSupport": true },
            "publishDiagnostics": {
                "versionSupport": true,
                "codeDescriptionSupport": true,
                "relatedInformation": true,
                "tagSupport": { "valueSet": [1, 2] },
            },
            "hover": { "dynamicRegistration": true, "contentFormat": ["markdown", "plaintext"] },
            "signatureHelp": {
                "dynamicRegistration": true,
                "signatureInformation": {
                    "documentationFormat": ["markdown", "plaintext"],
                    "parameterInformation": { "labelOffsetSupport": true },
                    "activeParameterSupport": true,
                },
            },
            "declaration": links(),
            "definition": links(),
            "typeDefinition": links(),
            "implementation": links(),
            "references": dynamic(),
            "documentSymbol": {
                "dynamicRegistration": true,
                "hierarchicalDocumentSymbolSupport": true,
                "symbolKind": { "valueSet": kinds(26) },
                "tagSupport": { "valueSet": [1] },
            },
            "codeAction": {
                "dynamicRegistration": true,
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [
                    "", "quickfix", "refactor", "refactor.extract", "refactor.inline",
                    "refactor.rewrite", "source", "source.organizeImports", "source.fixAll",
                ] } },
                "isPreferredSupport": true,
                "disabledSupport": true,
                "dataSupport": true,
                "resolveSupport": { "properties": ["edit", "command"] },
            },
            "formatting": dynamic(),
            "rangeFormatting": dynamic(),
            "rename": { "dynamicRegistration": true, "prepareSupport": true },
            "callHierarchy": dynamic(),
            "typeHierarchy": dynamic(),
            "inlayHint": {
                "dynamicRegistration": true,
                "resolveSupport": { "properties": ["tooltip", "label.tooltip"] },
            },
        },
        "workspace": {
            "configuration": true,
            "workspaceFolders": true,
            "applyEdit": true,
            "workspaceEdit": {
                "documentChanges": true,
                "resourceOperations": ["create", "rename", "delete"],
                "failureHandling": "abort",
                "changeAnnotationSupport": { "groupsOnLabel": true },
            },
            "didChangeConfiguration": dynamic(),
            "didChangeWatchedFiles": {
                "dynamicRegistration": true,
                "relativePatternSupport": true,
            },
            "executeCommand": dynamic(),
            "symbol": {
                "dynamicRegistration": true,
                "symbolKind": { "valueSet": kinds(26) },
                "resolveSupport": { "properties": ["location.range"] },
            },
            "diagnostics": { "refreshSupport": true },
            "fileOperations": {
                "dynamicRegistration": true,
                "willRename": true,
                "didRename": true,
            },
        },
        "window": {
            // Without it the end of a check that a save starts cannot be seen.
            "workDoneProgress": true,
        },
        "experimental": {
            // How one server says that it has loaded the project.
            "serverStatusNotification": true,
        },
    })
}
