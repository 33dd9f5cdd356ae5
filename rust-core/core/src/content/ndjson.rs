//! Newline-delimited JSON: one object a line, each with its hash added.
//!
//! Everything but the hash stays as it is, byte for byte: the other fields, their order, their
//! spelling and the white space. A name that stands twice in an object has its last value, as the
//! JSON readers of NiFi, Trino and most languages take it.
//!
//! ```
//! use rowhash_core::content::ndjson::Object;
//! use rowhash_core::{CanonicalForm, Columns, RowBatch};
//!
//! let columns = Columns::parse("a,b", "row_hash")?;
//! let object = Object::parse(br#"{"b": 1e3, "a": "x", "c": []}"#, &columns)?;
//!
//! let mut rows = RowBatch::new(&columns, CanonicalForm::Compatible);
//! rows.push(object.values())?;
//! let hash = rows.hashes().next();
//!
//! let mut line = Vec::new();
//! object.write_with_hash(hash.unwrap(), &mut line);
//! assert_eq!(
//!     line,
//!     br#"{"b": 1e3, "a": "x", "c": [],"row_hash":"70a871496003585992a853d4c5308894"}"#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use thiserror::Error;

use super::write_json_string;
use crate::{Columns, RowHash, Value, ValueError};

/// One line, read.
#[derive(Clone, Debug)]
pub struct Object<'l> {
    line: &'l str,
    hash_column: &'l str,
    values: Vec<Scalar<'l>>,
    stored: Option<Stored<'l>>,
    is_empty: bool,
}

/// The hashes that an object holds already.
#[derive(Clone, Debug)]
struct Stored<'l> {
    first: &'l str,
    last: &'l str,
    /// The fields after the first, each with the comma before it.
    repeated: Vec<Range<usize>>,
}

/// A JSON value that has a canonical text.
#[derive(Clone, Debug)]
enum Scalar<'l> {
    Null,
    Boolean(bool),
    Number(&'l str),
    Text(Cow<'l, str>),
}

impl<'l> Object<'l> {
    /// Reads a line without its line break; white space around the object is allowed.
    ///
    /// # Errors
    /// Text that is no JSON object in UTF-8, and an array or object in one of the columns.
    pub fn parse(line: &'l [u8], columns: &'l Columns) -> Result<Self, LineError> {
        let line = std::str::from_utf8(line).map_err(|error| LineError::utf8(&error))?;
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let fields = deserializer
            .deserialize_map(Fields { line, columns })
            .and_then(|fields| deserializer.end().map(|()| fields))
            .map_err(|error| LineError::json(&error))?;
        let values = fields
            .values
            .into_iter()
            .zip(columns.names())
            .map(|(raw, name)| scalar(raw, name))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            line,
            hash_column: columns.hash_column(),
            values,
            stored: fields.stored,
            is_empty: fields.is_empty,
        })
    }

    /// The values of the columns, in canonical order.
    pub fn values(&self) -> impl Iterator<Item = Value<'_>> {
        self.values.iter().map(|scalar| match scalar {
            Scalar::Null => Value::Null,
            Scalar::Boolean(truth) => Value::Boolean(*truth),
            Scalar::Number(literal) => Value::Decimal(literal),
            Scalar::Text(text) => Value::Text(text),
        })
    }

    /// What the hash column holds already: the text of a string, the JSON text of anything else.
    pub fn stored_hash(&self) -> Option<Cow<'l, str>> {
        let raw = self.stored.as_ref()?.last;
        let text = serde_json::Deserializer::from_str(raw).deserialize_bytes(Text);
        Some(text.unwrap_or(Cow::Borrowed(raw)))
    }

    /// Appends the line with its hash: in place of the one it holds, or as the last field. Of
    /// several that it holds, one remains.
    pub fn write_with_hash(&self, hash: RowHash, out: &mut Vec<u8>) {
        let hole = self.write_with_hole(out);
        out[hole..hole + HOLE.len()].copy_from_slice(&hash.to_hex());
    }

    /// Appends the line with 32 digits that are not the hash yet, and says where they stand.
    pub(super) fn write_with_hole(&self, out: &mut Vec<u8>) -> usize {
        let line = self.line.as_bytes();
        let Some(stored) = &self.stored else {
            // The object ends with the last brace of the line.
            let brace = self.line.rfind('}').unwrap_or(line.len());
            out.extend_from_slice(&line[..brace]);
            if !self.is_empty {
                out.push(b',');
            }
            write_json_string(self.hash_column, out);
            out.push(b':');
            let hole = write_hole(out);
            out.extend_from_slice(&line[brace..]);
            return hole;
        };
        let value = range_in(self.line, stored.first);
        out.extend_from_slice(&line[..value.start]);
        let hole = write_hole(out);
        let mut copied = value.end;
        for field in &stored.repeated {
            out.extend_from_slice(&line[copied..field.start]);
            copied = field.end;
        }
        out.extend_from_slice(&line[copied..]);
        hole
    }
}

