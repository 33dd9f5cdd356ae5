//! The DDL of a table whose key ends with the hash.

use super::column::Column;
use super::{ColumnType, Dialect, SqlError, Table};

impl Table {
    /// CREATE TABLE: the key first, the hash last in it, then the other columns. On Kudu the rows
    /// are spread over `partitions` by the hash of the whole key.
    ///
    /// # Errors
    /// No key, and types that the dialect does not have.
    pub fn create(&self, partitions: u16) -> Result<String, SqlError> {
        self.need_key()?;
        let hash = Column {
            name: self.hash_column.clone(),
            kind: ColumnType::Text,
        };
        let (mut key, rest) = self.in_order();
        key.push(&hash);
        let names = key
            .iter()
            .map(|column| self.quoted(&column.name))
            .collect::<Result<Vec<_>, _>>()?;
        let mut lines = Vec::new();
        for column in &key {
            lines.push(self.column(column, Place::Key)?);
        }
        for column in rest {
            lines.push(self.column(column, Place::Value)?);
        }
        let constraint = match self.dialect {
            Dialect::Impala | Dialect::Postgres | Dialect::DuckDb => "",
            Dialect::Hive => " DISABLE NOVALIDATE",
            Dialect::BigQuery => " NOT ENFORCED",
            Dialect::Trino | Dialect::Spark | Dialect::ClickHouse => "-",
        };
        let names = names.join(", ");
        if constraint != "-" {
            lines.push(format!("  PRIMARY KEY ({names}){constraint}"));
        }
        let end = match self.dialect {
            Dialect::Trino => {
                let literals: Vec<_> = key
                    .iter()
                    .map(|column| format!("'{}'", column.name.to_lowercase().replace('\'', "''")))
                    .collect();
                format!(
                    ") WITH (\n  partition_by_hash_columns = ARRAY[{}],\n  partition_by_hash_buckets = {partitions}\n);\n",
                    literals.join(", ")
                )
            }
            Dialect::Impala => {
                format!(")\nPARTITION BY HASH ({names}) PARTITIONS {partitions}\nSTORED AS KUDU;\n")
            }
            Dialect::Hive => ")\nSTORED AS ORC\nTBLPROPERTIES ('transactional' = 'true');\n".into(),
            Dialect::Spark => ")\nUSING parquet;\n".into(),
            Dialect::ClickHouse => {
                format!(")\nENGINE = ReplacingMergeTree\nORDER BY ({names});\n")
            }
            Dialect::Postgres | Dialect::DuckDb | Dialect::BigQuery => ");\n".into(),
        };
        let note = match self.dialect {
            Dialect::Spark => {
                "-- Spark keeps no key: load with MERGE, in a table format that has it, on all columns of the key.\n"
            }
            Dialect::Hive | Dialect::BigQuery => {
                "-- The key is not enforced: load with MERGE on all of its columns.\n"
            }
            Dialect::ClickHouse => {
                "-- Rows of one key are merged in the background: SELECT ... FINAL shows each once.\n"
            }
            _ => "",
        };
        Ok(format!(
            "{}{note}CREATE TABLE {} (\n{}\n{end}",
            self.origin(),
            self.quoted_name()?,
            lines.join(",\n")
        ))
    }

    fn column(&self, column: &Column, place: Place) -> Result<String, SqlError> {
        let kind = type_name(self.dialect, column.kind).map_err(|reason| SqlError::NoSuchType {
            column: column.name.clone(),
            kind: column.kind,
            dialect: self.dialect,
            reason,
        })?;
        let name = self.quoted(&column.name)?;
        Ok(match (self.dialect, place) {
            (Dialect::Trino, Place::Key) => format!("  {name} {kind} WITH (primary_key = true)"),
            (Dialect::Trino, Place::Value) => format!("  {name} {kind} WITH (nullable = true)"),
            (Dialect::ClickHouse, Place::Key) => format!("  {name} {kind}"),
            (Dialect::ClickHouse, Place::Value) => format!("  {name} Nullable({kind})"),
            (_, Place::Key) => format!("  {name} {kind} NOT NULL"),
            (Dialect::Impala, Place::Value) => format!("  {name} {kind} NULL"),
            (_, Place::Value) => format!("  {name} {kind}"),
        })
    }
}

#[derive(Clone, Copy)]
enum Place {
    Key,
    Value,
}

fn type_name(dialect: Dialect, kind: ColumnType) -> Result<String, &'static str> {
    use Dialect::{BigQuery, ClickHouse, DuckDb, Hive, Impala, Postgres, Spark, Trino};
    let name = match kind {
        ColumnType::Text => match dialect {
            Trino | DuckDb => "varchar",
            Postgres => "text",
            ClickHouse => "String",
            Impala | Hive | Spark | BigQuery => "STRING",
        },
        ColumnType::TinyInt | ColumnType::SmallInt | ColumnType::Int | ColumnType::BigInt
            if dialect == BigQuery =>
        {
            "INT64"
        }
        ColumnType::TinyInt => match dialect {
            Postgres => "smallint",
            ClickHouse => "Int8",
            _ => "tinyint",
        },
        ColumnType::SmallInt => match dialect {
            ClickHouse => "Int16",
            _ => "smallint",
        },
        ColumnType::Int => match dialect {
            ClickHouse => "Int32",
            Trino | Postgres | DuckDb => "integer",
            _ => "int",
        },
        ColumnType::BigInt => match dialect {
            ClickHouse => "Int64",
            _ => "bigint",
        },
        ColumnType::Decimal(None) => {
            return Err("give its precision and scale: decimal(18,2) for example");
        }
        ColumnType::Decimal(Some((precision, scale))) => {
            let name = match dialect {
                BigQuery if precision - scale > 29 || scale > 9 => "BIGNUMERIC",
                BigQuery => "NUMERIC",
                Postgres => "numeric",
                ClickHouse => "Decimal",
                Impala | Hive | Spark => "DECIMAL",
                _ => "decimal",
            };
            return Ok(format!("{name}({precision}, {scale})"));
        }
        ColumnType::Boolean => match dialect {
            BigQuery | ClickHouse => "Bool",
            _ => "boolean",
        },
        ColumnType::Date => match dialect {
            ClickHouse => "Date32",
            _ => "date",
        },
        ColumnType::Time => match dialect {
            Postgres | DuckDb | BigQuery => "time",
            Trino | Impala => {
                return Err("Kudu has no such type; keep the time of day as a string");
            }
            Hive | Spark | ClickHouse => {
                return Err(
                    "it has no such type in every release; keep the time of day as a string",
                );
            }
        },
        ColumnType::Timestamp => match dialect {
            Trino => "timestamp(3)",
            ClickHouse => "DateTime64(6, 'UTC')",
            _ => "timestamp",
        },
        ColumnType::TimestampTz => match dialect {
            Postgres | DuckDb => "timestamptz",
            _ => return Err("it has no such type; write timestamp"),
        },
        ColumnType::Char | ColumnType::Float | ColumnType::Double => {
            return Err("its text is not the same everywhere; use string or decimal");
        }
    };
    Ok(match dialect {
        Impala | Hive | Spark | BigQuery => name.to_uppercase(),
        _ => name.to_owned(),
    })
}
