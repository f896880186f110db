//! The command line as it is typed: commands, options, and their help.

pub(crate) mod debug;
pub(crate) mod graph;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use fourfold::{Language, LspAction, Rung};

const SYNTAX: &str = "\
Patterns are code:  $X is one node, $$$XS any number of siblings, $_ and $$$ the same without a \
name.
A name used twice has to stand for the same code: `if ($X != null) $X.dispose()`.

Exit status: 0 something was found, 1 nothing was found, 2 an error.";

const LSP_STATUS: &str = "\
Exit status: 0 something was found, 1 nothing was found, 2 an error. For diagnostics: 0 nothing is \
wrong, 1 there are problems, 2 an error, 3 it is not known.";

const GRAPH_STATUS: &str = "\
Exit status: 0 something was found, 1 nothing was found, 2 an error, or a name of several symbols.";

const DEBUG_STATUS: &str = "\
Exit status: 0 it stopped, or has what was asked for; 1 the program ended without a stop; 2 an error; \
3 it still runs.";

const CHECK_STATUS: &str = "\
Exit status: 0 clean, 1 new problems, 2 an error, 3 unconfirmed or no server.";

/// Know code by a graph, by shape, by its language servers and under a debugger, and change it safely.
#[derive(Debug, Parser)]
#[command(name = "fourfold", version, after_help = SYNTAX, max_term_width = 100)]
#[command(propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "General options")]
pub(crate) struct Global {
    /// Run as if started in DIR; the checkout is the nearest folder above it that holds `.git`,
    /// `.fourfold` or `fourfold.toml`.
    #[arg(short = 'C', value_name = "DIR", global = true, value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Write JSON, one object a line, the last of them a summary.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Colour the output; `auto` does on a terminal unless NO_COLOR is set.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value = "auto"
    )]
    pub(crate) color: When,
    /// Show at most so many bytes of one text; what is cut is marked.
    #[arg(
        long,
        global = true,
        value_name = "BYTES",
        default_value_t = 2000,
        allow_negative_numbers = true
    )]
    pub(crate) max_text: usize,
    /// Use so many threads, not as many as the machine offers; 256 at most.
    #[arg(short = 'j', long, global = true, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
    /// Work in the conversation NAME: what another one was told of problems, and its debug session,
    /// stay there. Stages that are kept on disk belong to the checkout.
    #[arg(long, global = true, value_name = "NAME", default_value = "cli", value_parser = name)]
    pub(crate) conversation: String,
    /// Neither use nor start `fourfold serve`; FOURFOLD_NO_SERVE in the environment does the same.
    #[arg(long, global = true)]
    pub(crate) no_serve: bool,
    /// Ask no language server what it thinks of a change; FOURFOLD_NO_CHECK in the environment does
    /// the same.
    #[arg(long, global = true)]
    pub(crate) no_check: bool,
    /// Write every message from and to language servers and debug adapters to FILE, with the source
    /// texts and values in it; FOURFOLD_WIRE_LOG in the environment does the same.
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) wire_log: Option<PathBuf>,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// In files and pipes too.
    Always,
    /// Not at all.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Search for a code shape.
    ///
    /// Every file whose language is known is searched, each by its own grammar. A pattern that can
    /// be read in several ways (a field, or a local variable) is searched for in all of them.
    #[command(visible_alias = "search")]
    Grep(Grep),
    /// Stage a rewrite and show it as a diff; nothing is changed before `fourfold resolve`.
    Rewrite(Rewrite),
    /// List the staged rewrites, or show the diff of one.
    Staged(StagedArgs),
    /// Apply a staged rewrite, all of it or nothing, or discard it.
    Resolve(Resolve),
    /// Write a file whole, from standard input or a file.
    Write(Write),
    /// Replace a text in a file that occurs in it exactly once.
    ///
    /// Only line ends and blanks at the ends of lines may differ from the file. When the text is
    /// not there, what comes nearest is shown.
    Edit(Edit),
    /// Apply a patch, all of it or nothing.
    ///
    /// It is a unified diff, or an envelope from `*** Begin Patch` to `*** End Patch`. Its paths are
    /// relative to the root of the checkout. Unchanged lines decide where a hunk belongs, line
    /// numbers need not be right.
    Patch(Patch),
    /// Tell how a pattern is read, and why it does not match.
    Explain(Explain),
    /// Ask the code graph: who calls it, what depends on it, what is there; without a server.
    ///
    /// The checkout is indexed when it is first asked about, and again only where it changed. Every
    /// answer says how sure it is, what could not be told, and what the index covers. Paths in the
    /// answers are relative to the root of the checkout.
    #[command(after_help = GRAPH_STATUS, disable_help_subcommand = true)]
    Graph(graph::Graph),
    /// Ask the language servers: where is it defined, who uses it, what is wrong; rename it.
    ///
    /// Paths in the answers are relative to the root of the checkout. rename, format, and
    /// code_actions with --apply stage a change and show it; `fourfold resolve` applies it.
    #[command(after_help = LSP_STATUS)]
    Lsp(Lsp),
    /// Debug a program or a test: stop it, and look at what is true at that moment.
    ///
    /// `ask` is one question in one command: run, stop at a place or at the first failure, evaluate,
    /// end. The others work on one session, which lives in `fourfold serve` until it is terminated
    /// or its time is over.
    #[command(after_help = DEBUG_STATUS)]
    Debug(Box<debug::Debug>),
    /// Tell what the language servers find wrong in files that were changed.
    ///
    /// The verdict is clean, problems, unconfirmed (a server that should know has not answered for
    /// this very content), or no server. What was told before in this conversation is counted, not
    /// told again; `fourfold lsp diagnostics` tells everything.
    #[command(after_help = CHECK_STATUS)]
    Check(Check),
    /// List the language servers that this checkout could use, and exactly what is missing.
    Servers,
    /// Let this checkout choose what is run: its own programs and commands.
    ///
    /// Language servers and checkers are often programs inside a checkout (node_modules/.bin,
    /// .venv/bin) or commands of its fourfold.toml, and whoever wrote the checkout chose them. It is
    /// trusted as it is now: when its fourfold.toml changes it has to be trusted again.
    Trust(Trust),
    /// List the languages that can be searched.
    Languages,
    /// Bring to an end what a crash has left in the middle of a commit.
    ///
    /// `rewrite` and `resolve` do this by themselves.
    Recover,
    /// Keep this checkout at hand in a process of its own, for the other commands.
    ///
    /// There is one such process for each user and checkout. Commands that need it start it; it ends
    /// when it was not needed for a while. Only this user can speak with it.
    Serve(Serve),
    /// Offer the tools to an agent host, by the Model Context Protocol on standard input and output.
    ///
    /// A host starts this and speaks with it; a person has no use for it. It works in the process of
    /// `fourfold serve` when one runs for the checkout, else by itself.
    Mcp(Mcp),
    /// Show on this checkout what Fourfold does; nothing in it is changed.
    Tour(Tour),
    /// Write a script that completes commands in a shell.
    Completions(Completions),
    /// Write the manual pages, one for each command.
    Man(Man),
}

