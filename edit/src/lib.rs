//! Text in, byte edits out: unique replacement with nearest candidates, patches, line maps.
#![warn(missing_docs)]
#![forbid(unsafe_code)]
