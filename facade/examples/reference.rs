//! Writes the reference of all tools, in Markdown, from their schemas: `cargo xtask docs`.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write as _};

use fourfold::{Access, Tool};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let tools = fourfold::tool_reference();
    let mut page = String::from(
        "# Every tool\n\n\
         <!-- Written by `cargo xtask docs` from the schemas; `cargo xtask lint docs` compares. -->\n\n\
         Every tool with every argument and every part of its result. What is meant without doubt is\n\
         taken: one value where a list is wanted, a number or `true` in quotes, `null` for an argument\n\
         that is not given. A wrong argument is answered with a sentence that names it and what is\n\
         allowed. Through MCP every tool also takes `conversation`, and `root` where several checkouts\n\
         are served.\n\n| tool | |\n|---|---|\n",
    );
    for tool in &tools {
        let (name, title) = (tool.name, tool.annotations.title);
        writeln!(
            page,
            "| [`{name}`](#{name}) | {title}; {} |",
            access(tool.access)
        )?;
    }
    for tool in &tools {
        section(&mut page, tool)?;
    }
    io::stdout().lock().write_all(page.as_bytes())?;
    Ok(())
}

fn access(access: Access) -> &'static str {
    match access {
        Access::Reads => "reads",
        Access::Writes => "changes files",
        Access::Executes => "runs programs",
        _ => "other",
    }
}

fn section(page: &mut String, tool: &Tool) -> std::fmt::Result {
    writeln!(page, "\n## {}\n\n{}\n", tool.name, tool.description)?;
    let required: Vec<&str> = list(&tool.input_schema["required"]).collect();
    let properties = tool.input_schema["properties"].as_object();
    match properties.filter(|all| !all.is_empty()) {
        None => writeln!(page, "It takes no arguments.")?,
        Some(all) => {
            writeln!(page, "| argument | type | |\n|---|---|---|")?;
            // What has to be given comes first.
            let given = all
                .iter()
                .filter(|(name, _)| required.contains(&name.as_str()));
            let others = all
                .iter()
                .filter(|(name, _)| !required.contains(&name.as_str()));
            for (name, schema) in given.chain(others) {
                let needed = if required.contains(&name.as_str()) {
                    "**required.** "
                } else {
                    ""
                };
                writeln!(
                    page,
                    "| `{name}` | {} | {needed}{} |",
                    kind(schema),
                    about(schema)
                )?;
            }
            for (name, schema) in all {
                choices(page, &format!("`{name}`"), schema)?;
                choices(page, &format!("each of `{name}`"), &schema["items"])?;
                let parts = schema["items"]["properties"].as_object();
                for (part, schema) in parts.into_iter().flatten() {
                    writeln!(
                        page,
                        "\n`{name}[].{part}` ({}): {}",
                        kind(schema),
                        about(schema)
                    )?;
                }
            }
        }
    }
    writeln!(page, "\n**Result**\n\n| part | type | |\n|---|---|---|")?;
    let parts = tool.output_schema["properties"].as_object();
    for (name, schema) in parts.into_iter().flatten() {
        writeln!(page, "| `{name}` | {} | {} |", kind(schema), about(schema))?;
    }
    let shapes = tool.output_schema["$defs"].as_object();
    for (name, schema) in shapes.into_iter().flatten() {
        let parts = schema["properties"].as_object();
        writeln!(page, "\n*{name}*: {}\n", about(schema))?;
        choices(page, "one", schema)?;
        for (part, schema) in parts.into_iter().flatten() {
            writeln!(page, "- `{part}` ({}): {}", kind(schema), about(schema))?;
        }
    }
    Ok(())
}

/// The values that may be chosen from, each with what it means where that is told.
fn choices(page: &mut String, whose: &str, schema: &Value) -> std::fmt::Result {
    let values: Vec<&str> = list(&schema["enum"]).collect();
    if !values.is_empty() {
        writeln!(page, "\n{whose}: `{}`", values.join("`, `"))?;
    }
    for choice in schema["oneOf"].as_array().into_iter().flatten() {
        if let Some(value) = choice["const"].as_str() {
            writeln!(page, "\n{whose} = `{value}`: {}", about(choice))?;
        }
    }
    Ok(())
}

fn kind(schema: &Value) -> String {
    if schema.get("enum").is_some() || schema.get("oneOf").is_some() {
        return "choice".to_owned();
    }
    if let Some(shape) = schema["$ref"].as_str() {
        return shape.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(several) = schema["anyOf"]
        .as_array()
        .or_else(|| schema["allOf"].as_array())
    {
        let kinds: Vec<String> = several
            .iter()
            .map(kind)
            .filter(|kind| kind != "null")
            .collect();
        return kinds.join(" or ");
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" => {
            format!("list of {}", self::kind(&schema["items"]))
        }
        Value::String(kind) => kind.clone(),
        Value::Array(_) => list(&schema["type"])
            .filter(|kind| *kind != "null")
            .collect(),
        _ => "value".to_owned(),
    }
}

fn about(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    text.replace('\n', " ").replace('|', "\\|")
}

fn list(value: &Value) -> impl Iterator<Item = &str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}
