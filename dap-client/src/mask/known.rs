//! Secrets that a session has seen: under the name of a secret once, they are replaced everywhere.

use std::borrow::Cow;

use super::names::{Named, is_secret_name, named};
use super::pairs::{self, Found};
use super::shapes::shapes;
use super::{MASKED, Mask, is_answer, is_code, is_constant, is_folder, listed, says_nothing};

/// Characters that a value has at least, to be replaced wherever it stands. A shorter one is in
/// many words that are none.
const LEAST: usize = 6;

/// Values that are remembered; the oldest goes first.
const KEPT: usize = 1000;

/// Bytes of a value that are remembered.
const LONGEST: usize = 4 << 10;

/// Said once where values are replaced.
const MEANING: &str = "`***` stands for a secret, known by its name, by its shape or because it was seen \
                       under such a name; what compares or counts it is answered";

/// What a session knows about secrets.
#[derive(Debug)]
pub(crate) struct Secrets {
    mask: Mask,
    /// Whether the debugger puts every text of the program in quotes.
    quotes: bool,
    /// The longest first, so that none hides a part of another.
    known: Vec<Known>,
    /// How many there ever were.
    count: u64,
    replaced: bool,
    told: bool,
}

#[derive(Debug)]
struct Known {
    text: String,
    /// Its end was missing.
    cut: bool,
    number: u64,
}

impl Secrets {
    pub(crate) fn new(mask: Mask) -> Self {
        Self {
            mask,
            quotes: false,
            known: Vec::new(),
            count: 0,
            replaced: false,
            told: false,
        }
    }

    /// The same of a debugger that puts every text of the program in quotes.
    pub(crate) fn quoting(mut self, quotes: bool) -> Self {
        self.quotes = quotes;
        self
    }

    /// A value with its secrets replaced, and remembered; nothing when there are none. `inside` tells
    /// that it is inside of a secret.
    pub(crate) fn value(&mut self, name: &str, inside: bool, text: &str) -> Option<String> {
        if self.mask == Mask::Off {
            return None;
        }
        let named = match named(name) {
            _ if is_code(text) || is_constant(text, self.quotes) => Named::Plain,
            Named::Secret if is_folder(name, text) => Named::Plain,
            Named::Plain if inside => Named::Secret,
            named => named,
        };
        let whole = match named {
            Named::Secret => !says_nothing(text),
            Named::Derived => !says_nothing(text) && !is_answer(text),
            Named::Plain => false,
        };
        if !whole {
            return match self.text(text) {
                Cow::Borrowed(_) => None,
                Cow::Owned(masked) => Some(masked),
            };
        }
        if named == Named::Secret {
            self.learn(text);
        }
        self.replaced = true;
        Some(MASKED.to_owned())
    }

    /// Whether what is inside of a value is secret: by its name, unless it is code.
    pub(crate) fn is_secret(&self, name: &str, text: &str) -> bool {
        self.mask == Mask::On
            && named(name) == Named::Secret
            && !is_code(text)
            && !is_constant(text, self.quotes)
            && !is_folder(name, text)
    }

