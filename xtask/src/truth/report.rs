//! The tables that a person reads.

use super::corpora::KNOWN;
use super::edges::Kind;
use super::pycg::Micro;
use super::score::{Counts, Score};

/// What one program scored on one corpus.
pub(crate) struct Row {
    pub(crate) corpus: String,
    pub(crate) program: String,
    pub(crate) scores: Vec<(Kind, Score)>,
}

/// One table a kind: corpora down, the splits across; below each the tiers.
pub(crate) fn tables(rows: &[Row]) -> String {
    let mut text = String::new();
    for kind in Kind::ALL {
        let scores: Vec<_> = rows
            .iter()
            .filter_map(|row| Some((row, row.score(kind)?)))
            .collect();
        // A program that knows nothing of a kind has no line in its table.
        let scores: Vec<_> = scores
            .into_iter()
            .filter(|(_, s)| s.from_tool > 0)
            .collect();
        if scores.is_empty() {
            continue;
        }
        text += &format!(
            "\n{:<22} {:<10} {:>9} {:>8}   {:>5} {:>5} {:>5}   {:^17}   {:^17}\n",
            kind.name(),
            "program",
            "reference",
            "reported",
            "P",
            "R",
            "F1",
            "same file P R F1",
            "cross file P R F1",
        );
        for (row, score) in &scores {
            text += &format!(
                "{:<22} {:<10} {:>9} {:>8}   {}   {}   {}\n",
                row.corpus,
                row.program,
                score.in_reference,
                score.from_tool,
                three(&score.all),
                three(&score.same_file),
                three(&score.cross_file),
            );
        }
        for (row, score) in &scores {
            text += &tiers(row, score);
        }
    }
    text
}

/// The precision of each tier; a program that says no tier, or more than are tiers, has no line.
fn tiers(row: &Row, score: &Score) -> String {
    if score.tiers.len() < 2 || score.tiers.len() > 8 {
        return String::new();
    }
    let tiers: Vec<_> = score
        .tiers
        .iter()
        .map(|(tier, counts)| {
            format!(
                "{tier} {:.3} ({})",
                counts.precision(),
                counts.right + counts.wrong
            )
        })
        .collect();
    format!(
        "  precision by tier, {} {}: {}\n",
        row.corpus,
        row.program,
        tiers.join(", ")
    )
}

fn three(counts: &Counts) -> String {
    format!(
        "{:.3} {:.3} {:.3}",
        counts.precision(),
        counts.recall(),
        counts.f1()
    )
}

/// The precision of calls of which we say that we know or infer them: of what is shown unasked.
const PRECISION: f64 = 0.95;

/// What our program has lost, one line each: calls below a corpus' bar, or wrong too often.
pub(crate) fn below(rows: &[Row]) -> Vec<String> {
    let mut lost = Vec::new();
    for row in rows {
        let known = KNOWN.iter().find(|known| known.name == row.corpus);
        let (Some(known), Some(score)) = (known, row.score(Kind::Call)) else {
            continue;
        };
        let f1 = score.all.f1();
        if f1 < known.bar {
            lost.push(format!(
                "{}: F1 {f1:.3}, the bar is {}",
                row.corpus, known.bar
            ));
        }
        let precision = score.precision_of(&["exact", "typed", "inferred"]);
        if precision < PRECISION {
            lost.push(format!(
                "{}: precision {precision:.3} of what is shown unasked, the bar is {PRECISION}",
                row.corpus
            ));
        }
    }
    lost
}

/// The table of the micro-benchmark.
pub(crate) fn micro(micro: &Micro) -> String {
    let mut text = format!("{:<14}     P     R    F1   right wrong missed\n", "group");
    let groups = micro
        .groups
        .iter()
        .map(|(name, counts)| (name.as_str(), counts));
    for (name, counts) in groups.chain([("all", &micro.all)]) {
        text += &format!(
            "{name:<14} {}   {:>5} {:>5} {:>6}\n",
            three(counts),
            counts.right,
            counts.wrong,
            counts.missed
        );
    }
    let (whole, all) = micro.whole;
    text + &format!("{whole} of {all} programs without a wrong or a missed edge\n")
}

impl Row {
    fn score(&self, kind: Kind) -> Option<&Score> {
        self.scores
            .iter()
            .find(|(of, _)| *of == kind)
            .map(|(_, score)| score)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let scores = self
            .scores
            .iter()
            .map(|(kind, score)| (kind.name(), score.json()));
        let scores: serde_json::Map<_, _> = scores
            .map(|(kind, score)| (kind.to_owned(), score))
            .collect();
        serde_json::json!({ "corpus": self.corpus, "program": self.program, "scores": scores })
    }

    /// Some wrong and missed edges of each kind, evenly spread over all.
    pub(crate) fn examples(&self, number: usize) -> String {
        let mut text = String::new();
        for (kind, score) in &self.scores {
            for (title, edges) in [("wrong", &score.wrong), ("missed", &score.missed)] {
                if score.from_tool == 0 || edges.is_empty() {
                    continue;
                }
                text += &format!("-- {} {} {title}\n", self.corpus, kind.name());
                let step = edges.len().div_ceil(number.max(1));
                for edge in edges.iter().step_by(step) {
                    text += &format!("  {edge}\n");
                }
            }
        }
        text
    }
}
