//! What a daemon does for its clients: it calls the tools of its one checkout, in conversations that
//! live as long as it does.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use fourfold::{Checkout, Control, Conversation, Error, Host};
use serde_json::{Value, json};

use crate::resolve;
use crate::serve::wire::{Answer, Call, RESOURCE, RESOURCES, Refusal, SHOW};

/// More conversations than that are not going on at once; the one that was used longest ago ends.
const CONVERSATIONS: usize = 256;

/// Somebody who answers calls. Dropping the future cancels what can be cancelled.
pub(crate) trait Service: Send + Sync + 'static {
    /// `control` tells how far it is.
    fn call(
        &self,
        call: Call,
        control: Arc<Control>,
    ) -> impl Future<Output = Result<Answer, Refusal>> + Send;

    /// A conversation ends, with what it holds.
    fn end(&self, conversation: &str);

    /// The names of the conversations that go on.
    fn conversations(&self) -> Vec<String>;

    /// What there is to know about the checkout. Some of it is told only once.
    fn notices(&self) -> Vec<String>;
}

/// The tools of a checkout.
#[derive(Debug)]
pub(crate) struct Tools {
    /// What it has open goes with it.
    _host: Host,
    checkout: Arc<Checkout>,
    /// The one used last comes last.
    conversations: Mutex<Vec<Conversation>>,
    recovered: Mutex<Vec<String>>,
}

impl Tools {
    pub(crate) fn of(host: Host, checkout: Arc<Checkout>) -> Tools {
        Tools {
            _host: host,
            recovered: Mutex::new(checkout.recovery().notices().collect()),
            conversations: Mutex::default(),
            checkout,
        }
    }

    /// The conversation of this name, begun if it is not going on.
    fn conversation(&self, name: &str) -> Conversation {
        let mut all = lock(&self.conversations);
        let conversation = match all.iter().position(|one| one.id() == name) {
            Some(at) => all.remove(at),
            None => self.checkout.conversation(name),
        };
        if all.len() >= CONVERSATIONS {
            let gone = all.remove(0);
            tracing::warn!(name = gone.id(), "a conversation ended: there are too many");
        }
        all.push(conversation.clone());
        conversation
    }
}

impl Service for Tools {
    async fn call(&self, call: Call, control: Arc<Control>) -> Result<Answer, Refusal> {
        let mut conversation = self.conversation(&call.conversation).followed_by(control);
        if call.reads_only {
            conversation = conversation.reading_only();
        }
        if call.runs_nothing {
            conversation = conversation.not_executing();
        }
        perform(&conversation, &call.tool, call.arguments)
            .await
            .map_err(Refusal::of)
    }

    fn end(&self, conversation: &str) {
        lock(&self.conversations).retain(|one| one.id() != conversation);
    }

    fn conversations(&self) -> Vec<String> {
        let all = lock(&self.conversations);
        all.iter().map(|one| one.id().to_owned()).collect()
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = self.checkout.notices().to_vec();
        notices.append(&mut lock(&self.recovered));
        notices
    }
}

/// Calls a tool in a conversation, in this process.
pub(crate) async fn perform(
    conversation: &Conversation,
    tool: &str,
    arguments: Value,
) -> Result<Answer, Error> {
    let show = match tool {
        SHOW => Some(show as fn(&Conversation, &Value) -> Result<Answer, Error>),
        RESOURCES => Some(resources as _),
        RESOURCE => Some(resource as _),
        _ => None,
    };
    if let Some(show) = show {
        let conversation = conversation.clone();
        let show = move || show(&conversation, &arguments);
        return tokio::task::spawn_blocking(show)
            .await
            .unwrap_or_else(|crash| {
                Err(Error::Crashed {
                    reason: crash.to_string(),
                })
            });
    }
    let result = conversation.call(tool, arguments).await?;
    Ok(Answer {
        text: result.text,
        value: result.value,
        late: result.late,
        late_fixed: result.late_fixed,
    })
}

fn show(conversation: &Conversation, arguments: &Value) -> Result<Answer, Error> {
    let id = arguments["id"].as_str().unwrap_or_default();
    Ok(Answer {
        text: conversation.diff(id, usize::MAX)?,
        value: json!({ "sites": conversation.sites(id)? }),
        ..Answer::default()
    })
}

fn resources(conversation: &Conversation, _: &Value) -> Result<Answer, Error> {
    Ok(Answer {
        value: json!(conversation.resources()?),
        ..Answer::default()
    })
}

fn resource(conversation: &Conversation, arguments: &Value) -> Result<Answer, Error> {
    let name = arguments["name"].as_str().unwrap_or_default();
    Ok(Answer {
        text: conversation.resource(name)?,
        ..Answer::default()
    })
}

