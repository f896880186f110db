//! Nanoseconds a frame, medians of rounds in which every reader has one turn, and what became of the
//! goals. As Markdown.
//!
//! The time is that of the processor, so that what else the machine does disturbs little; every reader
//! here is of one thread. Arguments are words to look for in `flat/200/4096`, to run fewer rows.
#![forbid(unsafe_code)]

use std::env;
use std::iter::once;
use std::time::Duration;

use fourfold_framing_peers::readers::{MEMCPY, OURS, PEERS, Reader};
use fourfold_framing_peers::stream::{Kind, Stream};

/// An odd number, so that a median is a round.
const ROUNDS: usize = 15;

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let readers: Vec<&Reader> = once(&MEMCPY).chain(OURS).chain(PEERS).collect();
    let names: Vec<&str> = readers.iter().map(|reader| reader.name).collect();
    println!("| body | chunk | {} |", names.join(" | "));
    println!("|---|---:|{}", "---:|".repeat(names.len()));
    let mut rows = Vec::new();
    for (kind, name) in [(Kind::Flat, "flat"), (Kind::Diagnostics, "diagnostics")] {
        for size in [200, 4 << 10, 1 << 20] {
            for chunk in [1, 7, 4096, 65_536] {
                let title = format!("{name}/{size}/{chunk}");
                if words.iter().any(|word| !title.contains(word.as_str())) {
                    continue;
                }
                let row = Row::measure(kind, size, chunk, &readers);
                println!("| {name} {size} | {chunk} | {} |", row.cells().join(" | "));
                rows.push(row);
            }
        }
    }
    println!();
    for goal in goals(&rows) {
        println!("- {goal}");
    }
}

/// What one reader took.
struct Cell {
    name: &'static str,
    /// Nanoseconds a frame, without its JSON.
    own: f64,
    /// With its JSON.
    all: f64,
    frames: usize,
}

struct Row {
    kind: Kind,
    size: usize,
    chunk: usize,
    frames: usize,
    cells: Vec<Cell>,
}

impl Row {
    fn measure(kind: Kind, size: usize, chunk: usize, readers: &[&Reader]) -> Self {
        // Small chunks are slow for everybody, and so is real JSON: less input will do.
        let total = match (kind, chunk) {
            (Kind::Flat, 4096..) => 8 << 20,
            _ => 1 << 20,
        };
        let stream = Stream::new(kind, size, total);
        let mut times = vec![(Vec::new(), Vec::new(), 0); readers.len()];
        for _ in 0..ROUNDS {
            for (reader, (all, own, frames)) in readers.iter().zip(&mut times) {
                let (time, delivered) = timed(|| (reader.run)(&stream, chunk));
                let json = reader
                    .json
                    .map_or(Duration::ZERO, |json| timed(|| json(&stream)).0);
                all.push(time);
                own.push(time.saturating_sub(json));
                *frames = delivered;
            }
        }
        let a_frame = |times| median(times).as_secs_f64() * 1e9 / stream.frames as f64;
        let cells = readers
            .iter()
            .zip(times)
            .map(|(reader, (all, own, frames))| Cell {
                name: reader.name,
                own: a_frame(own),
                all: a_frame(all),
                frames,
            })
            .collect();
        Self {
            kind,
            size,
            chunk,
            frames: stream.frames,
            cells,
        }
    }

    fn cells(&self) -> Vec<String> {
        let memcpy = self.cells[0].all;
        let text = |cell: &Cell| match cell {
            _ if cell.frames != self.frames => format!("{} of {}", cell.frames, self.frames),
            _ if cell.own < cell.all => format!("{:.0} ({:.0})", cell.own, cell.all),
            _ => format!("{:.0}, {:.2} x", cell.all, cell.all / memcpy),
        };
        self.cells.iter().map(text).collect()
    }

    /// A reader's own nanoseconds a frame.
    fn of(&self, name: &str) -> f64 {
        let cell = self.cells.iter().find(|cell| cell.name == name);
        cell.map_or(f64::NAN, |cell| cell.own)
    }

    fn times_memcpy(&self) -> f64 {
        self.of("Decoder") / self.of("memcpy")
    }
}

/// What the decoder is to reach, each with how far it came.
fn goals(rows: &[Row]) -> Vec<String> {
    let flat: Vec<&Row> = rows.iter().filter(|row| row.kind == Kind::Flat).collect();
    let worst = |of: &dyn Fn(&&&Row) -> bool, value: &dyn Fn(&Row) -> f64| {
        let values = flat.iter().filter(of).map(|row| value(row));
        values.fold(0.0, f64::max)
    };
    let ratio = |row: &Row| row.times_memcpy();
    let mut goals = Vec::new();
    let mut goal = |what: &str, value: f64, most: f64| {
        let verdict = match value {
            0.0 => "not measured",
            _ if value <= most => "met",
            _ => "MISSED",
        };
        goals.push(format!("{what}: {value:.2}, at most {most}: {verdict}"));
    };
    goal(
        "200 bytes in chunks of 4 KiB, ns",
        worst(&|row| row.size == 200 && row.chunk == 4096, &|row| {
            row.of("Decoder")
        }),
        90.0,
    );
    goal(
        "4 KiB in chunks of 4 and 64 KiB, times memcpy",
        worst(&|row| row.size == 4 << 10 && row.chunk >= 4096, &ratio),
        1.2,
    );
    goal(
        "1 MiB in chunks of 4 and 64 KiB, times memcpy",
        worst(&|row| row.size == 1 << 20 && row.chunk >= 4096, &ratio),
        1.5,
    );
    goal(
        "chunks of 1 byte, times memcpy",
        worst(&|row| row.chunk == 1, &ratio),
        3.0,
    );
    let peers = || {
        rows.iter()
            .flat_map(|row| row.cells.iter().map(move |cell| (row, cell)))
    };
    // Real JSON takes a hundred times what frames take: what is left when it is deducted is noise.
    let time = |row: &Row, cell: &Cell| match row.kind {
        Kind::Flat => cell.own,
        Kind::Diagnostics => cell.all,
    };
    let behind: Vec<String> = peers()
        .filter(|(row, cell)| {
            PEERS.iter().any(|peer| peer.name == cell.name)
                && cell.frames == row.frames
                && time(row, cell) < row.of("Decoder")
        })
        .map(|(row, cell)| {
            format!(
                "{:?} {} in {}: {} took {:.0} ns without its JSON, {:.0} with it, we {:.0}",
                row.kind,
                row.size,
                row.chunk,
                cell.name,
                cell.own,
                cell.all,
                row.of("Decoder")
            )
        })
        .collect();
    goals.push(match &behind[..] {
        [] => "ahead of every peer in every row, the JSON of flat bodies deducted: met".into(),
        _ => format!(
            "ahead of every peer in every row: MISSED: {}",
            behind.join("; ")
        ),
    });
    goals
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = processor_time();
    let result = work();
    (processor_time().saturating_sub(begun), result)
}

/// Of this thread.
fn processor_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
