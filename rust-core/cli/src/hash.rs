//! `rowhash hash`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::mem;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rowhash_core::content::{Counts, OnFinding, Position, Reject, Worker};

use crate::format::{Reading, Writing};
use crate::output::Output;
use crate::progress::Progress;
use crate::{Failure, Input, Verdict, pipeline};

/// What becomes of rows that have a hash, but hardly the one that was meant, and of refused ones.
#[derive(Debug, Args)]
pub struct Options {
    /// Rows in which every column is null, absent or empty.
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    rows_without_values: Choice,
    /// Rows that share their canonical text with another row (see the compatible form).
    #[arg(long, value_name = "WHAT", default_value = "allow")]
    ambiguous_rows: Choice,
    /// Writes the refused rows to this file, as NDJSON with row_index, line_number, error_message
    /// and line_content, instead of reporting each on standard error.
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// Hash them like all others.
    Allow,
    /// Report them and leave them out.
    Refuse,
}

impl Choice {
    fn or_refuse(self, message: &str) -> OnFinding {
        match self {
            Self::Allow => OnFinding::Allow,
            Self::Refuse => OnFinding::Refuse(message.to_owned()),
        }
    }
}

pub fn run(
    input: &Input,
    reading: &Reading,
    writing: &Writing,
    options: &Options,
) -> Result<Verdict, Failure> {
    let rules = reading
        .rules(input, writing)?
        .with_rows_without_values(options.rows_without_values.or_refuse(
            "no column has a value: all such rows would have one hash; check --columns, or use \
             --rows-without-values allow",
        ))
        .with_ambiguous_rows(options.ambiguous_rows.or_refuse(
            "column '{column}' makes the row ambiguous: its value reads as another row's",
        ));
    let source = input.open()?;
    let mut rejects = match &options.rejects {
        None => Rejects::Reported,
        Some(path) => Rejects::kept(path, input)?,
    };
    let (source, progress) = Progress::watch(source);
    let name = source.name.clone();
    let mut output = Output::new();
    let mut counts = Counts::default();
    pipeline::run(
        source,
        rules,
        input.threads(),
        Worker::transform,
        |done, ()| {
            output.write(&[&done.rows])?;
            for reject in &done.rejects {
                rejects.add(reject, counts.position(), &name, &progress)?;
            }
            counts.add(mem::take(&mut done.counts));
            Ok(match output.has_reader() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()), // nobody wants the rest
            })
        },
    )?;
    output.flush()?;
    rejects.flush()?;
    if counts.rejected == 0 {
        return Ok(Verdict::AllRight);
    }
    progress.complain(format_args!(
        "{name}: {} of {} rows refused and left out{}",
        counts.rejected,
        counts.rows + counts.rejected,
        match &rejects {
            Rejects::Reported => String::new(),
            Rejects::Kept { name, .. } => format!(": they are in {name}"),
        }
    ));
    Ok(Verdict::SomeWrong)
}

/// Where the refused rows go.
enum Rejects {
    Reported,
    Kept {
        name: String,
        file: BufWriter<File>,
        line: Vec<u8>,
    },
}

impl Rejects {
    fn kept(path: &Path, input: &Input) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let is_input = match (path.canonicalize(), input.file.as_deref()) {
            (Ok(path), Some(file)) => file.canonicalize().is_ok_and(|file| file == path),
            _ => false,
        };
        if is_input {
            return Err(Failure::RejectsAreInput { name });
        }
        match File::create(path) {
            Ok(file) => Ok(Self::Kept {
                name,
                file: BufWriter::new(file),
                line: Vec::new(),
            }),
            Err(source) => Err(Failure::Rejects { name, source }),
        }
    }

    fn add(
        &mut self,
        reject: &Reject,
        before: Position,
        source: &str,
        progress: &Progress,
    ) -> Result<(), Failure> {
        match self {
            Self::Reported => {
                let line = before.lines + reject.line;
                progress.complain(format_args!("{source}:{line}: {}", reject.message));
                Ok(())
            }
            Self::Kept { line, .. } => {
                line.clear();
                reject.write(before, line);
                self.write(|file, line| file.write_all(line))
            }
        }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.write(|file, _| file.flush())
    }

    fn write(
        &mut self,
        write: impl FnOnce(&mut BufWriter<File>, &[u8]) -> io::Result<()>,
    ) -> Result<(), Failure> {
        match self {
            Self::Reported => Ok(()),
            Self::Kept { name, file, line } => {
                write(file, line).map_err(|source| Failure::Rejects {
                    name: name.clone(),
                    source,
                })
            }
        }
    }
}
