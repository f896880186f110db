//! JSON lines, written field by field without a tree in between.

use std::io::{self, Write};

/// One object, or a list in one, while it is written.
#[derive(Debug)]
#[must_use = "an object that is not ended is not valid JSON"]
pub(crate) struct Object<'a, W: Write> {
    out: &'a mut W,
    is_empty: bool,
}

impl<'a, W: Write> Object<'a, W> {
    /// Begins a line; its first field says what kind of line it is.
    pub(crate) fn line(out: &'a mut W, kind: &str) -> io::Result<Object<'a, W>> {
        let mut object = Object::begin(out)?;
        object.text("type", kind)?;
        Ok(object)
    }

    fn begin(out: &'a mut W) -> io::Result<Object<'a, W>> {
        out.write_all(b"{")?;
        Ok(Object {
            out,
            is_empty: true,
        })
    }

    /// Writes a name; a value has to follow.
    fn name(&mut self, name: &str) -> io::Result<&mut W> {
        if !std::mem::take(&mut self.is_empty) {
            self.out.write_all(b",")?;
        }
        string(self.out, name)?;
        self.out.write_all(b":")?;
        Ok(self.out)
    }

    pub(crate) fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        string(self.name(name)?, text)
    }

    pub(crate) fn maybe(&mut self, name: &str, text: Option<&str>) -> io::Result<()> {
        match text {
            Some(text) => self.text(name, text),
            None => Ok(()),
        }
    }

    pub(crate) fn number(&mut self, name: &str, number: usize) -> io::Result<()> {
        write!(self.name(name)?, "{number}")
    }

    pub(crate) fn flag(&mut self, name: &str, flag: bool) -> io::Result<()> {
        write!(self.name(name)?, "{flag}")
    }

    /// A value that is JSON already.
    pub(crate) fn raw(&mut self, name: &str, json: &str) -> io::Result<()> {
        self.name(name)?.write_all(json.as_bytes())
    }

    /// The fields of an object that is JSON already.
    pub(crate) fn fields(&mut self, json: &str) -> io::Result<()> {
        let inner = json
            .strip_prefix('{')
            .and_then(|json| json.strip_suffix('}'));
        let Some(inner) = inner.filter(|inner| !inner.is_empty()) else {
            return Ok(());
        };
        if !std::mem::take(&mut self.is_empty) {
            self.out.write_all(b",")?;
        }
        self.out.write_all(inner.as_bytes())
    }

    /// An object in this one.
    pub(crate) fn object(
        &mut self,
        name: &str,
        fill: impl FnOnce(&mut Object<'_, W>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut inner = Object::begin(self.name(name)?)?;
        fill(&mut inner)?;
        inner.out.write_all(b"}")
    }

    /// A list of texts.
    pub(crate) fn texts<T: AsRef<str>>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        let out = self.name(name)?;
        out.write_all(b"[")?;
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                out.write_all(b",")?;
            }
            string(out, item.as_ref())?;
        }
        out.write_all(b"]")
    }

    /// Ends the line.
    pub(crate) fn end(self) -> io::Result<()> {
        self.out.write_all(b"}\n")
    }
}

fn string<W: Write>(out: &mut W, text: &str) -> io::Result<()> {
    serde_json::to_writer(out, text).map_err(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back() -> io::Result<()> {
        let mut out = Vec::new();
        let mut line = Object::line(&mut out, "match")?;
        line.text("path", "a \"b\"\n\u{1}\u{e9}")?;
        line.number("start", 7)?;
        line.flag("whole", true)?;
        line.maybe("absent", None)?;
        line.object("captures", |captures| captures.text("X", "y"))?;
        line.texts("words", ["a", "b"])?;
        line.fields("{}")?;
        line.fields("{\"deep\":{}}")?;
        line.raw("raw", "[]")?;
        line.end()?;
        let text = String::from_utf8_lossy(&out);
        assert!(text.ends_with("}\n"));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text)?,
            serde_json::json!({
                "type": "match", "path": "a \"b\"\n\u{1}\u{e9}", "start": 7, "whole": true,
                "captures": {"X": "y"}, "words": ["a", "b"], "deep": {}, "raw": [],
            })
        );
        Ok(())
    }
}
