//! `rowhash verify`.

use std::fmt::Write as _;

use rowhash_core::{Finding, RowBatch};

use crate::lines::Lines;
use crate::output::{Output, complain};
use crate::row::HashedRow;
use crate::{Failure, Input, Verdict};

/// How much of a canonical text is printed, in characters.
const SHOWN: usize = 2_000;

#[derive(Default)]
struct Counts {
    equal: u64,
    different: u64,
    refused: u64,
    ambiguous: u64,
    without_values: u64,
}

pub fn run(input: &Input, show: usize) -> Result<Verdict, Failure> {
    let columns = input.columns()?;
    let mut lines = Lines::new(input.open()?);
    let name = lines.name().to_owned();
    let mut rows = RowBatch::new(&columns, input.form);
    let mut output = Output::new();
    let mut counts = Counts::default();

    while let Some(line) = lines.next()? {
        if line.is_blank() {
            continue;
        }
        let row = match HashedRow::read(line.text, &columns, &mut rows) {
            Ok(row) => row,
            Err(refusal) => {
                counts.refused += 1;
                complain(format_args!("{name}:{}: {refusal}", line.number));
                continue;
            }
        };
        match row.finding {
            Finding::Clean => {}
            Finding::Ambiguous { .. } => counts.ambiguous += 1,
            Finding::NoValues => counts.without_values += 1,
        }
        let stored = row.object.stored_hash();
        if stored
            .as_deref()
            .is_some_and(|stored| stored.parse() == Ok(row.hash))
        {
            counts.equal += 1;
            continue;
        }
        counts.different += 1;
        if counts.different <= show as u64 {
            let text = rows.texts().next().unwrap_or_default();
            let difference = format!(
                "{name}:{}: {} is different\n  stored     {}\n  computed   {}\n  canonical  {}\n",
                line.number,
                columns.hash_column(),
                stored.as_deref().map_or("(absent)".into(), printable),
                row.hash,
                printable(&String::from_utf8_lossy(text)),
            );
            output.write(&[difference.as_bytes()])?;
        }
    }
    let Counts {
        equal,
        different,
        refused,
        ambiguous,
        without_values,
    } = counts;
    let summary = format!(
        "{name}: {} rows: {equal} equal, {different} different, {refused} refused \
         ({ambiguous} ambiguous, {without_values} without values)\n",
        equal + different + refused,
    );
    output.write(&[summary.as_bytes()])?;
    output.flush()?;
    Ok(match (different, refused) {
        (0, 0) => Verdict::AllRight,
        _ => Verdict::SomeWrong,
    })
}

/// A text on one line of a terminal: control characters escaped, a long one cut.
fn printable(text: &str) -> String {
    let mut line = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN {
            // Writing to a String cannot fail.
            let _ = write!(line, "... ({} bytes in all)", text.len());
            break;
        }
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}
