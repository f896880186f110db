//! What a host and its guard say to each other over the control socket.
//!
//! Host to guard: one [`Start`] with three descriptors, then [`TERMINATE`] any number of times, then
//! [`KILL`] and the end of the stream. That end alone means: the host is gone.
//! Guard to host: [`Report`]s, each of nine bytes.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::io::retry_on_intr;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, send, sendmsg,
};

use crate::start::{Pipes, Start};

/// Changes whenever a host and a guard of different versions would misunderstand each other.
const MAGIC: [u8; 4] = *b"FFG2";

/// Longest start that a guard accepts. The system takes 6 MiB of arguments and environment at most.
const MAX_START: usize = 16 << 20;

/// Host to guard: SIGTERM to the tree, please.
pub(crate) const TERMINATE: u8 = b'T';

/// Host to guard: end everything, now.
pub(crate) const KILL: u8 = b'K';

/// Length of a [`Report`] on the wire.
pub(crate) const REPORT_LENGTH: usize = 9;

/// Guard to host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// The program runs.
    Started { pid: i32 },
    /// The program could not be executed. Nothing is running.
    NotExecuted { errno: i32 },
    /// The guard cannot be one. Nothing is running.
    Refused { why: Refusal, errno: i32 },
    /// The program has ended by itself or because the guard ended it.
    Exited { status: Status, by: GuardEnded },
    /// The guard has ended everything, but for `left` processes; it is the last thing it says.
    Clean { left: i32 },
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Code(i32),
    Signal(i32),
}

/// Whether it was the guard's own doing that the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GuardEnded {
    /// No.
    Nothing,
    /// The hard limit.
    HardLimit,
    /// Somebody asked the guard to end, by a signal.
    Signalled,
}

/// Why a process that was started as guard cannot be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The host speaks another version.
    Version,
    /// It may not be a subreaper.
    Subreaper,
    /// No runtime or no signal handlers.
    Runtime,
}

impl Report {
    pub(crate) fn encode(self) -> [u8; REPORT_LENGTH] {
        let (tag, a, b) = match self {
            Self::Started { pid } => (1, pid, 0),
            Self::NotExecuted { errno } => (2, errno, 0),
            Self::Refused { why, errno } => (3, errno, why as i32),
            Self::Exited { status, by } => match status {
                Status::Code(code) => (4, code, by as i32),
                Status::Signal(signal) => (5, signal, by as i32),
            },
            Self::Clean { left } => (6, left, 0),
        };
        let mut bytes = [tag; REPORT_LENGTH];
        bytes[1..5].copy_from_slice(&i32::to_le_bytes(a));
        bytes[5..].copy_from_slice(&i32::to_le_bytes(b));
        bytes
    }

    /// `None` for what no guard of this version says.
    pub(crate) fn decode(bytes: [u8; REPORT_LENGTH]) -> Option<Self> {
        let [tag, a0, a1, a2, a3, b0, b1, b2, b3] = bytes;
        let a = i32::from_le_bytes([a0, a1, a2, a3]);
        let b = i32::from_le_bytes([b0, b1, b2, b3]);
        let by = match b {
            0 => GuardEnded::Nothing,
            1 => GuardEnded::HardLimit,
            2 => GuardEnded::Signalled,
            _ => return None,
        };
        Some(match tag {
            1 => Self::Started { pid: a },
            2 => Self::NotExecuted { errno: a },
            3 => Self::Refused {
                why: match b {
                    0 => Refusal::Version,
                    1 => Refusal::Subreaper,
                    _ => Refusal::Runtime,
                },
                errno: a,
            },
            4 => Self::Exited {
                status: Status::Code(a),
                by,
            },
            5 => Self::Exited {
                status: Status::Signal(a),
                by,
            },
            6 => Self::Clean { left: a },
            _ => return None,
        })
    }
}

/// Sends everything without a SIGPIPE when the other side is gone, whatever the program does with
/// that signal.
pub(crate) fn send_all(to: &UnixStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let sent = retry_on_intr(|| send(to, bytes, SendFlags::NOSIGNAL))?;
        bytes = bytes.get(sent..).unwrap_or_default();
    }
    Ok(())
}

