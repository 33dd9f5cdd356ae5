//! A stream of bytes as windows of whole records, so that each window can be read by itself.

use std::collections::TryReserveError;

use memchr::{memchr, memchr_iter, memchr2, memrchr};

use super::rules::{Delimited, Format, Quoting, Rules};
use super::{BYTE_ORDER_MARK, QUOTE};

/// Cuts a stream into windows of whole records. It keeps what it was given and not yet handed
/// out: a record that is not complete, and never more of one than a record may have.
#[derive(Debug)]
pub struct Splitter {
    buffer: Vec<u8>,
    /// What is kept stands in `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Up to here no record ends.
    scanned: usize,
    quotes: Option<QuoteScanner>,
    longest: usize,
    skipped: Option<Skipped>,
    is_first: bool,
    is_last: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Skipped {
    bytes: u64,
    breaks: u64,
    /// The last two.
    tail: [u8; 2],
}

/// What a splitter hands out.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'s> {
    /// Whole records; the byte order mark of the content, too, is handed out as some.
    Records(&'s [u8]),
    /// One record longer than any may be, which was not kept.
    TooLong {
        /// Its length without the line end.
        bytes: u64,
        /// The lines it stands on.
        lines: u64,
    },
}

impl Splitter {
    /// A splitter of an empty stream.
    pub fn new(rules: &Rules) -> Self {
        let quotes = match &rules.format {
            Format::Delimited(format) => QuoteScanner::of(format),
            Format::Ndjson | Format::Pattern(_) => None,
        };
        Self {
            buffer: Vec::new(),
            start: 0,
            end: 0,
            scanned: 0,
            quotes,
            longest: rules.longest_line,
            skipped: None,
            is_first: true,
            is_last: false,
        }
    }

    /// Room for at least `length` bytes more of the stream; tell [`Splitter::filled`] how many were
    /// written.
    ///
    /// # Errors
    /// Memory that cannot be had.
    pub fn room(&mut self, length: usize) -> Result<&mut [u8], TryReserveError> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.scanned -= self.start;
            self.start = 0;
        }
        let needed = self.end + length;
        if self.buffer.len() < needed {
            self.buffer.try_reserve(needed - self.buffer.len())?;
            self.buffer.resize(needed, 0);
        }
        Ok(&mut self.buffer[self.end..])
    }

    /// `length` bytes were written to the room.
    pub fn filled(&mut self, length: usize) {
        self.end = self.buffer.len().min(self.end + length);
    }

    /// The stream has ended: its last record needs no line end.
    pub fn finish(&mut self) {
        self.is_last = true;
    }

    /// The next piece; none until more of the stream is there.
    pub fn next_piece(&mut self) -> Option<Piece<'_>> {
        if self.is_first {
            // A byte order mark is a piece of its own: it is no part of the first record.
            let first = &self.buffer[self.start..self.end];
            let is_mark = first.starts_with(BYTE_ORDER_MARK);
            if !is_mark && BYTE_ORDER_MARK.starts_with(first) && !self.is_last {
                return None;
            }
            self.is_first = false;
            if is_mark {
                self.start += BYTE_ORDER_MARK.len();
                self.scanned = self.start;
                return Some(Piece::Records(BYTE_ORDER_MARK));
            }
        }
        if self.skipped.is_some() {
            return self.skip();
        }
        let records = match self.last_record_end() {
            Some(end) => self.start..end,
            None if self.is_last && self.start < self.end => self.start..self.end,
            // A line end is up to two bytes.
            None if self.end - self.start > self.longest.saturating_add(2) => {
                self.skipped = Some(Skipped::default());
                self.skip_to(self.end);
                return None;
            }
            None => return None,
        };
        self.start = records.end;
        self.scanned = self.scanned.max(records.end);
        Some(Piece::Records(&self.buffer[records]))
    }

    /// Where the last record that is complete ends.
    fn last_record_end(&mut self) -> Option<usize> {
        let fresh = &self.buffer[self.scanned..self.end];
        let end = match &mut self.quotes {
            None => memrchr(b'\n', fresh).map(|at| at + 1),
            Some(quotes) => quotes.last_record_end(fresh),
        };
        let end = end.map(|end| self.scanned + end);
        self.scanned = self.end;
        end
    }

    fn skip(&mut self) -> Option<Piece<'_>> {
        let fresh = &self.buffer[self.start..self.end];
        let end = match &mut self.quotes {
            None => memchr(b'\n', fresh).map(|at| at + 1),
            Some(quotes) => quotes.first_record_end(fresh),
        };
        match end {
            Some(end) => self.skip_to(self.start + end),
            None => self.skip_to(self.end),
        }
        self.scanned = self.start;
        if end.is_none() && !self.is_last {
            return None;
        }
        let skipped = self.skipped.take()?;
        let line_end = match skipped.tail {
            _ if end.is_none() => 0,
            [b'\r', b'\n'] => 2,
            _ => 1,
        };
        Some(Piece::TooLong {
            bytes: skipped.bytes - line_end,
            lines: skipped.breaks + u64::from(end.is_none()),
        })
    }

    fn skip_to(&mut self, end: usize) {
        let bytes = &self.buffer[self.start..end];
        if let Some(skipped) = &mut self.skipped {
            match bytes {
                [] => {}
                [byte] => skipped.tail = [skipped.tail[1], *byte],
                [.., a, b] => skipped.tail = [*a, *b],
            }
            skipped.bytes += bytes.len() as u64;
            skipped.breaks += memchr_iter(b'\n', bytes).count() as u64;
        }
        self.start = end;
        self.scanned = self.scanned.max(end);
    }
}

/// Finds the line ends that stand outside quotes, across windows.
#[derive(Clone, Debug)]
pub(super) struct QuoteScanner {
    delimiter: u8,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    CellStart,
    Plain,
    Quoted,
    /// After a quote in a quoted cell: its end, unless another quote follows.
    Closing,
}

impl QuoteScanner {
    /// A scanner at the start of a record; none where no cell stands in quotes.
    pub(super) fn of(format: &Delimited) -> Option<Self> {
        match format.quoting {
            Quoting::None => None,
            Quoting::Rfc4180 => Some(Self {
                delimiter: format.delimiter.byte(),
                state: State::CellStart,
            }),
        }
    }

    fn last_record_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut last = None;
        while let Some(end) = self.first_record_end(&bytes[last.unwrap_or(0)..]) {
            last = Some(last.unwrap_or(0) + end);
        }
        last
    }

    /// Where the first record ends; the state is then that at its end, else that after `bytes`.
    pub(super) fn first_record_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.state {
                State::CellStart if byte == QUOTE => {
                    self.state = State::Quoted;
                    at += 1;
                }
                State::Closing if byte == QUOTE => {
                    self.state = State::Quoted;
                    at += 1;
                }
                State::CellStart | State::Closing | State::Plain => {
                    let Some(found) = memchr2(self.delimiter, b'\n', &bytes[at..]) else {
                        self.state = State::Plain;
                        return None;
                    };
                    self.state = State::CellStart;
                    at += found + 1;
                    if bytes[at - 1] == b'\n' {
                        return Some(at);
                    }
                }
                State::Quoted => {
                    at += memchr(QUOTE, &bytes[at..])? + 1;
                    self.state = State::Closing;
                }
            }
        }
        None
    }
}
