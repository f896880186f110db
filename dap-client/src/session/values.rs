//! Values: by page, by name, by path, of a frame or inside of another one.

use serde_json::json;

use crate::connection::Unanswered;
use crate::error::DebugError;
use crate::handle::ValueHandle;
use crate::mask::siblings;
use crate::path::PathStep;
use crate::protocol::{RawValue, list};
use crate::request::{Of, ValuesQuery};
use crate::result::{More, Page, Value};

use super::inner::Inner;
use super::long;
use super::moment::{FrameRef, ValueRef};

/// Values that are looked through for a name.
pub(super) const SEARCHED: usize = 1000;

/// Up to here pages are cut from what comes before them: not every adapter pages, and those that do
/// not answer with everything.
const PREFIX: usize = 2000;

/// From here on elements are asked for alone: js-debug looks at all of them else.
const HUGE: u64 = 10_000;

/// Levels that are opened at most, and values in all.
const DEPTH: usize = 3;
const OPENED: usize = 200;

impl Inner {
    /// Children of a value from `start` on, at most `count`; and whether there are more.
    ///
    /// Adapters may ignore the paging, so it is cut here too. What is known to have elements is paged
    /// by them; else everything up to the page is asked for, unless that is too much.
    pub(super) async fn children(
        &self,
        of: &ValueRef,
        start: usize,
        count: usize,
    ) -> Result<(Vec<RawValue>, bool), DebugError> {
        if let Some(part) = self.part_of(of, start, count).await {
            return part;
        }
        let elements = of.indexed.is_some_and(|count| count > 0);
        let huge = of.indexed.is_some_and(|count| count > HUGE);
        let real = elements && start > 0 || huge || start + count > PREFIX;
        let (from, wanted) = if real {
            (start, count)
        } else {
            (0, start + count)
        };
        let mut arguments = json!({
            "variablesReference": of.reference,
            "start": from,
            // One more tells whether there are more.
            "count": wanted + 1,
        });
        if elements && real {
            arguments["filter"] = "indexed".into();
        }
        let limit = self.config.limits.request;
        let body = self
            .ask(of.connection, "variables", arguments, limit)
            .await?;
        let all = list(&body, "variables");
        // More than was asked for: the paging was ignored.
        let skip = if all.len() > wanted + 1 || !real {
            start
        } else {
            0
        };
        let page: Vec<RawValue> = all
            .iter()
            .map(RawValue::read)
            .filter(|value| !self.is_hidden(&value.name))
            .skip(skip)
            .take(count + 1)
            .collect();
        let more = page.len() > count;
        Ok((page.into_iter().take(count).collect(), more))
    }

    /// The same of a value with very many properties, where the adapter looks at all of them.
    async fn part_of(
        &self,
        of: &ValueRef,
        start: usize,
        count: usize,
    ) -> Option<Result<(Vec<RawValue>, bool), DebugError>> {
        let (frame, expression) = of.root.as_ref()?;
        let expression = self
            .adapter
            .part_form
            .as_ref()?
            .replace("{from}", &start.to_string())
            .replace("{to}", &(start + count + 1).to_string())
            .replace("{value}", expression);
        let link = self.connection(of.connection).ok()?;
        let limit = self.config.limits.evaluate;
        // One that is not as large, or cannot be asked so, is asked as any other.
        let part = self.evaluate_in(&link, frame, &expression, limit).await;
        let part = part.ok().filter(|part| part.reference > 0)?;
        let arguments =
            json!({ "variablesReference": part.reference, "start": 0, "count": count + 1 });
        let limit = self.config.limits.request;
        let body = match self.ask(of.connection, "variables", arguments, limit).await {
            Ok(body) => body,
            Err(error) => return Some(Err(error)),
        };
        let mut values: Vec<RawValue> = list(&body, "variables")
            .iter()
            .map(RawValue::read)
            .filter(|value| !value.name.starts_with("[["))
            .collect();
        let more = values.len() > count;
        values.truncate(count);
        Some(Ok((values, more)))
    }

    /// Remembers what a value is that may have very many properties, and says so by a text which tells
    /// some of them.
    pub(super) fn root(&self, value: &Value, frame: &FrameRef, expression: &str) {
        if self.adapter.part_form.is_some()
            && value.text.ends_with("…}")
            && let Some(handle) = value.handle
        {
            let mut moment = self.moment.lock();
            moment.root(handle, (frame.clone(), expression.to_owned()));
        }
    }

