//! What the door lets in, what it refuses, and the sentence it says.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

use expect_test::{Expect, expect};
use fourfold_worktree::{Checkout, Error, Purpose};

use crate::Place;

fn place() -> Place {
    let place = Place::new(&[
        ("src/main.rs", "fn main() {}\n"),
        (".git/config", ""),
        (".fourfold/state", ""),
        (".gitignore", ""),
    ]);
    fs::write(place.outside.path().join("secret"), "").unwrap();
    fs::create_dir(place.outside.path().join("other")).unwrap();
    place.link("main.rs", "src/alias.rs");
    place.link("src", "sources");
    place.link("../secret", "leak");
    place.link("../other", "away");
    place.link("nowhere", "broken");
    place.link("round", "round");
    place
}

#[track_caller]
fn admits(place: &Place, path: &str, purpose: Purpose, relative: &str) {
    let admitted = place.checkout.admit(path, purpose).unwrap();
    assert_eq!(admitted.to_string(), relative);
    assert_eq!(admitted.relative(), Path::new(relative));
    assert_eq!(admitted.absolute(), place.path(relative));
}

fn refuses(place: &Place, path: impl AsRef<Path>, purpose: Purpose, sentence: &Expect) {
    let error = place.checkout.admit(path, purpose).unwrap_err();
    sentence.assert_eq(&place.tidy(error));
}

#[test]
fn one_file_has_one_name() {
    let place = place();
    let absolute = place.path("src/main.rs");
    for path in [
        "src/main.rs",
        "./src/../src//main.rs",
        "../tree/src/main.rs",
        "src/alias.rs",
        "sources/main.rs",
        absolute.to_str().unwrap(),
    ] {
        admits(&place, path, Purpose::Read, "src/main.rs");
        admits(&place, path, Purpose::Write, "src/main.rs");
    }
    admits(&place, ".git/config", Purpose::Read, ".git/config");
    admits(&place, ".gitignore", Purpose::Write, ".gitignore");
}

#[test]
fn a_new_file_may_need_new_folders() {
    let place = place();
    admits(&place, "new.rs", Purpose::Create, "new.rs");
    admits(&place, "a/b/c.rs", Purpose::Create, "a/b/c.rs");
    admits(&place, "sources/new.rs", Purpose::Create, "src/new.rs");
    admits(&place, "src/../new.rs", Purpose::Create, "new.rs");
    admits(&place, "src/.gitkeep", Purpose::Create, "src/.gitkeep");
}

#[test]
fn hard_links_are_ordinary_files() {
    let place = place();
    fs::hard_link(place.path("src/main.rs"), place.path("twin.rs")).unwrap();
    admits(&place, "twin.rs", Purpose::Read, "twin.rs");
}

#[test]
fn leaving_the_checkout_is_refused() {
    use Purpose::{Create, Read, Write};
    let place = place();
    let outside = expect![
        "cannot read `../secret`: it is outside the checkout `BASE/tree`; name a path inside, or open the checkout it belongs to"
    ];
    refuses(&place, "../secret", Read, &outside);
    let absolute = expect![
        "cannot write `/etc/passwd`: it is outside the checkout `BASE/tree`; name a path inside, or open the checkout it belongs to"
    ];
    refuses(&place, "/etc/passwd", Write, &absolute);
    let link = expect![
        "cannot write `leak`: the symbolic link `BASE/tree/leak` leads to `BASE/secret`, outside the checkout; name a path inside, or open the checkout it leads to"
    ];
    refuses(&place, "leak", Write, &link);
    let through = expect![
        "cannot create `away/new.rs`: the symbolic link `BASE/tree/away` leads to `BASE/other`, outside the checkout; name a path inside, or open the checkout it leads to"
    ];
    refuses(&place, "away/new.rs", Create, &through);
    let new = expect![
        "cannot create `../new.rs`: it is outside the checkout `BASE/tree`; name a path inside, or open the checkout it belongs to"
    ];
    refuses(&place, "../new.rs", Create, &new);
    let sibling = expect![
        "cannot create `../tree2/x`: it is outside the checkout `BASE/tree`; name a path inside, or open the checkout it belongs to"
    ];
    refuses(&place, "../tree2/x", Create, &sibling);
}

