//! Results as compact text for a model: errors and what was left out first told, then the rest.

use std::fmt::Write as _;

use crate::plain::OneLine;
use crate::result::{
    CaptureText, EvictedStage, Explanation, GrepResult, GrepSummary, MatchInfo, ReadingCount,
    Refused, ResolveResult, RewriteResult, StagedResult,
};

/// Lists longer than this are cut in the text; the structured value has them all.
const SHOWN: usize = 20;

pub(crate) fn grep(result: &GrepResult) -> String {
    let mut out = headline(&result.summary);
    let mut language = "";
    for file in &result.files {
        let _ = write!(out, "{}", OneLine(&file.path));
        if file.matches.len() < file.count {
            let _ = write!(out, ": {}", count(file.count, "match"));
        }
        if file.language != language {
            language = file.language;
            line(&mut out, format_args!("  ({language})"));
        } else {
            out.push('\n');
        }
        for found in &file.matches {
            line(&mut out, format_args!("  {}", one_match(found)));
        }
    }
    if let Some(left) = &result.summary.left_out {
        line(
            &mut out,
            format_args!(
                "{} more; give offset={} to see them",
                count(left.matches, "match"),
                left.next_offset
            ),
        );
    }
    notices(&mut out, &result.summary);
    out
}

fn headline(summary: &GrepSummary) -> String {
    let mut out = format!(
        "{} in {} ({} searched)\n",
        count(summary.matches, "match"),
        count(summary.files_matched, "file"),
        summary.files_searched
    );
    let further = summary.readings.iter().any(|reading| !reading.primary);
    if further {
        for reading in &summary.readings {
            let which = if reading.primary {
                "primary"
            } else {
                "further"
            };
            line(&mut out, format_args!("  {which} {}", said(reading)));
        }
    }
    out
}

fn said(reading: &ReadingCount) -> String {
    let rung = reading.rung.unwrap_or("query");
    format!(
        "reading in {}: {rung} ({}), {}",
        reading.language,
        reading.kind,
        count(reading.matches, "match")
    )
}

fn one_match(found: &MatchInfo) -> String {
    let mut out = format!(
        "{}:{} {}",
        found.start.line,
        found.start.column,
        first_lines(&found.text)
    );
    if found.further {
        let _ = write!(out, "  [as {}]", found.rung.unwrap_or_default());
    }
    let mut captures = Vec::new();
    for (name, capture) in &found.captures {
        captures.push(match capture {
            CaptureText::One(text) => format!("${name} = {}", one_line(text)),
            CaptureText::Many(items) => {
                let items: Vec<String> = items.iter().map(|item| one_line(item)).collect();
                format!("$$${name} = [{}]", items.join(" | "))
            }
        });
    }
    if !captures.is_empty() {
        let _ = write!(out, "  {}", captures.join(", "));
    }
    out
}

/// What was left out, skipped or given up.
fn notices(out: &mut String, summary: &GrepSummary) {
    if summary.given_up > 0 {
        line(
            out,
            format_args!(
                "notice: {} given up at the step bound and may be matches",
                count(summary.given_up, "candidate")
            ),
        );
    }
    if summary.files_with_errors > 0 {
        line(
            out,
            format_args!(
                "notice: {} with syntax errors; what stands in or near them may not have been found",
                count(summary.files_with_errors, "file")
            ),
        );
    }
    for skipped in &summary.skipped {
        line(
            out,
            format_args!(
                "skipped: {} {}: {}",
                count(skipped.files, "file"),
                skipped.reason,
                listed(&skipped.examples, SHOWN, 0)
            ),
        );
    }
    for sentence in summary.not_searched().iter().chain(&summary.unmet) {
        line(out, format_args!("{sentence}"));
    }
    if let Some(hint) = &summary.hint {
        line(out, format_args!("hint: {hint}"));
    }
    if !summary.absent_words.is_empty() {
        let words = summary.absent_words.iter().map(|word| {
            let near = summary.near_words.get(word);
            near.map_or_else(
                || format!("`{word}`"),
                |near| format!("`{word}` (the nearest is `{near}`)"),
            )
        });
        let words: Vec<String> = words.collect();
        line(
            out,
            format_args!("in no searched file: {}", words.join(", ")),
        );
    }
    for miss in &summary.near_misses {
        line(
            out,
            format_args!(
                "near miss: {}:{}:{} {}: {}",
                OneLine(&miss.path),
                miss.start.line,
                miss.start.column,
                one_line(&miss.text),
                miss.reason
            ),
        );
    }
}

