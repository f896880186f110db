//! Which tools a host is offered, and the arguments that every tool has here beside its own.

use std::path::Path;

use fourfold::{Access, Tool};
use rmcp::model::{JsonObject, Tool as Offered, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::mcp::elsewhere::bare;
use crate::mcp::house::House;

/// The argument that names a conversation.
pub(super) const CONVERSATION: &str = "conversation";

/// The argument that names a checkout, where there are several.
pub(crate) const ROOT: &str = "root";

/// What it is, in the words for a model.
const ROOT_IS: &str = "Which checkout; else that of the path, or the first";

/// The longest name of a conversation, in bytes.
pub(crate) const LONGEST_NAME: usize = 200;

/// What the host was started with.
#[derive(Debug)]
pub(crate) struct Offer {
    /// Whether nothing may be changed.
    pub(crate) reads_only: bool,
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
    /// Whether nothing in the call says which checkout it is about.
    pub(crate) by_default: bool,
}

/// The tool that stages changes among much else.
const LSP: &str = "lsp";

/// The tools that change files or stage what does.
const CHANGES: [&str; 6] = [
    "ast_edit",
    "resolve",
    "staged",
    "write",
    "edit",
    "apply_patch",
];

/// The tools that run programs, which may write as well.
const RUNS: [&str; 1] = ["debug"];

impl Offer {
    /// The tools that can work in one of the checkouts and that the host wants.
    pub(crate) fn tools(&self, houses: &[House]) -> Vec<Tool> {
        let mut all: Vec<Tool> = Vec::new();
        for house in houses {
            for tool in house.checkout.tools() {
                let tool = match tool.name == LSP && !self.resolves() {
                    true => {
                        let mut reading = house.checkout.reading_tools().into_iter();
                        reading.find(|tool| tool.name == LSP).unwrap_or(tool)
                    }
                    false => tool,
                };
                let wanted = self.wants(tool.name);
                let allowed = self.executes || tool.access != Access::Executes;
                if wanted && allowed && all.iter().all(|known| known.name != tool.name) {
                    all.push(tool);
                }
            }
        }
        all
    }

    /// Whether a stage can be applied. Without that nothing is staged.
    fn resolves(&self) -> bool {
        !self.reads_only && self.wants("resolve")
    }

    /// Whether the host wants a tool.
    fn wants(&self, tool: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == tool)
    }

    /// What was asked for that stages changes, where nothing that was asked for applies them.
    pub(crate) fn stages_for_nobody(&self) -> bool {
        !self.reads_only && !self.only.is_empty() && self.wants("ast_edit") && !self.resolves()
    }

    /// The tools that were asked for and cannot be offered, whatever there is in the checkouts.
    pub(crate) fn never_offered(&self) -> Vec<&str> {
        let only = self.only.iter().map(String::as_str);
        only.filter(|tool| {
            self.reads_only && CHANGES.contains(tool)
                || (self.reads_only || !self.executes) && RUNS.contains(tool)
        })
        .collect()
    }

    /// The same in the words of the protocol.
    pub(crate) fn listed(&self, houses: &[House]) -> Vec<Offered> {
        let tools = self.tools(houses).into_iter().enumerate();
        tools
            .map(|(at, tool)| self.described(tool, houses, at == 0))
            .collect()
    }

    /// One of them; what is the same for all is told with the first.
    fn described(&self, tool: Tool, houses: &[House], first: bool) -> Offered {
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
                let mut about = json!({ "enum": names });
                if first {
                    about["description"] = ROOT_IS.into();
                }
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
        let (house, by_default) = self.house(tool, &arguments, houses)?;
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
        let arguments = Value::Object(arguments);
        if let Some(part) = fourfold::staging_part(tool, &arguments)
            && !self.resolves()
            && !self.reads_only
        {
            return Err(format!(
                "{tool}: `{part}` stages a change, and `resolve`, which would apply it, is not offered \
                 here; ask for what changes nothing, or have `resolve` added to `--tools`"
            ));
        }
        Ok(Addressed {
            house,
            conversation,
            arguments,
            by_default,
        })
    }
}

