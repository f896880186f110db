//! What Python's builtins and standard library give, as far as it tells types of the checkout.

use super::{Python, plain};
use crate::facts::Expr;
use crate::link::Certainty;
use crate::link::eval::{Arguments, Eval, type_of};
use crate::link::rules::{Rules, union};
use crate::link::value::{Class, Value, Values, no_args};
use std::sync::Arc;

/// Names that are there without an import, sorted.
const BUILTINS: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BaseExceptionGroup",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "BytesWarning",
    "ChildProcessError",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "DeprecationWarning",
    "EOFError",
    "Ellipsis",
    "EncodingWarning",
    "EnvironmentError",
    "Exception",
    "ExceptionGroup",
    "False",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "FutureWarning",
    "GeneratorExit",
    "IOError",
    "ImportError",
    "ImportWarning",
    "IndentationError",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "None",
    "NotADirectoryError",
    "NotImplemented",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PendingDeprecationWarning",
    "PermissionError",
    "ProcessLookupError",
    "RecursionError",
    "ReferenceError",
    "ResourceWarning",
    "RuntimeError",
    "RuntimeWarning",
    "StopAsyncIteration",
    "StopIteration",
    "SyntaxError",
    "SyntaxWarning",
    "SystemError",
    "SystemExit",
    "TabError",
    "TimeoutError",
    "True",
    "TypeError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "UnicodeTranslateError",
    "UnicodeWarning",
    "UserWarning",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
    "__build_class__",
    "__debug__",
    "__doc__",
    "__file__",
    "__import__",
    "__loader__",
    "__name__",
    "__package__",
    "__path__",
    "__spec__",
    "abs",
    "aiter",
    "all",
    "anext",
    "any",
    "ascii",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "copyright",
    "credits",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "license",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "quit",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "vars",
    "zip",
];

/// Modules that come with the language, of all its versions, sorted.
const STANDARD: &[&str] = &[
    "__future__",
    "abc",
    "aifc",
    "argparse",
    "array",
    "ast",
    "asynchat",
    "asyncio",
    "asyncore",
    "atexit",
    "audioop",
    "base64",
    "bdb",
    "binascii",
    "bisect",
    "builtins",
    "bz2",
    "cProfile",
    "calendar",
    "cgi",
    "cgitb",
    "chunk",
    "cmath",
    "cmd",
    "code",
    "codecs",
    "codeop",
    "collections",
    "colorsys",
    "compileall",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "crypt",
    "csv",
    "ctypes",
    "curses",
    "dataclasses",
    "datetime",
    "dbm",
    "decimal",
    "difflib",
    "dis",
    "distutils",
    "doctest",
    "email",
    "encodings",
    "ensurepip",
    "enum",
    "errno",
    "faulthandler",
    "fcntl",
    "filecmp",
    "fileinput",
    "fnmatch",
    "fractions",
    "ftplib",
    "functools",
    "gc",
    "genericpath",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "graphlib",
    "grp",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "imaplib",
    "imghdr",
    "imp",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "mailbox",
    "mailcap",
    "marshal",
    "math",
    "mimetypes",
    "mmap",
    "modulefinder",
    "msilib",
    "msvcrt",
    "multiprocessing",
    "netrc",
    "nis",
    "nntplib",
    "nt",
    "ntpath",
    "numbers",
    "opcode",
    "operator",
    "optparse",
    "os",
    "ossaudiodev",
    "pathlib",
    "pdb",
    "pickle",
    "pickletools",
    "pipes",
    "pkgutil",
    "platform",
    "plistlib",
    "poplib",
    "posix",
    "posixpath",
    "pprint",
    "profile",
    "pstats",
    "pty",
    "pwd",
    "py_compile",
    "pyclbr",
    "pydoc",
    "pyexpat",
    "queue",
    "quopri",
    "random",
    "re",
    "readline",
    "reprlib",
    "resource",
    "rlcompleter",
    "runpy",
    "sched",
    "secrets",
    "select",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "site",
    "smtpd",
    "smtplib",
    "sndhdr",
    "socket",
    "socketserver",
    "spwd",
    "sqlite3",
    "sre_compile",
    "sre_constants",
    "sre_parse",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stringprep",
    "struct",
    "subprocess",
    "sunau",
    "symtable",
    "sys",
    "sysconfig",
    "syslog",
    "tabnanny",
    "tarfile",
    "telnetlib",
    "tempfile",
    "termios",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "tkinter",
    "token",
    "tokenize",
    "tomllib",
    "trace",
    "traceback",
    "tracemalloc",
    "tty",
    "turtle",
    "types",
    "typing",
    "typing_extensions",
    "unicodedata",
    "unittest",
    "urllib",
    "uu",
    "uuid",
    "venv",
    "warnings",
    "wave",
    "weakref",
    "webbrowser",
    "winreg",
    "winsound",
    "wsgiref",
    "xdrlib",
    "xml",
    "xmlrpc",
    "zipapp",
    "zipfile",
    "zipimport",
    "zlib",
    "zoneinfo",
];

