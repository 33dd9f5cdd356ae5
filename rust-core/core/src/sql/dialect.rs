//! The dialects, and how each writes literals.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A database's SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Trino, on Kudu where it matters.
    Trino,
    /// Impala on Kudu.
    Impala,
    /// Hive.
    Hive,
    /// Spark SQL.
    Spark,
    /// PostgreSQL.
    Postgres,
    /// DuckDB.
    DuckDb,
    /// ClickHouse.
    ClickHouse,
    /// BigQuery.
    BigQuery,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 8] = [
        Self::Trino,
        Self::Impala,
        Self::Hive,
        Self::Spark,
        Self::Postgres,
        Self::DuckDb,
        Self::ClickHouse,
        Self::BigQuery,
    ];

    /// The dialect's name, as the user writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trino => "trino",
            Self::Impala => "impala",
            Self::Hive => "hive",
            Self::Spark => "spark",
            Self::Postgres => "postgres",
            Self::DuckDb => "duckdb",
            Self::ClickHouse => "clickhouse",
            Self::BigQuery => "bigquery",
        }
    }

    /// Whether its texts come from its documentation alone: no test of this project runs it.
    pub const fn is_by_documentation(self) -> bool {
        matches!(self, Self::Impala | Self::BigQuery)
    }

    /// Whether names that differ in upper and lower case alone are two columns.
    pub(super) const fn tells_case(self) -> bool {
        matches!(self, Self::Postgres | Self::ClickHouse)
    }

    /// A literal of a text that may hold backslashes, but no quote.
    pub(super) fn literal(self, text: &str) -> String {
        debug_assert!(!text.contains('\''));
        if !text.contains('\\') {
            return format!("'{text}'");
        }
        match self {
            Self::Trino | Self::DuckDb => format!("'{text}'"),
            // E'' means the same whether standard_conforming_strings is on or off.
            Self::Postgres => format!("E'{}'", text.replace('\\', "\\\\")),
            // Not BigQuery's r'': it cannot end with a backslash.
            Self::Impala | Self::Hive | Self::Spark | Self::ClickHouse | Self::BigQuery => {
                format!("'{}'", text.replace('\\', "\\\\"))
            }
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Trino => "Trino",
            Self::Impala => "Impala",
            Self::Hive => "Hive",
            Self::Spark => "Spark",
            Self::Postgres => "PostgreSQL",
            Self::DuckDb => "DuckDB",
            Self::ClickHouse => "ClickHouse",
            Self::BigQuery => "BigQuery",
        })
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialectError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name)
            .ok_or_else(|| UnknownDialectError(name.to_owned()))
    }
}

/// A name that is no [`Dialect`].
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "'{0}' is no dialect: use {names}",
    names = Dialect::ALL.map(Dialect::name).join(", ")
)]
pub struct UnknownDialectError(String);
