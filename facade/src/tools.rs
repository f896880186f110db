//! The tools as an agent host sees them: names, schemas, what they touch, and the call by name.

use fourfold_worktree::Control;
use serde::Serialize;
use serde_json::Value;

use crate::Error;
use crate::checkout::Checkout;
use crate::code::{
    CallsRequest, CodeAnswer, CodeGraphRequest, CodeMapRequest, CodePage, CodeSymbolRequest,
    ImpactRequest, SearchCodeRequest,
};
use crate::conversation::Conversation;
use crate::lsp::{self, LspRequest, LspResult};
use crate::nearest;
use crate::request::{
    CheckRequest, ExplainRequest, GrepRequest, ResolveRequest, RewriteRequest, StagedRequest,
};
use crate::result::{Explanation, GrepResult, ResolveResult, RewriteResult, StagedResult};
use crate::schema;
use crate::text;
use crate::verdict::{self, CheckResult, FixedProblem, Problem};
use crate::write::{self, ApplyPatchRequest, EditRequest, WriteRequest, WriteResult};

/// What a tool does to the world, so that a host can ask before it lets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Access {
    /// It changes no file of the project. Staging is reading: what it keeps lies in `.fourfold/`.
    Reads,
    /// It changes files of the project.
    Writes,
    /// It runs programs.
    Executes,
}

/// Hints in the form of the Model Context Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// A short name for people.
    pub title: &'static str,
    /// It changes nothing.
    pub read_only_hint: bool,
    /// It may overwrite or remove something.
    pub destructive_hint: bool,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent_hint: bool,
    /// It reaches beyond the checkout.
    pub open_world_hint: bool,
}

/// A tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Tool {
    /// The name that [`Conversation::call`] takes.
    pub name: &'static str,
    /// What it is for, for the model.
    pub description: &'static str,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// JSON Schema of [`ToolResult::value`].
    pub output_schema: Value,
    /// What it does to the world.
    pub access: Access,
    /// Hints for a host.
    pub annotations: Annotations,
}

/// What a tool answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToolResult {
    /// Compact text for a model.
    pub text: String,
    /// The same, structured, by the tool's output schema.
    pub value: Value,
    /// What language servers found since the last answer about changes made before it. The text has
    /// it too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub late: Vec<Problem>,
    /// What they found to be gone since, likewise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub late_fixed: Vec<FixedProblem>,
}

const GREP: &str = "ast_grep";
const REWRITE: &str = "ast_edit";
const RESOLVE: &str = "resolve";
const STAGED: &str = "staged";
const EXPLAIN: &str = "ast_explain";
const LSP: &str = "lsp";
const CHECK: &str = "check";
const WRITE: &str = "write";
const EDIT: &str = "edit";
const APPLY_PATCH: &str = "apply_patch";
const SEARCH_CODE: &str = "search_code";
const CODE_SYMBOL: &str = "code_symbol";
const CODE_CALLERS: &str = "code_callers";
const CODE_CALLEES: &str = "code_callees";
const CODE_IMPACT: &str = "code_impact";
const CODE_MAP: &str = "code_map";
const CODE_GRAPH: &str = "code_graph";

const NAMES: [&str; 17] = [
    GREP,
    REWRITE,
    RESOLVE,
    STAGED,
    EXPLAIN,
    WRITE,
    EDIT,
    APPLY_PATCH,
    LSP,
    CHECK,
    SEARCH_CODE,
    CODE_SYMBOL,
    CODE_CALLERS,
    CODE_CALLEES,
    CODE_IMPACT,
    CODE_MAP,
    CODE_GRAPH,
];

fn input(name: &str) -> Value {
    match name {
        GREP => schema::input::<GrepRequest>(&[], &[]),
        REWRITE => schema::input::<RewriteRequest>(&["pattern", "template"], &["query"]),
        RESOLVE => schema::input::<ResolveRequest>(&["id", "action"], &[]),
        EXPLAIN => schema::input::<ExplainRequest>(&["pattern"], &["query"]),
        LSP => schema::input::<LspRequest>(&["action"], &[]),
        CHECK => schema::input::<CheckRequest>(&[], &[]),
        WRITE => schema::input::<WriteRequest>(&["path", "content"], &[]),
        EDIT => schema::input::<EditRequest>(&["path"], &[]),
        APPLY_PATCH => schema::input::<ApplyPatchRequest>(&["patch"], &[]),
        SEARCH_CODE => schema::input::<SearchCodeRequest>(&["query"], &[]),
        CODE_SYMBOL => schema::input::<CodeSymbolRequest>(&["symbol"], &[]),
        CODE_CALLERS => schema::input::<CallsRequest>(&["symbol"], &[]),
        CODE_CALLEES => schema::input::<CallsRequest>(&["symbol"], &["uses", "depth"]),
        CODE_IMPACT => schema::input::<ImpactRequest>(&[], &[]),
        CODE_MAP => schema::input::<CodeMapRequest>(&[], &[]),
        CODE_GRAPH => schema::input::<CodeGraphRequest>(&["action"], &[]),
        _ => schema::input::<StagedRequest>(&[], &[]),
    }
}

