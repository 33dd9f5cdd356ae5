//! MD5 of rows of mixed length: each instruction set of this processor against one row after the
//! other with the `md-5` crate.
#![allow(missing_docs)] // of what the macros of criterion make

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use md5::{Digest, Md5};
use rowhash_core::{Platform, many_on, md5};

/// Rows of 200 to 800 bytes, one after the other as in a batch: where each ends.
fn rows(count: usize) -> (Vec<u8>, Vec<usize>) {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut end = 0;
    let ends: Vec<usize> = (0..count)
        .map(|_| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            end += 200 + (random % 601) as usize;
            end
        })
        .collect();
    ((0..end).map(|byte| (byte % 251) as u8).collect(), ends)
}

fn slices<'b>(buffer: &'b [u8], ends: &'b [usize]) -> impl Iterator<Item = &'b [u8]> {
    let mut start = 0;
    ends.iter().map(move |end| {
        let row = &buffer[start..*end];
        start = *end;
        row
    })
}

fn mixed(criterion: &mut Criterion) {
    for count in [256, 64, 16] {
        let (buffer, ends) = rows(count);
        let mut group =
            criterion.benchmark_group(format!("md5 of {count} rows of 200 to 800 bytes"));
        group.throughput(Throughput::Bytes(buffer.len() as u64));
        let mut hashes = Vec::new();
        group.bench_function("md-5", |bencher| {
            bencher.iter(|| {
                for text in slices(black_box(&buffer), &ends) {
                    black_box(Md5::digest(text));
                }
            });
        });
        group.bench_function("one by one", |bencher| {
            bencher.iter(|| {
                hashes.clear();
                hashes.extend(slices(black_box(&buffer), &ends).map(md5));
                black_box(hashes.last().copied())
            });
        });
        for platform in Platform::available() {
            group.bench_function(format!("{platform:?}"), |bencher| {
                bencher.iter(|| {
                    hashes.clear();
                    let _ = many_on(platform, slices(black_box(&buffer), &ends), &mut hashes);
                    black_box(hashes.last().copied())
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, mixed);
criterion_main!(benches);
