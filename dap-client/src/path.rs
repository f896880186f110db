//! Paths to values: `user.orders[3].total`.

use std::fmt;
use std::str::FromStr;

/// The way from a variable of a frame to a value inside of it.
///
/// ```
/// use fourfold_dap_client::{PathStep, ValuePath};
///
/// let path: ValuePath = "user.orders[3]['total sum']".parse().unwrap();
/// assert_eq!(path.root(), "user");
/// assert_eq!(path.steps().len(), 3);
/// assert_eq!(path.steps()[1], PathStep::Index(3));
/// assert_eq!(path.to_string(), "user.orders[3].'total sum'");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuePath {
    root: String,
    steps: Vec<PathStep>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathStep {
    /// A field, a key or an attribute: `.name`, `['name']`.
    Name(String),
    /// An element: `[3]`.
    Index(u64),
}

/// A text that is no path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{path}` is no path at character {at}: {problem}; a path looks like `user.orders[3].total`"
)]
pub struct PathError {
    /// The text.
    pub path: String,
    /// Where, in characters from 1.
    pub at: usize,
    /// What is wrong there.
    pub problem: &'static str,
}

impl ValuePath {
    /// The variable that it begins with.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The way to what holds the value, and the last step; nothing for a variable alone.
    #[must_use]
    pub fn holder(&self) -> Option<(ValuePath, &PathStep)> {
        let (last, before) = self.steps.split_last()?;
        let holder = ValuePath {
            root: self.root.clone(),
            steps: before.to_vec(),
        };
        Some((holder, last))
    }

    /// What is followed from there.
    #[must_use]
    pub fn steps(&self) -> &[PathStep] {
        &self.steps
    }
}

impl PathStep {
    /// Whether a value of this name is meant. Adapters call the element 3 of a list `3`, `[3]`,
    /// `03` or `003`, and the key `a` `'a'`, `"a"` or `["a"]`.
    pub(crate) fn names(&self, name: &str) -> bool {
        let bare = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'))
            .unwrap_or(name);
        match self {
            Self::Index(index) => {
                !bare.is_empty()
                    && bare.bytes().all(|byte| byte.is_ascii_digit())
                    && bare.parse() == Ok(*index)
            }
            Self::Name(wanted) => {
                let unquoted = ['"', '\''].into_iter().find_map(|quote| {
                    bare.strip_prefix(quote)
                        .and_then(|bare| bare.strip_suffix(quote))
                });
                name == wanted || bare == wanted || unquoted == Some(wanted.as_str())
            }
        }
    }
}

impl fmt::Display for ValuePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_name(f, &self.root)?;
        self.steps.iter().try_for_each(|step| write!(f, "{step}"))
    }
}

impl fmt::Display for PathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Name(name) => {
                f.write_str(".")?;
                write_name(f, name)
            }
        }
    }
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if !name.is_empty() && !name.contains(is_special) {
        return f.write_str(name);
    }
    f.write_str("'")?;
    for char in name.chars() {
        if matches!(char, '\'' | '\\') {
            f.write_str("\\")?;
        }
        write!(f, "{char}")?;
    }
    f.write_str("'")
}

/// What ends a bare name.
fn is_special(char: char) -> bool {
    matches!(char, '.' | '[' | ']' | '\'' | '"' | '\\') || char.is_whitespace()
}

impl FromStr for ValuePath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let mut parser = Parser {
            whole: text,
            chars: text.chars().collect(),
            at: 0,
        };
        let root = parser.name()?;
        let mut steps = Vec::new();
        while let Some(char) = parser.next() {
            steps.push(match char {
                '.' => PathStep::Name(parser.name()?),
                '[' => parser.bracket()?,
                // As C and PHP write it.
                '-' if parser.peek() == Some('>') => {
                    parser.next();
                    PathStep::Name(parser.name()?)
                }
                _ => return Err(parser.wrong("a `.` or `[` is expected", 1)),
            });
        }
        Ok(Self { root, steps })
    }
}

