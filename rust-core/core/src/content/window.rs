//! Windows of whole records in, the same records with their hashes out.

use std::mem;
use std::sync::Arc;

use memchr::memchr;

use super::delimited::Layout;
use super::fast::Shape;
use super::reject::{Position, Reject};
use super::rules::{Format, Header, NamesError, OnFinding, Rules};
use super::split::Piece;
use super::{BYTE_ORDER_MARK, delimited, lines, pattern, too_long, write_json_string};
use crate::canonical::{RowMemory, Slice};
use crate::{Columns, Finding, RowBatch, RowError, Value};

/// How many rows are hashed at once: enough for every lane of the digest, few enough for the cache.
pub(super) const BATCH: usize = 256;

/// What became of a window, or of many.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The rows with their hashes.
    pub rows: Vec<u8>,
    /// The rows that were set aside.
    pub rejects: Vec<Reject>,
    /// How many of each there are.
    pub counts: Counts,
}

/// How many rows there were of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows written with a hash.
    pub rows: u64,
    /// Rows set aside.
    pub rejected: u64,
    /// Rows that share their canonical text with another one, written or set aside.
    pub ambiguous: u64,
    /// Rows in which every column is empty, written or set aside.
    pub without_values: u64,
    /// Lines of every kind.
    pub lines: u64,
}

impl Counts {
    /// What comes before the window after these.
    pub fn position(&self) -> Position {
        Position {
            rows: self.rows + self.rejected,
            lines: self.lines,
        }
    }

    /// These and those.
    pub fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.rejected += other.rejected;
        self.ambiguous += other.ambiguous;
        self.without_values += other.without_values;
        self.lines += other.lines;
    }
}

impl Output {
    /// Forgets all and keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.rejects.clear();
        self.counts = Counts::default();
    }

    /// Sets a row aside; its lines are counted by the caller afterwards.
    pub(super) fn reject(&mut self, message: String, content: &[u8]) {
        let (message, content) = match std::str::from_utf8(content) {
            Ok(content) => (message, Some(content.to_owned())),
            Err(_) => (message, None),
        };
        self.reject_text(message, content);
    }

    fn reject_text(&mut self, message: String, content: Option<String>) {
        self.counts.rejected += 1;
        self.rejects.push(Reject {
            row: self.counts.rows + self.counts.rejected,
            line: self.counts.lines + 1,
            message,
            content,
        });
    }
}

/// Rules that know the names of the cells: all that is needed to read any window of the content.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) rules: Arc<Rules>,
    pub(super) layout: Layout,
}

/// Takes the pieces of a content in their order: what stands before the first row is read here, the
/// rows are left to any [`Worker`].
#[derive(Debug)]
pub struct Intake {
    rules: Arc<Rules>,
    is_first: bool,
    plan: Option<Arc<Plan>>,
}

impl Intake {
    /// The start of a content of these rules.
    pub fn new(rules: Arc<Rules>) -> Self {
        Self {
            rules,
            is_first: true,
            plan: None,
        }
    }

    /// How to read rows; none as long as the header is still to come.
    pub fn plan(&self) -> Option<&Arc<Plan>> {
        self.plan.as_ref()
    }

