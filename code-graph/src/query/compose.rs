//! Puts an answer together so that it keeps its budget.

use super::answer::{Answer, Entry, Group, Line, Source, count};
use super::filter::{Filter, Sieve, Tests};
use crate::graph::Graph;
use crate::index::Coverage;
use serde::{Deserialize, Serialize};

/// A token is four bytes of UTF-8.
pub const TOKEN_BYTES: usize = 4;

/// The tokens that an answer may have when nothing else is said.
pub const DEFAULT_TOKENS: usize = 2000;

/// The fewest tokens an answer gets: what it takes to say what was found and what is covered.
pub const MIN_TOKENS: usize = 100;

/// The longest note or headline, in bytes.
const SENTENCE: usize = 400;

/// The longest line of code that is shown, in bytes.
const CODE_LINE: usize = 160;

/// Lines that every entry may show before one of them shows more.
const LINES: usize = 4;

/// How much of an answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Page {
    /// The tokens that the text of the answer may have; less than [`MIN_TOKENS`] counts as those.
    pub tokens: usize,
    /// Entries to pass over first.
    pub offset: usize,
    /// The most entries to give, as far as the tokens reach.
    pub limit: usize,
}

impl Default for Page {
    fn default() -> Page {
        Page {
            tokens: DEFAULT_TOKENS,
            offset: 0,
            limit: usize::MAX,
        }
    }
}

impl Page {
    /// The bytes that the text may have.
    pub fn bytes(&self) -> usize {
        self.tokens.max(MIN_TOKENS).saturating_mul(TOKEN_BYTES)
    }
}

/// A group whose entries are made when they are known to be shown.
pub(super) struct Pending<'a> {
    title: String,
    by_file: bool,
    total: usize,
    make: Box<dyn FnMut(usize) -> Entry + 'a>,
}

