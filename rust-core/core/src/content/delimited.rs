//! Delimited text: rows of cells.

use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::compare::Comparison;
use super::rules::{Delimited, DelimitedOutput, EmptyValues, NamesError, Quoting, Rules};
use super::split::QuoteScanner;
use super::window::{Line, Output, Rows};
use super::{QUOTE, write_json_string};
use crate::canonical::Slice;
use crate::{Columns, Value};

/// Where the values of a row stand, and how they are written.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// For each column of the hash, in canonical order, its cell.
    columns: Vec<usize>,
    /// The cell that holds the hash already.
    hash: Option<usize>,
    cells: Vec<Cell>,
    /// The name of the hash, as JSON.
    hash_name: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Cell {
    /// The name as JSON, and the colon.
    name: Vec<u8>,
    empty_is_null: bool,
}

impl Layout {
    /// The layout of rows of cells with these names, which were checked.
    pub(super) fn new(names: &[String], columns: &Columns, empty: Option<&EmptyValues>) -> Self {
        let position = |name: &str| names.iter().position(|other| other == name);
        let named = |name: &str| {
            let mut json = Vec::new();
            write_json_string(name, &mut json);
            json.push(b':');
            json
        };
        Self {
            columns: columns
                .names()
                .iter()
                .filter_map(|name| position(name))
                .collect(),
            hash: position(columns.hash_column()),
            cells: names
                .iter()
                .map(|name| Cell {
                    name: named(name),
                    empty_is_null: empty.is_some_and(|empty| empty.is_null_in(name)),
                })
                .collect(),
            hash_name: named(columns.hash_column()),
        }
    }

    /// The values of the columns of the hash.
    pub(super) fn values<'v>(
        &self,
        cell: impl Fn(usize) -> Slice<'v> + Clone,
    ) -> impl Iterator<Item = Slice<'v>> + Clone {
        self.columns.iter().map(move |&index| cell(index))
    }

    /// Compares the row's hash with the cell that holds it.
    pub(super) fn compare<'v>(
        &self,
        cell: impl Fn(usize) -> Slice<'v> + Clone,
        rows: &mut Comparison<'_>,
    ) {
        let stored = self.hash.map(|index| cell(index).text().into());
        rows.row(
            self.values(cell).map(|slice| Value::Text(slice.text())),
            stored,
        );
    }

    /// Appends the row as a JSON object, with a hole for the hash.
    pub(super) fn write_json<'v>(&self, cell: impl Fn(usize) -> Slice<'v>, rows: &mut Rows<'_>) {
        let mut before = b'{';
        for (
            index,
            Cell {
                name,
                empty_is_null,
            },
        ) in self.cells.iter().enumerate()
        {
            rows.output.rows.push(before);
            before = b',';
            rows.output.rows.extend_from_slice(name);
            let text = cell(index).text();
            if self.hash == Some(index) {
                rows.append_json_hash();
            } else if text.is_empty() && *empty_is_null {
                rows.output.rows.extend_from_slice(b"null");
            } else {
                write_json_string(text, &mut rows.output.rows);
            }
        }
        if self.hash.is_none() {
            rows.output.rows.push(before);
            rows.output.rows.extend_from_slice(&self.hash_name);
            rows.append_json_hash();
        }
        rows.output.rows.extend_from_slice(b"}\n");
    }
}

/// The cells of one record, in memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Cells {
    cells: Vec<Found>,
    /// The texts of the cells that do not stand in the record as they are.
    unquoted: String,
}

#[derive(Clone, Debug)]
struct Found {
    /// The whole cell, its quotes too.
    raw: Range<usize>,
    text: Text,
}

#[derive(Clone, Debug)]
enum Text {
    Record(Range<usize>),
    Unquoted(Range<usize>),
}

impl Cells {
    fn text<'c>(&'c self, record: &'c str, index: usize) -> Slice<'c> {
        let (text, range) = match &self.cells[index].text {
            Text::Record(range) => (record, range),
            Text::Unquoted(range) => (self.unquoted.as_str(), range),
        };
        Slice {
            tail: &text[range.start..],
            length: range.len(),
        }
    }

    /// Takes a record without its line end apart.
    fn read(&mut self, record: &str, format: &Delimited) -> Result<(), String> {
        self.cells.clear();
        self.unquoted.clear();
        let delimiter = format.delimiter.byte();
        let mut start = 0;
        loop {
            let is_quoted =
                format.quoting == Quoting::Rfc4180 && record.as_bytes().get(start) == Some(&QUOTE);
            let (text, end) = match is_quoted {
                false => {
                    let rest = &record.as_bytes()[start..];
                    let end = memchr(delimiter, rest).map_or(record.len(), |at| start + at);
                    (Text::Record(start..end), end)
                }
                true => self.read_quoted(record, start, delimiter)?,
            };
            self.cells.push(Found {
                raw: start..end,
                text,
            });
            if end == record.len() {
                return Ok(());
            }
            start = end + 1;
        }
    }

    /// Reads the cell whose first quote stands at `start`, and says where it ends.
    fn read_quoted(
        &mut self,
        record: &str,
        start: usize,
        delimiter: u8,
    ) -> Result<(Text, usize), String> {
        let bytes = record.as_bytes();
        let first = self.unquoted.len();
        let mut from = start + 1;
        loop {
            let Some(quote) = memchr(QUOTE, &bytes[from..]).map(|at| from + at) else {
                return Err(format!("the quote at column {} is never closed", start + 1));
            };
            match bytes.get(quote + 1) {
                Some(&QUOTE) => {
                    self.unquoted.push_str(&record[from..=quote]);
                    from = quote + 2;
                }
                Some(&byte) if byte != delimiter => {
                    return Err(format!(
                        "the closing quote at column {} is not followed by the delimiter: write a \
                         quote in a cell twice",
                        quote + 1
                    ));
                }
                _ if self.unquoted.len() == first => {
                    return Ok((Text::Record(from..quote), quote + 1));
                }
                _ => {
                    self.unquoted.push_str(&record[from..quote]);
                    return Ok((Text::Unquoted(first..self.unquoted.len()), quote + 1));
                }
            }
        }
    }
}

