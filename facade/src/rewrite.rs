//! `ast_edit`: find the sites, rewrite each file in memory, stage the whole.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::SystemTime;

use fourfold_pattern_match::{
    Loss, Match, Pattern, RewriteError, RewriteOptions, Rewritten, Site, Template, rewrite,
};
use fourfold_rewrite_txn::{
    ContentHash, DiffOptions, Edit, Error as StageError, Evicted, Eviction, Stage, Staged,
};
use fourfold_syntax::Language;
use fourfold_worktree::{Admitted, Control, Ended};

use crate::Error;
use crate::conversation::{Conversation, Held};
use crate::grep::{Counts, per_reading};
use crate::lines::Lines;
use crate::nearest;
use crate::notes::Note;
use crate::request::RewriteRequest;
use crate::result::{EvictedStage, Refused, RewriteResult, SiteInfo, StagedFileInfo, excerpt};
use crate::run::Hit;

/// What a worker makes of a file with sites.
struct FileRewrite {
    language: Language,
    hash: ContentHash,
    edits: Vec<Edit>,
    sites: Vec<SiteInfo>,
    refused_sites: Vec<Refused>,
    /// Why the file is left out.
    refused: Option<String>,
    /// What was forced.
    forced: Option<String>,
    crossing: Vec<String>,
    unreached: Vec<String>,
    unchanged: Vec<String>,
    /// Whether it is left out because it would no longer parse.
    is_broken: bool,
    excluded: Vec<String>,
    per_reading: Vec<usize>,
}

