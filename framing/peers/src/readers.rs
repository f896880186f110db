//! One function a reader: it is given a stream in chunks and says how many frames it delivered.

use std::cell::{Cell, RefCell};
use std::future::{Ready, ready};
use std::hint::black_box;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::BytesMut;
use fourfold_framing::{Decoder, Frame, FrameCodec, FrameReader, Limits};
use futures::StreamExt;
use tokio::runtime::{Builder, Runtime};
use tokio_util::codec::FramedRead;

use crate::stream::{Chunked, Stream};

/// Somebody who reads frames.
pub struct Reader {
    /// Its crate, or its type when it is ours.
    pub name: &'static str,
    /// Reads the stream in chunks of so many bytes; the number of frames that came out.
    pub run: fn(&Stream, usize) -> usize,
    /// Who does more: turns the bodies of the stream into the values that this reader gives, without
    /// reading frames. To be deducted.
    pub json: Option<fn(&Stream)>,
}

/// Copies every byte once, in the same chunks.
pub const MEMCPY: Reader = Reader {
    name: "memcpy",
    run: memcpy,
    json: None,
};

/// What this crate offers.
pub const OURS: &[Reader] = &[
    Reader {
        name: "Decoder",
        run: decoder,
        json: None,
    },
    Reader {
        name: "FrameCodec",
        run: frame_codec,
        json: None,
    },
    Reader {
        name: "FrameReader",
        run: frame_reader,
        json: None,
    },
];

/// What others have published.
pub const PEERS: &[Reader] = &[
    Reader {
        name: "lsp-server",
        run: lsp_server,
        json: Some(json::<lsp_server::Message>),
    },
    Reader {
        name: "tower-lsp-server",
        run: tower_lsp_server,
        json: Some(json::<tower_lsp_server::jsonrpc::Request>),
    },
    Reader {
        name: "async-lsp",
        run: async_lsp,
        // Its own type for any message is private, and costs it more than this one.
        json: Some(json::<serde_json::Value>),
    },
    Reader {
        name: "lsp-codec",
        run: lsp_codec,
        json: Some(json::<serde_json::Value>),
    },
];

/// Into one block that is used again, from run to run too, so that page faults do not count.
fn memcpy(stream: &Stream, chunk: usize) -> usize {
    thread_local! {
        static BLOCK: RefCell<Vec<u8>> = RefCell::new(vec![1; 1 << 20]);
    }
    BLOCK.with_borrow_mut(|block| {
        let mut at = 0;
        for part in stream.bytes.chunks(chunk) {
            if at + part.len() > block.len() {
                at = 0;
            }
            block[at..at + part.len()].copy_from_slice(part);
            at += part.len();
            black_box(&mut *block);
        }
    });
    stream.frames
}

/// Every body of the stream as a `T`.
fn json<T: serde::de::DeserializeOwned>(stream: &Stream) {
    for _ in 0..stream.frames {
        black_box(serde_json::from_str::<T>(&stream.body).expect("a body is JSON"));
    }
}

fn decoder(stream: &Stream, chunk: usize) -> usize {
    let mut decoder = Decoder::new(Limits::default());
    let (mut buffer, mut bodies) = (BytesMut::new(), 0);
    for part in stream.bytes.chunks(chunk) {
        buffer.extend_from_slice(part);
        while let Some(frame) = decoder.decode(&mut buffer).expect("good frames") {
            bodies += usize::from(matches!(black_box(frame), Frame::Body(_)));
        }
    }
    bodies
}

fn frame_codec(stream: &Stream, chunk: usize) -> usize {
    runtime().block_on(async {
        let mut frames = FramedRead::new(Chunked::new(stream, chunk), FrameCodec::default());
        let mut bodies = 0;
        while let Some(frame) = frames.next().await {
            let frame = black_box(frame.expect("good frames"));
            bodies += usize::from(matches!(frame, Frame::Body(_)));
        }
        bodies
    })
}