impl Command {
    /// Whether it sees to it itself that what the libraries tell is kept.
    pub(crate) fn has_a_log(&self) -> bool {
        matches!(self, Command::Serve(serve) if serve.action() == ServeAction::Detached)
    }
}

/// Where to search, and for what.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Search files of this language only (`fourfold languages`); may be repeated.
    #[arg(
        short,
        long = "lang",
        value_name = "LANG",
        ignore_case = true,
        hide_possible_values = true
    )]
    #[arg(value_parser = languages(), value_delimiter = ',')]
    pub(crate) langs: Vec<String>,
    /// Search matching files only, or with a leading `!` all but these; may be repeated.
    #[arg(short, long = "glob", value_name = "GLOB")]
    pub(crate) globs: Vec<String>,
    /// Search hidden files and folders too.
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Search what .gitignore and the like leave out too.
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Read the pattern in this way only: statement, expression, class-member, ...
    #[arg(long = "as", value_name = "RUNG", hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(Rung::ALL.map(Rung::name)))]
    pub(crate) rung: Option<String>,
    /// Take what the pattern leaves out of a declaration (modifiers, annotations, return type, ...)
    /// as absent.
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) constraints: Constraints,
}

/// What else has to hold of a match.
#[derive(Debug, Args)]
#[command(next_help_heading = "Constraints (each may be repeated, all have to hold)")]
pub(crate) struct Constraints {
    /// Keep matches that stand inside a match of PATTERN.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) inside: Vec<String>,
    /// Keep matches that stand inside no match of PATTERN.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) not_inside: Vec<String>,
    /// Keep matches that hold a match of PATTERN.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) has: Vec<String>,
    /// Keep matches that hold no match of PATTERN.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) not_has: Vec<String>,
    /// Keep matches whose capture fits a regular expression, '$X=~^get', or does not, '$X!~^get'.
    #[arg(long = "where", value_name = "$X=~REGEX")]
    pub(crate) wheres: Vec<String>,
    /// Keep matches that are a node of this kind in the grammar.
    #[arg(long, value_name = "NODE_KIND")]
    pub(crate) kind: Option<String>,
}

