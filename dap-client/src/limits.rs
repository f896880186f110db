//! How long things may take, and how much of them is shown.

use std::time::Duration;

/// Times and sizes of a debugger.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long a session lives at most, from its launch, when the launch does not say; 10 min.
    /// Nothing renews it: a forgotten session holds a program, ports and locks.
    pub ttl: Duration,
    /// What a launch may ask for at most; 30 min.
    pub ttl_ceiling: Duration,
    /// How long a session lives without a call; 3 min. It may only shorten.
    pub idle: Duration,
    /// How long a request may take; 30 s. Adapters load symbols in the first one.
    pub request: Duration,
    /// How long an evaluation may take; 10 s: it runs code of the program.
    pub evaluate: Duration,
    /// How long the locals of a stop may take, before the stop is shown without them; 8 s. One value
    /// whose text the program takes long to make holds up all.
    pub locals: Duration,
    /// How long a resuming call waits for a stop when it does not say; 15 s.
    pub wait: Duration,
    /// How long an attach waits for a stop when it does not say; 1 s. Most adapters leave the program
    /// running.
    pub attach_wait: Duration,
    /// How long a pause waits for the stop; 5 s. Native programs stop within 0.2 s.
    pub pause: Duration,
    /// How long an adapter may take to announce its port, or to accept a connection on it; 10 s.
    pub connect: Duration,
    /// How long breakpoints that are pending after the start are waited for; 0.3 s.
    pub bind: Duration,
    /// How long `terminate` may take; 1 s. It lets the program clean up.
    pub terminate: Duration,
    /// How long `disconnect` may take; 2 s. Some never answer while a grandchild lives.
    pub disconnect: Duration,
    /// How long an adapter may take to end when its input was closed, and again when it was asked
    /// with SIGTERM; 0.5 s.
    pub end: Duration,
    /// How long a tree may take to be gone after SIGKILL; 5 s.
    pub kill: Duration,
    /// Bytes of one message of an adapter; 16 MiB. An array of 100,000 numbers takes 14 MB of
    /// adapters that do not page.
    pub message: usize,
    /// Bytes of the program's output that are kept; 64 KiB.
    pub output: usize,
    /// Threads whose stacks are looked at; 50.
    pub threads: usize,
    /// Processes or workers of one program that are debugged at one time; 32.
    pub parts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(600),
            ttl_ceiling: Duration::from_secs(1800),
            idle: Duration::from_secs(180),
            request: Duration::from_secs(30),
            evaluate: Duration::from_secs(10),
            locals: Duration::from_secs(8),
            wait: Duration::from_secs(15),
            attach_wait: Duration::from_secs(1),
            pause: Duration::from_secs(5),
            connect: Duration::from_secs(10),
            bind: Duration::from_millis(300),
            terminate: Duration::from_secs(1),
            disconnect: Duration::from_secs(2),
            end: Duration::from_millis(500),
            kill: Duration::from_secs(5),
            message: 16 << 20,
            output: 64 << 10,
            threads: 50,
            parts: 32,
        }
    }
}

/// How much of a stop is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shown {
    /// Frames that are asked for; 20. Library frames of a run count too, and are folded.
    pub frames: usize,
    /// Variables of a frame; 30.
    pub values: usize,
    /// Characters of one value; 300.
    pub characters: usize,
    /// Bytes of new output; 4 KiB, the end of it.
    pub output: usize,
    /// Lines of source, the current one in the middle; 5.
    pub lines: usize,
}

impl Default for Shown {
    fn default() -> Self {
        Self {
            frames: 20,
            values: 30,
            characters: 300,
            output: 4 << 10,
            lines: 5,
        }
    }
}