    /// Whether a value is not the program's.
    fn is_hidden(&self, name: &str) -> bool {
        let mut hidden = self.adapter.hidden_values.iter();
        hidden.any(|known| match known.strip_suffix('*') {
            Some(begin) => name.starts_with(begin),
            None => name == known,
        })
    }

    /// A value with our handle, cut and without secrets.
    pub(super) fn value(
        &self,
        connection: usize,
        raw: &RawValue,
        inside: bool,
        characters: usize,
    ) -> Value {
        let (masked, secret) = {
            let mut secrets = self.secrets.lock();
            let masked = secrets.value(&raw.name, inside, &raw.value);
            (masked, inside || secrets.is_secret(&raw.name, &raw.value))
        };
        let text = masked.as_deref().unwrap_or(&raw.value);
        // What the adapter has cut before counts too.
        let (text, more) = long::cut(text).unwrap_or((text, 0));
        let there = text.chars().count();
        let total = there + more;
        let cut = total > characters || more > 0;
        let text: String = match there > characters {
            true => text.chars().take(characters).collect(),
            false => text.to_owned(),
        };
        let handle = (raw.reference > 0).then(|| {
            self.moment.lock().add_value(ValueRef {
                connection,
                reference: raw.reference,
                indexed: raw.indexed,
                name: raw.name.clone(),
                secret,
                root: None,
            })
        });
        Value {
            name: raw.name.clone(),
            text,
            cut_from: cut.then_some(total),
            masked: masked.is_some(),
            kind: raw.kind.clone(),
            handle,
            count: raw.count,
            inside: None,
            shortened: cut,
        }
    }

    /// Which of the values inside of another one are secrets: all, when that one is, else those that stand
    /// in a pair behind the name of one.
    pub(super) fn secret_among(&self, raw: &[RawValue], inside: bool) -> Vec<bool> {
        let named = raw
            .iter()
            .map(|raw| (raw.name.as_str(), raw.value.as_str()));
        let secret = siblings(named);
        secret.into_iter().map(|secret| secret || inside).collect()
    }

    /// Arguments and locals of a frame: every scope that belongs to the function.
    pub(super) async fn locals(
        &self,
        frame: &FrameRef,
        start: usize,
        count: usize,
        characters: usize,
    ) -> Result<Page<Value>, DebugError> {
        let scopes = self.scopes_of(frame).await?;
        let mut raw = Vec::new();
        let mut more = false;
        for scope in scopes
            .iter()
            .filter(|scope| !scope.expensive && !scope.beyond)
        {
            let of = ValueRef {
                connection: frame.connection,
                reference: scope.reference,
                indexed: None,
                name: String::new(),
                secret: false,
                root: None,
            };
            if scope.reference == 0 || raw.len() > start + count {
                continue;
            }
            let (values, rest) = self.children(&of, 0, start + count + 1).await?;
            more |= rest;
            raw.extend(values);
        }
        more |= raw.len() > start + count;
        for value in raw.iter_mut().skip(start).take(count) {
            self.follow(frame, value).await;
        }
        let mut items: Vec<Value> = raw
            .iter()
            .skip(start)
            .take(count)
            .map(|value| self.value(frame.connection, value, false, characters))
            .collect();
        for item in &items {
            self.root(item, frame, &item.name);
        }
        self.sum_up(&mut items, characters).await?;
        Ok(Page {
            items,
            start,
            more: if more { More::Some } else { More::None },
        })
    }

