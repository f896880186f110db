//! Paths and the `file:` URIs that the protocol names them by.
//!
//! Two spellings of a URI may mean one file (`%5B` and `[`, `%3A` and `:`), so URIs are never
//! compared: they are decoded, and the paths are compared.

use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// The URI of an absolute path. Everything but letters, digits, `-._~` and `/` is encoded, byte by
/// byte, as the reference implementation of the protocol does it: some servers do compare URIs.
pub(crate) fn to_uri(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    let mut uri = String::with_capacity(bytes.len() + 8);
    uri.push_str("file://");
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// The path that a `file:` URI names, without `.` and `..`; `None` for another scheme, another
/// host, or what no path can be.
///
/// `?` and `#` are taken for parts of the path: the URI of a document has neither query nor
/// fragment, and servers that put `file://` before a path do not encode them. A `%` that begins no
/// pair of hexadecimal digits stands for itself for the same reason.
pub(crate) fn to_path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let (host, _) = rest.split_once('/')?;
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return None;
            }
            &rest[host.len()..]
        }
        None if rest.starts_with('/') => rest,
        None => return None,
    };
    let bytes = decode(path);
    if bytes.contains(&0) {
        return None;
    }
    let named = PathBuf::from(OsString::from_vec(bytes));
    let mut path = PathBuf::from("/");
    for component in named.components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    Some(path)
}

fn decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        match behind {
            [high, low, behind @ ..] if *first == b'%' => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => {
                    bytes.push(high << 4 | low);
                    rest = behind;
                }
                _ => bytes.push(b'%'),
            },
            _ => bytes.push(*first),
        }
    }
    bytes
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

/// The root folder of a server under both its names: the one we use and, when links lead to it,
/// the one that a server may find out and answer with.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    named: PathBuf,
    real: PathBuf,
}

impl Root {
    /// Looks at the disk once, to resolve the links.
    pub(crate) fn new(root: &Path) -> Root {
        Root {
            named: root.to_path_buf(),
            real: root.canonicalize().unwrap_or_else(|_| root.to_path_buf()),
        }
    }

    /// The folder under the name we use.
    pub(crate) fn path(&self) -> &Path {
        &self.named
    }

    /// Whether a path of ours lies in the folder, by its name.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        path.starts_with(&self.named)
    }

    /// The path that a URI names ([`to_path`]), under the name we use for the root.
    pub(crate) fn to_path(&self, uri: &str) -> Option<PathBuf> {
        let path = to_path(uri)?;
        if path.starts_with(&self.named) {
            return Some(path);
        }
        Some(rebase(&path, &self.real, &self.named).unwrap_or(path))
    }
}

/// The path at the same place below `to` as `path` is below `from`; `None` when it is not there.
pub(crate) fn rebase(path: &Path, from: &Path, to: &Path) -> Option<PathBuf> {
    let below = path.strip_prefix(from).ok()?;
    // To join with nothing would add a slash.
    if below.as_os_str().is_empty() {
        return Some(to.to_path_buf());
    }
    Some(to.join(below))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_are_encoded_as_the_reference_does() {
        let uri = |path: &str| to_uri(Path::new(path));
        assert_eq!(uri("/"), "file:///");
        assert_eq!(uri("/a/b-c_d.e~f"), "file:///a/b-c_d.e~f");
        assert_eq!(uri("/app/[id]/page.tsx"), "file:///app/%5Bid%5D/page.tsx");
        assert_eq!(uri("/c#/a b?/50%"), "file:///c%23/a%20b%3F/50%25");
        assert_eq!(uri("/c:/@x/(y)+"), "file:///c%3A/%40x/%28y%29%2B");
        assert_eq!(uri("/é/漢"), "file:///%C3%A9/%E6%BC%A2");
        let latin = PathBuf::from(OsString::from_vec(b"/caf\xE9".to_vec()));
        assert_eq!(to_uri(&latin), "file:///caf%E9");
    }

    #[test]
    fn all_spellings_of_a_path_are_one() {
        for uri in [
            "file:///app/%5Bid%5D/a%20b.ts",
            "file:///app/%5bid%5d/a b.ts",
            "file:///app/[id]/a%20b.ts",
            "FILE:///app/[id]/a b.ts",
            "file://localhost/app/[id]/a b.ts",
            "file://LocalHost/app/[id]/a b.ts",
            "file:/app/[id]/a b.ts",
            "file:////app//[id]/./a b.ts",
            "file:///app/[id]/x/../a b.ts",
            "file:///%2E%2e/app/[id]%2Fa b.ts",
        ] {
            assert_eq!(to_path(uri), Some("/app/[id]/a b.ts".into()), "{uri}");
        }
        for uri in ["file:///c%3A/x", "file:///c%3a/x", "file:///c:/x"] {
            assert_eq!(to_path(uri), Some("/c:/x".into()), "{uri}");
        }
    }

    #[test]
    fn what_was_not_encoded_stands_for_itself() {
        for (uri, path) in [
            ("file:///c#/a?b.cs", "/c#/a?b.cs"),
            ("file:///50%", "/50%"),
            ("file:///50%/x", "/50%/x"),
            ("file:///%+1", "/%+1"),
            ("file:///%4", "/%4"),
            ("file:///%%41", "/%A"),
            ("file:///%C3%A9é", "/éé"),
        ] {
            assert_eq!(to_path(uri), Some(path.into()), "{uri}");
        }
    }

    #[test]
    fn what_names_no_file_here_is_none() {
        for uri in [
            "",
            "/a/b",
            "untitled:Untitled-1",
            "jdt://contents/java.base/java.lang/String.class",
            "https://example.org/a",
            "file://server/share/a",
            "file:relative",
            "file://",
            "file://localhost",
            "file:///a%00b",
        ] {
            assert_eq!(to_path(uri), None, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn any_path_survives(
            names in proptest::collection::vec(
                proptest::collection::vec(1..=255_u8, 1..12)
                    .prop_filter("a name", |name| {
                        !name.contains(&b'/') && name != b"." && name != b".."
                    }),
                0..6,
            )
        ) {
            let mut path = PathBuf::from("/");
            path.extend(names.into_iter().map(OsString::from_vec));
            let uri = to_uri(&path);
            prop_assert!(uri.bytes().all(|byte| byte.is_ascii_graphic()));
            prop_assert_eq!(to_path(&uri), Some(path));
        }

        #[test]
        fn any_text_is_read(uri in "(file:)?/{0,3}(\\PC|%[0-9a-g]{0,3}|/|\\.){0,20}") {
            if let Some(path) = to_path(&uri) {
                prop_assert!(path.is_absolute());
                prop_assert_eq!(to_path(&to_uri(&path)), Some(path));
            }
        }
    }

    #[test]
    fn a_root_behind_a_link_keeps_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap().join("real");
        let named = folder.path().join("named");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &named).unwrap();
        let root = Root::new(&named);
        let file = named.join("src/a b.rs");
        assert_eq!(root.to_path(&to_uri(&file)), Some(file.clone()));
        assert_eq!(
            root.to_path(&to_uri(&real.join("src/a b.rs"))),
            Some(file.clone())
        );
        assert_eq!(root.to_path(&to_uri(&real)), Some(named.clone()));
        assert!(root.contains(&file));
        let beside = folder.path().join("named-too/a.rs");
        assert_eq!(root.to_path(&to_uri(&beside)), Some(beside.clone()));
        assert!(!root.contains(&beside));
        assert_eq!(
            root.to_path(&format!("{}/../x", to_uri(&named))),
            Some(folder.path().join("x"))
        );
        assert_eq!(root.path(), named);
    }
}