impl Conversation {
    /// Stages a rewrite: finds every match of the primary reading (or of the one named by `as`),
    /// rewrites the files in memory and captures them; blocking. Nothing in the checkout is
    /// changed before the stage is [resolved](Conversation::resolve).
    ///
    /// What cannot be rewritten safely is left out and listed with its reason: sites that would
    /// drop something, files that would no longer parse, files that may not be written.
    ///
    /// # Errors
    /// Those of [`Checkout::grep`](crate::Checkout::grep), a template that does not fit the
    /// pattern, a name in `exclude` that is none of a site or file here, a stage over its limit.
    pub fn rewrite(
        &self,
        request: &RewriteRequest,
        control: &Control,
    ) -> Result<RewriteResult, Error> {
        let checkout = self.checkout();
        self.writable("stage a rewrite")?;
        let template = Some(request.template.as_str());
        let run = checkout.run(&request.shape, template, &request.selection, control)?;
        run.check()?;
        let mut excluding = Excluding::new(&request.exclude);
        let max_text = checkout.max_text(request.max_text_bytes);
        let max_sites = request.limit.unwrap_or(checkout.limits().max_results);
        let mut stage = Stage::with_options(checkout.root(), checkout.limits().staging())?;
        let mut result = RewriteResult::default();
        let mut counts = Counts::default();
        let mut nested = BTreeMap::new();
        let mut failed = None;
        let (mut broken_files, mut broken_sites) = (0, 0);
        let work = |hit: Hit<'_>| rewrite_file(&hit, request, &excluding.names, max_text);
        let mut staging = |file: &Admitted, outcome: FileRewrite| -> Result<(), StageError> {
            let path = file.to_string();
            result.summary.matches += outcome.per_reading.iter().sum::<usize>();
            result.summary.files_matched += 1;
            counts.add(outcome.language, &outcome.per_reading);
            excluding.seen.extend(outcome.excluded.iter().cloned());
            result.excluded.extend(outcome.excluded);
            result.crossing.extend(outcome.crossing);
            result.unreached.extend(outcome.unreached);
            result.refused_sites.extend(outcome.refused_sites);
            if outcome.is_broken {
                broken_files += 1;
                broken_sites += outcome.sites.len();
            }
            if let Some(why) = outcome.refused {
                result.refused_files.push(Refused { what: path, why });
                return Ok(());
            }
            result.unchanged.extend(outcome.unchanged);
            if outcome.edits.is_empty() {
                return Ok(());
            }
            match stage.replace_if(file.absolute(), outcome.hash, outcome.edits) {
                Ok(_) => {}
                Err(error @ StageError::TooLarge { .. }) => return Err(error),
                Err(StageError::HardLinked { links, .. }) => {
                    let why = hard_linked(links);
                    result.refused_files.push(Refused { what: path, why });
                    return Ok(());
                }
                Err(error) => {
                    let why = error.to_string();
                    result.refused_files.push(Refused { what: path, why });
                    return Ok(());
                }
            }
            if let Some(why) = outcome.forced {
                let what = path.clone();
                result.forced_files.push(Refused { what, why });
            }
            for site in &outcome.sites {
                if let Some(outer) = &site.inside {
                    nested.insert(site.id.clone(), outer.clone());
                }
            }
            result.site_count += outcome.sites.len();
            result.files.push(StagedFileInfo {
                path,
                language: outcome.language.id(),
                sites: outcome.sites.len(),
            });
            let room = max_sites.saturating_sub(result.sites.len());
            result.sites.extend(outcome.sites.into_iter().take(room));
            Ok(())
        };
        let done = run.search(control, work, |file, outcome| {
            match staging(file, outcome) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        if done.ended == Ended::Cancelled {
            return Err(Error::Cancelled);
        }
        excluding.check()?;
        if result.summary.matches == 0 {
            run.check_nothing_found()?;
        }
        let unmet = match result.summary.matches {
            0 => run.unmet(checkout.tree(), &request.selection, control)?,
            _ => Vec::new(),
        };
        let (matches, files_matched) = (result.summary.matches, result.summary.files_matched);
        result.summary = run.summary(done);
        result.summary.unmet = unmet;
        result.summary.matches = matches;
        result.summary.files_matched = files_matched;
        result.summary.readings = counts.readings(&run.plan);
        result.other_readings = counts.others(&run.plan);
        let only_broken = result.files.is_empty() && broken_files == result.refused_files.len();
        if only_broken && broken_sites > 1 {
            result.template_breaks = Some(template_breaks(&request.template, broken_files));
        }
        result.sites_not_listed = result.site_count - result.sites.len();
        let staged = stage.finish()?;
        if staged.is_empty() {
            return Ok(result);
        }
        let max_diff = request
            .max_diff_bytes
            .unwrap_or(checkout.limits().max_diff_bytes);
        let diff = staged.diff(&DiffOptions::default().max_bytes(max_diff));
        result.diff = diff.to_string();
        let left_out = diff.left_out().iter();
        result.diff_left_out = left_out
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        let note = Note {
            pattern: request.shape.pattern.clone().unwrap_or_default(),
            template: request.template.clone(),
            description: None,
            nested,
        };
        result.stage = Some(staged.id().to_owned());
        result.kept = request.keep;
        result.evicted = self.put(staged, note, request.keep)?;
        Ok(result)
    }

    /// Keeps a stage, on disk or in memory, and says which others had to go for it.
    pub(crate) fn put(
        &self,
        staged: Staged,
        note: Note,
        keep: bool,
    ) -> Result<Vec<EvictedStage>, Error> {
        let checkout = self.checkout();
        if keep {
            let evicted = checkout.store()?.save(&staged)?;
            checkout.notes().write(staged.id(), &note);
            let notes = checkout.notes();
            evicted.iter().for_each(|one| notes.remove(&one.id));
            return Ok(evicted.iter().map(evicted_stage).collect());
        }
        let mut stages = self.inner().stages.lock();
        let most = checkout.limits().max_stages.max(1);
        let surplus = (stages.len() + 1).saturating_sub(most);
        let evicted = stages.drain(..surplus).map(|held| EvictedStage {
            id: held.staged.id().to_owned(),
            why: format!("a conversation holds {most} stages, and it was the oldest"),
        });
        let evicted = evicted.collect();
        stages.push(Held {
            staged,
            note,
            at: SystemTime::now(),
        });
        Ok(evicted)
    }
}

/// An eviction in words.
pub(crate) fn evicted_stage(evicted: &Evicted) -> EvictedStage {
    EvictedStage {
        id: evicted.id.clone(),
        why: match evicted.why {
            Eviction::Expired { age } => {
                format!("it was {} days old", age.as_secs() / (24 * 60 * 60))
            }
            Eviction::TooMany => "too many were kept, and it was the oldest".to_owned(),
            Eviction::TooLarge => {
                "those kept took too many bytes, and it was the oldest".to_owned()
            }
            _ => "the store had no room for it".to_owned(),
        },
    }
}

/// Why a file with several names is left out.
fn hard_linked(links: u64) -> String {
    format!(
        "it has {links} names (hard links), which a replacement would part from one another; make \
         it a file of its own first (copy it, and move the copy over it), or edit it by hand"
    )
}

/// What is said in place of the same reason for each file.
fn template_breaks(template: &str, files: usize) -> String {
    let every = match files {
        1 => "the file".to_owned(),
        _ => format!("each of the {files} files"),
    };
    format!(
        "with the template `{template}`, {every} would have more syntax errors than before: what it \
         makes is no code; correct it, or force it"
    )
}

/// The names of sites and files that are left out.
struct Excluding {
    names: HashSet<String>,
    seen: BTreeSet<String>,
}

impl Excluding {
    fn new(names: &[String]) -> Excluding {
        Excluding {
            names: names.iter().cloned().collect(),
            seen: BTreeSet::new(),
        }
    }

    /// A name that was never met is a slip, and what it meant would be changed.
    fn check(&self) -> Result<(), Error> {
        let unknown = self.names.iter().filter(|name| !self.seen.contains(*name));
        match unknown.min() {
            None => Ok(()),
            Some(name) => Err(Error::usage(format!(
                "nothing was staged, because `exclude` names `{name}`, which is no site or file of \
                 this rewrite{}",
                nearest::hint(name, self.seen.iter().map(String::as_str))
            ))),
        }
    }
}

/// Rewrites one file in memory; none when it has no site of the reading that is used.
fn rewrite_file(
    hit: &Hit<'_>,
    request: &RewriteRequest,
    exclude: &HashSet<String>,
    max_text: usize,
) -> Option<FileRewrite> {
    let pattern = hit.ready.searcher.pattern()?;
    let template = hit.ready.template.as_ref()?;
    let path = hit.file.to_string();
    let mut outcome = FileRewrite {
        language: hit.language,
        hash: ContentHash::of(hit.text.as_bytes()),
        edits: Vec::new(),
        sites: Vec::new(),
        refused_sites: Vec::new(),
        refused: None,
        forced: None,
        crossing: Vec::new(),
        unreached: Vec::new(),
        unchanged: Vec::new(),
        is_broken: false,
        excluded: Vec::new(),
        per_reading: per_reading(&hit.ready.searcher, &hit.found.matches),
    };
    let mut matches: Vec<Match> = hit.found.matches.clone();
    matches.retain(|found| found.reading == 0);
    if exclude.contains(&path) {
        outcome.excluded.push(path);
        return Some(outcome);
    }
    let mut lines = Lines::new(&hit.text);
    let mut named = Vec::with_capacity(matches.len());
    let mut on_line: HashMap<usize, usize> = HashMap::new();
    for found in matches {
        let line = lines.place(found.range.start).line;
        let nth = on_line.entry(line).or_default();
        *nth += 1;
        let id = match *nth {
            1 => format!("{path}:{line}"),
            nth => format!("{path}:{line}#{nth}"),
        };
        if exclude.contains(&id) {
            outcome.excluded.push(id);
        } else {
            named.push((id, found));
        }
    }
    let work = FileWork {
        pattern,
        template,
        hit,
    };
    match work.settle(named, request.allow_loss, &mut outcome.refused_sites) {
        Ok((names, rewritten)) => {
            fill(&mut outcome, &work, &names, &rewritten, &path, max_text);
            work.judge(&mut outcome, &names, &rewritten, request.force);
        }
        Err(error) => outcome.refused = Some(error.to_string()),
    }
    Some(outcome)
}

struct FileWork<'a> {
    pattern: &'a Pattern,
    template: &'a Template,
    hit: &'a Hit<'a>,
}

impl FileWork<'_> {
    fn rewrite(&self, matches: &[Match]) -> Result<Rewritten, RewriteError> {
        // Nothing is refused here: what is lost or broken is told per site and file.
        let everything = RewriteOptions {
            allow_loss: true,
            force_syntax: true,
        };
        let (pattern, template) = (self.pattern, self.template);
        let (text, tree) = (&self.hit.text, self.hit.tree);
        rewrite(pattern, template, text, tree, matches, &everything)
    }

