//! `rowhash sql`.

use clap::{Args, Subcommand};
use rowhash_core::CanonicalForm;
use rowhash_core::sql::{self, Dialect, SqlError, Table};

use crate::output::Output;
use crate::{Failure, Verdict};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// One SELECT of all columns, with the computed hash as the last one.
    Select(Target),
    /// A query of the rows whose stored hash is another one, or none.
    ///
    /// It lists the key (all columns of the hash without --key), the stored and the computed hash.
    Verify(Target),
    /// The statements that give every row its right hash.
    ///
    /// Where the hash is part of a key that cannot be updated, the right rows are written first
    /// and the wrong ones deleted after that. Safe to repeat.
    Backfill(Target),
    /// CREATE TABLE of a target table, with the hash as the last column of its key.
    Ddl {
        #[command(flatten)]
        target: Target,
        /// In how many partitions Kudu spreads the rows, by the hash of the whole key.
        #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(2..))]
        partitions: u16,
    },
    /// The load log's tables, and the queries that operators run on them.
    Loadlog {
        /// trino, impala or postgres.
        #[arg(long, value_name = "NAME")]
        dialect: Dialect,
    },
}

#[derive(Debug, Args)]
pub struct Target {
    /// trino, impala, hive, spark, postgres, duckdb, clickhouse or bigquery.
    #[arg(long, value_name = "NAME")]
    dialect: Dialect,
    /// The table, as table, schema.table or catalog.schema.table.
    #[arg(long, value_name = "TABLE")]
    table: String,
    /// The columns that make up the hash, in any order: `ts, amount:decimal(18,2), day:date`.
    ///
    /// Without a type a column is a string. The types: string, tinyint, smallint, int, bigint,
    /// decimal, boolean, date, time, timestamp, timestamptz. A name with a comma or a colon goes
    /// into double quotes.
    #[arg(long, value_name = "COLUMNS")]
    columns: String,
    /// The column that holds the hash.
    #[arg(long, value_name = "NAME", default_value = rowhash_core::HASH_COLUMN)]
    hash_column: String,
    /// The canonical form: compatible, or escaped for tables made with it.
    #[arg(long, value_name = "FORM", default_value_t = CanonicalForm::Compatible)]
    form: CanonicalForm,
    /// The columns of the table that the hash does not cover, as --columns.
    #[arg(
        long,
        value_name = "COLUMNS",
        default_value = "",
        hide_default_value = true
    )]
    other_columns: String,
    /// The columns of the primary key in their order, without the hash, which is the last one.
    #[arg(
        long,
        value_name = "A,B,C",
        default_value = "",
        hide_default_value = true
    )]
    key: String,
}

impl Target {
    fn table(&self) -> Result<Table, SqlError> {
        Table::new(self.dialect, &self.table, &self.columns)?
            .form(self.form)
            .hash_column(&self.hash_column)?
            .other_columns(&self.other_columns)?
            .key(&self.key)
    }
}

pub fn run(command: &Command) -> Result<Verdict, Failure> {
    let text = match command {
        Command::Select(target) => target.table()?.select()?,
        Command::Verify(target) => target.table()?.verify()?,
        Command::Backfill(target) => target.table()?.backfill()?,
        Command::Ddl { target, partitions } => target.table()?.create(*partitions)?,
        Command::Loadlog { dialect } => sql::load_log(*dialect)?.join("\n"),
    };
    let mut output = Output::new();
    output.write(&[text.as_bytes()])?;
    output.flush()?;
    Ok(Verdict::AllRight)
}
