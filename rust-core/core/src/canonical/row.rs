//! The canonical text of rows, many in one buffer.

use std::collections::TryReserveError;

use memchr::memchr_iter;
use thiserror::Error;

use super::utf16::{self, Transcoder};
use super::{CanonicalForm, Columns, Value, ValueError};
use crate::digest::{self, RowHash};

const SEPARATOR: u8 = b'|';
const ESCAPE: u8 = b'\\';
const NULL: &[u8] = br"\N";

/// How many bytes are copied at once, if they are there.
const WIDE: usize = utf16::SLACK;

/// What a row's values say about its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Every value reads as what it is. No two clean rows share a canonical text.
    Clean,
    /// Every value is null, absent or empty: all such rows have one hash and overwrite each other.
    NoValues,
    /// A value reads as something else: `\N` as null, or a `|` beside other columns as the
    /// separator, so that another row has this canonical text too. Not in the escaped form.
    Ambiguous {
        /// The first such column, as an index into [`Columns::names`].
        column: usize,
    },
}

/// Rows of one table, as canonical texts that lie one after the other in one buffer.
///
/// A batch is meant to be used again: [`RowBatch::clear`] keeps its memory.
#[derive(Clone, Debug)]
pub struct RowBatch<'c> {
    columns: &'c Columns,
    form: CanonicalForm,
    /// The texts, up to [`RowBatch::end`]; what follows has no meaning.
    texts: Vec<u8>,
    rows: Vec<Row>,
}

/// A text that begins a longer slice: copying a number of bytes that does not depend on the text,
/// if there are as many, is faster than copying the text alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice<'v> {
    /// The text, and whatever follows it.
    pub tail: &'v str,
    /// The length of the text.
    pub length: usize,
}

/// A value of a row that is pushed as a whole: its text, copied with what follows it.
trait Part<'v>: Copy {
    /// The most bytes of its text; 0 for an empty one.
    fn most_bytes(self) -> usize;

    /// Writes the text, and perhaps more, at a place that has room for the most bytes and [`WIDE`]
    /// more, and gives where the text ends.
    fn write(self, texts: &mut [u8], at: usize) -> usize;

    fn value(self) -> Value<'v>;
}

/// A text of UTF-16 units that begins a longer slice.
#[derive(Clone, Copy)]
struct Units<'v, T> {
    tail: &'v [u16],
    length: usize,
    transcoder: T,
}

/// The memory of a batch, to make the next one of: columns are borrowed, memory is not.
#[derive(Debug, Default)]
pub struct RowMemory {
    texts: Vec<u8>,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    end: usize,
    finding: Finding,
}

impl RowMemory {
    /// How much there is of it.
    pub fn bytes(&self) -> usize {
        self.texts.capacity() + self.rows.capacity() * size_of::<Row>()
    }
}

impl<'c> RowBatch<'c> {
    /// An empty batch of rows of these columns.
    pub fn new(columns: &'c Columns, form: CanonicalForm) -> Self {
        Self::with_memory(columns, form, RowMemory::default())
    }

    /// An empty batch in the memory of another one.
    pub fn with_memory(columns: &'c Columns, form: CanonicalForm, memory: RowMemory) -> Self {
        let RowMemory { texts, rows } = memory;
        let mut batch = Self {
            columns,
            form,
            texts,
            rows,
        };
        batch.clear();
        batch
    }

    /// The memory, without the rows.
    pub fn into_memory(self) -> RowMemory {
        RowMemory {
            texts: self.texts,
            rows: self.rows,
        }
    }

    /// Reserves memory for `rows` more rows whose values have `bytes` bytes in all, so that
    /// pushing them does not allocate.
    ///
    /// # Errors
    /// Memory that cannot be had; pushing without it would end the process.
    pub fn try_reserve(&mut self, rows: usize, bytes: usize) -> Result<(), TryReserveError> {
        // A column without a value costs its separator and `\N`.
        let separators = rows.saturating_mul(self.columns.names().len().saturating_mul(3));
        let end = self.end().saturating_add(bytes).saturating_add(separators);
        let more = end.saturating_add(WIDE).saturating_sub(self.texts.len());
        self.texts.try_reserve(more)?;
        self.rows.try_reserve(rows)
    }

