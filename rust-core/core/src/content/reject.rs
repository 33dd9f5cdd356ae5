//! The rows that are set aside.

use serde::Serialize;

/// A row that is set aside, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    /// 1-based, among the rows of its window.
    pub row: u64,
    /// 1-based, among the lines of its window: that at which the row begins.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
    /// Its text without the line end; none when it is not UTF-8 or too long to be kept.
    pub content: Option<String>,
}

/// How many rows and lines of a content come before a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Rows, refused ones too.
    pub rows: u64,
    /// Lines, of headers and blank ones too.
    pub lines: u64,
}

/// A reject as the load log reads it.
#[derive(Serialize)]
struct Record<'r> {
    row_index: u64,
    line_number: u64,
    error_message: &'r str,
    line_content: Option<&'r str>,
}

impl Reject {
    /// Appends the reject as a line of NDJSON.
    pub fn write(&self, before: Position, out: &mut Vec<u8>) {
        let record = Record {
            row_index: before.rows + self.row,
            line_number: before.lines + self.line,
            error_message: &self.message,
            line_content: self.content.as_deref(),
        };
        // Writing numbers and texts to a Vec cannot fail.
        let _ = serde_json::to_writer(&mut *out, &record);
        out.push(b'\n');
    }
}
