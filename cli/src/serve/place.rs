//! Where the daemon of a checkout is found: a folder that is this user's alone, and in it a socket
//! and two locks, named by the root of the checkout.
//!
//! Everything goes through a handle of the folder that was looked at. So nobody can slip another
//! folder in between, and a path longer than a socket may have is no trouble.

use std::env;
use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use rustix::fs::{Mode, OFlags};
use rustix::process::geteuid;
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The folder in the user's runtime folder.
const FOLDER: &str = "fourfold";

/// Nobody but the owner.
const PRIVATE: u32 = 0o700;

/// Bytes of the hash that names a checkout.
const NAME: usize = 16;

/// The place of one checkout.
#[derive(Debug)]
pub(crate) struct Place {
    path: PathBuf,
    folder: OwnedFd,
    name: String,
}

/// Held by whoever serves the checkout. It names its process for those to whom it does not answer.
#[derive(Debug)]
pub(crate) struct Serving {
    _lock: File,
}

impl Place {
    /// The place of the checkout with this canonical root.
    pub(crate) fn of(root: &Path) -> Result<Place> {
        Place::below(env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from), root)
    }

    /// The same, with this runtime folder of the user.
    pub(crate) fn below(runtime: Option<PathBuf>, root: &Path) -> Result<Place> {
        let path = match runtime.filter(|runtime| runtime.is_absolute()) {
            Some(runtime) => {
                let meta = fs::metadata(&runtime).with_context(|| {
                    format!(
                        "cannot use XDG_RUNTIME_DIR, `{}`; create it, or unset the variable",
                        runtime.display()
                    )
                })?;
                if !is_ours(meta.uid()) {
                    bail!(
                        "cannot use XDG_RUNTIME_DIR, `{}`: it belongs to another user; unset the \
                         variable",
                        runtime.display()
                    );
                }
                runtime.join(FOLDER)
            }
            None => env::temp_dir().join(format!("{FOLDER}-{}", geteuid().as_raw())),
        };
        let folder = private(&path)?;
        Ok(Place {
            path,
            folder,
            name: name(root),
        })
    }

    /// What names the checkout, here and to those who speak with its daemon.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The socket, for people.
    pub(crate) fn shown(&self) -> PathBuf {
        self.path.join(format!("{}.sock", self.name))
    }

    /// A file of this place, as the system can open it.
    fn file(&self, end: &str) -> PathBuf {
        format!(
            "/proc/self/fd/{}/{}.{end}",
            self.folder.as_raw_fd(),
            self.name
        )
        .into()
    }

    /// A connection to the daemon; none if nobody listens.
    ///
    /// Cancel safety: nothing is left of it when the future is dropped.
    pub(crate) async fn connect(&self) -> Result<Option<UnixStream>> {
        let stream = match UnixStream::connect(self.file("sock")).await {
            Ok(stream) => stream,
            Err(error) => {
                return match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Ok(None),
                    _ => Err(error)
                        .with_context(|| format!("cannot connect to `{}`", self.shown().display())),
                };
            }
        };
        if !is_ours(stream.peer_cred()?.uid()) {
            bail!("`{}` is another user's socket", self.shown().display());
        }
        Ok(Some(stream))
    }

    /// Waits, no longer than `patience`, until nobody else is starting a daemon here. What it gives
    /// may be handed to a process: the lock is held until all who have it let go.
    ///
    /// Cancel safety: a thread goes on waiting when the future is dropped, and lets go then.
    pub(crate) async fn starting(&self, patience: Duration) -> Result<File> {
        let file = self.lock_file("start")?;
        let (held, wait) = oneshot::channel();
        // Not on the runtime's own threads: their end would be waited for.
        thread::spawn(move || {
            let locked = file.lock().map(|()| file);
            // Nobody waits any more: the lock goes with the file.
            let _ = held.send(locked);
        });
        let Ok(locked) = timeout(patience, wait).await else {
            bail!(
                "another process has not got the daemon started within {} seconds",
                patience.as_secs()
            );
        };
        let locked = locked.context("the thread that waits for the lock ended")?;
        locked.with_context(|| format!("cannot lock `{}`", self.path.display()))
    }

    /// Becomes the one that serves here; `None` while another does.
    pub(crate) fn serving(&self) -> Result<Option<Serving>> {
        let mut file = self.lock_file("lock")?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => {
                return Err(error)
                    .with_context(|| format!("cannot lock `{}`", self.path.display()));
            }
        }
        file.set_len(0)?;
        writeln!(file, "{}", std::process::id())?;
        Ok(Some(Serving { _lock: file }))
    }

    /// The process that serves here, or was the last to.
    pub(crate) fn server(&self) -> Option<u32> {
        let mut text = String::new();
        let mut file = self.lock_file("lock").ok()?;
        file.read_to_string(&mut text).ok()?;
        text.trim().parse().ok()
    }

    /// Listens here, in place of a socket that a daemon left when it was killed. It appears at once
    /// and whole: whoever sees it can connect.
    pub(crate) fn listen(&self, _: &Serving) -> Result<UnixListener> {
        let (fresh, socket) = (self.file("new"), self.file("sock"));
        let listening = || {
            match fs::remove_file(&fresh) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let listener = UnixListener::bind(&fresh)?;
            fs::set_permissions(&fresh, Permissions::from_mode(0o600))?;
            fs::rename(&fresh, &socket)?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        listening().with_context(|| format!("cannot listen at `{}`", self.shown().display()))
    }

    /// Which file the socket is now. Another number: nobody finds us any more.
    pub(crate) fn socket_number(&self) -> Option<u64> {
        fs::symlink_metadata(self.file("sock"))
            .ok()
            .map(|meta| meta.ino())
    }

    /// Goes away: from here on another one may serve.
    pub(crate) fn leave(&self, serving: Serving) {
        if let Err(error) = fs::remove_file(self.file("sock")) {
            tracing::debug!(%error, "the socket was gone");
        }
        drop(serving);
    }

    fn lock_file(&self, end: &str) -> Result<File> {
        let name = format!("{}.{end}", self.name);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.folder, &name, flags, Mode::RUSR | Mode::WUSR)
            .with_context(|| format!("cannot open `{}`", self.path.join(&name).display()))?;
        Ok(file.into())
    }
}