    /// Appends a row: one value for each column, in the order of [`Columns::names`].
    ///
    /// # Errors
    /// A value without canonical text, or another number of values than of columns. The batch is
    /// then as it was.
    pub fn push<'v, I>(&mut self, values: I) -> Result<Finding, RowError>
    where
        I: IntoIterator<Item = Value<'v>>,
    {
        self.texts.truncate(self.end());
        let row = self.append(values);
        if let Ok(finding) = row {
            self.rows.push(Row {
                end: self.texts.len(),
                finding,
            });
        }
        row
    }

    /// What [`RowBatch::push`] does with texts, faster.
    #[inline]
    pub(crate) fn push_slices<'v>(
        &mut self,
        slices: impl Iterator<Item = Slice<'v>> + Clone,
    ) -> Result<Finding, RowError> {
        self.push_parts(slices)
    }

    /// Appends rows of UTF-16 units, as [`RowBatch::push`] does with [`Value::Utf16`], faster: the
    /// values of all rows lie one after the other in `units`, and `lengths` has the units of each.
    /// Rows without values and ambiguous ones are among [`RowBatch::findings`].
    ///
    /// # Errors
    /// Lengths that are no whole rows, or more than there are units. The batch is then as it was.
    pub fn push_utf16(&mut self, units: &[u16], lengths: &[u32]) -> Result<(), RowError> {
        let expected = self.columns.names().len();
        let found = lengths.len() % expected;
        if found != 0 {
            return Err(RowError::Count { expected, found });
        }
        let needed = lengths.iter().map(|length| u64::from(*length)).sum();
        if (units.len() as u64) < needed {
            return Err(RowError::Units {
                needed,
                found: units.len(),
            });
        }
        utf16::with_fastest(PushUtf16 {
            batch: self,
            units,
            lengths,
        })
    }

    #[inline(always)]
    fn push_parts<'v, P: Part<'v>>(
        &mut self,
        parts: impl Iterator<Item = P> + Clone,
    ) -> Result<Finding, RowError> {
        if self.form != CanonicalForm::Compatible {
            return self.push(parts.map(Part::value));
        }
        let start = self.end();
        let room = parts
            .clone()
            .map(|part| 1 + NULL.len() + part.most_bytes())
            .sum::<usize>()
            + WIDE;
        if self.texts.len() < start + room {
            self.texts.resize(start + room, 0);
        }
        let texts = &mut self.texts[start..start + room];
        let (mut found, mut end) = (0, 0);
        let (mut empty, mut null) = (0, None);
        for part in parts.clone() {
            texts[end] = SEPARATOR;
            let at = end + usize::from(found > 0);
            if part.most_bytes() == 0 {
                texts[at..at + NULL.len()].copy_from_slice(NULL);
                end = at + NULL.len();
                empty += 1;
            } else {
                end = part.write(texts, at);
                if end - at == NULL.len() && texts[at..end] == *NULL {
                    null.get_or_insert(found);
                }
            }
            found += 1;
        }
        let expected = self.columns.names().len();
        if found != expected {
            return Err(RowError::Count { expected, found });
        }
        let separators = memchr_iter(SEPARATOR, &texts[..end]).count();
        let finding = if empty == found {
            Finding::NoValues
        } else if separators > found - 1 && found > 1 {
            // Rare: the slow way finds the column.
            return self.push(parts.map(Part::value));
        } else {
            match null {
                Some(column) => Finding::Ambiguous { column },
                None => Finding::Clean,
            }
        };
        self.rows.push(Row {
            end: start + end,
            finding,
        });
        Ok(finding)
    }

    /// Where the last text ends.
    fn end(&self) -> usize {
        self.rows.last().map_or(0, |row| row.end)
    }

    fn append<'v>(
        &mut self,
        values: impl IntoIterator<Item = Value<'v>>,
    ) -> Result<Finding, RowError> {
        let names = self.columns.names();
        let mut found = 0;
        let mut has_value = false;
        let mut ambiguous = None;
        for value in values {
            let column = found;
            found += 1;
            let Some(name) = names.get(column) else {
                continue; // only counted, for the error
            };
            if column > 0 {
                self.texts.push(SEPARATOR);
            }
            let start = self.texts.len();
            value
                .write(&mut self.texts)
                .map_err(|source| RowError::Value {
                    column: name.clone(),
                    source,
                })?;
            if self.texts.len() == start {
                self.texts.extend_from_slice(NULL);
                continue;
            }
            has_value = true;
            match self.form {
                CanonicalForm::Compatible => {
                    let text = &self.texts[start..];
                    let joins = names.len() > 1 && text.contains(&SEPARATOR);
                    if ambiguous.is_none() && (joins || text == NULL) {
                        ambiguous = Some(column);
                    }
                }
                CanonicalForm::Escaped => escape(&mut self.texts, start),
            }
        }
        if found != names.len() {
            return Err(RowError::Count {
                expected: names.len(),
                found,
            });
        }
        Ok(match ambiguous {
            _ if !has_value => Finding::NoValues,
            Some(column) => Finding::Ambiguous { column },
            None => Finding::Clean,
        })
    }

    /// Removes the row that was pushed last.
    pub fn pop(&mut self) {
        self.rows.pop();
        self.texts
            .truncate(self.rows.last().map_or(0, |row| row.end));
    }

    /// How many rows the batch holds.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether the batch holds no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Removes the rows and keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// The canonical text of each row, in the order they were pushed; UTF-8.
    pub fn texts(&self) -> impl Iterator<Item = &[u8]> + '_ {
        let mut start = 0;
        self.rows.iter().map(move |row| {
            let text = &self.texts[start..row.end];
            start = row.end;
            text
        })
    }

    /// What is known of each row, in the order they were pushed.
    pub fn findings(&self) -> impl Iterator<Item = Finding> + '_ {
        self.rows.iter().map(|row| row.finding)
    }

    /// The hash of each row, in the order they were pushed.
    pub fn hashes(&self) -> impl Iterator<Item = RowHash> + '_ {
        let mut hashes = Vec::new();
        if self.len() > 1 {
            // Without the memory for them, the rest is hashed one by one below.
            let _ = digest::many(self.texts(), &mut hashes);
        }
        let rest = self.texts().skip(hashes.len()).map(digest::md5);
        hashes.into_iter().chain(rest)
    }
}

