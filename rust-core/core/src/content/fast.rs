//! NDJSON the fast way: objects of texts, numbers and the like, without `serde_json`.
//!
//! Most lines of a content have the same names in the same order with the same white space. What
//! stands before each value of one line, `,"name":`, is therefore remembered and compared with the
//! next one; a name is looked up only where it differs. Values stay where they are in the window,
//! but for those with escapes and numbers that are not in plain notation.
//!
//! Whatever is unusual, and whatever is wrong, is left to the plain path (`None` below): it has the
//! last word on what a line means, and all the words on why one is refused.

use serde::de::IgnoredAny;

use super::scan::Scan;
use super::window::{Line, Rows};
use crate::Value;
use crate::canonical::Slice;

/// The longest `,"name":` that is remembered.
const LITERAL: usize = 32;

/// Numbers with more digits are left to the plain path, which knows how many are too many.
const MAX_DIGITS: usize = 1_000;

/// How the fields of an object stand, learned from the lines before.
#[derive(Debug, Default)]
pub(super) struct Shape {
    fields: Vec<Field>,
    values: Vec<Span>,
    /// The texts that do not stand in the window as they are.
    written: String,
}

/// What stands before a value: the brace or comma, the name, the colon and white space.
#[derive(Clone, Debug)]
struct Field {
    bytes: [u8; LITERAL],
    mask: [u8; LITERAL],
    length: usize,
    place: Place,
}

/// What a value is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Column(usize),
    Hash,
    Other,
}

/// Where a value's text stands: in the window, or past its end in `written`.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: usize,
    length: usize,
}

/// What was found in a line.
struct Found {
    /// The hash that is there.
    hash: Option<Span>,
    is_empty: bool,
    /// Where the last brace stands.
    brace: usize,
    /// Where the line ends, its line end too.
    end: usize,
}

impl Shape {
    /// Takes the lines of a window, one after the other, as long as they are usual. Gives where the
    /// first one stands that was not taken.
    #[inline(always)]
    pub(super) fn take<S: Scan>(
        &mut self,
        scan: S,
        window: &str,
        mut at: usize,
        rows: &mut Rows<'_>,
    ) -> usize {
        while at < window.len() {
            let Some(found) = self.read(scan, window, at, rows) else {
                break;
            };
            let line = Line::new(&window.as_bytes()[at..found.end]);
            if !rows.refuse_too_long(line.text) {
                let (window_length, written) = (window.len(), &self.written);
                let slices = self.values.iter().map(|span| match span.start {
                    start if start < window_length => Slice {
                        tail: &window[start..],
                        length: span.length,
                    },
                    start => Slice {
                        tail: &written[start - window_length..],
                        length: span.length,
                    },
                });
                match rows.push_slices(slices) {
                    Ok(()) => write(window.as_bytes(), at, &found, rows),
                    Err(message) => rows.output.reject(message, line.text),
                }
            }
            rows.output.counts.lines += 1;
            at = found.end;
        }
        at
    }

    /// Reads the object of the line that begins at `start`.
    #[inline(always)]
    fn read<S: Scan>(
        &mut self,
        scan: S,
        window: &str,
        start: usize,
        rows: &Rows<'_>,
    ) -> Option<Found> {
        let bytes = window.as_bytes();
        self.values.clear();
        self.values
            .resize(rows.columns().names().len(), Span::default());
        self.written.clear();
        let mut hash = None;
        let mut at = start;
        let mut index = 0;
        loop {
            let (place, value) = match self.remembered(bytes, at, &mut index) {
                Some(field) => (field.place, at + field.length),
                None => match self.learn(scan, bytes, at, index, rows)? {
                    Named::Field(place, value) => {
                        index += 1;
                        (place, value)
                    }
                    Named::Empty(brace) if at == start => {
                        let end = line_end(bytes, brace + 1)?;
                        return Some(Found {
                            hash: None,
                            is_empty: true,
                            brace,
                            end,
                        });
                    }
                    Named::Empty(_) => return None,
                },
            };
            let (span, end) = match bytes.get(value)? {
                b'"' => self.string(scan, window, value)?,
                b'-' | b'0'..=b'9' => self.number(window, value)?,
                b'n' => (Span::default(), keyword(bytes, value, b"null")?),
                b't' => word(bytes, value, b"true")?,
                b'f' => word(bytes, value, b"false")?,
                b'[' | b'{' if place == Place::Other => (Span::default(), nested(window, value)?),
                _ => return None,
            };
            match place {
                Place::Column(column) => self.values[column] = span,
                Place::Hash if hash.is_none() => {
                    hash = Some(Span {
                        start: value,
                        length: end - value,
                    });
                }
                // One is enough; the plain path takes the others away.
                Place::Hash => return None,
                Place::Other => {}
            }
            at = blanks_end(bytes, end);
            match bytes.get(at)? {
                b',' => {}
                b'}' => {
                    return Some(Found {
                        hash,
                        is_empty: false,
                        brace: at,
                        end: line_end(bytes, at + 1)?,
                    });
                }
                _ => return None,
            }
        }
    }

