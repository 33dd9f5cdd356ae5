//! Whole statements over one table.

use super::column::{self, Column};
use super::expression::Expression;
use super::{ColumnType, Dialect, SqlError, name};
use crate::{CanonicalForm, Columns, HASH_COLUMN};

/// Columns that the statements make for themselves.
const STORED: &str = "stored_hash";
const COMPUTED: &str = "computed_hash";

/// A table whose rows have a hash.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) dialect: Dialect,
    name: Vec<String>,
    form: CanonicalForm,
    pub(super) hash_column: String,
    /// The columns of the hash, as the user ordered them.
    columns: Vec<Column>,
    /// The same in canonical order.
    canonical: Vec<Column>,
    other: Vec<Column>,
    key: Vec<String>,
}

impl Table {
    /// A table by its name, `schema.table` for example, and the columns of its hash, in any order:
    /// `ts, amount:decimal(18,2), day:date`; without a type a column is a string. A name with a
    /// comma, a colon or a point in it goes into double quotes.
    ///
    /// # Errors
    /// Names and types that cannot be read, and columns that make no row hash.
    pub fn new(dialect: Dialect, name: &str, columns: &str) -> Result<Self, SqlError> {
        Self {
            dialect,
            name: name::table(name)?,
            form: CanonicalForm::Compatible,
            hash_column: HASH_COLUMN.to_owned(),
            columns: column::parse(columns)?,
            canonical: Vec::new(),
            other: Vec::new(),
            key: Vec::new(),
        }
        .checked()
    }

    /// The same with another canonical form.
    #[must_use]
    pub fn form(self, form: CanonicalForm) -> Self {
        Self { form, ..self }
    }

    /// The same with another hash column.
    ///
    /// # Errors
    /// As [`Columns::new`].
    pub fn hash_column(self, hash_column: &str) -> Result<Self, SqlError> {
        let hash_column = hash_column.to_owned();
        Self {
            hash_column,
            ..self
        }
        .checked()
    }

    /// The same with further columns, which the hash does not cover.
    ///
    /// # Errors
    /// Columns that are there already, or cannot be read.
    pub fn other_columns(self, list: &str) -> Result<Self, SqlError> {
        let other = column::parse(list)?;
        Self { other, ..self }.checked()
    }

    /// The same with the columns of its key, without the hash column, which comes last by itself.
    ///
    /// # Errors
    /// A name that is no column of the table, or the hash column's.
    pub fn key(self, list: &str) -> Result<Self, SqlError> {
        let mut key: Vec<String> = Vec::new();
        for column in column::parse(list)? {
            if column.name == self.hash_column {
                return Err(SqlError::KeyContainsHash(column.name));
            }
            if !self.all_columns().any(|known| known.name == column.name) {
                return Err(SqlError::UnknownKey(column.name));
            }
            if !key.contains(&column.name) {
                key.push(column.name);
            }
        }
        Ok(Self { key, ..self })
    }

    fn checked(mut self) -> Result<Self, SqlError> {
        let names = self.columns.iter().map(|column| column.name.as_str());
        let canonical = Columns::new(names, &self.hash_column)?;
        Columns::new(
            self.all_columns().map(|column| column.name.as_str()),
            &self.hash_column,
        )?;
        if !self.dialect.tells_case() {
            let mut seen: Vec<(String, &str)> = Vec::new();
            let hash_column = std::iter::once(self.hash_column.as_str());
            let names = self.all_columns().map(|column| column.name.as_str());
            for name in hash_column.chain(names) {
                let folded = name.to_lowercase();
                if let Some((_, first)) = seen.iter().find(|(other, _)| *other == folded) {
                    return Err(SqlError::SameColumn {
                        first: (*first).to_owned(),
                        second: name.to_owned(),
                        dialect: self.dialect,
                    });
                }
                seen.push((folded, name));
            }
        }
        self.canonical = self.columns.clone();
        self.canonical
            .sort_by_key(|column| canonical.position(column.name.as_bytes()));
        Ok(self)
    }