struct Parser<'a> {
    whole: &'a str,
    chars: Vec<char>,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += 1;
        Some(char)
    }

    /// An error at the current character, or so many before.
    fn wrong(&self, problem: &'static str, back: usize) -> PathError {
        PathError {
            path: self.whole.chars().take(200).collect(),
            at: self.at.saturating_sub(back) + 1,
            problem,
        }
    }

    fn name(&mut self) -> Result<String, PathError> {
        if let Some(quote @ ('\'' | '"')) = self.peek() {
            self.next();
            return self.quoted(quote);
        }
        let mut name = String::new();
        while let Some(char) = self.peek() {
            let arrow = char == '-' && self.chars.get(self.at + 1) == Some(&'>');
            if is_special(char) || arrow {
                break;
            }
            name.push(char);
            self.at += 1;
        }
        if name.is_empty() {
            return Err(self.wrong("a name is expected", 0));
        }
        Ok(name)
    }

    fn quoted(&mut self, quote: char) -> Result<String, PathError> {
        let mut name = String::new();
        while let Some(char) = self.next() {
            match char {
                '\\' => name.extend(self.next()),
                _ if char == quote => return Ok(name),
                _ => name.push(char),
            }
        }
        Err(self.wrong("the quote is not closed", 0))
    }

    fn bracket(&mut self) -> Result<PathStep, PathError> {
        let step = match self.peek() {
            Some(quote @ ('\'' | '"')) => {
                self.next();
                PathStep::Name(self.quoted(quote)?)
            }
            _ => {
                let mut digits = String::new();
                while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
                    digits.push(digit);
                    self.at += 1;
                }
                match digits.parse() {
                    Ok(index) => PathStep::Index(index),
                    Err(_) => {
                        return Err(self.wrong("a number or a name in quotes is expected", 0));
                    }
                }
            }
        };
        match self.next() {
            Some(']') => Ok(step),
            _ => Err(self.wrong("a `]` is expected", 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> ValuePath {
        text.parse().unwrap()
    }

    fn name(name: &str) -> PathStep {
        PathStep::Name(name.to_owned())
    }

    #[test]
    fn paths_are_read_as_languages_write_them() {
        assert_eq!(read("total").steps(), []);
        assert_eq!(read("a.b[3]").steps(), [name("b"), PathStep::Index(3)]);
        assert_eq!(read("a->b").steps(), [name("b")]);
        assert_eq!(
            read("d[\"x.y\"]['it\\'s']").steps(),
            [name("x.y"), name("it's")]
        );
        assert_eq!(read("self.0").steps(), [name("0")]);
        assert_eq!(read("$this->größe").root(), "$this");
    }

    #[test]
    fn what_is_no_path_says_where() {
        for (text, at) in [
            ("", 1),
            (".a", 1),
            ("a.", 3),
            ("a..b", 3),
            ("a[", 3),
            ("a[-1]", 3),
            ("a[1", 3),
            ("a[1}", 4),
            ("a['x]", 6),
            ("a b", 2),
            ("a[99999999999999999999]", 23),
        ] {
            let error = text.parse::<ValuePath>().unwrap_err();
            assert_eq!(error.at, at, "{error}");
        }
    }

    #[test]
    fn adapters_have_their_own_names_for_elements() {
        for name in ["3", "[3]", "03", "[003]"] {
            assert!(PathStep::Index(3).names(name), "{name}");
        }
        assert!(!PathStep::Index(3).names("33"));
        assert!(!PathStep::Index(0).names(""));
        for found in ["a", "'a'", "\"a\"", "[\"a\"]", "[a]"] {
            assert!(name("a").names(found), "{found}");
        }
        assert!(!name("a").names("ab"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            root in "\\PC{1,8}",
            steps in prop::collection::vec(
                prop_oneof![
                    any::<u64>().prop_map(PathStep::Index),
                    "\\PC{0,8}".prop_map(PathStep::Name),
                ],
                0..5,
            ),
        ) {
            let path = ValuePath { root, steps };
            // `-` before `>` ends a bare name.
            prop_assume!(!path.to_string().contains("->"));
            prop_assert_eq!(path.to_string().parse::<ValuePath>(), Ok(path));
        }

        #[test]
        fn any_text_is_a_path_or_says_why(text in "\\PC{0,20}") {
            let _ = text.parse::<ValuePath>();
        }
    }
}
