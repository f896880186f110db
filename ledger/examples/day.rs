//! A few writes to one file, and what the agent hears: `cargo run -p fourfold-ledger --example day`.

use fourfold_ledger::{Config, Evidence, Finding, Ledger, Severity, Shown, Slot};

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() {
    let unused = |line| Finding::new(Severity::Warning, "unused variable: `x`", line);
    let types = |line| Finding::new(Severity::Error, "mismatched types", line).with_code("E0308");
    let brace = Finding::new(Severity::Error, "unclosed delimiter", 40).as_syntax();

    let mut ledger = Ledger::new(Config::default());
    let slot = Slot::new("rust-analyzer", "src/lib.rs");
    ledger.baseline(&slot, &[unused(3)]);

    let writes = [
        ("inserts four lines", Evidence::Complete, vec![unused(7)]),
        (
            "breaks a call",
            Evidence::Complete,
            vec![unused(7), types(9)],
        ),
        (
            "breaks a second one",
            Evidence::Complete,
            vec![unused(7), types(9), types(12)],
        ),
        ("loses a brace", Evidence::Complete, vec![brace]),
        ("closes it, server busy", Evidence::Partial, vec![]),
        (
            "repairs the first call",
            Evidence::Complete,
            vec![unused(7), types(12)],
        ),
    ];
    for (what, evidence, set) in writes {
        let delta = ledger.observe(&slot, evidence, &set);
        println!(
            "{what}: {} remain, {} of them not seen",
            delta.remaining.total(),
            delta.unconfirmed
        );
        for item in &delta.fresh {
            println!(
                "  new: {} in line {}",
                item.finding.message, item.finding.line
            );
        }
        for gone in &delta.resolved {
            println!("  fixed: {} x{}", gone.message, gone.count);
        }
        ledger.acknowledge(delta, Shown::All);
    }
}
