//! A debug adapter, and the program that it debugs.

use serde_json::{Value, json};

use super::{Cause, Placeholders, Speech};
use crate::script::{Script, Step, Style};

/// The state of an adapter. Its program has one thread, the lines of the file that the breakpoints
/// are in, and two frames whose ids are the same at every stop, as those of real adapters are.
pub(super) struct Adapter {
    early: bool,
    announced: Value,
    sent: i64,
    /// The number and command of a `launch` or `attach` that is not answered yet.
    launch: Option<(Value, String)>,
    source: Value,
    /// The lines with breakpoints, in order.
    lines: Vec<i64>,
    /// Where the program stands, or stood last.
    line: i64,
}

impl Adapter {
    pub(super) fn of(script: &Script) -> Adapter {
        Adapter {
            early: script.style == Style::EarlyAdapter,
            announced: script.announced(),
            sent: 0,
            launch: None,
            source: json!({"name": "main.x", "path": "/p/main.x"}),
            lines: Vec::new(),
            line: 0,
        }
    }

    fn sent(&mut self) -> i64 {
        self.sent += 1;
        self.sent
    }

    fn stop(&mut self, reason: &str, line: i64) -> Step {
        self.line = line;
        let body = json!({"reason": reason, "threadId": 1, "allThreadsStopped": true});
        Step::notify("stopped", body)
    }

    /// Runs to the next breakpoint, or to the end.
    fn run(&mut self) -> Vec<Step> {
        match self.lines.iter().copied().find(|line| *line > self.line) {
            Some(line) => vec![self.stop("breakpoint", line)],
            None => vec![
                Step::notify("output", json!({"category": "stdout", "output": "bye\n"})),
                Step::notify("exited", json!({"exitCode": 0})),
                Step::notify("terminated", json!({})),
            ],
        }
    }

    fn frame(&self, id: i64, name: &str, line: i64) -> Value {
        json!({"id": id, "name": name, "line": line, "column": 1, "source": self.source})
    }
}

impl Speech for Adapter {
    fn note(&mut self, method: &str, params: &Value) -> Placeholders {
        if method == "setBreakpoints" {
            self.source = params["source"].clone();
            let asked = params["breakpoints"].as_array().into_iter().flatten();
            self.lines = asked.filter_map(|one| one["line"].as_i64()).collect();
            self.lines.sort_unstable();
        }
        Placeholders {
            words: vec![("$line", self.line.into())],
            root: String::new(),
        }
    }

    fn usual(&mut self, cause: &Cause) -> Vec<Step> {
        let params = &cause.params;
        let done = || Step::Answer(Value::Null);
        let mut steps = vec![done()];
        match cause.method.as_str() {
            "$start" => return Vec::new(),
            "$end" => return vec![Step::Exit(0)],
            "initialize" => return vec![Step::Answer(self.announced.clone())],
            "launch" | "attach" => {
                let initialized = Step::notify("initialized", json!({}));
                if self.early {
                    return vec![done(), initialized];
                }
                let number = cause.id.clone().unwrap_or_default();
                self.launch = Some((number, cause.method.clone()));
                return vec![initialized];
            }
            "setBreakpoints" => {
                let lines = params["breakpoints"].as_array().into_iter().flatten();
                let set = lines
                    .zip(1..)
                    .map(|(one, id)| json!({"id": id, "verified": true, "line": one["line"]}));
                return vec![Step::Answer(
                    json!({"breakpoints": set.collect::<Vec<_>>()}),
                )];
            }
            "setFunctionBreakpoints" => {
                let names = params["breakpoints"].as_array().into_iter().flatten();
                let set = names
                    .zip(1001..)
                    .map(|(_, id)| json!({"id": id, "verified": true}));
                return vec![Step::Answer(
                    json!({"breakpoints": set.collect::<Vec<_>>()}),
                )];
            }
            "setExceptionBreakpoints" => {}
            "configurationDone" => {
                if let Some((number, command)) = self.launch.take() {
                    let seq = self.sent();
                    steps.push(Step::Say(json!({
                        "seq": seq, "type": "response", "request_seq": number,
                        "success": true, "command": command,
                    })));
                }
                steps.extend(self.run());
            }
            "continue" => {
                steps = vec![Step::Answer(json!({"allThreadsContinued": true}))];
                steps.extend(self.run());
            }
            "next" | "stepIn" | "stepOut" => {
                let line = self.line + 1;
                steps.push(self.stop("step", line));
            }
            "pause" => {
                let line = self.line.max(1);
                steps.push(self.stop("pause", line));
            }
            "threads" => {
                return vec![Step::Answer(
                    json!({"threads": [{"id": 1, "name": "main"}]}),
                )];
            }
            "stackTrace" => {
                let frames = [self.frame(1, "inner", self.line), self.frame(2, "outer", 1)];
                return vec![Step::Answer(
                    json!({"stackFrames": frames, "totalFrames": 2}),
                )];
            }
            "scopes" => {
                let reference = 100 + params["frameId"].as_i64().unwrap_or_default();
                let scope = json!({"name": "Locals", "variablesReference": reference,
                    "expensive": false});
                return vec![Step::Answer(json!({"scopes": [scope]}))];
            }
            "variables" => {
                let variables = match params["variablesReference"].as_i64() {
                    Some(200) => json!([
                        {"name": "0", "value": "10", "variablesReference": 0},
                        {"name": "1", "value": "20", "variablesReference": 0},
                    ]),
                    _ => json!([
                        {"name": "line", "value": self.line.to_string(), "type": "int",
                         "variablesReference": 0},
                        {"name": "items", "value": "[10, 20]", "type": "list",
                         "variablesReference": 200, "indexedVariables": 2},
                    ]),
                };
                return vec![Step::Answer(json!({"variables": variables}))];
            }
            "evaluate" => {
                let result = match params["expression"].as_str() {
                    Some("line") => self.line.to_string(),
                    Some("items") => {
                        return vec![Step::Answer(
                            json!({"result": "[10, 20]", "variablesReference": 200}),
                        )];
                    }
                    other => {
                        let name = other.unwrap_or_default();
                        return vec![Step::fail(1, &format!("name '{name}' is not defined"))];
                    }
                };
                return vec![Step::Answer(
                    json!({"result": result, "variablesReference": 0}),
                )];
            }
            "setVariable" => {
                return vec![Step::Answer(json!({"value": params["value"]}))];
            }
            "terminate" => steps.push(Step::notify("terminated", json!({}))),
            "disconnect" => steps.push(Step::Exit(0)),
            other => return vec![Step::fail(1, &format!("unknown command '{other}'"))],
        }
        steps
    }

    fn answer(&mut self, cause: &Cause, result: Value) -> Value {
        let mut answer = json!({
            "seq": self.sent(), "type": "response", "request_seq": cause.id, "success": true,
            "command": cause.method,
        });
        if !result.is_null() {
            answer["body"] = result;
        }
        answer
    }

    fn failure(&mut self, cause: &Cause, code: i64, message: &str, data: Value) -> Value {
        let mut answer = json!({
            "seq": self.sent(), "type": "response", "request_seq": cause.id, "success": false,
            "command": cause.method, "message": message,
        });
        answer["body"]["error"] = match data {
            Value::Null => json!({"id": code, "format": message}),
            data => data,
        };
        answer
    }

    fn notification(&mut self, method: &str, params: Value) -> Value {
        json!({"seq": self.sent(), "type": "event", "event": method, "body": params})
    }

    fn request(&mut self, _: usize, method: &str, params: Value) -> Value {
        json!({"seq": self.sent(), "type": "request", "command": method, "arguments": params})
    }
}