    /// Rewrites; sites that lose something are taken out and refused, unless that is allowed, until
    /// none is left.
    fn settle(
        &self,
        mut named: Vec<(String, Match)>,
        allow_loss: bool,
        refused: &mut Vec<Refused>,
    ) -> Result<(Vec<String>, Rewritten), RewriteError> {
        loop {
            let (names, matches): (Vec<String>, Vec<Match>) = named.into_iter().unzip();
            let rewritten = self.rewrite(&matches)?;
            let lossy: BTreeMap<usize, &Site> = rewritten
                .sites
                .iter()
                .filter(|site| !allow_loss && !site.losses.is_empty())
                .map(|site| (site.matched, site))
                .collect();
            if lossy.is_empty() {
                return Ok((names, rewritten));
            }
            for (at, site) in &lossy {
                let what: Vec<String> = site.losses.iter().map(Loss::to_string).collect();
                refused.push(Refused {
                    what: names[*at].clone(),
                    why: format!(
                        "would drop {}; capture it, name it in the pattern, or allow the loss",
                        what.join(", ")
                    ),
                });
            }
            let rest = names.into_iter().zip(matches).enumerate();
            named = rest
                .filter(|(at, _)| !lossy.contains_key(at))
                .map(|(_, one)| one)
                .collect();
        }
    }

