//! The lines of a file, with everything around them kept, so that they can be written back.

use std::io::BufRead;

use crate::{Failure, Source};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One line: `before`, `text` and `end` one after the other are its bytes.
pub struct Line<'b> {
    /// Counted from 1.
    pub number: u64,
    /// A byte order mark, at the start of the file.
    pub before: &'b [u8],
    /// The line itself.
    pub text: &'b [u8],
    /// The line break; nothing where the file ends without one.
    pub end: &'b [u8],
}

impl Line<'_> {
    /// Whether there is nothing on the line, so that it is no row.
    pub fn is_blank(&self) -> bool {
        self.text.iter().all(u8::is_ascii_whitespace)
    }
}

pub struct Lines {
    source: Source,
    number: u64,
    buffer: Vec<u8>,
}

impl Lines {
    pub fn new(source: Source) -> Self {
        Self {
            source,
            number: 0,
            buffer: Vec::new(),
        }
    }

    /// What the lines are read from.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    pub fn next(&mut self) -> Result<Option<Line<'_>>, Failure> {
        self.buffer.clear();
        self.source
            .reader
            .read_until(b'\n', &mut self.buffer)
            .map_err(|source| Failure::Read {
                name: self.source.name.clone(),
                source,
            })?;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let mark = match self.number {
            1 if self.buffer.starts_with(BYTE_ORDER_MARK) => BYTE_ORDER_MARK.len(),
            _ => 0,
        };
        let end = self.buffer.len() - usize::from(self.buffer.ends_with(b"\n"));
        Ok(Some(Line {
            number: self.number,
            before: &self.buffer[..mark],
            text: &self.buffer[mark..end],
            end: &self.buffer[end..],
        }))
    }
}
