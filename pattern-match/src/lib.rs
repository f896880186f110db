//! Find a code shape written as code, and rewrite it.
//!
//! A pattern is a fragment of a program in the program's own language, with metavariables where
//! anything may stand: `$LIST.push($$$ITEMS)`. The crate finds every place in a parsed text that has
//! this shape, and can put other code in its place. It reads no files and keeps no state: text and
//! tree in, ranges and text out.
//!
//! * [`Pattern::compile`] reads a fragment on every [`Rung`] of the language's ladder and keeps each
//!   distinct [`Reading`]; what no rung accepts is [`Unparsable`], which says where and why.
//! * [`Pattern::search`] gives [`Found`]: a [`Match`] for each place, with the reading that matched
//!   and a [`Capture`] for each [`Variable`]. [`Pattern::may_match`] looks at the bytes alone, so
//!   that a file which cannot match need not be parsed.
//! * [`Search`] adds constraints: inside or around what other patterns match, a [`Condition`] on a
//!   captured text, the kind of node. [`Search::explain`] tells the [`NearMiss`]es when nothing is
//!   found. [`NodeQuery`] searches for a tree-sitter query instead of a fragment.
//! * [`Template::parse`] checks the text that takes a match's place against the pattern's variables;
//!   [`rewrite()`] makes the [`Edit`]s of one text and lists what each [`Site`] would lose as [`Loss`].
//!
//! ```
//! use fourfold_pattern_match::{Options, Pattern, RewriteOptions, Template, rewrite};
//! use fourfold_syntax::{Language, ParseLimits, with_parser};
//!
//! let language = Language::named("javascript")?;
//! let pattern = Pattern::compile(language, "if ($X) $X.close($$$ARGS)", &Options::default())?;
//!
//! let text = "if (file) file.close(now);\nif (a) b.close();\nif (a) { a.close() }\n";
//! let tree = with_parser(ParseLimits::default(), |parser| parser.parse(language, text))?;
//! let found = pattern.search(text, &tree);
//! let [one] = found.matches.as_slice() else { panic!("only the first closes what it tested") };
//! assert_eq!(&text[one.range.clone()], "if (file) file.close(now);");
//! assert_eq!(pattern.variables()[0].name, "X");
//! assert_eq!(one.captures[0].span().map(|span| &text[span]), Some("file"));
//!
//! let template = Template::parse("$X?.close($$$ARGS);", &pattern)?;
//! let options = RewriteOptions::default();
//! let rewritten = rewrite(&pattern, &template, text, &tree, &found.matches, &options)?;
//! assert!(rewritten.refusal(&options).is_none());
//! assert!(rewritten.text.starts_with("file?.close(now);\nif (a) b.close();"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The pattern language
//!
//! | written | stands for |
//! |---|---|
//! | `$X` | one node: an expression, a statement, a name, a type, whatever stands in that place |
//! | `$X` again | the same code as before, compared token by token: blanks, comments and the quotes of strings are no difference, the characters in a string are |
//! | `$_`, `$_NAME` | one node, without a name; two of them may differ |
//! | `$$$XS` | any number of siblings, also none; the shortest run that lets the rest match |
//! | `$$$` | the same without a name |
//! | `'$X'` | everything between the quotes of a string; in the middle of a longer string, as in a comment, a metavariable is text |
//! | any other code | itself, with its operators, keywords and modifiers |
//!
//! A name is made of capitals, digits and underscores and does not begin with a digit; `$foo` and
//! `on$EVENT` are ordinary text. What the source has beyond the pattern is a mismatch (an `else`, a
//! second assignment target), with these exceptions:
//!
//! * Comments, blanks, a trailing comma, a `;` that the language makes optional, and which quotes a
//!   string has are no difference.
//! * Neither are parentheses that the language makes optional: those around the arguments of a call
//!   in Ruby, Elixir and Lua, those of `new T()` in JavaScript, TypeScript, PHP and C#, those around
//!   all that `echo`, `print` or `require` has in PHP, around imported names and what `with` opens in
//!   Python, around the one parameter of an arrow function in JavaScript, TypeScript, Java, C# and
//!   Scala. A generator that is all of a call's arguments
//!   in Python has the call's parentheses, whoever wrote one pair or two. What a variable captured
//!   twice is still compared token by token, so there `f(1)` is not `f 1`.
//! * A cascade of Dart is read one section after the other: `$A..$B($$$C)` finds each call of it,
//!   with all that comes before as `$A`.
//! * A declaration may have more than the pattern says of it: modifiers, annotations, type
//!   parameters, a return type, `throws`, supertypes, a `where` clause. A kind of part that the
//!   pattern names must match exactly. [`Options::strict`] turns this off.
//! * A sequence of statements matches where they stand in a row, whatever follows. A `$$$` at its end
//!   takes all that is left of the body, one at its begin all from the begin of the body.
//! * The body of a Rust macro is read as code where it can be.
//!
//! # Readings and rungs
//!
//! A fragment seldom says where it stands. `dispose(x);` at the top of a Dart file is the signature
//! of a function, `&mut T` in Rust a borrow or a type, `a: b` in TypeScript a labelled statement or a
//! member of an object, `Some(x)` in Rust a call or what a `match` takes a value apart by. So the
//! fragment is put into a scaffold for each [`Rung`]: the body of a function, the right side of an
//! assignment, a class, a file, a list of parameters, a `match`, an import and so on. A rung accepts
//! it when the whole parses and the fragment is one node there, or statements in a row.
//!
//! To take the first rung that accepts and stop would be simple and wrong. `private final $T $N;` in
//! Java is a local variable on the first rung, and all fields would silently not be found. Every
//! distinct reading is kept instead: [`Pattern::readings`] has the *primary* one first, a search
//! reports the matches of all, and each [`Match::reading`] tells which it was. Dropped are readings
//! that nobody means: a prototype of what an earlier rung reads as a call, a declaration that is named
//! by a keyword. [`Options::rung`] narrows to one.
//!
//! # Limits
//!
//! * A pattern has at most 16 KiB ([`Options::max_bytes`]), 250 metavariables and 500 levels of
//!   nesting. More is refused as [`Unparsable`].
//! * A candidate takes at most 100,000 steps ([`Options::max_steps`]); one that takes more is counted
//!   in [`Found::given_up`], since it may be a match.
//! * A pattern of more than 200 nodes is matched on a thread with
//!   [a big stack](fourfold_syntax::stack::with_big_stack); where the system grants none, the text
//!   counts as given up.
//! * Texts are what the parser takes: UTF-8, 8 MiB unless set; places are bytes.
//! * A rewritten text is refused when it is longer than 8 MiB, or than 8 times the text and its
//!   templates together: nested matches of a template that says a capture twice double. So is one
//!   whose replacements, each with those inside it, have more than 64 MiB together: about 5,000
//!   calls inside one another.
//! * Macro bodies of more than 256 KiB, or more than 8 macros deep, stay tokens.
//! * The search knows syntax alone: no types, no aliases of imports. `$X.close()` is every `close`.
//! * The text of a Ruby heredoc stands apart from its code in the grammar; a pattern with one is
//!   refused. The tests and sums inside `[[ ]]` and `$(( ))` of Bash need those brackets around them.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod body;
mod constraint;
mod dialect;
mod document;
mod explain;
mod filter;
mod indent;
mod ladder;
mod layout;
mod loss;
mod macros;
mod metavariable;
mod nesting;
mod node_query;
mod offside;
mod pattern;
mod render;
mod rewrite;
mod rung;
mod scaffold;
mod search;
mod settle;
mod shape;
mod solver;
mod spelling;
mod template;
mod tree;
mod unparsable;
mod vanish;

pub use constraint::{Condition, ConditionError, Search, UnknownKind};
pub use explain::{NearMiss, Reason};
pub use ladder::Refusal;
pub use loss::{Loss, LossKind};
pub use metavariable::{Arity, Variable};
pub use node_query::NodeQuery;
pub use pattern::{Options, Pattern, Reading};
pub use rewrite::{Broken, Edit, RewriteError, RewriteOptions, Rewritten, Site, rewrite};
pub use rung::{Rung, UnknownRung};
pub use search::{Found, Match};
pub use template::{Template, TemplateError};
pub use tree::Capture;
pub use unparsable::Unparsable;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