/// Reads the header and leaves the rest in `window`; none where it is still to come.
pub(super) fn read_header(
    rules: &Rules,
    format: &Delimited,
    window: &mut &[u8],
    output: &mut Output,
) -> Result<Option<Layout>, NamesError> {
    let mut records = Records::new(format, window);
    while let Some(record) = records.next() {
        *window = records.rest;
        output.counts.lines += record.lines;
        let Line { text, end } = record.line;
        if text.is_empty() {
            if rules.keeps_text() {
                output.rows.extend_from_slice(end);
            }
            continue;
        }
        if text.len() > rules.longest_line {
            return Err(NamesError::too_long(text.len() as u64, rules.longest_line));
        }
        let text = std::str::from_utf8(text).map_err(|error| {
            NamesError::Unreadable(format!(
                "it is not UTF-8 at column {}",
                error.valid_up_to() + 1
            ))
        })?;
        let mut cells = Cells::default();
        cells.read(text, format).map_err(NamesError::Unreadable)?;
        let names: Vec<String> = (0..cells.cells.len())
            .map(|index| cells.text(text, index).text().to_owned())
            .collect();
        format.check_names(&names, &rules.columns)?;
        let layout = Layout::new(&names, &rules.columns, format.empty_values());
        if rules.keeps_text() {
            output.rows.extend_from_slice(text.as_bytes());
            if layout.hash.is_none() {
                output.rows.push(format.delimiter.byte());
                output
                    .rows
                    .extend_from_slice(rules.columns.hash_column().as_bytes());
            }
            output.rows.extend_from_slice(end);
        }
        return Ok(Some(layout));
    }
    Ok(None)
}

/// Appends the records of a window with their hashes. Empty lines are no rows.
pub(super) fn transform(
    format: &Delimited,
    layout: &Layout,
    window: &[u8],
    cells: &mut Cells,
    rows: &mut Rows<'_>,
) {
    let keeps_text = matches!(format.output, DelimitedOutput::Delimited);
    for record in Records::new(format, window) {
        let Line { text, end } = record.line;
        if text.is_empty() {
            if keeps_text {
                rows.output.rows.extend_from_slice(end);
            }
        } else if !rows.refuse_too_long(text) {
            let row = read(format, layout, text, cells).and_then(|text| {
                rows.push_slices(layout.values(|index| cells.text(text, index)))?;
                Ok(text)
            });
            match row {
                Err(message) => rows.output.reject(message, text),
                Ok(text) if keeps_text => {
                    write_text(format, layout, text, cells, rows);
                    rows.output.rows.extend_from_slice(end);
                }
                Ok(text) => layout.write_json(|index| cells.text(text, index), rows),
            }
        }
        rows.output.counts.lines += record.lines;
    }
}

fn read<'r>(
    format: &Delimited,
    layout: &Layout,
    text: &'r [u8],
    cells: &mut Cells,
) -> Result<&'r str, String> {
    let text = super::utf8(text)?;
    cells.read(text, format)?;
    let (found, expected) = (cells.cells.len(), layout.cells.len());
    if found != expected {
        return Err(format!(
            "the row has {found} cells where the header has {expected}: check the delimiter and \
             the quotes of the row"
        ));
    }
    Ok(text)
}

/// Compares the rows of a window.
pub(super) fn compare(
    format: &Delimited,
    layout: &Layout,
    window: &[u8],
    rows: &mut Comparison<'_>,
) {
    let mut cells = Cells::default();
    for record in Records::new(format, window) {
        let text = record.line.text;
        if !text.is_empty() && !rows.is_too_long(text) {
            if let Ok(text) = read(format, layout, text, &mut cells) {
                layout.compare(|index| cells.text(text, index), rows);
            }
        }
        rows.lines += record.lines;
    }
}

/// Appends the record as it is, with a hole for the hash.
fn write_text(format: &Delimited, layout: &Layout, text: &str, cells: &Cells, rows: &mut Rows<'_>) {
    let text = text.as_bytes();
    match layout.hash.map(|index| cells.cells[index].raw.clone()) {
        None => {
            rows.output.rows.extend_from_slice(text);
            rows.output.rows.push(format.delimiter.byte());
            rows.append_hash();
        }
        Some(cell) => {
            rows.output.rows.extend_from_slice(&text[..cell.start]);
            rows.append_hash();
            rows.output.rows.extend_from_slice(&text[cell.end..]);
        }
    }
}

/// The records of a window.
struct Records<'w> {
    rest: &'w [u8],
    quotes: Option<QuoteScanner>,
}

struct Record<'w> {
    line: Line<'w>,
    lines: u64,
}

impl<'w> Records<'w> {
    fn new(format: &Delimited, window: &'w [u8]) -> Self {
        Self {
            rest: window,
            quotes: QuoteScanner::of(format),
        }
    }
}

impl<'w> Iterator for Records<'w> {
    type Item = Record<'w>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let end = match &mut self.quotes {
            None => memchr(b'\n', self.rest).map(|at| at + 1),
            Some(quotes) => quotes.first_record_end(self.rest),
        };
        let (record, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let lines = match (&self.quotes, end) {
            (None, _) => 1,
            (Some(_), end) => memchr_iter(b'\n', record).count() as u64 + u64::from(end.is_none()),
        };
        Some(Record {
            line: Line::new(record),
            lines,
        })
    }
}