pub(crate) fn rewrite(result: &RewriteResult) -> String {
    let mut out = String::new();
    match &result.stage {
        Some(id) => line(
            &mut out,
            format_args!(
                "stage {id}: {} in {}; nothing is changed yet: resolve it with action apply or discard",
                count(result.site_count, "site"),
                count(result.files.len(), "file")
            ),
        ),
        None => line(
            &mut out,
            format_args!(
                "nothing to change: {} in {} ({} searched)",
                count(result.summary.matches, "match"),
                count(result.summary.files_matched, "file"),
                result.summary.files_searched
            ),
        ),
    }
    match &result.template_breaks {
        Some(sentence) => line(&mut out, format_args!("{sentence}")),
        None => refusals(&mut out, "file left out", &result.refused_files),
    }
    refusals(&mut out, "site left out", &result.refused_sites);
    refusals(&mut out, "forced", &result.forced_files);
    for (what, names) in [
        ("left out because they cross another site", &result.crossing),
        ("inside a site whose template drops them", &result.unreached),
        ("come out as they are", &result.unchanged),
        ("excluded", &result.excluded),
    ] {
        if !names.is_empty() {
            line(
                &mut out,
                format_args!("{what}: {}", listed(names, SHOWN, 0)),
            );
        }
    }
    for reading in &result.other_readings {
        let rung = reading.rung.unwrap_or_default();
        line(
            &mut out,
            format_args!(
                "not rewritten: the {}; give as={rung} for those",
                said(reading)
            ),
        );
    }
    evictions(&mut out, &result.evicted);
    for file in &result.files {
        line(
            &mut out,
            format_args!("{}  {}", OneLine(&file.path), count(file.sites, "site")),
        );
    }
    for site in result.sites.iter().filter(|site| !site.losses.is_empty()) {
        line(
            &mut out,
            format_args!("{} drops {}", site.id, site.losses.join(", ")),
        );
    }
    for site in result
        .sites
        .iter()
        .filter(|site| !site.regrouped.is_empty())
    {
        line(
            &mut out,
            format_args!(
                "{} regroups {}: look at it",
                site.id,
                quoted(&site.regrouped)
            ),
        );
    }
    notices(&mut out, &result.summary);
    out.push_str(&result.diff);
    out
}

pub(crate) fn resolve(result: &ResolveResult) -> String {
    let mut out = String::new();
    let verb = if result.applied {
        "applied"
    } else {
        "discarded"
    };
    let selection = match &result.selection {
        Some(_) => " in part",
        None => "",
    };
    let files = count(result.files.len(), "file");
    let what = match result.sites {
        // What a server proposed has none.
        0 => files,
        sites => format!("{} in {files}", count(sites, "site")),
    };
    line(
        &mut out,
        format_args!("{verb} stage {}{selection}: {what}", result.id),
    );
    if result.applied {
        line(
            &mut out,
            format_args!("written: {}", listed(&result.files, SHOWN, 0)),
        );
    }
    if let Some(rest) = &result.rest {
        line(
            &mut out,
            format_args!(
                "left out and staged as {}: {} in {}",
                rest.stage,
                count(rest.sites, "site"),
                listed(&rest.files, SHOWN, 0)
            ),
        );
    }
    for notice in &result.notices {
        line(&mut out, format_args!("notice: {}", OneLine(notice)));
    }
    if let Some(verdict) = &result.verdict {
        out.push_str(&verdict.to_string());
    }
    out
}