    /// The field of this or the next index, if it stands here: one that is missing costs nothing,
    /// unless it is the first, which alone begins with a brace.
    #[inline(always)]
    fn remembered(&self, bytes: &[u8], at: usize, index: &mut usize) -> Option<&Field> {
        let here = bytes[at..].first_chunk::<LITERAL>()?;
        for ahead in 0..=usize::from(*index > 0) {
            let field = self.fields.get(*index + ahead)?;
            if field.is(here) {
                *index += ahead + 1;
                return Some(field);
            }
        }
        None
    }

    /// Reads the name that stands here, and remembers what stands before the value.
    #[cold]
    #[inline(never)]
    fn learn<S: Scan>(
        &mut self,
        scan: S,
        bytes: &[u8],
        start: usize,
        index: usize,
        rows: &Rows<'_>,
    ) -> Option<Named> {
        let mut at = blanks_end(bytes, start);
        let first = if index == 0 { b'{' } else { b',' };
        if bytes.get(at) != Some(&first) {
            return None;
        }
        at = blanks_end(bytes, at + 1);
        match bytes.get(at)? {
            b'"' => {}
            b'}' => return Some(Named::Empty(at)),
            _ => return None,
        }
        let name = at + 1;
        let end = scan.stop(bytes, name);
        if bytes.get(end) != Some(&b'"') {
            return None;
        }
        let columns = rows.columns();
        let name = &bytes[name..end];
        let place = match columns.position(name) {
            Some(column) => Place::Column(column),
            None if name == columns.hash_column().as_bytes() => Place::Hash,
            None => Place::Other,
        };
        at = blanks_end(bytes, end + 1);
        if bytes.get(at) != Some(&b':') {
            return None;
        }
        let value = blanks_end(bytes, at + 1);
        if let Some(field) = Field::new(&bytes[start..value], place) {
            if index < self.fields.len() {
                self.fields[index] = field;
            } else if index == self.fields.len() {
                self.fields.push(field);
            }
        }
        Some(Named::Field(place, value))
    }

    /// Reads the string whose first quote stands at `quote`, and says where it ends.
    #[inline(always)]
    fn string<S: Scan>(&mut self, scan: S, window: &str, quote: usize) -> Option<(Span, usize)> {
        let bytes = window.as_bytes();
        let start = quote + 1;
        let stop = scan.stop(bytes, start);
        match bytes.get(stop)? {
            b'"' => Some((
                Span {
                    start,
                    length: stop - start,
                },
                stop + 1,
            )),
            b'\\' => self.escaped(scan, window, start, stop),
            _ => None,
        }
    }

    /// Reads a string that begins at `start` and has its first backslash at `stop`.
    #[inline(never)]
    fn escaped<S: Scan>(
        &mut self,
        scan: S,
        window: &str,
        start: usize,
        stop: usize,
    ) -> Option<(Span, usize)> {
        let bytes = window.as_bytes();
        let first = self.written.len();
        let (mut from, mut stop) = (start, stop);
        loop {
            self.written.push_str(&window[from..stop]);
            match bytes.get(stop)? {
                b'"' => break,
                b'\\' => {}
                _ => return None,
            }
            let (character, end) = match bytes.get(stop + 1)? {
                plain @ (b'"' | b'\\' | b'/') => (char::from(*plain), stop + 2),
                b'b' => ('\u{8}', stop + 2),
                b'f' => ('\u{c}', stop + 2),
                b'n' => ('\n', stop + 2),
                b'r' => ('\r', stop + 2),
                b't' => ('\t', stop + 2),
                b'u' => unicode(bytes, stop)?,
                _ => return None,
            };
            self.written.push(character);
            from = end;
            stop = scan.stop(bytes, from);
        }
        let span = Span {
            start: window.len() + first,
            length: self.written.len() - first,
        };
        Some((span, stop + 1))
    }

