//! Memory: what is allocated on the word of a header, and in the long run.
#![allow(
    unsafe_code,
    reason = "an allocator that counts is an unsafe trait; it passes every call on"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bytes::BytesMut;
use fourfold_framing::{Decoder, Frame, Limits};

use crate::support::{A, frame};

const MIB: usize = 1 << 20;

thread_local! {
    /// The largest allocation of this thread, and their number, since they were last reset.
    static LARGEST: Cell<usize> = const { Cell::new(0) };
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn count(size: usize) {
    // A thread that is ending has no counters any more.
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(size)));
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is the system allocator's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The largest allocation of this thread since the last call.
pub(crate) fn largest() -> usize {
    LARGEST.replace(0)
}

#[test]
fn a_header_is_not_believed() {
    for declared in [1 << 20, 10 << 20, 64 << 20] {
        let header = format!("Content-Length: {declared}\r\n\r\n{{");
        let mut buffer = BytesMut::from(header.as_bytes());
        let mut decoder = Decoder::new(Limits::default());
        largest();
        assert_eq!(decoder.decode(&mut buffer).unwrap(), None);
        let most = largest();
        assert!(most <= header.len() + MIB, "{most} for {declared}");
    }
    let mut buffer = BytesMut::from("Content-Length: 1000000000000\r\n\r\n{");
    largest();
    assert!(Decoder::new(Limits::default()).decode(&mut buffer).is_err());
    assert!(largest() < 1024);
}

#[test]
fn a_large_body_takes_no_more_than_was_received_and_a_step() {
    let body = [&b"{"[..], &b"x".repeat(9 * MIB + 12_345)].concat();
    let input = [frame(A), frame(&body), frame(A)].concat();
    for chunk in [1000, 4096, 65_536] {
        let mut buffer = BytesMut::new();
        let mut decoder = Decoder::new(Limits::default());
        let (mut received, mut bodies) = (0, Vec::new());
        largest();
        for part in input.chunks(chunk) {
            buffer.extend_from_slice(part);
            received += part.len();
            while let Some(frame) = decoder.decode(&mut buffer).unwrap() {
                bodies.push(frame.into_body().unwrap().len());
            }
            let most = largest();
            assert!(
                most <= received + MIB,
                "{most} at {received}, chunks of {chunk}"
            );
        }
        assert_eq!(bodies, [A.len(), body.len(), A.len()]);
    }
}

#[test]
fn endless_input_without_frames_takes_little() {
    for unit in [
        "x",
        "name: value\n",
        "Content-Length: 5\nfoo\n",
        "\n",
        "Content-Length: 0\n\n",
    ] {
        let input = unit.repeat(MIB / unit.len());
        let mut buffer = BytesMut::new();
        let mut decoder = Decoder::new(Limits {
            max_noise: usize::MAX,
            ..Limits::default()
        });
        largest();
        for part in input.as_bytes().chunks(4096) {
            buffer.extend_from_slice(part);
            while let Some(frame) = decoder.decode(&mut buffer).unwrap() {
                assert!(matches!(frame, Frame::Skipped(_)));
            }
        }
        let most = largest();
        assert!(most <= 64 << 10, "{most} for {unit:?}");
    }
}

#[test]
fn in_the_long_run_the_block_is_reused() {
    let input = frame(&[&b"{"[..], &b"x".repeat(1000)].concat()).repeat(1000);
    let mut buffer = BytesMut::with_capacity(16 << 10);
    let mut decoder = Decoder::new(Limits::default());
    largest();
    COUNT.set(0);
    for part in input.chunks(4096) {
        buffer.extend_from_slice(part);
        while let Some(frame) = decoder.decode(&mut buffer).unwrap() {
            drop(frame);
        }
    }
    // One small record that the block is shared; never the block again.
    assert!(largest() < 1024);
    assert!(COUNT.get() <= 2, "{}", COUNT.get());
}
