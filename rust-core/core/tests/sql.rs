//! The SQL of every dialect against the texts in tests/sql/golden, and what is refused.
//!
//! The texts there are what the tests of tests/sql and tests/e2e run on real engines. After a
//! change that is meant, `ROWHASH_WRITE_GOLDEN=1 cargo test --test sql` writes them anew.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use rowhash_core::springbatch::{Parameter, job_key};
use rowhash_core::sql::{Dialect, SqlError, Table, load_log};
use rowhash_core::{CanonicalForm, ColumnsError};
use serde_json::Value as Json;

const CALLS: &str = "ts, epid, serviceid, functiontype, clickid, response, userid, comp, suborg, \
    llmurl, llmtype, input, output, func_name, func_name_en, analyticsyn, devicetype";
const KEY: &str = "ts, epid, serviceid, functiontype, clickid";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn calls(dialect: Dialect) -> Table {
    let table = Table::new(dialect, "bronze.nas_copilot_call", CALLS).unwrap();
    table.key(KEY).unwrap()
}

/// Every type that a dialect has, names that need quotes, the escaped form.
fn typed(dialect: Dialect) -> Table {
    let mut columns = "select, 이름, \"a b\", n:int, big:bigint, amount:decimal(18,6), \
        flag:boolean, day:date, at:timestamp"
        .to_owned();
    match dialect {
        Dialect::Trino | Dialect::Postgres | Dialect::DuckDb => {
            columns += ", clock:time, moment:timestamptz"
        }
        Dialect::BigQuery => columns += ", clock:time",
        _ => {}
    }
    Table::new(dialect, "warehouse.typed", &columns)
        .unwrap()
        .form(CanonicalForm::Escaped)
        .hash_column("content_hash")
        .unwrap()
        .other_columns("loaded_at:timestamp")
        .unwrap()
        .key("day, n")
        .unwrap()
}

