//! Strings of Go that are longer than what delve loads of them: the rest is asked for in pieces.

use crate::connection::Connection;
use crate::protocol::RawValue;

use super::inner::Inner;
use super::moment::FrameRef;

/// Bytes of one piece; delve gives 4096 to whoever copies a value.
const PIECE: u64 = 4000;

impl Inner {
    /// Reads on in a string up to so many characters. What cannot be read stays cut.
    pub(super) async fn lengthen(
        &self,
        link: &Connection,
        frame: &FrameRef,
        raw: &mut RawValue,
        characters: usize,
    ) {
        if !self.debugs("Go") {
            return;
        }
        let Some((shown, _)) = cut(&raw.value) else {
            return;
        };
        if shown.chars().count() > characters {
            return;
        }
        let expression = raw.name.clone();
        let length = self.piece(link, frame, &format!("len({expression})")).await;
        let Some(length) = length.and_then(|text| text.parse::<u64>().ok()) else {
            return;
        };
        let (mut text, mut from) = (String::from("\""), 0);
        while from < length && text.chars().count() <= characters {
            let to = length.min(from + PIECE);
            let asked = format!("({expression})[{from}:{to}]");
            let Some(piece) = self.piece(link, frame, &asked).await else {
                return;
            };
            let inside = piece
                .strip_prefix('"')
                .and_then(|piece| piece.strip_suffix('"'));
            let Some(inside) = inside.filter(|_| cut(&piece).is_none()) else {
                return;
            };
            // A character that the piece ends within begins the next one.
            let (whole, bytes) = match to < length {
                true => without_parts(inside),
                false => (inside, 0),
            };
            text.push_str(whole);
            from = to - bytes;
        }
        text.push_str(&match length - from {
            0 => "\"".to_owned(),
            rest => format!("...+{rest} more\""),
        });
        raw.value = text;
    }

    async fn piece(&self, link: &Connection, frame: &FrameRef, asked: &str) -> Option<String> {
        let limit = self.config.limits.evaluate;
        let raw = self
            .evaluate_as(link, frame, asked, "clipboard", limit)
            .await;
        raw.ok().map(|raw| raw.value)
    }
}

/// A string that delve has cut: what it shows, and how much more there is.
pub(super) fn cut(text: &str) -> Option<(&str, usize)> {
    let (shown, rest) = text.rsplit_once("...+")?;
    let more = rest.strip_suffix(" more\"")?.parse().ok()?;
    Some((shown, more))
}

/// A quoted text without the bytes of a character at its end that is not whole, and how many those are.
fn without_parts(text: &str) -> (&str, u64) {
    let mut whole = text;
    for bytes in 0..3 {
        let begin = whole.len().wrapping_sub(4);
        match whole.get(begin..) {
            Some(last) if last.starts_with("\\x") && last >= "\\x80" => {
                whole = whole.get(..begin).unwrap_or_default();
            }
            _ => return (whole, bytes),
        }
    }
    (whole, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_delve_has_cut_is_known() {
        assert_eq!(cut("\"abc...+9488 more\""), Some(("\"abc", 9488)));
        assert_eq!(cut("\"abc\""), None);
        assert_eq!(cut("[1,2,...+3 more]"), None);
    }

    #[test]
    fn a_character_is_not_cut_in_two() {
        assert_eq!(without_parts("abc"), ("abc", 0));
        assert_eq!(without_parts(r"abc\xe2"), ("abc", 1));
        assert_eq!(without_parts(r"abc\xe2\x82"), ("abc", 2));
        assert_eq!(without_parts(r"ab\x01"), (r"ab\x01", 0));
    }
}