/// An answer in the making.
pub(super) struct Draft<'a> {
    pub(super) answer: Answer,
    source: Option<Source>,
    groups: Vec<Pending<'a>>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(headline: String, coverage: &Coverage) -> Draft<'a> {
        Draft {
            answer: Answer {
                headline: cut(&headline, SENTENCE),
                coverage: coverage.clone(),
                ..Answer::default()
            },
            source: None,
            groups: Vec::new(),
        }
    }

    /// Says something besides.
    pub(super) fn note(&mut self, note: impl AsRef<str>) {
        self.answer.notes.push(cut(note.as_ref(), SENTENCE));
    }

    /// Says what of the conditions of a question no file fits.
    pub(super) fn narrowed(&mut self, sieve: &Sieve) {
        for idle in &sieve.idle {
            self.note(idle);
        }
    }

    /// Says how much of what there is the conditions of a question keep back.
    pub(super) fn kept_back(&mut self, many: usize, noun: &str) {
        if many > 0 {
            self.note(format!(
                "{} outside of what was asked for (by paths, languages, kinds or tests)",
                count(many, noun)
            ));
        }
    }

    /// Says how many files of tests are left out, if they are.
    pub(super) fn without_tests(&mut self, graph: &Graph, among: &Filter, sieve: &Sieve) {
        if let Some(note) = tests_left_out(graph, among, sieve) {
            self.note(note);
        }
    }

    /// Shows the text of what was asked about, as much as half of what is left holds.
    pub(super) fn source(&mut self, source: Source) {
        self.source = Some(source);
    }

    /// A group of `all`, each of which `make` turns into an entry; left out when there is nothing
    /// in it.
    pub(super) fn group<T: 'a>(
        &mut self,
        title: impl Into<String>,
        by_file: bool,
        all: Vec<T>,
        mut make: impl FnMut(&T) -> Entry + 'a,
    ) {
        if all.is_empty() {
            return;
        }
        self.groups.push(Pending {
            title: title.into(),
            by_file,
            total: all.len(),
            make: Box::new(move |at| all.get(at).map(&mut make).unwrap_or_default()),
        });
    }

    /// The answer, with as many entries as the page has room for.
    pub(super) fn finish(self, page: &Page) -> Answer {
        let Draft {
            mut answer,
            source,
            groups,
        } = self;
        let room = page.bytes();
        answer.headline = cut(&answer.headline, room / 3);
        answer.total = groups.iter().map(|group| group.total).sum();
        answer.groups = groups
            .iter()
            .map(|group| Group {
                title: group.title.clone(),
                total: group.total,
                by_file: group.by_file,
                entries: Vec::new(),
            })
            .collect();
        // The longest that the line about what was left out can become.
        let mut reserve = reserve(&mut answer);
        if answer.head().len() + answer.coverage.to_string().len() + reserve + ENTRY > room {
            answer.terse = true;
            reserve = self::reserve(&mut answer);
        }
        shorten_tail(&mut answer, room.saturating_sub(reserve) / 2);
        let mut fixed = answer.head().len() + answer.tail().len() + reserve;
        while fixed + ENTRY > room && answer.total > 0 && answer.notes.pop().is_some() {
            fixed = answer.head().len() + answer.tail().len() + reserve;
        }
        let mut left = room.saturating_sub(fixed);
        if let Some(source) = source {
            let share = if answer.total == 0 {
                left
            } else {
                left / 4 * 3
            };
            let source = fit_source(source, share);
            left = left.saturating_sub(source.to_string().len());
            answer.source = Some(source);
        }
        let shown = fill(&mut answer, groups, page, &mut left);
        let next = page.offset.saturating_add(shown);
        if next < answer.total {
            answer.next_offset = Some(next);
        } else if shown == 0 && answer.total > 0 {
            let note = format!(
                "offset {} is past the last of {}",
                page.offset, answer.total
            );
            answer.notes.push(note);
        }
        enforce(&mut answer, room);
        let shown = answer.groups.iter().any(|group| !group.entries.is_empty());
        if let (false, Some(next)) = (shown, answer.next_offset) {
            // The same offset would give the same again.
            answer.next_offset = None;
            answer.no_room = answer.total.saturating_sub(next);
            enforce(&mut answer, room);
        }
        answer
    }
}

/// Bytes of an entry that is neither short nor long, with the heads of its group and file.
const ENTRY: usize = 180;

/// The longest that the line about what was left out can become, and a little.
fn reserve(answer: &mut Answer) -> usize {
    answer.next_offset = Some(0);
    let reserve = answer.left_out().len() + 60;
    answer.next_offset = None;
    reserve
}

/// Fills the groups; gives how many entries were taken. What is left when they are in goes to
/// lines of theirs that are more than [`LINES`].
fn fill(answer: &mut Answer, groups: Vec<Pending<'_>>, page: &Page, left: &mut usize) -> usize {
    let mut rest: Vec<Vec<Line>> = Vec::new();
    let shown = take(answer, groups, page, left, &mut rest);
    let entries = answer
        .groups
        .iter_mut()
        .flat_map(|group| &mut group.entries);
    for (entry, rest) in entries.zip(rest) {
        for line in rest {
            let size = line.text.len() + line.line.to_string().len() + 7 + 2 * entry.indent;
            if size > *left {
                break;
            }
            *left -= size;
            entry.lines.push(line);
            entry.more_lines -= 1;
        }
    }
    shown
}

