//! The golden data of tests/vectors, computed by programs that share no code with this one.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use rowhash_core::{CanonicalForm, Columns, Finding, RowBatch, Value};
use serde::Deserialize;
use serde_json::Value as Json;

#[derive(Deserialize)]
struct Vectors {
    form: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    columns: Vec<String>,
    row: serde_json::Map<String, Json>,
    canonical: String,
    row_hash: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = root().join("tests/vectors").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// A value of a case in UTF-16: null, a string, or `{"utf16": [...]}`.
fn utf16(value: Option<&Json>) -> Vec<u16> {
    match value {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::String(text)) => text.encode_utf16().collect(),
        Some(other) => serde_json::from_value(other["utf16"].clone()).unwrap(),
    }
}

/// The canonical text and hash of a case, its values as UTF-16 and, where they can be, as UTF-8.
fn check(form: CanonicalForm, case: &Case) -> String {
    let columns = Columns::new(case.columns.clone(), "row_hash").unwrap();
    let mut rows = RowBatch::new(&columns, form);
    let utf16: Vec<Vec<u16>> = columns
        .names()
        .iter()
        .map(|name| utf16(case.row.get(name)))
        .collect();
    rows.push(utf16.iter().map(|units| Value::Utf16(units)))
        .unwrap();
    let utf8: Result<Vec<String>, _> = utf16
        .iter()
        .map(|units| String::from_utf16(units))
        .collect();
    if let Ok(utf8) = utf8 {
        rows.push(utf8.iter().map(|text| Value::Text(text)))
            .unwrap();
    }
    for (text, hash) in rows.texts().zip(rows.hashes()) {
        assert_eq!(text, case.canonical.as_bytes(), "{}", case.name);
        assert_eq!(hash.to_string(), case.row_hash, "{}", case.name);
    }
    let empty = utf16.iter().all(Vec::is_empty);
    for finding in rows.findings() {
        assert_eq!(finding == Finding::NoValues, empty, "{}", case.name);
    }
    case.row_hash.clone()
}

fn check_all(file: &str, at_least: usize) -> String {
    let vectors: Vectors = read(file);
    assert!(vectors.cases.len() >= at_least, "{file} has lost cases");
    let form = vectors.form.parse().unwrap();
    vectors
        .cases
        .iter()
        .map(|case| format!("{}\t{}\n", case.name, check(form, case)))
        .collect()
}

#[test]
fn every_case_of_row_hash_json_has_its_hash() {
    let hashes = check_all("row_hash.json", 34);
    let report = root().join("target/vectors");
    fs::create_dir_all(&report).unwrap();
    fs::write(report.join("rust.tsv"), hashes).unwrap();
}

#[test]
fn every_case_of_pitfalls_json_has_its_hash() {
    check_all("pitfalls.json", 95);
}

#[test]
fn every_case_of_escaped_json_has_its_hash() {
    check_all("escaped.json", 30);
}

#[derive(Deserialize)]
struct TypedValue {
    r#type: String,
    value: Json,
    text: Option<String>,
    #[serde(default)]
    error: bool,
}

fn typed_text(case: &TypedValue) -> Result<String, String> {
    let value = &case.value;
    let literal = value.as_str().unwrap_or_default();
    let number = |name: &str| value[name].as_i64().unwrap();
    let typed = match case.r#type.as_str() {
        "string" => Value::Text(literal),
        // An integer that no i64 holds comes as a decimal (Java's BigInteger).
        "integer" => literal
            .parse()
            .map_or(Value::Decimal(literal), Value::Integer),
        "decimal" | "json_number" => Value::Decimal(literal),
        "double" => Value::Double(literal.parse().unwrap()),
        "float" => Value::Float(literal.parse().unwrap()),
        "boolean" => Value::Boolean(value.as_bool().unwrap()),
        "date" => Value::Date(number("days").try_into().unwrap()),
        "time" => Value::Time(number("nanos").try_into().unwrap()),
        "timestamp" => Value::Timestamp {
            seconds: number("seconds"),
            nanos: number("nanos").try_into().unwrap(),
        },
        "array" | "map" | "record" => return Err("nested".to_owned()),
        other => panic!("unknown type {other}"),
    };
    let columns = Columns::parse("a", "row_hash").unwrap();
    let mut rows = RowBatch::new(&columns, CanonicalForm::Compatible);
    rows.push([typed]).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(rows.texts().next().unwrap().to_vec()).unwrap())
}

#[test]
fn every_typed_value_has_its_text() {
    let cases: Vec<TypedValue> = read("typed_values.json");
    assert!(cases.len() >= 150, "typed_values.json has lost cases");
    for case in &cases {
        let text = typed_text(case);
        let name = format!("{} {}", case.r#type, case.value);
        match (&case.text, case.error) {
            (Some(expected), false) => assert_eq!(text.as_ref(), Ok(expected), "{name}"),
            (None, true) => assert!(text.is_err(), "{name} gave {text:?}"),
            _ => panic!("{name} needs a text or an error"),
        }
    }
}
