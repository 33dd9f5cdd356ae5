//! The rules of the row hash, once, for every place that computes it.
//!
//! A row's *canonical text* is one unambiguous way to write its columns down; the MD5 of that text
//! in UTF-8 is its [`RowHash`]. Two programs that follow these rules give one row the same hash,
//! so a row that is loaded twice overwrites itself instead of doubling.
//!
//! 1. The columns are sorted by name in Unicode code point order ([`Columns`]).
//! 2. A null, absent or empty value is written `\N`; typed values have one text each ([`Value`]).
//! 3. The values are joined with `|` ([`CanonicalForm`] says what becomes of a `|` in a value).
//! 4. MD5 over UTF-8, as 32 lower-case hexadecimal digits.
//!
//! ```
//! use rowhash_core::{CanonicalForm, Columns, RowBatch, Value};
//!
//! let columns = Columns::parse("ts, epid, clickid", "row_hash")?;
//! assert_eq!(columns.names(), ["clickid", "epid", "ts"]);
//!
//! let mut rows = RowBatch::new(&columns, CanonicalForm::Compatible);
//! rows.push([
//!     Value::Null,
//!     Value::Text("E0001"),
//!     Value::Text("2026-02-25 14:30:00.123"),
//! ])?;
//! let text = rows.texts().next();
//! let hash = rows.hashes().next().map(|hash| hash.to_string());
//! assert_eq!(text, Some(br"\N|E0001|2026-02-25 14:30:00.123".as_slice()));
//! assert_eq!(hash.as_deref(), Some("78cc73e9820a858cbbe564519ae54860"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)] // allowed to vector instructions alone

mod canonical;
pub mod content;
mod digest;
pub mod loadlog;
pub mod springbatch;
pub mod sql;

pub use canonical::{
    CanonicalForm, Columns, ColumnsError, Finding, HASH_COLUMN, RowBatch, RowError, RowMemory,
    UnknownFormError, Value, ValueError,
};
pub use digest::{ParseRowHashError, RowHash, md5};
#[doc(hidden)]
pub use digest::{Platform, many, many_on};