impl Offer {
    /// The checkout that a call is about: the one it names, else the one that its absolute paths lie
    /// in, else the first, which is told with it.
    fn house<'a>(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        houses: &'a [House],
    ) -> Result<(&'a House, bool), String> {
        let first = houses.first().ok_or("no checkout is served")?;
        if !self.chooses_root {
            return Ok((first, false));
        }
        let mut by_path: Option<(&House, String)> = None;
        for path in absolute_paths(arguments) {
            let Some(house) = holder(&path, houses) else {
                continue;
            };
            match &by_path {
                Some((other, earlier)) if !std::ptr::eq(*other, house) => {
                    return Err(format!(
                        "{tool}: `{}` lies in the checkout {}, `{}` in {}: call it once for each",
                        short(earlier),
                        other.name(),
                        short(&path),
                        house.name()
                    ));
                }
                _ => by_path = Some((house, path)),
            }
        }
        let given = match arguments.get(ROOT) {
            None | Some(Value::Null) => {
                return Ok(by_path.map_or((first, true), |(house, _)| (house, false)));
            }
            Some(given) => given,
        };
        let given = match given.as_str() {
            Some(text) => text.to_owned(),
            None => given.to_string(),
        };
        let named =
            |house: &&House| given == house.name() || Path::new(&given) == house.checkout.root();
        let Some(named) = houses.iter().find(named) else {
            let names: Vec<&str> = houses.iter().map(House::name).collect();
            let short = short(&given);
            let nearest = fourfold::nearest(&short, names.iter().copied());
            return Err(format!(
                "{tool}: `{ROOT}` is one of {}, not `{short}`{}",
                names.join(", "),
                nearest.map_or_else(String::new, |name| format!("; the nearest is `{name}`"))
            ));
        };
        match by_path {
            Some((house, path)) if !std::ptr::eq(house, named) => Err(format!(
                "{tool}: `{}` lies in the checkout {}, and `{ROOT}` says {}; leave `{ROOT}` out",
                short(&path),
                house.name(),
                named.name()
            )),
            _ => Ok((named, false)),
        }
    }

    /// What a model is told first, of what is offered.
    pub(crate) fn instructions(&self, houses: &[House]) -> String {
        let offers = |tool: &str| {
            let writes = ["ast_edit", "write", "edit", "apply_patch"].contains(&tool);
            self.wants(tool) && !(writes && self.reads_only)
        };
        let closed = houses.iter().filter_map(House::closed);
        let mut said: Vec<String> = closed.map(|why| format!("{why}.")).collect();
        if said.len() == houses.len() {
            return said.join(" ");
        }
        said.push("Code intelligence for this checkout.".to_owned());
        if offers("search_code") {
            said.push(
                "Ask the graph (search_code, code_*) instead of grepping for names and reading whole \
                 files."
                    .to_owned(),
            );
        }
        if offers("ast_grep") {
            said.push("ast_grep finds shapes of code.".to_owned());
        }
        if ["ast_edit", "write", "edit", "apply_patch"]
            .into_iter()
            .any(offers)
        {
            said.push(
                "Changes made with these tools are all or nothing and come back with a verdict: what \
                 is newly wrong, or that nothing is."
                    .to_owned(),
            );
        }
        let roots: Vec<String> = houses
            .iter()
            .map(|house| match self.chooses_root {
                true => format!(
                    "{} (`{ROOT}`: {})",
                    house.checkout.root().display(),
                    house.name()
                ),
                false => house.checkout.root().display().to_string(),
            })
            .collect();
        said.push(format!(
            "Paths are relative to the root, {}; lines count from 1.",
            roots.join(", or ")
        ));
        said.push(format!(
            "{} belong to a conversation: this connection's own, unless a call names another one \
             (`{CONVERSATION}`).",
            match self.reads_only {
                true => "Verdicts",
                false => "Stages and verdicts",
            }
        ));
        said.join(" ")
    }
}

/// What was given, cut so that it fits into a sentence.
fn short(given: &str) -> String {
    fourfold::shortened(given, [given])
}

/// The arguments that hold paths.
const PATHS: [&str; 11] = [
    "path",
    "paths",
    "file",
    "program",
    "cwd",
    "test",
    "at",
    "breakpoints",
    "symbol",
    "focus",
    "core",
];

/// The absolute paths in the arguments of a call; some have a line or a name behind them.
fn absolute_paths(arguments: &Map<String, Value>) -> Vec<String> {
    let found = named(arguments).into_iter();
    found
        .filter(|path| path.starts_with('/'))
        .map(str::to_owned)
        .collect()
}

/// The relative paths in the arguments of a call, as far as they can be told from other texts.
pub(crate) fn relative_paths(arguments: &Map<String, Value>) -> Vec<&Path> {
    named(arguments).into_iter().filter_map(bare).collect()
}

/// The texts in the arguments of a call that may be paths.
fn named(arguments: &Map<String, Value>) -> Vec<&str> {
    let mut found = Vec::new();
    let mut waiting: Vec<&Value> = PATHS
        .iter()
        .filter_map(|name| arguments.get(*name))
        .collect();
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => found.push(text.as_str()),
            Value::Array(values) => waiting.extend(values),
            Value::Object(object) => waiting.extend(object.get("at")),
            _ => {}
        }
    }
    let patch = arguments.get("patch").and_then(Value::as_str);
    let marks = [
        "*** Add File: ",
        "*** Delete File: ",
        "*** Update File: ",
        "*** Move to: ",
        "--- ",
        "+++ ",
    ];
    for line in patch.unwrap_or_default().lines() {
        found.extend(marks.iter().find_map(|mark| line.strip_prefix(mark)));
    }
    found
}

/// The checkout that a path lies in; the innermost, where one lies in another.
fn holder<'a>(path: &str, houses: &'a [House]) -> Option<&'a House> {
    let holds = houses
        .iter()
        .filter(|house| Path::new(path).starts_with(house.checkout.root()));
    holds.max_by_key(|house| house.checkout.root().as_os_str().len())
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        // A schema of ours is an object.
        _ => JsonObject::new(),
    }
}
