//! The 64-bit names of things that can be looked up across files.
//!
//! They are kept on disk, so they depend on nothing but texts.

use crate::facts::Facts;

/// The hash of a text.
pub(crate) fn text(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let (chunks, rest) = text.as_bytes().as_chunks::<8>();
    for chunk in chunks {
        hash = mix(hash, u64::from_le_bytes(*chunk));
    }
    let mut last = rest.len() as u64;
    for byte in rest {
        last = last << 8 | u64::from(*byte);
    }
    mix(hash, last)
}

/// Two hashes as one; the order matters.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let wide = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd6e8_feb8_6659_fd93);
    (wide as u64 ^ (wide >> 64) as u64).rotate_left(23) ^ a
}

/// The wildcard imports of a file, and what it exports.
pub(crate) const WILDCARDS: u64 = 0x2a2a_2a2a;

/// Where a file stands, see [`Rules::place`](super::rules::Rules::place).
pub(crate) const PLACE: u64 = 0x3e3e_3e3e;

/// A name at the top of a file.
pub(crate) fn top(name: &str) -> u64 {
    top_hash(text(name))
}

/// The same, from the name's hash.
pub(crate) fn top_hash(name: u64) -> u64 {
    mix(1, name)
}

/// What a type is and inherits; the type by the hash of its qualified name.
pub(crate) fn head(class: u64) -> u64 {
    mix(2, class)
}

/// A member of a type; the type by the hash of its qualified name.
pub(crate) fn member(class: u64, name: &str) -> u64 {
    member_hash(class, text(name))
}

/// The same, from the name's hash.
pub(crate) fn member_hash(class: u64, name: u64) -> u64 {
    mix(mix(3, class), name)
}

/// The bit that tells what is something of a file.
const OF_FILE: u64 = 1 << 63;

/// So many low bits of a key say what of a file it is; those above say of which.
const LOCAL_BITS: u32 = 20;

/// Something of a file, as the rest of the world knows it.
pub(crate) fn of_file(path: u64, local: u64) -> u64 {
    let local = mix(mix(4, path), local) >> (64 - LOCAL_BITS);
    OF_FILE | (path << LOCAL_BITS & !OF_FILE) | local
}

/// Whether a key is of something of this file.
pub(crate) fn is_of_file(key: u64, path: u64) -> bool {
    key >> LOCAL_BITS == of_file(path, 0) >> LOCAL_BITS
}

/// What is not of one file.
fn shared(key: u64) -> u64 {
    key & !OF_FILE
}

/// Whether a file exists.
pub(crate) fn path(path: &str) -> u64 {
    shared(mix(5, text(path)))
}

/// The extensions of types of a name.
pub(crate) fn extension(target: &str) -> u64 {
    shared(mix(6, text(target)))
}

/// A member that extensions of types of a name have.
pub(crate) fn extension_member(target: &str, name: &str) -> u64 {
    shared(mix(mix(7, text(target)), text(name)))
}

/// How many methods of a name there are.
pub(crate) fn method(name: &str) -> u64 {
    shared(mix(8, text(name)))
}

/// A name in a namespace.
pub(crate) fn namespace_member(namespace: &str, name: &str) -> u64 {
    shared(mix(mix(9, text(namespace)), text(name)))
}

/// The files of a namespace.
pub(crate) fn namespace(namespace: &str) -> u64 {
    shared(mix(11, text(namespace)))
}

/// The files that define a macro of a name.
pub(crate) fn macros(name: &str) -> u64 {
    shared(mix(12, text(name)))
}

/// Declarations of modules in files of a name.
pub(crate) fn module(stem: &str) -> u64 {
    shared(mix(13, text(stem)))
}

/// The files with interfaces that declare a method of a name.
pub(crate) fn promised(name: &str) -> u64 {
    shared(mix(14, text(name)))
}

/// The hash of each symbol's qualified name.
pub(crate) fn qualified(facts: &Facts) -> Vec<u64> {
    let mut hashes: Vec<u64> = Vec::with_capacity(facts.symbols.len());
    for symbol in &facts.symbols {
        let parent = symbol.parent.and_then(|parent| hashes.get(parent.index()));
        let mut hash = parent.copied().unwrap_or(0);
        if let Some(owner) = symbol.owner {
            hash = mix(hash, text(facts.name(owner)));
        }
        hashes.push(mix(hash, text(facts.name(symbol.name))));
    }
    hashes
}
