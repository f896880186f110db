//! What a daemon and its clients say to each other: one JSON object a line.
//!
//! A client says `hello` first and is answered with `hello`. These two and `end` with its answer,
//! `ending`, stay as they are in every version, so that a new program can send an old daemon away.

use std::io;

use fourfold::{FixedProblem, Problem};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

use crate::serve::identity::Identity;

/// The longest line in bytes. What is longer is no message of ours.
pub(crate) const LONGEST: usize = 64 << 20;

/// What a client says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Ask {
    /// Who speaks, and about which checkout.
    Hello {
        #[serde(flatten)]
        identity: Identity,
        /// The name of its [`Place`](crate::serve::place::Place).
        checkout: String,
    },
    /// A call of a tool.
    Request {
        id: u64,
        #[serde(flatten)]
        call: Call,
    },
    /// The answer to this request is not needed any more.
    Cancel { id: u64 },
    /// This conversation is the client's own: it ends with the connection.
    Own { conversation: String },
    /// How are you?
    Status,
    /// Finish what you are doing, and end.
    End,
}

/// A call of a tool in a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// The tool; [`SHOW`] is one too.
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) conversation: String,
    /// Whether who calls may change nothing. A daemon that does not know of it is another version, and
    /// that one is never asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) reads_only: bool,
    /// Whether for who calls nothing of the checkout may be run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) runs_nothing: bool,
}

/// In place of a tool: the diff of a stage as the text, and its sites as the value. Its argument is
/// the `id`.
pub(crate) const SHOW: &str = "cli/show";

/// In place of a tool: what there is to read, as the value.
pub(crate) const RESOURCES: &str = "cli/resources";

/// In place of a tool: one of them, as the text. Its argument is the `name`.
pub(crate) const RESOURCE: &str = "cli/resource";

/// What a daemon says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Say {
    /// Who answers, and what there is to know about the checkout.
    Hello {
        #[serde(flatten)]
        identity: Identity,
        checkout: String,
        pid: u32,
        #[serde(default)]
        notices: Vec<String>,
        /// The folders in which it looks for programs, in whatever letters can be told.
        #[serde(default)]
        search_path: Vec<String>,
    },
    /// What was said cannot be understood or done; the connection ends.
    Refused { message: String },
    /// The request was taken and is being worked on; said again and again.
    Working { id: u64 },
    /// How far the walk of a request is; said when it has changed.
    Progress { id: u64, done: usize, total: usize },
    /// The answer to a request.
    Answer {
        id: u64,
        #[serde(flatten)]
        answer: Answer,
    },
    /// The tool did not do what was requested.
    Error { id: u64, error: Refusal },
    /// How the daemon is.
    Status(Status),
    /// No further request is taken on this connection. Requests that were taken before are answered.
    /// Another daemon may be started now.
    Ending,
}

/// What a tool answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// For a model.
    pub(crate) text: String,
    /// The same, structured.
    pub(crate) value: Value,
    /// What was found since about earlier changes; it counts as told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) late: Vec<Problem>,
    /// What was found to be gone, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) late_fixed: Vec<FixedProblem>,
}

/// Why a tool did not do what was requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Refusal {
    /// The sentence, in the words of the tools.
    pub(crate) message: String,
    /// The sentence in the words of the command line, if it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) typed: Option<String>,
    /// Whether asking differently helps.
    pub(crate) usage: bool,
}

/// How a daemon is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Status {
    pub(crate) pid: u32,
    pub(crate) version: String,
    /// The root of the checkout, for people.
    pub(crate) root: String,
    pub(crate) up_seconds: u64,
    /// It ends after so long without a client.
    pub(crate) idle_seconds: u64,
    /// Connections, but for the one that asks.
    pub(crate) clients: usize,
    /// Requests that are being worked on.
    pub(crate) requests: usize,
    pub(crate) conversations: Vec<String>,
}

/// The folders in which this process looks for programs.
pub(crate) fn search_path() -> Vec<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path);
    folders
        .map(|one| one.to_string_lossy().into_owned())
        .collect()
}

