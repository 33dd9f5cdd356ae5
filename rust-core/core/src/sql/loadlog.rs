//! The load log's tables and queries: the files of docs/sql/load_log, which operators have.

use super::{Dialect, SqlError};

/// The DDL of the two tables, then the queries that operators run.
///
/// # Errors
/// A dialect that the load log is not kept in.
pub fn load_log(dialect: Dialect) -> Result<[&'static str; 2], SqlError> {
    match dialect {
        Dialect::Trino => Ok([
            include_str!("../../../../docs/sql/load_log/trino.sql"),
            include_str!("../../../../docs/sql/load_log/queries.trino.sql"),
        ]),
        Dialect::Impala => Ok([
            include_str!("../../../../docs/sql/load_log/impala.sql"),
            include_str!("../../../../docs/sql/load_log/queries.impala.sql"),
        ]),
        Dialect::Postgres => Ok([
            include_str!("../../../../docs/sql/load_log/postgres.sql"),
            include_str!("../../../../docs/sql/load_log/queries.postgres.sql"),
        ]),
        _ => Err(SqlError::NoLoadLog(dialect)),
    }
}
