//! One line on its way to its hash.

use rowhash_core::content::ndjson::{LineError, Object};
use rowhash_core::{Columns, Finding, RowBatch, RowError, RowHash};
use thiserror::Error;

/// A line that is a row, and what its columns give.
pub struct HashedRow<'l> {
    pub object: Object<'l>,
    pub hash: RowHash,
    pub finding: Finding,
}

impl<'l> HashedRow<'l> {
    /// Hashes a line; `rows` is emptied first and then holds its canonical text.
    pub fn read(
        line: &'l [u8],
        columns: &'l Columns,
        rows: &mut RowBatch<'_>,
    ) -> Result<Self, Refusal> {
        rows.clear();
        let object = Object::parse(line, columns)?;
        let finding = rows.push(object.values())?;
        let hash = rows.hashes().next().ok_or(Refusal::NoValues)?;
        Ok(Self {
            object,
            hash,
            finding,
        })
    }
}

/// Why a line has no hash.
#[derive(Debug, Error)]
pub enum Refusal {
    #[error(transparent)]
    Line(#[from] LineError),
    #[error(transparent)]
    Row(#[from] RowError),
    #[error(
        "no column has a value: all such rows would have one hash; check --columns, or use \
         --rows-without-values allow"
    )]
    NoValues,
    #[error("column '{0}' makes the row ambiguous: its value reads as another row's")]
    Ambiguous(String),
}