    fn all_columns(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().chain(&self.other)
    }

    /// The columns of the key, then all others, the hash column not among them.
    pub(super) fn in_order(&self) -> (Vec<&Column>, Vec<&Column>) {
        let of = |name: &String| self.all_columns().find(|column| column.name == *name);
        let rest = |column: &&Column| !self.key.contains(&column.name);
        (
            self.key.iter().filter_map(of).collect(),
            self.all_columns().filter(rest).collect(),
        )
    }

    pub(super) fn quoted(&self, name: &str) -> Result<String, SqlError> {
        name::quoted(name, self.dialect)
    }

    pub(super) fn quoted_name(&self) -> Result<String, SqlError> {
        let parts: Result<Vec<_>, _> = self.name.iter().map(|part| self.quoted(part)).collect();
        Ok(parts?.join("."))
    }

    pub(super) fn need_key(&self) -> Result<(), SqlError> {
        if self.key.is_empty() {
            return Err(SqlError::NoKey {
                dialect: self.dialect,
                hash_column: self.hash_column.clone(),
            });
        }
        Ok(())
    }

    fn hash(&self, of: &str, indent: usize) -> Result<String, SqlError> {
        Expression {
            dialect: self.dialect,
            form: self.form,
            columns: &self.canonical,
        }
        .hash(of, indent)
    }

    /// Where the text comes from, when it was never run.
    pub(super) fn origin(&self) -> String {
        match self.dialect.is_by_documentation() {
            true => format!(
                "-- By the documentation of {}: no test of this project runs it.\n",
                self.dialect
            ),
            false => String::new(),
        }
    }

    /// What a reader must know before the statement runs.
    fn heading(&self) -> String {
        let cut = |column: &Column| column.kind == ColumnType::Timestamp;
        match self.dialect == Dialect::Trino && self.columns.iter().any(cut) {
            true => "-- Trino cuts Kudu's microseconds to milliseconds: a row that has any gets another hash here.\n".into(),
            false => self.origin(),
        }
    }

    /// One SELECT of all columns, with the computed hash as its last one.
    ///
    /// # Errors
    /// A name or a type that the dialect cannot have.
    pub fn select(&self) -> Result<String, SqlError> {
        let mut columns = self.list(self.all_columns(), "  ")?;
        columns.push(format!(
            "  {} AS {}",
            self.hash("", 2)?,
            self.quoted(&self.hash_column)?
        ));
        Ok(format!(
            "{}SELECT\n{}\nFROM {};\n",
            self.heading(),
            columns.join(",\n"),
            self.quoted_name()?
        ))
    }

    /// A query of the rows whose stored hash is not the one that their columns give: the key, or
    /// without one the columns of the hash, and both hashes. No hash is a wrong one.
    ///
    /// # Errors
    /// A name or a type that the dialect cannot have.
    pub fn verify(&self) -> Result<String, SqlError> {
        let (key, _) = self.in_order();
        let shown = match key.is_empty() {
            true => self.columns.iter().collect(),
            false => key,
        };
        if let Some(column) = shown
            .iter()
            .find(|c| [STORED, COMPUTED].contains(&&*c.name))
        {
            return Err(SqlError::Reserved(column.name.clone()));
        }
        let names = self.list(shown.iter().copied(), "")?;
        Ok(format!(
            "{}SELECT {}, {STORED}, {COMPUTED}\nFROM {}\nWHERE {STORED} IS NULL OR {STORED} <> {COMPUTED};\n",
            self.heading(),
            names.join(", "),
            self.hashed(shown)?
        ))
    }

