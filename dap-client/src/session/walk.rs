//! Values by their names, and by the way to them.

use crate::error::DebugError;
use crate::path::{PathStep, ValuePath};
use crate::protocol::RawValue;
use crate::result::Value;

use super::inner::Inner;
use super::moment::{FrameRef, ValueRef};
use super::values::SEARCHED;

impl Inner {
    /// A reference of Rust to a list or a map, as lldb has it, becomes what it refers to: it has printers
    /// for that only.
    pub(super) async fn follow(&self, frame: &FrameRef, raw: &mut RawValue) {
        let kind = raw.kind.as_deref().unwrap_or_default();
        let is_of_library = ["alloc::", "std::"]
            .iter()
            .any(|begin| kind.starts_with(begin));
        if !is_of_library || !kind.ends_with("> *") || raw.reference == 0 {
            return;
        }
        let Ok(link) = self.connection(frame.connection) else {
            return;
        };
        let limit = self.config.limits.evaluate;
        let asked = format!("*{}", raw.name);
        // What cannot be followed stays a reference.
        if let Ok(there) = self.evaluate_in(&link, frame, &asked, limit).await {
            let name = std::mem::take(&mut raw.name);
            *raw = RawValue { name, ..there };
        }
    }

    /// A value at the end of a path, with more of a string that the adapter has cut.
    pub(super) async fn uncut(
        &self,
        frame: &FrameRef,
        path: &str,
        value: Value,
        characters: usize,
    ) -> Result<Value, DebugError> {
        let is_short = value.text.chars().count() < characters;
        if value.cut_from.is_none() || !is_short || value.masked || value.handle.is_some() {
            return Ok(value);
        }
        let link = self.connection(frame.connection)?;
        let limit = self.config.limits.evaluate;
        // What cannot be evaluated stays as it is.
        let Ok(mut raw) = self.evaluate_in(&link, frame, path, limit).await else {
            return Ok(value);
        };
        self.lengthen(&link, frame, &mut raw, characters).await;
        raw.name = value.name;
        Ok(self.value(frame.connection, &raw, false, characters))
    }

    pub(super) async fn walk(
        &self,
        frame: &FrameRef,
        path: &ValuePath,
        characters: usize,
    ) -> Result<Value, DebugError> {
        let mut value = self.named(frame, path.root(), characters).await?;
        let mut walked = path.root().to_owned();
        for step in path.steps() {
            value = self.step(&value, step, &walked, characters).await?;
            walked = format!("{walked}{step}");
            self.root(&value, frame, &walked);
        }
        Ok(value)
    }

    /// A variable of a frame: of the function first, then of what is around it.
    pub(super) async fn named(
        &self,
        frame: &FrameRef,
        name: &str,
        characters: usize,
    ) -> Result<Value, DebugError> {
        let mut scopes = self.scopes_of(frame).await?;
        scopes.sort_by_key(|scope| (scope.beyond, scope.expensive));
        let wanted = PathStep::Name(name.to_owned());
        let mut there = Vec::new();
        for scope in scopes
            .iter()
            .filter(|scope| scope.reference != 0 && !scope.expensive)
        {
            let of = ValueRef {
                connection: frame.connection,
                reference: scope.reference,
                indexed: None,
                name: String::new(),
                secret: false,
                root: None,
            };
            let (values, _) = self.children(&of, 0, SEARCHED).await?;
            if let Some(raw) = values.iter().find(|raw| wanted.names(&raw.name)) {
                let value = self.value(frame.connection, raw, false, characters);
                self.root(&value, frame, name);
                return Ok(value);
            }
            if !scope.beyond {
                there.extend(values.into_iter().map(|raw| raw.name));
            }
        }
        Err(DebugError::NoValue {
            name: name.to_owned(),
            of: "this frame".to_owned(),
            nearest: nearest(name, there),
        })
    }

    /// One step of a path.
    pub(super) async fn step(
        &self,
        value: &Value,
        step: &PathStep,
        walked: &str,
        characters: usize,
    ) -> Result<Value, DebugError> {
        let missing = |there: Vec<String>| {
            let name = step.to_string();
            DebugError::NoValue {
                nearest: nearest(&name, there),
                name,
                of: format!("`{walked}`"),
            }
        };
        let Some(handle) = value.handle else {
            return Err(missing(Vec::new()));
        };
        let of = self.standing_value(handle)?;
        if let PathStep::Index(index) = step
            && of.indexed.is_some_and(|count| *index < count)
        {
            let index = usize::try_from(*index).unwrap_or(usize::MAX - 3);
            // What stands before it may say that it is a secret.
            let (raw, _) = self.children(&of, index.saturating_sub(1), 3).await?;
            if let Some(value) = self.among(&of, &raw, step, characters) {
                return Ok(value);
            }
        }
        let (raw, _) = self.children(&of, 0, SEARCHED).await?;
        match self.among(&of, &raw, step, characters) {
            Some(value) => Ok(value),
            None => Err(missing(raw.into_iter().map(|raw| raw.name).collect())),
        }
    }

    /// The one that a step names, among values that are inside of another one.
    fn among(
        &self,
        of: &ValueRef,
        raw: &[RawValue],
        step: &PathStep,
        characters: usize,
    ) -> Option<Value> {
        let mut secret = self.secret_among(raw, of.secret).into_iter();
        let found = raw.iter().find_map(|raw| {
            let secret = secret.next().unwrap_or(of.secret);
            step.names(&raw.name).then_some((raw, secret))
        });
        let (raw, secret) = found?;
        Some(self.value(of.connection, raw, secret, characters))
    }

    /// What can be opened that holds a variable of this name, for changing it.
    pub(super) async fn holder(
        &self,
        frame: &FrameRef,
        name: &str,
    ) -> Result<ValueRef, DebugError> {
        let wanted = PathStep::Name(name.to_owned());
        let mut there = Vec::new();
        let mut scopes = self.scopes_of(frame).await?;
        scopes.sort_by_key(|scope| (scope.beyond, scope.expensive));
        for scope in scopes
            .iter()
            .filter(|scope| scope.reference != 0 && !scope.expensive)
        {
            let of = ValueRef {
                connection: frame.connection,
                reference: scope.reference,
                indexed: None,
                name: scope.name.clone(),
                secret: false,
                root: None,
            };
            let (values, _) = self.children(&of, 0, SEARCHED).await?;
            if values.iter().any(|raw| wanted.names(&raw.name)) {
                return Ok(of);
            }
            there.extend(values.into_iter().map(|raw| raw.name));
        }
        Err(DebugError::NoValue {
            name: name.to_owned(),
            of: "this frame".to_owned(),
            nearest: nearest(name, there),
        })
    }
}

/// The names that are most like one, at most eight.
pub(super) fn nearest(name: &str, mut there: Vec<String>) -> Vec<String> {
    there.sort_by_cached_key(|known| strsim::levenshtein(name.trim_start_matches('.'), known));
    there.dedup();
    there.truncate(8);
    there
}
