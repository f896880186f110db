//! What happens at each limit, and what a person reads about it.

use bytes::BytesMut;
use expect_test::expect;
use fourfold_framing::{Decoder, Frame, FrameError, Limits};

use crate::support::{A, decode, frame, outcome};

/// The outcome, which is the same for every chunk size.
#[track_caller]
fn check(input: &[u8], limits: &Limits, expected: &str) {
    for size in [1, 7, 64, 1000, 8192, input.len().max(1)] {
        assert_eq!(outcome(input.chunks(size), limits), expected, "{size}");
    }
}

#[test]
fn noise_up_to_the_limit_is_survived() {
    let limits = Limits::default();
    for (kind, unit) in [
        ("lines", "noise, noise\n"),
        ("one line", "noise noise "),
        ("fields", "a: bcd\n"),
    ] {
        let noise = unit.repeat((limits.max_noise) / unit.len());
        let input = [noise.as_bytes(), &frame(A)].concat();
        let (items, end) = decode([&input[..]], &limits);
        assert!(end.is_ok(), "{kind}");
        assert_eq!(items.last(), Some(&Frame::Body(A.into())), "{kind}");
        let more = [noise.as_bytes(), noise.as_bytes(), &frame(A)].concat();
        check(&more, &limits, "!TooMuchNoise");
    }
    check(&b"\n".repeat(70_000), &limits, "!TooMuchNoise");
}

#[test]
fn noise_is_counted_since_the_last_good_frame() {
    let limits = Limits {
        max_noise: 100,
        ..Limits::default()
    };
    let round = [&b"x".repeat(99)[..], b"\n", &frame(A)].concat();
    check(
        &round.repeat(3),
        &limits,
        "Noise(100) A Noise(100) A Noise(100) A",
    );
    let round = [&b"x".repeat(100)[..], b"\n", &frame(A)].concat();
    check(&round, &limits, "!TooMuchNoise");
    // Also at the end of the input, and without a line end.
    check(&b"x".repeat(100), &limits, "Noise(100)");
    check(&b"x".repeat(101), &limits, "!TooMuchNoise");
    // Headers that are not believed count too.
    check(
        &b"Content-Length: 0\n\n".repeat(6),
        &limits,
        "EmptyBody(19) EmptyBody(19) EmptyBody(19) EmptyBody(19) EmptyBody(19) !TooMuchNoise",
    );
}

#[test]
fn a_header_just_over_its_limit_is_noise() {
    // 19 bytes of the field's line, 2 of the blank one.
    let limits = |max_header| Limits {
        max_header,
        ..Limits::default()
    };
    let input = b"Content-Length: 2\r\n\r\n{}";
    check(input, &limits(21), "\"{}\"");
    check(input, &limits(20), "Noise(23)");
}

#[test]
fn a_long_line_keeps_its_end() {
    let limits = Limits {
        max_line: 200,
        ..Limits::default()
    };
    for length in [100, 135, 136, 150, 177, 178, 190, 199, 200, 201, 500, 1000] {
        let input = [&b"x".repeat(length)[..], &frame(A)].concat();
        check(&input, &limits, &format!("Noise({length}) A"));
    }
    // What is left of a line is not taken for its beginning.
    let input = [
        &b"x".repeat(200 - 64)[..],
        b"name: value",
        &b" ".repeat(53),
        b"\n\n",
        &frame(A),
    ]
    .concat();
    check(&input, &limits, "Noise(202) A");
    let input = [&b"\r".repeat(300)[..], b"\n", &frame(A)].concat();
    check(&input, &limits, "Noise(301) A");
}

#[test]
fn a_long_header_loses_its_beginning() {
    let limits = Limits {
        max_header: 100,
        ..Limits::default()
    };
    let fields = "name: value\n".repeat(20);
    check(
        &[fields.as_bytes(), &frame(A)].concat(),
        &limits,
        "Noise(192) A",
    );
    let input = format!("Content-Length: 10\n{fields}\n");
    check(
        &[input.as_bytes(), &frame(A)].concat(),
        &limits,
        "Noise(187) MissingLength(73) A",
    );
}

