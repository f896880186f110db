//! One run over the files of a checkout: choose them, read them, pass over what cannot match, parse
//! the rest, search it.

mod unmet;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fourfold_code_graph::index::Index;
use fourfold_pattern_match::Found;
use fourfold_syntax::{ContentHash, Language, ParseLimits, Parser, Tree, stack};
use fourfold_worktree::{
    Admitted, Checkout, Control, Ended, Purpose, ReadLimits, Skipped, Tally, Walk, WalkOptions,
    Workers, read_text,
};

use crate::Error;
use crate::budget::Budget;
use crate::config::Limits;
use crate::plan::{Plan, Ready};
use crate::request::Selection;
use crate::result::{GrepSummary, LanguageSkipped, SkippedFiles};

/// Example paths of each reason for which files were skipped.
const EXAMPLES: usize = 5;

/// A request with the files it is about.
pub(crate) struct Run {
    pub(crate) plan: Plan,
    walk: Walk,
    workers: Workers,
    reading: ReadLimits,
    parsing: ParseLimits,
    /// How much text may be parsed at once.
    budget: Budget,
    /// What is known of files, if something is.
    index: Option<Arc<Index>>,
    /// Files that were named one by one, relative to the root.
    named: BTreeSet<PathBuf>,
    /// How many files each language has.
    files: BTreeMap<Language, usize>,
    searched: AtomicUsize,
    parsed: AtomicUsize,
    with_errors: AtomicUsize,
    given_up: AtomicUsize,
}

/// A file in which something was found.
pub(crate) struct Hit<'a> {
    pub(crate) file: &'a Admitted,
    pub(crate) language: Language,
    pub(crate) ready: &'a Ready,
    pub(crate) text: String,
    pub(crate) tree: &'a Tree,
    pub(crate) found: Found,
}

/// A file that was read, on its way through a worker.
pub(crate) struct Opened<'a> {
    pub(crate) language: Language,
    pub(crate) ready: &'a Ready,
    pub(crate) text: String,
}

/// What a worker keeps between files.
pub(crate) struct Worker<'c> {
    parser: Parser,
    control: &'c Control,
    _stack: stack::BigStack,
}

impl Worker<'_> {
    /// Parses a text, for as long as the run is wanted.
    pub(crate) fn parse(
        &mut self,
        language: Language,
        text: &str,
    ) -> Result<Tree, fourfold_syntax::Error> {
        self.parser.parse_with(language, text, self.control.flag())
    }
}

/// What a worker has to tell about a file.
enum Outcome<T> {
    Value(T),
    /// It was not parsed, for this reason.
    Unparsed(String),
}

/// How a run ended.
pub(crate) struct Done {
    pub(crate) ended: Ended,
    pub(crate) skipped: Vec<SkippedFiles>,
}

impl Run {
    /// Lists the files and compiles the request for each language that is asked for or met.
    pub(crate) fn prepare(
        checkout: &Checkout,
        limits: &Limits,
        plan: Plan,
        selection: &Selection,
        control: &Control,
    ) -> Result<Run, Error> {
        let workers = limits.workers();
        let max_bytes = selection.max_file_bytes.unwrap_or(limits.max_file_bytes);
        let named: BTreeSet<PathBuf> = selection
            .paths
            .iter()
            .filter_map(|path| checkout.admit(path, Purpose::Search).ok())
            .map(|file| file.relative().to_path_buf())
            .collect();
        let has_shebangs = plan
            .languages()
            .iter()
            .any(|language| !language.shebangs().is_empty());
        let wanted = |path: &Path| match language_by_name(path) {
            Some(language) => plan.wants(language),
            None => named.contains(path) || (has_shebangs && path.extension().is_none()),
        };
        let options = WalkOptions {
            paths: selection.paths.clone(),
            globs: selection.globs.clone(),
            hidden: selection.hidden,
            no_ignore: selection.no_ignore,
            wanted: Some(&wanted),
            workers: workers.clone(),
        };
        let mut walk = checkout.walk(&options, control)?;
        if control.is_cancelled() {
            // The list is short, and what it would give is not the truth.
            return Err(Error::Cancelled);
        }
        let files = by_language(&walk);
        let met: BTreeSet<Language> = files.keys().chain(plan.languages()).copied().collect();
        let met: Vec<Language> = met.into_iter().collect();
        if let [language] = met.as_slice() {
            plan.ready(*language);
        } else {
            let all = workers.map(
                &met,
                &Control::new(),
                stack::assume_big_stack,
                |_, language| {
                    plan.ready(*language);
                    Ok(None::<()>)
                },
                |_, _| ControlFlow::Continue(()),
            )?;
            tracing::debug!(?all, languages = met.len(), "compiled");
        }
        walk.retain(|file| match language_by_name(file.relative()) {
            Some(language) => plan.ready(language).is_some(),
            None => true,
        });
        Ok(Run {
            plan,
            walk,
            index: None,
            budget: Budget::for_workers(workers.threads),
            workers,
            reading: ReadLimits { max_bytes },
            parsing: limits.parsing(max_bytes),
            named,
            files,
            searched: AtomicUsize::new(0),
            parsed: AtomicUsize::new(0),
            with_errors: AtomicUsize::new(0),
            given_up: AtomicUsize::new(0),
        })
    }

