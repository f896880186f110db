//! The server's end of the protocol: what is asked is passed on to the checkout that it is about.

use std::convert::Infallible;
use std::future::pending;
use std::pin::pin;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fourfold::{Access, Control};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ProgressToken, ReadResourceRequestParams, ReadResourceResponse, ResourceTemplate,
    ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{
    NotificationContext, Peer, RequestContext, SubscriptionContext, SubscriptionSink,
};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use crate::mcp::house::House;
use crate::mcp::offer::{Addressed, Offer};
use crate::mcp::order::Order;
use crate::mcp::{answer, elsewhere, resources};

/// How often a host that wants to know is told how far a call is. Default 200 ms, as people look.
const TICK: Duration = Duration::from_millis(200);

/// After so long without progress a host is told that the work goes on, since hosts give up calls
/// of which they hear nothing. Default 5 s.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// What a program that a tool runs is given when the host has closed its end, which is how a host ends a
/// server. Default 0.7 s: a short question of a script is answered, and nothing is run for nobody.
const LEFT: Duration = Duration::from_millis(700);

/// One connection.
#[derive(Debug)]
pub(crate) struct Server {
    houses: Vec<House>,
    offer: Offer,
    /// A call has ended: other tools may be able to work now.
    pub(crate) called: Notify,
    listeners: Mutex<Listeners>,
    /// The names of the tools that were offered last, and when.
    known: Mutex<Option<(Instant, Vec<&'static str>)>>,
    /// Whether nobody hears any more what is said.
    unheard: watch::Receiver<bool>,
    /// In which order the requests came.
    order: Order,
    /// Whether the host has said all that it will say.
    over: watch::Receiver<bool>,
}

/// What was offered holds so long for calls. Default 2 s: who looks for each call makes it slow.
const HOLDS: Duration = Duration::from_secs(2);

/// Who wants to know about other tools.
#[derive(Debug, Default)]
struct Listeners {
    /// The host, after a handshake.
    peer: Option<Peer<RoleServer>>,
    /// Its subscriptions, without one.
    sinks: Vec<SubscriptionSink>,
}

impl Server {
    pub(crate) fn new(
        houses: Vec<House>,
        offer: Offer,
        unheard: watch::Receiver<bool>,
        (order, over): (Order, watch::Receiver<bool>),
    ) -> Server {
        Server {
            houses,
            offer,
            called: Notify::new(),
            listeners: Mutex::default(),
            known: Mutex::default(),
            unheard,
            order,
            over,
        }
    }

    fn names(&self) -> Vec<&'static str> {
        let tools = self.offer.tools(&self.houses);
        let names: Vec<_> = tools.iter().map(|tool| tool.name).collect();
        *lock(&self.known) = Some((Instant::now(), names.clone()));
        names
    }

    /// The names of the tools that are offered now.
    pub(crate) async fn offered(self: &Arc<Self>) -> Vec<&'static str> {
        let this = Arc::clone(self);
        let look = move || this.names();
        // A look that crashes has seen nothing.
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    /// Tells the host that other tools are offered than before.
    pub(crate) async fn tell_of_tools(&self) {
        let (peer, sinks) = {
            let listeners = self.listeners();
            (listeners.peer.clone(), listeners.sinks.clone())
        };
        if let Some(peer) = peer
            && let Err(error) = peer.notify_tool_list_changed().await
        {
            tracing::debug!(%error, "the host was not told");
        }
        for sink in sinks {
            if sink.notify_tool_list_changed().await.is_err() {
                let mut listeners = self.listeners();
                listeners.sinks.retain(|one| one.id() != sink.id());
            }
        }
    }

    /// Waits until nobody hears any more what is said.
    async fn gone(&self) {
        let mut unheard = self.unheard.clone();
        if unheard.wait_for(|unheard| *unheard).await.is_err() {
            // Nobody looks, so nobody knows.
            pending::<()>().await;
        }
    }

    /// Waits until the host has closed its end, and then for as long as a program that a tool runs may
    /// still take: for ever, when the tool runs none.
    async fn ended(&self, tool: &str) {
        let mut over = self.over.clone();
        let is_over = over.wait_for(|over| *over).await.is_ok();
        let tools = self.offer.tools(&self.houses);
        let mut runs = tools.iter().filter(|tool| tool.access == Access::Executes);
        if !is_over || !runs.any(|known| known.name == tool) {
            pending::<()>().await;
        }
        sleep(LEFT).await;
    }