/// Whether a module comes with the language.
pub(super) fn is_standard(module: &str) -> bool {
    STANDARD.binary_search(&module).is_ok()
}

/// Whether a name is there without an import.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTINS.binary_search(&name).is_ok()
}

/// Whether an external type maps keys to values.
pub(super) fn is_mapping(name: &str) -> bool {
    matches!(
        name,
        "dict"
            | "Dict"
            | "Mapping"
            | "MutableMapping"
            | "OrderedDict"
            | "defaultdict"
            | "DefaultDict"
            | "ChainMap"
            | "WeakValueDictionary"
            | "weakref.WeakValueDictionary"
            | "WeakKeyDictionary"
            | "weakref.WeakKeyDictionary"
            | "MappingProxyType"
    )
}

/// Builtins and modules of the standard library that give values of their own types only, whatever
/// they are given, sorted.
const SETTLED: &[&str] = &[
    "__file__",
    "abs",
    "ascii",
    "base64",
    "bin",
    "bool",
    "bytearray",
    "bytes",
    "calendar",
    "chr",
    "codecs",
    "complex",
    "configparser",
    "csv",
    "datetime",
    "decimal",
    "dict",
    "difflib",
    "dir",
    "email",
    "errno",
    "float",
    "format",
    "fractions",
    "glob",
    "gzip",
    "hash",
    "hashlib",
    "hex",
    "hmac",
    "html",
    "http",
    "id",
    "input",
    "int",
    "io",
    "ipaddress",
    "json",
    "len",
    "list",
    "locale",
    "logging",
    "math",
    "memoryview",
    "mimetypes",
    "oct",
    "open",
    "ord",
    "os",
    "pathlib",
    "platform",
    "print",
    "range",
    "re",
    "repr",
    "round",
    "secrets",
    "select",
    "set",
    "shlex",
    "shutil",
    "signal",
    "socket",
    "ssl",
    "str",
    "string",
    "struct",
    "subprocess",
    "tarfile",
    "tempfile",
    "textwrap",
    "time",
    "tokenize",
    "traceback",
    "unicodedata",
    "urllib",
    "uuid",
    "warnings",
    "zipfile",
    "zlib",
];

/// Whether the member of something external of this name may be a method of the checkout: of what
/// a call gave, of a field of an instance, of a variable of another module.
pub(super) fn gives_unknown(owner: &str, member: &str) -> bool {
    let dunder = member.starts_with("__") && member.ends_with("__");
    let owner = match owner.strip_prefix("builtins.") {
        Some(owner) => owner,
        None => owner,
    };
    let first = owner.split(['.', '(']).next().unwrap_or(owner);
    if dunder || SETTLED.binary_search(&first).is_ok() {
        return false;
    }
    if crate::link::sites::gives_unknown(owner, member) {
        return true;
    }
    let mut parts = owner.rsplit('.');
    let last = parts.next().unwrap_or(owner);
    // `module.Type.member` and `module.member` say what they are of; `module.variable.member` and
    // `module.Type.field.member` do not.
    let names_a_type = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase());
    parts.next().is_some() && !names_a_type(last) && !names_a_type(member)
}

fn instance(name: &str, args: Arc<[Values]>) -> Values {
    Values::one(Value::external_instance(name, args), Certainty::Inferred)
}