/// The questions to the code graph: name, title, description.
const CODE: [(&str, &str, &str); 7] = [
    (
        SEARCH_CODE,
        "Find symbols",
        "Find functions, classes and other symbols by words, by a name or a part of one, by their \
         signature or documentation. Names are split into words, so `user name` finds getUserName. \
         Ranked; exact names first.",
    ),
    (
        CODE_SYMBOL,
        "Show a symbol",
        "One symbol with its declaration, documentation, source, members and how often it is used; \
         with `outline`, or for a file or a folder, what is declared in it. A symbol is named as \
         people name it: `Class.method`, `file.py:40`, `file.py::name`, a bare name. A name of \
         several symbols is answered with the candidates.",
    ),
    (
        CODE_CALLERS,
        "Who calls it",
        "Who calls a symbol, with the lines that do, tests apart, and how sure each is; with `uses` \
         every use. It says how many calls of that name could not be told, which may be more \
         callers. No type checker and no server is needed; where every use must be known, ask the \
         language server as well.",
    ),
    (
        CODE_CALLEES,
        "What it calls",
        "What a function, a class or a file calls: in the checkout, outside of it, and what could \
         not be told.",
    ),
    (
        CODE_IMPACT,
        "What a change reaches",
        "What depends on symbols or files, or on what changed since a commit (`since: HEAD`): by \
         distance and file, with the reason, the tests that reach it and on which way.",
    ),
    (
        CODE_MAP,
        "Map of the checkout",
        "The declarations of the most important symbols of the checkout, file by file, as many as \
         the token budget holds; `focus` names what the work is about.",
    ),
    (
        CODE_GRAPH,
        "Ask the code graph",
        "Other questions to the code graph: paths (how one symbol reaches another), hierarchy, \
         cycles, modules (which folders need which), unused (no known use, with what speaks against \
         it), draw, status.",
    ),
];

