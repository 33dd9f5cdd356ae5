//! Whole contents: NDJSON the plain way and through a session, delimited text and a pattern.
#![allow(missing_docs)] // of what the macros of criterion make

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rowhash_core::content::ndjson::Object;
use rowhash_core::content::{
    Delimited, DelimitedOutput, Delimiter, EmptyValues, Format, Header, Pattern, Quoting, Rules,
    RulesError, Session,
};
use rowhash_core::{CanonicalForm, Columns, RowBatch};

const ROWS: usize = 4_000;
const WINDOW: usize = 256 * 1024;

/// The columns of a call in production, with the length that makes a line 683 bytes long.
const COLUMNS: [(&str, usize); 18] = [
    ("ts", 23),
    ("epid", 6),
    ("serviceid", 7),
    ("functiontype", 9),
    ("clickid", 20),
    ("response", 36),
    ("userid", 8),
    ("comp", 6),
    ("suborg", 12),
    ("llmurl", 42),
    ("llmtype", 6),
    ("input", 82),
    ("output", 94),
    ("func_name", 14),
    ("func_name_en", 14),
    ("analyticsyn", 1),
    ("devicetype", 6),
    ("req_tx_id", 36),
];

/// Rows of values: a number to tell them apart, then Korean in some and letters in the others.
fn rows() -> Vec<Vec<String>> {
    (0..ROWS)
        .map(|row| {
            let values = COLUMNS.iter().enumerate().map(|(column, (_, length))| {
                let mut value = String::new();
                // Writing to a String cannot fail.
                let _ = write!(value, "{}", row * 31 + column);
                value.truncate(*length);
                let is_korean = matches!(column, 8 | 11 | 12 | 13) && row % 3 == 0;
                let unit = if is_korean { "각" } else { "e" };
                while value.len() + unit.len() <= *length {
                    value += unit;
                }
                value
            });
            values.collect()
        })
        .collect()
}

fn ndjson() -> String {
    let mut content = String::new();
    for row in rows() {
        for (index, ((name, _), value)) in COLUMNS.iter().zip(row).enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            let _ = write!(content, "{before}\"{name}\":\"{value}\"");
        }
        content += "}\n";
    }
    content
}

fn tabs() -> String {
    rows().iter().map(|row| row.join("\t") + "\n").collect()
}

fn columns() -> Result<Columns, RulesError> {
    let names = COLUMNS.iter().map(|(name, _)| *name);
    Ok(Columns::new(names, "row_hash")?)
}

/// One line after the other by way of `serde_json`, hashed alone.
fn plain(content: &[u8], columns: &Columns, out: &mut Vec<u8>) {
    out.clear();
    let mut rows = RowBatch::new(columns, CanonicalForm::Compatible);
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        rows.clear();
        let Ok(object) = Object::parse(line, columns) else {
            continue;
        };
        if rows.push(object.values()).is_ok() {
            for text in rows.texts() {
                object.write_with_hash(rowhash_core::md5(text), out);
            }
        }
    }
}

/// A content through a session, in windows as they come from Java.
fn session(rules: &Arc<Rules>, content: &[u8]) -> usize {
    let mut session = Session::new(rules);
    let mut length = 0;
    for window in content.chunks(WINDOW) {
        if let Ok(room) = session.room(window.len()) {
            room[..window.len()].copy_from_slice(window);
        }
        if session.process(window.len()).is_ok() {
            length += black_box(session.rows()).len();
        }
    }
    length
}

fn contents(criterion: &mut Criterion) {
    let (Ok(columns), json, text) = (columns(), ndjson(), tabs()) else {
        return;
    };
    let mut group = criterion.benchmark_group("content");
    group.throughput(Throughput::Bytes(json.len() as u64));
    let mut out = Vec::new();
    group.bench_function("ndjson, plain", |bencher| {
        bencher.iter(|| plain(black_box(json.as_bytes()), &columns, &mut out));
    });
    let ndjson = Arc::new(Rules::new(columns.clone(), CanonicalForm::Compatible));
    group.bench_function("ndjson", |bencher| {
        bencher.iter(|| session(&ndjson, black_box(json.as_bytes())));
    });

    group.throughput(Throughput::Bytes(text.len() as u64));
    let names: Vec<String> = COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let groups: Vec<String> = names
        .iter()
        .map(|name| format!("(?<{name}>[^\\t]*)"))
        .collect();
    let (Ok(tab), Ok(pattern)) = (
        Delimiter::parse("\\t"),
        Pattern::new(&format!("^{}$", groups.join("\\t")), EmptyValues::Text),
    ) else {
        return;
    };
    let delimited = |quoting, output| {
        Format::Delimited(Delimited {
            delimiter: tab,
            quoting,
            header: Header::Names(names.clone()),
            output,
        })
    };
    let json = || DelimitedOutput::Ndjson(EmptyValues::Text);
    for (name, format) in [
        (
            "tabs to tabs",
            delimited(Quoting::None, DelimitedOutput::Delimited),
        ),
        ("tabs to ndjson", delimited(Quoting::None, json())),
        (
            "tabs with quoting to ndjson",
            delimited(Quoting::Rfc4180, json()),
        ),
        ("pattern to ndjson", Format::Pattern(pattern)),
    ] {
        let rules = Rules::new(columns.clone(), CanonicalForm::Compatible);
        let Ok(rules) = rules.with_format(format) else {
            return;
        };
        let rules = Arc::new(rules);
        group.bench_function(name, |bencher| {
            bencher.iter(|| session(&rules, black_box(text.as_bytes())));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = contents
}
criterion_main!(benches);
