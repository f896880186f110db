//! A small reader of SCIP indexes: the protobuf wire format and the few fields that a score needs.
//!
//! Numbers of lines and columns count from zero, columns in characters as the indexers count them.

use anyhow::{Context, Result, bail};

/// What an index says of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Document {
    /// Relative to the folder that was indexed, with `/`.
    pub(crate) path: String,
    pub(crate) occurrences: Vec<Occurrence>,
    /// Pairs: a symbol, and one that it implements or overrides.
    pub(crate) implementations: Vec<(String, String)>,
}

/// A name in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Occurrence {
    pub(crate) line: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) symbol: String,
    pub(crate) is_definition: bool,
    pub(crate) is_import: bool,
    /// First and last line of the whole that this name defines.
    pub(crate) enclosing: Option<(usize, usize)>,
}

/// Reads an index. An occurrence without a place is left out; one without a symbol says that the
/// indexer looked at the name and found nothing.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    for field in Fields(bytes) {
        if let (2, Field::Bytes(document)) = field? {
            documents.push(read_document(document)?);
        }
    }
    Ok(documents)
}

fn read_document(bytes: &[u8]) -> Result<Document> {
    let mut document = Document::default();
    for field in Fields(bytes) {
        match field? {
            (1, Field::Bytes(path)) => document.path = text(path),
            (2, Field::Bytes(occurrence)) => {
                document.occurrences.extend(read_occurrence(occurrence)?);
            }
            (3, Field::Bytes(information)) => {
                read_implementations(information, &mut document.implementations)?;
            }
            _ => {}
        }
    }
    Ok(document)
}

fn read_occurrence(bytes: &[u8]) -> Result<Option<Occurrence>> {
    let mut occurrence = Occurrence::default();
    let (mut range, mut enclosing) = (Vec::new(), Vec::new());
    for field in Fields(bytes) {
        match field? {
            (1, numbers) => numbers.add_to(&mut range)?,
            (2, Field::Bytes(symbol)) => occurrence.symbol = text(symbol),
            (3, Field::Number(roles)) => {
                occurrence.is_definition = roles & 1 != 0;
                occurrence.is_import = roles & 2 != 0;
            }
            (7, numbers) => numbers.add_to(&mut enclosing)?,
            _ => {}
        }
    }
    // Three numbers where the range ends on the line it starts on, else four.
    match range.as_slice() {
        &[line, start, end] | &[line, start, _, end] => {
            (occurrence.line, occurrence.start, occurrence.end) = (line, start, end);
        }
        _ => return Ok(None),
    }
    occurrence.enclosing = match enclosing.as_slice() {
        &[first, _, last, _] => Some((first, last)),
        &[first, ..] => Some((first, first)),
        [] => None,
    };
    Ok(Some(occurrence))
}

fn read_implementations(bytes: &[u8], all: &mut Vec<(String, String)>) -> Result<()> {
    let (mut symbol, mut targets) = (String::new(), Vec::new());
    for field in Fields(bytes) {
        match field? {
            (1, Field::Bytes(name)) => symbol = text(name),
            (4, Field::Bytes(relationship)) => {
                let (mut target, mut implements) = (String::new(), false);
                for field in Fields(relationship) {
                    match field? {
                        (1, Field::Bytes(name)) => target = text(name),
                        (3, Field::Number(flag)) => implements = flag != 0,
                        _ => {}
                    }
                }
                targets.extend(implements.then_some(target));
            }
            _ => {}
        }
    }
    all.extend(targets.into_iter().map(|target| (symbol.clone(), target)));
    Ok(())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The fields of one message, each with its number.
struct Fields<'a>(&'a [u8]);

enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Four or eight bytes, which nothing here needs.
    Fixed,
}

impl Field<'_> {
    /// Repeated numbers come packed or one by one.
    fn add_to(&self, numbers: &mut Vec<usize>) -> Result<()> {
        match self {
            Field::Number(number) => numbers.push(usize::try_from(*number)?),
            &Field::Bytes(mut packed) => {
                while !packed.is_empty() {
                    numbers.push(usize::try_from(varint(&mut packed)?)?);
                }
            }
            Field::Fixed => {}
        }
        Ok(())
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Field<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.read();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    fn read(&mut self) -> Result<(u64, Field<'a>)> {
        let key = varint(&mut self.0)?;
        let field = match key & 7 {
            0 => Field::Number(varint(&mut self.0)?),
            1 => self.take(8).map(|_| Field::Fixed)?,
            2 => {
                let length = usize::try_from(varint(&mut self.0)?)?;
                Field::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Field::Fixed)?,
            kind => bail!("wire type {kind} is not one of SCIP's: is this a SCIP index?"),
        };
        Ok((key >> 3, field))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .context("the index ends in the middle of a field")?;
        self.0 = rest;
        Ok(taken)
    }
}

