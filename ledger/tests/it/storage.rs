//! Checkpoints as bytes.

use expect_test::expect;
use fourfold_ledger::{Checkpoint, Config, Error, Ledger};
use proptest::prelude::*;

use crate::script::{Run, written};

fn run() -> Run {
    let mut run = Run::new();
    run.step("base a: W old @1; E[2304] x @2");
    run.step("see b/é: E x @1; E x @2; I note @3");
    run.step("partial c: ");
    run
}

#[test]
fn round_trip() {
    let run = run();
    let checkpoint = run.ledger.checkpoint();
    let bytes = checkpoint.to_bytes();
    let read = Checkpoint::from_bytes(&bytes).unwrap();
    assert_eq!(read, checkpoint);
    assert_eq!(read.to_bytes(), bytes);

    let mut other = Run::new();
    other.ledger.restore(read);
    assert_eq!(
        other.step("see a: W old @9; E[2304] x @2; E y @4"),
        "+E y @4 =2"
    );
    assert_eq!(other.step("see b/é: E x @1"), "-E x -I note =1");
    assert_eq!(other.step("partial c: E z @1"), "+E z @1 =0 origin?");
}

/// The format is a promise: what an earlier version stored is still read, and still compares.
#[test]
fn bytes_of_version_1() {
    let mut run = Run::new();
    run.step("base a: E[7] x @2");
    let hex: Vec<String> = run
        .ledger
        .checkpoint()
        .to_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    expect!["34464c470101000000060000007365727665720100000061010100000000000000010000005122fa1979bc6d8322588b25287e8ca60001000000000000000101000000370100000078be92492d9668c980dad3f62d2bdcb6c5"].assert_eq(&hex.join(""));
}

#[test]
fn every_cut_and_every_flipped_bit_is_refused() {
    let bytes = run().ledger.checkpoint().to_bytes();
    for end in 0..bytes.len() {
        assert!(
            Checkpoint::from_bytes(&bytes[..end]).is_err(),
            "cut at {end}"
        );
    }
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Checkpoint::from_bytes(&damaged).is_err(), "bit {bit}");
    }
}

#[test]
fn refusals_say_what_to_do() {
    let said = |bytes: &[u8]| Checkpoint::from_bytes(bytes).unwrap_err().to_string();
    expect!["cannot read the ledger checkpoint: the bytes do not begin as one; begin with an empty ledger and take new baselines"]
        .assert_eq(&said(b"{}"));
    expect!["cannot read the ledger checkpoint: it has format 9, not 1; begin with an empty ledger and take new baselines"]
        .assert_eq(&said(b"4FLG\x09"));
    expect!["cannot read the ledger checkpoint: its hash does not fit at byte 5; begin with an empty ledger and take new baselines"]
        .assert_eq(&said(b"4FLG\x01abc"));
    assert_eq!(Checkpoint::from_bytes(b""), Err(Error::NotACheckpoint));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>, magic: bool) {
        let bytes = if magic { [b"4FLG\x01", &bytes[..]].concat() } else { bytes };
        prop_assert!(Checkpoint::from_bytes(&bytes).is_err());
    }
}

#[test]
fn restoring_keeps_to_the_bounds() {
    let checkpoint = run().ledger.checkpoint();
    let config = Config {
        max_slots: 1,
        ..Config::default()
    };
    let mut ledger = Ledger::new(config);
    ledger.restore(checkpoint);
    assert_eq!(ledger.usage().slots, 1);
    let slot = fourfold_ledger::Slot::new("server", "c");
    let delta = ledger.observe(&slot, fourfold_ledger::Evidence::Complete, &[]);
    assert_eq!(written(&delta), "=0");
    assert_eq!((ledger.usage().slots, ledger.usage().evicted), (1, 2));
}
