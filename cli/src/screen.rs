//! Where results go: one buffered stream, written to in large pieces.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Stdout, Write};
use std::time::{Duration, Instant};

use crate::args::When;
use crate::style::Style;

/// Bytes that are gathered before they are written.
const BUFFER: usize = 64 << 10;

/// A person sees what was found at most this late.
const PATIENCE: Duration = Duration::from_millis(50);

/// Standard output.
#[derive(Debug)]
pub(crate) struct Screen {
    out: Stdout,
    buffer: Vec<u8>,
    written: Instant,
    is_terminal: bool,
    style: Style,
}

impl Screen {
    pub(crate) fn new(when: When) -> Screen {
        let out = io::stdout();
        let is_terminal = out.is_terminal();
        Screen {
            out,
            buffer: Vec::with_capacity(BUFFER),
            written: Instant::now(),
            is_terminal,
            style: Style::new(when, is_terminal),
        }
    }

    pub(crate) fn style(&self) -> Style {
        self.style
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Says that a piece of the results is complete: it is written now if somebody is watching.
    pub(crate) fn pause(&mut self) -> io::Result<()> {
        if self.is_terminal && !self.buffer.is_empty() && self.written.elapsed() > PATIENCE {
            self.flush()?;
        }
        Ok(())
    }
}

/// Says something beside the results, on standard error; that nobody listens there is no failure.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        // Standard output looks for line ends in what it gets; one lock and one call a piece keep
        // that cheap.
        let mut out = self.out.lock();
        out.write_all(&self.buffer)?;
        self.buffer.clear();
        self.written = Instant::now();
        out.flush()
    }
}
