//! The canonical text and hash of rows of UTF-16 values: what one call from Java does.
#![allow(missing_docs)] // of what the macros of criterion make

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rowhash_core::{CanonicalForm, Columns, RowBatch, md5};

const COLUMNS: usize = 17;
const ROWS: usize = 64;

fn rows_of_utf16(criterion: &mut Criterion) {
    let columns = (0..COLUMNS).map(|index| format!("column_{index:02}"));
    let Ok(columns) = Columns::new(columns, "row_hash") else {
        return;
    };
    let mut group = criterion.benchmark_group("64 rows of 17 UTF-16 values");
    for (name, character) in [("ascii", 'a'), ("korean", '가')] {
        for length in [10, 45, 230] {
            let units: Vec<u16> = character
                .to_string()
                .repeat(length)
                .encode_utf16()
                .collect::<Vec<_>>()
                .repeat(ROWS * COLUMNS);
            let lengths = [length as u32; ROWS * COLUMNS];
            let bytes = units.len() * character.len_utf8();
            group.throughput(Throughput::Bytes(bytes as u64));
            let mut rows = RowBatch::new(&columns, CanonicalForm::Compatible);
            group.bench_function(BenchmarkId::new(name, length), |bencher| {
                bencher.iter(|| {
                    rows.clear();
                    let _ = black_box(rows.push_utf16(black_box(&units), &lengths));
                    rows.hashes().for_each(|hash| {
                        black_box(hash);
                    });
                });
            });
            group.bench_function(
                BenchmarkId::new(format!("{name}, text alone"), length),
                |bencher| {
                    bencher.iter(|| {
                        rows.clear();
                        let _ = black_box(rows.push_utf16(black_box(&units), &lengths));
                    });
                },
            );
        }
    }
    group.finish();
}

fn one_text(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("md5 of one text");
    for length in [200, 800] {
        let text = vec![b'a'; length];
        group.throughput(Throughput::Bytes(length as u64));
        group.bench_function(BenchmarkId::from_parameter(length), |bencher| {
            bencher.iter(|| md5(black_box(&text)));
        });
    }
    group.finish();
}

criterion_group!(benches, rows_of_utf16, one_text);
criterion_main!(benches);
