//! The table of what programs really send: each row in one piece, in equal chunks of every size up
//! to 64, and cut once at every position.

use fourfold_framing::Limits;

use crate::support::{A, B, C, frame, outcome};

/// The three good frames with `x` in place of the first one.
fn first(x: impl AsRef<[u8]>) -> Vec<u8> {
    [x.as_ref(), &frame(B), &frame(C)].concat()
}

/// The three good frames with `x` before the first one.
fn before(x: impl AsRef<[u8]>) -> Vec<u8> {
    first([x.as_ref(), &frame(A)].concat())
}

/// The three good frames with `x` behind the first one.
fn middle(x: impl AsRef<[u8]>) -> Vec<u8> {
    first([&frame(A), x.as_ref()].concat())
}

/// The three good frames, the first with `header` (its blank line included).
fn header(header: &str) -> Vec<u8> {
    first([header.as_bytes(), A].concat())
}

/// The three good frames with another body in the first one.
fn body(body: impl AsRef<[u8]>) -> Vec<u8> {
    first(frame(body.as_ref()))
}

#[track_caller]
fn check(name: &str, input: &[u8], expected: &str) {
    check_within(name, input, expected, &Limits::default());
}

#[track_caller]
fn check_within(name: &str, input: &[u8], expected: &str, limits: &Limits) {
    assert_eq!(outcome([input], limits), expected, "{name}, whole");
    for size in 1..=64 {
        let got = outcome(input.chunks(size), limits);
        assert_eq!(got, expected, "{name}, chunks of {size}");
    }
    for at in 0..=input.len() {
        let (left, right) = input.split_at(at);
        let got = outcome([left, right], limits);
        assert_eq!(got, expected, "{name}, cut at {at}");
    }
}

/// The first thing that goes wrong in a decoder of chunks.
#[test]
fn cr_and_lf_of_a_header_arrive_apart() {
    let end = "Content-Length: 10\r\n\r\n".len();
    let input = frame(A);
    for cut in [end - 3, end - 2, end - 1] {
        let (left, right) = input.split_at(cut);
        assert_eq!(outcome([left, right], &Limits::default()), "A", "{cut}");
    }
    let apart = [&b"Content-Length: 10\r"[..], b"\n", b"\r", b"\n", A];
    assert_eq!(outcome(apart, &Limits::default()), "A");
}

#[test]
fn banners_before_the_first_frame() {
    check("clean_3", &before(""), "A B C");
    check("banner_lf", &before("Listening\n"), "Noise(10) A B C");
    check("banner_crlf", &before("Listening\r\n"), "Noise(11) A B C");
    check(
        "banner_colon_lf",
        &before("[info] on: x\n"),
        "Noise(13) A B C",
    );
    check(
        "banner_colon_crlf",
        &before("[info] on: x\r\n"),
        "Noise(14) A B C",
    );
    check(
        "banner_blank_crlf",
        &before("Hello\r\n\r\n"),
        "Noise(9) A B C",
    );
    check("banner_blank_lf", &before("Hello\n\n"), "Noise(7) A B C");
    check(
        "banner_non_utf8",
        &before(b"\xff\xfe\x80\n"),
        "Noise(4) A B C",
    );
    check("banner_nonewline", &before("Hello..."), "Noise(8) A B C");
    check("bom_before", &before("\u{feff}"), "Noise(3) A B C");
    check("nul_before", &before("\0\0"), "Noise(2) A B C");
}

#[test]
fn garbage_between_frames() {
    check("garbage_mid_lf", &middle("oops\n"), "A Noise(5) B C");
    check("garbage_mid_crlf", &middle("oops\r\n"), "A Noise(6) B C");
    check("garbage_mid_nonewline", &middle("oops"), "A Noise(4) B C");
    check("extra_crlf_mid", &middle("\r\n"), "A B C");
    check("extra_lf_mid", &middle("\n"), "A B C");
    check("extra_crlfcrlf_mid", &middle("\r\n\r\n"), "A B C");
}

