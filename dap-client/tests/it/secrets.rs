//! Secrets: what was seen under the name of one is in no text of any answer.

use std::time::Duration;

use fourfold_dap_client::{EvaluateQuery, Mask, Of, Outcome, Resume, ValuesQuery};
use serde_json::{Value, json};

use crate::fake::{Say, Scene, adapter, request, scene, stack, stopped};

const SECOND: Duration = Duration::from_secs(1);

/// A program with one secret, `zebra-77`, which every answer of its adapter holds.
fn telling(scene: &Scene) -> impl FnMut(&str, &Value) -> Option<Vec<Say>> + Send + use<> {
    let path = scene.path();
    move |command, arguments| {
        Some(match command {
            "initialize" => vec![Say::Yes(json!({
                "supportsConfigurationDoneRequest": true,
                "supportsExceptionInfoRequest": true,
                "supportsSetVariable": true,
            }))],
            "configurationDone" | "next" => vec![
                // Printed before anybody knows that it is a secret.
                Say::Event(
                    "output",
                    json!({ "category": "stdout", "output": "in zebra-77\n" }),
                ),
                Say::Yes(json!({})),
                stopped("exception"),
            ],
            "continue" => vec![
                Say::Event(
                    "output",
                    json!({ "category": "stderr", "output": "bye zebra-77\n" }),
                ),
                Say::Yes(json!({})),
                Say::Event("exited", json!({ "exitCode": 1 })),
                Say::Event("terminated", Value::Null),
            ],
            "threads" => vec![Say::Yes(
                json!({ "threads": [{ "id": 1, "name": "t zebra-77" }] }),
            )],
            "exceptionInfo" => vec![Say::Yes(json!({
                "exceptionId": "ValueError",
                "description": "bad zebra-77",
                "details": { "stackTrace": "ValueError: bad zebra-77" },
            }))],
            "stackTrace" => vec![stack(&path, 2)],
            "scopes" => vec![Say::Yes(json!({ "scopes": [
                { "name": "Locals", "variablesReference": 5 },
            ] }))],
            "variables" if arguments["variablesReference"] == 5 => {
                vec![Say::Yes(json!({ "variables": [
                    { "name": "values", "value": "dict_values(['zebra-77'])", "variablesReference": 0 },
                    { "name": "account", "value": "Account(password='zebra-77')", "variablesReference": 6 },
                    { "name": "password", "value": "'zebra-77'", "variablesReference": 0 },
                    { "name": "secrets", "value": "{…}", "variablesReference": 7 },
                ] }))]
            }
            "variables" if arguments["variablesReference"] == 7 => {
                vec![Say::Yes(json!({ "variables": [
                    { "name": "db", "value": "{…}", "variablesReference": 8 },
                ] }))]
            }
            "variables" if arguments["variablesReference"] == 8 => {
                vec![Say::Yes(json!({ "variables": [
                    { "name": "host", "value": "'inside-8'", "variablesReference": 0 },
                ] }))]
            }
            "variables" => vec![Say::Yes(json!({ "variables": [
                { "name": "zebra-77", "value": "'zebra-77'", "variablesReference": 0 },
            ] }))],
            "evaluate" => match arguments["expression"].as_str() {
                Some("len(password)") => vec![Say::Yes(json!({ "result": "8" }))],
                Some("bad") => vec![Say::No("NameError: zebra-77")],
                _ => vec![Say::Yes(json!({ "result": "'zebra-77'" }))],
            },
            _ => return None,
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_in_no_text_of_any_answer() {
    let scene = scene(|_| {});
    std::fs::write(
        scene.folder.path().join("a.py"),
        "x = 1\npassword = 'zebra-77'\n",
    )
    .unwrap();
    let (pipes, _) = adapter(telling(&scene));
    let (session, outcome) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    assert!(matches!(outcome, Outcome::Stopped(_)), "{outcome}");
    let mut said = format!("{outcome}{outcome:?}");
    assert!(said.contains("account = Account(password='***')"), "{said}");
    assert!(said.contains("values = dict_values(['***'])"), "{said}");
    assert!(said.contains("exception: ValueError: bad ***"), "{said}");
    assert!(said.contains("in ***"), "{said}");

    let meaning = session.meaning_of_mask().unwrap();
    assert!(meaning.contains("`***` stands for a secret"), "{meaning}");
    assert_eq!(session.meaning_of_mask(), None, "said once");

    let mut query = ValuesQuery::new(Of::Frame(None));
    query.depth = 3;
    let values = session.values(query).await.unwrap().to_string();
    assert!(
        !values.contains("inside-8"),
        "what is inside of a secret, however deep: {values}"
    );
    said.push_str(&values);
    said.push_str(
        &session
            .evaluate(EvaluateQuery::new("c"))
            .await
            .unwrap()
            .to_string(),
    );
    said.push_str(
        &session
            .evaluate(EvaluateQuery::new("bad"))
            .await
            .unwrap_err()
            .to_string(),
    );
    let set = session
        .set_variable(None, None, "password", "'zebra-77'")
        .await;
    said.push_str(&set.unwrap().to_string());
    said.push_str(&format!("{:?}", session.threads().await.unwrap()));
    said.push_str(&format!("{:?}", session.output(0, 1000).unwrap()));
    let outcome = session.resume(Resume::Continue, SECOND).await.unwrap();
    said.push_str(&format!("{outcome}{outcome:?}"));
    assert!(said.contains("bye ***"), "{said}");
    assert!(!said.contains("zebra-77"), "{said}");

    assert_eq!(session.without_secrets("then zebra-77"), "then ***");
}

#[tokio::test(start_paused = true)]
async fn what_counts_a_secret_is_answered() {
    let scene = scene(|_| {});
    let (pipes, _) = adapter(telling(&scene));
    let (session, _) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    let value = session
        .evaluate(EvaluateQuery::new("len(password)"))
        .await
        .unwrap();
    assert_eq!(value.to_string(), "len(password) = 8");
}

#[tokio::test(start_paused = true)]
async fn a_host_may_show_them() {
    let scene = scene(|config| config.mask = Mask::Off);
    let (pipes, _) = adapter(telling(&scene));
    let (session, outcome) = scene.debugger.launch_over(request(), pipes).await.unwrap();
    assert!(
        outcome.to_string().contains("password = 'zebra-77'"),
        "{outcome}"
    );
    assert_eq!(session.meaning_of_mask(), None);
}