    /// Any text with its secrets replaced; those behind their names are remembered.
    pub(crate) fn text<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        if self.mask == Mask::Off {
            return Cow::Borrowed(text);
        }
        let mut masked = shapes(text);
        let mut found = Vec::new();
        let mut find = |what: Found<'_>| {
            found.push(match what {
                Found::Quoted(text, cut) => (text.to_owned(), Some(cut)),
                Found::Bare(text) | Found::Inside(text) => (text.to_owned(), None),
            });
        };
        if let Cow::Owned(replaced) = pairs::replace(&masked, &mut find) {
            masked = Cow::Owned(replaced);
        }
        if let Cow::Owned(replaced) = listed::replace(&masked, &mut find) {
            masked = Cow::Owned(replaced);
        }
        for (text, quoted) in found {
            match quoted {
                Some(cut) => self.remember(&text, cut),
                None => self.learn(&text),
            }
        }
        if let Some(replaced) = self.without_known(&masked) {
            masked = Cow::Owned(replaced);
        }
        self.replaced |= matches!(masked, Cow::Owned(_));
        masked
    }

    /// Replaces what is known by now, in a text that was made before.
    pub(crate) fn scrub(&self, text: &mut String) {
        if let Some(replaced) = self.without_known(text) {
            *text = replaced;
        }
    }

    /// What `***` means, once, as soon as there is one.
    pub(crate) fn meaning(&mut self) -> Option<&'static str> {
        let first = self.replaced && !self.told;
        self.told |= first;
        first.then_some(MEANING)
    }

    fn without_known(&self, text: &str) -> Option<String> {
        let mut replaced: Option<String> = None;
        for known in &self.known {
            let current = replaced.as_deref().unwrap_or(text);
            if current.contains(known.text.as_str()) {
                replaced = Some(known.replace(current));
            }
        }
        replaced
    }

    /// Remembers what a value consists of: what is in quotes, else a word.
    fn learn(&mut self, text: &str) {
        let quoted = pairs::quoted(text);
        for (content, cut) in &quoted {
            self.remember(content, *cut);
        }
        let word = text.trim().trim_end_matches('.');
        let is_number = word.chars().all(|char| char.is_ascii_digit());
        let is_word = !word.contains(|char: char| char.is_whitespace() || "()[]{}<>".contains(char))
            // What may be a name of the program's own is none.
            && word.contains(|char: char| !char.is_alphabetic() && !matches!(char, '_' | '.'));
        if quoted.is_empty() && (is_word || is_number) && !word.starts_with("0x") {
            self.remember(word, false);
        }
    }

    /// Remembers one value, as it was written and as it is meant.
    fn remember(&mut self, written: &str, cut: bool) {
        let written = written.split("\\000").next().unwrap_or(written);
        let cut = cut || written.ends_with('…') || written.ends_with("...");
        let written = written.trim_end_matches('…').trim_end_matches("...");
        let meant = unescaped(written);
        let json = meant.replace('\\', "\\\\").replace('"', "\\\"");
        let mut forms = vec![written.to_owned(), meant, json];
        forms.dedup();
        for text in forms {
            let length = text.chars().count();
            if length < LEAST || text.len() > LONGEST || text.contains(MASKED) || is_ordinary(&text)
            {
                continue;
            }
            if self.known.iter().any(|known| known.text == text) {
                continue;
            }
            if self.known.len() >= KEPT
                && let Some(oldest) = self.known.iter().map(|known| known.number).min()
            {
                self.known.retain(|known| known.number != oldest);
            }
            self.count += 1;
            let at = self
                .known
                .partition_point(|known| known.text.len() > text.len());
            let known = Known {
                text,
                cut,
                number: self.count,
            };
            self.known.insert(at, known);
        }
    }
}

impl Known {
    fn replace(&self, text: &str) -> String {
        let is_number = self.text.chars().all(|char| char.is_ascii_digit());
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(&self.text) {
            let (head, tail) = rest.split_at(at);
            out.push_str(head);
            let (found, mut behind) = tail.split_at(self.text.len());
            let within = |char: Option<char>| char.is_some_and(|char| char.is_ascii_digit());
            if is_number && (within(out.chars().next_back()) || within(behind.chars().next())) {
                // A part of another number.
                out.push_str(found);
            } else {
                if self.cut {
                    let end = behind
                        .find(|char: char| {
                            char.is_whitespace() || matches!(char, '\'' | '"' | '`' | ',')
                        })
                        .unwrap_or(behind.len());
                    behind = behind.get(end..).unwrap_or_default();
                }
                out.push_str(MASKED);
            }
            rest = behind;
        }
        out.push_str(rest);
        out
    }
}

/// Words that stand under the names of secrets and are none: types, and names of secrets themselves.
fn is_ordinary(text: &str) -> bool {
    let is_plain = text
        .chars()
        .all(|char| char.is_ascii_alphabetic() || char == '_');
    let is_type = matches!(
        text,
        "string" | "String" | "object" | "Object" | "undefined" | "function" | "number" | "boolean"
    );
    is_type
        || is_plain && is_secret_name(text)
        || text
            .chars()
            .all(|char| !char.is_alphanumeric() && char.is_ascii())
}