/// Every tool; without those that stage and change files unless `writes`, and without those that ask
/// language servers unless `serves`.
pub(crate) fn tools(writes: bool, serves: bool) -> Vec<Tool> {
    let tool = |name, title, description, output_schema, access| Tool {
        name,
        description,
        input_schema: input(name),
        output_schema,
        access,
        annotations: Annotations {
            title,
            read_only_hint: access == Access::Reads,
            destructive_hint: access == Access::Writes,
            idempotent_hint: ![REWRITE, EDIT, APPLY_PATCH].contains(&name),
            open_world_hint: false,
        },
    };
    let mut tools = vec![tool(
        GREP,
        "Structural search",
        "Find code by its shape. The pattern is a piece of code in which $X stands for any one node, \
         $$$XS for any run of siblings; a name used twice must be the same code twice. Spacing and \
         comments do not matter, operators and keywords do. Strings and comments are not searched \
         inside. The language of each file is inferred. When nothing matches, it says what comes \
         nearest and why.",
        schema::output::<GrepResult>(),
        Access::Reads,
    )];
    for (name, title, description) in CODE {
        tools.push(tool(
            name,
            title,
            description,
            schema::output::<CodeAnswer>(),
            Access::Reads,
        ));
    }
    if writes {
        tools.push(tool(
            REWRITE,
            "Stage a structural rewrite",
            "Stage a rewrite of every match of a pattern by a template that uses its captures, such \
             as foo($A, $B) by bar($B, $A). Nothing on disk is changed: the answer has the sites, \
             the diff and the id of the stage, and `resolve` applies or discards it. What cannot be \
             rewritten safely is left out and listed.",
            schema::output::<RewriteResult>(),
            Access::Reads,
        ));
        tools.push(tool(
            RESOLVE,
            "Apply or discard a staged rewrite",
            "Apply a stage, all of its files or none, or discard it. `except` leaves out sites or \
             files. When a file changed since it was staged nothing is written, the files are named \
             and the stage is kept.",
            schema::output::<ResolveResult>(),
            Access::Writes,
        ));
        tools.push(tool(
            STAGED,
            "List the staged rewrites",
            "List the stages that wait to be applied or discarded: those of this conversation and \
             those kept on disk.",
            schema::output::<StagedResult>(),
            Access::Reads,
        ));
    }
    if serves {
        tools.push(tool(
            LSP,
            "Ask the language servers",
            "Ask the project's language servers what types and compilers know: diagnostics (file, or \
             `*`), definition, type_definition, declaration, implementation, references, hover, \
             symbols, incoming_calls, outgoing_calls, supertypes, subtypes. A symbol is named as it \
             is written, with its line: file, line, symbol (`name#2` for the second on the line). \
             rename, code_actions with apply, and format stage a change that `resolve` applies. \
             status tells which servers there are and what is missing.",
            schema::output::<LspResult>(),
            Access::Reads,
        ));
        tools.push(tool(
            CHECK,
            "Check what somebody else wrote",
            "The verdict of the language servers on files that were not written by these tools: by a \
             formatter, a generator, a shell command, a person. Without paths: all that changed since \
             the last answer. New problems only, and whether they are confirmed. Where you know before \
             that files will be written so, `check` them with `before` first: what was wrong in them \
             already is then told apart for sure.",
            schema::output::<CheckResult>(),
            Access::Reads,
        ));
    }
    tools.push(tool(
        EXPLAIN,
        "Explain a pattern",
        "Tell how a pattern is read in each language: its readings with their trees, why other \
         readings are not possible, and when nothing matches, what comes nearest and why it is no \
         match.",
        schema::output::<Explanation>(),
        Access::Reads,
    ));
    if writes {
        tools.push(tool(
            WRITE,
            "Write a file",
            "Write a file whole, new or over what is there. Folders that are missing are made. The \
             answer has the hash of the content; `expected_hash` guards against writing over what \
             somebody else has changed. To change a part of a file, use `edit`.",
            schema::output::<WriteResult>(),
            Access::Writes,
        ));
        tools.push(tool(
            EDIT,
            "Replace text in a file",
            "Replace `old_text` by `new_text` in a file, or several such pairs in `edits`, one after \
             another, all or none. `old_text` is copied from the file as it stands, without line \
             numbers, and must occur exactly once unless `replace_all` is set: give enough lines \
             around the change. Line ends and blanks at line ends need not match; indentation must. \
             When it is not found, the answer has what comes nearest and how it differs.",
            schema::output::<WriteResult>(),
            Access::Writes,
        ));
        tools.push(tool(
            APPLY_PATCH,
            "Apply a patch",
            "Apply a patch to any number of files, all or none: an envelope (`*** Begin Patch`, then \
             `*** Add File: path`, `*** Delete File: path`, `*** Update File: path` with hunks of \
             lines that begin with a blank, - or +, each hunk after `@@` or `@@ enclosing line`, \
             then `*** End Patch`), or a unified diff. The unchanged lines of a hunk decide where it \
             belongs; line numbers need not be right. A hunk that fits several places is refused \
             with all of them, and every problem of the patch is told at once.",
            schema::output::<WriteResult>(),
            Access::Writes,
        ));
    }
    tools
}

/// Calls a tool by its name.
pub(crate) async fn call(
    conversation: &Conversation,
    tool: &str,
    arguments: Value,
) -> Result<ToolResult, Error> {
    let mut result = call_tool(conversation, tool, arguments).await?;
    let found = conversation.found_late();
    if !found.new.is_empty() || !found.fixed.is_empty() {
        let text = verdict::late(&found.new, &found.fixed);
        result.text.push_str(&text);
    }
    result.late = found.new;
    result.late_fixed = found.fixed;
    Ok(result)
}