    /// The same with an index that may know that a file holds no match.
    pub(crate) fn with_index(mut self, index: Option<Arc<Index>>) -> Run {
        self.index = index;
        self
    }

    /// Refuses a request that is usable nowhere, see [`Plan::check`]. Files whose language only
    /// their first line tells may still come.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.plan.check(&self.files)
    }

    /// Refuses a request that found nothing and is no code in the languages that most files are
    /// of, see [`Plan::check_nothing_found`].
    pub(crate) fn check_nothing_found(&self) -> Result<(), Error> {
        self.plan.check_nothing_found(&self.files)
    }

    /// The files, sorted.
    pub(crate) fn files(&self) -> &[Admitted] {
        self.walk.files()
    }

    /// What a thread keeps between files.
    fn worker<'c>(&self, control: &'c Control) -> Worker<'c> {
        Worker {
            parser: Parser::new(self.parsing),
            control,
            _stack: stack::assume_big_stack(),
        }
    }

    /// Searches every file in parallel. `work` sees each file with matches on a worker thread;
    /// `sink` gets what it made of it in path order on the calling thread.
    pub(crate) fn search<T: Send>(
        &self,
        control: &Control,
        work: impl Fn(Hit<'_>) -> Option<T> + Sync,
        mut sink: impl FnMut(&Admitted, T) -> ControlFlow<()>,
    ) -> Result<Done, Error> {
        let mut unparsed: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
        let mapped = self.walk.map(
            control,
            || self.worker(control),
            |worker, file| self.visit(worker, file, &work),
            |file, outcome| match outcome {
                Outcome::Value(value) => sink(file, value),
                Outcome::Unparsed(reason) => {
                    let (count, examples) = unparsed.entry(reason).or_default();
                    *count += 1;
                    if examples.len() < EXAMPLES {
                        examples.push(file.to_string());
                    }
                    ControlFlow::Continue(())
                }
            },
        )?;
        let mut skipped = skipped(&mapped.tally);
        skipped.extend(
            unparsed
                .into_iter()
                .map(|(reason, (files, examples))| SkippedFiles {
                    reason,
                    files,
                    examples,
                }),
        );
        self.check()?;
        Ok(Done {
            ended: mapped.ended,
            skipped,
        })
    }

    fn visit<T>(
        &self,
        worker: &mut Worker<'_>,
        file: &Admitted,
        work: &impl Fn(Hit<'_>) -> Option<T>,
    ) -> Result<Option<Outcome<T>>, Skipped> {
        let Some(opened) = self.open(file)? else {
            return Ok(None);
        };
        let Opened {
            language,
            ready,
            text,
        } = opened;
        self.searched.fetch_add(1, Ordering::Relaxed);
        if !ready.searcher.may_match(text.as_bytes()) || self.denies(file, ready, &text) {
            return Ok(None);
        }
        let _share = self.budget.take(text.len());
        let tree = match worker.parse(language, &text) {
            Ok(tree) => tree,
            // The run ends, and says so.
            Err(fourfold_syntax::Error::Cancelled) => return Ok(None),
            Err(error) => return Ok(Some(Outcome::Unparsed(reason(&error)))),
        };
        self.parsed.fetch_add(1, Ordering::Relaxed);
        if tree.root_node().has_error() {
            self.with_errors.fetch_add(1, Ordering::Relaxed);
        }
        let found = ready.searcher.run(&text, &tree);
        self.given_up.fetch_add(found.given_up, Ordering::Relaxed);
        if found.matches.is_empty() {
            return Ok(None);
        }
        Ok(work(Hit {
            file,
            language,
            ready,
            text,
            tree: &tree,
            found,
        })
        .map(Outcome::Value))
    }

    /// Whether the index knows this very text and that no match can be in it.
    fn denies(&self, file: &Admitted, ready: &Ready, text: &str) -> bool {
        let summary = self.index.as_ref().and_then(|index| {
            index.summary_of(&file.to_string(), ContentHash::of(text.as_bytes()))
        });
        summary.is_some_and(|known| !ready.searcher.may_match_file(text.as_bytes(), &known))
    }

    /// Reads a file of a usable language; none when it is of no language, or not of that one.
    fn open(&self, file: &Admitted) -> Result<Option<Opened<'_>>, Skipped> {
        let text = read_text(file, &self.reading)?.text;
        let Some(language) = self.language_of(file, &text) else {
            return match self.named.contains(file.relative()) {
                true => Err(Skipped::NotWanted),
                false => Ok(None),
            };
        };
        Ok(self.plan.ready(language).map(|ready| Opened {
            language,
            ready,
            text,
        }))
    }

    /// The language of a file: by its name, else by its first line; else the one that was asked
    /// for, if the file was named.
    fn language_of(&self, file: &Admitted, text: &str) -> Option<Language> {
        let path = file.relative();
        if let Some(language) = language_by_name(path) {
            return Some(language);
        }
        if text.starts_with("#!")
            && let Some(language) = Language::of_shebang(text.lines().next().unwrap_or_default())
        {
            return self.plan.wants(language).then_some(language);
        }
        match self.plan.languages() {
            [only] if self.named.contains(path) => Some(*only),
            _ => None,
        }
    }

    /// Works on chosen files again, whether something was found in them or not; results in the
    /// order of `files`. What cannot be read or parsed is passed over: the search has counted it.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when it was.
    pub(crate) fn revisit<T: Send>(
        &self,
        files: &[&Admitted],
        control: &Control,
        work: impl Fn(&mut Worker<'_>, Opened<'_>) -> Option<T> + Sync,
        mut sink: impl FnMut(usize, T),
    ) -> Result<(), Error> {
        let indices: Vec<usize> = (0..files.len()).collect();
        let ended = self.workers.map(
            &indices,
            control,
            || self.worker(control),
            |worker, &at| {
                Ok(self
                    .open(files[at])?
                    .and_then(|opened| work(worker, opened)))
            },
            |&at, outcome| {
                if let Ok(value) = outcome {
                    sink(at, value);
                }
                ControlFlow::Continue(())
            },
        )?;
        match ended {
            Ended::Cancelled => Err(Error::Cancelled),
            Ended::Complete | Ended::Enough => Ok(()),
        }
    }

    /// The counts of a run that has ended, without its matches.
    pub(crate) fn summary(&self, done: Done) -> GrepSummary {
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        GrepSummary {
            files_searched: count(&self.searched),
            files_parsed: count(&self.parsed),
            files_with_errors: count(&self.with_errors),
            given_up: count(&self.given_up),
            skipped: done.skipped,
            languages_skipped: self.languages_skipped(),
            incomplete: done.ended != Ended::Complete,
            ..GrepSummary::default()
        }
    }

    fn languages_skipped(&self) -> Vec<LanguageSkipped> {
        self.plan
            .compiled()
            .filter_map(|(language, outcome)| {
                let obstacle = outcome.err()?;
                Some(LanguageSkipped {
                    language: language.id(),
                    files: self.files.get(&language).copied().unwrap_or_default(),
                    part: obstacle.part(),
                    why: obstacle.short(),
                })
            })
            .collect()
    }
}

