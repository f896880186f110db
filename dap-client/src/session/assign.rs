//! Other values for variables, and for parts of them.

use serde_json::{Value as Json, json};

use crate::connection::Connection;
use crate::error::DebugError;
use crate::handle::ValueHandle;
use crate::path::{PathStep, ValuePath};
use crate::protocol::RawValue;
use crate::result::Value;

use super::inner::Inner;
use super::moment::{FrameRef, ValueRef};
use super::values::SEARCHED;
use super::walk::nearest;

/// Characters of the new value that are told.
const TOLD: usize = 300;

impl Inner {
    /// Gives a variable or a part of one another value.
    pub(super) async fn assign(
        &self,
        inside: Option<ValueHandle>,
        frame: &FrameRef,
        name: &str,
        value: &str,
    ) -> Result<Value, DebugError> {
        let link = self.connection(frame.connection)?;
        let path = name.parse::<ValuePath>().ok();
        let part = path.as_ref().and_then(ValuePath::holder);
        if let Some(handle) = inside {
            let of = self.standing_value(handle)?;
            return self.set_in(&link, &of, name, name, value).await;
        }
        match (&path, part) {
            (Some(path), None) if path.root() == name => {
                self.can_set(&link)?;
                let of = self.holder(frame, name).await?;
                self.set_in(&link, &of, name, name, value).await
            }
            // The adapter knows what can be assigned to in the language.
            _ if link.can("supportsSetExpression") => {
                let arguments = json!({ "expression": name, "value": value, "frameId": frame.id });
                let asked = self.set(&link, "setExpression", arguments).await?;
                Ok(self.now(frame.connection, asked, name, false))
            }
            (_, Some((holder, step))) => {
                self.can_set(&link)?;
                let (of, its) = self.place_in(frame, &holder, step).await?;
                self.set_in(&link, &of, &its, name, value).await
            }
            _ => Err(DebugError::NoValue {
                name: name.to_owned(),
                of: "this frame".to_owned(),
                nearest: Vec::new(),
            }),
        }
    }

    fn can_set(&self, link: &Connection) -> Result<(), DebugError> {
        if link.can("supportsSetVariable") {
            return Ok(());
        }
        Err(DebugError::Unsupported {
            adapter: self.adapter.id.clone(),
            what: "way to change a variable".to_owned(),
            instead: "evaluate an assignment, where the language has one",
        })
    }

    /// What holds the end of a path, and what the adapter calls it there.
    async fn place_in(
        &self,
        frame: &FrameRef,
        holder: &ValuePath,
        step: &PathStep,
    ) -> Result<(ValueRef, String), DebugError> {
        let missing = |there: Vec<String>| DebugError::NoValue {
            name: step.to_string(),
            of: format!("`{holder}`"),
            nearest: nearest(&step.to_string(), there),
        };
        let found = self.walk(frame, holder, 1).await?;
        let handle = found.handle.ok_or_else(|| missing(Vec::new()))?;
        let mut of = self.standing_value(handle)?;
        let (mut raw, _) = self.children(&of, 0, SEARCHED).await?;
        // gdb and delve put what a pointer leads to in between.
        if let [one] = raw.as_slice()
            && one.reference > 0
            && (one.name.is_empty() || one.name == "value" || one.name.starts_with('*'))
            && !step.names(&one.name)
        {
            of.reference = one.reference;
            (raw, _) = self.children(&of, 0, SEARCHED).await?;
        }
        match raw.iter().find(|raw| step.names(&raw.name)) {
            Some(raw) => Ok((of, raw.name.clone())),
            None => Err(missing(raw.into_iter().map(|raw| raw.name).collect())),
        }
    }

    /// Changes what is called so inside of a value; `told` is what people call it.
    async fn set_in(
        &self,
        link: &Connection,
        of: &ValueRef,
        name: &str,
        told: &str,
        value: &str,
    ) -> Result<Value, DebugError> {
        self.can_set(link)?;
        let arguments = json!({
            "variablesReference": of.reference,
            "name": name,
            "value": value,
        });
        let asked = self.set(link, "setVariable", arguments).await?;
        Ok(self.now(of.connection, asked, told, of.secret))
    }

    async fn set(
        &self,
        link: &Connection,
        command: &str,
        arguments: Json,
    ) -> Result<RawValue, DebugError> {
        let limit = self.config.limits.evaluate;
        match self.aside(link.request(command, arguments, limit)).await {
            Ok(body) => Ok(RawValue::read(&body)),
            Err(why) => Err(self.failed(command, why).await),
        }
    }

    fn now(&self, connection: usize, mut raw: RawValue, name: &str, secret: bool) -> Value {
        raw.name = name.to_owned();
        self.value(connection, &raw, secret, TOLD)
    }
}