/// See [`RowBatch::push_utf16`].
struct PushUtf16<'b, 'c, 'u> {
    batch: &'b mut RowBatch<'c>,
    units: &'u [u16],
    lengths: &'u [u32],
}

impl utf16::Work for PushUtf16<'_, '_, '_> {
    type Result = Result<(), RowError>;

    #[inline(always)]
    fn with(self, transcoder: impl Transcoder) -> Self::Result {
        let mut rest = self.units;
        for lengths in self.lengths.chunks_exact(self.batch.columns.names().len()) {
            let mut tail = rest;
            let parts = lengths.iter().map(move |length| {
                let length = *length as usize;
                let part = Units {
                    tail,
                    length,
                    transcoder,
                };
                tail = &tail[length..];
                part
            });
            self.batch.push_parts(parts)?;
            rest = &rest[lengths.iter().map(|length| *length as usize).sum()..];
        }
        Ok(())
    }
}

impl<'v, T: Transcoder> Part<'v> for Units<'v, T> {
    #[inline(always)]
    fn most_bytes(self) -> usize {
        utf16::MOST_BYTES * self.length
    }

    #[inline(always)]
    fn write(self, texts: &mut [u8], at: usize) -> usize {
        self.transcoder.write(self.tail, self.length, texts, at)
    }

    fn value(self) -> Value<'v> {
        Value::Utf16(&self.tail[..self.length])
    }
}

