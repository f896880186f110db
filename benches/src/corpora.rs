//! Real projects from the package registries, by name and pinned version, in a cache folder.
//!
//! `data/corpora.json` lists them. Each is fetched by its ordinary client, then only the files of
//! the language are kept, under `<cache>/<language>/<project>/`. Files of further folders are copied
//! to `<cache>/<language>/further/`. Nothing fetched is ever committed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// Environment variable with further folders, separated like `PATH`; each holds `<language>/`.
pub const EXTRA: &str = "FOURFOLD_CORPORA";

const MANIFEST: &str = include_str!("../data/corpora.json");

/// Files over this size are left out (the peer skips some of them, and one would hide all others).
const MAX_FILE: u64 = 1 << 20;

#[derive(Deserialize)]
struct Manifest {
    languages: BTreeMap<String, Language>,
}

#[derive(Deserialize)]
struct Language {
    extensions: Vec<String>,
    sources: Vec<Source>,
}

/// One project: which client brings it, and what of it is kept.
#[derive(Deserialize)]
struct Source {
    client: Client,
    name: String,
    /// Pinned version. Debian pins by release, so its sources have none.
    #[serde(default)]
    version: String,
    /// Only files below these folders (all when empty).
    #[serde(default)]
    under: Vec<String>,
    /// Files whose path contains one of these are left out.
    #[serde(default)]
    exclude: Vec<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Client {
    Cargo,
    Npm,
    Pip,
    AptSource,
}

/// A corpus that is ready: the folder to search, and how much is in it.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// Language id, as in `fourfold languages`.
    pub language: String,
    /// The folder to search.
    pub folder: PathBuf,
    /// Files of the language.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What could not be had, and why.
    pub missing: Vec<String>,
}

/// The languages that have a list, in order.
///
/// # Errors
/// When `data/corpora.json` is not what it should be.
pub fn languages() -> Result<Vec<String>> {
    Ok(manifest()?.languages.into_keys().collect())
}

/// Fetches what is not there yet and returns the corpus of `language`.
///
/// # Errors
/// When the language has no list, or the cache cannot be written. A source that cannot be had is no
/// error: it is named in [`Corpus::missing`].
pub fn ready(language: &str, cache: &Path) -> Result<Corpus> {
    let manifest = manifest()?;
    let Some(list) = manifest.languages.get(language) else {
        bail!("no corpus is listed for `{language}`; see data/corpora.json");
    };
    let mut missing = Vec::new();
    let own = cache.join(language);
    for source in &list.sources {
        let target = own.join(folder_name(source));
        if target.join(".complete").exists() {
            continue;
        }
        if let Err(why) = bring(source, &list.extensions, cache, &target) {
            missing.push(format!("{}: {why:#}", source.name));
        }
    }
    further(language, &list.extensions, &own)?;
    let (mut files, mut bytes) = (0, 0);
    if own.is_dir() {
        visit(&own, &mut |path| {
            files += 1;
            bytes += path.metadata().map(|m| m.len()).unwrap_or(0);
            Ok(())
        })?;
    }
    Ok(Corpus {
        language: language.to_owned(),
        folder: own,
        files,
        bytes,
        missing,
    })
}

fn manifest() -> Result<Manifest> {
    serde_json::from_str(MANIFEST).context("reading data/corpora.json")
}

fn folder_name(source: &Source) -> String {
    let name = source.name.trim_start_matches('@').replace('/', "+");
    if source.version.is_empty() {
        name
    } else {
        format!("{name}-{}", source.version)
    }
}