fn frame_reader(stream: &Stream, chunk: usize) -> usize {
    let source = BufReader::new(Chunked::new(stream, chunk));
    let mut reader = FrameReader::new(source, Limits::default());
    let mut bodies = 0;
    while let Some(frame) = reader.read().expect("good frames") {
        bodies += usize::from(matches!(black_box(frame), Frame::Body(_)));
    }
    bodies
}

fn lsp_server(stream: &Stream, chunk: usize) -> usize {
    let mut source = BufReader::new(Chunked::new(stream, chunk));
    let mut messages = 0;
    while let Some(message) = lsp_server::Message::read(&mut source).expect("good frames") {
        black_box(message);
        messages += 1;
    }
    messages
}

fn tower_lsp_server(stream: &Stream, chunk: usize) -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    // The source of a server may be borrowed, so the stream is not copied.
    let source = Chunked::new(stream, chunk);
    let server = tower_lsp_server::Server::new(source, tokio::io::sink(), Loopback);
    runtime().block_on(server.serve(Tower(count.clone())));
    count.load(Ordering::Relaxed)
}

fn async_lsp(stream: &Stream, chunk: usize) -> usize {
    let count = Rc::new(Cell::new(0));
    let (main_loop, _client) = async_lsp::MainLoop::new_server(|_| Async(count.clone()));
    let source = Chunked::new(stream, chunk);
    // It calls the end of the input an error.
    let _ = futures::executor::block_on(main_loop.run_buffered(source, futures::io::sink()));
    count.get()
}

fn lsp_codec(stream: &Stream, chunk: usize) -> usize {
    use tokio_util_06::codec::Decoder;
    let mut decoder = lsp_codec::LspDecoder::default();
    let (mut buffer, mut messages) = (BytesMut::new(), 0);
    for part in stream.bytes.chunks(chunk) {
        buffer.extend_from_slice(part);
        loop {
            match decoder.decode(&mut buffer) {
                Ok(Some(message)) => {
                    black_box(message);
                    messages += 1;
                }
                Ok(None) => break,
                // It has lost its place; the count shows it.
                Err(_) => return messages,
            }
        }
    }
    messages
}

fn runtime() -> Runtime {
    Builder::new_current_thread()
        .build()
        .expect("a runtime without drivers")
}

struct Loopback;

impl tower_lsp_server::Loopback for Loopback {
    type RequestStream = futures::stream::Pending<tower_lsp_server::jsonrpc::Request>;
    type ResponseSink = futures::sink::Drain<tower_lsp_server::jsonrpc::Response>;

    fn split(self) -> (Self::RequestStream, Self::ResponseSink) {
        (futures::stream::pending(), futures::sink::drain())
    }
}

struct Tower(Arc<AtomicUsize>);

impl tower_service::Service<tower_lsp_server::jsonrpc::Request> for Tower {
    type Response = Option<tower_lsp_server::jsonrpc::Response>;
    type Error = std::io::Error;
    type Future = Ready<Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: tower_lsp_server::jsonrpc::Request) -> Self::Future {
        black_box(&request);
        self.0.fetch_add(1, Ordering::Relaxed);
        ready(Ok(None))
    }
}

struct Async(Rc<Cell<usize>>);

impl tower_service::Service<async_lsp::AnyRequest> for Async {
    type Response = serde_json::Value;
    type Error = async_lsp::ResponseError;
    type Future = Ready<Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: async_lsp::AnyRequest) -> Self::Future {
        black_box(&request);
        self.0.set(self.0.get() + 1);
        ready(Ok(serde_json::Value::Null))
    }
}

impl async_lsp::LspService for Async {
    fn notify(
        &mut self,
        message: async_lsp::AnyNotification,
    ) -> ControlFlow<async_lsp::Result<()>> {
        black_box(&message);
        self.0.set(self.0.get() + 1);
        ControlFlow::Continue(())
    }

    fn emit(&mut self, _: async_lsp::AnyEvent) -> ControlFlow<async_lsp::Result<()>> {
        ControlFlow::Continue(())
    }
}
