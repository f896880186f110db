//! The order in which the requests of a connection came, and that those which change files keep it.
//!
//! A host may send an edit and a patch that builds on it in one go. Calls are carried out side by side,
//! so the patch might come first, and be refused for what is not there yet.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use fourfold::Access;
use parking_lot::Mutex;
use rmcp::model::{ClientRequest, RequestId};
use serde_json::Value;
use tokio::sync::watch;

use super::offer::CONVERSATION;

/// The most requests of a connection that may be open. Default 1,024: a host that is at work has
/// a few.
const MOST_OPEN: usize = 1024;

/// The most bytes that they may have together. Default 256 MiB.
const MOST_BYTES: usize = 256 << 20;

/// The tools that change files.
static WRITERS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let tools = fourfold::tool_reference().into_iter();
    let writers = tools.filter(|tool| tool.access == Access::Writes);
    writers.map(|tool| tool.name).collect()
});

/// The requests of a connection that are not answered yet.
#[derive(Clone, Debug)]
pub(super) struct Order {
    open: Arc<Mutex<Open>>,
    /// Told whenever one of them is not open any more.
    closed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Open {
    requests: HashMap<RequestId, Place>,
    /// The number of the next one.
    next: u64,
}

/// Where a request stands.
#[derive(Debug)]
struct Place {
    number: u64,
    bytes: usize,
    /// Of one that changes files: the name of its conversation, which is empty for that of the
    /// connection.
    writes_in: Option<String>,
}

/// Why a request is not taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unopened {
    /// Another of this id is not answered yet: two answers could not be told apart.
    Double,
    /// There are too many, or they are too large.
    TooMany,
}

impl fmt::Display for Unopened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unopened::Double => f.write_str(
                "a request of this `id` is not answered yet; each request has one of its own",
            ),
            Unopened::TooMany => write!(
                f,
                "more than {MOST_OPEN} requests, or {} MiB of them, are not answered yet; wait for \
                 some of their answers",
                MOST_BYTES >> 20
            ),
        }
    }
}

impl Order {
    pub(super) fn new() -> Order {
        Order {
            open: Arc::default(),
            closed: watch::Sender::new(()),
        }
    }

    /// Takes up a request of so many bytes.
    ///
    /// # Errors
    /// Why it is not taken up.
    pub(super) fn open(
        &self,
        id: &RequestId,
        request: &ClientRequest,
        bytes: usize,
    ) -> Result<(), Unopened> {
        let mut open = self.open.lock();
        if open.requests.contains_key(id) {
            return Err(Unopened::Double);
        }
        let taken: usize = open.requests.values().map(|place| place.bytes).sum();
        // The first is taken however large it is.
        let is_full = open.requests.len() >= MOST_OPEN || taken + bytes > MOST_BYTES;
        if is_full && !open.requests.is_empty() {
            return Err(Unopened::TooMany);
        }
        let place = Place {
            number: open.next,
            bytes,
            writes_in: writes_in(request),
        };
        open.next += 1;
        open.requests.insert(id.clone(), place);
        Ok(())
    }

    /// A request was answered, or nobody waits for its answer any more.
    pub(super) fn close(&self, id: &RequestId) {
        if self.open.lock().requests.remove(id).is_some() {
            self.closed.send_replace(());
        }
    }

    /// Waits until every request is closed that changes files in the same conversation and came
    /// before this one. For one that changes none, that is at once.
    ///
    /// Cancel safety: nothing is lost when the future is dropped.
    pub(super) async fn turn(&self, id: &RequestId) {
        let mut closed = self.closed.subscribe();
        while self.waits(id) {
            if closed.changed().await.is_err() {
                return;
            }
        }
    }

    fn waits(&self, id: &RequestId) -> bool {
        let open = self.open.lock();
        let Some(place) = open.requests.get(id) else {
            return false;
        };
        let mut others = open.requests.values();
        place.writes_in.is_some()
            && others.any(|one| one.number < place.number && one.writes_in == place.writes_in)
    }
}

/// The conversation in which a request changes files, if it does.
fn writes_in(request: &ClientRequest) -> Option<String> {
    let ClientRequest::CallToolRequest(call) = request else {
        return None;
    };
    if !WRITERS.contains(&call.params.name.trim()) {
        return None;
    }
    let arguments = call.params.arguments.as_ref();
    let conversation = arguments.and_then(|arguments| arguments.get(CONVERSATION));
    let name = conversation.and_then(Value::as_str);
    Some(name.unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(tool: &str, conversation: Option<&str>) -> ClientRequest {
        let mut arguments = json!({});
        if let Some(name) = conversation {
            arguments[CONVERSATION] = json!(name);
        }
        let params = json!({"name": tool, "arguments": arguments});
        serde_json::from_value(json!({"method": "tools/call", "params": params})).unwrap()
    }

    #[test]
    fn no_more_is_open_than_can_be_kept() {
        let id = |number: usize| RequestId::String(number.to_string().into());
        let request = call("staged", None);
        let order = Order::new();
        for number in 0..MOST_OPEN {
            order.open(&id(number), &request, 1).unwrap();
        }
        let more = id(MOST_OPEN);
        assert_eq!(order.open(&more, &request, 1), Err(Unopened::TooMany));
        order.close(&id(7));
        order.open(&more, &request, 1).unwrap();

        let order = Order::new();
        order.open(&id(1), &request, 2 * MOST_BYTES).unwrap();
        assert_eq!(order.open(&id(2), &request, 1), Err(Unopened::TooMany));
        order.close(&id(1));
        order.open(&id(2), &request, MOST_BYTES).unwrap();
        assert_eq!(order.open(&id(3), &request, 1), Err(Unopened::TooMany));
    }

    #[tokio::test]
    async fn what_changes_files_waits_for_what_came_before_it() {
        let order = Order::new();
        let id = |number: u32| RequestId::Number(number.into());
        for (number, request) in [
            (1, call("edit", None)),
            (2, call("apply_patch", None)),
            (3, call("ast_grep", None)),
            (4, call("write", Some("other"))),
            (5, call("resolve", None)),
        ] {
            order.open(&id(number), &request, 1).unwrap();
        }
        let taken = order.open(&id(2), &call("write", None), 1);
        assert_eq!(taken, Err(Unopened::Double));
        let waits = |number| order.waits(&id(number));
        assert_eq!(
            [1, 2, 3, 4, 5].map(waits),
            [false, true, false, false, true]
        );
        let second = {
            let order = order.clone();
            tokio::spawn(async move { order.turn(&RequestId::Number(2)).await })
        };
        order.close(&id(1));
        second.await.unwrap();
        assert_eq!([2, 5].map(waits), [false, true]);
        order.close(&id(2));
        order.turn(&id(5)).await;
        order.open(&id(1), &call("write", None), 1).unwrap();
        assert!(waits(1));
    }
}