#[test]
fn spellings_of_a_good_header() {
    for (name, text) in [
        ("lowercase_hdr", "content-length: 10\r\n\r\n"),
        ("no_space", "Content-Length:10\r\n\r\n"),
        ("extra_spaces", "Content-Length:   10  \r\n\r\n"),
        ("space_before_colon", "Content-Length : 10\r\n\r\n"),
        (
            "ctype_before",
            "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 10\r\n\r\n",
        ),
        (
            "ctype_after",
            "Content-Length: 10\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n",
        ),
        (
            "ctype_UTF8_upper",
            "Content-Length: 10\r\nContent-Type: a/b; charset=UTF-8\r\n\r\n",
        ),
        (
            "ctype_quoted",
            "Content-Length: 10\r\nContent-Type: a/b; charset=\"utf-8\"\r\n\r\n",
        ),
        (
            "ctype_nocharset",
            "Content-Length: 10\r\nContent-Type: a/b\r\n\r\n",
        ),
        (
            "ctype_utf16",
            "Content-Length: 10\r\nContent-Type: a/b; charset=utf-16\r\n\r\n",
        ),
        (
            "three_headers",
            "X-A: 1\r\nContent-Length: 10\r\nX-B: 2\r\n\r\n",
        ),
        ("lf_only", "Content-Length: 10\n\n"),
        ("crlf_then_lf", "Content-Length: 10\r\n\n"),
        (
            "dup_same",
            "Content-Length: 10\r\nContent-Length: 10\r\n\r\n",
        ),
        ("leading_zero", "Content-Length: 0010\r\n\r\n"),
    ] {
        check(name, &header(text), "A B C");
    }
}

#[test]
fn headers_that_are_not_believed() {
    check(
        "dup_last_right",
        &header("Content-Length: 3\r\nContent-Length: 10\r\n\r\n"),
        "ConflictingLength(51) B C",
    );
    check(
        "dup_first_right",
        &header("Content-Length: 10\r\nContent-Length: 3\r\n\r\n"),
        "ConflictingLength(51) B C",
    );
    check(
        "zero_len",
        &before("Content-Length: 0\r\n\r\n"),
        "EmptyBody(21) A B C",
    );
    check(
        "negative",
        &header("Content-Length: -10\r\n\r\n"),
        "BadLength(33) B C",
    );
    check(
        "minus_one",
        &header("Content-Length: -1\r\n\r\n"),
        "BadLength(32) B C",
    );
    check(
        "plus_sign",
        &header("Content-Length: +10\r\n\r\n"),
        "BadLength(33) B C",
    );
    check(
        "overflow_u64",
        &header("Content-Length: 18446744073709551616\r\n\r\n"),
        "BadLength(50) B C",
    );
    check(
        "not_number",
        &header("Content-Length: ten\r\n\r\n"),
        "BadLength(33) B C",
    );
    check(
        "num_suffix",
        &header("Content-Length: 10abc\r\n\r\n"),
        "BadLength(35) B C",
    );
    check(
        "missing_cl",
        &header("Content-Type: a/b\r\n\r\n"),
        "MissingLength(31) B C",
    );
    check(
        "huge_8EiB",
        &header("Content-Length: 9223372036854775807\r\n\r\n"),
        "!TooLarge(9223372036854775807)",
    );
    check(
        "huge_1TB",
        &header("Content-Length: 1000000000000\r\n\r\n"),
        "!TooLarge(1000000000000)",
    );
}