    /// Takes the next piece. What is no row, or too long to be one, goes to the output at once; the
    /// rows that are left, if there are any, are a window for a worker.
    ///
    /// # Errors
    /// A header without the columns, or that cannot be read.
    pub fn take<'p>(
        &mut self,
        piece: Piece<'p>,
        output: &mut Output,
    ) -> Result<&'p [u8], NamesError> {
        match piece {
            Piece::Records(mut window) => {
                if self.plan.is_none() {
                    self.plan = self.open(&mut window, output)?;
                }
                Ok(window)
            }
            Piece::TooLong { bytes, lines } => {
                let longest = self.rules.longest_line;
                if self.plan.is_none() {
                    self.plan = self.open(&mut [].as_slice(), output)?;
                }
                if self.plan.is_none() {
                    return Err(NamesError::too_long(bytes, longest));
                }
                output.reject_text(too_long(bytes, longest), None);
                output.counts.lines += lines;
                Ok(&[])
            }
        }
    }

    /// Reads the byte order mark and the header, if there are any, and leaves the rest in
    /// `window`.
    fn open(
        &mut self,
        window: &mut &[u8],
        output: &mut Output,
    ) -> Result<Option<Arc<Plan>>, NamesError> {
        let rules = &self.rules;
        if mem::take(&mut self.is_first) {
            if let Some(rest) = window.strip_prefix(BYTE_ORDER_MARK) {
                if rules.keeps_text() {
                    output.rows.extend_from_slice(BYTE_ORDER_MARK);
                }
                *window = rest;
            }
        }
        let layout = match &rules.format {
            Format::Ndjson => Layout::default(),
            Format::Pattern(pattern) => {
                Layout::new(&pattern.names(), &rules.columns, Some(&pattern.empty))
            }
            Format::Delimited(format) => match &format.header {
                Header::Names(names) => Layout::new(names, &rules.columns, format.empty_values()),
                Header::FirstRecord => {
                    match delimited::read_header(rules, format, window, output)? {
                        Some(layout) => layout,
                        None => return Ok(None),
                    }
                }
            },
        };
        Ok(Some(Arc::new(Plan {
            rules: Arc::clone(rules),
            layout,
        })))
    }
}

/// Reads windows, one after the other, each by itself. It remembers nothing but how rows look.
#[derive(Debug, Default)]
pub struct Worker {
    memory: RowMemory,
    holes: Vec<usize>,
    hash_field: Vec<u8>,
    shape: Shape,
    cells: delimited::Cells,
}

impl Worker {
    /// A worker that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a window of whole records to the output.
    pub fn transform(&mut self, plan: &Plan, window: &[u8], output: &mut Output) {
        let Plan { rules, layout } = plan;
        self.with_rows(rules, output, |shape, cells, rows| match &rules.format {
            Format::Ndjson => lines::transform(window, shape, rows),
            Format::Delimited(format) => delimited::transform(format, layout, window, cells, rows),
            Format::Pattern(format) => pattern::transform(format, layout, window, rows),
        });
    }

    /// Does work whose rows go to the output.
    pub(super) fn with_rows(
        &mut self,
        rules: &Rules,
        output: &mut Output,
        work: impl FnOnce(&mut Shape, &mut delimited::Cells, &mut Rows<'_>),
    ) {
        let mut rows = Rows {
            rules,
            batch: RowBatch::with_memory(&rules.columns, rules.form, mem::take(&mut self.memory)),
            holes: mem::take(&mut self.holes),
            hash_field: mem::take(&mut self.hash_field),
            output,
        };
        rows.set_hash_field();
        work(&mut self.shape, &mut self.cells, &mut rows);
        rows.hash();
        self.memory = rows.batch.into_memory();
        self.holes = rows.holes;
        self.hash_field = rows.hash_field;
    }
}

/// The rows of a window on their way out: written at once with a hole for the hash, which is filled
/// when the batch is full.
pub(super) struct Rows<'w> {
    pub(super) rules: &'w Rules,
    batch: RowBatch<'w>,
    holes: Vec<usize>,
    /// `,"row_hash":"` and a hole and a quote.
    hash_field: Vec<u8>,
    pub(super) output: &'w mut Output,
}

