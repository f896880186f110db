//! What is said about a command line that cannot be understood: one sentence, and the nearest thing
//! that can.

use std::fmt::Write as _;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use crate::screen::note;

/// Shows help, a version, or what is wrong, the last as JSON too if that is asked for; gives the exit
/// status.
pub(crate) fn report(error: &Error, json: bool) -> u8 {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Whoever closed the pipe has seen enough.
            let _ = error.print();
            0
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            2
        }
        _ => {
            let sentence = crate::short(&sentence(error));
            note(format_args!("error: {sentence}"));
            if json {
                crate::error_line(&sentence);
            }
            2
        }
    }
}

/// The sentence, without its `error:`.
pub(crate) fn sentence(error: &Error) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) if !texts.is_empty() => Some(texts.join("` or `")),
        _ => None,
    };
    let args = arguments(error);
    let arg = args.first().map(String::as_str).unwrap_or_default();
    let name = arg.split([' ', '=']).next().unwrap_or_default();
    let value = text(ContextKind::InvalidValue);
    let (command, usage) = usage(error);
    let mut said = match (error.kind(), value) {
        (ErrorKind::InvalidValue, Some(value)) if value.is_empty() => {
            format!("`{name}` needs a value")
        }
        (ErrorKind::InvalidValue, Some(value)) => format!("`{name}` cannot be `{value}`"),
        (ErrorKind::ValueValidation, Some(value)) => {
            let why = std::error::Error::source(error).map(ToString::to_string);
            format!(
                "`{name}` cannot be `{value}`; {}",
                why.unwrap_or_else(|| "correct it".to_owned())
            )
        }
        (ErrorKind::UnknownArgument, _) if arg.starts_with('-') => {
            format!("there is no option `{arg}`")
        }
        (ErrorKind::UnknownArgument, _) => format!("`{arg}` is one argument too many"),
        (ErrorKind::InvalidSubcommand, _) => {
            let given = text(ContextKind::InvalidSubcommand).unwrap_or_default();
            format!("there is no command `{given}`")
        }
        (ErrorKind::MissingRequiredArgument, _) => {
            let verb = if args.len() > 1 { "are" } else { "is" };
            format!("`{}` {verb} missing", args.join("` and `"))
        }
        (ErrorKind::ArgumentConflict, _) => {
            let other = text(ContextKind::PriorArg).unwrap_or_default();
            match other == *arg {
                true => format!("`{name}` is given twice"),
                false => format!("`{arg}` and `{other}` exclude each other"),
            }
        }
        _ => {
            let rendered = error.render().to_string();
            let first = rendered.lines().next().unwrap_or_default();
            first.strip_prefix("error: ").unwrap_or(first).to_owned()
        }
    };
    let given = text(ContextKind::InvalidValue)
        .or_else(|| text(ContextKind::InvalidSubcommand))
        .unwrap_or_else(|| arg.to_owned());
    let nearest = suggested(error, &given).or_else(|| begun(error, &given));
    let valid = text(ContextKind::ValidValue).or_else(|| text(ContextKind::ValidSubcommand));
    let _ = match (nearest, valid) {
        (Some(nearest), _) => write!(said, "; did you mean `{nearest}`?"),
        (None, Some(valid)) => write!(said, "; it may be `{}`", valid.replace("` or `", "`, `")),
        (None, None) => match error.kind() {
            ErrorKind::ValueValidation | ErrorKind::ArgumentConflict => Ok(()),
            ErrorKind::UnknownArgument if arg.starts_with('-') && usage.contains("PATTERN") => {
                let hint = "put `--` before a pattern that begins with `-`";
                match arg.trim_start_matches('-').starts_with(char::is_alphabetic) {
                    true => write!(said, "; `{command} --help` shows what there is; {hint}"),
                    false => write!(said, "; {hint}"),
                }
            }
            _ => write!(said, "; `{command} --help` shows what there is"),
        },
    };
    said
}

/// What was probably meant, where it is like what was given.
fn suggested(error: &Error, given: &str) -> Option<String> {
    let kinds = [
        ContextKind::SuggestedValue,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
    ];
    kinds.into_iter().find_map(|kind| {
        let names = match error.get(kind) {
            Some(ContextValue::String(name)) => vec![name.clone()],
            Some(ContextValue::Strings(names)) => names.clone(),
            _ => Vec::new(),
        };
        let alike = |name: &String| fourfold::nearest(given, [name.as_str()]).is_some();
        let names: Vec<String> = names.into_iter().filter(alike).collect();
        (!names.is_empty()).then(|| names.join("` or `"))
    })
}

/// The only value that begins with what was given.
fn begun(error: &Error, given: &str) -> Option<String> {
    let Some(ContextValue::Strings(valid)) = error.get(ContextKind::ValidValue) else {
        return None;
    };
    let mut begun = valid.iter().filter(|value| value.starts_with(given));
    match (begun.next(), begun.next()) {
        (Some(one), None) if !given.is_empty() => Some(one.clone()),
        _ => None,
    }
}

/// The command that was typed, and how it is used, as far as the error knows them.
fn usage(error: &Error) -> (String, String) {
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    let typed = usage.trim_start_matches("Usage:").split_whitespace();
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
    let command: Vec<&str> = typed.take_while(is_name).collect();
    let command = match command.as_slice() {
        [] => "fourfold".to_owned(),
        words => words.join(" "),
    };
    (command, usage)
}

/// The arguments that an error is about, as they are typed; alternatives of one another are one of
/// them, and what is no option comes first.
fn arguments(error: &Error) -> Vec<String> {
    let bare = |arg: &String| arg.strip_prefix('<')?.strip_suffix('>').map(str::to_owned);
    let typed = |arg: &String| bare(arg).as_ref().unwrap_or(arg).replace('|', "` or `");
    let mut args: Vec<String> = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(arg)) => vec![typed(arg)],
        Some(ContextValue::Strings(args)) => args.iter().map(typed).collect(),
        _ => Vec::new(),
    };
    args.sort_by_key(|arg| arg.starts_with('-'));
    args
}
