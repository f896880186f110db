//! What everybody knows of the standard library: which types hold what, and what their methods give.
//!
//! Types are named by their simple names, iterators of all kinds are `Iter`, guards `Guard`,
//! futures `Future`.

use super::ty::{Args, Ty};

/// Types that stand for what they hold.
const POINTERS: &[&str] = &[
    "Box",
    "Rc",
    "Arc",
    "Pin",
    "Guard",
    "Ref",
    "RefMut",
    "MutexGuard",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "Cow",
    "ManuallyDrop",
    "LazyLock",
    "LazyCell",
    "Lazy",
    "NonNull",
    "MappedMutexGuard",
    "AssertUnwindSafe",
    "CachePadded",
    "PeekMut",
    "Reverse",
    "Wrapping",
];

/// What a type outside gives when it is dereferenced.
pub(super) fn deref(name: &str, args: &Args) -> Option<Ty> {
    if POINTERS.contains(&name) {
        return args.first().cloned();
    }
    match name {
        "Vec" | "SmallVec" | "ArrayVec" => Some(Ty::Outside("[]".into(), args.clone())),
        "String" => Some(Ty::outside("str", [])),
        "PathBuf" => Some(Ty::outside("Path", [])),
        "OsString" => Some(Ty::outside("OsStr", [])),
        _ => None,
    }
}

/// Whether a pointer type has a method of its own, so that it is not looked for in what it holds.
pub(super) fn has(name: &str, method: &str) -> bool {
    match name {
        "Box" | "Rc" | "Arc" | "Cow" => matches!(
            method,
            "clone"
                | "as_ref"
                | "as_mut"
                | "borrow"
                | "borrow_mut"
                | "into_owned"
                | "to_mut"
                | "hash"
                | "eq"
                | "cmp"
                | "partial_cmp"
                | "fmt"
                | "to_string"
                | "into"
                | "into_iter"
                | "as_ptr"
        ),
        "Pin" => matches!(
            method,
            "as_mut"
                | "as_ref"
                | "get_mut"
                | "get_ref"
                | "get_unchecked_mut"
                | "set"
                | "into_inner"
                | "into_ref"
                | "map_unchecked"
                | "map_unchecked_mut"
                | "as_deref_mut"
        ),
        "Vec" | "[]" | "String" | "str" => false,
        "Guard" => matches!(method, "unwrap" | "expect" | "unwrap_or_else"),
        _ => false,
    }
}

/// Whether a type outside has an inherent method that is easily taken for one of a trait of the
/// checkout.
pub(super) fn has_first(name: &str, method: &str) -> bool {
    match name {
        "Waker" => matches!(method, "wake" | "wake_by_ref" | "will_wake"),
        "Option" => matches!(
            method,
            "map" | "take" | "filter" | "zip" | "insert" | "replace" | "unwrap"
        ),
        "Iter" | "Range" | "collected" => matches!(
            method,
            "next"
                | "map"
                | "filter"
                | "take"
                | "skip"
                | "chain"
                | "fold"
                | "all"
                | "any"
                | "collect"
                | "filter_map"
                | "take_while"
                | "skip_while"
                | "fuse"
                | "peekable"
                | "zip"
        ),
        _ => false,
    }
}

/// Whether a type outside has a trait outside, as far as that keeps calls apart.
pub(super) fn implements(name: &str, of: &str) -> bool {
    match of {
        "Iterator" | "DoubleEndedIterator" => matches!(name, "Iter" | "Range"),
        "IntoIterator" => matches!(
            name,
            "Iter"
                | "Range"
                | "Vec"
                | "[]"
                | "HashMap"
                | "HashSet"
                | "BTreeMap"
                | "BTreeSet"
                | "VecDeque"
                | "Option"
        ),
        "Future" | "IntoFuture" => matches!(name, "Future" | "JoinHandle" | "Box" | "Pin"),
        "Fn" | "FnMut" | "FnOnce" => false,
        "Read" | "Write" | "BufRead" | "Seek" => matches!(
            name,
            "File"
                | "TcpStream"
                | "Vec"
                | "[]"
                | "Stdin"
                | "Stdout"
                | "Stderr"
                | "BufReader"
                | "BufWriter"
                | "Cursor"
                | "Box"
                | "ChildStdin"
                | "ChildStdout"
        ),
        _ => false,
    }
}

