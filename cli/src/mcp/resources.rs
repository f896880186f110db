//! What is worth reading again, under addresses: `fourfold://CHECKOUT/NAME`, with
//! `?conversation=HANDLE` for another conversation than the connection's own.

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents};
use serde_json::{Value, json};

use crate::mcp::house::House;
use crate::mcp::offer::LONGEST_NAME;
use crate::serve::wire::{RESOURCE, RESOURCES, Refusal};

const SCHEME: &str = "fourfold://";

/// The resources of all checkouts, in the conversation of the connection.
pub(crate) async fn list(houses: &[House]) -> Result<Vec<Resource>, ErrorData> {
    let mut all = Vec::new();
    for house in houses.iter().filter(|house| house.closed().is_none()) {
        let shown = house.show(RESOURCES, Value::Null, None).await;
        let answer = shown.map_err(internal)?;
        for one in answer.value.as_array().into_iter().flatten() {
            let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            let name = text("name");
            let uri = format!("{SCHEME}{}/{name}", house.name());
            let resource = Resource::new(uri, name).with_title(text("title"));
            all.push(resource.with_mime_type(text("media_type")));
        }
    }
    Ok(all)
}

/// The text of one.
pub(crate) async fn read(houses: &[House], uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let known = || {
        let names: Vec<String> = houses
            .iter()
            .map(|house| format!("{SCHEME}{}/status", house.name()))
            .collect();
        let message = format!(
            "there is no resource `{}`; resources/list names them, such as {}",
            shortened(uri),
            names.join(", ")
        );
        ErrorData::resource_not_found(message, None)
    };
    let rest = uri.strip_prefix(SCHEME).ok_or_else(known)?;
    let (rest, conversation) = match rest.split_once("?conversation=") {
        Some((rest, conversation)) => (rest, Some(conversation)),
        None => (rest, None),
    };
    if conversation.is_some_and(|name| !(1..=LONGEST_NAME).contains(&name.len())) {
        let message = format!("the name of a conversation is a text of 1 to {LONGEST_NAME} bytes");
        return Err(ErrorData::invalid_params(message, None));
    }
    let (checkout, name) = rest.split_once('/').ok_or_else(known)?;
    let house = houses.iter().find(|house| house.name() == checkout);
    let house = house.ok_or_else(known)?;
    let arguments = json!({ "name": name });
    let shown = house.show(RESOURCE, arguments, conversation).await;
    let answer = shown.map_err(|refusal| match refusal.usage {
        true => ErrorData::resource_not_found(refusal.message, None),
        false => internal(refusal),
    })?;
    let media = match name.starts_with("staged/") {
        true => "text/x-diff",
        false => "text/plain",
    };
    let contents = ResourceContents::text(answer.text, uri).with_mime_type(media);
    Ok(ReadResourceResult::new(vec![contents]))
}

fn internal(refusal: Refusal) -> ErrorData {
    ErrorData::internal_error(refusal.message, None)
}

fn shortened(text: &str) -> String {
    text.chars().take(120).collect()
}
