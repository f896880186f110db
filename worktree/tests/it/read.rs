//! What is read as text, and the reason when it is not.

use std::fs;

use fourfold_worktree::{Checkout, Purpose, ReadLimits, Skipped, Stamp, Text, read_text};

use crate::Place;

fn read(place: &Place, path: &str) -> Result<Text, Skipped> {
    let file = place.checkout.admit(path, Purpose::Read).unwrap();
    read_text(&file, &ReadLimits::default())
}

#[test]
fn bytes_are_kept() {
    let place = Place::new(&[("a", "\u{feff}one\r\ntwo\n"), ("empty", "")]);
    place.write("long", "x".repeat(200_000));
    assert_eq!(read(&place, "a").unwrap().text, "\u{feff}one\r\ntwo\n");
    assert_eq!(read(&place, "empty").unwrap().text, "");
    assert_eq!(read(&place, "long").unwrap().text.len(), 200_000);
}

#[test]
fn the_limit_is_exact() {
    let place = Place::new(&[("a", "12345")]);
    let file = place.checkout.admit("a", Purpose::Read).unwrap();
    assert!(read_text(&file, &ReadLimits { max_bytes: 5 }).is_ok());
    assert_eq!(
        read_text(&file, &ReadLimits { max_bytes: 4 }),
        Err(Skipped::TooLarge { bytes: 5, limit: 4 })
    );
}

#[test]
fn a_hundred_megabytes_are_not_touched() {
    let place = Place::new(&[]);
    let file = fs::File::create(place.path("huge")).unwrap();
    file.set_len(100 << 20).unwrap();
    let why = read(&place, "huge").unwrap_err();
    assert_eq!(
        why.to_string(),
        "is too large (100 MiB, the limit is 8 MiB)"
    );
}

#[test]
fn a_file_longer_than_it_says_is_read_to_its_end_or_the_limit() {
    // Files below /proc have the length 0.
    let checkout = Checkout::open("/proc/self").unwrap();
    let file = checkout.admit("status", Purpose::Read).unwrap();
    let text = read_text(&file, &ReadLimits::default()).unwrap();
    assert!(text.text.starts_with("Name:") && text.stamp.len == 0);
    let why = read_text(&file, &ReadLimits { max_bytes: 10 }).unwrap_err();
    assert!(matches!(why, Skipped::TooLarge { limit: 10, .. }), "{why}");
}

#[test]
fn what_is_no_text_says_so() {
    let place = Place::new(&[("binary", "ELF\0"), ("utf16", "")]);
    place.write("latin1", b"caf\xe9");
    assert_eq!(read(&place, "binary"), Err(Skipped::Binary { offset: 3 }));
    assert_eq!(read(&place, "latin1"), Err(Skipped::NotUtf8 { offset: 3 }));
}

#[test]
fn what_changed_after_the_door_says_so() {
    let place = Place::new(&[("a", ""), ("b", ""), ("c", ""), ("d/e", "")]);
    let admit = |path| place.checkout.admit(path, Purpose::Read).unwrap();
    let read = |file| {
        read_text(&file, &ReadLimits::default())
            .unwrap_err()
            .to_string()
    };
    let (a, b, c, e) = (admit("a"), admit("b"), admit("c"), admit("d/e"));
    for path in ["a", "b", "c"] {
        fs::remove_file(place.path(path)).unwrap();
    }
    fs::remove_dir_all(place.path("d")).unwrap();
    place.link("/etc/passwd", "b");
    place.fifo("c");
    assert_eq!(read(a), "is gone: it vanished while it was wanted");
    assert_eq!(read(b), "is not a regular file but a symbolic link");
    assert_eq!(read(c), "is not a regular file but a named pipe");
    assert_eq!(read(e), "is gone: it vanished while it was wanted");
}

#[test]
fn a_stamp_tells_every_kind_of_change() {
    let place = Place::new(&[("a", "one")]);
    let text = read(&place, "a").unwrap();
    let stamp = || Stamp::of(place.path("a")).unwrap();
    assert_eq!(stamp(), text.stamp);

    let before = stamp();
    place.write("a", "other");
    assert_ne!(stamp(), before, "length");

    let before = stamp();
    place.write("b", "other");
    fs::rename(place.path("b"), place.path("a")).unwrap();
    assert_ne!(stamp().ino, before.ino, "another file");

    let before = stamp();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_nanos(1_500_000_000_000_000_042);
    let file = fs::File::options()
        .write(true)
        .open(place.path("a"))
        .unwrap();
    file.set_modified(old).unwrap();
    assert_ne!(stamp(), before, "times");
    assert_eq!(stamp().mtime_ns, 1_500_000_000_000_000_042);
    assert!(Stamp::of(place.path("gone")).is_err());
}
