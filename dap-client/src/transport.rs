//! From a row of the catalog to a stream of bytes: the adapter as a guarded process, spoken to over
//! its pipes or over a port of this machine.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fourfold_child::{Child, Guard, Limits, Spawn};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, ToSocketAddrs};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use crate::adapter::{Launchable, Transport};

/// Between two attempts to connect.
const RETRY: Duration = Duration::from_millis(30);

/// Lines of standard error that tell why an adapter ended.
pub(crate) const LAST_LINES: usize = 8;

/// What is looked through for an announced port.
const ANNOUNCEMENT: usize = 64 << 10;

pub(crate) type Reader = Box<dyn AsyncRead + Send + Unpin>;
pub(crate) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// How an adapter is started.
pub(crate) struct Order<'a> {
    pub(crate) launchable: &'a Launchable,
    pub(crate) args: &'a [String],
    pub(crate) cwd: &'a Path,
    pub(crate) env: Vec<(String, String)>,
    /// Copied to its standard input, which is closed then. Of one that is not spoken to over it.
    pub(crate) stdin: Option<&'a Path>,
    pub(crate) search_path: &'a std::ffi::OsStr,
    pub(crate) guard: Guard,
    /// The guard kills everything after so long.
    pub(crate) hard: Duration,
    /// How long the guard lets it end by itself when we are gone.
    pub(crate) farewell: Duration,
    /// How long it may take to be reachable.
    pub(crate) within: Duration,
}

/// What the program prints on the adapter's own output.
pub(crate) type Prints = Arc<dyn Fn(&str) + Send + Sync>;

/// An adapter that runs.
pub(crate) struct Started {
    pub(crate) child: Arc<Child>,
    pub(crate) ends: (Reader, Writer),
    /// Where further connections are made to.
    pub(crate) address: Option<SocketAddr>,
}

/// Starts the adapter and connects to it. On failure nothing is left of it.
pub(crate) async fn start(order: Order<'_>, prints: Prints) -> Result<Started, String> {
    let adapter = &order.launchable.adapter;
    let port = match adapter.transport {
        Transport::Port => Some(free_port().map_err(|error| format!("no free port: {error}"))?),
        _ => None,
    };
    let named = port.map(|port| port.to_string()).unwrap_or_default();
    let args = order.launchable.args.iter().chain(order.args);
    let mut child = Spawn::new(&order.launchable.program)
        .args(args.map(|arg| arg.replace("{port}", &named)))
        .cwd(order.cwd)
        .env("PATH", order.search_path)
        .envs(adapter.env.iter().map(|(name, value)| (name, value)))
        .envs(order.env)
        .guard(order.guard)
        .limits(
            Limits::default()
                .with_hard(order.hard)
                .with_farewell(order.farewell),
        )
        .spawn()
        .await
        .map_err(|error| error.to_string())?;
    let (Some(stdin), Some(stdout)) = (child.take_stdin(), child.take_stdout()) else {
        return Err("its pipes are taken".to_owned());
    };
    if adapter.transport == Transport::Stdio {
        return Ok(Started {
            child: Arc::new(child),
            ends: (Box::new(stdout), Box::new(stdin)),
            address: None,
        });
    }
    let deadline = Instant::now() + order.within;
    // One that was told its port announces none: all that it prints is the program's.
    let told = port.map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    let (announced, mut announcement) = watch::channel(told);
    // Somebody must read its output as long as it lives; its input stays open as long.
    let given = match order.stdin {
        Some(path) => Some(std::fs::read(path).map_err(|error| error.to_string())?),
        None => None,
    };
    tokio::spawn(async move {
        let mut open = Some(stdin);
        if let Some(bytes) = given
            && let Some(mut stdin) = open.take()
        {
            tokio::spawn(async move {
                // A program that reads no more of it has what it wants.
                let _ = stdin.write_all(&bytes).await;
            });
        }
        drain(stdout, &announced, &*prints).await;
    });
    let reach = async {
        let address = match told {
            Some(told) => told,
            None => match announcement
                .wait_for(Option::is_some)
                .await
                .map(|found| *found)
            {
                Ok(Some(address)) => address,
                _ => return Err("it closed its output without announcing a port".to_owned()),
            },
        };
        loop {
            match connect(address).await {
                Ok(ends) => return Ok((address, ends)),
                Err(error) if Instant::now() + RETRY >= deadline => {
                    return Err(format!("nothing listens at {address}: {error}"));
                }
                Err(_) => sleep(RETRY).await,
            }
        }
    };
    let reached = tokio::select! {
        reached = timeout_at(deadline, reach) => reached.unwrap_or_else(|_| {
            Err(format!("it announced no port within {} s", order.within.as_secs_f32()))
        }),
        exit = child.wait() => Err(format!("it ended at once: {exit}")),
    };
    match reached {
        Ok((address, ends)) => Ok(Started {
            child: Arc::new(child),
            ends,
            address: Some(address),
        }),
        Err(why) => {
            child.kill();
            child.gone().await;
            let words = child.last_words(LAST_LINES).await;
            Err(match words.as_slice() {
                [] => why,
                words => format!("{why} ({})", words.join(" / ")),
            })
        }
    }
}

