//! Typed values for Java: the fields of records, each with its kind.
//!
//! A value crosses as UTF-16 units, like a text, so that a row of any types is one `char[]` still.
//! Whole numbers and the bits of floating-point ones are big-endian in the units: the text is the
//! core's and depends on no JDK.

use std::iter;

use jni::objects::{JByteArray, JCharArray, JClass, JIntArray};
use jni::sys::{jbyte, jint, jlong};
use jni::{Env, NativeMethod, native_method};
use rowhash_core::{RowBatch, RowError, Value, ValueError};

use crate::error::{Error, ThrowJavaException};
use crate::hashers::HASHERS;
use crate::{Cells, Strings, code, collected, copied, strings};

const _: NativeMethod = bindings! {
    static extern fn hash_records(
        hasher: jlong, values: [jchar], lengths: [jint], kinds: [jbyte], rows: jint,
        hashes: [jbyte], findings: [jint],
    ) -> [JString]
};

/// More than the longest text of a value that is no text and no decimal: a tiny `double`'s.
const LONGEST_NUMBER: usize = 350;
/// More than the longest text of a decimal, which is refused beyond 65,536 bytes.
const LONGEST_DECIMAL: usize = 65_540;

/// Hashes `rows` rows of typed values, as `hash` does rows of texts. A refused row has no hash; its
/// finding is `-2 - k`, where k is the index of its reason in the texts that this gives.
#[allow(clippy::too_many_arguments)] // the signature of the Java method
fn hash_records<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    hasher: jlong,
    values: JCharArray<'local>,
    lengths: JIntArray<'local>,
    kinds: JByteArray<'local>,
    rows: jint,
    hashes: JByteArray<'local>,
    findings: JIntArray<'local>,
) -> Result<Strings<'local>, Error> {
    let hasher = HASHERS.get(hasher)?;
    let names = hasher.columns.names();
    let count = usize::try_from(rows).map_err(|_| Error::Arguments("a negative number of rows"))?;
    if hashes.len(env)? / 32 < count || findings.len(env)? < count {
        return Err(Error::Arguments("results that do not fit their arrays"));
    }
    let cells = Cells::copy(env, &values, &lengths, count, names.len())?;
    if kinds.len(env)? < cells.lengths.len() {
        return Err(Error::Arguments("fewer kinds than values"));
    }
    let kinds = copied(cells.lengths.len(), |buffer| {
        kinds.get_region(env, 0, buffer)
    })?;

    let mut batch = RowBatch::new(&hasher.columns, hasher.form);
    batch.try_reserve(count, cells.values.len().saturating_mul(3))?;
    let mut codes = collected(count, iter::repeat_n(0, count))?;
    let mut reasons = Vec::new();
    for (row, (units, kinds)) in cells
        .rows()
        .zip(kinds.chunks_exact(names.len()))
        .enumerate()
    {
        let read: Result<Vec<Typed>, Error> = units
            .zip(kinds)
            .map(|(units, &kind)| Typed::read(kind, units))
            .collect();
        let read = read?;
        batch.try_reserve(1, read.iter().map(Typed::most_bytes).sum())?;
        let pushed = match read
            .iter()
            .zip(names)
            .find_map(|(typed, name)| typed.refusal(name))
        {
            Some(reason) => Err(reason),
            None => batch
                .push(read.iter().map(Typed::value))
                .map_err(|error| error.to_string()),
        };
        codes[row] = match pushed {
            Ok(finding) => code(finding),
            Err(reason) => {
                reasons.try_reserve(1)?;
                reasons.push(reason);
                -1 - reasons.len() as jint
            }
        };
    }

    let mut digits = batch
        .hashes()
        .map(|hash| hash.to_hex().map(|digit| digit as i8));
    let digits = collected(
        count,
        codes.iter().map(|code| match code {
            ..-1 => [0; 32],
            _ => digits.next().unwrap_or_default(),
        }),
    )?;
    hashes.set_region(env, 0, digits.as_flattened())?;
    findings.set_region(env, 0, &codes)?;
    strings(env, &reasons)
}

/// A value as Java packed it.
enum Typed<'u> {
    Value(Value<'u>),
    Decimal(String),
    Date(i64),
    Nested,
    Other(String),
}

impl<'u> Typed<'u> {
    /// The kinds are those of `dev.rowhash.nifi.jni.TypedValue`.
    fn read(kind: jbyte, units: &'u [u16]) -> Result<Self, Error> {
        Ok(match kind {
            0 => {
                #[cfg(feature = "test-hooks")]
                crate::hooks::panic_at(units);
                Self::Value(Value::Utf16(units))
            }
            1 => Self::Value(Value::Integer(whole(units)?)),
            2 => Self::Decimal(String::from_utf16_lossy(units)),
            3 => Self::Value(Value::Float(f32::from_bits(bits::<2>(units)? as u32))),
            4 => Self::Value(Value::Double(f64::from_bits(bits::<4>(units)?))),
            5 => Self::Value(Value::Boolean(whole(units)? != 0)),
            6 => Self::Date(whole(units)?),
            7 => Self::Value(Value::Time(bits::<4>(units)?)),
            8 => {
                let (seconds, nanos) = units.split_at_checked(4).ok_or(SHORT)?;
                Self::Value(Value::Timestamp {
                    seconds: whole(seconds)?,
                    nanos: bits::<2>(nanos)? as u32,
                })
            }
            9 => Self::Nested,
            10 => Self::Other(String::from_utf16_lossy(units)),
            _ => return Err(Error::Arguments("a kind of value that is none")),
        })
    }

    /// Why the value has no text, where its kind alone says so.
    fn refusal(&self, column: &str) -> Option<String> {
        let source = match self {
            Self::Nested => ValueError::Nested,
            Self::Date(days) if i32::try_from(*days).is_err() => ValueError::Year(*days),
            Self::Other(class) => {
                return Some(format!(
                    "column '{column}': values of the class {class} cannot be hashed"
                ));
            }
            Self::Value(_) | Self::Decimal(_) | Self::Date(_) => return None,
        };
        let column = column.to_owned();
        Some(RowError::Value { column, source }.to_string())
    }

    fn value(&self) -> Value<'_> {
        match self {
            Self::Value(value) => *value,
            Self::Decimal(literal) => Value::Decimal(literal),
            Self::Date(days) => i32::try_from(*days).map_or(Value::Null, Value::Date),
            // Refused before.
            Self::Nested | Self::Other(_) => Value::Null,
        }
    }

    fn most_bytes(&self) -> usize {
        match self {
            // Reserved for the whole batch.
            Self::Value(Value::Utf16(_)) => 0,
            Self::Decimal(literal) if literal.contains(['e', 'E']) => LONGEST_DECIMAL,
            Self::Decimal(literal) => literal.len() + 2,
            _ => LONGEST_NUMBER,
        }
    }
}

const SHORT: Error = Error::Arguments("a value of another length than its kind has");

/// The big-endian number in exactly `N` units.
fn bits<const N: usize>(units: &[u16]) -> Result<u64, Error> {
    if units.len() != N {
        return Err(SHORT);
    }
    Ok(units
        .iter()
        .fold(0, |bits, &unit| bits << 16 | u64::from(unit)))
}

fn whole(units: &[u16]) -> Result<i64, Error> {
    Ok(i64::from_ne_bytes(bits::<4>(units)?.to_ne_bytes()))
}