/// Whether a process or a file of this user is ours.
pub(crate) fn is_ours(user: u32) -> bool {
    user == geteuid().as_raw()
}

/// What names a checkout: its root, hashed to a fixed length.
fn name(root: &Path) -> String {
    let hash = blake3::hash(root.as_os_str().as_bytes()).to_hex();
    hash[..2 * NAME].to_owned()
}

/// A folder for nobody but us, made if it is not there.
fn private(path: &Path) -> Result<OwnedFd> {
    let shown = path.display();
    match DirBuilder::new().mode(PRIVATE).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(error).with_context(|| format!("cannot create `{shown}`"));
        }
        _ => {}
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::open(path, flags, Mode::empty()).with_context(|| {
        format!("cannot use `{shown}`: it has to be a folder, and no link to one; remove it")
    })?;
    let stat = rustix::fs::fstat(&folder)?;
    if !is_ours(stat.st_uid) {
        bail!("cannot use `{shown}`: it belongs to another user, who could listen there");
    }
    if stat.st_mode & 0o077 != 0 {
        bail!(
            "cannot use `{shown}`: other users may open it; remove it, or take their rights away \
             (chmod 700)"
        );
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn place(runtime: &Path) -> Result<Place> {
        Place::below(Some(runtime.to_path_buf()), "/r".as_ref())
    }

    fn refusal(runtime: &Path) -> String {
        let error = place(runtime).unwrap_err();
        format!("{error:#}").replace(runtime.to_str().unwrap(), "RUN")
    }

    #[test]
    fn the_folder_is_made_for_us_alone() {
        let runtime = tempfile::tempdir().unwrap();
        place(runtime.path()).unwrap();
        let meta = fs::metadata(runtime.path().join(FOLDER)).unwrap();
        assert_eq!(meta.permissions().mode() & 0o777, 0o700);
        place(runtime.path()).unwrap();
    }

    #[test]
    fn a_folder_that_others_may_open_is_refused() {
        let runtime = tempfile::tempdir().unwrap();
        let folder = runtime.path().join(FOLDER);
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o750)).unwrap();
        assert_eq!(
            refusal(runtime.path()),
            "cannot use `RUN/fourfold`: other users may open it; remove it, or take their rights \
             away (chmod 700)"
        );
    }

    #[test]
    fn a_link_or_a_file_in_place_of_the_folder_is_refused() {
        let runtime = tempfile::tempdir().unwrap();
        let folder = runtime.path().join(FOLDER);
        symlink(tempfile::tempdir().unwrap().keep(), &folder).unwrap();
        assert!(refusal(runtime.path()).contains("no link to one"));
        fs::remove_file(&folder).unwrap();
        fs::write(&folder, "").unwrap();
        assert!(refusal(runtime.path()).contains("has to be a folder"));
    }

    #[test]
    fn only_this_user_is_this_user() {
        let this = geteuid().as_raw();
        assert!(is_ours(this));
        assert!(!is_ours(this + 1));
        // A socket pair tells who made it, as a connection does.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .unwrap();
        let _inside = runtime.enter();
        let (ours, _) = UnixStream::pair().unwrap();
        assert!(is_ours(ours.peer_cred().unwrap().uid()));
    }

    #[test]
    fn what_belongs_to_another_user_is_refused() {
        let runtime = tempfile::tempdir().unwrap();
        let folder = runtime.path().join(FOLDER);
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
        if std::os::unix::fs::chown(&folder, Some(1), None).is_ok() {
            assert!(refusal(runtime.path()).contains("belongs to another user"));
            std::os::unix::fs::chown(runtime.path(), Some(1), None).unwrap();
            assert!(refusal(runtime.path()).contains("XDG_RUNTIME_DIR"));
        } else {
            // What we may not give away, somebody else has: the root folder.
            assert!(refusal("/".as_ref()).contains("belongs to another user"));
        }
    }

    #[test]
    fn checkouts_have_names_of_their_own() {
        assert_eq!(name("/r".as_ref()), name("/r".as_ref()));
        assert_ne!(name("/r".as_ref()), name("/s".as_ref()));
        assert_eq!(name("/r".as_ref()).len(), 32);
    }

    #[tokio::test]
    async fn one_starts_at_a_time() {
        let runtime = tempfile::tempdir().unwrap();
        let place = place(runtime.path()).unwrap();
        let first = place.starting(Duration::MAX).await.unwrap();
        let error = place.starting(Duration::from_millis(1)).await.unwrap_err();
        assert!(error.to_string().starts_with("another process"), "{error}");
        // Held until all who have it let go.
        let handed_on = first.try_clone().unwrap();
        drop(first);
        assert!(place.starting(Duration::from_millis(1)).await.is_err());
        drop(handed_on);
        place.starting(Duration::MAX).await.unwrap();
    }

    #[test]
    fn one_serves_at_a_time_and_is_known() {
        let runtime = tempfile::tempdir().unwrap();
        let (one, two) = (
            place(runtime.path()).unwrap(),
            place(runtime.path()).unwrap(),
        );
        assert_eq!(two.server(), None);
        let serving = one.serving().unwrap().unwrap();
        assert!(two.serving().unwrap().is_none());
        assert_eq!(two.server(), Some(std::process::id()));
        let _listener = one.listen(&serving).unwrap();
        let first = two.socket_number().unwrap();
        // A socket that was left behind is replaced.
        let _listener = one.listen(&serving).unwrap();
        assert_ne!(two.socket_number().unwrap(), first);
        one.leave(serving);
        assert_eq!(two.socket_number(), None);
        assert!(two.serving().unwrap().is_some());
    }
}