/// What is outside and there, outside and not there, and outside and locked are one and the same.
#[test]
fn nothing_is_told_of_what_lies_outside() {
    use Purpose::{Create, Read, Search, Write};
    let place = place();
    let base = place.outside.path();
    fs::create_dir(base.join("locked")).unwrap();
    place.link("../nope", "leak2");
    place.link("leak2", "leak3");
    place.link("../secret", "twice");
    place.link("../other/nope", "deep");
    let absolute = |name: &str| base.join(name).to_str().unwrap().to_owned();
    let sentence = |path: &str, purpose| {
        let error = place.checkout.admit(path, purpose).unwrap_err();
        let kind = match error {
            Error::Outside { .. } => "outside",
            Error::LinkLeadsOut { .. } => "leads out",
            _ => "else",
        };
        (
            kind,
            error.to_string().replace(&format!("`{path}`"), "`PATH`"),
        )
    };
    for purpose in [Read, Write, Create, Search] {
        let there = sentence("../secret", purpose);
        assert_eq!(there.0, "outside");
        for path in [
            "../nope",
            "../nope/deeper",
            "../secret/deeper",
            "../other",
            "../locked/x",
            "src/../../nope",
            "../../../../../../../etc/passwd",
            "/etc/passwd",
            "/etc/passwd/x",
            "/nope",
            "/proc/self/mem",
            &absolute("secret"),
            &absolute("nope"),
            &absolute("other/nope"),
        ] {
            let told = sentence(path, purpose);
            assert_eq!(told, there, "{purpose} {path}");
        }
        for path in [
            "leak", "leak2", "leak3", "twice", "deep", "away/x", "away/x/y", "leak/x",
        ] {
            assert_eq!(sentence(path, purpose).0, "leads out", "{purpose} {path}");
        }
        // Which of them is there does not show.
        let (_, there) = sentence("leak", purpose);
        let (_, absent) = sentence("leak2", purpose);
        let absent = absent.replace("leak2", "leak").replace("nope", "secret");
        assert_eq!(there, absent);
    }
    // What is not there inside is still told as such.
    for path in ["nope", "src/nope", "../tree/nope"] {
        let error = place.checkout.admit(path, Read).unwrap_err();
        assert!(matches!(error, Error::NotFound { .. }), "{error}");
    }
    // Another way to the same folder is a way in, for what is there and what is not.
    std::os::unix::fs::symlink(place.checkout.root(), base.join("alias")).unwrap();
    admits(&place, &absolute("alias/src/main.rs"), Read, "src/main.rs");
    admits(&place, &absolute("alias/src/new.rs"), Create, "src/new.rs");
    let error = place
        .checkout
        .admit(absolute("alias/nope"), Read)
        .unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error}");
}

#[test]
fn what_is_not_a_file_is_refused() {
    use Purpose::{Create, Read, Write};
    let place = place();
    place.fifo("pipe");
    let _socket = UnixListener::bind(place.path("socket")).unwrap();
    refuses(
        &place,
        "src",
        Read,
        &expect!["cannot read `src`: it is a folder; name a file in it"],
    );
    refuses(
        &place,
        "",
        Write,
        &expect!["cannot write ``: it is a folder; name a file in it"],
    );
    refuses(
        &place,
        "src",
        Create,
        &expect!["cannot create `src`: it is a folder; name a file in it"],
    );
    refuses(
        &place,
        "new/",
        Create,
        &expect!["cannot create `new/`: it is a folder; name a file in it"],
    );
    refuses(
        &place,
        "pipe",
        Read,
        &expect!["cannot read `pipe`: it is a named pipe, not a regular file; name a regular file"],
    );
    refuses(
        &place,
        "socket",
        Write,
        &expect!["cannot write `socket`: it is a socket, not a regular file; name a regular file"],
    );
    refuses(
        &place,
        "src/main.rs",
        Create,
        &expect![
            "cannot create `src/main.rs`: it exists already; change the existing file, or choose another name"
        ],
    );
    refuses(
        &place,
        "src/main.rs/x",
        Create,
        &expect![
            "cannot create `src/main.rs/x`: `BASE/tree/src/main.rs` is a file, not a folder; choose another place"
        ],
    );
    refuses(
        &place,
        "src/main.rs/x",
        Read,
        &expect![
            "cannot read `src/main.rs/x`: `BASE/tree/src/main.rs` is a file, not a folder; choose another place"
        ],
    );
    let devices = Checkout::open("/dev").unwrap();
    let error = devices.admit("null", Read).unwrap_err();
    assert!(
        matches!(error, Error::Special { kind: "device", .. }),
        "{error}"
    );
}