    fn listeners(&self) -> MutexGuard<'_, Listeners> {
        lock(&self.listeners)
    }

    /// Whether a tool of this name is offered; else what to say to who calls it.
    fn find(&self, name: &str) -> Result<(), ErrorData> {
        let lately = lock(&self.known).clone();
        let offered =
            lately.is_some_and(|(at, names)| at.elapsed() < HOLDS && names.contains(&name));
        if offered {
            return Ok(());
        }
        let names = self.names();
        if names.contains(&name) {
            return Ok(());
        }
        let short: String = name.chars().take(80).collect();
        let known = fourfold::tool_names().contains(&name);
        let why = match known {
            true => "is not offered here",
            false => "does not exist",
        };
        let nearest = fourfold::nearest(&short, names.iter().copied());
        let meant = nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        Err(ErrorData::invalid_params(
            format!(
                "`name`: the tool `{short}` {why}{meant}; the tools are {}",
                names.join(", ")
            ),
            None,
        ))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .build();
        let server = Implementation::new("fourfold", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(server.with_title("Fourfold"))
            .with_instructions(self.offer.instructions(&self.houses))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.listeners().peer = Some(context.peer);
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut filter = SubscriptionFilter::new();
        filter.tools_list_changed = Some(true);
        Some(filter)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.listeners().sinks.push(context.sink().clone());
        context.cancelled().await;
        let id = context.sink().id();
        self.listeners().sinks.retain(|sink| sink.id() != id);
        Ok(())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tokio::task::block_in_place(|| self.offer.listed(&self.houses));
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name;
        tokio::task::block_in_place(|| self.find(&name))?;
        let arguments = request.arguments.unwrap_or_default();
        let addressed = match self.offer.addressed(&name, arguments, &self.houses) {
            Ok(addressed) => addressed,
            Err(message) => return Ok(answer::wrong(message).into()),
        };
        let Addressed {
            house,
            conversation,
            arguments,
            by_default,
        } = addressed;
        let asked = match (&arguments, by_default) {
            (Value::Object(asked), true) => Some(asked.clone()),
            _ => None,
        };
        let control = Arc::new(Control::new());
        let far = Far::default();
        let says = |done, total| far.set(done, total);
        let call = async {
            self.order.turn(&context.id).await;
            let conversation = conversation.as_deref();
            house
                .call(&name, arguments, conversation, &control, says)
                .await
        };
        let token = context.meta.get_progress_token();
        let over = Notify::new();
        let mut telling = pin!(tell(&context.peer, token, &control, &far, &over));
        let mut answered = tokio::select! {
            answered = call => answered,
            // Dropping the call cancels it.
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("the call was cancelled", None));
            }
            () = self.gone() => {
                return Err(ErrorData::internal_error("nobody waits for the answer", None));
            }
            () = self.ended(&name) => {
                let why = "the connection was closed: what this call was running has been ended";
                return Err(ErrorData::internal_error(why, None));
            }
            // It ends when it is told that the call is over.
            never = async { telling.as_mut().await; pending::<Infallible>().await } => match never {},
        };
        if let Some(asked) = asked.filter(|_| elsewhere::missed(&answered)) {
            let wrong = answered.is_err();
            let hint = elsewhere::hint(&name, &asked, house, &self.houses, wrong).await;
            match (&mut answered, hint) {
                (_, None) => {}
                (Ok(answer), Some(hint)) => {
                    if !answer.text.ends_with('\n') {
                        answer.text.push('\n');
                    }
                    answer.text.push_str(&hint);
                    answer.text.push('\n');
                }
                (Err(refusal), Some(hint)) => {
                    refusal.message = format!("{}; {hint}", refusal.message);
                }
            }
        }
        far.look(&control);
        if answered.is_ok() {
            far.end();
        }
        over.notify_one();
        telling.await;
        self.called.notify_one();
        let handle = conversation.as_deref().unwrap_or(house.own_conversation());
        Ok(match answered {
            Ok(answer) => answer::done(answer, &house.news(), handle),
            Err(refusal) => answer::refused(refusal, handle),
        }
        .into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let all = resources::list(&self.houses).await?;
        Ok(ListResourcesResult::with_all_items(all))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.houses.iter().map(|house| {
            let uri = format!("fourfold://{}/staged/{{id}}", house.name());
            ResourceTemplate::new(uri, "staged").with_title("Diff of a stage")
        });
        Ok(ListResourceTemplatesResult::with_all_items(
            templates.collect(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = resources::read(&self.houses, &request.uri).await?;
        Ok(read.into())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it holds one.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How far a call is. A walk may be followed by another one; what is told only grows.
#[derive(Debug, Default)]
struct Far {
    /// Of the walks before this one.
    before: AtomicUsize,
    here: AtomicUsize,
    /// All that is done, and all that there is to do.
    done: AtomicUsize,
    total: AtomicUsize,
    told: AtomicUsize,
    /// How often it was said that the work goes on.
    signs: AtomicU32,
}

impl Far {
    /// What is told has to be more each time: a part of the next file, and more of it than before.
    fn sign_of_life(&self) -> f64 {
        let signs = f64::from(self.signs.fetch_add(1, Ordering::Relaxed));
        1.0 - 1.0 / (signs + 2.0)
    }

    fn set(&self, done: usize, total: usize) {
        let here = self.here.swap(done, Ordering::Relaxed);
        if done < here {
            self.before.fetch_add(here, Ordering::Relaxed);
        }
        let before = self.before.load(Ordering::Relaxed);
        self.done.fetch_max(before + done, Ordering::Relaxed);
        self.total.fetch_max(before + total, Ordering::Relaxed);
    }

    /// All is done that there was to do: what was counted is no more than a part of it.
    fn end(&self) {
        let total = self.total.load(Ordering::Relaxed);
        self.done.fetch_max(total, Ordering::Relaxed);
    }

    /// Takes over what is known in this process.
    fn look(&self, control: &Control) {
        if control.total() > 0 {
            self.set(control.done(), control.total());
        }
    }
}

/// Tells the host how far a call is until it is over, and then the last word. What is on its way to
/// the host when the call ends is waited for: said after the answer, nobody would hear it.
async fn tell(
    peer: &Peer<RoleServer>,
    token: Option<ProgressToken>,
    control: &Control,
    far: &Far,
    over: &Notify,
) {
    let Some(token) = token else {
        return over.notified().await;
    };
    let begun = Instant::now();
    let mut last = begun;
    let mut tick = interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick is at once.
    tick.tick().await;
    let mut is_over = false;
    while !is_over {
        tokio::select! {
            _ = tick.tick() => far.look(control),
            () = over.notified() => is_over = true,
        }
        let done = far.done.load(Ordering::Relaxed);
        if done > far.told.load(Ordering::Relaxed) {
            last = Instant::now();
            tell_once(peer, token.clone(), far, None).await;
        } else if !is_over && last.elapsed() >= SIGN_OF_LIFE {
            last = Instant::now();
            let seconds = begun.elapsed().as_secs();
            tell_once(peer, token.clone(), far, Some(seconds)).await;
        }
    }
}

/// Tells how far a call is; or, that it is no further but has been going on for so many seconds.
async fn tell_once(
    peer: &Peer<RoleServer>,
    token: ProgressToken,
    far: &Far,
    no_further_after: Option<u64>,
) {
    let done = far.done.load(Ordering::Relaxed);
    let total = far.total.load(Ordering::Relaxed);
    far.told.store(done, Ordering::Relaxed);
    #[allow(clippy::cast_precision_loss, reason = "numbers of files")]
    let (mut progress, all) = (done as f64, total as f64);
    if no_further_after.is_some() {
        progress += far.sign_of_life();
    }
    let mut param = ProgressNotificationParam::new(token, progress);
    if total > 0 && total >= done {
        param = param.with_total(all);
    }
    param.message = match no_further_after {
        Some(seconds) => Some(format!("working for {seconds} s")),
        None => (total > 0).then(|| format!("{done} of {total} files")),
    };
    if let Err(error) = peer.notify_progress(param).await {
        tracing::debug!(%error, "the host was not told how far a call is");
    }
}
