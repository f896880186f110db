//! Sessions that end, in order or not: nothing of them is left.

use std::fs::File;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use fourfold_dap_client::Breakpoint;
use fourfold_dap_client::program::ProgramRequest;
use fourfold_testkit::{Project, leftovers};

use super::bench::*;

/// How often: a few times always, a hundred times in the long runs.
fn rounds() -> usize {
    match std::env::var_os("FOURFOLD_LONG") {
        Some(_) => 100,
        None => 4,
    }
}

/// Holds a port, a lock and a process in a session of its own that has them as well.
const HOLDER: &str = r#"#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {0};
    socklen_t size = sizeof a;
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (argc < 3 || bind(s, (struct sockaddr *)&a, size) || listen(s, 5)) return 3;
    getsockname(s, (struct sockaddr *)&a, &size);
    int lock = open(argv[1], O_CREAT | O_RDWR, 0600);
    flock(lock, LOCK_EX);
    if (fork() == 0) {
        setsid();
        for (;;) sleep(60);
    }
    FILE *port = fopen(argv[2], "w");
    fprintf(port, "%d\n", ntohs(a.sin_port));
    fclose(port);
    int ready = 1; /* READY */
    for (;;) { ready++; usleep(50000); }
}
"#;

struct Holder {
    project: Project,
    lock: PathBuf,
    port: PathBuf,
}

impl Holder {
    fn built() -> Holder {
        let project = Project::new().file("holder.c", HOLDER);
        let built = Command::new("cc")
            .args(["-g", "-O0", "holder.c", "-o", "holder"])
            .current_dir(project.root())
            .status()
            .unwrap();
        assert!(built.success());
        Holder {
            lock: project.path("lock"),
            port: project.path("port"),
            project,
        }
    }

    fn args(&self) -> Vec<String> {
        [&self.lock, &self.port]
            .map(|path| path.display().to_string())
            .to_vec()
    }

    /// That nothing is left: no process, no lock, no port.
    #[track_caller]
    fn assert_free(&self) {
        leftovers::assert_none(self.project.root());
        if let Ok(lock) = File::open(&self.lock) {
            lock.try_lock().unwrap();
        }
        let port = std::fs::read_to_string(&self.port).unwrap_or_default();
        if let Ok(port) = port.trim().parse::<u16>() {
            TcpListener::bind(("127.0.0.1", port)).unwrap();
        }
        let _ = std::fs::remove_file(&self.port);
    }
}

#[tokio::test]
async fn sessions_in_a_row_leave_nothing() {
    let holder = Holder::built();
    let root = holder.project.root().to_owned();
    for round in 0..rounds() {
        let bench = Bench::new(Project::new());
        let mut request = ProgramRequest::file(root.join("holder"));
        request.args = holder.args();
        request.adapter = Some(["lldb-dap", "gdb"][round % 2].to_owned());
        let (session, outcome) = bench
            .launch(&request, |launch| {
                let file = root.join("holder.c");
                launch.breakpoints.push(Breakpoint::at_text(file, "READY"));
            })
            .await
            .unwrap();
        stopped(outcome);
        match round % 3 {
            // In order, while it stands; while it runs; dropped.
            0 => bench.end().await,
            1 => {
                let resume = fourfold_dap_client::Resume::Continue;
                let wait = Duration::from_millis(100);
                session.resume(resume, wait).await.unwrap();
                bench.end().await;
            }
            _ => drop(bench),
        }
        holder.assert_free();
    }
}
