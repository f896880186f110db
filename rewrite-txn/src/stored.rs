//! The file of a kept stage.

use std::collections::BTreeSet;

use crate::capture::{Captured, Original};
use crate::codec::{Damage, Reader, Writer};
use crate::edit::{self, Edit};
use crate::entry::{Action, Entry};
use crate::paths::reserved;
use crate::store::StageContent;

const MAGIC: &[u8; 8] = b"4F-STG\r\n";
const VERSION: u32 = 1;

/// A stage as it is kept, with the captured bytes: it can be shown, and parts of it left out,
/// whatever has become of the files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) id: String,
    /// Seconds since 1970.
    pub(crate) saved: u64,
    pub(crate) entries: Vec<Entry>,
}

impl Stored {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::new(MAGIC, VERSION);
        out.bytes(self.id.as_bytes());
        out.u64(self.saved);
        out.list(self.entries.iter(), write_entry);
        out.seal()
    }

    pub(crate) fn decode(file: &[u8]) -> Result<Self, Damage> {
        let mut from = Reader::open(file, MAGIC, VERSION)?;
        let stored = Self {
            id: from.text()?,
            saved: from.u64()?,
            entries: from.list(read_entry)?,
        };
        from.end()?;
        Ok(stored)
    }

    pub(crate) fn summary(&self) -> StageContent {
        let edits = self.entries.iter().flat_map(Entry::edits);
        let sites: BTreeSet<&str> = edits.filter_map(|edit| edit.site.as_deref()).collect();
        let files = self
            .entries
            .iter()
            .map(|entry| entry.path.clone())
            .collect();
        StageContent {
            files,
            sites: sites.len(),
        }
    }
}

fn write_entry(out: &mut Writer, entry: &Entry) {
    out.path(&entry.path);
    out.option(entry.original.as_ref(), |out, original| {
        write_captured(out, &original.captured);
        out.bytes(&original.bytes);
    });
    match &entry.action {
        Action::Edit(edits) => {
            out.u8(0);
            out.list(edits.iter(), write_edit);
        }
        Action::Write(bytes) => {
            out.u8(1);
            out.bytes(bytes);
        }
        Action::Create(bytes) => {
            out.u8(2);
            out.bytes(bytes);
        }
        Action::Delete => out.u8(3),
        Action::Rename { to, edits } => {
            out.u8(4);
            out.path(to);
            out.list(edits.iter(), write_edit);
        }
    }
}

fn read_entry(from: &mut Reader<'_>) -> Result<Entry, Damage> {
    let path = from.path()?;
    let original = from.option(|from| {
        let captured = read_captured(from)?;
        Ok(Original {
            captured,
            bytes: from.bytes()?.to_vec(),
        })
    })?;
    let action = match from.u8()? {
        0 => Action::Edit(from.list(read_edit)?),
        1 => Action::Write(from.bytes()?.to_vec()),
        2 => Action::Create(from.bytes()?.to_vec()),
        3 => Action::Delete,
        4 => Action::Rename {
            to: from.path()?,
            edits: from.list(read_edit)?,
        },
        _ => return Err(Damage::Field("action")),
    };
    let entry = Entry {
        path,
        action,
        original,
    };
    let renamed_to = match &entry.action {
        Action::Rename { to, .. } => Some(to),
        _ => None,
    };
    if reserved(&entry.path) || renamed_to.is_some_and(|to| reserved(to)) {
        return Err(Damage::Field("path"));
    }
    if entry.original.is_none() != matches!(entry.action, Action::Create(_)) {
        return Err(Damage::Field("action"));
    }
    edit::check(&entry.path, entry.old().len(), entry.edits())
        .map_err(|_| Damage::Field("list of edits"))?;
    Ok(entry)
}

fn write_captured(out: &mut Writer, captured: &Captured) {
    let Captured {
        hash,
        len,
        mode,
        uid,
        gid,
        dev,
        ino,
        links,
        xattrs,
    } = captured;
    out.hash(hash);
    out.u64(*len);
    [mode, uid, gid]
        .into_iter()
        .for_each(|number| out.u32(*number));
    [dev, ino, links]
        .into_iter()
        .for_each(|number| out.u64(*number));
    out.list(xattrs.iter(), |out, (name, value)| {
        out.bytes(name);
        out.bytes(value);
    });
}

fn read_captured(from: &mut Reader<'_>) -> Result<Captured, Damage> {
    Ok(Captured {
        hash: from.hash()?,
        len: from.u64()?,
        mode: from.u32()?,
        uid: from.u32()?,
        gid: from.u32()?,
        dev: from.u64()?,
        ino: from.u64()?,
        links: from.u64()?,
        xattrs: from.list(|from| Ok((from.bytes()?.to_vec(), from.bytes()?.to_vec())))?,
    })
}

fn write_edit(out: &mut Writer, edit: &Edit) {
    out.u64(edit.range.start as u64);
    out.u64(edit.range.end as u64);
    out.bytes(&edit.replacement);
    out.option(edit.site.as_ref(), |out, site| out.bytes(site.as_bytes()));
}

fn read_edit(from: &mut Reader<'_>) -> Result<Edit, Damage> {
    Ok(Edit {
        range: from.size()?..from.size()?,
        replacement: from.bytes()?.to_vec(),
        site: from.option(Reader::text)?,
    })
}
