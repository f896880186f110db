//! Every reader on flat bodies under criterion: `cargo bench -- 200/4096/Decoder`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fourfold_framing_peers::readers::{MEMCPY, OURS, PEERS};
use fourfold_framing_peers::stream::{Kind, Stream};

fn bench(criterion: &mut Criterion) {
    for size in [200, 4 << 10, 1 << 20] {
        for chunk in [1, 7, 4096, 65_536] {
            // Small chunks are slow for everybody: less input will do.
            let total = if chunk < 4096 { 1 << 20 } else { 8 << 20 };
            let stream = Stream::new(Kind::Flat, size, total);
            let mut group = criterion.benchmark_group(format!("{size}/{chunk}"));
            group
                .sample_size(10)
                .throughput(Throughput::Elements(stream.frames as u64));
            for reader in std::iter::once(&MEMCPY).chain(OURS).chain(PEERS) {
                // One that loses frames is fast.
                if (reader.run)(&stream, chunk) != stream.frames {
                    continue;
                }
                group.bench_function(reader.name, |bencher| {
                    bencher.iter(|| (reader.run)(&stream, chunk));
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