/// Downloads, unpacks, and keeps the files of the language.
fn bring(source: &Source, extensions: &[String], cache: &Path, target: &Path) -> Result<()> {
    let unpacked = cache.join(".unpacked").join(folder_name(source));
    if !unpacked.join(".complete").exists() {
        let _ = fs::remove_dir_all(&unpacked);
        fs::create_dir_all(&unpacked)
            .with_context(|| format!("creating {}", unpacked.display()))?;
        let download = cache.join(".downloads").join(folder_name(source));
        let _ = fs::remove_dir_all(&download);
        fs::create_dir_all(&download)?;
        match source.client {
            Client::Cargo => cargo(source, &download, &unpacked)?,
            Client::Npm => {
                let spec = format!("{}@{}", source.name, source.version);
                quiet(
                    Command::new("npm")
                        .args(["pack", "--silent", &spec])
                        .current_dir(&download),
                )?;
                unpack(&download, &unpacked)?;
            }
            Client::Pip => {
                let spec = format!("{}=={}", source.name, source.version);
                quiet(
                    Command::new("python3")
                        .args([
                            "-m",
                            "pip",
                            "download",
                            "-q",
                            "--no-deps",
                            "--no-binary",
                            ":all:",
                        ])
                        .args(["-d", "."])
                        .arg(&spec)
                        .current_dir(&download),
                )?;
                unpack(&download, &unpacked)?;
            }
            Client::AptSource => {
                let conf = source_lists(cache)?;
                quiet(
                    Command::new("apt-get")
                        .args([
                            "-qq",
                            "source",
                            "--download-only",
                            "--tar-only",
                            &source.name,
                        ])
                        .env("APT_CONFIG", conf)
                        .current_dir(&download),
                )?;
                unpack(&download, &unpacked)?;
            }
        }
        fs::remove_dir_all(&download)?;
        fs::write(unpacked.join(".complete"), "")?;
    }
    let _ = fs::remove_dir_all(target);
    keep(&unpacked, target, |inside| {
        // The first folder is the archive's own (`package/`, `django-5.1.4/`).
        let path: PathBuf = inside.iter().skip(1).collect();
        let text = path.to_string_lossy();
        (has_extension(inside, extensions)
            && (source.under.is_empty() || source.under.iter().any(|u| text.starts_with(u)))
            && !source.exclude.iter().any(|e| text.contains(e.as_str())))
        .then(|| path.clone())
    })?;
    fs::write(target.join(".complete"), "")?;
    Ok(())
}

/// Copies the files of the language out of the further folders, anew each time, so that there is
/// one folder to search.
fn further(language: &str, extensions: &[String], own: &Path) -> Result<()> {
    let place = own.join("further");
    let _ = fs::remove_dir_all(&place);
    let extra = std::env::var_os(EXTRA).unwrap_or_default();
    for (number, folder) in std::env::split_paths(&extra).enumerate() {
        let from = folder.join(language);
        if from.is_dir() {
            keep(&from, &place.join(number.to_string()), |inside| {
                has_extension(inside, extensions).then(|| inside.to_owned())
            })?;
        }
    }
    Ok(())
}

/// Copies the files below `from` that `wanted` gives a place, unless they are too large.
fn keep(from: &Path, into: &Path, wanted: impl Fn(&Path) -> Option<PathBuf>) -> Result<()> {
    fs::create_dir_all(into).with_context(|| format!("creating {}", into.display()))?;
    visit(from, &mut |path| {
        let inside = path.strip_prefix(from).unwrap_or(path);
        if let Some(place) = wanted(inside)
            && path.metadata().is_ok_and(|m| m.len() <= MAX_FILE)
        {
            let place = into.join(place);
            if let Some(parent) = place.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::copy(path, place)?;
        }
        Ok(())
    })
}

/// Lets cargo fetch and vendor one crate (with what it depends on), and keeps that one.
fn cargo(source: &Source, work: &Path, unpacked: &Path) -> Result<()> {
    let Source { name, version, .. } = source;
    fs::create_dir_all(work.join("src"))?;
    fs::write(work.join("src/lib.rs"), "")?;
    fs::write(
        work.join("Cargo.toml"),
        format!(
            "[package]\nname = \"corpus\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n\
             [dependencies]\n\"{name}\" = {{ version = \"={version}\", default-features = false }}\n"
        ),
    )?;
    quiet(
        Command::new("cargo")
            .args(["vendor", "--quiet", "--versioned-dirs", "vendor"])
            .current_dir(work),
    )?;
    let from = work.join("vendor").join(format!("{name}-{version}"));
    fs::rename(&from, unpacked.join(format!("{name}-{version}")))
        .with_context(|| format!("taking {name} {version} from what cargo vendored"))
}

