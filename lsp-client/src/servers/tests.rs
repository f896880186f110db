//! Lives of servers in memory, on a clock that stands still.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use expect_test::expect;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, advance, sleep};

use super::pool::{Life, Pool, Starter};
use super::slot::Lease;
use super::*;
use crate::detect::Launchable;
use crate::spec::ServerSpec;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// A server in memory.
#[derive(Debug)]
struct Fake {
    id: String,
    generation: u64,
    end: watch::Sender<Option<String>>,
    world: Arc<World>,
}

/// What happens to servers.
#[derive(Debug, Default)]
struct World {
    /// How the next starts fail, and how long they take.
    failures: Mutex<VecDeque<&'static str>>,
    start_takes: Mutex<Duration>,
    stop_takes: Mutex<Duration>,
    starts: AtomicUsize,
    /// Running processes, and the most there were.
    running: AtomicUsize,
    most: AtomicUsize,
    log: Mutex<Vec<String>>,
    idle: Notify,
}

struct FakeStarter(Arc<World>);

impl Life for Fake {
    fn has_ended(&self) -> Option<String> {
        self.end.borrow().clone()
    }

    async fn ended(&self) -> String {
        let mut end = self.end.subscribe();
        let ended = end.wait_for(Option::is_some).await.unwrap();
        ended.clone().unwrap_or_default()
    }

    async fn shutdown(&self) {
        let takes = *self.world.stop_takes.lock();
        sleep(takes).await;
        self.world.log.lock().push(format!("stop {}", self.id));
    }
}

impl Fake {
    fn crash(&self, why: &str) {
        self.end.send_replace(Some(why.to_owned()));
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.world.running.fetch_sub(1, Ordering::SeqCst);
        self.world.idle.notify_one();
    }
}

impl Starter for FakeStarter {
    type Life = Fake;

    async fn start(&self, launchable: Launchable, generation: u64) -> Result<Fake, String> {
        let world = &self.0;
        let id = launchable.server.id.clone();
        world.starts.fetch_add(1, Ordering::SeqCst);
        let takes = *world.start_takes.lock();
        sleep(takes).await;
        if let Some(why) = world.failures.lock().pop_front() {
            return Err(why.to_owned());
        }
        world.log.lock().push(format!("start {id}"));
        let running = world.running.fetch_add(1, Ordering::SeqCst) + 1;
        world.most.fetch_max(running, Ordering::SeqCst);
        Ok(Fake {
            id,
            generation,
            end: watch::Sender::new(None),
            world: Arc::clone(world),
        })
    }
}

fn pool(config: PoolConfig) -> (Arc<World>, Arc<Pool<FakeStarter>>) {
    let world = Arc::new(World::default());
    let pool = Pool::new(FakeStarter(Arc::clone(&world)), config);
    (world, Arc::new(pool))
}

fn server(id: &str) -> Launchable {
    Launchable {
        server: Arc::new(ServerSpec::new(id)),
        settings: Value::Null,
        initialization_options: Value::Null,
        root: "/checkout".into(),
        program: format!("/usr/bin/{id}").into(),
        args: Vec::new(),
        search_path: "/usr/bin".into(),
        state: "/state".into(),
    }
}

fn state(pool: &Pool<FakeStarter>, id: &str) -> ServerState {
    let mut all = pool.status().into_iter();
    all.find(|(status, _)| status.server == id).unwrap().0.state
}

async fn used(pool: &Pool<FakeStarter>, id: &str) -> Lease<Fake> {
    pool.lease(&server(id)).await.unwrap()
}

