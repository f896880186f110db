//! What holds for any message: used by the fuzz target, and by the tests for the committed corpus.

use fourfold_ledger::{Normalize, Positions};

/// The comparable form is that of itself, and something is left of every message.
pub(crate) fn normal_form(message: &str) {
    for root in ["", "/r"] {
        let rules = Positions { root: root.into() };
        let once = rules.normalize("any", message).into_owned();
        assert_eq!(rules.normalize("any", &once), once.as_str());
        let cut_to_nothing = !root.is_empty() && message.contains("/r/");
        assert!(message.is_empty() || cut_to_nothing || !once.is_empty());
    }
}