    /// The statements that give every row its right hash; in this order, and safe to repeat from
    /// the first one whenever something came between.
    ///
    /// # Errors
    /// A name or a type that the dialect cannot have; where the hash is part of a key that no
    /// UPDATE can change, a key that is not given and columns that would lose something.
    pub fn backfill(&self) -> Result<String, SqlError> {
        match self.dialect {
            Dialect::Trino | Dialect::Impala => self.backfill_kudu(),
            Dialect::ClickHouse => self.backfill_clickhouse(),
            _ => self.backfill_by_update(),
        }
    }

    fn backfill_kudu(&self) -> Result<String, SqlError> {
        self.need_key()?;
        for column in self.all_columns() {
            if [STORED, COMPUTED].contains(&&*column.name) {
                return Err(SqlError::Reserved(column.name.clone()));
            }
            if self.dialect == Dialect::Trino && column.kind == ColumnType::Timestamp {
                return Err(SqlError::Lossy {
                    column: column.name.clone(),
                    dialect: self.dialect,
                    reason: "Trino reads and writes milliseconds, and Kudu's microseconds would be lost; use Impala",
                });
            }
        }
        let (key, rest) = self.in_order();
        let (table, hash_column) = (self.quoted_name()?, self.quoted(&self.hash_column)?);
        let all: Vec<&Column> = key.iter().chain(&rest).copied().collect();
        let names = self.list(all.iter().copied(), "")?.join(", ");
        let mut text = self.heading();
        text.push_str(&format!(
            "-- The hash is part of the key, which no UPDATE changes. Every column of the table must be
-- named here{described}
-- Run both statements in this order; after a failure begin again with the first.

-- 1. Writes each row that has a wrong hash anew, with the right one.
INSERT INTO {table} ({names}, {hash_column})
SELECT {names}, {COMPUTED}
FROM {hashed}
WHERE {wrong}{complete};

-- 2. Deletes a row that has a wrong hash once its right one is there.
",
            described = match self.dialect {
                Dialect::Trino => ", or the first statement writes no row.",
                _ => ": one that is not would be lost (DESCRIBE shows them).",
            },
            hashed = self.hashed(all)?,
            wrong = match self.dialect {
                Dialect::Trino => format!("({STORED} IS NULL OR {STORED} <> {COMPUTED})"),
                _ => format!("{STORED} IS NULL OR {STORED} <> {COMPUTED}"),
            },
            complete = match self.dialect {
                Dialect::Trino => format!("\n  AND NOT EXISTS ({})", self.columns_not_named()),
                _ => String::new(),
            },
        ));
        if self.dialect == Dialect::Trino {
            text.push_str(&self.delete_replaced(&format!("DELETE FROM {table}"))?);
            return Ok(text);
        }
        // Impala's IN takes one column; its DELETE takes a join.
        let same = self.list(key.iter().copied(), "")?;
        let same: Vec<_> = same.iter().map(|c| format!("r.{c} = w.{c}")).collect();
        text.push_str(&format!(
            "DELETE w FROM {table} w JOIN {table} r\n  ON {}\n  AND r.{hash_column} = {}\nWHERE w.{hash_column} <> r.{hash_column};\n",
            same.join(" AND "),
            self.hash("w.", 2)?
        ));
        Ok(text)
    }

    fn backfill_clickhouse(&self) -> Result<String, SqlError> {
        self.need_key()?;
        let (table, hash_column) = (self.quoted_name()?, self.quoted(&self.hash_column)?);
        let hash = self.hash("w.", 2)?;
        Ok(format!(
            "-- The hash is part of the key, which no mutation changes.
-- Run both statements in this order; after a failure begin again with the first.

-- 1. Writes each row that has a wrong hash anew, with the right one and all else as it is.
INSERT INTO {table}
SELECT * REPLACE (
  {hash} AS {hash_column}
)
FROM {table} AS w
WHERE w.{hash_column} <> {};

-- 2. Deletes a row that has a wrong hash once its right one is there.
{}",
            self.hash("w.", 0)?,
            self.delete_replaced(&format!("ALTER TABLE {table} DELETE"))?,
        ))
    }

