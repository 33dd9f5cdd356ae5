//! The command line, run as a user runs it.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;
use std::thread;

use assert_cmd::Command;
use predicates::prelude::*;
use serde_json::{Value, json};

const X: &str = r#"{"a":"x"}"#;
const X_HASHED: &str = r#"{"a":"x","row_hash":"9dd4e461268c8034f5c8564e155c67a6"}"#;

fn rowhash(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("rowhash").unwrap();
    command.args(arguments);
    command
}

fn hash(columns: &str) -> Command {
    rowhash(&["hash", "--columns", columns])
}

fn verify(columns: &str) -> Command {
    rowhash(&["verify", "--columns", columns])
}

/// The cases of a file of golden data whose values are strings or null.
fn golden(file: &str) -> (String, Vec<Value>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("tests/vectors").join(file)).unwrap();
    let vectors: Value = serde_json::from_str(&text).unwrap();
    let cases = vectors["cases"].as_array().unwrap().clone();
    (vectors["form"].as_str().unwrap().to_owned(), cases)
}

/// The hash that the command gives a case, after `verify` agreed with it.
fn hash_of_case(form: &str, case: &Value) -> String {
    let columns: Vec<&str> = case["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    let columns = columns.join(",");
    // A lone surrogate is written as the escape that JSON has for it.
    let fields: Vec<String> = case["row"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| match value.get("utf16") {
            None => format!("{}:{value}", json!(name)),
            Some(units) => {
                let escapes = units.as_array().unwrap().iter();
                let escapes = escapes.map(|unit| format!("\\u{:04x}", unit.as_u64().unwrap()));
                format!("{}:\"{}\"", json!(name), escapes.collect::<String>())
            }
        })
        .collect();
    let line = format!("{{{}}}\n", fields.join(","));
    let options = ["--form", form, "--rows-without-values", "allow"];
    let output = hash(&columns)
        .args(options)
        .write_stdin(line)
        .assert()
        .success();
    let hashed = output.get_output().stdout.clone();
    verify(&columns)
        .args(["--form", form])
        .write_stdin(hashed.clone())
        .assert()
        .success();
    let hash = String::from_utf8(hashed).unwrap();
    let (_, hash) = hash.rsplit_once("\"row_hash\":\"").unwrap();
    hash[..32].to_owned()
}

#[test]
fn every_golden_case_has_its_hash() {
    let mut report = String::new();
    for file in ["row_hash.json", "pitfalls.json", "escaped.json"] {
        let (form, cases) = golden(file);
        assert!(cases.len() >= 30, "{file} has lost cases");
        for case in &cases {
            let hash = hash_of_case(&form, case);
            assert_eq!(hash, case["row_hash"].as_str().unwrap(), "{}", case["name"]);
            if file == "row_hash.json" {
                report += &format!("{}\t{hash}\n", case["name"].as_str().unwrap());
            }
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/vectors");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("cli.tsv"), report).unwrap();
}

#[test]
fn everything_but_the_hash_stays_byte_for_byte() {
    let input =
        "\u{feff}{ \"z\" : [1.50, {}], \"a\":\"x\" }\r\n\r\n{\"row_hash\":\"old\",\"a\":\"x\"}";
    let hash = "9dd4e461268c8034f5c8564e155c67a6";
    self::hash("a")
        .write_stdin(input)
        .assert()
        .success()
        .stdout(format!(
            "\u{feff}{{ \"z\" : [1.50, {{}}], \"a\":\"x\" ,\"row_hash\":\"{hash}\"}}\r\n\r\n\
         {{\"row_hash\":\"{hash}\",\"a\":\"x\"}}"
        ));
}

#[test]
fn a_bad_line_is_named_and_the_good_ones_come_out() {
    let nested = r#"{"a":{"b":1}}"#;
    let input = format!("{X}\nnot json\n{nested}\n{{}}\n{X}\n");
    hash("a")
        .write_stdin(input)
        .assert()
        .code(1)
        .stdout(format!("{X_HASHED}\n{X_HASHED}\n"))
        .stderr(
            predicate::str::contains(
                "(standard input):2: not a JSON object: expected ident at column 2",
            )
            .and(predicate::str::contains(
                ":3: column 'a': arrays, maps and records",
            ))
            .and(predicate::str::contains(":4: no column has a value"))
            .and(predicate::str::contains("3 of 5 rows refused and left out")),
        );
}

#[test]
fn bytes_that_are_no_utf8_are_a_bad_line() {
    hash("a")
        .write_stdin(b"{\"a\":\"\xc7\xd1\"}\n".as_slice())
        .assert()
        .code(1)
        .stdout("")
        .stderr(predicate::str::contains(
            ":1: the line is not UTF-8 at column 7",
        ));
}

#[test]
fn rows_without_values_and_ambiguous_rows_follow_the_options() {
    let ambiguous = r#"{"a":"x|y","b":"z"}"#;
    let input = format!("{{}}\n{ambiguous}\n");
    hash("a,b")
        .args([
            "--rows-without-values",
            "allow",
            "--ambiguous-rows",
            "refuse",
        ])
        .write_stdin(input.as_str())
        .assert()
        .code(1)
        .stdout(
            "{\"row_hash\":\"2edc4a5fa4b8dea5b2aa2a8b9c7b4e92\"}\n".replace(
                "2edc4a5fa4b8dea5b2aa2a8b9c7b4e92",
                &rowhash_core::md5(br"\N|\N").to_string(),
            ),
        )
        .stderr(predicate::str::contains(
            ":2: column 'a' makes the row ambiguous",
        ));
    hash("a,b")
        .write_stdin(input)
        .assert()
        .code(1)
        .stdout(predicate::str::contains("bdb946ab18e09d9c43e9f440ec5e204d"));
}

#[test]
fn another_hash_column_is_used_where_it_is_asked_for() {
    hash("a")
        .args(["--hash-column", "\"key\""])
        .write_stdin(X)
        .assert()
        .success()
        .stdout(r#"{"a":"x","\"key\"":"9dd4e461268c8034f5c8564e155c67a6"}"#);
}

#[test]
fn verify_prints_the_first_differences_and_fails() {
    let wrong = r#"{"a":"x\ny","row_hash":"9DD4E461268C8034F5C8564E155C67A6"}"#;
    let input = format!("{X_HASHED}\n{wrong}\n{X}\n{wrong}\nbad\n");
    let computed = rowhash_core::md5(b"x\ny");
    verify("a")
        .args(["--show", "2"])
        .write_stdin(input)
        .assert()
        .code(1)
        .stdout(format!(
            "(standard input):2: row_hash is different\n  \
               stored     9DD4E461268C8034F5C8564E155C67A6\n  \
               computed   {computed}\n  \
               canonical  x\\ny\n\
             (standard input):3: row_hash is different\n  \
               stored     (absent)\n  \
               computed   9dd4e461268c8034f5c8564e155c67a6\n  \
               canonical  x\n\
             (standard input): 5 rows: 1 equal, 3 different, 1 refused (0 ambiguous, 0 without values)\n"
        ))
        .stderr(predicate::str::contains(":5: not a JSON object"));
}

#[test]
fn verify_succeeds_on_what_hash_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.ndjson");
    let rows = "{\"a\":1,\"b\":\"한\"}\n{\"b\":\"|\"}\n";
    let hashed = hash("b,a").write_stdin(rows).assert().success();
    fs::write(&file, &hashed.get_output().stdout).unwrap();
    verify("a,b").arg(&file).assert().success().stdout(format!(
        "{}: 2 rows: 2 equal, 0 different, 0 refused (1 ambiguous, 0 without values)\n",
        file.display()
    ));
}

#[test]
fn what_cannot_be_done_at_all_is_another_exit_status() {
    let fails = |mut command: Command, message: &'static str| {
        command
            .write_stdin(X)
            .assert()
            .code(2)
            .stdout("")
            .stderr(predicate::str::contains(message));
    };
    fails(hash("a,a"), "--columns: column 'a' is in the list twice");
    fails(hash(""), "the list of columns is empty");
    fails(hash("a,row_hash"), "the list contains 'row_hash'");
    fails(
        rowhash(&["hash", "--columns", "a", "--form", "x"]),
        "'x' is no canonical form",
    );
    fails(
        rowhash(&["hash", "--columns", "a", "/nonexistent/rows"]),
        "/nonexistent/rows: ",
    );
    fails(rowhash(&["hash"]), "--columns");
}

#[test]
fn a_row_that_cannot_be_verified_is_not_a_verified_row() {
    verify("a")
        .write_stdin(format!("{X_HASHED}\nbad\n"))
        .assert()
        .code(1)
        .stdout(predicate::str::contains("1 equal, 0 different, 1 refused"));
}

#[test]
fn verify_counts_rows_without_values() {
    let hash = rowhash_core::md5(br"\N");
    verify("a")
        .write_stdin(format!("{{\"row_hash\":\"{hash}\"}}\n"))
        .assert()
        .success()
        .stdout(predicate::str::contains("(0 ambiguous, 1 without values)"));
}

#[test]
fn a_long_canonical_text_is_cut() {
    let line = format!("{{\"a\":\"{}\"}}", "가".repeat(3_000));
    let cut = format!(
        "  canonical  {}... (9000 bytes in all)\n",
        "가".repeat(2_000)
    );
    verify("a")
        .write_stdin(line)
        .assert()
        .code(1)
        .stdout(predicate::str::contains(cut));
}

#[test]
fn a_field_of_another_hash_column_is_replaced() {
    hash("a")
        .args(["--hash-column", "key"])
        .write_stdin(r#"{"key":"old","a":"x"}"#)
        .assert()
        .success()
        .stdout(r#"{"key":"9dd4e461268c8034f5c8564e155c67a6","a":"x"}"#);
}

#[test]
fn a_byte_order_mark_is_one_at_the_start_of_the_file_only() {
    hash("a")
        .write_stdin(format!("\u{feff}\n{X}\n\u{feff}{X}\n"))
        .assert()
        .code(1)
        .stdout(format!("\u{feff}\n{X_HASHED}\n"))
        .stderr(predicate::str::contains(":3: not a JSON object"));
}

#[test]
fn a_dash_is_standard_input() {
    hash("a")
        .arg("-")
        .write_stdin(X)
        .assert()
        .success()
        .stdout(X_HASHED);
}

/// Runs the command with many rows, closes one of its outputs after a line, and gives its status.
fn status_with_closed(arguments: &[&str], rows: &str, error: bool) -> Option<i32> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows");
    fs::write(&file, rows.repeat(20_000)).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_rowhash"))
        .args(arguments)
        .arg(&file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (closed, mut read): (Box<dyn Read>, Box<dyn Read + Send>) = match error {
        true => (Box::new(stderr), Box::new(stdout)),
        false => (Box::new(stdout), Box::new(stderr)),
    };
    // Read on its own, or each side would wait for the other.
    let reader = thread::spawn(move || io::copy(&mut read, &mut io::sink()));
    BufReader::with_capacity(16, closed)
        .read_line(&mut String::new())
        .unwrap();
    reader.join().unwrap().unwrap();
    child.wait().unwrap().code()
}

#[test]
fn a_reader_that_has_seen_enough_does_not_change_the_verdict() {
    let good = format!("{X_HASHED}\n");
    let bad = format!("{X}\nnot json\n");
    let hash = ["hash", "--columns", "a"];
    let verify = ["verify", "--columns", "a", "--show", "100000"];
    assert_eq!(status_with_closed(&hash, &good, false), Some(0));
    assert_eq!(status_with_closed(&hash, &bad, false), Some(1));
    assert_eq!(status_with_closed(&hash, &bad, true), Some(1));
    assert_eq!(status_with_closed(&verify, &bad, false), Some(1));
    assert_eq!(status_with_closed(&verify, &bad, true), Some(1));
}

#[test]
fn sql_prints_the_statement_of_the_dialect_that_is_asked_for() {
    let target = ["--table", "s.t", "--columns", "b, a:int", "--key", "b"];
    for (command, begins) in [
        ("select", "SELECT\n  \"b\",\n  \"a\",\n"),
        ("verify", "SELECT \"b\", stored_hash, computed_hash\n"),
        ("backfill", "-- Run both statements"),
        ("ddl", "CREATE TABLE \"s\".\"t\" (\n  \"b\" text NOT NULL"),
    ] {
        rowhash(&["sql", command, "--dialect", "postgres"])
            .args(target)
            .assert()
            .success()
            .stdout(predicate::str::starts_with(begins));
    }
    rowhash(&["sql", "loadlog", "--dialect", "trino"])
        .assert()
        .success()
        .stdout(
            predicate::str::contains("CREATE TABLE load_log_detail")
                .and(predicate::str::contains("-- 3. ")),
        );
}

#[test]
fn sql_that_would_be_wrong_is_refused_with_the_reason() {
    for (columns, reason) in [
        ("a:double", "column 'a', double, cannot be hashed in Trino"),
        ("a:int8", "'int8' is no type"),
        ("a,row_hash", "remove it"),
    ] {
        rowhash(&["sql", "select", "--dialect", "trino", "--table", "t"])
            .args(["--columns", columns])
            .assert()
            .code(2)
            .stderr(predicate::str::contains(reason))
            .stdout("");
    }
    rowhash(&[
        "sql",
        "select",
        "--dialect",
        "mysql",
        "--table",
        "t",
        "--columns",
        "a",
    ])
    .assert()
    .code(2)
    .stderr(predicate::str::contains("'mysql' is no dialect"));
}

#[test]
fn springbatch_prints_a_job_key() {
    rowhash(&["springbatch", "job-key", "--spring-batch", "5"])
        .args(["n(long)=-7", "a=x=1;|"])
        .assert()
        .success()
        .stdout("1b650115f5a06f743c71780125a8867e\n");
    rowhash(&["springbatch", "job-key", "--spring-batch", "7"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("use 4, 5 or 6"));
}