/// What calling something of the library gives.
pub(super) fn call(
    python: &Python,
    eval: &mut Eval<'_>,
    name: &str,
    type_args: &[Values],
    args: Arguments,
) -> Option<Values> {
    let unit = eval.unit(args.file)?;
    let list = unit.facts.list(args.list);
    let mut positional = list
        .iter()
        .copied()
        .filter(|expr| !matches!(unit.facts.exprs.get(expr.index()), Some(Expr::Keyword(..))));
    let first = positional.next();
    let second = positional.next();
    let third = positional.next();
    let arg = |eval: &mut Eval<'_>, expr: Option<crate::facts::ExprId>| match expr {
        Some(expr) => eval.eval(args.file, args.scope, expr),
        None => Values::none(),
    };
    let element = |eval: &mut Eval<'_>, expr: Option<crate::facts::ExprId>| {
        let values = arg(eval, expr);
        eval.each(&values, |eval, value, _| python.element(eval, value))
    };
    let known = match plain(name) {
        "cast" => {
            let of = first?;
            eval.instance(args.file, args.scope, of)
        }
        "type" => {
            let values = arg(eval, first);
            eval.each(&values, |_, value, certainty| match type_of(value) {
                Some(class) => Values::one(class, certainty),
                None => Values::none(),
            })
        }
        "getattr" => {
            let Some(Expr::Str(name)) = unit.facts.exprs.get(second?.index()) else {
                return None;
            };
            let text = unit.facts.name(*name);
            let values = arg(eval, first);
            let found = eval.each(&values, |eval, value, certainty| {
                eval.member(value, certainty, text)
            });
            let default = arg(eval, third);
            union([&found, &default]).weakened(Certainty::Inferred)
        }
        "list"
        | "set"
        | "frozenset"
        | "sorted"
        | "reversed"
        | "iter"
        | "deque"
        | "filter"
        | "itertools.chain"
        | "itertools.islice"
        | "itertools.cycle"
        | "aiter"
        | "itertools.takewhile"
        | "itertools.dropwhile"
            if type_args.is_empty() =>
        {
            let of = if matches!(
                name,
                "filter" | "itertools.takewhile" | "itertools.dropwhile"
            ) {
                second
            } else {
                first
            };
            let inner = element(eval, of);
            instance("list", Arc::from([inner]))
        }
        "tuple" => {
            let inner = element(eval, first);
            instance("tuple", Arc::from([inner]))
        }
        "next" | "anext" | "min" | "max" | "random.choice" | "choice" => {
            let found = element(eval, first);
            if matches!(name, "min" | "max") && second.is_some() {
                union([&arg(eval, first), &arg(eval, second)])
            } else {
                found
            }
        }
        "map" => {
            let function = arg(eval, first);
            let inner = eval.each(&function, |eval, value, certainty| {
                eval.call(value, certainty, None)
            });
            instance("list", Arc::from([inner]))
        }
        "enumerate" => {
            let inner = element(eval, first);
            let pair = instance("tuple", Arc::from([instance("int", no_args()), inner]));
            instance("list", Arc::from([pair]))
        }
        "zip" => {
            let mut parts: Vec<Values> = Vec::new();
            for of in [first, second, third].into_iter().flatten() {
                parts.push(element(eval, Some(of)));
            }
            instance("list", Arc::from([instance("tuple", parts.into())]))
        }
        "copy.copy"
        | "copy.deepcopy"
        | "copy"
        | "deepcopy"
        | "dataclasses.replace"
        | "functools.partial"
        | "functools.lru_cache()"
        | "functools.cache"
        | "functools.wraps()"
        | "functools.lru_cache"
        | "staticmethod"
        | "classmethod"
        | "functools.update_wrapper"
        | "create_task"
        | "ensure_future"
        | "wait_for"
        | "closing"
        | "nullcontext"
        | "asyncio.shield"
        | "shield"
        | "contextmanager"
        | "asynccontextmanager"
            if type_args.is_empty() && first.is_some() =>
        {
            arg(eval, first).weakened(Certainty::Inferred)
        }
        "defaultdict" => {
            let factory = arg(eval, first);
            let inner = eval.each(&factory, |eval, value, certainty| {
                eval.call(value, certainty, None)
            });
            if inner.is_empty() {
                return None;
            }
            instance("dict", Arc::from([Values::none(), inner]))
        }
        "dict" if first.is_some() && type_args.is_empty() => {
            let values = arg(eval, first);
            let known = values.iter().any(|(value, _)| {
                matches!(value, Value::Object(..))
                    || matches!(value, Value::Instance(Class::External(n), _) if is_mapping(plain(n)))
            });
            if !known {
                return None;
            }
            values
        }
        "ExitStack().enter_context" | "AsyncExitStack().enter_async_context" => {
            let values = arg(eval, first);
            eval.each(&values, |eval, value, _| python.entered(eval, value))
        }
        "Callable.__call__" => type_args.last().cloned().unwrap_or_default(),
        "type.__call__" | "Type.__call__" => type_args.first().cloned().unwrap_or_default(),
        name => return method(python, eval, name, type_args, args, second),
    };
    Some(known)
}

