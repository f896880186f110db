//! The programs of the workspace, for tests of other packages: cargo names a test only the
//! programs of its own package.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs};

/// The program that ends the process trees of its clients.
pub fn guard() -> PathBuf {
    built("child", "fourfold-guard", &["child"])
}

/// The language server that plays a script.
pub fn fake_server() -> PathBuf {
    built("testkit", "fourfold-fake-server", &["testkit", "framing"])
}

/// The program `name` of the package in `folder`, beside the test that runs; built first when it
/// is missing or older than a source file in `sources`.
fn built(folder: &str, name: &str, sources: &[&str]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    // TARGET/PROFILE/deps/TEST
    let test = env::current_exe().unwrap();
    let place = test
        .ancestors()
        .find(|place| place.ends_with("deps"))
        .and_then(Path::parent)
        .unwrap_or_else(|| panic!("{} is not in a folder of cargo's", test.display()));
    let program = place.join(name).with_extension(env::consts::EXE_EXTENSION);
    let newest = sources
        .iter()
        .filter_map(|folder| newest(&root.join(folder).join("src")))
        .max();
    let modified = fs::metadata(&program).and_then(|data| data.modified()).ok();
    if modified < newest {
        let profile = match place.file_name().unwrap().to_str().unwrap() {
            "debug" => "dev",
            other => other,
        };
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .current_dir(root.join(folder))
            .args([
                "build",
                "--quiet",
                "--bin",
                name,
                "--profile",
                profile,
                "--target-dir",
            ])
            .arg(place.parent().unwrap())
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "cannot build {name}: {complaint}");
        // Cargo leaves a program alone that would come out the same.
        let file = fs::File::open(&program).unwrap();
        let _ = file.set_modified(SystemTime::now());
    }
    program
}

/// The last change of a file in `folder`.
fn newest(folder: &Path) -> Option<SystemTime> {
    fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            match path.is_dir() {
                true => newest(&path),
                false => fs::metadata(&path).ok()?.modified().ok(),
            }
        })
        .max()
}