impl<'w> Rows<'w> {
    pub(super) fn columns(&self) -> &'w Columns {
        &self.rules.columns
    }

    /// Takes a row's values, or says why the row is refused.
    pub(super) fn push<'v>(
        &mut self,
        values: impl IntoIterator<Item = Value<'v>>,
    ) -> Result<(), String> {
        self.hash_if_full();
        let finding = self.batch.push(values);
        self.judge(finding)
    }

    /// The same with texts that stand in longer ones.
    #[inline]
    pub(super) fn push_slices<'v>(
        &mut self,
        slices: impl Iterator<Item = Slice<'v>> + Clone,
    ) -> Result<(), String> {
        self.hash_if_full();
        match self.batch.push_slices(slices) {
            Ok(Finding::Clean) => Ok(()),
            finding => self.judge(finding),
        }
    }

    fn hash_if_full(&mut self) {
        if self.batch.len() == BATCH {
            self.hash();
        }
    }

    fn judge(&mut self, finding: Result<Finding, RowError>) -> Result<(), String> {
        let refusal = match finding.map_err(|error| error.to_string())? {
            Finding::Clean => return Ok(()),
            Finding::NoValues => {
                self.output.counts.without_values += 1;
                refusal(&self.rules.no_values, "")
            }
            Finding::Ambiguous { column } => {
                self.output.counts.ambiguous += 1;
                refusal(&self.rules.ambiguous, &self.columns().names()[column])
            }
        };
        match refusal {
            None => Ok(()),
            Some(message) => {
                self.batch.pop();
                Err(message)
            }
        }
    }

    /// The place in the output of the hash of the row that was pushed last.
    pub(super) fn hash_goes(&mut self, at: usize) {
        self.holes.push(at);
        self.output.counts.rows += 1;
    }

    /// Appends the place for the hash of the row that was pushed last.
    pub(super) fn append_hash(&mut self) {
        let at = self.output.rows.len();
        self.output.rows.extend_from_slice(&[b'0'; 32]);
        self.hash_goes(at);
    }

    /// The same, as a text of JSON.
    pub(super) fn append_json_hash(&mut self) {
        self.output.rows.push(b'"');
        self.append_hash();
        self.output.rows.push(b'"');
    }

    /// Appends the whole field of the hash to an object.
    #[inline]
    pub(super) fn append_hash_field(&mut self, object_is_empty: bool) {
        let field = &self.hash_field[usize::from(object_is_empty)..];
        self.output.rows.extend_from_slice(field);
        self.hash_goes(self.output.rows.len() - 33);
    }

    fn set_hash_field(&mut self) {
        self.hash_field.clear();
        self.hash_field.push(b',');
        write_json_string(self.rules.columns.hash_column(), &mut self.hash_field);
        self.hash_field.extend_from_slice(b":\"");
        self.hash_field.extend_from_slice(&[b'0'; 32]);
        self.hash_field.push(b'"');
    }

    /// Whether a line is too long; it is then set aside.
    pub(super) fn refuse_too_long(&mut self, line: &[u8]) -> bool {
        let is_too_long = line.len() > self.rules.longest_line;
        if is_too_long {
            let message = too_long(line.len() as u64, self.rules.longest_line);
            self.output.reject_text(message, None);
        }
        is_too_long
    }

    fn hash(&mut self) {
        for (hash, &at) in self.batch.hashes().zip(&self.holes) {
            self.output.rows[at..at + 32].copy_from_slice(&hash.to_hex());
        }
        self.batch.clear();
        self.holes.clear();
    }
}

fn refusal(policy: &OnFinding, column: &str) -> Option<String> {
    match policy {
        OnFinding::Allow => None,
        OnFinding::Refuse(message) => Some(message.replace("{column}", column)),
    }
}

/// A line and its end.
pub(super) struct Line<'w> {
    pub(super) text: &'w [u8],
    pub(super) end: &'w [u8],
}

impl<'w> Line<'w> {
    /// Takes a record apart: what it says, and the line end.
    pub(super) fn new(record: &'w [u8]) -> Self {
        let length = match record {
            [text @ .., b'\r', b'\n'] | [text @ .., b'\n'] => text.len(),
            text => text.len(),
        };
        let (text, end) = record.split_at(length);
        Self { text, end }
    }
}

/// The lines of a window.
pub(super) fn lines_of(window: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut rest = window;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        Some(Line::new(line))
    })
}
