//! Which names are names of secrets.

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
const PAIRS: [(&str, &str); 15] = [
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
    ("db", "pass"),
    ("user", "pass"),
    ("smtp", "pass"),
];

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// It is a secret.
    Secret,
    /// It is made of one: `password.upper()`, `len(token)`.
    Derived,
    /// Nothing.
    Plain,
}

/// What a name, a path or an expression says.
pub(super) fn named(expression: &str) -> Named {
    let mut last = None;
    let mut any = false;
    let mut rest = expression;
    // The names in it, each as long as letters, digits, `_`, `$` and `-` go.
    while let Some(begin) = rest.find(is_name) {
        let tail = rest.get(begin..).unwrap_or_default();
        let end = tail.find(|char| !is_name(char)).unwrap_or(tail.len());
        let (name, behind) = tail.split_at(end);
        // `->` is no part of a name.
        let name = name.trim_end_matches('-');
        let secret = is_secret_name(name);
        any |= secret;
        last = Some(secret);
        rest = behind;
    }
    let is_path = !expression
        .contains(['(', '+', '*', '/', '=', '<', ',', '!', '?', '|', '&', '%'])
        && !expression.trim().contains(' ');
    match (is_path, any, last) {
        (true, _, Some(true)) => Named::Secret,
        (_, true, _) => Named::Derived,
        _ => Named::Plain,
    }
}

pub(super) fn is_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$' | '-')
}

/// Whether one name is one of a secret: by its words, however they are put together.
pub(super) fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    let is = |word: &String, wanted: &str| word == wanted;
    words.iter().any(|word| WORDS.contains(&word.as_str()))
        || matches!(words.as_slice(), [only] if is(only, "token"))
        || words.windows(2).any(|pair| match pair {
            [first, second] => PAIRS.contains(&(first.as_str(), second.as_str())),
            _ => false,
        })
        || matches!(words.as_slice(), [first, second] if is(second, "token") && !matches!(
            first.as_str(),
            "next" | "last" | "first" | "prev" | "current" | "start" | "end"
        ))
}

/// The words of a name in snake, kebab or camel case, in lower case and without a number behind
/// them: `APIToken2` is `api` and `token`.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        let after_lower = before.is_some_and(|char| char.is_lowercase() || char.is_numeric());
        let before_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let in_capitals = before.is_some_and(char::is_uppercase);
        let starts = char.is_uppercase() && (after_lower || in_capitals && before_lower);
        if (starts || !char.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        before = Some(char);
    }
    if !word.is_empty() {
        words.push(word);
    }
    for word in &mut words {
        let kept = word
            .trim_end_matches(|char: char| char.is_ascii_digit())
            .len();
        if kept > 0 {
            word.truncate(kept);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_in_every_case() {
        for name in [
            "password",
            "password2",
            "dbPassword",
            "DB_PASSWORD",
            "user_passwd",
            "apiKey",
            "API-KEY",
            "APIToken",
            "DBPassword",
            "AWS_SECRET_ACCESS_KEY",
            "self.client_secret",
            "config['api_key']",
            "accessToken",
            "token",
            "csrf_token",
            "p->pwd",
            "Authorization",
            "password_is",
        ] {
            assert_eq!(named(name), Named::Secret, "{name}");
        }
        for name in [
            "key",
            "keys",
            "tokens",
            "next_token",
            "tokenizer",
            "secretary",
            "author",
            "n",
            "key_access",
            "compass",
            "tokenCount",
            "TOKENS",
            "x + y",
        ] {
            assert_eq!(named(name), Named::Plain, "{name}");
        }
    }

    #[test]
    fn what_is_made_of_a_secret_is_told_from_it() {
        for expression in [
            "len(password)",
            "user.password.upper()",
            "password == 'x'",
            "password.length",
            "list(map(len, self.secret_keys))",
        ] {
            assert_eq!(named(expression), Named::Derived, "{expression}");
        }
    }
}
