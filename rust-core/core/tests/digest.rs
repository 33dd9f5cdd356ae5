//! The digest of many texts against the `md-5` crate, on every instruction set of this processor.
#![allow(clippy::unwrap_used)]

use md5::{Digest, Md5};
use proptest::prelude::*;
use rowhash_core::{
    CanonicalForm, Columns, Platform, RowBatch, RowHash, Value, many, many_on, md5,
};

/// Bytes without a pattern that blocks or words share.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 56) as u8
        })
        .collect()
}

fn check(texts: &[&[u8]]) {
    let expected: Vec<[u8; 16]> = texts.iter().map(|text| Md5::digest(text).into()).collect();
    for (text, expected) in texts.iter().zip(&expected) {
        assert_eq!(
            md5(text).as_bytes(),
            expected,
            "one text of {} bytes",
            text.len()
        );
    }
    for platform in Platform::available() {
        let mut hashes = Vec::new();
        many_on(platform, texts.iter().copied(), &mut hashes).unwrap();
        assert_eq!(hashes.len(), expected.len(), "{platform:?}");
        for (index, (hash, expected)) in hashes.iter().zip(&expected).enumerate() {
            let length = texts[index].len();
            assert_eq!(
                hash.as_bytes(),
                expected,
                "{platform:?}: text {index} of {length} bytes"
            );
        }
    }
}

/// Texts of these lengths, one after the other in one buffer.
fn check_lengths(lengths: &[usize]) {
    let buffer = noise(lengths.iter().sum());
    let mut rest = buffer.as_slice();
    let texts: Vec<&[u8]> = lengths
        .iter()
        .map(|length| {
            let (text, after) = rest.split_at(*length);
            rest = after;
            text
        })
        .collect();
    check(&texts);
}

/// None of the tests here may pass because an instruction set was not tried.
#[test]
fn every_instruction_set_of_this_processor_is_tried() {
    let mut expected = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && cfg!(rowhash_avx512) {
            expected.push("Avx512");
        }
        if is_x86_feature_detected!("avx2") {
            expected.push("Avx2");
        }
    }
    expected.push("Portable");
    let tried: Vec<String> = Platform::available()
        .map(|platform| format!("{platform:?}"))
        .collect();
    println!("instruction sets: {}", tried.join(", "));
    assert_eq!(tried, expected);
    assert_eq!(Platform::detect(), Platform::available().next().unwrap());
}

#[test]
fn every_length_to_5000_in_one_call() {
    check_lengths(&(0..=5_000).collect::<Vec<_>>());
}

#[test]
fn every_length_to_5000_among_its_like() {
    let buffer = noise(5_000 + 40);
    for length in 0..=5_000 {
        let texts: Vec<&[u8]> = (0..17).map(|from| &buffer[from..from + length]).collect();
        check(&texts);
    }
}

#[test]
fn batches_of_0_to_600_texts() {
    let buffer = noise(2_000);
    for count in 0..=600 {
        let texts: Vec<&[u8]> = (0..count)
            .map(|index| &buffer[index % 50..index % 50 + (index * 37 + count) % 400])
            .collect();
        check(&texts);
    }
}

#[test]
fn texts_far_longer_than_the_others() {
    for count in [1, 2, 3, 5, 20, 300] {
        for long in [1, 2, 3, 7, 9, 40] {
            let mut lengths: Vec<usize> = (0..count).map(|index| index * 13 % 200).collect();
            lengths.splice(count / 2..count / 2, vec![100_000; long]);
            check_lengths(&lengths);
        }
    }
    let mut lengths = vec![300; 400];
    lengths[17] = 1 << 20;
    check_lengths(&lengths);
}

#[test]
fn texts_at_a_distance_of_4096_bytes() {
    let buffer = noise(4096 * 64);
    for length in [0, 55, 56, 64, 1_000, 4_090] {
        let texts: Vec<&[u8]> = buffer
            .chunks_exact(4096)
            .map(|page| &page[..length])
            .collect();
        check(&texts);
    }
}

#[test]
fn a_batch_gives_the_hashes_of_its_rows_in_their_order() {
    let columns = Columns::new(["a", "b"], "row_hash").unwrap();
    let mut rows = RowBatch::new(&columns, CanonicalForm::Compatible);
    for count in 0..100 {
        rows.clear();
        for index in 0..count {
            let text = "x".repeat(index * 29 % 500);
            rows.push([Value::Text(&text), Value::Integer(index as i64)])
                .unwrap();
        }
        let expected: Vec<RowHash> = rows.texts().map(md5).collect();
        assert_eq!(rows.hashes().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn hashes_are_appended() {
    let mut hashes = vec![md5(b"before")];
    many([b"one".as_slice(), b"two"], &mut hashes).unwrap();
    assert_eq!(hashes, [md5(b"before"), md5(b"one"), md5(b"two")]);
}

/// Lengths around the edges of blocks and padding, short ones, and now and then a long one.
fn lengths() -> impl Strategy<Value = Vec<usize>> {
    let edge = (0_usize..40, 0_usize..20)
        .prop_map(|(blocks, more)| (64 * blocks + more).saturating_sub(10));
    let length = prop_oneof![4 => 0_usize..900, 4 => edge, 1 => 0_usize..30_000];
    prop::collection::vec(length, 0..600)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn texts_of_any_lengths(lengths in lengths()) {
        check_lengths(&lengths);
    }

    #[test]
    fn texts_of_any_bytes(texts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..80)) {
        check(&texts.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
}
