//! The hashes that rows hold already, compared with those that their columns give.

use std::borrow::Cow;

use super::rules::{Format, OnFinding, Rules};
use super::window::{Output, Plan, Worker};
use super::{delimited, lines, pattern};
use crate::{Columns, Finding, RowBatch, RowHash, Value};

/// A row that does not hold the hash which its columns give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// 1-based, among the lines of its window: that at which the row begins.
    pub line: u64,
    /// What the row holds: the text of a string or a cell, the JSON of anything else; none when it
    /// holds nothing.
    pub stored: Option<String>,
    /// The hash that its columns give.
    pub computed: RowHash,
    /// The canonical text that is hashed.
    pub canonical: String,
}

impl Worker {
    /// Compares the rows of a window. The counts and rejects go to the output, as of
    /// [`Worker::transform`]; no row does.
    pub fn compare(&mut self, plan: &Plan, window: &[u8], output: &mut Output) -> Vec<Difference> {
        let Plan { rules, layout } = plan;
        let (start, before) = (output.rows.len(), output.counts);
        self.transform(plan, window, output);
        // Writing the hash into a row that holds it changes nothing, and any other row is changed
        // where it differs first.
        let are_equal = rules.keeps_text()
            && output.counts.rejected == before.rejected
            && output.rows[start..] == *window;
        output.rows.truncate(start);
        if are_equal {
            return Vec::new();
        }
        let mut found = Comparison {
            rules,
            batch: RowBatch::new(&rules.columns, rules.form),
            lines: before.lines,
            differences: Vec::new(),
        };
        match &rules.format {
            Format::Ndjson => lines::compare(window, &mut found),
            Format::Delimited(format) => delimited::compare(format, layout, window, &mut found),
            Format::Pattern(format) => pattern::compare(format, layout, window, &mut found),
        }
        found.differences
    }
}

/// The rows of a window that are compared one by one. Those that are refused are passed over.
pub(super) struct Comparison<'r> {
    rules: &'r Rules,
    batch: RowBatch<'r>,
    /// Those before the row.
    pub(super) lines: u64,
    differences: Vec<Difference>,
}

impl<'r> Comparison<'r> {
    pub(super) fn columns(&self) -> &'r Columns {
        &self.rules.columns
    }

    pub(super) fn is_too_long(&self, line: &[u8]) -> bool {
        line.len() > self.rules.longest_line
    }

    /// Compares what a row holds with the hash of its values.
    pub(super) fn row<'v>(
        &mut self,
        values: impl IntoIterator<Item = Value<'v>>,
        stored: Option<Cow<'_, str>>,
    ) {
        self.batch.clear();
        let policy = match self.batch.push(values) {
            Err(_) => return,
            Ok(Finding::Clean) => &OnFinding::Allow,
            Ok(Finding::NoValues) => &self.rules.no_values,
            Ok(Finding::Ambiguous { .. }) => &self.rules.ambiguous,
        };
        let row = self.batch.hashes().zip(self.batch.texts()).next();
        let (OnFinding::Allow, Some((computed, text))) = (policy, row) else {
            return;
        };
        if stored
            .as_deref()
            .is_some_and(|stored| stored.parse() == Ok(computed))
        {
            return;
        }
        self.differences.push(Difference {
            line: self.lines + 1,
            stored: stored.map(Cow::into_owned),
            computed,
            canonical: String::from_utf8_lossy(text).into_owned(),
        });
    }
}
