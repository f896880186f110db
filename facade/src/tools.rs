//! The tools as an agent host sees them: names, schemas, what they touch, and the call by name.

use fourfold_worktree::Control;
use serde::Serialize;
use serde_json::Value;

use crate::Error;
use crate::brief;
use crate::checkout::Checkout;
use crate::code::{
    CallsRequest, CodeAnswer, CodeGraphRequest, CodeMapRequest, CodePage, CodeSymbolRequest,
    ImpactRequest, SearchCodeRequest,
};
use crate::conversation::Conversation;
use crate::debug::{DebugRequest, DebugResult};
use crate::echo::long_texts;
use crate::lsp::{self, LspRequest, LspResult};
use crate::nearest;
use crate::plain::Plain;
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
const DEBUG: &str = "debug";
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

const NAMES: [&str; 18] = [
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
    DEBUG,
    SEARCH_CODE,
    CODE_SYMBOL,
    CODE_CALLERS,
    CODE_CALLEES,
    CODE_IMPACT,
    CODE_MAP,
    CODE_GRAPH,
];

/// The tools that ask language servers, be it for a verdict.
const ASK_SERVERS: [&str; 6] = [LSP, CHECK, RESOLVE, WRITE, EDIT, APPLY_PATCH];

/// The name of every tool that there is, whether it can work in a checkout or not.
pub fn tool_names() -> &'static [&'static str] {
    &NAMES
}

fn input(name: &str) -> Value {
    match name {
        GREP => schema::input::<GrepRequest>(&[], &[]),
        REWRITE => schema::input::<RewriteRequest>(&["pattern", "template"], &["query"]),
        RESOLVE => schema::input::<ResolveRequest>(&["id", "action"], &[]),
        EXPLAIN => schema::input::<ExplainRequest>(&["pattern"], &["query"]),
        LSP => schema::input::<LspRequest>(&["action"], &[]),
        DEBUG => schema::input::<DebugRequest>(&["action"], &[]),
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
        "Where is it declared? Use this instead of grep for a name, or for words that describe it: \
         names are split, so `{\"query\": \"user name\"}` finds getUserName; signatures and \
         documentation count too. Ranked, exact names first, each with place and signature.",
    ),
    (
        CODE_SYMBOL,
        "Show a symbol",
        "Read one function or class instead of its file: signature, documentation, source, members, \
         how often it is used. `{\"symbol\": \"Session.send\"}`; a file or folder gives its outline. A name \
         of several symbols is answered with the candidates.",
    ),
    (
        CODE_CALLERS,
        "Who calls it",
        "Who calls a symbol, with the lines, tests apart, each with how sure it is: \
         `{\"symbol\": \"Session.send\"}`. Unlike grep it tells calls from mentions and same names apart. It \
         counts the calls of that name that it could not tell; where every use must be known, ask \
         lsp references too.",
    ),
    (
        CODE_CALLEES,
        "What it calls",
        "What a function, class or file calls, where you would read its body and look up each name: \
         in the checkout, outside of it, and what could not be told. `{\"symbol\": \"main\"}`",
    ),
    (
        CODE_IMPACT,
        "What a change reaches",
        "Before or after a change: what depends on it, by distance, and which tests to run. \
         `{\"since\": \"HEAD\"}` for what you have changed, or `{\"symbol\": [\"Session.send\"]}`.",
    ),
    (
        CODE_MAP,
        "Map of the checkout",
        "A first look at an unknown checkout, where you would list folders and open files: the most \
         important declarations, file by file, as many as fit: `{\"tokens\": 1500}`.",
    ),
    (
        CODE_GRAPH,
        "Ask the code graph",
        "Rarer questions: paths (how one symbol reaches another: `{\"action\": \"paths\", \"symbol\": \
         \"main\", \"to\": \"send\"}`), hierarchy, cycles, modules (which folders need which), unused (with \
         what speaks against it), draw, status.",
    ),
];

/// What `lsp` takes that leads to a change: arguments, and actions.
const LSP_CHANGES: &[&str] = &["new_name", "apply", "keep", "rename", "format"];

/// What in a call of `lsp` leads to a staged change, which is nothing without `resolve`; nothing for
/// other tools. For a host that offers the one and not the other.
pub fn staging_part<'a>(tool: &str, arguments: &'a Value) -> Option<&'a str> {
    let arguments = arguments.as_object().filter(|_| tool == LSP)?;
    let action = arguments.get("action").and_then(Value::as_str);
    let is_change = |name: &&str| LSP_CHANGES.contains(name);
    let given = arguments.iter().filter(|(_, value)| !value.is_null());
    let mut names = given.map(|(name, _)| name.as_str());
    action.filter(is_change).or_else(|| names.find(is_change))
}

