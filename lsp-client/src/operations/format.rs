//! How a text is indented, for formatters that have no configuration of their own.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// How a text is indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indentation {
    /// Columns of one step.
    pub size: u32,
    /// Whether it is made of spaces, not of a tab.
    pub spaces: bool,
}

impl Default for Indentation {
    /// Four spaces.
    fn default() -> Self {
        Indentation {
            size: 4,
            spaces: true,
        }
    }
}

impl Indentation {
    /// The indentation that a text has: what most of its indented lines begin with, and the step
    /// that is most common from one line to the next. The default where nothing is indented.
    ///
    /// ```
    /// use fourfold_lsp_client::Indentation;
    ///
    /// let two = Indentation::of("a:\n  b:\n    c: 1\n  d: 2\n");
    /// assert_eq!((two.size, two.spaces), (2, true));
    /// assert!(!Indentation::of("if x {\n\ty()\n}\n").spaces);
    /// ```
    pub fn of(text: &str) -> Indentation {
        /// No text is long enough to change its mind after this many lines.
        const LINES: usize = 2000;
        let (mut tabs, mut spaces) = (0, 0);
        let mut steps: BTreeMap<usize, usize> = BTreeMap::new();
        let mut last = 0;
        for line in text.split(['\n', '\r']).take(LINES) {
            let rest = line.trim_start_matches([' ', '\t']);
            // What continues a comment stands one column further than the code.
            if rest.is_empty() || rest.starts_with('*') {
                continue;
            }
            let indent = line.get(..line.len() - rest.len()).unwrap_or_default();
            if indent.starts_with('\t') {
                tabs += 1;
                continue;
            }
            if !indent.is_empty() {
                spaces += 1;
            }
            // A step of one column, or of more than eight, aligns something.
            let step = indent.len().abs_diff(last);
            if (2..=8).contains(&step) {
                *steps.entry(step).or_default() += 1;
            }
            last = indent.len();
        }
        if tabs > spaces {
            return Indentation {
                spaces: false,
                ..Indentation::default()
            };
        }
        // Of equally common ones the smallest: two steps at once look like one of twice the size.
        let most = steps.iter().rev().max_by_key(|(_, count)| **count);
        let size = most.and_then(|(step, _)| u32::try_from(*step).ok());
        Indentation {
            size: size.unwrap_or(Indentation::default().size),
            spaces: true,
        }
    }

    /// `FormattingOptions`.
    pub(crate) fn params(self) -> Value {
        json!({"tabSize": self.size, "insertSpaces": self.spaces})
    }
}