/// How many files each language has, by their names.
pub(crate) fn by_language(walk: &Walk) -> BTreeMap<Language, usize> {
    let mut files: BTreeMap<Language, usize> = BTreeMap::new();
    for file in walk.files() {
        if let Some(language) = language_by_name(file.relative()) {
            *files.entry(language).or_default() += 1;
        }
    }
    files
}

/// The language of a file by its name, which need not be UTF-8 for that.
fn language_by_name(path: &Path) -> Option<Language> {
    match path.file_name()?.to_string_lossy() {
        Cow::Borrowed(_) => Language::of_path(path),
        Cow::Owned(name) => Language::of_path(Path::new(&name)),
    }
}

/// The reason of a parse that failed, without what differs from file to file.
fn reason(error: &fourfold_syntax::Error) -> String {
    use fourfold_syntax::Error::{BeyondGrammar, TooLarge, TooSlow};
    match error {
        TooLarge { limit, .. } => format!("too large to parse (>{limit} bytes)"),
        TooSlow { limit_ms } => format!("too slow to parse (>{limit_ms} ms)"),
        BeyondGrammar { language, reason } => {
            format!("beyond what the {language} grammar can take: {reason}")
        }
        other => other.to_string(),
    }
}

fn skipped(tally: &Tally) -> Vec<SkippedFiles> {
    tally
        .iter()
        .map(|(kind, files, examples)| SkippedFiles {
            reason: kind.to_string(),
            files,
            examples: examples
                .iter()
                .map(|path| path.to_string_lossy().into_owned())
                .collect(),
        })
        .collect()
}