impl<'v> Part<'v> for Slice<'v> {
    #[inline(always)]
    fn most_bytes(self) -> usize {
        self.length
    }

    #[inline(always)]
    fn write(self, texts: &mut [u8], at: usize) -> usize {
        self.copy(texts, at);
        at + self.length
    }

    fn value(self) -> Value<'v> {
        Value::Text(self.text())
    }
}

impl<'v> Slice<'v> {
    pub fn text(self) -> &'v str {
        &self.tail[..self.length]
    }

    /// Copies the text, and perhaps more, to a place that has room for [`WIDE`] bytes more.
    #[inline(always)]
    fn copy(self, texts: &mut [u8], at: usize) {
        let mut done = 0;
        while let (Some(from), Some(to)) = (
            self.tail.as_bytes()[done..].first_chunk::<WIDE>(),
            texts[at + done..].first_chunk_mut::<WIDE>(),
        ) {
            *to = *from;
            done += WIDE;
            if done >= self.length {
                return;
            }
        }
        let rest = &self.text().as_bytes()[done..];
        texts[at + done..at + self.length].copy_from_slice(rest);
    }
}

/// Escapes the value that begins at `start` and ends the buffer: in place, from its end, so that
/// memory which was reserved suffices.
fn escape(texts: &mut Vec<u8>, start: usize) {
    let special = |byte: u8| matches!(byte, SEPARATOR | ESCAPE);
    let mut read = texts.len();
    let specials = texts[start..].iter().filter(|byte| special(**byte)).count();
    texts.resize(read + specials, 0);
    let mut write = texts.len();
    while write > read {
        read -= 1;
        write -= 1;
        texts[write] = texts[read];
        if special(texts[read]) {
            write -= 1;
            texts[write] = ESCAPE;
        }
    }
}

