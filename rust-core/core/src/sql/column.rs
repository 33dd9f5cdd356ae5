//! Columns with their types, as the user writes them.

use std::fmt;

use super::{SqlError, name};

/// What a column holds. The types are those of the canonical texts; where databases have several
/// of a kind, the widths only matter to a new table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnType {
    /// A text of any length.
    #[default]
    Text,
    /// A text that the database pads with blanks to a fixed length.
    Char,
    /// 8 bits.
    TinyInt,
    /// 16 bits.
    SmallInt,
    /// 32 bits.
    Int,
    /// 64 bits.
    BigInt,
    /// A decimal; precision and scale, where they are given.
    Decimal(Option<(u8, u8)>),
    /// True or false.
    Boolean,
    /// A day.
    Date,
    /// A time of day.
    Time,
    /// What the dialect calls TIMESTAMP: an instant, or a date and time in UTC.
    Timestamp,
    /// An instant where TIMESTAMP is none: TIMESTAMP WITH TIME ZONE.
    TimestampTz,
    /// A binary floating-point number of 32 bits.
    Float,
    /// A binary floating-point number of 64 bits.
    Double,
}

impl ColumnType {
    /// The names that a type can have, for messages.
    pub const NAMES: &'static str = "string, tinyint, smallint, int, bigint, decimal(p,s), boolean, date, time, timestamp, timestamptz";

    fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let (name, size) = match text.split_once('(') {
            Some((name, size)) => (name.trim_end(), Some(size.strip_suffix(')')?)),
            None => (text.as_str(), None),
        };
        let plain = match name {
            "string" | "varchar" | "text" => Self::Text,
            "char" => Self::Char,
            "tinyint" => Self::TinyInt,
            "smallint" => Self::SmallInt,
            "int" | "integer" => Self::Int,
            "bigint" => Self::BigInt,
            "decimal" | "numeric" => Self::Decimal(None),
            "boolean" | "bool" => Self::Boolean,
            "date" => Self::Date,
            "time" => Self::Time,
            "timestamp" => Self::Timestamp,
            "timestamptz" => Self::TimestampTz,
            "float" | "real" => Self::Float,
            "double" => Self::Double,
            _ => return None,
        };
        match (plain, size) {
            (plain, None) => Some(plain),
            (Self::Decimal(_), Some(size)) => {
                let (precision, scale) = size.split_once(',').unwrap_or((size, "0"));
                let (precision, scale) =
                    (precision.trim().parse().ok()?, scale.trim().parse().ok()?);
                ((1..=38).contains(&precision) && scale <= precision)
                    .then_some(Self::Decimal(Some((precision, scale))))
            }
            // How long a text may be is no matter of its hash.
            (Self::Text | Self::Char, Some(size)) => size.trim().parse::<u32>().ok().map(|_| plain),
            _ => None,
        }
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "string",
            Self::Char => "char",
            Self::TinyInt => "tinyint",
            Self::SmallInt => "smallint",
            Self::Int => "int",
            Self::BigInt => "bigint",
            Self::Decimal(None) => "decimal",
            Self::Decimal(Some((precision, scale))) => {
                return write!(f, "decimal({precision},{scale})");
            }
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Time => "time",
            Self::Timestamp => "timestamp",
            Self::TimestampTz => "timestamptz",
            Self::Float => "float",
            Self::Double => "double",
        })
    }
}

/// A column as the user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: ColumnType,
}

/// Columns from a list: `ts, amount:decimal(18,2), "a,b":date`.
pub(super) fn parse(list: &str) -> Result<Vec<Column>, SqlError> {
    let mut columns = Vec::new();
    let mut rest = list.trim();
    if rest.is_empty() {
        return Ok(columns);
    }
    loop {
        let start = rest;
        let (name, after) = name::read(rest, &[',', ':'])?;
        let in_quotes = start.starts_with('"');
        let after = after.trim_start();
        let (kind, after) = match after.strip_prefix(':') {
            None => (ColumnType::Text, after),
            Some(after) => {
                let end = end_of_type(after);
                let text = after[..end].trim();
                let kind = ColumnType::parse(text).ok_or_else(|| SqlError::UnknownType {
                    column: name.clone(),
                    name: text.to_owned(),
                })?;
                (kind, &after[end..])
            }
        };
        columns.push(Column { name, kind });
        match after.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None if after.is_empty() => return Ok(columns),
            None => {
                debug_assert!(in_quotes, "a bare name ends at a comma, a colon or the end");
                return Err(SqlError::AfterName {
                    name: start[..start.len() - after.len()].trim_end().to_owned(),
                    rest: after.to_owned(),
                });
            }
        }
    }
}

/// Where a type ends: at a comma that is not inside its parentheses.
fn end_of_type(text: &str) -> usize {
    let mut inside = false;
    text.find(|c| {
        inside = match c {
            '(' => true,
            ')' => false,
            _ => inside,
        };
        c == ',' && !inside
    })
    .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &str) -> Vec<(String, String)> {
        let columns = parse(list).unwrap();
        columns
            .into_iter()
            .map(|column| (column.name, column.kind.to_string()))
            .collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned()))
            .collect()
    }

    #[test]
    fn a_list_has_names_with_and_without_types() {
        assert_eq!(
            read(" ts , n:INT,d : decimal(18, 2),\n\"a,b\":date , \"q\"\"\" , e:numeric(5)"),
            pairs(&[
                ("ts", "string"),
                ("n", "int"),
                ("d", "decimal(18,2)"),
                ("a,b", "date"),
                ("q\"", "string"),
                ("e", "decimal(5,0)"),
            ])
        );
        assert_eq!(read("a(b,c"), pairs(&[("a(b", "string"), ("c", "string")]));
        assert_eq!(read("a:varchar(10)"), pairs(&[("a", "string")]));
        assert!(read(" ").is_empty());
    }

    #[test]
    fn what_is_no_type_is_named() {
        for (list, column, name) in [
            ("a:bigdecimal", "a", "bigdecimal"),
            ("x,a:", "a", ""),
            ("a:decimal(2,3)", "a", "decimal(2,3)"),
            ("a:decimal(39,0)", "a", "decimal(39,0)"),
            ("a:int(4)", "a", "int(4)"),
            ("a:decimal(2,b", "a", "decimal(2,b"),
            ("a:b:int", "a", "b:int"),
        ] {
            let expected = SqlError::UnknownType {
                column: column.into(),
                name: name.into(),
            };
            assert_eq!(parse(list), Err(expected), "{list}");
        }
    }

    #[test]
    fn what_follows_a_quoted_name_is_not_swallowed() {
        let expected = SqlError::AfterName {
            name: "\"a\"".into(),
            rest: "b, c".into(),
        };
        assert_eq!(parse("x, \"a\" b, c"), Err(expected));
        assert!(matches!(parse("x, \"a, c"), Err(SqlError::OpenQuote(_))));
    }
}
