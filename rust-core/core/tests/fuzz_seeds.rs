//! What fuzzing found worth keeping, and the contents it began with, in every test run.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test: what goes wrong is to be seen

use std::fs;
use std::path::Path;

#[path = "../../fuzz/src/digest.rs"]
mod digest;
#[path = "../../fuzz/src/ndjson.rs"]
mod ndjson;
#[path = "../../fuzz/src/windows.rs"]
mod windows;

fn each(target: &str, check: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fuzz/seeds")
        .join(target);
    let mut seeds = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        check(&fs::read(entry.unwrap().path()).unwrap());
        seeds += 1;
    }
    assert!(seeds >= 60, "{} has only {seeds} seeds", folder.display());
}

#[test]
fn many_texts_at_once_have_the_hashes_of_one_by_one() {
    each("digest", digest::check);
}

#[test]
fn the_fast_way_to_read_ndjson_gives_what_the_plain_one_gives() {
    each("ndjson", ndjson::check);
}

#[test]
fn no_cut_into_windows_matters() {
    each("windows", windows::check);
}