/// Takes as many entries as there is room for; the lines that they have besides go to `rest`.
fn take(
    answer: &mut Answer,
    groups: Vec<Pending<'_>>,
    page: &Page,
    left: &mut usize,
    rest: &mut Vec<Vec<Line>>,
) -> usize {
    let mut skip = page.offset;
    let mut shown = 0;
    for (group, mut pending) in answer.groups.iter_mut().zip(groups) {
        let first = skip.min(pending.total);
        skip -= first;
        for at in first..pending.total {
            if shown >= page.limit {
                return shown;
            }
            let mut entry = (pending.make)(at);
            let mut more = entry.lines.split_off(entry.lines.len().min(LINES));
            entry.more_lines += more.len();
            let before = group.entries.last().map_or("", |last| last.path.as_str());
            let head = match group.entries.is_empty() {
                true => group.head().len(),
                false => 0,
            };
            let mut size = head + entry.text(group.by_file, before).len();
            if size > *left && shown == 0 {
                // One entry is given, be it without its lines.
                entry.more_lines += entry.lines.len();
                entry.lines.clear();
                more.clear();
                entry.doc = None;
                size = head + entry.text(group.by_file, before).len();
            }
            if size > *left {
                return shown;
            }
            *left -= size;
            group.entries.push(entry);
            rest.push(more);
            shown += 1;
        }
    }
    shown
}

/// Drops notes from the end until head and tail have room; says so in the last.
fn shorten_tail(answer: &mut Answer, room: usize) {
    while answer.tail().len() > room && !answer.notes.is_empty() {
        answer.notes.pop();
    }
    if answer.tail().len() > room {
        answer.coverage.skipped.clear();
    }
}

/// As many lines as fit.
fn fit_source(mut source: Source, room: usize) -> Source {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut bytes = 0;
    let mut fits = 0;
    for line in &lines {
        bytes += line.len() + 8;
        if bytes + 80 > room && (fits + 1 < lines.len() || bytes > room) {
            break;
        }
        fits += 1;
    }
    if fits < lines.len() {
        source.left_out += lines.len() - fits;
        source.text = lines[..fits].join("\n");
    }
    source
}

/// Takes away from the least important on until the text keeps its budget, whatever it is.
fn enforce(answer: &mut Answer, room: usize) {
    while answer.to_string().len() > room {
        if let Some(group) = answer
            .groups
            .iter_mut()
            .rev()
            .find(|g| !g.entries.is_empty())
        {
            group.entries.pop();
            let next = answer.next_offset.unwrap_or(answer.total);
            answer.next_offset = Some(next.saturating_sub(1));
        } else if answer.source.is_some() {
            answer.source = None;
        } else if answer.notes.pop().is_some() {
        } else if !answer.about.is_empty() {
            answer.about.pop();
        } else if !answer.coverage.skipped.is_empty() || !answer.coverage.outline.is_empty() {
            answer.coverage.skipped.clear();
            answer.coverage.outline.clear();
        } else {
            break;
        }
    }
}

/// A text of at most `max` bytes, marked when it was cut.
pub(super) fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let end = (0..=max.saturating_sub('…'.len_utf8()))
        .rev()
        .find(|at| text.is_char_boundary(*at));
    format!("{}…", &text[..end.unwrap_or(0)])
}

/// A line of code as it is shown: what would move the cursor or is not to be seen is left out.
pub(super) fn code_line(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').trim();
    match text.contains(unseen) {
        true => cut(&text.replace(unseen, " "), CODE_LINE),
        false => cut(text, CODE_LINE),
    }
}

/// A character that is no text: a control character that is no tab.
fn unseen(c: char) -> bool {
    c.is_control() && c != '\t'
}

/// How many files a question leaves out because they are tests, where it leaves out any.
pub(super) fn tests_left_out(graph: &Graph, among: &Filter, sieve: &Sieve) -> Option<String> {
    let with = Filter {
        tests: Tests::Apart,
        ..among.clone()
    };
    let (Tests::Without, Ok(with)) = (among.tests, with.sieve(graph)) else {
        return None;
    };
    let nodes = graph.files().iter().map(|file| file.node);
    let left_out = nodes.filter(|node| with.lets(graph, *node) && !sieve.lets(graph, *node));
    let left_out = left_out.count();
    (left_out > 0).then(|| {
        format!(
            "{} left out; `tests` can be `apart` to count them in",
            count(left_out, "test file")
        )
    })
}
