//! What a line is that a host says. What is no message is answered here, as JSON-RPC has it; the SDK
//! would say nothing, or that there is no such method.

use rmcp::model::{
    CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, ErrorCode, InitializeRequestParams,
    JsonRpcMessage, PaginatedRequestParams, ReadResourceRequestParams,
    SubscriptionsListenRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The requests that are served; others have no method of that name.
pub(super) const SERVED: [&str; 9] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "subscriptions/listen",
];

/// What a line is.
#[derive(Debug)]
pub(super) enum Heard {
    Message(Box<ClientJsonRpcMessage>),
    /// Nothing that is answered.
    Nothing,
    /// No message; this is the answer.
    Wrong(Value),
}

/// The messages of a line: one, or those of a batch, as an earlier version of the protocol has it. They
/// are answered one by one.
pub(super) fn all_heard(line: &[u8]) -> Vec<Heard> {
    let text = line.trim_ascii();
    if text.first() != Some(&b'[') {
        return vec![heard(line)];
    }
    match serde_json::from_slice::<Vec<Value>>(text) {
        Ok(batch) if batch.is_empty() => {
            let why = "a batch has one message at least";
            vec![Heard::Wrong(refusal(
                ErrorCode::INVALID_REQUEST,
                Value::Null,
                why,
            ))]
        }
        Ok(batch) => {
            let one = |message: &Value| heard(message.to_string().as_bytes());
            batch.iter().map(one).collect()
        }
        Err(_) => vec![heard(line)],
    }
}

fn heard(line: &[u8]) -> Heard {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Heard::Nothing;
    }
    let said: Value = match serde_json::from_slice(line) {
        Ok(said) => said,
        Err(error) => {
            let why = format!("this line is no JSON ({error}); a message is one line");
            return Heard::Wrong(refusal(ErrorCode::PARSE_ERROR, Value::Null, why));
        }
    };
    let Value::Object(said) = said else {
        let why = "a message is a JSON object";
        return Heard::Wrong(refusal(ErrorCode::INVALID_REQUEST, Value::Null, why));
    };
    let id = match said.get("id") {
        None => None,
        Some(id) if id.is_string() || id.is_i64() || id.is_u64() => Some(id.clone()),
        Some(_) => {
            let why = "`id` is a text or a whole number";
            return Heard::Wrong(refusal(ErrorCode::INVALID_REQUEST, Value::Null, why));
        }
    };
    let is_answer = said.contains_key("result") || said.contains_key("error");
    let invalid = |why: &str| {
        let id = id.clone().unwrap_or_default();
        Heard::Wrong(refusal(ErrorCode::INVALID_REQUEST, id, why))
    };
    let method = match said.get("method") {
        Some(Value::String(method)) => Some(method.as_str()),
        Some(_) => return invalid("`method` is a text"),
        None if is_answer => None,
        None => return invalid("there is no `method`"),
    };
    if said.get("jsonrpc") != Some(&json!("2.0")) {
        // Who sends a notification or an answer waits for none.
        return match (method, &id) {
            (Some(_), Some(_)) => invalid("`jsonrpc` has to be \"2.0\""),
            _ => Heard::Nothing,
        };
    }
    let parsed = serde_json::from_slice::<ClientJsonRpcMessage>(line);
    let (Some(method), Some(id)) = (method, id) else {
        return match parsed {
            Ok(message) => Heard::Message(Box::new(message)),
            Err(error) => {
                tracing::debug!(%error, "this needs no answer");
                Heard::Nothing
            }
        };
    };
    let is_served = SERVED.contains(&method);
    match parsed {
        // That is how the SDK takes what it does not understand.
        Ok(JsonRpcMessage::Request(request))
            if is_served && matches!(request.request, ClientRequest::CustomRequest(_)) => {}
        Ok(message) => return Heard::Message(Box::new(message)),
        Err(_) if is_served => {}
        Err(error) => {
            let why = format!("this is no request ({error})");
            return Heard::Wrong(refusal(ErrorCode::INVALID_REQUEST, id, why));
        }
    }
    let params = said.get("params").cloned().unwrap_or_default();
    let why = format!("`params` of {method}: {}", misfit(method, params));
    Heard::Wrong(refusal(ErrorCode::INVALID_PARAMS, id, why))
}

