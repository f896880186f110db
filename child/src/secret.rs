//! Which variables of the environment hold a secret.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// The variable in which a person names, with commas between, what children are given all the same.
pub const PASS_VARIABLE: &str = "FOURFOLD_PASS_ENV";

/// Words of a name that say so by themselves.
const WORDS: [&str; 13] = [
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PWD",
    "CREDENTIAL",
    "CREDENTIALS",
    "APIKEY",
    "PAT",
];

/// Words that make a secret of the `KEY` behind them.
const OF_KEYS: [&str; 7] = [
    "API",
    "ACCESS",
    "PRIVATE",
    "SECRET",
    "SIGNING",
    "ENCRYPTION",
    "DEPLOY",
];

/// Names that only look like one.
const PLAIN: [&str; 2] = ["PWD", "OLDPWD"];

/// Whether a variable of the environment holds a secret, by its name (`GITHUB_TOKEN`,
/// `AWS_SECRET_ACCESS_KEY`, `PGPASSWORD`) or by a password inside of an address
/// (`postgres://user:word@host`; not that of a proxy, without which there is no network).
///
/// ```
/// use std::ffi::OsStr;
///
/// let secret = |name: &str, value: &str| {
///     fourfold_child::is_secret(OsStr::new(name), OsStr::new(value))
/// };
/// assert!(secret("GITHUB_TOKEN", "x"));
/// assert!(secret("DATABASE_URL", "postgres://me:hunter2@localhost/shop"));
/// assert!(!secret("TOKENIZERS_PARALLELISM", "false"));
/// assert!(!secret("DATABASE_URL", "postgres://localhost/shop"));
/// ```
pub fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy().to_uppercase();
    if PLAIN.contains(&name.as_str()) {
        return false;
    }
    let words: Vec<&str> = name.split(['_', '-', '.']).collect();
    let of_key = |pair: &[&str]| matches!(pair, [of, "KEY" | "KEYS"] if OF_KEYS.contains(of));
    let by_name = words.iter().any(|word| WORDS.contains(word))
        || words.windows(2).any(of_key)
        || words.iter().any(|word| word.ends_with("PASSWORD"));
    by_name || (!name.ends_with("_PROXY") && has_password(&value.to_string_lossy()))
}

/// Whether an address tells a password: `scheme://user:word@host`.
fn has_password(value: &str) -> bool {
    let Some((_, rest)) = value.split_once("://") else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let Some((user, _)) = authority.rsplit_once('@') else {
        return false;
    };
    user.split_once(':')
        .is_some_and(|(_, word)| !word.is_empty())
}

/// Takes the secrets out of an environment, except those that it says are passed on.
pub(crate) fn withhold(environment: &mut BTreeMap<OsString, OsString>) {
    let named = environment.get(OsStr::new(PASS_VARIABLE)).cloned();
    let named = named.unwrap_or_default().to_string_lossy().into_owned();
    let passed: Vec<&str> = named.split(',').map(str::trim).collect();
    environment.retain(|name, value| {
        !is_secret(name, value) || name.to_str().is_some_and(|name| passed.contains(&name))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(name: &str, value: &str) -> bool {
        is_secret(OsStr::new(name), OsStr::new(value))
    }

    #[test]
    fn names_that_tell_it() {
        for name in [
            "GITHUB_TOKEN",
            "CARGO_REGISTRIES_MINE_TOKEN",
            "npm_config__auth_token",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_ACCESS_KEY_ID",
            "OPENAI_API_KEY",
            "PGPASSWORD",
            "MYSQL_PWD",
            "DB_PASS",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "SIGNING_KEY",
        ] {
            assert!(secret(name, "x"), "{name}");
        }
    }

    #[test]
    fn names_that_do_not() {
        for name in [
            "PATH",
            "HOME",
            "PWD",
            "OLDPWD",
            "LANG",
            "SSH_AUTH_SOCK",
            "KEYBOARD",
            "TOKENIZERS_PARALLELISM",
            "COMPASS_HOME",
            "PATTERN",
            "CARGO_HOME",
            "VIRTUAL_ENV",
            "NODE_PATH",
            "MONKEY",
        ] {
            assert!(!secret(name, "x"), "{name}");
        }
    }

    #[test]
    fn what_a_person_names_is_passed_on() {
        let mut environment: BTreeMap<OsString, OsString> = [
            ("HOME", "/h"),
            ("GITHUB_TOKEN", "a"),
            ("MINE_TOKEN", "b"),
            ("DB_PASSWORD", "c"),
            (PASS_VARIABLE, "MINE_TOKEN, DB_PASSWORD"),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
        withhold(&mut environment);
        let names: Vec<&str> = environment
            .keys()
            .filter_map(|name| name.to_str())
            .collect();
        assert!(!names.contains(&"GITHUB_TOKEN"), "{names:?}");
        assert!(names.contains(&"MINE_TOKEN") && names.contains(&"DB_PASSWORD"));
        assert!(names.contains(&"HOME"));
    }

    #[test]
    fn addresses_with_a_password() {
        assert!(secret("REDIS_URL", "redis://:word@host:6379/0"));
        assert!(secret("URL", "https://me:word@host/path"));
        assert!(!secret("URL", "https://me@host/path:80"));
        assert!(!secret("URL", "https://host:80/a@b"));
        assert!(!secret("HTTPS_PROXY", "http://me:word@proxy:3128"));
        assert!(!secret("https_proxy", "http://me:word@proxy:3128"));
    }
}