#[test]
fn tiny_limits_are_limits() {
    let limits = Limits {
        max_line: 0,
        max_header: 0,
        max_noise: 0,
        max_body: 10,
        sample: 0,
        check_body: true,
    };
    check(&frame(A), &limits, "!TooMuchNoise");
    let limits = Limits {
        max_header: 22,
        ..limits
    };
    check(&frame(A).repeat(2), &limits, "A A");
    check(&frame(b"{1234567890"), &limits, "!TooLarge(11)");
}

#[test]
fn the_largest_length_of_an_unlimited_decoder() {
    let limits = Limits {
        max_body: usize::MAX,
        ..Limits::default()
    };
    let input = b"Content-Length: 18446744073709551615\r\n\r\n{";
    let (items, end) = decode([&input[..]], &limits);
    assert!(items.is_empty());
    assert!(matches!(end, Err(FrameError::Truncated { have: 1, .. })));
}

#[test]
fn a_failed_decoder_stays_failed() {
    let mut decoder = Decoder::new(Limits::default());
    let mut buffer = BytesMut::from("Content-Length: 99999999999\n\n{}");
    for _ in 0..3 {
        let error = decoder.decode(&mut buffer).unwrap_err();
        assert!(matches!(
            error,
            FrameError::BodyTooLarge {
                declared: 99_999_999_999,
                ..
            }
        ));
        assert!(decoder.finish(&mut buffer).is_err());
        buffer.extend_from_slice(&frame(A));
    }
}

#[test]
fn the_charset_of_the_last_body() {
    let mut decoder = Decoder::new(Limits::default());
    let mut buffer = BytesMut::from("Content-Type: a/b; charset=latin1\nContent-Length: 2\n\n{}");
    buffer.extend_from_slice(&frame(A));
    assert_eq!(decoder.charset(), None);
    assert!(decoder.decode(&mut buffer).unwrap().is_some());
    assert_eq!(decoder.charset(), Some("latin1"));
    assert!(decoder.decode(&mut buffer).unwrap().is_some());
    assert_eq!(decoder.charset(), None);
}

#[test]
fn a_body_is_a_slice_of_the_buffer() {
    let mut decoder = Decoder::new(Limits::default());
    let mut buffer = BytesMut::from(&frame(A)[..]);
    let place = buffer.as_ptr() as usize + buffer.len() - A.len();
    let body = decoder
        .decode(&mut buffer)
        .unwrap()
        .unwrap()
        .into_body()
        .unwrap();
    assert_eq!(body.as_ptr() as usize, place);
}

#[test]
fn what_a_person_reads() {
    let limits = Limits {
        max_noise: 60,
        sample: 20,
        ..Limits::default()
    };
    let mut told = String::new();
    for input in [
        &b"\x1b[1mLoading the project model\n"[..],
        b"Content-Length: many\n\n",
        b"Content-Length: 1\n\n",
        b"Content-Length: 5\n\nhello",
        b"usage: tool [options]\n usage usage usage usage usage usage usage\n",
        b"Content-Length: 2000000000\n\n",
        b"Content-Length: 20\n\n{",
        b"Content-Le",
    ] {
        let (items, end) = decode([input], &limits);
        for item in items {
            if let Frame::Skipped(skipped) = item {
                told += &format!("{skipped}\n");
            }
        }
        if let Err(error) = end {
            told += &format!("{error}\n");
        }
    }
    expect![[r#"
        skipped 30 bytes, not part of a message: "\x1b[1mLoading the proj"…
        skipped 22 bytes, a Content-Length that is not a number: "Content-Length: many"…
        reading a message: the input ended inside a body, after 0 of 1 bytes; the program that wrote it died or closed its output, look at its standard error and exit status
        skipped 24 bytes, a body that is not JSON: "Content-Length: 5\n\nh"…
        looking for a message: 65 bytes went by that are none (the limit is 60), beginning with "usage: tool [options"; check that the command is one that speaks the protocol on its standard output
        reading a message: its header declares 2000000000 bytes and the limit is 67108864; end the program that sent it, or raise `Limits::max_body` if messages of that size are expected
        reading a message: the input ended inside a body, after 1 of 20 bytes; the program that wrote it died or closed its output, look at its standard error and exit status
        reading a message: the input ended inside a header, after 10 bytes of it; the program that wrote it died or closed its output, look at its standard error and exit status
    "#]].assert_eq(&told);
}
