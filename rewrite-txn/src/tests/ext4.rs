//! Power cuts on a real ext4: the image under a mounted file system is copied before every call,
//! and the copy is mounted and recovered as the machine would after a power cut.
//!
//! Takes a while, so only with `FOURFOLD_LONG`; needs the right to mount.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::fault::{Fault, FaultFs};
use super::sample::{FILES, contents, leftovers, open, stage, temp_dir, tree, which};
use crate::{Durability, recover};

fn run(program: &str, args: &[&str], path: &Path, more: Option<&Path>) -> bool {
    let output = Command::new(program)
        .args(args)
        .arg(path)
        .args(more)
        .output();
    match output {
        Ok(output) if output.status.success() => true,
        Ok(output) => {
            eprintln!("{program}: {}", String::from_utf8_lossy(&output.stderr));
            false
        }
        Err(error) => {
            eprintln!("{program}: {error}");
            false
        }
    }
}

/// A mounted image; unmounted on drop.
struct Mounted(PathBuf);

impl Mounted {
    /// Mounts it, more than once if need be: two programs may go for one free loop device.
    fn new(image: &Path, at: PathBuf) -> Option<Self> {
        fs::create_dir_all(&at).unwrap();
        (0..5)
            .any(|_| run("mount", &["-o", "loop"], image, Some(&at)))
            .then_some(Self(at))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // A program that another test is just starting may hold its files open for a moment.
        let unmounted = (0..200).any(|_| run("umount", &[], &self.0, None));
        assert!(
            unmounted || std::thread::panicking(),
            "{} stays mounted",
            self.0.display()
        );
    }
}

/// Gets the root of what a power cut would have left, and before which call.
type Check = fn(&Path, &str);

/// Commits the sample on ext4 and checks what a power cut before every call, and after the last,
/// would have left. `unrelated` waits for the disk with another file first, which carries along
/// what the file system has not ordered.
fn cut_everywhere(durability: Durability, unrelated: bool, check: Check) {
    if !super::long() {
        return;
    }
    let dir = temp_dir();
    let image = dir.path().join("image");
    fs::File::create(&image).unwrap().set_len(24 << 20).unwrap();
    assert!(
        run("mkfs.ext4", &["-q", "-F"], &image, None),
        "mkfs.ext4 is needed"
    );
    let Some(mounted) = Mounted::new(&image, dir.path().join("mounted")) else {
        eprintln!("NOT TESTED: mounting an image is not permitted here; run the tests as root");
        return;
    };
    let root = mounted.0.join("root");
    for (path, content) in FILES {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), content).unwrap();
    }
    run("sync", &["-f"], &root, None);
    let cut = {
        let (dir, mounted) = (dir.path().to_path_buf(), mounted.0.clone());
        Arc::new(move |call: &str| {
            if unrelated {
                let mut file = fs::File::create(mounted.join("unrelated")).unwrap();
                file.write_all(call.as_bytes()).unwrap();
                file.sync_all().unwrap();
            }
            let copy = dir.join("copy");
            fs::copy(dir.join("image"), &copy).unwrap();
            let after = Mounted::new(&copy, dir.join("after")).unwrap();
            check(&after.0.join("root"), call);
        })
    };
    let committing = Arc::new(AtomicBool::new(false));
    let each = {
        let (cut, committing) = (Arc::clone(&cut), Arc::clone(&committing));
        Box::new(move |call: &str| {
            if committing.load(Ordering::SeqCst) {
                cut(call);
            }
        })
    };
    let mut staged = stage(FaultFs::new(open(&root), Fault::BeforeEach(each))).unwrap();
    committing.store(true, Ordering::SeqCst);
    staged.commit(durability).unwrap();
    drop(staged);
    cut("end");
    if durability == Durability::PowerLoss {
        let copy = Mounted::new(&dir.path().join("copy"), dir.path().join("after")).unwrap();
        assert!(which(&contents(&copy.0.join("root")), &|| {
            "it said it was done".to_owned()
        }));
    }
}

#[test]
fn a_power_cut_at_every_call_leaves_old_or_new() {
    for unrelated in [false, true] {
        cut_everywhere(Durability::PowerLoss, unrelated, |root, call| {
            let report = recover(root).unwrap();
            which(&contents(root), &|| format!("{call}: {report:?}"));
            assert_eq!(leftovers(root), Vec::<String>::new(), "{call}");
        });
    }
}

/// Without waiting for the disk old and new may be mixed, but no file is cut short: the data of
/// each is on disk before its name is.
#[test]
fn a_power_cut_never_cuts_a_file_short() {
    for unrelated in [false, true] {
        cut_everywhere(Durability::ProcessCrash, unrelated, |root, call| {
            let (before, after) = (tree(false), tree(true));
            for (path, text) in contents(root) {
                let known = [&before, &after]
                    .iter()
                    .any(|tree| tree.get(&path) == Some(&text));
                assert!(known, "{call}: {path} holds {text:?}");
            }
        });
    }
}
