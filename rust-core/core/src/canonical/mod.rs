//! The canonical row: which columns, in which order, as which text.

mod columns;
mod form;
mod row;
mod utf16;
mod value;

pub use columns::{Columns, ColumnsError, HASH_COLUMN};
pub use form::{CanonicalForm, UnknownFormError};
pub(crate) use row::Slice;
pub use row::{Finding, RowBatch, RowError, RowMemory};
pub use value::{Value, ValueError};
