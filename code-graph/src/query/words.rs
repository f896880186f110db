//! Names as words.

/// The words of a name or of a question, in lower case, each after one blank: ` http server` of
/// `HTTPServer`, `http_server` and `http-server`.
pub(super) fn push_words(out: &mut String, text: &str) {
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        if !c.is_alphanumeric() {
            before = ' ';
            continue;
        }
        let after = chars.peek().copied().unwrap_or(' ');
        let begins = !before.is_alphanumeric()
            || c.is_uppercase() && (!before.is_uppercase() || after.is_lowercase());
        if begins {
            out.push(' ');
        }
        out.extend(c.to_lowercase());
        before = c;
    }
}

/// See [`push_words`].
pub(super) fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    push_words(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn every_style_gives_the_same_words() {
        for name in [
            "HTTPServer",
            "http_server",
            "http-server",
            "HttpServer",
            "HTTP_SERVER",
        ] {
            assert_eq!(words(name), " http server", "{name}");
        }
        assert_eq!(words("getUTF8Name2"), " get utf8 name2");
        assert_eq!(words("__init__"), " init");
        assert_eq!(words("ÄpfelUndBirnen"), " äpfel und birnen");
        assert_eq!(words("a"), " a");
        assert_eq!(words("+"), "");
    }
}