    /// Refuses a file that would no longer parse, or says that it was forced.
    fn judge(
        &self,
        outcome: &mut FileRewrite,
        names: &[String],
        rewritten: &Rewritten,
        force: bool,
    ) {
        let Some(broken) = &rewritten.broken else {
            return;
        };
        const SHOWN: usize = 5;
        let mut culprits: Vec<&str> = broken
            .matches
            .iter()
            .filter_map(|at| Some(names.get(*at)?.as_str()))
            .collect();
        let more = culprits.len().saturating_sub(SHOWN);
        culprits.truncate(SHOWN);
        let mut culprits = culprits.join(", ");
        if more > 0 {
            culprits.push_str(&format!(" and {more} more"));
        }
        let what = format!(
            "has {} syntax errors and would have {}, because of {culprits}",
            broken.before, broken.after
        );
        if force {
            outcome.forced = Some(what);
        } else {
            outcome.is_broken = true;
            outcome.refused = Some(format!(
                "{what}; correct the template, leave those sites out, or force it"
            ));
        }
    }
}

/// Takes over what a rewriting says.
fn fill(
    outcome: &mut FileRewrite,
    work: &FileWork<'_>,
    names: &[String],
    rewritten: &Rewritten,
    path: &str,
    max_text: usize,
) {
    let text = &work.hit.text;
    let name = |at: &usize| names.get(*at).cloned();
    outcome.crossing = rewritten.crossing.iter().filter_map(name).collect();
    outcome.unreached = rewritten.unreached.iter().filter_map(name).collect();
    // The outermost site of each outcome gives it its name.
    let outermost: Vec<&Site> = rewritten
        .sites
        .iter()
        .filter(|site| site.inside.is_none())
        .collect();
    let mut changed: HashSet<usize> = HashSet::new();
    for one in &rewritten.edits {
        let mut change = Edit::new(one.range.clone(), one.replacement.as_bytes());
        let owner = outermost.iter().find(|site| {
            site.range.start < one.range.end.max(one.range.start + 1)
                && one.range.start < site.range.end
        });
        if let Some(site) = owner {
            changed.insert(site.matched);
            change.site = names.get(site.matched).cloned();
        }
        outcome.edits.push(change);
    }
    let around: HashMap<usize, usize> = rewritten
        .sites
        .iter()
        .filter_map(|site| Some((site.matched, site.inside?)))
        .collect();
    let outermost_of = |mut at: usize| {
        while let Some(outer) = around.get(&at) {
            at = *outer;
        }
        at
    };
    let mut lines = Lines::new(text);
    for site in &rewritten.sites {
        let outer = outermost_of(site.matched);
        let Some(id) = names.get(site.matched) else {
            continue;
        };
        if !changed.contains(&outer) {
            outcome.unchanged.push(id.clone());
            continue;
        }
        let mut cut = false;
        outcome.sites.push(SiteInfo {
            id: id.clone(),
            path: path.to_owned(),
            start: lines.place(site.range.start),
            end: lines.end(site.range.end),
            before: excerpt(text, &site.range, max_text, &mut cut),
            after: crate::result::capped(&site.replacement, max_text, &mut cut),
            losses: site.losses.iter().map(Loss::to_string).collect(),
            inside: (outer != site.matched)
                .then(|| names.get(outer).cloned())
                .flatten(),
            regrouped: site
                .regrouped
                .iter()
                .map(|range| excerpt(text, range, max_text, &mut cut))
                .collect(),
        });
    }
}