fn varint(bytes: &mut &[u8]) -> Result<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes
            .split_first()
            .context("the index ends in the middle of a number")?;
        *bytes = rest;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Ok(number);
        }
    }
    bail!("a number of more than 64 bits: is this a SCIP index?")
}

/// The writing side, for the tests of everything that reads an index.
#[cfg(test)]
pub(crate) mod encode {
    fn varint(mut number: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        loop {
            let low = u8::try_from(number & 127).unwrap();
            number >>= 7;
            bytes.push(low | if number > 0 { 128 } else { 0 });
            if number == 0 {
                return bytes;
            }
        }
    }

    pub(crate) fn number(field: usize, value: usize) -> Vec<u8> {
        [varint(field << 3), varint(value)].concat()
    }

    pub(crate) fn bytes(field: usize, value: &[u8]) -> Vec<u8> {
        [&varint(field << 3 | 2), &varint(value.len()), value].concat()
    }

    fn numbers(field: usize, values: &[usize]) -> Vec<u8> {
        let packed: Vec<u8> = values.iter().copied().flat_map(varint).collect();
        bytes(field, &packed)
    }

    /// An occurrence in its document. `role` 1 is a definition; `enclosing` may be empty.
    pub(crate) fn occurrence(
        range: &[usize],
        symbol: &str,
        role: usize,
        enclosing: &[usize],
    ) -> Vec<u8> {
        let mut all = [numbers(1, range), bytes(2, symbol.as_bytes())].concat();
        if role > 0 {
            all.extend(number(3, role));
        }
        if !enclosing.is_empty() {
            all.extend(numbers(7, enclosing));
        }
        bytes(2, &all)
    }

    /// A document in its index.
    pub(crate) fn document(path: &str, fields: &[Vec<u8>]) -> Vec<u8> {
        bytes(2, &[bytes(1, path.as_bytes()), fields.concat()].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read() {
        let relationship = [encode::bytes(1, b"p A#m()."), encode::number(3, 1)].concat();
        let only_type = [encode::bytes(1, b"p T#"), encode::number(4, 1)].concat();
        let information = [
            encode::bytes(1, b"p B#m()."),
            encode::bytes(4, &relationship),
            encode::bytes(4, &only_type),
        ]
        .concat();
        let fields = [
            encode::occurrence(&[3, 4, 9], "p f().", 1, &[3, 0, 300, 1]),
            encode::occurrence(&[200, 0, 201, 5], "p g().", 2, &[]),
            encode::occurrence(&[1, 2], "p h().", 0, &[]),
            encode::bytes(3, &information),
        ];
        // Metadata comes first in an index; a fixed field of four bytes is passed over.
        let mut index = encode::bytes(1, b"\x0a\x01x");
        index.extend([5 << 3 | 5, 1, 2, 3, 4]);
        index.extend(encode::document("a/b.py", &fields));
        let expected = Document {
            path: "a/b.py".into(),
            occurrences: vec![
                Occurrence {
                    line: 3,
                    start: 4,
                    end: 9,
                    symbol: "p f().".into(),
                    is_definition: true,
                    is_import: false,
                    enclosing: Some((3, 300)),
                },
                Occurrence {
                    line: 200,
                    start: 0,
                    end: 5,
                    symbol: "p g().".into(),
                    is_definition: false,
                    is_import: true,
                    enclosing: None,
                },
            ],
            implementations: vec![("p B#m().".into(), "p A#m().".into())],
        };
        assert_eq!(read(&index).unwrap(), [expected]);
    }

    #[test]
    fn numbers_one_by_one_are_a_range_too() {
        let mut occurrence = encode::bytes(2, b"s");
        for value in [7, 1, 300] {
            occurrence.extend(encode::number(1, value));
        }
        let read = read_occurrence(&occurrence).unwrap().unwrap();
        assert_eq!((read.line, read.start, read.end), (7, 1, 300));
    }

    #[test]
    fn an_index_that_is_cut_short_is_an_error() {
        let index = encode::document("a.py", &[encode::occurrence(&[1, 2, 3], "s", 1, &[])]);
        for end in 1..index.len() {
            assert!(read(&index[..end]).is_err(), "{end}");
        }
        assert!(read(&[]).unwrap().is_empty());
        assert!(read(&[0xff; 12]).is_err());
        assert!(read(b"\x13").is_err());
    }
}