    /// Reads a number, and says where it ends.
    #[inline(always)]
    fn number(&mut self, window: &str, start: usize) -> Option<(Span, usize)> {
        let bytes = window.as_bytes();
        let whole = start + usize::from(bytes.get(start) == Some(&b'-'));
        let mut end = digits_end(bytes, whole);
        match bytes.get(whole)? {
            b'0' if end == whole + 1 => {}
            b'1'..=b'9' => {}
            _ => return None,
        }
        let is_plain = !matches!(bytes.get(end), Some(b'.' | b'e' | b'E'))
            && &bytes[start..end] != b"-0"
            && end - start <= MAX_DIGITS;
        if is_plain {
            let span = Span {
                start,
                length: end - start,
            };
            return Some((span, end));
        }
        if bytes.get(end) == Some(&b'.') {
            let fraction = end + 1;
            end = digits_end(bytes, fraction);
            if end == fraction {
                return None;
            }
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let exponent = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            end = digits_end(bytes, exponent);
            if end == exponent {
                return None;
            }
        }
        self.decimal(window, start, end)
    }

    /// Writes a number in plain notation.
    #[inline(never)]
    fn decimal(&mut self, window: &str, start: usize, end: usize) -> Option<(Span, usize)> {
        let mut text = Vec::new();
        Value::Decimal(&window[start..end]).write(&mut text).ok()?;
        let first = self.written.len();
        self.written.push_str(std::str::from_utf8(&text).ok()?);
        let span = Span {
            start: window.len() + first,
            length: text.len(),
        };
        Some((span, end))
    }
}

/// What stands where a field is to begin.
enum Named {
    /// A field for this place, its value here.
    Field(Place, usize),
    /// A brace that ends the object, here.
    Empty(usize),
}

impl Field {
    fn new(text: &[u8], place: Place) -> Option<Self> {
        let mut field = Self {
            bytes: [0; LITERAL],
            mask: [0; LITERAL],
            length: text.len(),
            place,
        };
        field.bytes.get_mut(..text.len())?.copy_from_slice(text);
        field.mask[..text.len()].fill(0xff);
        Some(field)
    }

    /// Whether this field begins here.
    #[inline(always)]
    fn is(&self, here: &[u8; LITERAL]) -> bool {
        let mut different = 0;
        for ((here, byte), mask) in here.iter().zip(&self.bytes).zip(&self.mask) {
            different |= (here ^ byte) & mask;
        }
        different == 0
    }
}

/// Appends the line with a hole for its hash.
#[inline(always)]
fn write(bytes: &[u8], start: usize, found: &Found, rows: &mut Rows<'_>) {
    match found.hash {
        None => {
            rows.output
                .rows
                .extend_from_slice(&bytes[start..found.brace]);
            rows.append_hash_field(found.is_empty);
            rows.output
                .rows
                .extend_from_slice(&bytes[found.brace..found.end]);
        }
        Some(hash) => {
            rows.output
                .rows
                .extend_from_slice(&bytes[start..hash.start]);
            rows.append_json_hash();
            rows.output
                .rows
                .extend_from_slice(&bytes[hash.start + hash.length..found.end]);
        }
    }
}

#[inline(always)]
fn blanks_end(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\r')) {
        at += 1;
    }
    at
}

#[inline(always)]
fn digits_end(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b'0'..=b'9')) {
        at += 1;
    }
    at
}

/// Where the line ends whose object ends before `at`; none if something else follows.
#[inline(always)]
fn line_end(bytes: &[u8], at: usize) -> Option<usize> {
    let at = blanks_end(bytes, at);
    match bytes.get(at) {
        None => Some(at),
        Some(b'\n') => Some(at + 1),
        Some(_) => None,
    }
}

fn keyword(bytes: &[u8], at: usize, keyword: &[u8]) -> Option<usize> {
    bytes[at..]
        .starts_with(keyword)
        .then_some(at + keyword.len())
}

fn word(bytes: &[u8], start: usize, word: &[u8]) -> Option<(Span, usize)> {
    let end = keyword(bytes, start, word)?;
    let span = Span {
        start,
        length: end - start,
    };
    Some((span, end))
}

/// Where an array or object ends that is no value of a column.
#[inline(never)]
fn nested(window: &str, start: usize) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_str(&window[start..]).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    let end = start + values.byte_offset();
    // To serde_json a line break is white space.
    let is_one_line = !window.as_bytes()[start..end].contains(&b'\n');
    is_one_line.then_some(end)
}

/// Reads `\uXXXX`, or a surrogate pair of them; half a pair is a question mark.
fn unicode(bytes: &[u8], backslash: usize) -> Option<(char, usize)> {
    let unit = hex(bytes, backslash + 2)?;
    let end = backslash + 6;
    if let Some(character) = char::from_u32(unit) {
        return Some((character, end));
    }
    if unit < 0xdc00 && bytes[end..].starts_with(br"\u") {
        let low = hex(bytes, end + 2)?;
        if (0xdc00..0xe000).contains(&low) {
            let point = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            return Some((char::from_u32(point)?, end + 6));
        }
    }
    Some(('?', end))
}

fn hex(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |number, digit| {
        Some(number * 16 + char::from(*digit).to_digit(16)?)
    })
}
