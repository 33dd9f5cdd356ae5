//! The row hash in SQL: the texts that compute, verify and repair it where the rows are stored.
//!
//! A [`Dialect`] writes literals, names and functions its own way, so that no single text serves
//! two of them: an expression that is right in one is silently wrong in another, and often only on
//! rows with an empty column. A [`Table`] gives the whole statements.
//!
//! ```
//! use rowhash_core::sql::{Dialect, Table};
//!
//! let table = Table::new(Dialect::DuckDb, "calls", "ts, epid")?;
//! assert_eq!(
//!     table.select()?,
//!     r#"SELECT
//!   "ts",
//!   "epid",
//!   md5(concat_ws('|',
//!     coalesce(nullif("epid", ''), '\N'),
//!     coalesce(nullif("ts", ''), '\N')
//!   )) AS "row_hash"
//! FROM "calls";
//! "#
//! );
//! # Ok::<(), rowhash_core::sql::SqlError>(())
//! ```

mod column;
mod create;
mod dialect;
mod expression;
mod loadlog;
mod name;
mod statement;

use thiserror::Error;

pub use column::ColumnType;
pub use dialect::{Dialect, UnknownDialectError};
pub use loadlog::load_log;
pub use statement::Table;

use crate::ColumnsError;

/// Why a statement cannot be written.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SqlError {
    /// The columns make no row hash.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    /// A list of names that cannot be read.
    #[error(
        "{0} begins with a double quote that is not closed: a name in double quotes has each of its own written twice"
    )]
    OpenQuote(String),
    /// Something after the closing quote of a name.
    #[error("after the name {name} stands '{rest}', where a comma or a colon and a type can be")]
    AfterName {
        /// The name, in its quotes.
        name: String,
        /// What follows it.
        rest: String,
    },
    /// A type that is none.
    #[error(
        "column '{column}': '{name}' is no type: use {types}; a name with a colon in it goes into double quotes",
        types = ColumnType::NAMES
    )]
    UnknownType {
        /// The column.
        column: String,
        /// What stands after its colon.
        name: String,
    },
    /// A type that has no canonical text in a dialect.
    #[error("column '{column}', {kind}, cannot be hashed in {dialect}: {reason}")]
    Type {
        /// The column.
        column: String,
        /// Its type.
        kind: ColumnType,
        /// The dialect.
        dialect: Dialect,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// A type that a new table cannot have.
    #[error("column '{column}', {kind}, cannot be made in {dialect}: {reason}")]
    NoSuchType {
        /// The column.
        column: String,
        /// Its type.
        kind: ColumnType,
        /// The dialect.
        dialect: Dialect,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// A name that a dialect cannot hold, however it is quoted.
    #[error("the name '{name}' cannot be written in {dialect}: {reason}")]
    Name {
        /// The name, control characters escaped.
        name: String,
        /// The dialect.
        dialect: Dialect,
        /// Why.
        reason: &'static str,
    },
    /// The name of a table without a part.
    #[error("'{0}' is no name of a table: give table, schema.table or catalog.schema.table")]
    Table(String),
    /// Two names that are one column where upper and lower case are the same.
    #[error(
        "'{first}' and '{second}' are one column in {dialect}, which does not tell upper from lower case"
    )]
    SameColumn {
        /// The first one.
        first: String,
        /// The second one.
        second: String,
        /// The dialect.
        dialect: Dialect,
    },
    /// A name that the statements use themselves.
    #[error(
        "a column named '{0}' cannot be verified: the statement has a column of that name itself"
    )]
    Reserved(String),
    /// A key column that is no column.
    #[error(
        "key column '{0}' is neither among the columns of the hash nor among the other columns"
    )]
    UnknownKey(String),
    /// The hash column in the list of key columns.
    #[error(
        "the key contains '{0}', the column of the hash: leave it out, it is the last one by itself"
    )]
    KeyContainsHash(String),
    /// A statement that needs the key.
    #[error(
        "{dialect} needs the key columns for this (all but '{hash_column}', which is the last one by itself)"
    )]
    NoKey {
        /// The dialect.
        dialect: Dialect,
        /// The column of the hash.
        hash_column: String,
    },
    /// A back-fill that would lose something.
    #[error("column '{column}' cannot be written anew in {dialect}: {reason}")]
    Lossy {
        /// The column.
        column: String,
        /// The dialect.
        dialect: Dialect,
        /// What would be lost, and what to do.
        reason: &'static str,
    },
    /// The load log in a dialect that it is not kept in.
    #[error(
        "there is no load log in {0}: its tables are in Kudu, where Trino and Impala ask for them; PostgreSQL may hold a copy"
    )]
    NoLoadLog(Dialect),
}