/// What iterating over a type outside yields.
pub(super) fn element(name: &str, args: &Args) -> Option<Ty> {
    let first = || args.first().cloned().unwrap_or(Ty::Unknown);
    match name {
        "[]" | "Vec" | "VecDeque" | "Iter" | "Option" | "HashSet" | "BTreeSet" | "LinkedList"
        | "BinaryHeap" | "IndexSet" | "SmallVec" | "ArrayVec" | "Receiver" | "Result"
        | "collected" | "Peekable" | "Rev" | "IntoIter" | "Drain" | "IterMut" | "Chunks" => {
            Some(first())
        }
        "HashMap" | "BTreeMap" | "IndexMap" | "FxHashMap" => Some(Ty::Tuple(args.clone())),
        "Range" => Some(Ty::outside("usize", [])),
        "bytes" => Some(Ty::outside("u8", [])),
        _ => None,
    }
}

/// What a method of a value gives, by what its type holds. `args` are the types of the arguments,
/// `call` gives what calling one of them gives, and `element` what iterating over one yields.
pub(super) fn method(
    receiver: &Ty,
    name: &str,
    args: &[Ty],
    call: &mut dyn FnMut(&Ty) -> Ty,
    element: &mut dyn FnMut(&Ty) -> Ty,
) -> Ty {
    let Ty::Outside(of, held) = receiver else {
        return of_any(receiver, name);
    };
    let first = || held.first().cloned().unwrap_or(Ty::Unknown);
    let second = || held.get(1).cloned().unwrap_or(Ty::Unknown);
    let option = |ty: Ty| Ty::outside("Option", [ty]);
    let iter = |ty: Ty| Ty::outside("Iter", [ty]);
    let mut called = |at: usize| args.get(at).map_or(Ty::Unknown, &mut *call);
    match &**of {
        "Option" => match name {
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default"
            | "unwrap_unchecked" | "insert" | "get_or_insert" | "get_or_insert_with" => first(),
            "map" => option(called(0)),
            "and_then" => called(0),
            "or" | "or_else" | "filter" | "take" | "replace" | "as_ref" | "as_mut" | "cloned"
            | "copied" | "inspect" | "xor" | "take_if" | "clone" | "as_pin_mut" | "as_pin_ref" => {
                receiver.clone()
            }
            "as_deref" | "as_deref_mut" => match &first() {
                Ty::Outside(name, args) => option(deref(name, args).unwrap_or_else(first)),
                other => option(other.clone()),
            },
            "ok_or" => Ty::outside(
                "Result",
                [first(), args.first().cloned().unwrap_or(Ty::Unknown)],
            ),
            "ok_or_else" => Ty::outside("Result", [first(), called(0)]),
            "map_or" | "map_or_else" => match called(1) {
                Ty::Unknown => args.first().cloned().unwrap_or(Ty::Unknown),
                known => known,
            },
            "iter" | "iter_mut" | "into_iter" => iter(first()),
            "flatten" => first(),
            "zip" => option(Ty::Tuple(
                [first(), args.first().map_or(Ty::Unknown, |a| a.arg(0))].into(),
            )),
            "transpose" => match first() {
                Ty::Outside(name, inner) if &*name == "Result" => {
                    let at = |at: usize| inner.get(at).cloned().unwrap_or(Ty::Unknown);
                    Ty::outside("Result", [option(at(0)), at(1)])
                }
                _ => Ty::Unknown,
            },
            "is_some" | "is_none" | "is_some_and" | "is_none_or" => Ty::outside("bool", []),
            "poll" => first(),
            _ => Ty::Unknown,
        },
        "Result" => match name {
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default"
            | "unwrap_unchecked" => first(),
            "unwrap_err" | "expect_err" => second(),
            "map" => Ty::outside("Result", [called(0), second()]),
            "map_err" => Ty::outside("Result", [first(), called(0)]),
            "and_then" => called(0),
            "or_else" | "as_ref" | "as_mut" | "inspect" | "inspect_err" | "clone" | "cloned"
            | "copied" | "as_deref" | "as_deref_mut" => receiver.clone(),
            "ok" => option(first()),
            "err" => option(second()),
            "map_or" | "map_or_else" => match called(1) {
                Ty::Unknown => args.first().cloned().unwrap_or(Ty::Unknown),
                known => known,
            },
            "iter" | "iter_mut" | "into_iter" => iter(first()),
            "transpose" => match first() {
                Ty::Outside(name, inner) if &*name == "Option" => {
                    let of = inner.first().cloned().unwrap_or(Ty::Unknown);
                    option(Ty::outside("Result", [of, second()]))
                }
                _ => Ty::Unknown,
            },
            "is_ok" | "is_err" | "is_ok_and" | "is_err_and" => Ty::outside("bool", []),
            _ => Ty::Unknown,
        },
        "Poll" => match name {
            "map" => Ty::outside("Poll", [called(0)]),
            "map_ok" => match first() {
                Ty::Outside(_, inner) => {
                    let error = inner.get(1).cloned().unwrap_or(Ty::Unknown);
                    Ty::outside("Poll", [Ty::outside("Result", [called(0), error])])
                }
                _ => Ty::Unknown,
            },
            "map_err" => receiver.clone(),
            "is_ready" | "is_pending" => Ty::outside("bool", []),
            _ => Ty::Unknown,
        },
        "[]" | "Vec" | "VecDeque" | "SmallVec" | "ArrayVec" | "BinaryHeap" | "LinkedList"
        | "bytes" => {
            let first = || match &**of {
                "bytes" => Ty::outside("u8", []),
                _ => first(),
            };
            match name {
                "first" | "last" | "get" | "get_mut" | "first_mut" | "last_mut" | "pop"
                | "pop_front" | "pop_back" | "front" | "back" | "front_mut" | "back_mut"
                | "peek" | "peek_mut" => {
                    let range = args.first().is_some_and(
                        |arg| matches!(arg, Ty::Outside(name, _) if &**name == "Range"),
                    );
                    option(if range { receiver.clone() } else { first() })
                }
                "iter" | "iter_mut" | "into_iter" | "drain" | "extract_if" | "into_sorted_vec" => {
                    iter(first())
                }
                "remove" | "swap_remove" | "get_unchecked" | "get_unchecked_mut" => first(),
                "as_slice" | "as_mut_slice" | "to_vec" | "into_boxed_slice" | "into_vec"
                | "clone" | "to_owned" | "split_off" | "as_ref" | "as_mut" | "as_mut_ptr"
                | "as_ptr" | "make_contiguous" => receiver.clone(),
                "chunks" | "chunks_exact" | "windows" | "chunks_mut" | "split" | "rchunks"
                | "chunk_by" => iter(receiver.clone()),
                "split_at" | "split_at_mut" | "as_slices" | "as_mut_slices" => {
                    Ty::Tuple([receiver.clone(), receiver.clone()].into())
                }
                "split_first" | "split_last" | "split_first_mut" | "split_last_mut" => {
                    option(Ty::Tuple([first(), receiver.clone()].into()))
                }
                "len" | "capacity" => Ty::outside("usize", []),
                "is_empty" | "contains" | "starts_with" | "ends_with" => Ty::outside("bool", []),
                "concat" => first(),
                "binary_search" | "binary_search_by" | "binary_search_by_key" => Ty::outside(
                    "Result",
                    [Ty::outside("usize", []), Ty::outside("usize", [])],
                ),
                _ => Ty::Unknown,
            }
        }
        "HashMap" | "BTreeMap" | "IndexMap" | "FxHashMap" => match name {
            "get" | "get_mut" | "remove" | "insert" | "swap_remove" | "shift_remove" => {
                option(second())
            }
            "entry" => Ty::Outside("Entry".into(), held.clone()),
            "keys" | "into_keys" => iter(first()),
            "values" | "values_mut" | "into_values" => iter(second()),
            "iter" | "iter_mut" | "into_iter" | "drain" | "range" | "range_mut" => {
                iter(Ty::Tuple(held.clone()))
            }
            "get_key_value" | "remove_entry" | "first_key_value" | "last_key_value"
            | "pop_first" | "pop_last" | "get_index" => option(Ty::Tuple(held.clone())),
            "first_entry" | "last_entry" => option(Ty::Outside("Entry".into(), held.clone())),
            "clone" | "as_ref" | "as_mut" | "split_off" => receiver.clone(),
            "len" => Ty::outside("usize", []),
            "is_empty" | "contains_key" => Ty::outside("bool", []),
            _ => Ty::Unknown,
        },
        "Entry" | "OccupiedEntry" | "VacantEntry" => match name {
            "or_insert" | "or_insert_with" | "or_default" | "or_insert_with_key" | "get"
            | "get_mut" | "into_mut" | "insert" | "remove" => second(),
            "and_modify" => receiver.clone(),
            "key" => first(),
            _ => Ty::Unknown,
        },
        "HashSet" | "BTreeSet" | "IndexSet" => match name {
            "iter" | "into_iter" | "drain" | "difference" | "union" | "intersection" | "range" => {
                iter(first())
            }
            "get" | "take" | "replace" | "first" | "last" | "pop_first" | "pop_last" => {
                option(first())
            }
            "clone" | "as_ref" => receiver.clone(),
            "insert" | "contains" | "is_empty" | "remove" => Ty::outside("bool", []),
            "len" => Ty::outside("usize", []),
            _ => Ty::Unknown,
        },
        "Iter" | "Range" | "collected" | "Peekable" | "IntoIter" | "Drain" | "IterMut" => {
            let item = self::element(of, held).unwrap_or(Ty::Unknown);
            match name {
                "next" | "next_back" | "last" | "nth" | "nth_back" | "peek" | "peek_mut"
                | "min" | "max" | "min_by" | "max_by" | "min_by_key" | "max_by_key" | "find"
                | "rfind" | "reduce" | "next_if" | "next_if_eq" => option(item),
                "map" => iter(called(0)),
                "filter" | "rev" | "skip" | "take" | "chain" | "peekable" | "fuse" | "by_ref"
                | "cloned" | "copied" | "inspect" | "step_by" | "take_while" | "skip_while"
                | "cycle" | "into_iter" | "iter" | "clone" | "as_mut" => iter(item),
                "enumerate" => iter(Ty::Tuple([Ty::outside("usize", []), item].into())),
                "zip" => {
                    let other = args.first().map_or(Ty::Unknown, element);
                    iter(Ty::Tuple([item, other].into()))
                }
                "filter_map" | "map_while" | "scan" => {
                    let at = usize::from(name == "scan");
                    iter(called(at).arg(0))
                }
                "flat_map" => {
                    let inner = called(0);
                    iter(element(&inner))
                }
                "flatten" => iter(element(&item)),
                "find_map" => called(0),
                "fold" | "try_fold" | "rfold" => args.first().cloned().unwrap_or(Ty::Unknown),
                "collect" => Ty::outside("collected", [item]),
                "partition" => {
                    let part = Ty::outside("collected", [item]);
                    Ty::Tuple([part.clone(), part].into())
                }
                "unzip" => match item {
                    Ty::Tuple(parts) => {
                        let part = |at: usize| {
                            let of = parts.get(at).cloned().unwrap_or(Ty::Unknown);
                            Ty::outside("collected", [of])
                        };
                        Ty::Tuple([part(0), part(1)].into())
                    }
                    _ => Ty::Unknown,
                },
                "count" | "len" => Ty::outside("usize", []),
                "position" | "rposition" => option(Ty::outside("usize", [])),
                "any" | "all" | "contains" | "is_empty" => Ty::outside("bool", []),
                "sum" | "product" => item,
                "size_hint" => {
                    Ty::Tuple([Ty::outside("usize", []), option(Ty::outside("usize", []))].into())
                }
                _ => Ty::Unknown,
            }
        }
        "Mutex" | "RwLock" | "ReentrantMutex" => match name {
            "lock" | "read" | "write" | "try_lock" | "try_read" | "try_write" | "get_mut"
            | "into_inner" | "upgradable_read" => Ty::outside("Guard", [first()]),
            _ => Ty::Unknown,
        },
        // A lock gives a guard or a result of one; which it is need not be known.
        "Guard"
            if matches!(
                name,
                "unwrap" | "expect" | "unwrap_or_else" | "ok" | "into_inner"
            ) =>
        {
            receiver.clone()
        }
        "RefCell" => match name {
            "borrow" | "borrow_mut" => Ty::outside("Guard", [first()]),
            "try_borrow" | "try_borrow_mut" => {
                Ty::outside("Result", [Ty::outside("Guard", [first()]), Ty::Unknown])
            }
            "get_mut" | "into_inner" | "take" | "replace" => first(),
            _ => Ty::Unknown,
        },
        "Cell" | "UnsafeCell" | "MaybeUninit" | "SyncUnsafeCell" => match name {
            "with" | "with_mut" => called(0),
            "set" => Ty::Unknown,
            _ => first(),
        },
        "OnceCell" | "OnceLock" | "OnceBox" => match name {
            "get" | "get_mut" | "take" | "into_inner" => option(first()),
            "get_or_init" => match first() {
                Ty::Unknown => called(0),
                known => known,
            },
            "get_or_try_init" => Ty::outside("Result", [first(), Ty::Unknown]),
            "set" => Ty::outside("Result", [Ty::Tuple([].into()), first()]),
            _ => Ty::Unknown,
        },
        "LocalKey" => match name {
            "with" | "try_with" => called(0),
            _ => Ty::Unknown,
        },
        "Weak" => match name {
            "upgrade" => option(Ty::Outside("Arc".into(), held.clone())),
            "clone" => receiver.clone(),
            _ => Ty::Unknown,
        },
        "Rc" | "Arc" | "Box" | "Cow" | "Pin" | "NonNull" | "ManuallyDrop" | "Guard" | "Ref"
        | "RefMut" => match name {
            "clone" | "as_mut" | "as_ref" | "into_ref" => receiver.clone(),
            "get_mut" | "get_ref" | "into_inner" | "get_unchecked_mut" | "into_owned"
            | "to_mut" | "borrow" | "borrow_mut" | "as_ptr" => first(),
            "map_unchecked_mut" | "map_unchecked" => called(0),
            _ => Ty::Unknown,
        },
        "AtomicPtr" => match name {
            "load" | "swap" => first(),
            _ => Ty::Unknown,
        },
        "Future" => match name {
            "await" => first(),
            _ => Ty::Unknown,
        },
        "bool" => match name {
            "then" => option(called(0)),
            "then_some" => option(args.first().cloned().unwrap_or(Ty::Unknown)),
            _ => of_any(receiver, name),
        },
        "str" | "String" => match name {
            "to_string" | "to_owned" | "to_lowercase" | "to_uppercase" | "replace" | "repeat"
            | "into_owned" | "clone" | "to_ascii_lowercase" | "to_ascii_uppercase" => {
                Ty::outside("String", [])
            }
            "trim" | "trim_start" | "trim_end" | "as_str" | "trim_matches"
            | "trim_start_matches" | "trim_end_matches" | "as_ref" => Ty::outside("str", []),
            "strip_prefix" | "strip_suffix" | "get" => option(Ty::outside("str", [])),
            "split"
            | "lines"
            | "split_whitespace"
            | "splitn"
            | "rsplit"
            | "rsplitn"
            | "split_terminator"
            | "split_ascii_whitespace"
            | "matches"
            | "split_inclusive" => iter(Ty::outside("str", [])),
            "chars" => iter(Ty::outside("char", [])),
            "bytes" => iter(Ty::outside("u8", [])),
            "char_indices" => iter(Ty::Tuple(
                [Ty::outside("usize", []), Ty::outside("char", [])].into(),
            )),
            "as_bytes" | "into_bytes" | "as_bytes_mut" => {
                Ty::outside("[]", [Ty::outside("u8", [])])
            }
            "split_once" | "rsplit_once" => option(Ty::Tuple(
                [Ty::outside("str", []), Ty::outside("str", [])].into(),
            )),
            "len" => Ty::outside("usize", []),
            "find" | "rfind" => option(Ty::outside("usize", [])),
            "is_empty" | "contains" | "starts_with" | "ends_with" => Ty::outside("bool", []),
            _ => Ty::Unknown,
        },
        "Path" | "PathBuf" => match name {
            "join" | "with_extension" | "to_path_buf" | "with_file_name" | "clone" | "to_owned" => {
                Ty::outside("PathBuf", [])
            }
            "parent" => option(Ty::outside("Path", [])),
            "file_name" | "extension" | "file_stem" => option(Ty::outside("OsStr", [])),
            "display" => Ty::outside("Display", []),
            "as_path" | "as_ref" => Ty::outside("Path", []),
            "as_os_str" => Ty::outside("OsStr", []),
            "is_dir" | "is_file" | "exists" => Ty::outside("bool", []),
            _ => Ty::Unknown,
        },
        _ => of_any(receiver, name),
    }
}