    pub(super) async fn values(&self, query: &ValuesQuery) -> Result<Page<Value>, DebugError> {
        // At the end of a path the value stands above what is inside of it.
        let above = usize::from(matches!(query.of, Of::Path { .. }));
        let depth = query.depth.clamp(1, DEPTH) + above;
        let mut page = match &query.of {
            Of::Frame(frame) if query.names.is_empty() => {
                let (_, frame) = self.frame_ref(*frame)?;
                self.locals(&frame, query.start, query.count, query.characters)
                    .await?
            }
            Of::Frame(frame) => {
                let (_, frame) = self.frame_ref(*frame)?;
                let mut items = Vec::new();
                for name in &query.names {
                    items.push(self.named(&frame, name, query.characters).await?);
                }
                Page {
                    items,
                    start: 0,
                    more: More::None,
                }
            }
            Of::Value(handle) => {
                let of = self.standing_value(*handle)?;
                self.inside(&of, query).await?
            }
            Of::Path { frame, path } => {
                let (_, frame) = self.frame_ref(*frame)?;
                let walked = path.to_string();
                let mut value = match self.walk(&frame, path, query.characters).await {
                    Ok(value) => self.uncut(&frame, &walked, value, query.characters).await?,
                    // Adapters do not list everything: long lists, what is outside of the function.
                    Err(missing @ DebugError::NoValue { .. }) => {
                        let link = self.connection(frame.connection)?;
                        let limit = self.config.limits.evaluate;
                        match self.evaluate_own(&link, &frame, &walked, limit).await {
                            Ok(mut raw) => {
                                self.lengthen(&link, &frame, &mut raw, query.characters)
                                    .await;
                                self.value(frame.connection, &raw, false, query.characters)
                            }
                            Err(Unanswered::Refused(_)) => return Err(missing),
                            Err(why) => return Err(self.failed("evaluate", why).await),
                        }
                    }
                    Err(other) => return Err(other),
                };
                match value.handle {
                    // The value itself, with what is inside.
                    Some(handle) => {
                        let of = self.standing_value(handle)?;
                        value.inside = Some(self.inside(&of, query).await?);
                        value.name = walked;
                        Page {
                            items: vec![value],
                            start: 0,
                            more: More::None,
                        }
                    }
                    None => {
                        value.name = walked;
                        Page {
                            items: vec![value],
                            start: 0,
                            more: More::None,
                        }
                    }
                }
            }
        };
        self.sum_up(&mut page.items, query.characters).await?;
        if depth > 1 {
            self.open(&mut page.items, depth - 1, query).await?;
        }
        Ok(page)
    }

    pub(super) fn standing_value(&self, handle: ValueHandle) -> Result<ValueRef, DebugError> {
        let moment = self.moment.lock();
        moment.standing()?;
        moment.value(handle)
    }

    async fn inside(&self, of: &ValueRef, query: &ValuesQuery) -> Result<Page<Value>, DebugError> {
        let named = !query.names.is_empty();
        let (start, count) = if named {
            (0, SEARCHED)
        } else {
            (query.start, query.count)
        };
        let (raw, more) = self.children(of, start, count).await?;
        let wanted = |raw: &RawValue| {
            !named
                || query
                    .names
                    .iter()
                    .any(|name| PathStep::Name(name.clone()).names(&raw.name))
        };
        let secret = self.secret_among(&raw, of.secret);
        let mut items: Vec<Value> = raw
            .iter()
            .zip(secret)
            .filter(|(raw, _)| wanted(raw))
            .map(|(raw, secret)| self.value(of.connection, raw, secret, query.characters))
            .collect();
        self.sum_up(&mut items, query.characters).await?;
        Ok(Page {
            items,
            start,
            more: if more && !named {
                More::Some
            } else {
                More::None
            },
        })
    }

    /// Opens values level by level, until there is enough.
    async fn open(
        &self,
        values: &mut [Value],
        levels: usize,
        query: &ValuesQuery,
    ) -> Result<(), DebugError> {
        let mut opened = 0;
        let mut front: Vec<&mut Value> = values.iter_mut().collect();
        for _ in 0..levels {
            let mut next = Vec::new();
            for value in front {
                // What the language keeps about a value, such as `[[Prototype]]`, is endless, and not what
                // was asked for.
                let internal = value.name.starts_with("[[");
                let Some(handle) = value.handle.filter(|_| opened < OPENED && !internal) else {
                    continue;
                };
                if value.inside.is_none() {
                    let of = self.standing_value(handle)?;
                    let (raw, more) = self.children(&of, 0, query.count.min(10)).await?;
                    opened += raw.len();
                    let secret = self.secret_among(&raw, of.secret);
                    let mut items: Vec<Value> = raw
                        .iter()
                        .zip(secret)
                        .map(|(raw, secret)| {
                            self.value(of.connection, raw, secret, query.characters)
                        })
                        .collect();
                    self.sum_up(&mut items, query.characters).await?;
                    value.inside = Some(Page {
                        items,
                        start: 0,
                        more: if more { More::Some } else { More::None },
                    });
                }
                next.extend(value.inside.iter_mut().flat_map(|page| &mut page.items));
            }
            front = next;
        }
        Ok(())
    }
}
