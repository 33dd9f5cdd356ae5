//! One text for each typed value, so that a record, a JSON line and SQL agree on it.

use std::io::Write as _;

use thiserror::Error;

use super::utf16;

/// The longest plain decimal text: Kudu's limit for a cell, in bytes.
const MAX_DECIMAL_LENGTH: i64 = 65_536;

const SECONDS_PER_DAY: i64 = 86_400;
const NANOS_PER_SECOND: u32 = 1_000_000_000;

/// A column's value before it becomes canonical text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Null or absent: `\N`, as is an empty text.
    Null,
    /// A text, as it is: nothing is trimmed, case-folded or normalised.
    Text(&'a str),
    /// A text in UTF-16 code units, as Java holds it. An unpaired surrogate becomes `?`, as in
    /// Java's `String.getBytes(UTF_8)`.
    Utf16(&'a [u16]),
    /// Decimal digits, `-` when negative.
    Integer(i64),
    /// A decimal literal of any precision: `-`, digits, a point, an exponent, as JSON numbers and
    /// `BigDecimal.toString` write it. Becomes plain notation: no exponent, no zeros at the end of
    /// the fraction, no bare point, no `-0`.
    Decimal(&'a str),
    /// The shortest decimal that reads back as the same `float`, in plain notation.
    Float(f32),
    /// The shortest decimal that reads back as the same `double`, in plain notation.
    Double(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// `yyyy-MM-dd`; days since 1970-01-01.
    Date(i32),
    /// `HH:mm:ss`, then the fraction if there is one; nanoseconds since midnight.
    Time(u64),
    /// `yyyy-MM-dd HH:mm:ss` in UTC, then the fraction if there is one.
    Timestamp {
        /// Whole seconds since 1970-01-01 00:00:00 UTC, rounded down.
        seconds: i64,
        /// Nanoseconds after `seconds`, below 1,000,000,000.
        nanos: u32,
    },
}

impl Value<'_> {
    /// Appends the value's text, nothing for an empty one.
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
        match *self {
            Value::Null => {}
            Value::Text(text) => out.extend_from_slice(text.as_bytes()),
            Value::Utf16(units) => utf16::append(units, out),
            Value::Integer(number) => write_display(number, out),
            Value::Decimal(literal) => write_decimal(literal, out)?,
            Value::Float(number) if !number.is_finite() => {
                return Err(ValueError::NotFinite(number.to_string()));
            }
            Value::Double(number) if !number.is_finite() => {
                return Err(ValueError::NotFinite(number.to_string()));
            }
            // Rust shows a float as its shortest decimal, without exponent; adding 0.0 turns -0.0
            // into 0.0 and leaves every other number as it is.
            Value::Float(number) => write_display(number + 0.0, out),
            Value::Double(number) => write_display(number + 0.0, out),
            Value::Boolean(truth) => write_display(truth, out),
            Value::Date(days) => write_date(i64::from(days), out)?,
            Value::Time(nanos) => {
                let seconds = i64::try_from(nanos / u64::from(NANOS_PER_SECOND))
                    .ok()
                    .filter(|seconds| *seconds < SECONDS_PER_DAY)
                    .ok_or(ValueError::Time(nanos))?;
                write_time(seconds, (nanos % u64::from(NANOS_PER_SECOND)) as u32, out);
            }
            Value::Timestamp { seconds, nanos } => {
                if nanos >= NANOS_PER_SECOND {
                    return Err(ValueError::Fraction(nanos));
                }
                write_date(seconds.div_euclid(SECONDS_PER_DAY), out)?;
                out.push(b' ');
                write_time(seconds.rem_euclid(SECONDS_PER_DAY), nanos, out);
            }
        }
        Ok(())
    }
}

/// Why a value has no canonical text.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ValueError {
    /// NaN or an infinity.
    #[error("{0} is not a finite number")]
    NotFinite(String),
    /// A text given as a decimal that is none.
    #[error("'{0}' is not a decimal number")]
    Decimal(String),
    /// A number whose plain notation would be longer than any Kudu cell.
    #[error("'{0}' has more than {MAX_DECIMAL_LENGTH} digits in plain notation")]
    DecimalLength(String),
    /// A date or timestamp outside the years that `yyyy` can write.
    #[error("day {0} after 1970-01-01 is outside the years 0001 to 9999")]
    Year(i64),
    /// A time of day past the day's end.
    #[error("{0} nanoseconds after midnight is past the end of the day")]
    Time(u64),
    /// A fraction of a second that is none.
    #[error("{0} nanoseconds is not a fraction of a second")]
    Fraction(u32),
    /// An array, a map or a record.
    #[error("arrays, maps and records cannot be hashed")]
    Nested,
}

fn write_display(value: impl std::fmt::Display, out: &mut Vec<u8>) {
    // Writing to a Vec cannot fail.
    let _ = write!(out, "{value}");
}