    /// Deletes each row with a wrong hash that is there with the right one as well.
    fn delete_replaced(&self, delete: &str) -> Result<String, SqlError> {
        let (key, _) = self.in_order();
        let key = self.list(key, "")?.join(", ");
        let hash_column = self.quoted(&self.hash_column)?;
        Ok(format!(
            "{delete}\nWHERE {hash_column} <> {}\n  AND ({key}, {}) IN (SELECT {key}, {hash_column} FROM {});\n",
            self.hash("", 0)?,
            self.hash("", 2)?,
            self.quoted_name()?,
        ))
    }

    fn backfill_by_update(&self) -> Result<String, SqlError> {
        let (table, hash_column) = (self.quoted_name()?, self.quoted(&self.hash_column)?);
        let hash = self.hash("", 0)?;
        let mut text = self.heading();
        match self.dialect {
            Dialect::Spark => text.push_str(
                "-- UPDATE needs a table format that has it, Delta Lake or Iceberg for example.\n",
            ),
            Dialect::Hive => text.push_str("-- UPDATE needs a transactional table.\n"),
            _ => {}
        }
        let enforces_keys = matches!(self.dialect, Dialect::Postgres | Dialect::DuckDb);
        if enforces_keys && !self.key.is_empty() {
            text.push_str(&format!(
                "-- Run both statements in this order; after a failure begin again with the first.

-- 1. Deletes a row that has a wrong hash and is there with the right one as well.
{}
-- 2. Gives the others their hash. Two rows that become one are a violation of the key, which
-- changes nothing: delete one of them.
",
                self.delete_replaced(&format!("DELETE FROM {table}"))?
            ));
        }
        text.push_str(&format!(
            "UPDATE {table}\nSET {hash_column} = {hash}\nWHERE {hash_column} IS NULL OR {hash_column} <> {hash};\n"
        ));
        Ok(text)
    }

    /// The columns that the table has and the statements do not name, as Trino knows them.
    fn columns_not_named(&self) -> String {
        let literal = |text: &str| format!("'{}'", text.to_lowercase().replace('\'', "''"));
        let names: Vec<_> = self
            .all_columns()
            .map(|column| literal(&column.name))
            .chain([literal(&self.hash_column)])
            .collect();
        let (catalog, schema, table) = match self.name.as_slice() {
            [catalog, schema, table] => (
                format!("\"{}\".", catalog.replace('"', "\"\"")),
                literal(schema),
                table,
            ),
            [schema, table] => (String::new(), literal(schema), table),
            parts => (
                String::new(),
                "current_schema".to_owned(),
                parts.last().unwrap_or(&self.hash_column),
            ),
        };
        format!(
            "SELECT 1 FROM {catalog}information_schema.columns\n    WHERE table_schema = {schema} AND table_name = {}\n      AND column_name NOT IN ({})",
            literal(table),
            names.join(", ")
        )
    }

    /// The table with both hashes, as a source for a query.
    fn hashed<'a>(
        &self,
        columns: impl IntoIterator<Item = &'a Column>,
    ) -> Result<String, SqlError> {
        let mut lines = self.list(columns, "    ")?;
        lines.push(format!(
            "    {} AS {STORED}",
            self.quoted(&self.hash_column)?
        ));
        lines.push(format!("    {} AS {COMPUTED}", self.hash("", 4)?));
        Ok(format!(
            "(\n  SELECT\n{}\n  FROM {}\n) AS hashed",
            lines.join(",\n"),
            self.quoted_name()?
        ))
    }

    fn list<'a>(
        &self,
        columns: impl IntoIterator<Item = &'a Column>,
        indent: &str,
    ) -> Result<Vec<String>, SqlError> {
        columns
            .into_iter()
            .map(|column| Ok(format!("{indent}{}", self.quoted(&column.name)?)))
            .collect()
    }
}