pub(crate) fn staged(result: &StagedResult) -> String {
    let mut out = String::new();
    if result.stages.is_empty() {
        out.push_str("nothing is staged\n");
    }
    for stage in &result.stages {
        let place = if stage.kept {
            "on disk"
        } else {
            "in this conversation"
        };
        if let Some(why) = &stage.damaged {
            line(
                &mut out,
                format_args!("{}  damaged ({why}); discard it", stage.id),
            );
            continue;
        }
        line(
            &mut out,
            format_args!(
                "{}  {}, {place}: {}{}",
                stage.id,
                stage.age,
                match stage.description {
                    // Its sites are not told apart.
                    Some(_) => String::new(),
                    None => format!("{} in ", count(stage.sites, "site")),
                },
                count(stage.files.len(), "file")
            ),
        );
        if let (Some(pattern), Some(template)) = (&stage.pattern, &stage.template) {
            line(
                &mut out,
                format_args!("  `{}` by `{}`", one_line(pattern), one_line(template)),
            );
        }
        if let Some(what) = &stage.description {
            line(&mut out, format_args!("  {}", one_line(what)));
        }
        line(
            &mut out,
            format_args!("  {}", listed(&stage.files, SHOWN, 0)),
        );
    }
    evictions(&mut out, &result.evicted);
    out
}

pub(crate) fn explain(result: &Explanation) -> String {
    let mut out = String::new();
    for language in &result.languages {
        if let Some(why) = &language.unusable {
            line(&mut out, format_args!("{}: {why}", language.language));
            continue;
        }
        for (index, reading) in language.readings.iter().enumerate() {
            let which = if index == 0 { "primary" } else { "further" };
            line(
                &mut out,
                format_args!(
                    "{}: {which} reading as {} ({})",
                    language.language, reading.rung, reading.kind
                ),
            );
            for row in reading.tree.lines() {
                line(&mut out, format_args!("  {row}"));
            }
            if !reading.required_text.is_empty() {
                line(
                    &mut out,
                    format_args!("  every match contains {}", quoted(&reading.required_text)),
                );
            }
        }
    }
    out.push_str(&headline(&result.summary));
    notices(&mut out, &result.summary);
    out
}

fn refusals(out: &mut String, what: &str, all: &[Refused]) {
    for one in all.iter().take(SHOWN) {
        line(
            out,
            format_args!("{what}: {}: {}", OneLine(&one.what), OneLine(&one.why)),
        );
    }
    if all.len() > SHOWN {
        line(out, format_args!("{what}: {} more", all.len() - SHOWN));
    }
}

fn evictions(out: &mut String, evicted: &[EvictedStage]) {
    for one in evicted {
        line(out, format_args!("stage {} is gone: {}", one.id, one.why));
    }
}

/// A number with its noun.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = match (number, noun) {
        (1, _) => "",
        (_, "match") => "es",
        _ => "s",
    };
    format!("{number} {noun}{plural}")
}

/// The first `most` names, and how many more there are; `beside` are more that are not at hand.
pub(crate) fn listed(names: &[impl AsRef<str>], most: usize, beside: usize) -> String {
    let shown = names.iter().take(most);
    let shown: Vec<String> = shown.map(|one| OneLine(one.as_ref()).to_string()).collect();
    let shown = shown.join(", ");
    match names.len().saturating_sub(most) + beside {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn quoted(texts: &[String]) -> String {
    let quoted: Vec<String> = texts
        .iter()
        .map(|text| format!("`{}`", one_line(text)))
        .collect();
    quoted.join(", ")
}

/// The first line, marked when there are more.
fn one_line(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    match lines.next() {
        Some(_) => format!("{first} …"),
        None => first.to_owned(),
    }
}

/// The lines of a match, those after the first set in.
fn first_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\n      ")
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{text}");
}
