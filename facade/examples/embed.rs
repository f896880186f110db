//! A host that searches, stages a rewrite, shows the diff and commits it.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::ops::ControlFlow;

use fourfold::{Control, GrepRequest, Host, HostConfig, ResolveRequest, RewriteRequest};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    fs::write(
        folder.path().join("shop.py"),
        "def total(price, tax):\n    return add(price, tax)\n\nprint(add(1, add(2, 3)))\n",
    )?;
    fs::write(
        folder.path().join("shop.js"),
        "const total = (price, tax) => add(price, /* in percent */ tax);\nshow(add(1, 2));\n",
    )?;
    let mut out = io::stdout().lock();

    let host = Host::new(HostConfig::default());
    let checkout = host.checkout(folder.path())?;
    for commit in &checkout.recovery().commits {
        writeln!(out, "recovered {}: {}", commit.id, commit.outcome)?;
    }

    // Each file as soon as its turn has come.
    let request = GrepRequest::pattern("add($A, $B)");
    let mut failed = None;
    let summary = checkout.grep_each(&request, &Control::new(), &mut |file| {
        for found in &file.matches {
            let (line, column) = (found.start.line, found.start.column);
            let written = writeln!(out, "{}:{line}:{column}: {}", file.path, found.text);
            if let Err(error) = written {
                failed = Some(error);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    writeln!(
        out,
        "{} matches in {} files\n",
        summary.matches, summary.files_matched
    )?;

    let conversation = checkout.conversation("example");
    let request = RewriteRequest::new("add($A, $B)", "$A + $B");
    let staged = conversation.rewrite(&request, &Control::new())?;
    for refused in &staged.refused_sites {
        writeln!(out, "left out: {} {}", refused.what, refused.why)?;
    }
    writeln!(out, "{}", staged.diff)?;

    if let Some(id) = staged.stage {
        let mut request = ResolveRequest::apply(id);
        request.except = vec!["shop.py:4".to_owned()];
        let applied = conversation.resolve(&request)?;
        writeln!(out, "written: {}", applied.files.join(", "))?;
    }
    write!(
        out,
        "{}",
        fs::read_to_string(folder.path().join("shop.py"))?
    )?;
    Ok(())
}
