//! The blocking and the asynchronous front end give what the decoder gives.

use std::io::{self, BufReader, Read, Write};

use bytes::Bytes;
use fourfold_framing::{Frame, FrameError, FrameReader, FrameWriter, Limits};

use crate::support::{A, B, C, decode, frame};

fn troubled() -> Vec<u8> {
    [
        b"Listening...\n".to_vec(),
        frame(A),
        b"Content-Length: x\r\n\r\n".to_vec(),
        frame(B),
        b"oops".to_vec(),
        frame(C),
        b"Content-Length: 9\r\n\r\n{".to_vec(),
    ]
    .concat()
}

/// Gives one byte a call, and is interrupted before each.
struct Halting<'a> {
    input: &'a [u8],
    halted: bool,
}

impl Read for Halting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.halted = !self.halted;
        if self.halted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.input.read(&mut buffer[..1])
    }
}

#[test]
fn the_blocking_reader_gives_the_same_items() {
    let input = troubled();
    let (expected, _) = decode([&input[..]], &Limits::default());
    assert_eq!(expected.len(), 6);
    let source = Halting {
        input: &input,
        halted: false,
    };
    let mut reader = FrameReader::new(BufReader::new(source), Limits::default());
    for item in expected {
        assert_eq!(reader.read().unwrap(), Some(item));
    }
    for _ in 0..2 {
        let end = reader.read();
        assert!(matches!(
            end,
            Err(FrameError::Truncated {
                have: 1,
                want: Some(9)
            })
        ));
    }
    assert_eq!(reader.decoder().charset(), None);
}

#[test]
fn a_failing_source_is_an_error_with_its_cause() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("unplugged"))
        }
    }
    let mut reader = FrameReader::new(BufReader::new(Broken), Limits::default());
    let error = reader.read().unwrap_err();
    let cause = std::error::Error::source(&error).unwrap();
    assert_eq!(cause.to_string(), "unplugged");
}

#[test]
fn what_was_read_of_a_body_before_an_error_is_kept() {
    /// Fails once, when `before` is used up.
    struct Loose<'a> {
        before: &'a [u8],
        after: &'a [u8],
        failed: bool,
    }
    impl Read for Loose<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if !self.before.is_empty() {
                return self.before.read(buffer);
            }
            if !std::mem::replace(&mut self.failed, true) {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            self.after.read(buffer)
        }
    }
    let large = [b"[", &[b' '; 40_000][..], b"]"].concat();
    for (body, step) in [(A, 1), (&large[..], 1009)] {
        let input = frame(body);
        for cut in (0..input.len()).step_by(step) {
            let (before, after) = input.split_at(cut);
            let source = Loose {
                before,
                after,
                failed: false,
            };
            let mut reader =
                FrameReader::new(BufReader::with_capacity(5, source), Limits::default());
            assert!(matches!(reader.read(), Err(FrameError::Io(_))), "{cut}");
            assert_eq!(
                reader.read().unwrap(),
                Some(Frame::Body(Bytes::copy_from_slice(body))),
                "{cut}"
            );
            assert_eq!(reader.read().unwrap(), None, "{cut}");
        }
    }
}

/// Takes `limit` bytes a call, and records the size of each.
struct Narrow {
    limit: usize,
    taken: Vec<u8>,
    calls: Vec<usize>,
}

impl Write for Narrow {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let size = data.len().min(self.limit);
        self.taken.extend_from_slice(&data[..size]);
        self.calls.push(size);
        Ok(size)
    }

    fn write_vectored(&mut self, parts: &[io::IoSlice<'_>]) -> io::Result<usize> {
        let whole: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        self.write(&whole)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_frame_leaves_in_one_write_or_in_order() {
    for limit in 1..100 {
        let mut writer = FrameWriter::new(Narrow {
            limit,
            taken: Vec::new(),
            calls: Vec::new(),
        });
        writer.write(B).unwrap();
        let sink = writer.into_inner();
        assert_eq!(sink.taken, frame(B), "{limit}");
        if limit >= frame(B).len() {
            assert_eq!(sink.calls, [frame(B).len()], "header and body together");
        }
    }
}

#[test]
fn a_sink_that_takes_nothing_is_an_error() {
    let mut full = [0; 10];
    let error = FrameWriter::new(&mut full[..]).write(A).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::WriteZero);
}

#[cfg(feature = "tokio")]
mod tokio {
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use bytes::BytesMut;
    use fourfold_framing::{Frame, FrameCodec};
    use futures_core::Stream;
    use tokio_util::codec::{Encoder, FramedRead};

    use super::*;

    type Source<'a> = FramedRead<&'a [u8], FrameCodec>;

    /// The next item of a stream over memory, which is always ready.
    fn next(stream: &mut Source<'_>) -> Option<Result<Frame, FrameError>> {
        let mut context = Context::from_waker(Waker::noop());
        match Pin::new(stream).poll_next(&mut context) {
            Poll::Ready(item) => item,
            Poll::Pending => panic!("memory is always ready"),
        }
    }

    #[test]
    fn the_stream_goes_on_after_trouble_and_ends_after_an_error() {
        let input = troubled();
        let (expected, _) = decode([&input[..]], &Limits::default());
        let mut stream = Source::new(&input[..], FrameCodec::default());
        for item in expected {
            assert_eq!(next(&mut stream).unwrap().unwrap(), item);
        }
        let end = next(&mut stream).unwrap();
        assert!(matches!(
            end,
            Err(FrameError::Truncated {
                have: 1,
                want: Some(9)
            })
        ));
        assert!(next(&mut stream).is_none());
        assert_eq!(stream.decoder().decoder().charset(), None);
    }

    #[test]
    fn noise_at_the_end_is_told_before_the_stream_ends() {
        let mut stream = Source::new(&b"command not found"[..], FrameCodec::default());
        let item = next(&mut stream).unwrap().unwrap();
        assert!(matches!(item, Frame::Skipped(skipped) if skipped.bytes == 17));
        assert!(next(&mut stream).is_none());
    }

    #[test]
    fn frames_are_written() {
        let mut codec = FrameCodec::default();
        let mut buffer = BytesMut::new();
        codec.encode(A, &mut buffer).unwrap();
        codec.encode(B.to_vec(), &mut buffer).unwrap();
        assert_eq!(buffer, [frame(A), frame(B)].concat());
    }
}