/// What there is to see in a checkout, of which it depends which tools can work there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Looked {
    /// Some language server may be asked about some file, or some checker be run.
    pub(crate) serves: bool,
    /// Some debug adapter may be started.
    pub(crate) debugs: bool,
    /// The code graph may know something.
    pub(crate) graphs: bool,
}

impl Looked {
    /// Where everything can work.
    pub(crate) const ALL: Looked = Looked {
        serves: true,
        debugs: true,
        graphs: true,
    };
}

/// Every tool that can work, without those that stage and change files unless `writes`.
pub(crate) fn tools(writes: bool, looked: &Looked) -> Vec<Tool> {
    let mut tools = reference(writes, looked);
    for tool in &mut tools {
        let full = std::mem::take(&mut tool.input_schema);
        tool.input_schema = brief::input(tool.name, full);
        tool.output_schema = brief::output(&tool.output_schema);
    }
    tools
}

/// Every tool with its full schemas: every argument and every part of a result with its
/// documentation, also what [`Checkout::tools`] says in fewer words or not at all. For references and
/// for programs; a model does with less.
pub fn tool_reference() -> Vec<Tool> {
    reference(true, &Looked::ALL)
}

fn reference(writes: bool, looked: &Looked) -> Vec<Tool> {
    let Looked {
        serves,
        debugs,
        graphs,
    } = *looked;
    let tool = |name, title, description, output_schema, access| Tool {
        name,
        description,
        input_schema: input(name),
        output_schema,
        access,
        annotations: Annotations {
            title,
            read_only_hint: access == Access::Reads,
            destructive_hint: access != Access::Reads,
            idempotent_hint: access != Access::Executes
                && ![REWRITE, EDIT, APPLY_PATCH].contains(&name),
            // A program that is run may do anything; a language server may run what builds the
            // project, and that may fetch what it needs.
            open_world_hint: access == Access::Executes || ASK_SERVERS.contains(&name),
        },
    };
    let mut tools = vec![tool(
        GREP,
        "Structural search",
        "Find code by its shape, where grep would find text: calls with certain arguments, patterns \
         over several lines, the same thing twice. Write the code, with $X for one node and $$$XS for \
         any run of siblings: `{\"pattern\": \"assert_eq!($A, $A)\"}` finds comparisons with themselves. \
         Layout and comments do not matter, operators and keywords do; strings are not searched \
         inside. Without a match it tells the nearest miss and why.",
        schema::output::<GrepResult>(),
        Access::Reads,
    )];
    for (name, title, description) in CODE.into_iter().filter(|_| graphs) {
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
            "Change every place of a shape at once, where you would edit file by file: \
         `{\"pattern\": \"foo($A, $B)\", \"template\": \"bar($B, $A)\"}`. Nothing on disk changes yet: the \
         answer has the sites, the diff and the id of a stage, which `resolve` applies or discards. \
         What cannot be rewritten safely is left out and listed. Filters as in ast_grep.",
            schema::output::<RewriteResult>(),
            Access::Reads,
        ));
        tools.push(tool(
            RESOLVE,
            "Apply or discard a staged rewrite",
            "Apply a stage, all of its files or none, or discard it: `{\"id\": \"s-7k2m\", \"action\": \
         \"apply\"}`. The answer is a verdict as of write. If a file has changed since it was staged, \
         nothing is written, the files are named and the stage stays.",
            schema::output::<ResolveResult>(),
            Access::Writes,
        ));
        tools.push(tool(
            STAGED,
            "List the staged rewrites",
            "The stages that wait for resolve, of this conversation and kept on disk: id, age, files. No \
         file and no version control shows them before. It takes no arguments: `{}`.",
            schema::output::<StagedResult>(),
            Access::Reads,
        ));
    }
    if serves {
        let mut lsp = tool(
            LSP,
            "Ask the language servers",
            match writes {
                true => {
                    "What types and compilers know, exact where the graph is a guess: definition, \
         references, hover (the type), implementation, incoming_calls, diagnostics. Name a symbol as \
         it is written, with its line, no column: `{\"action\": \"references\", \"file\": \"src/a.rs\", \
         \"line\": 12, \"symbol\": \"send\"}`. rename, format and code_actions with `apply` stage a \
         change for resolve. status tells what is missing."
                }
                false => {
                    "What types and compilers know, exact where the graph is a guess: definition, \
         references, hover (the type), implementation, incoming_calls, diagnostics. Name a symbol as \
         it is written, with its line, no column: `{\"action\": \"references\", \"file\": \"src/a.rs\", \
         \"line\": 12, \"symbol\": \"send\"}`. status tells what is missing."
                }
            },
            schema::output::<LspResult>(),
            Access::Reads,
        );
        if !writes {
            schema::leave_out(&mut lsp.input_schema, LSP_CHANGES);
        }
        tools.push(lsp);
        tools.push(tool(
            CHECK,
            "Check what somebody else wrote",
            "Did it break anything? The verdict on files that these tools did not write: after a shell \
             command, a formatter, a generator: `{\"paths\": [\"src/a.py\"]}`. Quicker than a build, and \
             told as of write. With `before`: first, to note what is wrong already.",
            schema::output::<CheckResult>(),
            Access::Reads,
        ));
    }
    if debugs {
        tools.push(tool(
            DEBUG,
            "Debug a program or a test",
            "Values as they are, where you would add prints or guess. `ask` is one question in one call: \
             run, stop `at` a place (under a `condition`) or at the first failure, `evaluate` there and \
             in its callers, end: `{\"action\": \"ask\", \"test\": \"test_a.py::test_b\", \"at\": \"a.py:12\", \
             \"evaluate\": [\"total\"]}`. Or `launch` with breakpoints, then continue, step_over, run_to, \
             variables, …; each stop is told whole: reason, source, stack, locals, output. `attach` and \
             `pause` show where a process hangs. There is one session; it ends at its time limit or \
             with terminate.",
            schema::output::<DebugResult>(),
            Access::Executes,
        ));
    }
    tools.push(tool(
        EXPLAIN,
        "Explain a pattern",
        "Why does a pattern match nothing? Instead of trying others: how it is read in each language, \
         and what comes nearest. `{\"pattern\": \"foo($A)\", \"language\": [\"py\"]}`",
        schema::output::<Explanation>(),
        Access::Reads,
    ));
    if writes {
        tools.push(tool(
            WRITE,
            "Write a file",
            "Write a whole file: `{\"path\": \"a.py\", \"content\": \"x = 1\"}`; to change a part, use edit. \
         The answer is a verdict: clean (confirmed by a language server for this content), problems \
         (new ones only), unconfirmed, or no server. So there is no need to compile to see a type \
         error.",
            schema::output::<WriteResult>(),
            Access::Writes,
        ));
        tools.push(tool(
            EDIT,
            "Replace text in a file",
            "Replace `old_text` by `new_text` in a file: `{\"path\": \"a.py\", \"old_text\": \"x = 1\", \
         \"new_text\": \"x = 2\"}`. Copy `old_text` from the file, with enough lines to occur once; \
         indentation counts. Not found: the answer has the nearest text. The answer is a verdict as of \
         write.",
            schema::output::<WriteResult>(),
            Access::Writes,
        ));
        tools.push(tool(
            APPLY_PATCH,
            "Apply a patch",
            "Change several files, all or none: `*** Begin Patch`, then `*** Add File: path`, `*** Delete \
         File: path` or `*** Update File: path` with hunks after `@@` of lines that begin with a \
         blank, - or +, then `*** End Patch`; or a unified diff. Unchanged lines place a hunk, line \
         numbers need not be right. The answer is a verdict as of write.",
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
    let name = known(tool)?;
    let (call, _goes_on) = conversation.begun(name);
    let given = long_texts(&arguments);
    let called = call_tool(&call, name, arguments).await;
    let mut result = called.map_err(|error| error.shortened(&given))?;
    let found = conversation.found_late();
    if !found.new.is_empty() || !found.fixed.is_empty() {
        let text = verdict::late(&found.new, &found.fixed);
        result.text.push_str(&text);
    }
    result.text = Plain(&result.text).to_string();
    result.late = found.new;
    result.late_fixed = found.fixed;
    Ok(result)
}

/// The tool of this name.
fn known(tool: &str) -> Result<&'static str, Error> {
    let found = NAMES.into_iter().find(|name| *name == tool);
    found.ok_or_else(|| Error::UnknownTool {
        given: crate::result::capped(tool, 80, &mut false),
        hint: nearest::hint(tool, NAMES),
        known: NAMES.join(", "),
    })
}

async fn call_tool(
    conversation: &Conversation,
    name: &'static str,
    arguments: Value,
) -> Result<ToolResult, Error> {
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
        DEBUG => {
            let request = schema::read(name, &schema, arguments)?;
            let mut result = conversation.debug(request).await?;
            let text = std::mem::take(&mut result.text);
            answer(text, &result)
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