#[test]
fn every_dialect_has_the_texts_that_are_run() {
    let mut different = Vec::new();
    for dialect in Dialect::ALL {
        let (calls, typed) = (calls(dialect), typed(dialect));
        let mut texts = vec![
            ("select", calls.select()),
            ("verify", calls.verify()),
            ("backfill", calls.backfill()),
            ("ddl", calls.create(6)),
            ("typed.verify", typed.verify()),
        ];
        // Kudu, which Trino's DDL is for, has fewer types.
        if dialect != Dialect::Trino {
            texts.push(("typed.ddl", typed.create(4)));
            texts.push(("typed.backfill", typed.backfill()));
        }
        for (name, text) in texts {
            let file = root().join(format!("tests/sql/golden/{}/{name}.sql", dialect.name()));
            let text = text.unwrap();
            if std::env::var_os("ROWHASH_WRITE_GOLDEN").is_some() {
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(&file, &text).unwrap();
            }
            if fs::read_to_string(&file).ok().as_deref() != Some(&text) {
                different.push(format!("{}:\n{text}", file.display()));
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn the_load_log_is_that_of_the_documentation() {
    for dialect in [Dialect::Trino, Dialect::Impala, Dialect::Postgres] {
        let folder = root().join("docs/sql/load_log");
        let name = dialect.name();
        let files = [format!("{name}.sql"), format!("queries.{name}.sql")];
        let texts = files.map(|file| fs::read_to_string(folder.join(file)).unwrap());
        assert_eq!(load_log(dialect).unwrap().map(str::to_owned), texts);
    }
    let refused = load_log(Dialect::Spark).unwrap_err();
    assert!(refused.to_string().contains("Kudu"), "{refused}");
}

#[test]
fn what_was_never_run_says_so() {
    for dialect in Dialect::ALL {
        let table = calls(dialect);
        let texts = [
            table.select(),
            table.verify(),
            table.backfill(),
            table.create(6),
        ];
        for text in texts {
            let says_so = text.unwrap().contains("no test of this project runs it");
            assert_eq!(says_so, dialect.is_by_documentation(), "{dialect}");
        }
    }
}

#[test]
fn a_type_without_one_text_is_refused_with_the_reason() {
    for (dialect, kind, reason) in [
        (Dialect::Postgres, "char(5)", "pad"),
        (Dialect::Trino, "double", "shortest plain decimal"),
        (Dialect::DuckDb, "float", "shortest plain decimal"),
        (Dialect::Spark, "time", "string"),
        (Dialect::Spark, "timestamptz", "write timestamp"),
        (Dialect::Hive, "timestamptz", "write timestamp"),
    ] {
        let table = Table::new(dialect, "t", &format!("a, b:{kind}")).unwrap();
        let refused = table.select().unwrap_err();
        assert!(matches!(refused, SqlError::Type { .. }), "{refused}");
        let message = refused.to_string();
        assert!(
            message.contains("'b'") && message.contains(reason),
            "{message}"
        );
    }
}

#[test]
fn names_that_are_one_column_are_refused_where_case_does_not_count() {
    for dialect in Dialect::ALL {
        let same = matches!(dialect, Dialect::Postgres | Dialect::ClickHouse);
        for columns in ["id, ID", "a, ROW_HASH"] {
            assert_eq!(Table::new(dialect, "t", columns).is_ok(), same, "{dialect}");
        }
        let table = Table::new(dialect, "t", "a").unwrap();
        assert_eq!(table.other_columns("A").is_ok(), same, "{dialect}");
    }
}

#[test]
fn a_list_that_makes_no_hash_is_refused() {
    let new = |columns| Table::new(Dialect::Trino, "t", columns).map(|_| ());
    assert_eq!(new(""), Err(ColumnsError::Empty.into()));
    assert_eq!(
        new("a, ,b"),
        Err(ColumnsError::EmptyName { position: 2 }.into())
    );
    assert_eq!(
        new("a, a:int"),
        Err(ColumnsError::Duplicate("a".into()).into())
    );
    assert_eq!(
        new("a, row_hash"),
        Err(ColumnsError::ContainsHash("row_hash".into()).into())
    );
    let table = Table::new(Dialect::Trino, "t", "a").unwrap();
    assert!(table.clone().hash_column("a").is_err());
    assert!(table.other_columns("b, a").is_err());
}

#[test]
fn a_key_is_made_of_columns_and_ends_with_the_hash_by_itself() {
    let table = Table::new(Dialect::Impala, "t", "a, b").unwrap();
    assert_eq!(
        table.clone().key("a, c").unwrap_err(),
        SqlError::UnknownKey("c".into())
    );
    assert_eq!(
        table.clone().key("a, row_hash").unwrap_err(),
        SqlError::KeyContainsHash("row_hash".into())
    );
    for refused in [table.backfill(), table.create(6)] {
        assert!(
            matches!(refused, Err(SqlError::NoKey { .. })),
            "{refused:?}"
        );
    }
    assert!(
        table
            .verify()
            .unwrap()
            .contains("SELECT `a`, `b`, stored_hash")
    );
}

#[test]
fn a_backfill_that_would_lose_microseconds_is_refused() {
    let table = Table::new(Dialect::Trino, "t", "a, b").unwrap();
    let table = table.other_columns("at:timestamp").unwrap();
    let refused = table.key("a").unwrap().backfill().unwrap_err();
    assert!(refused.to_string().contains("Impala"), "{refused}");
}

#[test]
fn columns_of_the_statements_own_names_are_refused() {
    let table = Table::new(Dialect::Trino, "t", "stored_hash, b").unwrap();
    assert!(matches!(table.verify(), Err(SqlError::Reserved(_))));
    assert!(table.clone().key("b").unwrap().verify().is_ok());
    assert!(matches!(
        table.key("b").unwrap().backfill(),
        Err(SqlError::Reserved(_))
    ));
}

#[test]
fn nothing_that_a_user_writes_leaves_its_quotes() {
    let evil = "a\"`'; DROP TABLE x; --";
    for dialect in Dialect::ALL {
        let name = format!("\"{}\"", evil.replace('"', "\"\""));
        let table = Table::new(dialect, &name, &format!("{name}, b")).unwrap();
        let Ok(text) = table.key(&name).unwrap().verify() else {
            assert!(
                matches!(dialect, Dialect::Impala | Dialect::BigQuery),
                "{dialect}"
            );
            continue;
        };
        let quoted = match dialect {
            Dialect::Hive | Dialect::Spark => format!("`{}`", evil.replace('`', "``")),
            _ => format!("\"{}\"", evil.replace('"', "\"\"")),
        };
        assert!(text.contains(&quoted), "{text}");
        assert!(!text.replace(&quoted, "").contains("DROP"), "{text}");
    }
}

#[test]
fn every_case_of_job_key_json_has_its_key() {
    let text = fs::read_to_string(root().join("tests/vectors/job_key.json")).unwrap();
    let cases: Vec<Json> = serde_json::from_str(&text).unwrap();
    assert!(cases.len() >= 5, "job_key.json has lost cases");
    for case in cases {
        let parameters: Vec<Parameter> = case["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|parameter| parameter.as_str().unwrap().parse().unwrap())
            .collect();
        for version in ["4", "5", "6"] {
            let key = job_key(version.parse().unwrap(), &parameters).unwrap();
            assert_eq!(key.to_string(), case[version].as_str().unwrap(), "{case}");
        }
    }
}

#[test]
fn parameters_that_make_no_key_are_refused() {
    for (text, message) in [
        ("a", "name=value"),
        ("=x", "name=value"),
        ("n(long)=x", "64 bits"),
        ("n(long)=9223372036854775808", "64 bits"),
    ] {
        let refused = text.parse::<Parameter>().unwrap_err().to_string();
        assert!(refused.contains(message), "{refused}");
    }
    let twice: Vec<Parameter> = ["a=1", "a=2"].map(|p| p.parse().unwrap()).to_vec();
    let refused = job_key("5".parse().unwrap(), &twice).unwrap_err();
    assert!(refused.to_string().contains("twice"), "{refused}");
}
