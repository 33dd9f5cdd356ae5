//! Names of tables and columns: read from what the user writes, written as a dialect quotes them.
//!
//! Names are always quoted. Which words are reserved differs from release to release, and a quoted
//! name is never one of them; nor can a name then be anything but a name.

use super::{Dialect, SqlError};

/// A name in quotes.
pub(super) fn quoted(name: &str, dialect: Dialect) -> Result<String, SqlError> {
    let refused = |reason| SqlError::Name {
        name: name.escape_debug().to_string(),
        dialect,
        reason,
    };
    if name.is_empty() {
        return Err(refused("it is empty"));
    }
    if name.chars().any(char::is_control) {
        return Err(refused("it holds a control character"));
    }
    let quoted = match dialect {
        Dialect::Trino | Dialect::Postgres | Dialect::DuckDb => {
            format!("\"{}\"", name.replace('"', "\"\""))
        }
        // A backslash escapes inside its quotes too.
        Dialect::ClickHouse => format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\"\"")),
        Dialect::Spark | Dialect::Hive => format!("`{}`", name.replace('`', "``")),
        Dialect::Impala | Dialect::BigQuery if name.contains('`') => {
            return Err(refused("it holds a `, which nothing escapes there"));
        }
        Dialect::BigQuery if name.contains('\\') => {
            return Err(refused("it holds a \\, which no name can have there"));
        }
        Dialect::Impala | Dialect::BigQuery => format!("`{name}`"),
    };
    // Their shells would put a variable in its place, even inside quotes.
    if matches!(dialect, Dialect::Impala | Dialect::Hive | Dialect::Spark) && name.contains("${") {
        return Err(refused("it holds ${, where a variable would be filled in"));
    }
    Ok(quoted)
}

/// A name at the start of a text, in double quotes or up to one of `ends`, and what follows it.
pub(super) fn read<'a>(text: &'a str, ends: &[char]) -> Result<(String, &'a str), SqlError> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find(ends).unwrap_or(text.len());
        return Ok((text[..end].trim_end().to_owned(), &text[end..]));
    };
    let mut name = String::new();
    loop {
        let Some((part, after)) = rest.split_once('"') else {
            return Err(SqlError::OpenQuote(text.to_owned()));
        };
        name.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => return Ok((name, after)),
        }
    }
}

/// The parts of a table's name, `catalog.schema.table`, of which the first ones may be absent.
pub(super) fn table(text: &str) -> Result<Vec<String>, SqlError> {
    let malformed = || SqlError::Table(text.to_owned());
    let mut parts = Vec::new();
    let mut rest = text.trim();
    loop {
        let (part, after) = read(rest, &['.'])?;
        if part.is_empty() {
            return Err(malformed());
        }
        parts.push(part);
        match after.strip_prefix('.') {
            Some(more) => rest = more,
            None if after.is_empty() => return Ok(parts),
            None => return Err(malformed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stays_a_name() {
        for (dialect, name, expected) in [
            (Dialect::Trino, "select", "\"select\""),
            (
                Dialect::Trino,
                "a\"; DROP TABLE t; --",
                "\"a\"\"; DROP TABLE t; --\"",
            ),
            (Dialect::Postgres, "이름 ID", "\"이름 ID\""),
            (Dialect::ClickHouse, "a\\\"b", "\"a\\\\\"\"b\""),
            (Dialect::Spark, "a`b", "`a``b`"),
            (Dialect::BigQuery, "a b", "`a b`"),
        ] {
            assert_eq!(quoted(name, dialect).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn names_that_no_quotes_hold_are_refused() {
        for (dialect, name) in [
            (Dialect::Impala, "a`b"),
            (Dialect::BigQuery, "a`b"),
            (Dialect::BigQuery, "a\\"),
            (Dialect::Hive, "${a}"),
            (Dialect::Trino, "a\nb"),
            (Dialect::Postgres, "a\0"),
            (Dialect::DuckDb, ""),
        ] {
            assert!(
                matches!(quoted(name, dialect), Err(SqlError::Name { .. })),
                "{name:?}"
            );
        }
    }

    #[test]
    fn a_table_has_parts_and_a_part_in_quotes_keeps_its_points() {
        let read = |text| table(text).map(|parts| parts.join("/"));
        assert_eq!(read("t").as_deref(), Ok("t"));
        assert_eq!(read("c.s.t").as_deref(), Ok("c/s/t"));
        assert_eq!(
            read("kudu.default.\"bronze.calls\"").as_deref(),
            Ok("kudu/default/bronze.calls")
        );
        assert_eq!(read("\"a\"\"b\"").as_deref(), Ok("a\"b"));
        for text in ["", "a.", ".a", "a..b", "\"a\"b", "\"\""] {
            assert_eq!(read(text), Err(SqlError::Table(text.to_owned())), "{text}");
        }
        assert!(matches!(read("\"a"), Err(SqlError::OpenQuote(_))));
    }
}
