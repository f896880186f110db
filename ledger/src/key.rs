//! What makes two findings the same: severity, code and normalised message, as a number.

use crate::finding::{Finding, Severity};
use crate::normalize::Normalize;

/// The identity of a finding. The body comes first so that the same text at another severity is a
/// neighbour, and can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) body: u128,
    pub(crate) severity: Severity,
}

impl Key {
    pub(crate) fn of(finding: &Finding, producer: &str, rules: &dyn Normalize) -> Self {
        let message = rules.normalize(producer, &finding.message);
        let code = finding.code.as_deref().unwrap_or_default();
        // 0xFF occurs in no UTF-8 text: code and message cannot run into each other.
        let body = fnv1a(code.bytes().chain([0xFF]).chain(message.bytes()));
        Self {
            body,
            severity: finding.severity,
        }
    }
}

/// FNV-1a with 128 bits: stable for ever (keys are stored), and without dependencies.
pub(crate) fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.into_iter().fold(BASIS, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::fnv1a;

    #[test]
    fn published_values() {
        assert_eq!(fnv1a([]), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(fnv1a(*b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