impl Refusal {
    pub(crate) fn of(error: Error) -> Refusal {
        let message = error.to_string();
        let usage = error.is_user();
        let typed = resolve::typed(error).to_string();
        Refusal {
            typed: (typed != message).then_some(typed),
            message,
            usage,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Nothing panics while it holds one.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use fourfold::HostConfig;

    use super::*;

    fn tools(root: &tempfile::TempDir) -> Tools {
        std::fs::write(root.path().join("a.py"), "f(1)\nf(2)\n").unwrap();
        let mut config = HostConfig::default();
        config.user_folder = None;
        config.servers.enabled = false;
        let host = Host::new(config);
        let checkout = host.checkout(root.path()).unwrap();
        Tools::of(host, checkout)
    }

    fn call(tool: &str, arguments: Value, conversation: &str) -> Call {
        Call {
            tool: tool.to_owned(),
            arguments,
            conversation: conversation.to_owned(),
            reads_only: false,
            runs_nothing: false,
        }
    }

    #[tokio::test]
    async fn who_may_only_read_changes_nothing() {
        let root = tempfile::tempdir().unwrap();
        let tools = tools(&root);
        let edit = json!({"pattern": "f($X)", "template": "g($X)"});
        let staged = tools
            .call(call("ast_edit", edit.clone(), "a"), Arc::default())
            .await
            .unwrap();
        let id = &staged.value["stage"];
        for (tool, arguments) in [
            ("ast_edit", edit),
            ("resolve", json!({"id": id, "action": "apply"})),
            ("resolve", json!({"id": id, "action": "discard"})),
            ("write", json!({"path": "a.py", "content": ""})),
            (
                "edit",
                json!({"path": "a.py", "old_text": "f(1)", "new_text": ""}),
            ),
            (
                "apply_patch",
                json!({"patch": "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"}),
            ),
            ("debug", json!({"action": "status"})),
        ] {
            let mut call = call(tool, arguments, "a");
            call.reads_only = true;
            let refused = tools.call(call, Arc::default()).await.unwrap_err();
            assert!(
                refused.message.contains("opened for reading only"),
                "{tool}: {refused:?}"
            );
        }
        let mut look = call("ast_grep", json!({"pattern": "f($X)"}), "a");
        look.reads_only = true;
        let found = tools.call(look, Arc::default()).await.unwrap();
        assert_eq!(found.value["summary"]["matches"], 2);
        let text = std::fs::read_to_string(root.path().join("a.py")).unwrap();
        assert_eq!(text, "f(1)\nf(2)\n");
    }

    #[tokio::test]
    async fn a_conversation_outlives_the_call() {
        let root = tempfile::tempdir().unwrap();
        let tools = tools(&root);
        let edit = json!({"pattern": "f($X)", "template": "g($X)", "keep": false});
        let edited = tools
            .call(call("ast_edit", edit, "a"), Arc::default())
            .await
            .unwrap();
        let id = edited.value["stage"].as_str().unwrap().to_owned();

        let staged = |name| tools.call(call("staged", json!({}), name), Arc::default());
        let mine = staged("a").await.unwrap();
        assert_eq!(mine.value["stages"][0]["id"], id);
        assert_eq!(mine.value["stages"][0]["kept"], false);
        let other = staged("b").await.unwrap();
        assert_eq!(other.value["stages"], json!([]));
        assert_eq!(tools.conversations(), ["a", "b"]);

        let shown = tools
            .call(call(SHOW, json!({ "id": id }), "a"), Arc::default())
            .await;
        let shown = shown.unwrap();
        assert!(shown.text.contains("+g(1)\n"), "{}", shown.text);
        assert_eq!(shown.value["sites"].as_array().unwrap().len(), 2);
        // It stands in no other conversation.
        let absent = tools
            .call(call(SHOW, json!({ "id": id }), "b"), Arc::default())
            .await;
        assert!(absent.unwrap_err().usage);
    }

    #[tokio::test]
    async fn a_refusal_is_said_in_two_ways_when_they_differ() {
        let root = tempfile::tempdir().unwrap();
        let tools = tools(&root);
        let wrong = tools
            .call(call("ast_gerp", json!({}), "a"), Arc::default())
            .await;
        let wrong = wrong.unwrap_err();
        assert!(wrong.usage && wrong.typed.is_none());
        assert!(wrong.message.contains("ast_grep"), "{}", wrong.message);

        // Of two files one can be left out.
        std::fs::write(root.path().join("b.py"), "f(4)\n").unwrap();
        let edit = json!({"pattern": "f($X)", "template": "g($X)"});
        let edited = tools
            .call(call("ast_edit", edit, "a"), Arc::default())
            .await
            .unwrap();
        std::fs::write(root.path().join("a.py"), "f(3)\n").unwrap();
        let apply = json!({"id": edited.value["stage"], "action": "apply"});
        let drifted = tools
            .call(call("resolve", apply, "a"), Arc::default())
            .await
            .unwrap_err();
        assert!(drifted.message.contains("(`except`)"), "{drifted:?}");
        let typed = drifted.typed.unwrap();
        assert!(typed.contains("(--except a.py)"), "{typed}");
    }

    #[tokio::test]
    async fn the_conversation_used_longest_ago_makes_room() {
        let root = tempfile::tempdir().unwrap();
        let tools = tools(&root);
        for number in 0..=CONVERSATIONS {
            tools.conversation(&number.to_string());
            tools.conversation("0");
        }
        let names = tools.conversations();
        assert_eq!(names.len(), CONVERSATIONS);
        assert!(!names.contains(&"1".to_owned()));
        assert_eq!(names.last().unwrap(), "0");
    }
}