/// `fourfold grep`.
#[derive(Debug, Args)]
pub(crate) struct Grep {
    /// The shape to search for, written as code; quote it for the shell.
    #[arg(value_name = "PATTERN", required_unless_present = "query")]
    pub(crate) pattern: Option<OsString>,
    /// Files and folders to search; the current folder if there are none.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Search by a tree-sitter query in place of PATTERN.
    #[arg(long, value_name = "QUERY")]
    pub(crate) query: Option<String>,
    /// Stop after so many matches.
    #[arg(short = 'n', long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) limit: Option<usize>,
    /// Show only how many matches each file has.
    #[arg(short, long)]
    pub(crate) count: bool,
    #[command(flatten)]
    pub(crate) search: Search,
}

/// `fourfold rewrite`.
#[derive(Debug, Args)]
pub(crate) struct Rewrite {
    /// The shape to rewrite, written as code; quote it for the shell.
    pub(crate) pattern: String,
    /// What takes its place, with the names of the pattern; an empty one deletes.
    pub(crate) template: String,
    /// Files and folders to rewrite in; the current folder if there are none.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Apply at once, all or nothing.
    #[arg(long)]
    pub(crate) apply: bool,
    /// Drop code and comments that neither the pattern nor a capture holds.
    #[arg(long)]
    pub(crate) allow_loss: bool,
    /// Accept a result that has more syntax errors than the original.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) search: Search,
}

/// `fourfold staged`.
#[derive(Debug, Args)]
pub(crate) struct StagedArgs {
    /// The stage whose diff is shown, such as s-7k2m.
    pub(crate) id: Option<String>,
}

/// `fourfold resolve`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("verdict").required(true).args(["apply", "discard"])))]
pub(crate) struct Resolve {
    /// The stage, such as s-7k2m.
    pub(crate) id: String,
    /// Change all files of the stage, or none if one of them is not as it was.
    #[arg(long)]
    pub(crate) apply: bool,
    /// Forget the stage.
    #[arg(long)]
    pub(crate) discard: bool,
    /// Leave out a file or a site; may be repeated.
    #[arg(long, value_name = "SITE_OR_FILE", conflicts_with = "discard")]
    pub(crate) except: Vec<String>,
}

/// `fourfold write`.
#[derive(Debug, Args)]
pub(crate) struct Write {
    /// The file to write; folders that are missing are made.
    #[arg(value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) path: PathBuf,
    /// Take the content from FILE, not from standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) from: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) expecting: Expecting,
    #[command(flatten)]
    pub(crate) trying: Trying,
}

