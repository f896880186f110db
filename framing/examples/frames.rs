//! Reads what a language server or debug adapter printed, from standard input, and lists what is in
//! it: `some-server < requests | cargo run -p fourfold-framing --example frames`.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::io;

use fourfold_framing::{Frame, FrameReader, Limits};

fn main() -> Result<(), Box<dyn Error>> {
    let mut reader = FrameReader::new(io::stdin().lock(), Limits::default());
    while let Some(frame) = reader.read()? {
        match frame {
            Frame::Body(body) => println!("{} bytes: {}", body.len(), body.escape_ascii()),
            Frame::Skipped(skipped) => println!("{skipped}"),
        }
    }
    Ok(())
}
