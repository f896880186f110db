//! Secrets in values: replaced before they leave.

use std::borrow::Cow;

/// What a secret is replaced by.
const MASKED: &str = "***";

/// Whether secrets are replaced in values, and in output. A secret is known by the name of what
/// holds it (`password`, `API_KEY`) or by its shape (a private key, the tokens of well-known
/// services). What looks like neither is shown.
///
/// ```
/// use fourfold_dap_client::Mask;
///
/// assert_eq!(Mask::On.value("db_password", "'hunter2'"), Some("***".into()));
/// assert_eq!(Mask::On.value("name", "'Ada'"), None);
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

/// Words that make the name of a secret, alone or with others around them.
const WORDS: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "secrets",
    "credential",
    "credentials",
    "apikey",
    "authorization",
    "cookie",
    "bearer",
    "privatekey",
    "jwt",
];

/// Pairs of words that do.
const PAIRS: [(&str, &str); 12] = [
    ("api", "key"),
    ("access", "key"),
    ("access", "token"),
    ("auth", "token"),
    ("refresh", "token"),
    ("session", "token"),
    ("id", "token"),
    ("api", "token"),
    ("bearer", "token"),
    ("private", "key"),
    ("signing", "key"),
    ("encryption", "key"),
];

/// How tokens of well-known services begin, and how many characters of a token follow at least.
const SHAPES: [(&str, usize); 16] = [
    ("ghp_", 30),
    ("gho_", 30),
    ("ghs_", 30),
    ("ghu_", 30),
    ("github_pat_", 30),
    ("glpat-", 16),
    ("AKIA", 16),
    ("ASIA", 16),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("sk-", 20),
    ("sk_live_", 16),
    ("rk_live_", 16),
    ("AIza", 30),
    ("npm_", 30),
    ("pypi-", 30),
];

impl Mask {
    /// The value with its secrets replaced; nothing when there are none.
    #[must_use]
    pub fn value(self, name: &str, text: &str) -> Option<String> {
        if self == Self::Off {
            return None;
        }
        if is_secret_name(name) && !says_nothing(text) {
            return Some(MASKED.to_owned());
        }
        match shapes(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(masked) => Some(masked),
        }
    }

    /// Text without a name, such as output.
    #[must_use]
    pub fn text(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Off => Cow::Borrowed(text),
            Self::On => shapes(text),
        }
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

/// Whether a name is one of a secret: by its words, however they are put together.
fn is_secret_name(name: &str) -> bool {
    // Of an expression or a path, what it ends with.
    let last = name.rsplit(['.', '>']).next().unwrap_or(name);
    let words = words(last);
    words.iter().any(|word| WORDS.contains(&word.as_str()))
        || words.as_slice() == ["token"]
        || words.windows(2).any(|pair| match pair {
            [first, second] => PAIRS.contains(&(first.as_str(), second.as_str())),
            _ => false,
        })
        || words.last().is_some_and(|word| word == "token")
            && words.len() == 2
            && !words.first().is_some_and(|first| {
                matches!(
                    first.as_str(),
                    "next" | "last" | "first" | "prev" | "current" | "start" | "end"
                )
            })
}

/// The words of a name in snake, kebab or camel case, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before_lower = false;
    for char in name.chars() {
        let starts = char.is_uppercase() && before_lower;
        if (starts || !char.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        before_lower = char.is_lowercase() || char.is_numeric();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The text with everything replaced that has the shape of a secret.
fn shapes(text: &str) -> Cow<'_, str> {
    let mut masked = Cow::Borrowed(text);
    if let Some(begin) = text.find("-----BEGIN ") {
        let rest = text.get(begin..).unwrap_or_default();
        if rest.contains("PRIVATE KEY-----") {
            let head = text.get(..begin).unwrap_or_default();
            masked = Cow::Owned(format!("{head}{MASKED}"));
        }
    }
    for (start, least) in SHAPES {
        if masked.contains(start) {
            let replaced = replace(&masked, start, least, false);
            masked = changed(masked, replaced);
        }
    }
    // A JSON web token: three parts, the first two beginning like `{"`.
    if masked.contains("eyJ") {
        let replaced = replace(&masked, "eyJ", 30, true);
        masked = changed(masked, replaced);
    }
    for scheme in ["Bearer ", "Basic "] {
        if masked.contains(scheme) {
            let replaced = after(&masked, scheme);
            masked = changed(masked, replaced);
        }
    }
    masked
}

/// The text before when nothing was replaced, so that it stays borrowed.
fn changed<'a>(before: Cow<'a, str>, after: String) -> Cow<'a, str> {
    if after == *before {
        before
    } else {
        Cow::Owned(after)
    }
}

fn is_token(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-')
}

/// Replaces each token that begins with `start` and goes on for at least `least` characters.
fn replace(text: &str, start: &str, least: usize, dots: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(start) {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let end = tail
            .find(|char| !(is_token(char) || dots && char == '.'))
            .unwrap_or(tail.len());
        let (token, behind) = tail.split_at(end.max(start.len()));
        let inside = head
            .chars()
            .next_back()
            .or(out.chars().next_back())
            .is_some_and(is_token);
        let parts = !dots || token.matches('.').count() == 2;
        if !inside && parts && token.len() >= start.len() + least {
            out.push_str(MASKED);
        } else {
            out.push_str(token);
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Replaces what follows the name of a scheme, when it is long enough for a credential.
fn after(text: &str, scheme: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(scheme) {
        let (head, tail) = rest.split_at(at + scheme.len());
        out.push_str(head);
        let end = tail
            .find(|char: char| char.is_whitespace() || matches!(char, '"' | '\'' | ',' | ')'))
            .unwrap_or(tail.len());
        let (credential, behind) = tail.split_at(end);
        out.push_str(if credential.len() >= 16 {
            MASKED
        } else {
            credential
        });
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_of_secrets_in_every_case() {
        for name in [
            "password",
            "dbPassword",
            "DB_PASSWORD",
            "user_passwd",
            "apiKey",
            "API-KEY",
            "AWS_SECRET_ACCESS_KEY",
            "self.client_secret",
            "config['api_key']",
            "accessToken",
            "token",
            "csrf_token",
            "p->pwd",
            "Authorization",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "key",
            "keys",
            "tokens",
            "next_token",
            "tokenizer",
            "secretary",
            "password_is",
            "author",
            "n",
            "key_access",
            "compass",
            "tokenCount",
        ] {
            // `password_is` holds the word: it is taken for one, rather than the other way round.
            assert_eq!(is_secret_name(name), name == "password_is", "{name}");
        }
    }

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
