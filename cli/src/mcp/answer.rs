//! What a tool says, in the words of the protocol.

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Value, json};

use crate::serve::wire::{Answer, Refusal};

/// The key under which a result names its conversation.
const HANDLE: &str = "fourfold/conversation";

/// A result: the text for the model, the value for programs, and the handle of the conversation.
/// `news` is what became of commits that a crash had interrupted; it stands before all else.
pub(crate) fn done(answer: Answer, news: &[String], conversation: &str) -> CallToolResult {
    let mut value = answer.value;
    // What was found late stands in the text; programs find it beside what the tool tells.
    if let Value::Object(object) = &mut value {
        if !answer.late.is_empty() {
            object.insert("late".to_owned(), json!(answer.late));
        }
        if !answer.late_fixed.is_empty() {
            object.insert("late_fixed".to_owned(), json!(answer.late_fixed));
        }
        if !news.is_empty() {
            object.insert("recovered".to_owned(), json!(news));
        }
    }
    let mut text: String = news.iter().map(|one| format!("note: {one}\n")).collect();
    text.push_str(&answer.text);
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(value);
    result.meta = Some(handle(conversation));
    result
}

/// A refusal is a result too: the model is to read it and to ask differently.
pub(crate) fn refused(refusal: Refusal, conversation: &str) -> CallToolResult {
    let mut result = wrong(refusal.message);
    result.meta = Some(handle(conversation));
    result
}

/// The same for what no tool was called for.
pub(crate) fn wrong(message: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

fn handle(conversation: &str) -> MetaObject {
    let mut meta = MetaObject::new();
    meta.0.insert(HANDLE.to_owned(), conversation.into());
    meta
}