fn write_decimal(literal: &str, out: &mut Vec<u8>) -> Result<(), ValueError> {
    let malformed = || ValueError::Decimal(shortened(literal));
    let (negative, unsigned) = match literal.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (mantissa, exponent) = match unsigned.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (
            &unsigned[..at],
            parse_exponent(&unsigned[at + 1..]).ok_or_else(malformed)?,
        ),
        None => (unsigned, 0),
    };
    let (whole, fraction) = match mantissa.iter().position(|&byte| byte == b'.') {
        Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
        None => (mantissa, &mantissa[mantissa.len()..]),
    };
    if whole.is_empty() && fraction.is_empty()
        || !whole.iter().chain(fraction).all(u8::is_ascii_digit)
    {
        return Err(malformed());
    }

    let digits = [whole, fraction].concat();
    let Some(first) = digits.iter().position(|&digit| digit != b'0') else {
        out.push(b'0');
        return Ok(());
    };
    let end = digits
        .iter()
        .rposition(|&digit| digit != b'0')
        .map_or(digits.len(), |last| last + 1);
    let significant = &digits[first..end];
    // The number is 0.significant times ten to the power of `point`.
    let point = (whole.len() as i64 - first as i64).saturating_add(exponent);
    let length = (significant.len() as i64).max(point).max(
        (significant.len() as i64)
            .saturating_sub(point)
            .saturating_add(2),
    );
    if length > MAX_DECIMAL_LENGTH {
        return Err(ValueError::DecimalLength(shortened(literal)));
    }

    if negative {
        out.push(b'-');
    }
    match usize::try_from(point) {
        Ok(point) if point >= significant.len() => {
            out.extend_from_slice(significant);
            out.resize(out.len() + point - significant.len(), b'0');
        }
        Ok(point) if point > 0 => {
            out.extend_from_slice(&significant[..point]);
            out.push(b'.');
            out.extend_from_slice(&significant[point..]);
        }
        _ => {
            out.extend_from_slice(b"0.");
            out.resize(out.len() + point.unsigned_abs() as usize, b'0');
            out.extend_from_slice(significant);
        }
    }
    Ok(())
}

