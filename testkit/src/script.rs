//! What a scripted peer does, as data: built in a test, or read by a program from a file.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How a language server, or a debug adapter, behaves: as its [`Style`] says, but for what its [`Rule`]s say.
///
/// A language server of any style checks the words of its documents: one that begins with `bad` is the error
/// `E1` "unknown name `bad…`", one that begins with `odd` the warning `W1`.
///
/// ```
/// use fourfold_testkit::{Script, Step, Style};
/// use serde_json::json;
///
/// // Publishes an empty list at once, and what it found 400 ms later.
/// let script = Script::of(Style::Push).on(
///     "textDocument/didChange",
///     [
///         Step::publish("$version", json!([])),
///         Step::wait(400),
///         Step::publish("$version", "$found"),
///     ],
/// );
/// # assert_eq!(script.rules.len(), 1);
/// ```
///
/// # Placeholders
///
/// A string of a step's value that is exactly one of these is replaced by what belongs to the
/// message that the rule is about, as things were when that came:
///
/// | | |
/// | --- | --- |
/// | `$uri` | the URI of its document |
/// | `$file:PATH` | the URI of a file below the root that `initialize` named |
/// | `$version`, `$version-1` | the version of its document, or one less |
/// | `$text` | the text of its document |
/// | `$found` | the diagnostics of that text |
/// | `$params` | its `params`, or `arguments` |
/// | `$line` | the line at which the program of a debug adapter stands |
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// How it tells its diagnostics, and all else it does without being told.
    pub style: Style,
    /// Members of the capabilities beside, or instead of, those of its style.
    pub capabilities: serde_json::Map<String, Value>,
    /// Exceptions. The first that applies counts. The connections of one that listens share them.
    pub rules: Vec<Rule>,
    /// As a program it listens at a port of its choice instead of talking over its pipes, and prints
    /// this line, with `$address` for where. Every connection is played from the start; the program
    /// ends with the first of them that ends.
    pub listen: Option<String>,
}

/// How a server tells its diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// It publishes after each open and change, with the version.
    #[default]
    Push,
    /// It publishes after each open and change, without the version.
    PushWithoutVersion,
    /// It publishes, with the version, unless a clean text stays clean.
    PushUnlessClean,
    /// It answers `textDocument/diagnostic`, and announces that.
    Pull,
    /// It says nothing.
    Silent,
    /// No language server but a debug adapter, of a program that stops at every breakpoint, prints
    /// `bye` and ends with 0. It answers `launch` after `configurationDone`.
    Adapter,
    /// The same, but it answers `launch` at once.
    EarlyAdapter,
}

/// What happens at a message.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The method, or the command, of the message; `$start` for the time before the first, `$end` for the end of
    /// the input.
    pub on: String,
    /// How many times the rule applies; without it always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<usize>,
    /// What the server does instead of what it would have done. A request whose steps answer
    /// nothing is never answered.
    #[serde(rename = "do")]
    pub steps: Vec<Step>,
}

/// One thing that a server does. Steps are done in order; after a [`Step::Wait`] the server goes
/// on with other messages beside them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// What it would have done without the rule.
    AsUsual,
    /// Answers the request with this result.
    Answer(Value),
    /// Answers the request with an error.
    Fail {
        /// Its code.
        code: i64,
        /// What it says.
        message: String,
        /// Its `data`, if not null.
        #[serde(default)]
        data: Value,
    },
    /// Sends a notification.
    Notify {
        /// Its method.
        method: String,
        /// Its parameters.
        params: Value,
    },
    /// Sends a request to the client. Its answer is logged, not waited for.
    Ask {
        /// Its method.
        method: String,
        /// Its parameters.
        params: Value,
    },
    /// Does nothing for so many milliseconds.
    Wait(u64),
    /// Sends a message with nothing added to it.
    Say(Value),
    /// Goes on after the client has answered the requests sent so far.
    Answered,
    /// Writes text as it is, without a frame.
    Raw(String),
    /// Writes text over and over, so many times, without a frame.
    RawTimes(String, usize),
    /// From here on each write is in pieces of so many bytes.
    Pieces(usize),
    /// Writes text to the error output, so many times.
    Errors(String, usize),
    /// Never reads again.
    StopReading,
    /// Closes its output and lives on.
    CloseOutput,
    /// Starts a process that sleeps for an hour and that it never ends.
    Child,
    /// Ends with this code, when all before has been written.
    Exit(u8),
}