/// Sends the start and the descriptors that become the program's standard streams.
pub(crate) fn send_start(to: &UnixStream, start: &Start, pipes: &Pipes) -> io::Result<()> {
    let body = encode_start(start);
    let length = u32::try_from(body.len())
        .ok()
        .filter(|_| body.len() <= MAX_START)
        .ok_or_else(|| io::Error::from(io::ErrorKind::ArgumentListTooLong))?;
    let mut head = [0; 8];
    head[..4].copy_from_slice(&MAGIC);
    head[4..].copy_from_slice(&length.to_le_bytes());

    let descriptors: [BorrowedFd<'_>; 3] = [
        pipes.stdin.as_fd(),
        pipes.stdout.as_fd(),
        pipes.stderr.as_fd(),
    ];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    let sent = retry_on_intr(|| {
        sendmsg(
            to,
            &[IoSlice::new(&head)],
            &mut ancillary,
            SendFlags::NOSIGNAL,
        )
    })?;
    send_all(to, head.get(sent..).unwrap_or_default())?;
    send_all(to, &body)
}

/// What a guard got instead of a start.
#[derive(Debug)]
pub(crate) enum NoStart {
    /// The host is gone, or never was one.
    Nobody,
    /// A host of another version.
    Version,
}

/// Receives what [`send_start`] sends.
pub(crate) fn receive_start(from: &mut UnixStream) -> Result<(Start, Pipes), NoStart> {
    let mut head = [0; 8];
    let mut descriptors: Vec<OwnedFd> = Vec::new();
    let received = {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let message = retry_on_intr(|| {
            recvmsg(
                &*from,
                &mut [IoSliceMut::new(&mut head)],
                &mut ancillary,
                RecvFlags::CMSG_CLOEXEC,
            )
        })
        .map_err(|_| NoStart::Nobody)?;
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(received) = message {
                descriptors.extend(received);
            }
        }
        message.bytes
    };
    if received == 0 {
        return Err(NoStart::Nobody);
    }
    from.read_exact(head.get_mut(received..).unwrap_or_default())
        .map_err(|_| NoStart::Nobody)?;
    let [m0, m1, m2, m3, l0, l1, l2, l3] = head;
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    if [m0, m1, m2, m3] != MAGIC || length > MAX_START {
        return Err(NoStart::Version);
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).map_err(|_| NoStart::Nobody)?;
    let start = decode_start(&body).ok_or(NoStart::Version)?;
    let [stdin, stdout, stderr] =
        <[OwnedFd; 3]>::try_from(descriptors).map_err(|_| NoStart::Version)?;
    let pipes = Pipes {
        stdin,
        stdout,
        stderr,
    };
    Ok((start, pipes))
}

fn encode_start(start: &Start) -> Vec<u8> {
    let Start {
        program,
        args,
        cwd,
        env,
        hard,
        farewell,
    } = start;
    let mut out = Vec::new();
    // A limit below a millisecond is one of a millisecond: none is 0.
    let hard = hard.map_or(0, |hard| hard.as_millis().max(1));
    put_number(&mut out, u64::try_from(hard).unwrap_or(u64::MAX));
    put_number(
        &mut out,
        u64::try_from(farewell.as_millis()).unwrap_or(u64::MAX),
    );
    put_bytes(&mut out, program.as_os_str().as_encoded_bytes());
    put_bytes(&mut out, cwd.as_os_str().as_encoded_bytes());
    put_number(&mut out, args.len() as u64);
    for arg in args {
        put_bytes(&mut out, arg.as_encoded_bytes());
    }
    put_number(&mut out, env.len() as u64);
    for (name, value) in env {
        put_bytes(&mut out, name.as_encoded_bytes());
        put_bytes(&mut out, value.as_encoded_bytes());
    }
    out
}

fn put_number(out: &mut Vec<u8>, number: u64) {
    out.extend(number.to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend(bytes);
}

fn decode_start(bytes: &[u8]) -> Option<Start> {
    let mut rest = bytes;
    let hard = take_number(&mut rest)?;
    let farewell = take_number(&mut rest)?;
    let program = take_string(&mut rest)?.into();
    let cwd = take_string(&mut rest)?.into();
    let args = (0..take_number(&mut rest)?)
        .map(|_| take_string(&mut rest))
        .collect::<Option<_>>()?;
    let env = (0..take_number(&mut rest)?)
        .map(|_| Some((take_string(&mut rest)?, take_string(&mut rest)?)))
        .collect::<Option<_>>()?;
    rest.is_empty().then_some(Start {
        program,
        args,
        cwd,
        env,
        hard: (hard != 0).then(|| Duration::from_millis(hard)),
        farewell: Duration::from_millis(farewell),
    })
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u64::from_le_bytes(*number))
}

