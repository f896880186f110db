//! `fourfold languages`: what can be searched.

use std::io::Write as _;

use anyhow::Result;

use crate::Outcome;
use crate::json::Object;
use crate::session::Session;
use crate::style::Paint;

pub(crate) fn run(session: &mut Session) -> Result<Outcome> {
    let languages = fourfold::languages();
    let style = session.screen.style();
    let screen = &mut session.screen;
    for language in &languages {
        if session.global.json {
            let fields = serde_json::to_string(language)?;
            let mut line = Object::line(screen, "language")?;
            line.fields(&fields)?;
            line.end()?;
            continue;
        }
        let id = style.paint(Paint::Bold, format!("{:<11}", language.id));
        let extensions = language
            .extensions
            .iter()
            .map(|extension| format!(".{extension}"));
        let names = language.file_names.iter().map(|name| (*name).to_owned());
        let files: Vec<String> = extensions.chain(names).collect();
        let mut rest = files.join(" ");
        if !language.aliases.is_empty() {
            rest += &format!("  (also --lang {})", language.aliases.join(", "));
        }
        writeln!(screen, "{id} {:<17} {rest}", language.name)?;
    }
    if session.global.json {
        let mut line = Object::line(screen, "summary")?;
        line.number("languages", languages.len())?;
        line.end()?;
    }
    Ok(Outcome::Found)
}