#[test]
fn odd_bodies() {
    check(
        "bad_utf8_body",
        &body(b"{\"\xff\xfe\"}"),
        r#""{\"\xff\xfe\"}" B C"#,
    );
    check(
        "bom_in_body",
        &body("\u{feff}{}"),
        r#""\xef\xbb\xbf{}" B C"#,
    );
    check("nul_in_body", &body("{\"\0\"}"), r#""{\"\x00\"}" B C"#);
    check("not_json_body", &body("hello"), "NotJson(26) B C");
    let swallowed = [b"log text\n", &frame(A)[..]].concat();
    check(
        "a length that swallows a frame",
        &body(swallowed),
        "NotJson(31) A B C",
    );
    check("blank_body", &body("  \r\n"), "NotJson(25) B C");
    check("blank_before_json", &body(" \r\n{}"), r#"" \r\n{}" B C"#);
    check("array", &body("[]"), r#""[]" B C"#);
    check(
        "multi_byte_text",
        &body("{\"é\":\"汉字😀\"}"),
        r#""{\"\xc3\xa9\":\"\xe6\xb1\x89\xe5\xad\x97\xf0\x9f\x98\x80\"}" B C"#,
    );
    check(
        "field name in a body",
        &body("[\"\nContent-Length: 5\r\n\r\n{}\"]"),
        r#""[\"\nContent-Length: 5\r\n\r\n{}\"]" B C"#,
    );
    let everything = Limits {
        check_body: false,
        ..Limits::default()
    };
    check_within("unchecked", &body("hello"), "\"hello\" B C", &everything);
}

#[test]
fn wrong_lengths() {
    check(
        "short_by_1",
        &header("Content-Length: 9\r\n\r\n"),
        r#""{\"id\":\"A\"" Noise(1) B C"#,
    );
    check(
        "long_by_1",
        &header("Content-Length: 11\r\n\r\n"),
        r#""{\"id\":\"A\"}C" MissingLength(42) C"#,
    );
}

#[test]
fn ends_of_input() {
    let cut = |rest: &str| [&frame(A), rest.as_bytes()].concat();
    check("empty", b"", "");
    check("eof_mid_header", &cut("Content-Len"), "A !Truncated(11)");
    check(
        "eof_mid_number",
        &cut("Content-Length: 2"),
        "A !Truncated(17)",
    );
    check(
        "eof_before_blank",
        &cut("Content-Length: 2\r\n"),
        "A !Truncated(19)",
    );
    check(
        "eof_before_body",
        &cut("Content-Length: 2\r\n\r\n"),
        "A !Truncated(0/2)",
    );
    check(
        "eof_mid_body",
        &cut("Content-Length: 20\r\n\r\n{\"id\""),
        "A !Truncated(5/20)",
    );
    check("eof_noise", &cut("Segmentation fault"), "A Noise(18)");
    check("eof_noise_line", &cut("panicked: at x\n"), "A Noise(15)");
    check("eof_blank", &cut("\r\n"), "A");
    check(
        "eof_noise_then_header",
        &cut("oops\nContent-Le"),
        "A Noise(5) !Truncated(10)",
    );
    check("eof_bad", &cut("Content-Length: x\n\n"), "A BadLength(19)");
}

#[test]
fn a_line_of_a_log_amid_frames() {
    check(
        "inside a header",
        &header("Content-Length: 10\r\nlog line\r\n\r\n"),
        "Noise(10) A B C",
    );
    check(
        "a header that was given up",
        &before("Content-Length: 99\r\nrestarted\r\n"),
        "Noise(31) A B C",
    );
    check(
        "a log quoting a header",
        &before("got Content-Length: 99\n"),
        "Noise(23) A B C",
    );
    check(
        "the same before noise",
        &before("got Content-Length: 99\nand so on\n"),
        "Noise(33) A B C",
    );
    check(
        "a quoted header with a blank line",
        &before("got Content-Length: 9\n\nand so on\n"),
        "Noise(4) NotJson(29) A B C",
    );
    check(
        "fields, then a glued header",
        &before("a: b\nc: d "),
        "Noise(10) A B C",
    );
    check("a field without meaning", &before("INFO: ready\n"), "A B C");
    check(
        "fields and a blank line",
        &before("INFO: ready\n\n"),
        "MissingLength(13) A B C",
    );
    check(
        "text-mode line ends",
        &header("Content-Length: 10\r\r\n\r\r\n"),
        "A B C",
    );
    check(
        "a longer name",
        &header("Content-Length: 10\r\nX-Content-Length: 5\r\n\r\n"),
        "A B C",
    );
    check(
        "a longer name first",
        &header("X-Content-Length: 5\r\nContent-Length: 10\r\n\r\n"),
        "Noise(21) A B C",
    );
    check(
        "broken, then glued",
        &before("Content-Length: "),
        "Noise(16) A B C",
    );
    check("part of a name", &before("Content-Len"), "Noise(11) A B C");
    check(
        "part of a name in other case",
        &before("CONTENT-LENGTH\n"),
        "Noise(15) A B C",
    );
    check(
        "colours",
        &before("\u{1b}[2K\r 50% ##\r\u{1b}[2K"),
        "Noise(17) A B C",
    );
    check(
        "incidents of two kinds",
        &before("oops\nContent-Length: x\n\nContent-Length: 0\n\n"),
        "Noise(5) BadLength(19) EmptyBody(19) A B C",
    );
    check(
        "blank lines within an incident",
        &before("\noops\n\n"),
        "Noise(7) A B C",
    );
}

#[test]
fn many_frames_in_one_chunk() {
    let input: Vec<u8> = (0..100).flat_map(|_| frame(B)).collect();
    assert_eq!(
        outcome([&input[..]], &Limits::default()),
        vec!["B"; 100].join(" ")
    );
}
