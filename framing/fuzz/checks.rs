//! What holds for any bytes: used by the fuzz targets, and by the tests for the committed corpus.

use bytes::{Bytes, BytesMut};
use fourfold_framing::{Decoder, Frame, Limits, SkipReason, encode};

/// Everything that comes out of `input`, cut into chunks of the sizes of `sizes` (again and again),
/// and the error at the end.
pub(crate) fn run(input: &[u8], sizes: &[u8], limits: &Limits) -> (Vec<Frame>, Option<String>) {
    let mut decoder = Decoder::new(limits.clone());
    let mut buffer = BytesMut::new();
    let mut items = Vec::new();
    let mut sizes = sizes.iter().cycle();
    let mut rest = input;
    loop {
        let size = sizes
            .next()
            .map_or(rest.len(), |&size| usize::from(size) + 1);
        let (chunk, more) = rest.split_at(size.min(rest.len()));
        rest = more;
        buffer.extend_from_slice(chunk);
        loop {
            let (length, step) = (buffer.len(), decoder.decode(&mut buffer));
            match step {
                Ok(Some(item)) => items.push(item),
                Ok(None) => break,
                Err(error) => return (items, Some(error.to_string())),
            }
            assert!(buffer.len() <= length, "a decoder only takes");
            assert!(items.len() <= 2 * input.len() + 1, "no progress");
        }
        let kept = limits.max_header + limits.max_line.max(128) + limits.max_body;
        assert!(buffer.len() <= kept, "{} bytes are kept", buffer.len());
        if rest.is_empty() {
            break;
        }
    }
    loop {
        match decoder.finish(&mut buffer) {
            Ok(Some(item)) => items.push(item),
            Ok(None) => return (items, None),
            Err(error) => return (items, Some(error.to_string())),
        }
        assert!(items.len() <= 2 * input.len() + 2, "no progress at the end");
    }
}

/// Small limits, so that small inputs reach them.
pub(crate) fn small() -> Limits {
    Limits {
        max_line: 128,
        max_header: 160,
        max_noise: 400,
        max_body: 300,
        sample: 16,
        check_body: true,
    }
}

/// The first bytes say how the others are cut; whole and cut, the same comes out.
pub(crate) fn decode_chunks(data: &[u8]) {
    let (sizes, input) = data.split_at(data.len().min(4));
    for limits in [small(), Limits::default()] {
        let whole = run(input, &[], &limits);
        assert_eq!(run(input, sizes, &limits), whole);
        assert_eq!(run(input, &[0], &limits), whole);
    }
}

/// The lines of `data` as bodies, through the encoder and back.
pub(crate) fn roundtrip(data: &[u8]) {
    let bodies: Vec<Bytes> = data
        .split(|&byte| byte == b'\n')
        .map(|line| [b"{", line].concat().into())
        .collect();
    let mut buffer = BytesMut::new();
    for body in &bodies {
        encode(body, &mut buffer);
    }
    let frames = bodies.into_iter().map(Frame::Body).collect();
    assert_eq!(run(&buffer, &[], &Limits::default()), (frames, None));
}

/// Noise that does not name the field, and no more of it than is allowed, costs no frame.
pub(crate) fn noise_resync(data: &[u8]) {
    let limits = Limits::default();
    let named = data
        .windows(14)
        .any(|part| part.eq_ignore_ascii_case(b"content-length"));
    if named || data.len() > limits.max_noise {
        return;
    }
    let mut buffer = BytesMut::from(data);
    encode("{\"found\":1}", &mut buffer);
    let (items, error) = run(&buffer, &[], &limits);
    assert_eq!(error, None);
    let Some((last, skipped)) = items.split_last() else {
        panic!("a frame was sent");
    };
    assert_eq!(*last, Frame::Body("{\"found\":1}".into()));
    let mut bytes = 0;
    for item in skipped {
        let Frame::Skipped(skipped) = item else {
            panic!("a frame that nobody sent: {item:?}");
        };
        let reasons = [SkipReason::Noise, SkipReason::MissingLength];
        assert!(reasons.contains(&skipped.reason), "{skipped}");
        bytes += skipped.bytes;
    }
    assert!(bytes <= data.len() as u64, "more was skipped than was sent");
}