fn take_string(rest: &mut &[u8]) -> Option<OsString> {
    let length = usize::try_from(take_number(rest)?).ok()?;
    let (bytes, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(OsString::from_vec(bytes.to_vec()))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    fn pipes() -> Pipes {
        let (stdin, stdout) = io::pipe().unwrap();
        let stderr = stdout.try_clone().unwrap();
        Pipes {
            stdin: stdin.into(),
            stdout: stdout.into(),
            stderr: stderr.into(),
        }
    }

    fn bytes() -> impl Strategy<Value = OsString> {
        prop::collection::vec(1u8.., 0..20).prop_map(OsString::from_vec)
    }

    proptest! {
        #[test]
        fn a_start_reads_as_it_was_written(
            program in bytes(),
            cwd in bytes(),
            args in prop::collection::vec(bytes(), 0..5),
            env in prop::collection::vec((bytes(), bytes()), 0..5),
            hard in prop::option::of(1u64..),
            farewell: u64,
        ) {
            let start = Start {
                program: program.into(),
                args,
                cwd: cwd.into(),
                env,
                hard: hard.map(Duration::from_millis),
                farewell: Duration::from_millis(farewell),
            };
            prop_assert_eq!(decode_start(&encode_start(&start)), Some(start));
        }

        #[test]
        fn any_bytes_are_a_start_or_none(bytes: Vec<u8>) {
            if let Some(start) = decode_start(&bytes) {
                prop_assert_eq!(encode_start(&start), bytes);
            }
        }

        #[test]
        fn any_report_reads_as_it_was_written(bytes: [u8; REPORT_LENGTH]) {
            if let Some(report) = Report::decode(bytes) {
                prop_assert_eq!(Report::decode(report.encode()), Some(report));
            }
        }
    }

    #[test]
    fn reports_read_as_they_were_written() {
        for report in [
            Report::Started { pid: 70_000 },
            Report::NotExecuted { errno: 8 },
            Report::Refused {
                why: Refusal::Subreaper,
                errno: 1,
            },
            Report::Exited {
                status: Status::Code(3),
                by: GuardEnded::Nothing,
            },
            Report::Exited {
                status: Status::Signal(9),
                by: GuardEnded::HardLimit,
            },
            Report::Clean { left: 0 },
        ] {
            assert_eq!(Report::decode(report.encode()), Some(report));
        }
        assert_eq!(Report::decode([0; REPORT_LENGTH]), None);
    }

    #[test]
    fn a_start_longer_than_the_socket_holds_arrives_with_its_descriptors() {
        let (mut guard, host) = UnixStream::pair().unwrap();
        let start = Start {
            program: "/bin/program".into(),
            args: vec!["x".repeat(1 << 20).into(), "".into()],
            cwd: "/".into(),
            env: vec![("NAME".into(), "value".into())],
            hard: Some(Duration::from_millis(1)),
            farewell: Duration::ZERO,
        };
        let expected = start.clone();
        let sender = thread::spawn(move || send_start(&host, &start, &pipes()));
        let (start, pipes) = receive_start(&mut guard).unwrap();
        sender.join().unwrap().unwrap();
        assert_eq!(start, expected);

        // They are the ends of one pipe, as they were sent.
        io::PipeWriter::from(pipes.stderr).write_all(b"!").unwrap();
        drop(pipes.stdout);
        let mut read = String::new();
        io::PipeReader::from(pipes.stdin)
            .read_to_string(&mut read)
            .unwrap();
        assert_eq!(read, "!");
    }

    #[test]
    fn what_is_no_start_is_refused() {
        let (mut guard, host) = UnixStream::pair().unwrap();
        (&host).write_all(b"FFG1\0\0\0\0").unwrap();
        assert!(matches!(receive_start(&mut guard), Err(NoStart::Version)));

        let (mut guard, host) = UnixStream::pair().unwrap();
        (&host).write_all(b"FFG2\xff\xff\xff\xff").unwrap();
        assert!(matches!(receive_start(&mut guard), Err(NoStart::Version)));

        let (mut guard, host) = UnixStream::pair().unwrap();
        (&host).write_all(b"FF").unwrap();
        drop(host);
        assert!(matches!(receive_start(&mut guard), Err(NoStart::Nobody)));
    }
}