/// Why a row has no hash.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RowError {
    /// A value without canonical text.
    #[error("column '{column}': {source}")]
    Value {
        /// The column's name.
        column: String,
        /// What is wrong with its value.
        source: ValueError,
    },
    /// A row that does not fit the columns.
    #[error("the row has {found} values for {expected} columns")]
    Count {
        /// How many columns there are.
        expected: usize,
        /// How many values came.
        found: usize,
    },
    /// UTF-16 values that are longer than what is there.
    #[error("the values have {needed} UTF-16 units, of which {found} are there")]
    Units {
        /// How many units the lengths say.
        needed: u64,
        /// How many came.
        found: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::md5;
    use proptest::prelude::*;

    fn columns(count: usize) -> Columns {
        Columns::new(('a'..).take(count), "row_hash").unwrap()
    }

    /// The canonical text and the finding of one row of texts.
    fn canonical(form: CanonicalForm, values: &[&str]) -> (String, Finding) {
        let columns = columns(values.len());
        let mut batch = RowBatch::new(&columns, form);
        let finding = batch
            .push(values.iter().map(|text| Value::Text(text)))
            .unwrap();
        let text = String::from_utf8(batch.texts().next().unwrap().to_vec()).unwrap();
        (text, finding)
    }

    #[test]
    fn empty_and_null_are_one_value_and_blanks_another() {
        let columns = columns(3);
        let mut batch = RowBatch::new(&columns, CanonicalForm::Compatible);
        batch
            .push([Value::Null, Value::Text(""), Value::Text("  ")])
            .unwrap();
        assert_eq!(batch.texts().next().unwrap(), br"\N|\N|  ");
    }

    #[test]
    fn rows_that_share_their_text_with_another_row_are_ambiguous() {
        use CanonicalForm::Compatible;
        let finding = |values| canonical(Compatible, values).1;
        assert_eq!(finding(&["x|y", "z"]), Finding::Ambiguous { column: 0 });
        assert_eq!(finding(&["x", "y|z"]), Finding::Ambiguous { column: 1 });
        assert_eq!(finding(&["", r"\N"]), Finding::Ambiguous { column: 1 });
        assert_eq!(finding(&[r"\N"]), Finding::Ambiguous { column: 0 });
        assert_eq!(finding(&[r"a\N", r"\n"]), Finding::Clean);
        // Nothing is joined, so nothing can be taken for the separator.
        assert_eq!(finding(&["x|y"]), Finding::Clean);
        assert_eq!(finding(&["", ""]), Finding::NoValues);
    }

    #[test]
    fn the_escaped_form_tells_such_rows_apart() {
        use CanonicalForm::Escaped;
        assert_eq!(
            canonical(Escaped, &["x|y", "z"]),
            (r"x\|y|z".into(), Finding::Clean)
        );
        assert_eq!(
            canonical(Escaped, &["x", "y|z"]),
            (r"x|y\|z".into(), Finding::Clean)
        );
        assert_eq!(
            canonical(Escaped, &[r"\N", ""]),
            (r"\\N|\N".into(), Finding::Clean)
        );
        assert_eq!(
            canonical(Escaped, &["", ""]),
            (r"\N|\N".into(), Finding::NoValues)
        );
    }

    #[test]
    fn what_was_reserved_suffices_for_values_that_are_escaped() {
        let columns = columns(3);
        let mut batch = RowBatch::new(&columns, CanonicalForm::Escaped);
        // Two bytes of text for each `|`, of the three that a UTF-16 unit is given.
        let pipes = "|".repeat(1_000);
        batch.try_reserve(1, 3 * 2 * pipes.len()).unwrap();
        let capacity = batch.texts.capacity();
        batch
            .push([Value::Text(&pipes), Value::Null, Value::Text(&pipes)])
            .unwrap();
        assert_eq!(batch.texts.capacity(), capacity);
        assert_eq!(batch.texts().next().map(<[u8]>::len), Some(4_004));
    }

    #[test]
    fn memory_that_cannot_be_had_is_an_error() {
        let columns = columns(1);
        let mut batch = RowBatch::new(&columns, CanonicalForm::Compatible);
        assert!(batch.try_reserve(1, usize::MAX / 2).is_err());
        assert!(batch.try_reserve(usize::MAX, 0).is_err());
    }

    #[test]
    fn a_refused_row_leaves_the_batch_as_it_was() {
        let columns = columns(2);
        let mut batch = RowBatch::new(&columns, CanonicalForm::Compatible);
        batch.push([Value::Integer(1), Value::Null]).unwrap();
        assert_eq!(
            batch.push([Value::Text("lost"), Value::Double(f64::NAN)]),
            Err(RowError::Value {
                column: "b".into(),
                source: ValueError::NotFinite("NaN".into())
            })
        );
        for found in [0, 1, 3] {
            assert_eq!(
                batch.push(vec![Value::Text("lost"); found]),
                Err(RowError::Count { expected: 2, found })
            );
        }
        batch.push([Value::Null, Value::Boolean(true)]).unwrap();
        let texts: Vec<_> = batch.texts().collect();
        assert_eq!(texts, [br"1|\N".as_slice(), br"\N|true"]);
        assert_eq!(batch.hashes().nth(1), Some(md5(br"\N|true")));
        batch.clear();
        assert!(batch.is_empty());
    }

    /// Values made of the characters that matter.
    fn values(count: usize) -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[a|\\\\N]{0,4}", count)
    }

    /// Units that matter, half a pair among them, and values long enough for every way to read them.
    fn units() -> impl Strategy<Value = Vec<u16>> {
        let unit = || {
            prop::sample::select(
                "aN|\\가é"
                    .encode_utf16()
                    .chain([0xd83d, 0xde00])
                    .collect::<Vec<_>>(),
            )
        };
        prop_oneof![
            prop::collection::vec(unit(), 0..4),
            prop::collection::vec(unit(), 0..70),
            Just("\\N".encode_utf16().collect()),
        ]
    }

    #[test]
    fn units_that_make_no_whole_rows_are_refused() {
        let columns = columns(2);
        let mut batch = RowBatch::new(&columns, CanonicalForm::Compatible);
        batch.push_utf16(&[0x61, 0x62], &[1, 1]).unwrap();
        assert_eq!(
            batch.push_utf16(&[0x61; 3], &[1, 1, 1]),
            Err(RowError::Count {
                expected: 2,
                found: 1
            })
        );
        assert_eq!(
            batch.push_utf16(&[0x61; 3], &[2, 2]),
            Err(RowError::Units {
                needed: 4,
                found: 3
            })
        );
        assert!(batch.texts().eq([b"a|b"]));
    }

    fn two_rows() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
        (1_usize..4).prop_flat_map(|count| (values(count), values(count)))
    }

    fn forms_of(row: &[String]) -> Vec<&str> {
        row.iter().map(String::as_str).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn different_rows_have_different_escaped_texts((one, other) in two_rows()) {
            let texts = [&one, &other].map(|row| canonical(CanonicalForm::Escaped, &forms_of(row)).0);
            prop_assert_eq!(one == other, texts[0] == texts[1]);
        }

        #[test]
        fn rows_that_share_a_compatible_text_are_ambiguous((one, other) in two_rows()) {
            prop_assume!(one != other);
            let rows = [&one, &other].map(|row| canonical(CanonicalForm::Compatible, &forms_of(row)));
            if rows[0].0 == rows[1].0 {
                // Of two rows with one text, at least one holds the value that reads two ways.
                let ambiguous = |finding| matches!(finding, Finding::Ambiguous { .. });
                prop_assert!(rows.iter().any(|row| ambiguous(row.1)));
            }
        }

        #[test]
        fn slices_are_pushed_as_texts_are(
            rows in prop::collection::vec(prop::collection::vec("[a|\\\\N가]{0,4}|[a-z가|]{30,70}", 0..5), 1..4),
            count in 1_usize..4,
        ) {
            let columns = columns(count);
            for form in CanonicalForm::ALL {
                let [mut texts, mut slices] = [(); 2].map(|()| RowBatch::new(&columns, form));
                for row in &rows {
                    // The texts of a row lie in one buffer, as in a line.
                    let line = row.concat() + &"\0".repeat(row.len() % 2 * 40);
                    let mut end = 0;
                    let places: Vec<usize> = row.iter().map(|text| {
                        end += text.len();
                        end - text.len()
                    }).collect();
                    let slice = |(text, place): (&String, &usize)| Slice {
                        tail: &line[*place..],
                        length: text.len(),
                    };
                    prop_assert_eq!(
                        slices.push_slices(row.iter().zip(&places).map(slice)),
                        texts.push(row.iter().map(|text| Value::Text(text)))
                    );
                }
                prop_assert!(slices.texts().eq(texts.texts()));
                prop_assert!(slices.findings().eq(texts.findings()));
            }
        }

        #[test]
        fn units_are_pushed_as_values_of_units_are(
            rows in prop::collection::vec(prop::collection::vec(units(), 3), 0..6),
            more in units(),
            count in prop::sample::select(vec![1_usize, 3]),
        ) {
            let columns = columns(count);
            let all: Vec<u16> = rows.iter().flatten().flatten().chain(&more).copied().collect();
            let lengths: Vec<u32> = rows.iter().flatten().map(|value| value.len() as u32).collect();
            for form in CanonicalForm::ALL {
                let [mut values, mut units] = [(); 2].map(|()| RowBatch::new(&columns, form));
                for row in rows.concat().chunks_exact(count) {
                    values.push(row.iter().map(|value| Value::Utf16(value))).unwrap();
                }
                // In two calls, the second of which finds rows that are there.
                let (first, second) = lengths.split_at(lengths.len() / 6 * 3);
                let middle = first.iter().sum::<u32>() as usize;
                units.push_utf16(&all, first).unwrap();
                units.push_utf16(&all[middle..], second).unwrap();
                prop_assert!(units.texts().eq(values.texts()));
                prop_assert!(units.findings().eq(values.findings()));
                prop_assert!(units.hashes().eq(values.hashes()));
            }
        }

        #[test]
        fn the_compatible_text_is_the_values_joined(row in values(3)) {
            let expected = row
                .iter()
                .map(|text| if text.is_empty() { r"\N" } else { text })
                .collect::<Vec<_>>()
                .join("|");
            prop_assert_eq!(canonical(CanonicalForm::Compatible, &forms_of(&row)).0, expected);
        }
    }
}