/// Methods that give the same type whatever it is.
fn of_any(receiver: &Ty, name: &str) -> Ty {
    match name {
        // What pin projections give has the same fields.
        "project" | "project_ref" | "project_mut" => receiver.clone(),
        "default" | "clone" | "to_owned" | "as_ref" | "as_mut" | "borrow" | "borrow_mut"
        | "by_ref" | "wrapping_add" | "wrapping_sub" | "saturating_add" | "saturating_sub"
        | "min" | "max" | "clamp" | "abs" | "pow" | "rotate_left" | "rotate_right"
        | "wrapping_mul" | "swap_bytes" | "to_le" | "to_be" | "with" | "cast" | "into_iter" => {
            receiver.clone()
        }
        "to_string" => Ty::outside("String", []),
        "cmp" => Ty::outside("Ordering", []),
        "eq" | "ne" | "lt" | "gt" | "le" | "ge" | "is_null" => Ty::outside("bool", []),
        "trailing_zeros" | "leading_zeros" | "count_ones" => Ty::outside("u32", []),
        "checked_add" | "checked_sub" | "checked_mul" | "checked_div" => {
            Ty::outside("Option", [receiver.clone()])
        }
        _ => Ty::Unknown,
    }
}

/// What a method of a type outside hands to a closure: argument number `at`, its parameter `param`.
pub(super) fn passed(receiver: &Ty, name: &str, at: usize, param: usize, args: &[Ty]) -> Ty {
    let Ty::Outside(of, held) = receiver else {
        return Ty::Unknown;
    };
    let first = || held.first().cloned().unwrap_or(Ty::Unknown);
    let second = || held.get(1).cloned().unwrap_or(Ty::Unknown);
    match (&**of, name) {
        ("Result", "map_err" | "or_else" | "unwrap_or_else" | "inspect_err" | "is_err_and") => {
            second()
        }
        ("Result" | "Option", "map_or_else") if at == 0 => second(),
        ("Poll", "map_ok") => first().arg(0),
        ("Poll", "map_err") => first().arg(1),
        ("HashMap" | "BTreeMap" | "IndexMap", _) => match param {
            0 => first(),
            _ => second(),
        },
        ("Entry", "and_modify") => second(),
        ("Entry", "or_insert_with_key") => first(),
        ("Iter" | "Range" | "collected" | "Peekable", "fold" | "try_fold" | "scan" | "rfold") => {
            match param {
                0 => args.first().cloned().unwrap_or(Ty::Unknown),
                _ => element(of, held).unwrap_or(Ty::Unknown),
            }
        }
        _ => element(of, held).unwrap_or_else(first),
    }
}

