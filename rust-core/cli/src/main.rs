//! `rowhash`: computes and verifies the row hashes of files and pipes, and writes the SQL that does
//! it where rows are stored.
#![forbid(unsafe_code)]

mod format;
mod hash;
mod output;
mod pipeline;
mod progress;
mod springbatch;
mod sql;
mod verify;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use rowhash_core::content::{NamesError, RulesError};
use rowhash_core::{CanonicalForm, Columns, ColumnsError};
use thiserror::Error;

/// Computes and verifies the row hashes of files and pipes: of newline-delimited JSON (one object a
/// line), of delimited text such as CSV, and of lines that a pattern takes apart.
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
        reading: format::Reading,
        #[command(flatten)]
        writing: format::Writing,
        #[command(flatten)]
        options: hash::Options,
    },
    /// Compares the hash that each row holds with the one its columns give.
    Verify {
        #[command(flatten)]
        input: Input,
        #[command(flatten)]
        reading: format::Reading,
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
    /// How many threads hash [default: one for each processor, up to 8].
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// The file to read; standard input when there is none, or for `-`.
    file: Option<PathBuf>,
}

impl Input {
    fn columns(&self) -> Result<Columns, ColumnsError> {
        Columns::parse(&self.columns, &self.hash_column)
    }

    fn threads(&self) -> usize {
        self.threads.map_or_else(pipeline::threads, usize::from)
    }

    fn open(&self) -> Result<Source, Failure> {
        let Some(path) = self.file.as_deref().filter(|file| *file != Path::new("-")) else {
            return Ok(Source {
                name: "(standard input)".to_owned(),
                reader: Box::new(io::stdin()),
                length: None,
            });
        };
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Ok(Source {
                name,
                length: file
                    .metadata()
                    .ok()
                    .filter(|about| about.is_file())
                    .map(|about| about.len()),
                reader: Box::new(file),
            }),
            Err(source) => Err(Failure::Read { name, source }),
        }
    }
}

/// What is read, and its name for messages.
struct Source {
    name: String,
    reader: Box<dyn Read + Send>,
    /// How many bytes it has; not of a pipe.
    length: Option<u64>,
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
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error("{option} has no effect without {needs}: leave it out, or add that")]
    NoEffect {
        option: &'static str,
        needs: &'static str,
    },
    #[error("{name}: {source}")]
    Read { name: String, source: io::Error },
    #[error(transparent)]
    Sql(#[from] rowhash_core::sql::SqlError),
    #[error(transparent)]
    JobKey(#[from] rowhash_core::springbatch::JobKeyError),
    #[error("{name}: {source}")]
    Header { name: String, source: NamesError },
    #[error("--rejects: {name} is the file to read: give another one")]
    RejectsAreInput { name: String },
    #[error("--rejects: {name}: {source}")]
    Rejects { name: String, source: io::Error },
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
        Command::Hash {
            input,
            reading,
            writing,
            options,
        } => hash::run(input, reading, writing, options),
        Command::Verify {
            input,
            reading,
            show,
        } => verify::run(input, reading, *show),
        Command::Sql(command) => sql::run(command),
        Command::Springbatch(command) => springbatch::run(command),
    }
}