/// An exponent too large for any plain notation saturates; the length check refuses it.
fn parse_exponent(digits: &[u8]) -> Option<i64> {
    let (negative, digits) = match digits {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let size = digits.iter().fold(0_i64, |size, digit| {
        size.saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'))
    });
    // Half the range leaves room for the sums that follow.
    let size = size.min(i64::MAX / 2);
    Some(if negative { -size } else { size })
}

/// The start of a text that may be very long, for a message.
fn shortened(text: &str) -> String {
    const LIMIT: usize = 40;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn write_date(days: i64, out: &mut Vec<u8>) -> Result<(), ValueError> {
    let (year, month, day) = civil(days)
        .filter(|(year, ..)| (1..=9999).contains(year))
        .ok_or(ValueError::Year(days))?;
    let _ = write!(out, "{year:04}-{month:02}-{day:02}");
    Ok(())
}

fn write_time(seconds: i64, nanos: u32, out: &mut Vec<u8>) {
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let _ = write!(out, "{hour:02}:{minute:02}:{second:02}");
    if nanos > 0 {
        let _ = write!(out, ".{nanos:09}");
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }
}

/// Year, month and day of the proleptic Gregorian calendar.
///
/// Days are counted from 0000-03-01, so that the leap day is the last day of its year; 400 years
/// have 146,097 days.
fn civil(days_since_1970: i64) -> Option<(i64, i64, i64)> {
    let days = days_since_1970.checked_add(719_468)?;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    Some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(value: Value) -> Result<String, ValueError> {
        let mut out = Vec::new();
        value.write(&mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    fn decimal(literal: &str) -> String {
        text(Value::Decimal(literal)).unwrap()
    }

    #[test]
    fn decimals_are_written_in_plain_notation() {
        for (literal, plain) in [
            ("5", "5"),
            ("5.0", "5"),
            ("5.000000", "5"),
            ("1E7", "10000000"),
            ("1.0E-5", "0.00001"),
            ("1e3", "1000"),
            ("1E+3", "1000"),
            ("1.50", "1.5"),
            ("0.10", "0.1"),
            ("120e-1", "12"),
            ("12.34e1", "123.4"),
            ("12.34e-3", "0.01234"),
            ("007", "7"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("0e999999999999999999999", "0"),
            ("-1.5", "-1.5"),
            (
                "123456789012345678901234567890.5",
                "123456789012345678901234567890.5",
            ),
        ] {
            assert_eq!(decimal(literal), plain, "{literal}");
        }
    }

    #[test]
    fn texts_that_are_no_decimals_are_refused() {
        for literal in [
            "", "-", ".", "e5", "1e", "1e+", "1.2.3", "0x10", "NaN", "1,5", " 1", "--1",
        ] {
            assert!(
                matches!(text(Value::Decimal(literal)), Err(ValueError::Decimal(_))),
                "{literal}"
            );
        }
    }

    #[test]
    fn exponents_beyond_any_cell_are_refused() {
        for literal in [
            "1e65537",
            "1e-65536",
            "1e999999999999999999999",
            "-1e-999999999999999999999",
        ] {
            assert!(
                matches!(
                    text(Value::Decimal(literal)),
                    Err(ValueError::DecimalLength(_))
                ),
                "{literal}"
            );
        }
        assert_eq!(decimal("1e65535").len(), 65_536);
    }

    #[test]
    fn floats_are_their_shortest_decimal() {
        assert_eq!(text(Value::Double(0.1)).unwrap(), "0.1");
        assert_eq!(text(Value::Double(1e21)).unwrap(), "1000000000000000000000");
        assert_eq!(text(Value::Double(-0.0)).unwrap(), "0");
        assert_eq!(text(Value::Float(-0.0)).unwrap(), "0");
        assert_eq!(text(Value::Float(0.1)).unwrap(), "0.1");
        assert_eq!(text(Value::Double(5e-324)).unwrap().len(), 326);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(matches!(
                text(Value::Double(bad)),
                Err(ValueError::NotFinite(_))
            ));
        }
        assert!(matches!(
            text(Value::Float(f32::NAN)),
            Err(ValueError::NotFinite(_))
        ));
    }

    #[test]
    fn dates_and_times_have_their_fraction_only_when_there_is_one() {
        let timestamp = |seconds, nanos| text(Value::Timestamp { seconds, nanos }).unwrap();
        assert_eq!(timestamp(0, 0), "1970-01-01 00:00:00");
        assert_eq!(timestamp(-1, 999_999_999), "1969-12-31 23:59:59.999999999");
        assert_eq!(
            timestamp(1_772_029_800, 123_000_000),
            "2026-02-25 14:30:00.123"
        );
        assert_eq!(timestamp(-62_135_596_800, 0), "0001-01-01 00:00:00");
        assert_eq!(
            timestamp(253_402_300_799, 1_000),
            "9999-12-31 23:59:59.000001"
        );
        assert_eq!(text(Value::Date(11_016)).unwrap(), "2000-02-29");
        assert_eq!(text(Value::Time(0)).unwrap(), "00:00:00");
        assert_eq!(
            text(Value::Time(86_399_999_999_999)).unwrap(),
            "23:59:59.999999999"
        );
    }

    #[test]
    fn days_outside_the_four_digit_years_are_refused() {
        for seconds in [-62_135_596_801, 253_402_300_800, i64::MIN, i64::MAX] {
            assert!(matches!(
                text(Value::Timestamp { seconds, nanos: 0 }),
                Err(ValueError::Year(_))
            ));
        }
        assert_eq!(
            text(Value::Time(86_400_000_000_000)),
            Err(ValueError::Time(86_400_000_000_000))
        );
        assert_eq!(
            text(Value::Timestamp {
                seconds: 0,
                nanos: 1_000_000_000
            }),
            Err(ValueError::Fraction(1_000_000_000))
        );
    }

    #[test]
    fn every_day_of_the_four_digit_years_follows_the_one_before() {
        let mut expected = (1, 1, 1);
        for days in -719_162..=2_932_896 {
            assert_eq!(civil(days), Some(expected));
            let (year, month, day) = expected;
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let last = match month {
                2 if leap => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            expected = match (month, day) {
                (12, 31) => (year + 1, 1, 1),
                _ if day == last => (year, month + 1, 1),
                _ => (year, month, day + 1),
            };
        }
        assert_eq!(expected, (10_000, 1, 1));
    }

    proptest! {
        #[test]
        fn utf16_is_what_a_lossy_decoder_with_question_marks_gives(units: Vec<u16>) {
            let expected: String = char::decode_utf16(units.iter().copied())
                .map(|unit| unit.unwrap_or('?'))
                .collect();
            prop_assert_eq!(text(Value::Utf16(&units)).unwrap(), expected);
        }

        #[test]
        fn a_double_and_its_literal_have_one_text(number in proptest::num::f64::NORMAL) {
            let literal = format!("{number:e}");
            prop_assert_eq!(decimal(&literal), text(Value::Double(number)).unwrap());
        }

        #[test]
        fn an_integer_and_its_literal_have_one_text(number: i64) {
            prop_assert_eq!(
                decimal(&number.to_string()),
                text(Value::Integer(number)).unwrap()
            );
        }

        #[test]
        fn a_decimal_in_plain_notation_stays_as_it_is(literal in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{0,30}[1-9])?") {
            let expected = if literal == "-0" { "0" } else { &literal };
            prop_assert_eq!(decimal(&literal), expected);
        }
    }
}