impl Style {
    pub(crate) fn is_adapter(self) -> bool {
        matches!(self, Style::Adapter | Style::EarlyAdapter)
    }
}

impl Script {
    /// A server of this style.
    pub fn of(style: Style) -> Script {
        Script {
            style,
            ..Script::default()
        }
    }

    /// With these steps at each `method`.
    #[must_use]
    pub fn on(self, method: &str, steps: impl Into<Vec<Step>>) -> Script {
        self.rule(method, None, steps)
    }

    /// With these steps at the first `times` that no rule before is about.
    #[must_use]
    pub fn times(self, times: usize, method: &str, steps: impl Into<Vec<Step>>) -> Script {
        self.rule(method, Some(times), steps)
    }

    /// Listening at a port, and printing this line; see [`Script::listen`].
    #[must_use]
    pub fn listening(mut self, line: &str) -> Script {
        self.listen = Some(line.to_owned());
        self
    }

    /// Announcing this capability too.
    #[must_use]
    pub fn capability(mut self, name: &str, value: Value) -> Script {
        self.capabilities.insert(name.to_owned(), value);
        self
    }

    fn rule(mut self, method: &str, times: Option<usize>, steps: impl Into<Vec<Step>>) -> Script {
        self.rules.push(Rule {
            on: method.to_owned(),
            times,
            steps: steps.into(),
        });
        self
    }

    /// The capabilities that it announces.
    pub(crate) fn announced(&self) -> Value {
        let mut announced = serde_json::Map::new();
        if self.style.is_adapter() {
            for able in [
                "supportsConfigurationDoneRequest",
                "supportsConditionalBreakpoints",
                "supportsHitConditionalBreakpoints",
                "supportsLogPoints",
                "supportsFunctionBreakpoints",
                "supportsSetVariable",
            ] {
                announced.insert(able.into(), true.into());
            }
            let filters = json!([
                {"filter": "raised", "label": "all"},
                {"filter": "uncaught", "label": "uncaught"},
            ]);
            announced.insert("exceptionBreakpointFilters".into(), filters);
        } else {
            announced.insert("textDocumentSync".into(), 1.into());
        }
        if self.style == Style::Pull {
            let provider = json!({"interFileDependencies": false, "workspaceDiagnostics": false});
            announced.insert("diagnosticProvider".into(), provider);
        }
        announced.extend(self.capabilities.clone());
        announced.into()
    }
}

impl Step {
    /// Publishes diagnostics for the document; a null version is left out.
    pub fn publish(version: impl Into<Value>, diagnostics: impl Into<Value>) -> Step {
        Step::publish_for("$uri", version, diagnostics)
    }

    /// Publishes diagnostics for the document that `uri` names.
    pub fn publish_for(
        uri: &str,
        version: impl Into<Value>,
        diagnostics: impl Into<Value>,
    ) -> Step {
        let mut params = json!({"uri": uri, "diagnostics": diagnostics.into()});
        match version.into() {
            Value::Null => {}
            version => params["version"] = version,
        }
        Step::Notify {
            method: "textDocument/publishDiagnostics".into(),
            params,
        }
    }

    /// Sends a notification.
    pub fn notify(method: &str, params: Value) -> Step {
        Step::Notify {
            method: method.to_owned(),
            params,
        }
    }

    /// Sends a request to the client.
    pub fn ask(method: &str, params: Value) -> Step {
        Step::Ask {
            method: method.to_owned(),
            params,
        }
    }

    /// Answers the request with an error.
    pub fn fail(code: i64, message: &str) -> Step {
        Step::Fail {
            code,
            message: message.to_owned(),
            data: Value::Null,
        }
    }

    /// Answers a pull with these.
    pub fn answer_pull(diagnostics: impl Into<Value>) -> Step {
        Step::Answer(json!({"kind": "full", "items": diagnostics.into()}))
    }

    /// Writes a frame with this body, JSON or not.
    pub fn body(body: &str) -> Step {
        Step::Raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()))
    }

    /// Does nothing for so many milliseconds.
    pub fn wait(milliseconds: u64) -> Step {
        Step::Wait(milliseconds)
    }

    pub(crate) fn duration(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }
}
