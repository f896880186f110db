//! Decoding beside `memcpy` of the same bytes in the same chunks, which is the physical limit.

use std::hint::black_box;

use bytes::BytesMut;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fourfold_framing::{Decoder, Frame, Limits, encode};

/// Frames with one body of `size` bytes each, about `total` bytes in all, and their number.
fn stream(size: usize, total: usize) -> (BytesMut, usize) {
    let body = format!("[\"{}\"]", "a".repeat(size - 4));
    let count = (total / size).max(2);
    let mut stream = BytesMut::new();
    for _ in 0..count {
        encode(&body, &mut stream);
    }
    (stream, count)
}

fn decode(input: &[u8], chunk: usize) -> usize {
    let mut decoder = Decoder::new(Limits::default());
    let (mut buffer, mut bodies) = (BytesMut::new(), 0);
    for part in input.chunks(chunk) {
        buffer.extend_from_slice(part);
        while let Ok(Some(frame)) = decoder.decode(&mut buffer) {
            bodies += usize::from(matches!(black_box(frame), Frame::Body(_)));
        }
    }
    bodies
}

/// Copies into one block that is reused, so that page faults do not count.
fn memcpy(input: &[u8], chunk: usize, block: &mut [u8]) {
    let mut at = 0;
    for part in input.chunks(chunk) {
        if at + part.len() > block.len() {
            at = 0;
        }
        block[at..at + part.len()].copy_from_slice(part);
        at += part.len();
        black_box(&mut *block);
    }
}

fn bench(criterion: &mut Criterion) {
    let mut block = vec![0; 1 << 20];
    for size in [200, 4 << 10, 1 << 20] {
        for chunk in [1, 7, 4096, 65_536] {
            // Small chunks are slow for everybody: less input will do.
            let (input, count) = stream(size, if chunk < 4096 { 1 << 20 } else { 8 << 20 });
            assert_eq!(decode(&input, chunk), count);
            let mut group = criterion.benchmark_group(format!("{size}/{chunk}"));
            group
                .sample_size(10)
                .throughput(Throughput::Bytes(input.len() as u64));
            group.bench_function("memcpy", |bencher| {
                bencher.iter(|| memcpy(&input, chunk, &mut block));
            });
            group.bench_function("decode", |bencher| bencher.iter(|| decode(&input, chunk)));
            group.finish();
        }
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