/// `fourfold edit`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("before").required(true).args(["old", "old_file"])))]
#[command(group(clap::ArgGroup::new("after").required(true).args(["new", "new_file"])))]
pub(crate) struct Edit {
    /// The file to change.
    #[arg(value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) path: PathBuf,
    /// The text as it stands in the file.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) old: Option<OsString>,
    /// Take the text to replace from FILE.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) old_file: Option<PathBuf>,
    /// What takes its place; an empty one deletes.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) new: Option<OsString>,
    /// Take what takes its place from FILE.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) new_file: Option<PathBuf>,
    /// Replace the text everywhere in the file.
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) expecting: Expecting,
    #[command(flatten)]
    pub(crate) trying: Trying,
}

/// `fourfold patch`.
#[derive(Debug, Args)]
pub(crate) struct Patch {
    /// The patch; standard input if there is none, or `-`.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) trying: Trying,
}

/// What the file must hold before it is changed.
#[derive(Debug, Args)]
pub(crate) struct Expecting {
    /// Change the file only if its content has this BLAKE3 hash; eight digits of it are enough.
    #[arg(long = "expect", value_name = "HASH")]
    pub(crate) hash: Option<String>,
}

/// Whether anything is to be changed.
#[derive(Debug, Args)]
pub(crate) struct Trying {
    /// Show the change as a diff, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `fourfold explain`.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The shape to explain, written as code; quote it for the shell.
    pub(crate) pattern: String,
    /// Files and folders to look for near misses in; the current folder if there are none.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) search: Search,
}

/// `fourfold lsp`.
#[derive(Debug, Args)]
pub(crate) struct Lsp {
    /// What to ask for: diagnostics, definition, type_definition, declaration, implementation,
    /// references, hover, symbols, incoming_calls, outgoing_calls, supertypes, subtypes, rename,
    /// code_actions, format, status or reload.
    #[arg(value_name = "ACTION", value_parser = actions(), hide_possible_values = true)]
    pub(crate) action: LspAction,
    /// The file, and the line in it that the symbol stands on. Without one, diagnostics are those of
    /// the whole checkout.
    #[arg(value_name = "FILE[:LINE]", value_hint = ValueHint::FilePath)]
    pub(crate) place: Option<PathBuf>,
    /// The symbol as it is written there; `name#2` is the second one on the line.
    #[arg(short, long, value_name = "NAME")]
    pub(crate) symbol: Option<String>,
    /// For symbols: what to look for in the project. For reload: the server.
    #[arg(long, value_name = "TEXT")]
    pub(crate) query: Option<String>,
    /// For rename: the new name.
    #[arg(long, value_name = "NAME")]
    pub(crate) new_name: Option<String>,
    /// For code_actions: the number or title of the one to stage.
    #[arg(long, value_name = "N")]
    pub(crate) apply: Option<String>,
    /// Show so many at most; 50 unless told.
    #[arg(short = 'n', long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) limit: Option<usize>,
    /// Pass over so many first.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        allow_negative_numbers = true
    )]
    pub(crate) offset: usize,
}

/// `fourfold check`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Files and folders to check; those that changed since the last answer of this conversation if
    /// there are none.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Find out what is wrong in these files before something else writes them, so that the next
    /// check of them tells what is new for sure. Needs `fourfold serve`.
    #[arg(long, requires = "paths")]
    pub(crate) before: bool,
}

/// `fourfold trust`.
#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// Trust it no more, and end the language servers that run for it.
    #[arg(long, conflicts_with = "list")]
    pub(crate) remove: bool,
    /// List the checkouts that are trusted.
    #[arg(long)]
    pub(crate) list: bool,
}

/// `fourfold serve`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("action").args(["background", "status", "stop", "detached"])))]
pub(crate) struct Serve {
    /// End when there was no client for so many minutes.
    #[arg(long, value_name = "MINUTES", default_value_t = 30)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=A_YEAR), allow_negative_numbers = true)]
    idle: u64,
    /// The same in milliseconds, for tests.
    #[arg(long, hide = true)]
    idle_ms: Option<u32>,
    /// Start it as the other commands do, and return when it serves.
    #[arg(long)]
    background: bool,
    /// Tell whether it runs, and how it is.
    #[arg(long)]
    status: bool,
    /// Let it finish what it is doing, and wait for its end.
    #[arg(long)]
    stop: bool,
    /// It was started by another process, which waits for a word.
    #[arg(long, hide = true)]
    detached: bool,
}