const HOLE: [u8; 32] = [b'0'; 32];

fn write_hole(out: &mut Vec<u8>) -> usize {
    out.push(b'"');
    let hole = out.len();
    out.extend_from_slice(&HOLE);
    out.push(b'"');
    hole
}

/// Where a part of the line stands in it.
fn range_in(line: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - line.as_ptr().addr();
    start..start + part.len()
}

fn scalar<'l>(raw: Option<&'l str>, column: &str) -> Result<Scalar<'l>, LineError> {
    let Some(raw) = raw else {
        return Ok(Scalar::Null);
    };
    Ok(match raw.as_bytes().first() {
        Some(b'n') => Scalar::Null,
        Some(b't') => Scalar::Boolean(true),
        Some(b'f') => Scalar::Boolean(false),
        Some(b'"') => Scalar::Text(
            serde_json::Deserializer::from_str(raw)
                .deserialize_bytes(Text)
                .map_err(|error| LineError::json(&error))?,
        ),
        Some(b'[' | b'{') => {
            return Err(LineError::Value {
                name: column.to_owned(),
                source: ValueError::Nested,
            });
        }
        _ => Scalar::Number(raw),
    })
}

/// The fields of an object that matter: a value for each column, and the hashes that are there.
struct Fields<'l, 'c> {
    line: &'l str,
    columns: &'c Columns,
}

struct Found<'l> {
    values: Vec<Option<&'l str>>,
    stored: Option<Stored<'l>>,
    is_empty: bool,
}

impl<'l> Visitor<'l> for Fields<'l, '_> {
    type Value = Found<'l>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = vec![None; self.columns.names().len()];
        let mut stored: Option<Stored> = None;
        let mut end = None;
        while let Some(name) = map.next_key_seed(Name)? {
            let raw: &RawValue = map.next_value()?;
            let raw = raw.get();
            let value = range_in(self.line, raw);
            if let Some(column) = self.columns.position(&name) {
                values[column] = Some(raw);
            } else if *name == *self.columns.hash_column().as_bytes() {
                match &mut stored {
                    None => {
                        stored = Some(Stored {
                            first: raw,
                            last: raw,
                            repeated: Vec::new(),
                        });
                    }
                    Some(stored) => {
                        stored.last = raw;
                        stored.repeated.push(end.unwrap_or(value.end)..value.end);
                    }
                }
            }
            end = Some(value.end);
        }
        Ok(Found {
            values,
            stored,
            is_empty: end.is_none(),
        })
    }
}

/// A JSON string, an unpaired surrogate escape in it as `?`. Read as bytes: that is the only way
/// in which serde_json lets such an escape through, as the three bytes that would encode it.
struct Text;

impl<'l> Visitor<'l> for Text {
    type Value = Cow<'l, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_bytes<E: serde::de::Error>(self, bytes: &'l [u8]) -> Result<Self::Value, E> {
        std::str::from_utf8(bytes)
            .map(Cow::Borrowed)
            .map_err(|_| E::custom("the string is not UTF-8"))
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        let mut text = String::with_capacity(bytes.len());
        let mut rest = bytes;
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    return Ok(Cow::Owned(text));
                }
                Err(error) => {
                    let (valid, surrogate) = rest.split_at(error.valid_up_to());
                    text.push_str(std::str::from_utf8(valid).map_err(E::custom)?);
                    text.push('?');
                    rest = surrogate
                        .get(3..)
                        .ok_or_else(|| E::custom("the string is not UTF-8"))?;
                }
            }
        }
    }
}

/// A field's name, as bytes: one with an unpaired surrogate escape in it is no UTF-8, so that no
/// column has it.
struct Name;

impl<'l> DeserializeSeed<'l> for Name {
    type Value = Cow<'l, [u8]>;

