//! Which tools a host is offered, and the arguments that every tool has here beside its own.

use fourfold::{Access, Tool};
use rmcp::model::{JsonObject, Tool as Offered, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::mcp::house::House;

/// The argument that names a conversation.
const CONVERSATION: &str = "conversation";

/// The argument that names a checkout, where there are several.
const ROOT: &str = "root";

/// The longest name of a conversation, in bytes.
const LONGEST_NAME: usize = 200;

/// What the host was started with.
#[derive(Debug)]
pub(crate) struct Offer {
    /// Whether tools that run programs are offered.
    pub(crate) executes: bool,
    /// Only these; all when it is empty.
    pub(crate) only: Vec<String>,
    /// Whether a call may say which checkout it is about.
    pub(crate) chooses_root: bool,
}

/// A call, with what is not the tool's own taken out.
#[derive(Debug)]
pub(crate) struct Addressed<'a> {
    pub(crate) house: &'a House,
    pub(crate) conversation: Option<String>,
    pub(crate) arguments: Value,
}

impl Offer {
    /// The tools that can work in one of the checkouts and that the host wants.
    pub(crate) fn tools(&self, houses: &[House]) -> Vec<Tool> {
        let mut all: Vec<Tool> = Vec::new();
        for house in houses {
            for tool in house.checkout.tools() {
                let wanted = self.only.is_empty() || self.only.iter().any(|only| only == tool.name);
                let allowed = self.executes || tool.access != Access::Executes;
                if wanted && allowed && all.iter().all(|known| known.name != tool.name) {
                    all.push(tool);
                }
            }
        }
        all
    }

    /// The same in the words of the protocol.
    pub(crate) fn listed(&self, houses: &[House]) -> Vec<Offered> {
        let tools = self.tools(houses).into_iter();
        tools.map(|tool| self.described(tool, houses)).collect()
    }

    fn described(&self, tool: Tool, houses: &[House]) -> Offered {
        let hints = &tool.annotations;
        // Of what changes nothing nobody asks whether it destroys.
        let changes = |hint: bool| (!hints.read_only_hint).then_some(hint);
        let annotations = ToolAnnotations::from_raw(
            None,
            Some(hints.read_only_hint),
            changes(hints.destructive_hint),
            changes(hints.idempotent_hint),
            Some(hints.open_world_hint),
        );
        let mut input = object(tool.input_schema);
        let properties = input.entry("properties").or_insert_with(|| json!({}));
        if let Value::Object(properties) = properties {
            // What it means is said once, in the instructions.
            properties.insert(CONVERSATION.to_owned(), json!({"type": "string"}));
            if self.chooses_root {
                let names: Vec<&str> = houses.iter().map(House::name).collect();
                let about =
                    json!({"enum": names, "description": "Which checkout; the first unless named"});
                properties.insert(ROOT.to_owned(), about);
            }
        }
        Offered::new(tool.name, tool.description, input)
            .with_title(hints.title)
            .with_raw_output_schema(object(tool.output_schema).into())
            .with_annotations(annotations)
    }

    /// Takes out of the arguments which checkout and which conversation is meant.
    ///
    /// # Errors
    /// One of the two is of another type, too long, or not there; in a sentence for the model.
    pub(crate) fn addressed<'a>(
        &self,
        tool: &str,
        mut arguments: Map<String, Value>,
        houses: &'a [House],
    ) -> Result<Addressed<'a>, String> {
        let names = || {
            houses
                .iter()
                .map(House::name)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let none = || "no checkout is served".to_owned();
        let first = houses.first().ok_or_else(none)?;
        let house = match arguments.get(ROOT) {
            Some(given) if self.chooses_root && !given.is_null() => {
                let named = |house: &&House| given.as_str() == Some(house.name());
                houses
                    .iter()
                    .find(named)
                    .ok_or_else(|| format!("{tool}: `{ROOT}` is one of {}, not {given}", names()))?
            }
            _ => first,
        };
        if self.chooses_root {
            arguments.remove(ROOT);
        }
        let conversation = match arguments.remove(CONVERSATION) {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) if (1..=LONGEST_NAME).contains(&name.len()) => Some(name),
            Some(_) => {
                return Err(format!(
                    "{tool}: `{CONVERSATION}` is a text of 1 to {LONGEST_NAME} bytes; leave it out \
                     for the conversation of this connection"
                ));
            }
        };
        Ok(Addressed {
            house,
            conversation,
            arguments: Value::Object(arguments),
        })
    }
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        // A schema of ours is an object.
        _ => JsonObject::new(),
    }
}