/// `fourfold mcp`.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Serve the checkout that DIR lies in, as `-C` finds it; repeat it for several. Without it, the
    /// one that the current folder lies in. A folder with a `fourfold.toml` of its own is a checkout
    /// of its own. The whole file system and a home folder are not served.
    #[arg(long = "root", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) roots: Vec<PathBuf>,
    /// Offer nothing that stages or changes files, and open the checkout for reading only.
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Offer nothing that runs programs of the checkout, such as the debugger.
    #[arg(long)]
    pub(crate) no_execute: bool,
    /// Offer only these tools.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[arg(value_parser = ToolNames)]
    pub(crate) tools: Vec<String>,
}

/// The name of a tool, with blanks around it or without.
#[derive(Clone)]
struct ToolNames;

impl ToolNames {
    fn names() -> PossibleValuesParser {
        PossibleValuesParser::new(fourfold::tool_names())
    }
}

impl TypedValueParser for ToolNames {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let trimmed = value.to_str().map_or(value, |text| text.trim().as_ref());
        ToolNames::names().parse_ref(command, arg, trimmed)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = fourfold::tool_names().iter();
        Some(Box::new(names.map(|name| PossibleValue::new(*name))))
    }
}

/// Minutes.
const A_YEAR: u64 = 366 * 24 * 60;

/// What `fourfold serve` is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServeAction {
    Foreground,
    Background,
    Status,
    Stop,
    Detached,
}

impl Serve {
    pub(crate) fn action(&self) -> ServeAction {
        match self {
            Serve { detached: true, .. } => ServeAction::Detached,
            Serve {
                background: true, ..
            } => ServeAction::Background,
            Serve { status: true, .. } => ServeAction::Status,
            Serve { stop: true, .. } => ServeAction::Stop,
            _ => ServeAction::Foreground,
        }
    }

    pub(crate) fn idle(&self) -> Duration {
        match self.idle_ms {
            Some(milliseconds) => Duration::from_millis(milliseconds.into()),
            None => Duration::from_secs(self.idle * 60),
        }
    }
}

/// `fourfold tour`.
#[derive(Debug, Args)]
pub(crate) struct Tour {
    /// The folder to look at; the current folder if there is none.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) path: Option<PathBuf>,
}

/// `fourfold completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// `fourfold man`.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The folder for the pages, made if it is not there: `~/.local/share/man/man1` for `man` to find
    /// them.
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,
}

/// Every action, with `_` or `-` between its words.
fn actions() -> impl TypedValueParser<Value = LspAction> {
    let dashed = |action| match action {
        LspAction::TypeDefinition => Some("type-definition"),
        LspAction::IncomingCalls => Some("incoming-calls"),
        LspAction::OutgoingCalls => Some("outgoing-calls"),
        LspAction::CodeActions => Some("code-actions"),
        _ => None,
    };
    PossibleValuesParser::new(
        LspAction::ALL.map(|action| PossibleValue::new(action.name()).aliases(dashed(action))),
    )
    .map(|typed| {
        let typed = typed.replace('-', "_");
        let known = LspAction::ALL.into_iter().find(|one| one.name() == typed);
        // The parser lets nothing else through.
        known.unwrap_or_default()
    })
}

/// Every language by its id, its aliases taken as well.
fn languages() -> PossibleValuesParser {
    PossibleValuesParser::new(Language::all().map(|language| {
        PossibleValue::new(language.id())
            .help(language.name())
            .alias(language.name())
            .aliases(language.aliases())
    }))
}

/// The longest name of a conversation, in bytes.
const LONGEST_NAME: usize = 200;

fn name(text: &str) -> Result<String, String> {
    match text.len() {
        1..=LONGEST_NAME => Ok(text.to_owned()),
        _ => Err(format!("give a name of at most {LONGEST_NAME} bytes")),
    }
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("give a whole number from 1 up".to_owned()),
        Ok(number) => Ok(number),
    }
}