#[test]
fn what_is_not_there_is_refused() {
    use Purpose::{Create, Read, Write};
    let place = place();
    refuses(
        &place,
        "src/mian.rs",
        Read,
        &expect![
            "cannot read `src/mian.rs`: nothing is there; check the spelling (relative paths start at `BASE/tree`)"
        ],
    );
    refuses(
        &place,
        "new/../x.rs",
        Create,
        &expect![
            "cannot create `new/../x.rs`: nothing is there; check the spelling (relative paths start at `BASE/tree`)"
        ],
    );
    let broken = expect![
        "cannot write `broken`: the symbolic link `BASE/tree/broken` is broken, it points to `nowhere` which does not exist; repair or remove the link"
    ];
    refuses(&place, "broken", Write, &broken);
    let below = expect![
        "cannot create `broken/x`: the symbolic link `BASE/tree/broken` is broken, it points to `nowhere` which does not exist; repair or remove the link"
    ];
    refuses(&place, "broken/x", Create, &below);
    refuses(
        &place,
        "round",
        Read,
        &expect![
            "cannot read `round`: Too many levels of symbolic links (os error 40); check its name and the permissions of the folders above it"
        ],
    );
    refuses(
        &place,
        "a\0b",
        Read,
        &expect![[r#"cannot read `a\0b`: the path holds a NUL byte; remove it"#]],
    );
    let long = "x".repeat(300);
    let error = place.checkout.admit(&long, Create).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
}

#[test]
fn the_state_of_programs_is_not_written() {
    use Purpose::{Create, Write};
    let place = place();
    place.link(".git/config", "sly");
    let git = expect![
        "cannot write `.git/config`: `.git` holds what a program keeps for itself; leave it alone and name a file of the project"
    ];
    refuses(&place, ".git/config", Write, &git);
    let sly = expect![
        "cannot write `sly`: `.git` holds what a program keeps for itself; leave it alone and name a file of the project"
    ];
    refuses(&place, "sly", Write, &sly);
    let own = expect![
        "cannot create `.fourfold/x`: `.fourfold` holds what a program keeps for itself; leave it alone and name a file of the project"
    ];
    refuses(&place, ".fourfold/x", Create, &own);
    let nested = expect![
        "cannot create `lib/.Git/hooks/x`: `.git` holds what a program keeps for itself; leave it alone and name a file of the project"
    ];
    refuses(&place, "lib/.Git/hooks/x", Create, &nested);
}

#[test]
fn names_need_not_be_utf8() {
    let place = place();
    let name = OsStr::from_bytes(b"caf\xe9.rs");
    place.write(name, "");
    let admitted = place.checkout.admit(name, Purpose::Read).unwrap();
    assert_eq!(admitted.relative(), Path::new(name));
    assert_eq!(admitted.to_string(), "caf\u{fffd}.rs");
}

#[test]
fn a_checkout_is_opened_or_discovered() {
    let place = place();
    let root = place.checkout.root();
    for from in ["src", "src/main.rs", "sources/alias.rs", "."] {
        assert_eq!(Checkout::discover(place.path(from)).unwrap().root(), root);
    }
    let alone = place.outside.path().join("other");
    assert_eq!(
        Checkout::discover(&alone).unwrap().root(),
        fs::canonicalize(&alone).unwrap()
    );
    place.write("member/fourfold.toml", "");
    place.write("member/src/lib.rs", "");
    let member = Checkout::discover(place.path("member/src/lib.rs")).unwrap();
    assert_eq!(member.root(), place.path("member"));

    let error = Checkout::open(place.path("src/main.rs")).unwrap_err();
    expect!["cannot open the checkout `BASE/tree/src/main.rs`: it is not a folder; name the folder that holds it"]
        .assert_eq(&place.tidy(error));
    let error = Checkout::discover(place.path("gone")).unwrap_err();
    expect!["cannot open the checkout `BASE/tree/gone`: No such file or directory (os error 2); name an existing folder"]
        .assert_eq(&place.tidy(error));
}
