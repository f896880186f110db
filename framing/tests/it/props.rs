//! Properties of any input, tried with inputs that are nearly right.

use bytes::{Bytes, BytesMut};
use fourfold_framing::{Frame, Limits, SkipReason, encode};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::alloc::largest;
use crate::checks;

/// Pieces that streams are made of, good and bad.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(vec![
        "Content-Length: ",
        "content-length:",
        "Content-Length : 5",
        "Content-Len",
        "Content-Type: a/b; charset=utf-16",
        "INFO: x",
        "\r\n",
        "\n",
        "\r",
        "\r\n\r\n",
        "\n\n",
        "{}",
        "[",
        " ",
        ":",
        "0",
        "7",
        "12",
        "-1",
        "99999999999999999999",
        "\u{feff}",
        "汉字",
        "\0",
    ]);
    prop_oneof![
        6 => words.prop_map(|word| word.as_bytes().to_vec()),
        2 => vec(any::<u8>(), 0..20),
        1 => (0u8..8, 100usize..300).prop_map(|(byte, count)| vec![b'a' + byte; count]),
        4 => (0usize..40).prop_map(|length| {
            let mut buffer = BytesMut::new();
            encode(format!("{{{}", "b".repeat(length)), &mut buffer);
            buffer.to_vec()
        }),
    ]
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    vec(piece(), 0..40).prop_map(|pieces| pieces.concat())
}

/// Lines that nobody takes for a header.
fn noise() -> impl Strategy<Value = String> {
    "([\\[(<][^\\n\\r:]{0,30}(\\r?\\n)?){1,4}"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_split_of_any_stream_gives_the_same(sizes in any::<[u8; 4]>(), stream in stream()) {
        checks::decode_chunks(&[&sizes, &stream[..]].concat());
    }

    #[test]
    fn any_bytes_do_no_harm(bytes in vec(any::<u8>(), 0..2000)) {
        checks::decode_chunks(&bytes);
        checks::noise_resync(&bytes);
        checks::roundtrip(&bytes);
    }

    /// Also on the word of headers that declare more than comes.
    #[test]
    fn no_allocation_is_larger_than_what_came_and_a_mebibyte(
        parts in vec((vec(any::<u8>(), 0..300), 0_u64..100 << 20), 0..6),
        sizes in any::<[u8; 4]>(),
    ) {
        let mut stream = Vec::new();
        for (noise, declared) in &parts {
            stream.extend_from_slice(noise);
            stream.extend_from_slice(format!("Content-Length: {declared}\r\n\r\n").as_bytes());
        }
        let limits = Limits { max_body: 128 << 20, ..Limits::default() };
        largest();
        checks::run(&stream, &sizes, &limits);
        let most = stream.len() + (1 << 20);
        let largest = largest();
        prop_assert!(largest <= most, "{largest} bytes at once, of {} that came", stream.len());
    }

    #[test]
    fn a_good_frame_is_found_behind_anything_without_the_field_name(stream in stream()) {
        checks::noise_resync(&stream);
    }

    #[test]
    fn frames_and_noise_are_told_apart_to_the_byte(
        parts in vec((proptest::option::of(noise()), ".{0,40}"), 0..20),
        sizes in any::<[u8; 4]>(),
    ) {
        let mut stream = BytesMut::new();
        let mut expected = Vec::new();
        for (noise, text) in &parts {
            if let Some(noise) = noise {
                stream.extend_from_slice(noise.as_bytes());
                expected.push((noise.len() as u64, None));
            }
            let body = Bytes::from(format!("[\"{text}\"]"));
            encode(&body, &mut stream);
            expected.push((0, Some(body)));
        }
        let (items, error) = checks::run(&stream, &sizes, &Limits::default());
        prop_assert_eq!(error, None);
        let got: Vec<_> = items.into_iter().map(|item| match item {
            Frame::Body(body) => (0, Some(body)),
            Frame::Skipped(skipped) => {
                assert_eq!(skipped.reason, SkipReason::Noise);
                (skipped.bytes, None)
            }
        }).collect();
        prop_assert_eq!(got, expected);
    }
}
