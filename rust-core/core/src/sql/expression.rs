//! The expression of a row's hash.

use super::column::Column;
use super::{ColumnType, Dialect, SqlError, name};
use crate::CanonicalForm;

/// The token of null and empty values.
const NULL: &str = r"\N";
const SEPARATOR: &str = "|";
/// As many fraction digits as any decimal has.
const DECIMAL_PATTERN: &str = "0.######################################";
/// Trino refuses an array constructor of more elements than 254.
const LONGEST_ARRAY: usize = 250;

/// Writes hashes of rows: which dialect, which form.
#[derive(Clone, Copy)]
pub(super) struct Expression<'a> {
    pub(super) dialect: Dialect,
    pub(super) form: CanonicalForm,
    /// The columns in canonical order.
    pub(super) columns: &'a [Column],
}

impl Expression<'_> {
    /// The expression, its lines after the first one indented by `indent`. `of`: the alias of the
    /// table and a point, or nothing.
    pub(super) fn hash(&self, of: &str, indent: usize) -> Result<String, SqlError> {
        let (inner, outer) = (" ".repeat(indent + 2), " ".repeat(indent));
        let values = self
            .columns
            .iter()
            .map(|column| Ok(format!("{inner}{}", self.value(column, of)?)))
            .collect::<Result<Vec<_>, SqlError>>()?;
        let literal = |text| self.dialect.literal(text);
        let (separator, null) = (literal(SEPARATOR), literal(NULL));
        Ok(match self.dialect {
            Dialect::Trino => {
                let arrays: Vec<_> = values
                    .chunks(LONGEST_ARRAY)
                    .map(|chunk| format!("ARRAY[\n{}\n{outer}]", chunk.join(",\n")))
                    .collect();
                format!(
                    "lower(to_hex(md5(to_utf8(array_join({}, {separator}, {null})))))",
                    arrays.join(" || ")
                )
            }
            // concat_ws would do as well, were it not for the limit of 100 arguments; md5 of a
            // text would hash it in the encoding of the database, which may be another one.
            Dialect::Postgres => format!(
                "md5(convert_to(array_to_string(ARRAY[\n{}\n{outer}], {separator}, {null}), 'UTF8'))",
                values.join(",\n")
            ),
            Dialect::BigQuery => format!(
                "TO_HEX(MD5(ARRAY_TO_STRING([\n{}\n{outer}], {separator}, {null})))",
                values.join(",\n")
            ),
            // md5 gives hexadecimal digits here; hex(md5(...)) would write them as digits again.
            Dialect::Impala | Dialect::Hive | Dialect::Spark | Dialect::DuckDb => format!(
                "md5(concat_ws({separator},\n{}\n{outer}))",
                values.join(",\n")
            ),
            Dialect::ClickHouse => format!(
                "lower(hex(MD5(concat_ws({separator},\n{}\n{outer}))))",
                values.join(",\n")
            ),
        })
    }

    /// A column's canonical text. Where a list is joined, null stands for the token.
    fn value(&self, column: &Column, of: &str) -> Result<String, SqlError> {
        let name = format!("{of}{}", name::quoted(&column.name, self.dialect)?);
        let text = match column.kind {
            ColumnType::Text => format!("nullif({}, '')", self.escaped(name)),
            kind => typed(self.dialect, kind, &name).map_err(|reason| SqlError::Type {
                column: column.name.clone(),
                kind,
                dialect: self.dialect,
                reason,
            })?,
        };
        Ok(match self.dialect {
            Dialect::Trino | Dialect::Postgres | Dialect::BigQuery => text,
            // concat_ws passes nulls over, which would move every later value by one place.
            _ => format!("coalesce({text}, {})", self.dialect.literal(NULL)),
        })
    }

    /// A text with its `\` and `|` escaped, where the form asks for it. No typed value has any.
    fn escaped(&self, text: String) -> String {
        if self.form == CanonicalForm::Compatible {
            return text;
        }
        let function = match self.dialect {
            Dialect::ClickHouse => "replaceAll",
            _ => "replace",
        };
        let literal = |text| self.dialect.literal(text);
        format!(
            "{function}({function}({text}, {}, {}), {}, {})",
            literal(r"\"),
            literal(r"\\"),
            literal("|"),
            literal(r"\|")
        )
    }
}

