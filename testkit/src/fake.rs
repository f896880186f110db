//! A scripted server, in memory or as a program.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;

use crate::log::{Log, named};
use crate::program;
use crate::script::Script;
use crate::serve::serve;

/// A scripted server at the other end of two pipes in memory.
#[derive(Debug)]
pub struct Fake {
    /// Where the client reads.
    pub output: DuplexStream,
    /// Where the client writes.
    pub input: DuplexStream,
    /// What the server received.
    pub log: Log,
    /// The code that it ends with.
    pub ended: JoinHandle<u8>,
}

impl Fake {
    /// Starts one on the runtime of the test; its pipes hold 64 KiB, as those of Linux do.
    pub fn start(script: Script) -> Fake {
        const PIPE: usize = 64 * 1024;
        let (input, reads) = tokio::io::duplex(PIPE);
        let (writes, output) = tokio::io::duplex(PIPE);
        let log = Log::default();
        let ended = tokio::spawn(serve(script, reads, writes, tokio::io::sink(), log.clone()));
        Fake {
            output,
            input,
            log,
            ended,
        }
    }
}

/// A scripted server as a program, with what it needs to be started.
#[derive(Clone, Debug)]
pub struct FakeProgram {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    received: PathBuf,
}

impl FakeProgram {
    /// Puts the script into `folder`, where what the server receives is written to as well.
    pub fn new(script: &Script, folder: &Path) -> FakeProgram {
        let file = folder.join("fake-server.json");
        let received = folder.join("fake-server.received");
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(&file, serde_json::to_string_pretty(script).unwrap()).unwrap();
        FakeProgram {
            program: program::fake_server(),
            args: [&file, &received]
                .map(|path| path.to_str().unwrap().to_owned())
                .to_vec(),
            received,
        }
    }

    /// The messages that its processes received so far, in order.
    pub fn received(&self) -> Vec<Value> {
        std::fs::read_to_string(&self.received)
            .unwrap_or_default()
            .split_inclusive('\n')
            // The last line may not be complete yet.
            .filter_map(|line| serde_json::from_str(line.strip_suffix('\n')?).ok())
            .collect()
    }

    /// How many messages of this method its processes received so far.
    pub fn count(&self, method: &str) -> usize {
        let received = self.received();
        received
            .iter()
            .filter_map(named)
            .filter(|(name, _)| name == method)
            .count()
    }
}
