//! `rowhash verify`.

use std::fmt::Write as _;
use std::mem;
use std::ops::ControlFlow;

use rowhash_core::content::{Counts, Difference, Worker};

use crate::format::{Reading, Writing};
use crate::output::Output;
use crate::progress::Progress;
use crate::{Failure, Input, Verdict, pipeline};

/// How much of a canonical text is printed, in characters.
const SHOWN: usize = 2_000;

pub fn run(input: &Input, reading: &Reading, show: usize) -> Result<Verdict, Failure> {
    let rules = reading.rules(input, &Writing::default())?;
    let hash_column = rules.columns().hash_column().to_owned();
    let (source, progress) = Progress::watch(input.open()?);
    let name = source.name.clone();
    let mut output = Output::new();
    let mut counts = Counts::default();
    let mut different = 0;
    pipeline::run(
        source,
        rules,
        input.threads(),
        Worker::compare,
        |done, differences| {
            for reject in &done.rejects {
                let line = counts.lines + reject.line;
                progress.complain(format_args!("{name}:{line}: {}", reject.message));
            }
            for difference in &differences {
                different += 1;
                if different <= show as u64 {
                    let line = counts.lines + difference.line;
                    let text = format!(
                        "{name}:{line}: {hash_column} is different\n{}",
                        shown(difference)
                    );
                    output.write(&[text.as_bytes()])?;
                }
            }
            counts.add(mem::take(&mut done.counts));
            Ok(ControlFlow::Continue(()))
        },
    )?;
    let Counts {
        rows,
        rejected,
        ambiguous,
        without_values,
        ..
    } = counts;
    let summary = format!(
        "{name}: {} rows: {} equal, {different} different, {rejected} refused \
         ({ambiguous} ambiguous, {without_values} without values)\n",
        rows + rejected,
        rows - different,
    );
    output.write(&[summary.as_bytes()])?;
    output.flush()?;
    Ok(match (different, rejected) {
        (0, 0) => Verdict::AllRight,
        _ => Verdict::SomeWrong,
    })
}

fn shown(difference: &Difference) -> String {
    format!(
        "  stored     {}\n  computed   {}\n  canonical  {}\n",
        difference
            .stored
            .as_deref()
            .map_or("(absent)".into(), printable),
        difference.computed,
        printable(&difference.canonical),
    )
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