/// A message as a line, of whatever length.
pub(crate) fn line(message: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// The lines that come in.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    /// What has come of the line so far.
    partial: Vec<u8>,
    longest: usize,
    /// Whether the rest of a line that was too long is still to come.
    passing_over: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R) -> Lines<R> {
        Lines::bounded(reader, LONGEST)
    }

    /// The same, for lines of at most `longest` bytes with their ends.
    pub(crate) fn bounded(reader: R, longest: usize) -> Lines<R> {
        Lines {
            reader: BufReader::new(reader),
            partial: Vec::new(),
            longest,
            passing_over: false,
        }
    }

    /// The reader; what it has read ahead is lost.
    pub(crate) fn into_inner(self) -> R {
        self.reader.into_inner()
    }

    /// What has come of a line that has no end yet.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.partial)
    }

    /// The next line without its end; `None` when there is none any more. A last line without an end
    /// is none: who sent it has gone in the middle.
    ///
    /// # Errors
    /// Reading failed; or, with [`io::ErrorKind::InvalidData`], a line is too long. It is passed over
    /// when somebody asks for the next one.
    ///
    /// Cancel safety: what has come is kept when the future is dropped.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let come = self.reader.fill_buf().await?;
            if come.is_empty() {
                return Ok(None);
            }
            let end = come.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(come.len(), |end| end + 1);
            if self.passing_over {
                self.reader.consume(used);
                self.passing_over = end.is_none();
                continue;
            }
            if self.partial.len() + used > self.longest {
                self.partial = Vec::new();
                self.passing_over = end.is_none();
                self.reader.consume(used);
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("a message is longer than {} bytes", self.longest),
                ));
            }
            self.partial.extend_from_slice(&come[..used]);
            self.reader.consume(used);
            if end.is_some() {
                self.partial.pop();
                return Ok(Some(std::mem::take(&mut self.partial)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    fn written(message: &impl Serialize) -> String {
        String::from_utf8(line(message).unwrap()).unwrap()
    }

    #[test]
    fn messages_are_as_other_programs_know_them() {
        let identity = Identity {
            version: "1.2.3".to_owned(),
            build: "b".to_owned(),
            settings: "s".to_owned(),
        };
        let text = [
            written(&Ask::Hello {
                identity: identity.clone(),
                checkout: "c".to_owned(),
            }),
            written(&Ask::Request {
                id: 1,
                call: Call {
                    tool: "staged".to_owned(),
                    arguments: json!({}),
                    conversation: "cli".to_owned(),
                    reads_only: false,
                    runs_nothing: false,
                },
            }),
            written(&Ask::Cancel { id: 1 }),
            written(&Ask::End),
            written(&Say::Hello {
                identity,
                checkout: "c".to_owned(),
                pid: 7,
                notices: Vec::new(),
                search_path: vec!["/bin".to_owned()],
            }),
            written(&Say::Working { id: 1 }),
            written(&Say::Answer {
                id: 1,
                answer: Answer {
                    text: "two\nlines".to_owned(),
                    value: json!({"a": 1}),
                    ..Answer::default()
                },
            }),
            written(&Say::Error {
                id: 1,
                error: Refusal {
                    message: "no".to_owned(),
                    typed: None,
                    usage: true,
                },
            }),
            written(&Say::Ending),
        ];
        expect![[r#"
            {"type":"hello","version":"1.2.3","build":"b","settings":"s","checkout":"c"}
            {"type":"request","id":1,"tool":"staged","arguments":{},"conversation":"cli"}
            {"type":"cancel","id":1}
            {"type":"end"}
            {"type":"hello","version":"1.2.3","build":"b","settings":"s","checkout":"c","pid":7,"notices":[],"search_path":["/bin"]}
            {"type":"working","id":1}
            {"type":"answer","id":1,"text":"two\nlines","value":{"a":1}}
            {"type":"error","id":1,"error":{"message":"no","usage":true}}
            {"type":"ending"}
        "#]]
        .assert_eq(&text.concat());
    }

    #[test]
    fn what_a_later_version_adds_is_no_trouble() {
        let text = r#"{"type":"hello","version":"9","protocol":3,"checkout":"c"}"#;
        let Ask::Hello { identity, checkout } = serde_json::from_str(text).unwrap() else {
            unreachable!("it says hello");
        };
        assert_eq!((identity.version.as_str(), checkout.as_str()), ("9", "c"));
    }

    #[tokio::test]
    async fn lines_come_in_any_pieces() {
        let text = "one\n\ntwo\nthr";
        for size in 1..text.len() {
            let mut pieces = tokio_test_reader(text, size);
            let mut lines = Lines::bounded(&mut pieces, 4);
            assert_eq!(lines.next().await.unwrap().unwrap(), b"one");
            assert_eq!(lines.next().await.unwrap().unwrap(), b"");
            assert_eq!(lines.next().await.unwrap().unwrap(), b"two");
            assert_eq!(lines.next().await.unwrap(), None);
        }
    }

    /// A reader that gives at most so many bytes at once.
    fn tokio_test_reader(text: &str, size: usize) -> impl AsyncRead + Unpin + use<> {
        let (mut ours, theirs) = tokio::io::duplex(size);
        let text = text.to_owned();
        tokio::spawn(async move {
            use tokio::io::AsyncWriteExt as _;
            ours.write_all(text.as_bytes()).await.unwrap();
        });
        theirs
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_an_error_and_the_next_one_is_none() {
        for too_long in ["12345\n", "123456789 and more\n"] {
            for size in 1..8 {
                let mut lines =
                    Lines::bounded(tokio_test_reader(&format!("{too_long}1234\n"), size), 5);
                let error = lines.next().await.unwrap_err();
                assert_eq!(error.to_string(), "a message is longer than 5 bytes");
                assert_eq!(lines.next().await.unwrap().unwrap(), b"1234");
                assert_eq!(lines.next().await.unwrap(), None);
            }
        }
    }
}
