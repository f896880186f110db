//! What comes after the event that it belongs to: the exit code, and what the program has printed.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::inner::Inner;

/// How long the exit code, and what the program prints past its adapter, are waited for.
pub(super) const LATE: Duration = Duration::from_millis(300);

/// How long the adapter's mark behind the program's output may take: it is on its way.
const MARKED: Duration = Duration::from_secs(5);

/// What the adapter is to print behind the program's output.
const MARK: &str = "\u{1e}end of output\u{1e}";

impl Inner {
    /// The exit code comes before or after the end, or never; so does the last output.
    pub(super) async fn late_words(&self, changed: &mut watch::Receiver<u64>) {
        self.whole_output().await;
        let deadline = Instant::now() + LATE;
        while self.moment.lock().code.is_none() {
            if timeout_at(deadline, changed.changed()).await.is_err() {
                return;
            }
        }
        // What the program prints on the adapter's own output is on another way, and may be behind.
        while self.adapter.output_on_stdout
            && matches!(timeout_at(deadline, changed.changed()).await, Ok(Ok(())))
        {}
    }

    /// Waits until all that the program has printed so far is here, where the adapter can be made to
    /// mark the place in its output.
    pub(super) async fn whole_output(&self) {
        let Some(command) = self.adapter.marks_output.as_ref() else {
            return;
        };
        if self.is_leaving() {
            return;
        }
        let mut marks = self.marks.subscribe();
        let arguments = json!({
            "expression": command.replace("{mark}", MARK),
            "context": "repl",
        });
        let deadline = Instant::now() + MARKED;
        if self.ask(0, "evaluate", arguments, MARKED).await.is_ok()
            && timeout_at(deadline, marks.changed()).await.is_err()
        {
            tracing::warn!(adapter = self.adapter.id, "no mark behind the output");
        }
    }
}

/// The program's output without the marks, and whether there were any.
pub(super) fn unmarked(words: &str) -> (Cow<'_, str>, bool) {
    if !words.contains(MARK) {
        return (Cow::Borrowed(words), false);
    }
    // The line end behind a mark is the mark's.
    let words = words.replace(&format!("{MARK}\n"), "").replace(MARK, "");
    (Cow::Owned(words), true)
}

#[cfg(test)]
mod tests {
    use super::{MARK, unmarked};

    #[test]
    fn a_mark_is_no_output_of_the_program() {
        assert_eq!(unmarked("read 8\n"), ("read 8\n".into(), false));
        assert_eq!(unmarked(&format!("{MARK}\n")), ("".into(), true));
        assert_eq!(
            unmarked(&format!("a question? {MARK}\nmore\n")),
            ("a question? more\n".into(), true)
        );
    }
}