/// Connects to an adapter's port.
pub(crate) async fn connect(address: impl ToSocketAddrs) -> std::io::Result<(Reader, Writer)> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (read, write) = stream.into_split();
    Ok((Box::new(read), Box::new(write)))
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}

async fn drain<R: AsyncRead + Unpin>(
    mut source: R,
    announced: &watch::Sender<Option<SocketAddr>>,
    prints: &(dyn Fn(&str) + Send + Sync),
) {
    let mut chunk = vec![0; 16 << 10];
    let mut begin = String::new();
    let mut carry = Vec::new();
    while let Ok(read @ 1..) = source.read(&mut chunk).await {
        carry.extend_from_slice(chunk.get(..read).unwrap_or_default());
        let text = whole(&mut carry);
        if announced.borrow().is_none() && begin.len() < ANNOUNCEMENT {
            begin.push_str(&text);
            if let Some((address, behind)) = announcement(&begin) {
                announced.send_replace(Some(address));
                let rest = begin.get(behind..).unwrap_or_default().to_owned();
                prints(&rest);
            }
        } else {
            prints(&text);
        }
    }
}

/// The text of the bytes up to the last whole character, which are taken away.
fn whole(carry: &mut Vec<u8>) -> String {
    let end = match std::str::from_utf8(carry) {
        Ok(_) => carry.len(),
        // The beginning of a character at the end.
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => carry.len(),
    };
    let rest = carry.split_off(end);
    let text = String::from_utf8_lossy(carry).into_owned();
    *carry = rest;
    text
}

/// The address in the first whole line that has one, and where the next line begins. An adapter that
/// listens everywhere is reached here.
fn announcement(text: &str) -> Option<(SocketAddr, usize)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if !line.ends_with('\n') {
            return None;
        }
        let words =
            line.split(|char: char| char.is_whitespace() || matches!(char, '(' | ')' | ','));
        for word in words {
            let Some((host, port)) = word.trim_end_matches('.').rsplit_once(':') else {
                continue;
            };
            let (Ok(port @ 1..), true) = (port.parse(), !host.is_empty()) else {
                continue;
            };
            let host = host.trim_matches(['[', ']']);
            let ip = match host {
                "localhost" | "0.0.0.0" | "*" => Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
                "::" => Some(IpAddr::V6(std::net::Ipv6Addr::LOCALHOST)),
                host => host.parse().ok(),
            };
            if let Some(ip) = ip.filter(IpAddr::is_loopback) {
                return Some((SocketAddr::new(ip, port), at));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<String> {
        announcement(text).map(|(address, _)| address.to_string())
    }

    #[test]
    fn ports_are_found_as_adapters_announce_them() {
        let dlv = "DAP server listening at: 127.0.0.1:38697\nhello";
        assert_eq!(announcement(dlv).map(|(_, at)| &dlv[at..]), Some("hello"));
        assert_eq!(
            found("Debug server listening at ::1:8123\n").as_deref(),
            Some("[::1]:8123")
        );
        assert_eq!(
            found("x\nDEBUGGER: Debugger can attach via TCP/IP (127.0.0.1:1234)\n").as_deref(),
            Some("127.0.0.1:1234")
        );
        assert_eq!(found("at 127.0.0.1:1"), None, "the line may go on");
        assert_eq!(found("12:30:01 at example.com:80 and 10.0.0.1:80\n"), None);
        assert_eq!(found("listening at localhost:0\n"), None);
        assert_eq!(found("at *:99\n").as_deref(), Some("127.0.0.1:99"));
    }

    #[tokio::test]
    async fn what_is_printed_behind_the_announcement_is_the_programs() {
        let said: &[u8] = b"a server\nDAP server listening at: 127.0.0.1:38697\nhello\n";
        let told = "127.0.0.1:38697".parse().unwrap();
        for (known, expected) in [
            (None, "hello\n"),
            (Some(told), std::str::from_utf8(said).unwrap()),
        ] {
            let printed = parking_lot::Mutex::new(String::new());
            let announced = watch::Sender::new(known);
            drain(said, &announced, &|text| printed.lock().push_str(text)).await;
            assert_eq!(printed.into_inner(), expected);
            assert_eq!(*announced.borrow(), Some(told));
        }
    }

    #[test]
    fn characters_are_not_torn() {
        let mut carry = "é".as_bytes()[..1].to_vec();
        assert_eq!(whole(&mut carry), "");
        carry.push("é".as_bytes()[1]);
        assert_eq!(whole(&mut carry), "é");
        carry.extend([b'a', 0xff, b'b']);
        assert_eq!(whole(&mut carry), "a\u{fffd}b");
        assert!(carry.is_empty());
    }
}
