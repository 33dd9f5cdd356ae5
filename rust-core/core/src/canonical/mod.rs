//! The canonical row: which columns, in which order, as which text.

mod columns;
mod form;
mod row;
mod value;

pub use columns::{Columns, ColumnsError, HASH_COLUMN};
pub use form::{CanonicalForm, UnknownFormError};
pub use row::{Finding, RowBatch, RowError};
pub(crate) use row::{RowMemory, Slice};
pub use value::{Value, ValueError};