/// What calling something outside by its path gives: constructors, and functions that wrap.
pub(super) fn function(path: &str, args: &[Ty], generic: &[Ty]) -> Ty {
    let mut segments = path.rsplit("::");
    let last = segments.next().unwrap_or_default();
    let of = segments.next().unwrap_or_default();
    let first = || args.first().cloned().unwrap_or(Ty::Unknown);
    let generics: Args = generic.iter().cloned().collect();
    match (of, last) {
        (_, "Some") => Ty::outside("Option", [first()]),
        (_, "Ok") => Ty::outside("Result", [first(), Ty::Unknown]),
        (_, "Err") => Ty::outside("Result", [Ty::Unknown, first()]),
        ("Poll", "Ready") => Ty::outside("Poll", [first()]),
        ("Cow", "Borrowed" | "Owned") => Ty::outside("Cow", [first()]),
        ("Box" | "Arc" | "Rc", "pin") => Ty::outside("Box", [first()]),
        ("Arc" | "Rc", "clone" | "downgrade") => first(),
        ("Pin", "new_unchecked" | "into_inner" | "get_mut") => first(),
        ("Box", "from_raw" | "into_raw" | "leak" | "into_inner" | "into_pin")
        | ("Arc" | "Rc", "from_raw" | "into_raw" | "as_ptr" | "make_mut" | "unwrap_or_clone") => {
            first()
        }
        ("Arc" | "Rc" | "Box", "get_mut") => Ty::outside("Option", [first()]),
        ("Arc" | "Rc", "try_unwrap") => Ty::outside("Result", [first().arg(0), first()]),
        ("mem", "replace" | "take") | ("ptr", "read") | ("cmp", "min" | "max") => first(),
        ("iter", "once" | "repeat") => Ty::outside("Iter", [first()]),
        ("future", "ready") => Ty::outside("Future", [first()]),
        ("String", "new" | "from" | "with_capacity" | "from_utf8_lossy") => {
            Ty::outside("String", [])
        }
        (
            "Box" | "Rc" | "Arc" | "Mutex" | "RwLock" | "RefCell" | "Cell" | "UnsafeCell" | "Pin"
            | "MaybeUninit" | "ManuallyDrop" | "AssertUnwindSafe" | "CachePadded" | "Reverse",
            "new" | "from",
        ) => Ty::outside(of, [first()]),
        (_, "new" | "with_capacity" | "default" | "from" | "with_hasher" | "from_iter")
            if of.starts_with(char::is_uppercase) =>
        {
            Ty::Outside(of.into(), generics)
        }
        _ => Ty::Unknown,
    }
}

