//! How a pattern is read in each language, and what nearly matches it.

use std::ops::ControlFlow;

use fourfold_pattern_match::{Pattern, Refusal};
use fourfold_syntax::Language;
use fourfold_worktree::Control;

use crate::Error;
use crate::checkout::Checkout;
use crate::error::Obstacle;
use crate::misses;
use crate::plan::Ready;
use crate::request::{ExplainRequest, GrepRequest};
use crate::result::{Explanation, LanguageExplanation, ReadingInfo, RefusalInfo};

/// Near misses unless said otherwise.
const NEAR_MISSES: usize = 5;

impl Checkout {
    /// Tells for each language asked for or met how the pattern is read, and when nothing matches,
    /// what comes nearest and why it is no match; blocking. A pattern that is no code of a language
    /// is no error here but part of the answer.
    ///
    /// # Errors
    /// A path, glob or language that cannot be used; [`Error::Cancelled`].
    pub fn explain(
        &self,
        request: &ExplainRequest,
        control: &Control,
    ) -> Result<Explanation, Error> {
        let run = self.run(&request.shape, None, &request.selection, control)?;
        let languages: Vec<LanguageExplanation> = run
            .plan
            .compiled()
            .map(|(language, outcome)| explain(language, outcome))
            .collect();
        if run.check().is_err() {
            return Ok(Explanation {
                languages,
                ..Explanation::default()
            });
        }
        let counting = GrepRequest {
            count_only: true,
            ..GrepRequest::default()
        };
        let mut summary =
            self.grep_run(&run, &counting, control, &mut |_| ControlFlow::Continue(()))?;
        if summary.incomplete {
            return Err(Error::Cancelled);
        }
        if summary.matches == 0 {
            summary.unmet = run.unmet(self.tree(), &request.selection, control)?;
            let limit = request.near_misses.unwrap_or(NEAR_MISSES);
            misses::fill(&run, limit, self.max_text(None), control, &mut summary)?;
        }
        Ok(Explanation { languages, summary })
    }
}

fn explain(language: Language, outcome: Result<&Ready, &Obstacle>) -> LanguageExplanation {
    let pattern = outcome.ok().and_then(|ready| ready.searcher.pattern());
    let refusals = match outcome {
        Ok(_) => pattern.map(Pattern::refusals),
        Err(Obstacle::Pattern(unparsable)) => Some(unparsable.refusals.as_slice()),
        Err(_) => None,
    };
    let readings = pattern.map(Pattern::readings).unwrap_or_default();
    LanguageExplanation {
        language: language.id(),
        readings: readings
            .iter()
            .map(|reading| ReadingInfo {
                rung: reading.rung().name(),
                kind: reading.kind(),
                tree: reading.tree().to_owned(),
                required_text: reading.required_text(),
            })
            .collect(),
        refusals: refusals.unwrap_or_default().iter().map(refusal).collect(),
        unusable: outcome.err().map(ToString::to_string),
    }
}

fn refusal(refusal: &Refusal) -> RefusalInfo {
    RefusalInfo {
        rung: refusal.rung.name(),
        at: refusal.at,
        token: refusal.token.clone(),
        why: refusal.why.to_owned(),
    }
}