/// Why the parameters of a request are none.
fn misfit(method: &str, params: Value) -> String {
    fn of<T: DeserializeOwned>(params: Value) -> Option<String> {
        serde_json::from_value::<T>(params)
            .err()
            .map(|error| error.to_string())
    }
    if !params.is_object() {
        return match params {
            Value::Null => "they are missing".to_owned(),
            _ => "they are an object".to_owned(),
        };
    }
    let known = match method {
        "tools/call" => of::<CallToolRequestParams>(params),
        "resources/read" => of::<ReadResourceRequestParams>(params),
        "initialize" => of::<InitializeRequestParams>(params),
        "tools/list" | "resources/list" | "resources/templates/list" => {
            of::<PaginatedRequestParams>(params)
        }
        "subscriptions/listen" => of::<SubscriptionsListenRequestParams>(params),
        _ => None,
    };
    known.unwrap_or_else(|| "they are not as the protocol has them".to_owned())
}

pub(super) fn refusal(code: ErrorCode, id: Value, why: impl std::fmt::Display) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id,
        "error": { "code": code.0, "message": why.to_string() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code and the id of the answer, or what the line is otherwise.
    fn sorted(line: &str) -> (i32, Value) {
        match heard(line.as_bytes()) {
            Heard::Message(_) => (0, json!("message")),
            Heard::Nothing => (0, json!("nothing")),
            Heard::Wrong(said) => {
                let code = said["error"]["code"].as_i64().unwrap();
                (i32::try_from(code).unwrap(), said["id"].clone())
            }
        }
    }

    /// By JSON-RPC 2.0: -32700 for what is no JSON, -32600 for what is no request, -32602 for
    /// parameters that are none; with the id where there is one that can be read.
    #[test]
    fn what_is_no_message_is_answered_as_the_protocol_has_it() {
        let none = Value::Null;
        for (line, code, id) in [
            ("nonsense", -32700, none.clone()),
            ("\u{0}\u{1}", -32700, none.clone()),
            (r#"{"jsonrpc":"2.0","#, -32700, none.clone()),
            ("7", -32600, none.clone()),
            ("{}", -32600, none.clone()),
            (r#"{"jsonrpc":"2.0"}"#, -32600, none.clone()),
            (r#"{"jsonrpc":"2.0","id":7}"#, -32600, json!(7)),
            (
                r#"{"jsonrpc":"2.0","id":"x","method":5}"#,
                -32600,
                json!("x"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                -32600,
                none.clone(),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
                -32600,
                none.clone(),
            ),
            (r#"{"id":77,"method":"ping"}"#, -32600, json!(77)),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":["y"]}}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
                -32602,
                json!(1),
            ),
            // A method that is not served is the server's to refuse.
            (
                r#"{"jsonrpc":"2.0","id":8,"method":"no/such"}"#,
                0,
                json!("message"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#,
                0,
                json!("message"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":null}}"#,
                0,
                json!("message"),
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                0,
                json!("message"),
            ),
            // Nobody waits for an answer to these.
            ("", 0, json!("nothing")),
            (" \r", 0, json!("nothing")),
            (r#"{"method":"ping"}"#, 0, json!("nothing")),
            (r#"{"id":3,"result":{}}"#, 0, json!("nothing")),
        ] {
            assert_eq!(sorted(line), (code, id), "{line}");
        }
    }

    #[test]
    fn a_batch_is_its_messages() {
        let kinds = |line: &str| -> Vec<i64> {
            let kind = |heard: &Heard| match heard {
                Heard::Message(_) => 1,
                Heard::Nothing => 0,
                Heard::Wrong(said) => said["error"]["code"].as_i64().unwrap(),
            };
            all_heard(line.as_bytes()).iter().map(kind).collect()
        };
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        assert_eq!(kinds(&format!(" [{ping}, 7, {ping}]\r")), [1, -32600, 1]);
        assert_eq!(kinds("[]"), [-32600]);
        assert_eq!(kinds(&format!("[{ping}")), [-32700]);
        assert_eq!(kinds(ping), [1]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let Heard::Wrong(said) =
            heard(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}"#)
        else {
            panic!("it is no call");
        };
        assert_eq!(
            said["error"]["message"],
            "`params` of tools/call: missing field `name`"
        );
    }
}