    fn deserialize<D: Deserializer<'l>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl<'l> Visitor<'l> for Name {
    type Value = Cow<'l, [u8]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_bytes<E>(self, name: &'l [u8]) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_bytes<E>(self, name: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

/// Why a line is refused. Columns are bytes, counted from 1; for JSON, of the last byte read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LineError {
    /// Bytes that are no UTF-8.
    #[error("the line is not UTF-8 at column {column}")]
    Utf8 {
        /// Where the first bad byte stands.
        column: usize,
    },
    /// Text that is no JSON object.
    #[error("not a JSON object: {message} at column {column}")]
    Json {
        /// What was wrong.
        message: String,
        /// Where.
        column: usize,
    },
    /// A value that cannot be hashed.
    #[error("column '{name}': {source}")]
    Value {
        /// The column.
        name: String,
        /// What is wrong with its value.
        source: ValueError,
    },
}

impl LineError {
    pub(super) fn utf8(error: &std::str::Utf8Error) -> Self {
        Self::Utf8 {
            column: error.valid_up_to() + 1,
        }
    }

    fn json(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        // serde_json ends its message with a position whose line is always 1 here.
        let message = text
            .rsplit_once(" at line ")
            .map_or(text.as_str(), |(message, _)| message);
        Self::Json {
            message: message.to_owned(),
            column: error.column(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CanonicalForm, RowBatch};
    use proptest::prelude::*;

    fn columns() -> Columns {
        Columns::parse("a,b", "row_hash").unwrap()
    }

    /// The canonical text of a line and the line with its hash as `@`.
    fn hashed(line: &str) -> (String, String) {
        let columns = columns();
        let object = Object::parse(line.as_bytes(), &columns).unwrap();
        let mut rows = RowBatch::new(&columns, CanonicalForm::Compatible);
        rows.push(object.values()).unwrap();
        let hash = rows.hashes().next().unwrap();
        let mut out = Vec::new();
        object.write_with_hash(hash, &mut out);
        let text = String::from_utf8(rows.texts().next().unwrap().to_vec()).unwrap();
        let line = String::from_utf8(out).unwrap();
        (text, line.replace(&hash.to_string(), "@"))
    }

    fn refused(line: &[u8]) -> LineError {
        Object::parse(line, &columns()).unwrap_err()
    }

    #[test]
    fn the_hash_is_the_last_field_and_the_rest_stays_as_it_is() {
        for (line, expected) in [
            (r#"{"a":"x"}"#, r#"{"a":"x","row_hash":"@"}"#),
            (
                r#" { "z" : [1, {"}": 2}] , "a" : "\u00e9" } "#,
                r#" { "z" : [1, {"}": 2}] , "a" : "\u00e9" ,"row_hash":"@"} "#,
            ),
            ("{}", r#"{"row_hash":"@"}"#),
            ("{ }\r", "{ \"row_hash\":\"@\"}\r"),
        ] {
            assert_eq!(hashed(line).1, expected);
        }
    }

    #[test]
    fn a_hash_that_is_there_is_replaced_where_it_first_stands_and_remains_alone() {
        for (line, expected) in [
            (
                r#"{"row_hash":"old","a":"x"}"#,
                r#"{"row_hash":"@","a":"x"}"#,
            ),
            (
                r#"{"row_hash" : null , "a":"x"}"#,
                r#"{"row_hash" : "@" , "a":"x"}"#,
            ),
            (
                r#"{"row_hash":{"a":"}"},"a":"x","row\u005fhash":1}"#,
                r#"{"row_hash":"@","a":"x"}"#,
            ),
            (
                r#"{ "row_hash":"1" ,"row_hash":2, "a":"x" , "row_hash" : 3 }"#,
                r#"{ "row_hash":"@", "a":"x" }"#,
            ),
        ] {
            assert_eq!(hashed(line), (r"x|\N".into(), expected.into()));
        }
    }

    #[test]
    fn a_name_with_half_a_surrogate_pair_is_no_column() {
        let columns = Columns::parse("?,a", "row_hash").unwrap();
        let line = br#"{"a":"x","\ud800":"y"}"#;
        let object = Object::parse(line, &columns).unwrap();
        let values: Vec<Value> = object.values().collect();
        assert_eq!(values, [Value::Null, Value::Text("x")]);
    }

    #[test]
    fn another_hash_column_is_replaced_too_and_row_hash_is_then_a_field_like_any() {
        let columns = Columns::parse("a", "key").unwrap();
        let object = Object::parse(br#"{"key":1,"row_hash":2,"a":"x"}"#, &columns).unwrap();
        let mut out = Vec::new();
        object.write_with_hash(crate::md5(b"x"), &mut out);
        assert_eq!(
            out,
            br#"{"key":"9dd4e461268c8034f5c8564e155c67a6","row_hash":2,"a":"x"}"#
        );
    }

    #[test]
    fn the_stored_hash_is_the_last_one() {
        for (line, stored) in [
            (r#"{"a":1}"#, None),
            (r#"{"row_hash":"1","row_hash":"\u0061"}"#, Some("a")),
            (r#"{"row_hash":null}"#, Some("null")),
            (r#"{"row_hash":[1]}"#, Some("[1]")),
        ] {
            let columns = columns();
            let object = Object::parse(line.as_bytes(), &columns).unwrap();
            assert_eq!(object.stored_hash().as_deref(), stored, "{line}");
        }
    }

    #[test]
    fn each_json_value_has_its_canonical_text() {
        for (line, text) in [
            (r#"{"a":null,"b":""}"#, r"\N|\N"),
            (r#"{"a":true,"b":false}"#, "true|false"),
            (r#"{"a":1.50,"b":1e3}"#, "1.5|1000"),
            (r#"{"a":-0,"b":-0.0}"#, "0|0"),
            (
                r#"{"b":"\"\\\/\n\u0000","a":"😀\ud83d\ude00"}"#,
                "😀😀|\"\\/\n\0",
            ),
            (r#"{"\u0061":"escaped name"}"#, r"escaped name|\N"),
            (r#"{"a":"first","a":"last"}"#, r"last|\N"),
            (r#"{"a":"x\ud800y","b":"\udc00\ud800"}"#, "x?y|??"),
            (r#"{"a":"\ud800\u0041","\ud800":1}"#, r"?A|\N"),
        ] {
            assert_eq!(hashed(line).0, text, "{line}");
        }
    }

    #[test]
    fn what_is_no_json_object_is_refused_with_its_position() {
        assert_eq!(refused(b"{\"a\":\"\xff\"}"), LineError::Utf8 { column: 7 });
        for (line, at) in [
            ("", 0),
            ("[]", 0),
            ("\"a\"", 3),
            ("{\"a\":1", 6),
            ("{\"a\":1}}", 8),
            ("{\"a\":01}", 7),
            ("{\"a\":1,}", 8),
            ("{\"a\":'x'}", 6),
            ("{\"a\":NaN}", 6),
            ("{\"z\":\"\u{1}\"}", 6),
            ("{\"a\":\"\u{1}\"}", 6),
            ("{\"a\":\"\\x\"}", 8),
        ] {
            match refused(line.as_bytes()) {
                LineError::Json { column, .. } => assert_eq!(column, at, "{line}"),
                other => panic!("{line}: {other}"),
            }
        }
    }

    #[test]
    fn nested_values_are_refused_in_columns_only() {
        for line in [r#"{"a":[]}"#, r#"{"a":{"b":1}}"#] {
            assert_eq!(
                refused(line.as_bytes()),
                LineError::Value {
                    name: "a".into(),
                    source: ValueError::Nested
                }
            );
        }
        assert_eq!(hashed(r#"{"z":[[[[]]]],"a":1}"#).0, r"1|\N");
    }

    #[test]
    fn deep_nesting_outside_the_columns_is_no_danger() {
        let deep = format!("{{\"z\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(hashed(&deep).0, r"\N|\N");
    }

    proptest! {
        #[test]
        fn any_object_is_read_back_with_its_hash_and_all_else(
            fields in prop::collection::vec(("[abz\\\\\"]|row_hash", "\\PC{0,8}|[\\\\\"|}{]{0,4}"), 0..6)
        ) {
            let object: serde_json::Map<String, serde_json::Value> =
                fields.into_iter().map(|(name, text)| (name, text.into())).collect();
            let line = serde_json::to_string(&object).unwrap();
            let columns = columns();
            let parsed = Object::parse(line.as_bytes(), &columns).unwrap();
            let mut rows = RowBatch::new(&columns, CanonicalForm::Compatible);
            rows.push(parsed.values()).unwrap();
            let hash = rows.hashes().next().unwrap();
            let mut out = Vec::new();
            parsed.write_with_hash(hash, &mut out);

            let mut expected = object;
            expected.insert("row_hash".into(), hash.to_string().into());
            let back: serde_json::Value = serde_json::from_slice(&out).unwrap();
            prop_assert_eq!(back, serde_json::Value::Object(expected));
        }
    }
}