/// What a method of a container gives.
fn method(
    python: &Python,
    eval: &mut Eval<'_>,
    name: &str,
    type_args: &[Values],
    args: Arguments,
    default: Option<crate::facts::ExprId>,
) -> Option<Values> {
    let (class, method) = name.rsplit_once('.')?;
    if class == "str" {
        return match method {
            "split" | "rsplit" | "splitlines" | "partition" | "rpartition" => {
                let text = instance("str", no_args());
                Some(instance("list", Arc::from([text])))
            }
            "format" | "join" | "strip" | "lstrip" | "rstrip" | "lower" | "upper" | "replace"
            | "title" | "capitalize" | "ljust" | "rjust" | "center" | "zfill" | "removeprefix"
            | "removesuffix" | "expandtabs" | "translate" | "format_map" | "casefold" => {
                Some(instance("str", no_args()))
            }
            _ => None,
        };
    }
    if type_args.is_empty() {
        return None;
    }
    if let [_, object] = type_args
        && let Some((Value::Object(file, scope), _)) = object.single()
    {
        let (file, scope) = (*file, *scope);
        let found = match method {
            "get" | "pop" | "setdefault" => {
                let key = eval.unit(args.file).and_then(|unit| {
                    let first = unit.facts.list(args.list).first()?;
                    match unit.facts.exprs.get(first.index())? {
                        Expr::Str(name) => Some(unit.facts.name(*name).to_owned()),
                        Expr::Int(at) => Some(format!("#{at}")),
                        _ => None,
                    }
                });
                let default = match default {
                    Some(default) => eval.eval(args.file, args.scope, default),
                    None => Values::none(),
                };
                let found = python.entries(eval, file, scope, key.as_deref());
                union([&found, &default])
            }
            "values" => {
                let found = python.entries(eval, file, scope, None);
                instance("list", Arc::from([found]))
            }
            "items" => {
                let found = python.entries(eval, file, scope, None);
                let text = instance("str", no_args());
                let pair = instance("tuple", Arc::from([text, found]));
                instance("list", Arc::from([pair]))
            }
            "copy" => Values::one(Value::Object(file, scope), Certainty::Inferred),
            _ => return None,
        };
        return Some(found.weakened(Certainty::Inferred));
    }
    if is_mapping(class) {
        let value = type_args.get(1).cloned().unwrap_or_default();
        let key = type_args.first().cloned().unwrap_or_default();
        let found = match method {
            "get" | "pop" | "setdefault" => {
                let default = match default {
                    Some(default) => eval.eval(args.file, args.scope, default),
                    None => Values::none(),
                };
                union([&value, &default])
            }
            "values" => instance("list", Arc::from([value])),
            "keys" => instance("list", Arc::from([key])),
            "items" => {
                let pair = instance("tuple", Arc::from([key, value]));
                instance("list", Arc::from([pair]))
            }
            "popitem" => instance("tuple", Arc::from([key, value])),
            "copy" => instance("dict", Arc::from([key, value])),
            _ => return None,
        };
        return Some(found.weakened(Certainty::Inferred));
    }
    let element = type_args.first().cloned().unwrap_or_default();
    match method {
        "pop" | "popleft" | "__next__" | "__anext__" | "send" | "get" | "result" => {
            Some(element.weakened(Certainty::Inferred))
        }
        "copy" | "union" | "intersection" | "difference" | "__iter__" | "__aiter__" => {
            Some(instance("list", Arc::from([element])))
        }
        "__enter__" | "__aenter__" => Some(element),
        _ => None,
    }
}