/// The text that is meant by one with escapes.
fn unescaped(written: &str) -> String {
    let mut meant = String::with_capacity(written.len());
    let mut chars = written.chars();
    while let Some(char) = chars.next() {
        match (char, chars.as_str().chars().next()) {
            ('\\', Some(quote @ ('\'' | '"' | '\\' | '`'))) => {
                chars.next();
                meant.push(quote);
            }
            _ => meant.push(char),
        }
    }
    meant
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_value_seen_under_a_secret_name_is_replaced_everywhere() {
        let mut secrets = Secrets::new(Mask::On);
        assert_eq!(secrets.meaning(), None);
        assert_eq!(
            secrets.text("dict_values(['deep-secret', 1])"),
            "dict_values(['deep-secret', 1])"
        );
        assert_eq!(
            secrets.value("vault['secret']", false, "'deep-secret'"),
            Some("***".to_owned())
        );
        assert_eq!(
            secrets.text("dict_values(['deep-secret', 1])"),
            "dict_values(['***', 1])"
        );
        assert!(secrets.meaning().unwrap().contains("`***`"));
        assert_eq!(secrets.meaning(), None, "once");
        let mut before = "printed deep-secret.".to_owned();
        secrets.scrub(&mut before);
        assert_eq!(before, "printed ***.");
    }

    #[test]
    fn a_value_seen_in_the_preview_of_its_holder_is_known_too() {
        let mut secrets = Secrets::new(Mask::On);
        secrets.value("c", false, "Client {password: 'js-hunter2'}");
        assert_eq!(
            secrets.value("c[\"pass\"+\"word\"]", false, "'js-hunter2'"),
            Some("'***'".to_owned())
        );
        assert_eq!(secrets.value("x", false, "'js-hunter'"), None);
        // Cut off by the adapter: what goes on behind it is a part of it.
        secrets.value("c", false, "Client {secret: 'abcdefgh…'}");
        assert_eq!(secrets.text("is abcdefghijkl, yes"), "is ***, yes");
    }

    #[test]
    fn what_counts_or_compares_is_answered() {
        let mut secrets = Secrets::new(Mask::On);
        for (expression, text, masked) in [
            ("len(password)", "7", false),
            ("password == 'x'", "False", false),
            ("password.length", "7", false),
            ("list(map(len, self.secret_keys))", "[5, 7]", false),
            (
                "list(password.encode())",
                "[104, 117, 110, 116, 101, 114, 50]",
                true,
            ),
            ("password.upper()", "'HUNTER2'", true),
            ("password[0]", "'h'", true),
            ("user.password", "1234", true),
        ] {
            assert_eq!(
                secrets.value(expression, false, text).is_some(),
                masked,
                "{expression}"
            );
        }
    }

    #[test]
    fn code_and_folders_named_like_secrets_are_shown() {
        let mut secrets = Secrets::new(Mask::On);
        for (name, text) in [
            (
                "secrets",
                "<module 'secrets' from '/usr/lib/python3/secrets.py'>",
            ),
            ("check_password", "<function check_password at 0x7f>"),
            ("checkPassword", "ƒ checkPassword(given) { return given; }"),
            ("PWD", "'/srv/project'"),
        ] {
            assert_eq!(secrets.value(name, false, text), None, "{name}");
        }
        assert_eq!(
            secrets.text("/usr/lib/python3/secrets.py"),
            "/usr/lib/python3/secrets.py"
        );
    }

    #[test]
    fn ordinary_words_under_secret_names_are_not_remembered() {
        let mut secrets = Secrets::new(Mask::On);
        secrets.text("def login(password: string, token=self.token)");
        secrets.value("token_name", false, "'access_token'");
        secrets.value("pwd", false, "'short'");
        let text = "a string, self.token, access_token, short";
        assert_eq!(secrets.text(text), text);
    }

    #[test]
    fn ordinary_values_beside_such_names_are_shown() {
        let mut secrets = Secrets::new(Mask::On).quoting(true);
        for (name, text) in [
            ("token_count", "5"),
            ("is_password", "True"),
            ("passes", "3"),
            ("token", "<Kind.PLUS: 1>"),
            ("token", "TOKEN_PLUS"),
            ("credential_kind", "'basic'"),
            ("secret", "shop::Secret::None"),
            ("auth_token", "<Auth.BASIC: 'basic'>"),
            ("password_file", "'/run/secrets/db'"),
            ("unexpected_token", "'}'"),
            ("counts", "[('password', 5), ('token', 3)]"),
            ("fields", "('password', 'email')"),
        ] {
            assert_eq!(secrets.value(name, false, text), None, "{name} = {text}");
        }
        assert_eq!(
            secrets.text("unexpected token: ';', is_password=x"),
            "unexpected token: ';', is_password=x"
        );
        let mut bare = Secrets::new(Mask::On);
        assert_eq!(
            bare.value("password", false, "hunter"),
            Some("***".to_owned())
        );
        assert_eq!(
            secrets.value("auth", false, "<Auth.KEY: 'hunter2xyz'>"),
            None,
            "no name of a secret"
        );
        assert_eq!(
            secrets.value("auth_token", false, "<Auth.KEY: 'hunter2xyz'>"),
            Some("***".to_owned())
        );
    }

    #[test]
    fn names_of_two_words_and_environments() {
        let mut secrets = Secrets::new(Mask::On);
        for (text, masked) in [
            ("{'api key': 'abcdef1'}", "{'api key': '***'}"),
            ("the api key: abcdef2", "the api key: ***"),
            ("db pass=abcdef3", "db pass=***"),
            (
                "DB_PASSWORD=two words\nHOME=/h\n",
                "DB_PASSWORD=***\nHOME=/h\n",
            ),
            (
                "['DB_PASSWORD=two words', 'A=b c']",
                "['DB_PASSWORD=***', 'A=b c']",
            ),
            ("DB_PASSWORD=x1 HOME=/h", "DB_PASSWORD=*** HOME=/h"),
            ("{'dbPassword': 'abcdef4'}", "{'dbPassword': '***'}"),
            ("Set-Cookie: sid=abcdef5; Path=/", "Set-Cookie: ***"),
        ] {
            assert_eq!(secrets.text(text), masked);
        }
    }

    fn holders() -> impl Strategy<Value = &'static str> {
        prop_oneof![
            Just("A(password='{}', n=1)"),
            Just("{'api_token': '{}', 'n': 1}"),
            Just("Client {password: '{}', n: 1}"),
            Just("main.Conf {User: \"a\", APIToken: \"{}\"}"),
            Just("Map(1) {'secret' => '{}'}"),
            Just("{\"a\": {\"db_password\": \"{}\"}}"),
            Just("{'secret_keys': ['x', '{}']}"),
            Just("[('password', '{}'), ('n', 1)]"),
            Just("(2) ['api key', '{}']"),
            Just("{'db pass': '{}'}"),
            Just("[(b'Authorization', b'{}')]"),
            Just("['run', '--token', '{}', 'x']"),
            Just("{name = 0x55 \"password\", value = 0x56 \"{}\"}"),
            Just("[('Set-Cookie', '{}')]"),
            Just("environ({'AWS_SECRET_ACCESS_KEY': '{}', 'HOME': '/h'})"),
            Just("['HOME=/h', 'DB_PASSWORD={}']"),
        ]
    }

    proptest! {
        #[test]
        fn no_value_seen_under_a_secret_name_survives(
            secret in "[A-Za-z0-9!@#%^*+.~/-]{6,30}",
            holder in holders(),
            around in prop_oneof![
                Just("{}"), Just("'{}'"), Just("x{}y"), Just("[1, '{}', {}]"), Just("Error: bad {}\n"),
                Just("url=http://h/?q={}&n=1"), Just("dict_values(['{}'])"), Just("{'k': '{}'}"),
            ],
            direct in any::<bool>(),
        ) {
            prop_assume!(!is_ordinary(&secret) && !secret.ends_with("...") && !secret.contains("***"));
            prop_assume!(!secret.starts_with("--"));
            let mut secrets = Secrets::new(Mask::On);
            let mut earlier = around.replace("{}", &secret);
            if direct {
                prop_assert_eq!(secrets.value("self.password", false, &format!("'{secret}'")), Some("***".to_owned()));
            } else {
                let shown = secrets.value("holder", false, &holder.replace("{}", &secret));
                prop_assert!(!shown.unwrap().contains(&secret));
            }
            let text = around.replace("{}", &secret);
            prop_assert!(!secrets.text(&text).contains(&secret));
            let value = secrets.value("x", false, &text);
            prop_assert!(!value.unwrap_or_default().contains(&secret));
            secrets.scrub(&mut earlier);
            prop_assert!(!earlier.contains(&secret));
        }

        #[test]
        fn any_text_is_survived(text in "\\PC{0,60}", name in "\\PC{0,10}") {
            let mut secrets = Secrets::new(Mask::On);
            secrets.value(&name, false, &text);
            let once = secrets.text(&text).into_owned();
            prop_assert_eq!(secrets.text(&once).into_owned(), once);
        }

        #[test]
        fn texts_full_of_pairs_are_survived(text in "(password|--token|n|0x5|[ '\"`:=>{}()\\[\\],…b\\\\x0-9]){0,30}") {
            let mut secrets = Secrets::new(Mask::On);
            secrets.text(&text);
            secrets.value("password", false, &text);
            secrets.text(&text);
        }
    }
}
