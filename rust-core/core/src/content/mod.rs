//! Content in, the same content with the hash out.

pub mod ndjson;
