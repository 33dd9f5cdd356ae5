//! `rowhash`: computes and verifies the row hashes of newline-delimited JSON, and writes the SQL
//! that does it where rows are stored.
#![forbid(unsafe_code)]

mod hash;
mod lines;
mod output;
mod row;
mod springbatch;
mod sql;
mod verify;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use rowhash_core::{CanonicalForm, Columns, ColumnsError};
use thiserror::Error;

/// Computes and verifies the row hashes of newline-delimited JSON (one object a line).
///
/// Exit status: 0 when every row is right, 1 when a row was refused or its hash is another one,
/// 2 when the work could not be done (arguments, files).
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes the rows to standard output, each with its hash added or replaced.
    ///
    /// All else stays as it is: other fields, their order, their text. A row that has no hash is
    /// reported with its line number and left out; the others still come out.
    Hash {
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        policy: hash::Policy,
    },
    /// Compares the hash that each row holds with the one its columns give.
    Verify {
        #[command(flatten)]
        input: Input,
        /// How many different rows to print, with both hashes and the canonical text.
        #[arg(long, value_name = "ROWS", default_value_t = 10)]
        show: usize,
    },
    /// Prints SQL: the hash of stored rows, its verification and repair, tables.
    #[command(subcommand)]
    Sql(sql::Command),
    /// Prints what Spring Batch keeps in its metadata tables.
    #[command(subcommand)]
    Springbatch(springbatch::Command),
}

#[derive(Debug, Args)]
struct Input {
    /// The columns that make up the hash, in any order, separated by commas.
    #[arg(long, value_name = "A,B,C")]
    columns: String,
    /// The column that holds the hash.
    #[arg(long, value_name = "NAME", default_value = rowhash_core::HASH_COLUMN)]
    hash_column: String,
    /// The canonical form: compatible, or escaped for tables made with it.
    #[arg(long, value_name = "FORM", default_value_t = CanonicalForm::Compatible)]
    form: CanonicalForm,
    /// The file to read; standard input when there is none, or for `-`.
    file: Option<PathBuf>,
}

impl Input {
    fn columns(&self) -> Result<Columns, ColumnsError> {
        Columns::parse(&self.columns, &self.hash_column)
    }

    fn open(&self) -> Result<Source, Failure> {
        match self.file.as_deref().filter(|file| *file != Path::new("-")) {
            None => Ok(Source {
                name: "(standard input)".to_owned(),
                reader: Box::new(io::stdin().lock()),
            }),
            Some(path) => {
                let name = path.display().to_string();
                match File::open(path) {
                    Ok(file) => Ok(Source {
                        name,
                        reader: Box::new(BufReader::with_capacity(1 << 16, file)),
                    }),
                    Err(source) => Err(Failure::Read { name, source }),
                }
            }
        }
    }
}

/// What is read, and its name for messages.
struct Source {
    name: String,
    reader: Box<dyn BufRead>,
}

/// Whether every row was right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    AllRight,
    SomeWrong,
}

/// Why the work could not be done.
#[derive(Debug, Error)]
enum Failure {
    #[error("--columns: {0}")]
    Columns(#[from] ColumnsError),
    #[error("{name}: {source}")]
    Read { name: String, source: io::Error },
    #[error(transparent)]
    Sql(#[from] rowhash_core::sql::SqlError),
    #[error(transparent)]
    JobKey(#[from] rowhash_core::springbatch::JobKeyError),
    #[error("standard output: {0}")]
    Write(#[from] io::Error),
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(Verdict::AllRight) => ExitCode::SUCCESS,
        Ok(Verdict::SomeWrong) => ExitCode::from(1),
        Err(failure) => {
            output::complain(format_args!("rowhash: {failure}"));
            ExitCode::from(2)
        }
    }
}

fn run(cli: &Cli) -> Result<Verdict, Failure> {
    match &cli.command {
        Command::Hash { input, policy } => hash::run(input, policy),
        Command::Verify { input, show } => verify::run(input, *show),
        Command::Sql(command) => sql::run(command),
        Command::Springbatch(command) => springbatch::run(command),
    }
}
