//! Secrets in values: replaced before they leave.

use std::borrow::Cow;

mod known;
mod listed;
mod names;
mod pairs;
mod shapes;

pub(crate) use known::Secrets;
pub(crate) use listed::siblings;

/// What a secret is replaced by.
const MASKED: &str = "***";

/// Whether secrets are replaced in values, and in output. A secret is known by the name of what
/// holds it (`password`, `API_KEY`, `"db pass"`), also inside of a longer text
/// (`Account(password='x')`), of a pair (`('password', 'x')`) or a list of arguments
/// (`['--token', 'x']`), or by its shape (a private key, the tokens of well-known services, the password in a URL). A session
/// remembers what it saw under such a name, from six characters on, and replaces it everywhere. What
/// looks like none of it is shown, and so is what counts or compares a secret, and a constant.
///
/// ```
/// use fourfold_dap_client::Mask;
///
/// assert_eq!(Mask::On.value("db_password", "'hunter2'"), Some("***".into()));
/// assert_eq!(Mask::On.value("name", "'Ada'"), None);
/// assert_eq!(Mask::On.value("len(password)", "7"), None);
/// assert_eq!(Mask::On.text("user=ada password=hunter2"), "user=ada password=***");
/// assert_eq!(Mask::Off.value("db_password", "'hunter2'"), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mask {
    /// Secrets are replaced.
    #[default]
    On,
    /// They are shown: the host allows it.
    Off,
}

impl Mask {
    /// The value with its secrets replaced; nothing when there are none.
    #[must_use]
    pub fn value(self, name: &str, text: &str) -> Option<String> {
        Secrets::new(self).value(name, false, text)
    }

    /// Text without a name, such as output.
    #[must_use]
    pub fn text(self, text: &str) -> Cow<'_, str> {
        Secrets::new(self).text(text)
    }
}

/// Nothing, or the absence of something: no secret, and worth knowing.
fn says_nothing(text: &str) -> bool {
    matches!(
        text.trim(),
        "" | "None"
            | "null"
            | "nil"
            | "undefined"
            | "''"
            | "\"\""
            | "0x0"
            | "true"
            | "false"
            | "True"
            | "False"
    )
}

/// Whether a value is a function, a class or a module: code, whatever its name.
fn is_code(text: &str) -> bool {
    let starts = [
        "<module ",
        "<function ",
        "<class ",
        "<bound method ",
        "<built-in ",
        "ƒ ",
        "async ƒ ",
        "class ",
        "function ",
    ];
    starts.iter().any(|start| text.starts_with(start))
}

/// Whether a value is a constant of the program, as an enum has them: `<Kind.SECRET: 1>`,
/// `Kind::Secret`, and any word where texts stand in quotes.
fn is_constant(text: &str, quotes: bool) -> bool {
    let text = text.trim();
    let inside = text
        .strip_prefix('<')
        .and_then(|text| text.strip_suffix('>'));
    let name = match inside.and_then(|inside| inside.split_once(": ")) {
        Some((name, value)) if value.parse::<i64>().is_ok() => name,
        Some((name, value)) => {
            let last = name.rsplit('.').next().unwrap_or(name);
            let value = value.trim_matches(['\'', '"']);
            match value.eq_ignore_ascii_case(last) {
                true => name,
                false => return false,
            }
        }
        None => text,
    };
    let mut parts = name.split("::").flat_map(|part| part.split('.'));
    let is_word = |part: &str| {
        part.starts_with(|char: char| char.is_alphabetic() || char == '_')
            && part
                .chars()
                .all(|char| char.is_alphanumeric() || char == '_')
    };
    let is_path = inside.is_some() || name.contains("::");
    (is_path || quotes) && name.len() <= 100 && parts.all(is_word)
}

/// Whether a value is where the shell stood, which is called `PWD`.
fn is_folder(name: &str, text: &str) -> bool {
    let name = name.trim_matches(['\'', '"']).to_ascii_lowercase();
    let text = text.trim_start_matches(['\'', '"']);
    matches!(name.as_str(), "pwd" | "oldpwd") && (text.starts_with('/') || text.starts_with('~'))
}

/// Whether a value counts or compares: a number, a truth value, or a list of them that does not spell
/// a text.
fn is_answer(text: &str) -> bool {
    let text = text.trim();
    let inside = text
        .strip_prefix(['[', '(', '{'])
        .and_then(|text| text.strip_suffix([']', ')', '}']));
    let is_list = inside.is_some();
    let parts: Vec<&str> = match inside {
        Some(inside) => inside
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect(),
        None => vec![text],
    };
    let is_number = |part: &&str| part.parse::<f64>().is_ok() && !part.contains(['n', 'N']);
    let is_truth = |part: &&str| matches!(*part, "true" | "false" | "True" | "False");
    let is_printable = |part: &&str| {
        part.parse::<u32>()
            .is_ok_and(|code| (32..127).contains(&code))
    };
    let spells = is_list && parts.len() >= 6 && parts.iter().all(is_printable);
    !parts.is_empty() && !spells && parts.iter().all(|part| is_number(part) || is_truth(part))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shapes_of_secrets_wherever_they_stand() {
        let github = format!("ghp_{}", "a1B2".repeat(9));
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLXNpZ25hdHVyZQ";
        for (text, masked) in [
            (format!("'{github}'"), "'***'".to_owned()),
            (format!("a={github}, b=1"), "a=***, b=1".to_owned()),
            (format!("x{github}"), format!("x{github}")),
            (format!("t {jwt} t"), "t *** t".to_owned()),
            ("'eyJ is short'".to_owned(), "'eyJ is short'".to_owned()),
            (
                "{'h': 'Bearer abcdefghijklmnopqrstuvwxyz'}".to_owned(),
                "{'h': 'Bearer ***'}".to_owned(),
            ),
            ("Bearer of news".to_owned(), "Bearer of news".to_owned()),
            (
                "k = -----BEGIN RSA PRIVATE KEY-----\nMIIE".to_owned(),
                "k = ***".to_owned(),
            ),
            (
                "postgres://anna:s3cr3tpw@db:5432/shop".to_owned(),
                "postgres://anna:***@db:5432/shop".to_owned(),
            ),
            (
                "at https://example.org/a:b@c, http://h:80/".to_owned(),
                "at https://example.org/a:b@c, http://h:80/".to_owned(),
            ),
            ("AKIAIOSFODNN7EXAMPLE".to_owned(), "***".to_owned()),
            ("sk-learn".to_owned(), "sk-learn".to_owned()),
        ] {
            assert_eq!(Mask::On.text(&text), masked);
            assert_eq!(Mask::Off.text(&text), text);
        }
    }

    #[test]
    fn the_absence_of_a_secret_is_shown() {
        assert_eq!(Mask::On.value("password", "None"), None);
        assert_eq!(Mask::On.value("password", "''"), None);
        assert_eq!(Mask::On.value("password", "'x'"), Some("***".to_owned()));
    }

    proptest! {
        #[test]
        fn a_token_never_leaves(before in "[ ='\"(a]{0,5}", after in "[ ,)'\".]{0,5}", body in "[A-Za-z0-9]{36}") {
            let token = format!("ghp_{body}");
            let text = format!("{before} {token}{after}");
            prop_assert!(!Mask::On.text(&text).contains(&body));
        }

        #[test]
        fn any_text_is_survived_and_masked_once(text in "\\PC{0,60}") {
            let once = Mask::On.text(&text).into_owned();
            prop_assert_eq!(Mask::On.text(&once).into_owned(), once);
        }
    }
}