/// Lets every task that can run do so, without letting time pass.
async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_starts_before_it_is_needed_and_all_who_wait_share_one_start() {
    let (world, pool) = pool(PoolConfig::default());
    settle().await;
    assert_eq!(world.starts.load(Ordering::SeqCst), 0);

    *world.start_takes.lock() = 3 * SECOND;
    let begun = Instant::now();
    let waiting: Vec<_> = (0..10)
        .map(|_| {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move { used(&pool, "a").await.generation })
        })
        .collect();
    for waiting in waiting {
        assert_eq!(waiting.await.unwrap(), 1);
    }
    assert_eq!(begun.elapsed(), 3 * SECOND);
    assert_eq!(world.starts.load(Ordering::SeqCst), 1);
    // Another root is another server.
    let mut elsewhere = server("a");
    elsewhere.root = "/other".into();
    assert_eq!(pool.lease(&elsewhere).await.unwrap().generation, 2);
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_waiting_does_not_stop_the_start() {
    let (world, pool) = pool(PoolConfig::default());
    *world.start_takes.lock() = 30 * SECOND;
    let wanted = server("a");
    let impatient = tokio::time::timeout(SECOND, pool.lease(&wanted)).await;
    assert!(impatient.is_err());
    assert_eq!(state(&pool, "a"), ServerState::Starting { since: SECOND });
    let begun = Instant::now();
    used(&pool, "a").await;
    assert_eq!(begun.elapsed(), 29 * SECOND);
    assert_eq!(world.starts.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn an_idle_one_is_swept_and_starts_again() {
    let (world, pool) = pool(PoolConfig::default());
    let lease = used(&pool, "a").await;
    let mut heavy = server("heavy");
    Arc::get_mut(&mut heavy.server).unwrap().heavy = true;
    drop(pool.lease(&heavy).await.unwrap());

    // In use for an hour: not idle, however long ago it was started.
    sleep(60 * MINUTE).await;
    assert!(matches!(
        state(&pool, "a"),
        ServerState::Up {
            idle: None,
            proven: true,
            ..
        }
    ));
    assert_eq!(state(&pool, "heavy"), ServerState::Down);
    drop(lease);
    sleep(10 * MINUTE - SECOND).await;
    assert!(matches!(
        state(&pool, "a"),
        ServerState::Up { idle: Some(_), .. }
    ));
    // Looked at once a minute while it was in use.
    sleep(MINUTE + SECOND).await;
    assert_eq!(state(&pool, "a"), ServerState::Down);
    assert_eq!(
        *world.log.lock(),
        ["start a", "start heavy", "stop heavy", "stop a"]
    );
    assert_eq!(world.running.load(Ordering::SeqCst), 0);
    assert_eq!(used(&pool, "a").await.generation, 3);
}

#[tokio::test(start_paused = true)]
async fn a_heavy_one_is_kept_twice_as_long() {
    let (_, pool) = pool(PoolConfig::default());
    let mut heavy = server("heavy");
    Arc::get_mut(&mut heavy.server).unwrap().heavy = true;
    drop(pool.lease(&heavy).await.unwrap());
    drop(used(&pool, "a").await);
    sleep(10 * MINUTE + SECOND).await;
    assert_eq!(state(&pool, "a"), ServerState::Down);
    assert!(matches!(state(&pool, "heavy"), ServerState::Up { .. }));
    sleep(10 * MINUTE).await;
    assert_eq!(state(&pool, "heavy"), ServerState::Down);
}

#[tokio::test(start_paused = true)]
async fn room_is_made_by_the_idle_one_that_was_unused_for_longest() {
    let (world, pool) = pool(PoolConfig {
        live: 3,
        ..PoolConfig::default()
    });
    *world.stop_takes.lock() = SECOND;
    let first = used(&pool, "first").await;
    for id in ["second", "third"] {
        drop(used(&pool, id).await);
        sleep(SECOND).await;
    }
    drop(used(&pool, "second").await);
    let fourth = used(&pool, "fourth").await;
    assert_eq!(
        world.log.lock().last_chunk(),
        Some(&["stop third", "start fourth"].map(str::to_owned))
    );
    assert_eq!(
        world.most.load(Ordering::SeqCst),
        3,
        "never more than allowed"
    );

    let second = used(&pool, "second").await;
    let full = pool.lease(&server("fifth")).await.unwrap_err();
    expect!["fifth was not started: 3 servers run, and all are in use (first in /checkout, fourth in /checkout, second in /checkout); try again when one is done, or allow more"]
        .assert_eq(&full.to_string());
    drop(first);
    used(&pool, "fifth").await;
    drop((second, fourth));
}

#[tokio::test(start_paused = true)]
async fn what_has_just_started_is_not_ended_before_its_first_use() {
    let (world, pool) = pool(PoolConfig {
        live: 1,
        ..PoolConfig::default()
    });
    *world.start_takes.lock() = SECOND;
    let waiting = ["a", "b"].map(|id| {
        let pool = Arc::clone(&pool);
        tokio::spawn(async move { pool.lease(&server(id)).await.map(|lease| lease.id.clone()) })
    });
    let mut answers = Vec::new();
    for waiting in waiting {
        answers.push(waiting.await.unwrap());
    }
    // The second cannot have its place while the first waits for it.
    assert_eq!(answers[0], Ok("a".to_owned()));
    assert!(matches!(answers[1], Err(Unavailable::Full { .. })));
    assert_eq!(world.starts.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failed_start_is_told_to_all_who_wait_and_tried_again_after_a_pause() {
    let (world, pool) = pool(PoolConfig::default());
    *world.start_takes.lock() = 5 * SECOND;
    world.failures.lock().extend(["no java", "no java"]);
    let waiting = [(); 3].map(|()| {
        let pool = Arc::clone(&pool);
        tokio::spawn(async move { pool.lease(&server("a")).await.unwrap_err() })
    });
    for waiting in waiting {
        expect!["a in /checkout is not available: no java; it is tried again in 1 s"]
            .assert_eq(&waiting.await.unwrap().to_string());
    }
    assert_eq!(world.starts.load(Ordering::SeqCst), 1);
    advance(SECOND).await;
    let again = pool.lease(&server("a")).await.unwrap_err();
    assert!(matches!(again, Unavailable::Failed { again_in, .. } if again_in == 2 * SECOND));
    advance(SECOND).await;
    assert!(pool.lease(&server("a")).await.is_err(), "still pausing");
    advance(SECOND).await;
    assert_eq!(used(&pool, "a").await.generation, 3);
}

#[tokio::test(start_paused = true)]
async fn the_pause_grows_to_its_limit_and_a_proven_life_ends_it() {
    let (_, pool) = pool(PoolConfig {
        deaths: 100,
        ..PoolConfig::default()
    });
    let mut pauses = Vec::new();
    for _ in 0..11 {
        let lease = used(&pool, "a").await;
        lease.crash("exit code 1");
        let Err(Unavailable::Failed { again_in, .. }) = pool.lease(&server("a")).await else {
            panic!("it has just crashed");
        };
        pauses.push(again_in.as_secs());
        advance(again_in).await;
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);

    let lease = used(&pool, "a").await;
    advance(10 * SECOND).await;
    lease.crash("signal 9 (KILL)");
    settle().await;
    assert_eq!(
        state(&pool, "a"),
        ServerState::Failed {
            why: "signal 9 (KILL)".to_owned(),
            again_in: SECOND
        }
    );
}

#[tokio::test(start_paused = true)]
async fn five_deaths_in_a_quarter_of_an_hour_switch_it_off_until_a_reload() {
    let (_, pool) = pool(PoolConfig::default());
    let crash = async || {
        let lease = used(&pool, "a").await;
        advance(2 * MINUTE).await;
        lease.crash("out of memory");
        settle().await;
        advance(SECOND).await;
    };
    for _ in 0..4 {
        crash().await;
    }
    // Those are forgotten one by one, while others come.
    advance(10 * MINUTE).await;
    for _ in 0..4 {
        crash().await;
        assert!(matches!(state(&pool, "a"), ServerState::Failed { .. }));
    }
    crash().await;
    expect!["a in /checkout is switched off, because it ended 5 times in short order, the last time: out of memory; reload it to try again"]
        .assert_eq(&pool.lease(&server("a")).await.unwrap_err().to_string());
    advance(60 * MINUTE).await;
    assert_eq!(
        state(&pool, "a"),
        ServerState::Off {
            why: "out of memory".to_owned()
        }
    );

    assert_eq!(pool.reload(Some("b")).await, 0);
    assert_eq!(pool.reload(Some("a")).await, 1);
    used(&pool, "a").await;
}

#[tokio::test(start_paused = true)]
async fn a_reload_gives_everybody_a_new_life() {
    let (world, pool) = pool(PoolConfig::default());
    *world.stop_takes.lock() = 2 * SECOND;
    let old = used(&pool, "a").await;
    let reload = {
        let pool = Arc::clone(&pool);
        tokio::spawn(async move { pool.reload(None).await })
    };
    settle().await;
    assert_eq!(state(&pool, "a"), ServerState::Stopping);
    // Waits for the end of the old one, although that is still held.
    let new = used(&pool, "a").await;
    assert!(new.generation > old.generation);
    assert_eq!(reload.await.unwrap(), 1);
    assert_eq!(*world.log.lock(), ["start a", "stop a", "start a"]);
    // What becomes of the old life is no matter of the new one.
    old.crash("late");
    drop(old);
    settle().await;
    assert!(matches!(
        state(&pool, "a"),
        ServerState::Up { idle: None, .. }
    ));
}

#[tokio::test(start_paused = true)]
async fn a_reload_during_a_start_begins_it_again() {
    let (world, pool) = pool(PoolConfig::default());
    *world.start_takes.lock() = 5 * SECOND;
    let waiting = {
        let pool = Arc::clone(&pool);
        tokio::spawn(async move { used(&pool, "a").await.generation })
    };
    sleep(SECOND).await;
    pool.reload(Some("a")).await;
    assert_eq!(waiting.await.unwrap(), 2);
    assert_eq!(world.starts.load(Ordering::SeqCst), 2);
    settle().await;
    assert_eq!(world.running.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn after_the_shutdown_nothing_runs_and_nothing_starts() {
    let (world, pool) = pool(PoolConfig::default());
    *world.stop_takes.lock() = SECOND;
    drop(used(&pool, "a").await);
    drop(used(&pool, "b").await);
    *world.start_takes.lock() = MINUTE;
    let waiting = {
        let pool = Arc::clone(&pool);
        tokio::spawn(async move { pool.lease(&server("c")).await.unwrap_err() })
    };
    settle().await;
    let begun = Instant::now();
    pool.shutdown().await;
    assert_eq!(begun.elapsed(), SECOND, "side by side");
    assert_eq!(waiting.await.unwrap(), Unavailable::ShutDown);
    assert_eq!(world.running.load(Ordering::SeqCst), 0);
    assert_eq!(
        pool.lease(&server("a")).await.unwrap_err(),
        Unavailable::ShutDown
    );
}

#[tokio::test(start_paused = true)]
async fn a_dropped_pool_leaves_nothing_behind() {
    let (world, pool) = pool(PoolConfig::default());
    drop(used(&pool, "a").await);
    *world.start_takes.lock() = MINUTE;
    let wanted = server("b");
    assert!(
        tokio::time::timeout(SECOND, pool.lease(&wanted))
            .await
            .is_err()
    );
    drop(pool);
    world.idle.notified().await;
    assert_eq!(world.running.load(Ordering::SeqCst), 0);
    sleep(5 * MINUTE).await;
    assert_eq!(*world.log.lock(), ["start a"]);
}
