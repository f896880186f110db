//! Which names are names of secrets.

/// Words that make the name of a secret, alone or with others around them.
const WORDS: [&str; 17] = [
    "password",
    "passcode",
    "creds",
    "secretkey",
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
const PAIRS: [(&str, &str); 13] = [
    ("api", "key"),
    ("access", "key"),
    ("access", "token"),
    ("auth", "token"),
    ("auth", "key"),
    ("master", "key"),
    ("account", "key"),
    ("ssh", "key"),
    ("private", "key"),
    ("signing", "key"),
    ("encryption", "key"),
    ("pass", "phrase"),
    ("pass", "word"),
];

/// Whose `pass` is a password, and no step, no ticket and no success.
const PASS_OF: [&str; 22] = [
    "account", "admin", "auth", "db", "database", "email", "ftp", "imap", "ldap", "login", "mail",
    "mongo", "my", "mysql", "pg", "postgres", "proxy", "redis", "root", "smtp", "ssh", "user",
];

/// What makes a token one of a language or of a list, and none that opens something.
const ORDINARY_TOKENS: [&str; 33] = [
    "bad",
    "begin",
    "bos",
    "cancel",
    "cancellation",
    "cls",
    "continuation",
    "current",
    "end",
    "eof",
    "eos",
    "expected",
    "first",
    "illegal",
    "invalid",
    "last",
    "lookahead",
    "mask",
    "missing",
    "next",
    "pad",
    "page",
    "parsed",
    "peek",
    "prev",
    "previous",
    "sep",
    "start",
    "stop",
    "sync",
    "unexpected",
    "unk",
    "wrong",
];

/// Words that make a message of the name of a secret: `wrong password`.
const WRONG: [&str; 8] = [
    "bad",
    "enter",
    "forgot",
    "incorrect",
    "invalid",
    "missing",
    "unknown",
    "wrong",
];

/// First words of a name that asks or counts.
const ASKS: [&str; 16] = [
    "allow", "can", "check", "count", "has", "hide", "is", "max", "min", "needs", "num", "require",
    "requires", "should", "show", "use",
];

/// Last words of a name that tells of a secret what is none: how many, how long, which kind, where.
const TELLS: [&str; 37] = [
    "age",
    "algorithm",
    "attempts",
    "count",
    "dir",
    "enabled",
    "endpoint",
    "expired",
    "expires",
    "expiry",
    "field",
    "file",
    "format",
    "index",
    "kind",
    "len",
    "length",
    "limit",
    "mode",
    "path",
    "policy",
    "present",
    "provider",
    "required",
    "scheme",
    "size",
    "state",
    "status",
    "strategy",
    "strength",
    "ttl",
    "type",
    "uri",
    "url",
    "valid",
    "verified",
    "version",
];

/// Bytes of a key that may be the name of a secret.
const LONGEST_KEY: usize = 48;

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
    let mut is_path = true;
    let mut rest = expression.trim();
    while let Some(char) = rest.chars().next() {
        let name = match char {
            // A key, which may be of several words.
            '\'' | '"' | '`' => {
                let inside = rest.get(1..).unwrap_or_default();
                let end = inside.find(char).unwrap_or(inside.len());
                let (key, behind) = inside.split_at(end);
                rest = behind.get(1..).unwrap_or_default();
                key
            }
            // A name goes as long as letters, digits, `_`, `$` and `-` do.
            char if is_name(char) => {
                let end = rest.find(|char| !is_name(char)).unwrap_or(rest.len());
                let (name, behind) = rest.split_at(end);
                rest = behind;
                // `->` is no part of a name. What is put before a quote is none.
                let prefix = rest.starts_with(['\'', '"']) && name.len() < 3;
                if prefix {
                    continue;
                }
                name.trim_end_matches('-')
            }
            other => {
                is_path &= !"(+*/=<,!?|&% ".contains(other);
                rest = rest.get(other.len_utf8()..).unwrap_or_default();
                continue;
            }
        };
        let secret = is_secret_name(name);
        any |= secret || asks_of_secret(name);
        last = Some(secret);
    }
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
    has_secret(&words) && !asks(&words) && !tells(&words)
}

/// Whether a key in quotes, or an option, is the name of a secret: a few words and nothing else.
pub(super) fn is_secret_key(key: &str) -> bool {
    let is_word = |char: char| is_name(char) || matches!(char, ' ' | '.' | ':');
    key.len() <= LONGEST_KEY
        && key.split_whitespace().count() <= 3
        && key.chars().all(is_word)
        && !words(key).iter().any(|word| WRONG.contains(&word.as_str()))
        && is_secret_name(key)
}

/// Whether a name asks about a secret or counts it: the answer to that is none.
fn asks_of_secret(name: &str) -> bool {
    let words = words(name);
    asks(&words) && has_secret(&words)
}

fn asks(words: &[String]) -> bool {
    let first = words.first().filter(|_| words.len() > 1);
    first.is_some_and(|word| ASKS.contains(&word.as_str()))
}

fn tells(words: &[String]) -> bool {
    let last = words.last().filter(|_| words.len() > 1);
    last.is_some_and(|word| TELLS.contains(&word.as_str()))
}

/// Whether these are the words of a token that opens nothing: `unexpected token`.
pub(super) fn is_ordinary_token(name: &str) -> bool {
    match words(name).as_slice() {
        [before @ .., last] if last == "token" => is_ordinary(before),
        _ => false,
    }
}

fn is_ordinary(words: &[String]) -> bool {
    words
        .iter()
        .any(|word| ORDINARY_TOKENS.contains(&word.as_str()))
}

fn has_secret(words: &[String]) -> bool {
    let is_token = match words {
        [before @ .., last] => last == "token" && !is_ordinary(before),
        [] => false,
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    is_token
        || words.iter().any(|word| WORDS.contains(word))
        || words.windows(2).any(|pair| match pair {
            [first, "pass"] => PASS_OF.contains(first),
            [first, second] => PAIRS.contains(&(*first, *second)),
            _ => false,
        })
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
            "'api key'",
            "['db pass']",
            "dbPass",
            "aws_secret",
            "'Set-Cookie'",
            "headers['set-cookie']",
            "b'authorization'",
            "MY_GITHUB_TOKEN",
            "--token",
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
            "next_page_token",
            "'unexpected token'",
            "token_count",
            "passes",
            "pass",
            "boarding_pass",
            "bypass",
            "password_min_length",
            "secretType",
            "PGPASSFILE",
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
            "is_password",
            "has_api_key",
        ] {
            assert_eq!(named(expression), Named::Derived, "{expression}");
        }
    }
}