/// A typed value's text, or why there is none.
fn typed(dialect: Dialect, kind: ColumnType, name: &str) -> Result<String, &'static str> {
    use Dialect::{BigQuery, ClickHouse, DuckDb, Hive, Impala, Postgres, Spark, Trino};
    let cast = || match dialect {
        Trino | DuckDb => format!("CAST({name} AS varchar)"),
        Postgres => format!("CAST({name} AS text)"),
        Impala | Hive | Spark | BigQuery => format!("CAST({name} AS STRING)"),
        ClickHouse => format!("toString({name})"),
    };
    let trimmed = |text: &str| without_zeros(dialect, text);
    Ok(match kind {
        ColumnType::Text => name.to_owned(),
        ColumnType::Char => {
            return Err(
                "databases pad it with blanks, and drop or keep them as it suits them; hash the text as it was loaded, for example from a view with a cast",
            );
        }
        ColumnType::TinyInt | ColumnType::SmallInt | ColumnType::Int | ColumnType::BigInt => cast(),
        ColumnType::Decimal(_) => match dialect {
            Postgres => format!("CAST(trim_scale({name}) AS text)"),
            // A cast writes small ones with an exponent, or pads them, as the release sees fit.
            Hive | Spark => format!("format_number({name}, '{DECIMAL_PATTERN}')"),
            // It writes .5 where the type has no digit before the point.
            DuckDb => trimmed(&format!("regexp_replace({}, '^(-?)[.]', '\\10.')", cast())),
            _ => trimmed(&cast()),
        },
        // A cast gives TRUE in Hive and 1 in Impala.
        ColumnType::Boolean => {
            format!("CASE WHEN {name} THEN 'true' WHEN NOT {name} THEN 'false' END")
        }
        ColumnType::Date => match dialect {
            // A cast follows the session's DateStyle.
            Postgres => format!("to_char({name}, 'YYYY-MM-DD')"),
            BigQuery => format!("FORMAT_DATE('%E4Y-%m-%d', {name})"),
            _ => cast(),
        },
        ColumnType::Time => match dialect {
            Trino | DuckDb => trimmed(&cast()),
            Postgres => cast(),
            BigQuery => trimmed(&format!("FORMAT_TIME('%H:%M:%E6S', {name})")),
            Impala | Hive | Spark | ClickHouse => {
                return Err(
                    "it has no such type in every release; keep the time of day as a string",
                );
            }
        },
        ColumnType::Timestamp => match dialect {
            Trino | Impala | Hive | DuckDb => trimmed(&cast()),
            Postgres => trimmed(&format!("to_char({name}, 'YYYY-MM-DD HH24:MI:SS.US')")),
            // An instant, which a cast would write in the session's time zone.
            Spark => format!(
                "CAST(TIMESTAMP_NTZ '1970-01-01 00:00:00' + unix_micros({name}) * INTERVAL '0.000001' SECOND AS STRING)"
            ),
            ClickHouse => trimmed(&format!("toString({name}, 'UTC')")),
            BigQuery => trimmed(&format!(
                "FORMAT_TIMESTAMP('%E4Y-%m-%d %H:%M:%E6S', {name}, 'UTC')"
            )),
        },
        ColumnType::TimestampTz => match dialect {
            Trino => trimmed(&format!(
                "replace(CAST({name} AT TIME ZONE 'UTC' AS varchar), ' UTC', '')"
            )),
            Postgres => trimmed(&format!(
                "to_char({name} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')"
            )),
            DuckDb => trimmed(&format!(
                "CAST(make_timestamp(epoch_us({name})) AS varchar)"
            )),
            Spark | ClickHouse | BigQuery => {
                return Err("its TIMESTAMP is an instant already; write timestamp");
            }
            Impala | Hive => return Err("it has no such type; write timestamp"),
        },
        ColumnType::Float | ColumnType::Double => {
            return Err(
                "no SQL writes the shortest plain decimal of a binary number; leave the column out of the hash, or store it as a decimal",
            );
        }
    })
}

/// A number's or a time's text without the zeros at the end of its fraction.
fn without_zeros(dialect: Dialect, text: &str) -> String {
    let function = match dialect {
        Dialect::ClickHouse => "replaceRegexpOne",
        _ => "regexp_replace",
    };
    let group = match dialect {
        Dialect::Trino | Dialect::Hive | Dialect::Spark => "'$1'".to_owned(),
        _ => dialect.literal(r"\1"),
    };
    format!("{function}({function}({text}, '([.][0-9]*[1-9])0+$', {group}), '[.]0+$', '')")
}