/// Whether a macro is one of the standard library's.
pub(super) fn is_macro(name: &str) -> bool {
    matches!(
        name,
        "assert"
            | "assert_eq"
            | "assert_ne"
            | "cfg"
            | "column"
            | "compile_error"
            | "concat"
            | "dbg"
            | "debug_assert"
            | "debug_assert_eq"
            | "debug_assert_ne"
            | "env"
            | "eprint"
            | "eprintln"
            | "file"
            | "format"
            | "format_args"
            | "include"
            | "include_bytes"
            | "include_str"
            | "is_x86_feature_detected"
            | "line"
            | "matches"
            | "module_path"
            | "option_env"
            | "panic"
            | "print"
            | "println"
            | "stringify"
            | "thread_local"
            | "todo"
            | "unimplemented"
            | "unreachable"
            | "vec"
            | "write"
            | "writeln"
    )
}

/// Whether a path leads to a crate that is neither the standard library nor in the checkout.
pub(super) fn is_foreign(path: &str) -> bool {
    match path.split_once("::") {
        Some((first, _)) => {
            !matches!(first, "std" | "core" | "alloc") && first.starts_with(char::is_lowercase)
        }
        None => false,
    }
}

/// Whether a type of this name is the standard library's, or like it.
pub(super) fn is_std(name: &str) -> bool {
    deref(name, &Args::from([])).is_some()
        || POINTERS.contains(&name)
        || STD_TYPES.contains(&name)
        || name.starts_with(char::is_lowercase)
}

/// Types of which the methods above speak, and others whose methods give what is inferred.
const STD_TYPES: &[&str] = &[
    "Option",
    "Result",
    "Poll",
    "[]",
    "Vec",
    "VecDeque",
    "HashMap",
    "BTreeMap",
    "HashSet",
    "BTreeSet",
    "Entry",
    "OccupiedEntry",
    "VacantEntry",
    "Iter",
    "Range",
    "Mutex",
    "RwLock",
    "RefCell",
    "Cell",
    "UnsafeCell",
    "MaybeUninit",
    "OnceCell",
    "OnceLock",
    "LocalKey",
    "Weak",
    "Future",
    "JoinHandle",
    "Ordering",
    "Wrapping",
    "BinaryHeap",
    "LinkedList",
    "Peekable",
    "Receiver",
    "Sender",
    "()",
    "AtomicPtr",
    "IndexMap",
    "IndexSet",
    "Path",
    "OsStr",
    "PhantomData",
    "Context",
    "Waker",
];

/// Whether a type outside is one that `*` takes the inside of.
pub(super) fn is_pointer(name: &str) -> bool {
    POINTERS.contains(&name)
}
