//! `rowhash hash`.

use clap::{Args, ValueEnum};
use rowhash_core::{Columns, Finding, RowBatch};

use crate::lines::Lines;
use crate::output::{Output, complain};
use crate::row::{HashedRow, Refusal};
use crate::{Failure, Input, Verdict};

/// What becomes of rows that have a hash, but hardly the one that was meant.
#[derive(Debug, Args)]
pub struct Policy {
    /// Rows in which every column is null, absent or empty.
    #[arg(long, value_name = "WHAT", default_value = "refuse")]
    rows_without_values: Choice,
    /// Rows that share their canonical text with another row (see the compatible form).
    #[arg(long, value_name = "WHAT", default_value = "allow")]
    ambiguous_rows: Choice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// Hash them like all others.
    Allow,
    /// Report them and leave them out.
    Refuse,
}

impl Policy {
    fn check(&self, finding: Finding, columns: &Columns) -> Result<(), Refusal> {
        match finding {
            Finding::NoValues if self.rows_without_values == Choice::Refuse => {
                Err(Refusal::NoValues)
            }
            Finding::Ambiguous { column } if self.ambiguous_rows == Choice::Refuse => {
                Err(Refusal::Ambiguous(columns.names()[column].clone()))
            }
            _ => Ok(()),
        }
    }
}

pub fn run(input: &Input, policy: &Policy) -> Result<Verdict, Failure> {
    let columns = input.columns()?;
    let mut lines = Lines::new(input.open()?);
    let name = lines.name().to_owned();
    let mut rows = RowBatch::new(&columns, input.form);
    let mut output = Output::new();
    let mut hashed = Vec::new();
    let (mut count, mut refused) = (0_u64, 0_u64);

    while let Some(line) = lines.next()? {
        if line.is_blank() {
            output.write(&[line.before, line.text, line.end])?;
            continue;
        }
        count += 1;
        let row = HashedRow::read(line.text, &columns, &mut rows)
            .and_then(|row| policy.check(row.finding, &columns).map(|()| row));
        match row {
            Ok(row) => {
                hashed.clear();
                row.object.write_with_hash(row.hash, &mut hashed);
                output.write(&[line.before, &hashed, line.end])?;
            }
            Err(refusal) => {
                refused += 1;
                complain(format_args!("{name}:{}: {refusal}", line.number));
            }
        }
        if !output.has_reader() {
            break; // nobody wants the rest
        }
    }
    output.flush()?;
    if refused == 0 {
        return Ok(Verdict::AllRight);
    }
    complain(format_args!(
        "{name}: {refused} of {count} rows refused and left out"
    ));
    Ok(Verdict::SomeWrong)
}
