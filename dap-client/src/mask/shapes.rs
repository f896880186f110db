//! Secrets that are known by their shape, wherever they stand.

use std::borrow::Cow;

use super::MASKED;

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

/// The text with everything replaced that has the shape of a secret.
pub(super) fn shapes(text: &str) -> Cow<'_, str> {
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
    if masked.contains("://") {
        let replaced = in_addresses(&masked);
        masked = changed(masked, replaced);
    }
    masked
}

/// Replaces the password of each `scheme://user:password@host`.
fn in_addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (head, tail) = rest.split_at(at + 3);
        out.push_str(head);
        rest = tail;
        let end = tail
            .find(|char: char| {
                char.is_whitespace() || matches!(char, '/' | '?' | '#' | '"' | '\'' | '<' | '>')
            })
            .unwrap_or(tail.len());
        let authority = tail.get(..end).unwrap_or_default();
        let Some((before, _)) = authority.rsplit_once('@') else {
            continue;
        };
        if let Some((user, password)) = before.split_once(':')
            && !password.is_empty()
        {
            out.push_str(user);
            out.push(':');
            out.push_str(MASKED);
            rest = tail.get(before.len()..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    out
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