/// An apt configuration of our own that lists sources, made from the machine's lists of packages;
/// the machine's own configuration stays as it is.
fn source_lists(cache: &Path) -> Result<PathBuf> {
    let home = fs::canonicalize(cache)?.join(".apt");
    let conf = home.join("apt.conf");
    if conf.exists() {
        return Ok(conf);
    }
    for sub in ["parts", "lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(home.join(sub))?;
    }
    for entry in fs::read_dir("/etc/apt/sources.list.d").context("reading apt's lists")? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "sources") {
            let text = fs::read_to_string(&path)?.replace("Types: deb\n", "Types: deb-src\n");
            fs::write(
                home.join("parts")
                    .join(path.file_name().unwrap_or_default()),
                text,
            )?;
        }
    }
    let at = home.display();
    let draft = home.join("apt.conf.draft");
    fs::write(
        &draft,
        format!(
            "Dir::Etc::SourceList \"/dev/null\";\nDir::Etc::SourceParts \"{at}/parts\";\n\
             Dir::State::Lists \"{at}/lists\";\nDir::Cache \"{at}/cache\";\nAPT::Sandbox::User \"root\";\n"
        ),
    )?;
    quiet(
        Command::new("apt-get")
            .args(["-qq", "update"])
            .env("APT_CONFIG", &draft),
    )?;
    fs::rename(&draft, &conf)?;
    Ok(conf)
}

/// Unpacks every archive in `from` but the packaging of Debian itself.
fn unpack(from: &Path, into: &Path) -> Result<()> {
    let mut any = false;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let archive = [".tar.gz", ".tgz", ".tar.xz", ".tar.bz2"]
            .iter()
            .any(|e| name.ends_with(e));
        if archive && !name.contains(".debian.tar") {
            quiet(
                Command::new("tar")
                    .arg("-xf")
                    .arg(&path)
                    .arg("-C")
                    .arg(into),
            )?;
            any = true;
        }
    }
    if !any {
        bail!("the client brought no source archive");
    }
    Ok(())
}

fn quiet(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let out = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("starting `{program}`; is it installed?"))?;
    if !out.status.success() {
        let words = String::from_utf8_lossy(&out.stderr);
        let last = words
            .lines()
            .rev()
            .find(|l| !l.trim().is_empty())
            .unwrap_or("no word why");
        bail!("`{program}` failed ({}): {last}", out.status);
    }
    Ok(())
}

fn has_extension(path: &Path, extensions: &[String]) -> bool {
    path.extension()
        .is_some_and(|e| extensions.iter().any(|x| e == x.as_str()))
}

/// Calls `each` for every plain file below `folder`, hidden names left out, in order of name.
fn visit(folder: &Path, each: &mut impl FnMut(&Path) -> Result<()>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut entries = entries.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            visit(&entry.path(), each)?;
        } else if kind.is_file() {
            each(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_projects_is_readable_and_pinned() {
        let manifest = manifest().unwrap();
        assert!(manifest.languages.len() >= 16);
        for (language, list) in &manifest.languages {
            assert!(!list.extensions.is_empty(), "{language}");
            for source in &list.sources {
                let by_release = source.client == Client::AptSource;
                assert_eq!(
                    source.version.is_empty(),
                    by_release,
                    "{language}: {}",
                    source.name
                );
            }
        }
    }

    #[test]
    fn only_files_of_the_language_outside_hidden_folders_are_visited() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b.rs", "a.rs", ".hidden/c.rs", "d.txt", "sub/e.rs"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let mut seen = Vec::new();
        visit(dir.path(), &mut |p| {
            if has_extension(p, &["rs".to_owned()]) {
                seen.push(
                    p.strip_prefix(dir.path())
                        .unwrap()
                        .to_string_lossy()
                        .into_owned(),
                );
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, ["a.rs", "b.rs", "sub/e.rs"]);
    }
}
