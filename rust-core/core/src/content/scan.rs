//! Where a JSON string stops being plain: at its quote, a backslash or a control character.
//!
//! The calls are short and many, a value long each, so that the vector code must be inlined into
//! the loop over the fields: a call costs as much as the search.
#![allow(unsafe_code)] // vector instructions

/// A way to search. A value of a vector type proves that the processor has its instructions.
pub(super) trait Scan: Copy {
    /// The first byte from `from` on that is `"`, `\` or below a space; the end if there is none.
    fn stop(self, bytes: &[u8], from: usize) -> usize;
}

/// Whether a string cannot go on at this byte as it is.
fn stops(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

#[inline(always)]
fn stop_in_rest(bytes: &[u8], from: usize) -> usize {
    bytes
        .get(from..)
        .and_then(|rest| rest.iter().position(|byte| stops(*byte)))
        .map_or(bytes.len(), |at| from + at)
}

/// Eight bytes at once, in a register of any processor.
#[derive(Clone, Copy)]
pub(super) struct Words;

impl Scan for Words {
    #[inline(always)]
    fn stop(self, bytes: &[u8], mut from: usize) -> usize {
        const ONES: u64 = u64::MAX / 255;
        const HIGH: u64 = ONES << 7;
        while let Some(chunk) = bytes.get(from..).and_then(|rest| rest.first_chunk::<8>()) {
            let word = u64::from_le_bytes(*chunk);
            // The high bit of a byte is set where it is zero; above the first such byte, borrows
            // may set others.
            let zero = |word: u64| word.wrapping_sub(ONES) & !word;
            let control = word.wrapping_sub(ONES * u64::from(b' ')) & !word;
            let quote = zero(word ^ (ONES * u64::from(b'"')));
            let backslash = zero(word ^ (ONES * u64::from(b'\\')));
            let found = (control | quote | backslash) & HIGH;
            if found != 0 {
                return from + found.trailing_zeros() as usize / 8;
            }
            from += 8;
        }
        stop_in_rest(bytes, from)
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::Avx2;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8,
        _mm256_or_si256, _mm256_set1_epi8,
    };

    use super::{Scan, stop_in_rest};
    use crate::digest::Platform;

    /// 32 bytes at once.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(());

    impl Avx2 {
        /// Proof that the processor has AVX2, or none.
        pub(in super::super) fn detect() -> Option<Self> {
            let is_available = Platform::detect().allows_avx2() && is_x86_feature_detected!("avx2");
            is_available.then_some(Self(()))
        }
    }

    impl Scan for Avx2 {
        #[inline(always)]
        fn stop(self, bytes: &[u8], mut from: usize) -> usize {
            while let Some(chunk) = bytes.get(from..).and_then(|rest| rest.first_chunk::<32>()) {
                // SAFETY: there are 32 bytes in the chunk, and a value of this type is made only
                // where the processor has AVX2.
                let found = unsafe {
                    let chunk = _mm256_loadu_si256(chunk.as_ptr().cast());
                    let quote = _mm256_cmpeq_epi8(chunk, _mm256_set1_epi8(b'"' as i8));
                    let backslash = _mm256_cmpeq_epi8(chunk, _mm256_set1_epi8(b'\\' as i8));
                    let low = _mm256_min_epu8(chunk, _mm256_set1_epi8(0x1f));
                    let control = _mm256_cmpeq_epi8(low, chunk);
                    let stops = _mm256_or_si256(_mm256_or_si256(quote, backslash), control);
                    _mm256_movemask_epi8(stops) as u32
                };
                if found != 0 {
                    return from + found.trailing_zeros() as usize;
                }
                from += 32;
            }
            stop_in_rest(bytes, from)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(scan: impl Scan, bytes: &[u8], from: usize) {
        let expected = (from..bytes.len())
            .find(|at| stops(bytes[*at]))
            .unwrap_or(bytes.len());
        assert_eq!(scan.stop(bytes, from), expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn every_way_to_search_finds_the_same_place(
            bytes in prop::collection::vec(prop_oneof![20 => 0x20..=0xff_u8, 1 => 0..=0xff_u8], 0..200),
            from in 0_usize..100,
        ) {
            let from = from.min(bytes.len());
            check(Words, &bytes, from);
            #[cfg(target_arch = "x86_64")]
            if let Some(avx2) = Avx2::detect() {
                check(avx2, &bytes, from);
            }
        }
    }
}