async fn call_tool(
    conversation: &Conversation,
    tool: &str,
    arguments: Value,
) -> Result<ToolResult, Error> {
    let Some(name) = NAMES.into_iter().find(|name| *name == tool) else {
        return Err(Error::UnknownTool {
            given: tool.to_owned(),
            hint: nearest::hint(tool, NAMES),
            known: NAMES.join(", "),
        });
    };
    let schema = input(name);
    match name {
        GREP => {
            let request = schema::read(name, &schema, arguments)?;
            let result = conversation.grep_async(request).await?;
            answer(text::grep(&result), &result)
        }
        REWRITE => {
            let request = schema::read(name, &schema, arguments)?;
            let result = conversation.rewrite_async(request).await?;
            answer(text::rewrite(&result), &result)
        }
        RESOLVE => {
            let request = schema::read(name, &schema, arguments)?;
            let result = conversation.resolve_async(request).await?;
            answer(text::resolve(&result), &result)
        }
        EXPLAIN => {
            let request = schema::read(name, &schema, arguments)?;
            let result = conversation.explain_async(request).await?;
            answer(text::explain(&result), &result)
        }
        LSP => {
            let request = schema::read(name, &schema, arguments)?;
            let result = conversation.lsp_async(request).await?;
            answer(lsp::said(&result), &result)
        }
        CHECK => {
            let request: CheckRequest = schema::read(name, &schema, arguments)?;
            let before = request.before;
            let result = conversation.check_async(request).await?;
            let text = match before {
                true => verdict::noted(&result),
                false => verdict::checked(&result),
            };
            answer(text, &result)
        }
        WRITE => {
            let request = schema::read(name, &schema, arguments)?;
            let result = conversation.write_async(request).await?;
            answer(write::written(&result), &result)
        }
        EDIT => {
            let request = schema::read(name, &schema, arguments)?;
            let result = conversation.edit_async(request).await?;
            answer(write::written(&result), &result)
        }
        APPLY_PATCH => {
            let request = schema::read(name, &schema, arguments)?;
            let result = conversation.apply_patch_async(request).await?;
            answer(write::written(&result), &result)
        }
        SEARCH_CODE => {
            let request: SearchCodeRequest = schema::read(name, &schema, arguments)?;
            let page = request.page;
            let ask = move |on: &Checkout, control: &Control| on.search_code(&request, control);
            code(conversation.code_async(ask).await?, page)
        }
        CODE_SYMBOL => {
            let request: CodeSymbolRequest = schema::read(name, &schema, arguments)?;
            let page = request.page;
            let ask = move |on: &Checkout, control: &Control| on.code_symbol(&request, control);
            code(conversation.code_async(ask).await?, page)
        }
        CODE_CALLERS => {
            let request: CallsRequest = schema::read(name, &schema, arguments)?;
            let page = request.page;
            let ask = move |on: &Checkout, control: &Control| on.code_callers(&request, control);
            code(conversation.code_async(ask).await?, page)
        }
        CODE_CALLEES => {
            let request: CallsRequest = schema::read(name, &schema, arguments)?;
            let page = request.page;
            let ask = move |on: &Checkout, control: &Control| on.code_callees(&request, control);
            code(conversation.code_async(ask).await?, page)
        }
        CODE_IMPACT => {
            let request: ImpactRequest = schema::read(name, &schema, arguments)?;
            let page = request.page;
            let ask = move |on: &Checkout, control: &Control| on.code_impact(&request, control);
            code(conversation.code_async(ask).await?, page)
        }
        CODE_MAP => {
            let request: CodeMapRequest = schema::read(name, &schema, arguments)?;
            let page = request.page;
            let ask = move |on: &Checkout, control: &Control| on.code_map(&request, control);
            code(conversation.code_async(ask).await?, page)
        }
        CODE_GRAPH => {
            let request: CodeGraphRequest = schema::read(name, &schema, arguments)?;
            let page = request.page;
            let ask = move |on: &Checkout, control: &Control| on.code_graph(&request, control);
            code(conversation.code_async(ask).await?, page)
        }
        _ => {
            let StagedRequest {} = schema::read(name, &schema, arguments)?;
            let result = conversation.staged_async().await?;
            answer(text::staged(&result), &result)
        }
    }
}

fn code(mut result: CodeAnswer, page: CodePage) -> Result<ToolResult, Error> {
    let text = std::mem::take(&mut result.text);
    result.fit(page);
    answer(text, &result)
}

fn answer(text: String, value: &impl Serialize) -> Result<ToolResult, Error> {
    let value = serde_json::to_value(value).map_err(|error| Error::Crashed {
        reason: error.to_string(),
    })?;
    Ok(ToolResult {
        text,
        value,
        late: Vec::new(),
        late_fixed: Vec::new(),
    })
}
