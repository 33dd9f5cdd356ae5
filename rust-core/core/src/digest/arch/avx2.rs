//! Eight lanes with AVX2.

use std::arch::asm;
use std::arch::x86_64::*;

use super::super::RowHash;
use super::Width;
use super::generic::{self, Vector};

/// Whether this processor has what [`hash`] needs.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
}

/// One vector, and two in turns.
pub(super) const WIDTHS: &[Width] = &[
    Width { lanes: 8, cost: 16 },
    Width {
        lanes: 16,
        cost: 19,
    },
];

/// See [`generic::hash`].
///
/// # Safety
/// [`is_available`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn hash(width: Width, texts: &[&[u8]], queue: &[u16], hashes: &mut [RowHash]) {
    // SAFETY: the caller has made sure of AVX2.
    unsafe {
        if width.lanes > Avx2::LANES as u64 {
            generic::hash::<Avx2, 2>(texts, queue, hashes);
        } else {
            generic::hash::<Avx2, 1>(texts, queue, hashes);
        }
    }
}

/// See [`Vector::abreast`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn abreast(mut one: __m256i, mut other: __m256i) -> (__m256i, __m256i) {
    // SAFETY: there is no instruction.
    unsafe {
        asm!("/* {0} {1} */", inout(ymm_reg) one, inout(ymm_reg) other, options(pure, nomem, nostack, preserves_flags));
    }
    (one, other)
}

#[derive(Clone, Copy)]
struct Avx2(__m256i);

impl Vector for Avx2 {
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: the caller has made sure of AVX2.
        Self(unsafe { _mm256_set1_epi32(word as i32) })
    }

    #[inline(always)]
    unsafe fn load(pointers: &[*const u8], offset: usize) -> [Self; 16] {
        let pointers = &pointers[..8];
        // SAFETY: the caller has made sure of AVX2 and of the blocks.
        unsafe {
            let zero = _mm256_setzero_si256();
            let mut words = [Self(zero); 16];
            // Two lanes in each register, a quarter of their blocks, then a transposition.
            for (half, words) in words.chunks_exact_mut(8).enumerate() {
                let mut quarters = [[zero; 4]; 2];
                for lane in 0..4 {
                    for (quarter, rows) in quarters.iter_mut().enumerate() {
                        let read = |lane: usize| {
                            let offset = offset + 32 * half + 16 * quarter;
                            _mm_loadu_si128(pointers[lane].wrapping_add(offset).cast())
                        };
                        let row = _mm256_castsi128_si256(read(lane));
                        rows[lane] = _mm256_inserti128_si256::<1>(row, read(lane + 4));
                    }
                }
                for (rows, words) in quarters.iter().zip(words.chunks_exact_mut(4)) {
                    let low = [
                        _mm256_unpacklo_epi32(rows[0], rows[1]),
                        _mm256_unpacklo_epi32(rows[2], rows[3]),
                    ];
                    let high = [
                        _mm256_unpackhi_epi32(rows[0], rows[1]),
                        _mm256_unpackhi_epi32(rows[2], rows[3]),
                    ];
                    words[0] = Self(_mm256_unpacklo_epi64(low[0], low[1]));
                    words[1] = Self(_mm256_unpackhi_epi64(low[0], low[1]));
                    words[2] = Self(_mm256_unpacklo_epi64(high[0], high[1]));
                    words[3] = Self(_mm256_unpackhi_epi64(high[0], high[1]));
                }
            }
            words
        }
    }

    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        let words = &mut words[..8];
        // SAFETY: `self` proves AVX2, and there are 8 words.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn abreast(self, other: Self) -> (Self, Self) {
        // SAFETY: `self` proves AVX2.
        let (one, other) = unsafe { abreast(self.0, other.0) };
        (Self(one), Self(other))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_sub_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe {
            _mm256_or_si256(
                _mm256_slli_epi32::<LEFT>(self.0),
                _mm256_srli_epi32::<RIGHT>(self.0),
            )
        })
    }

    #[inline(always)]
    fn choose(self, ones: Self, zeros: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe {
            _mm256_xor_si256(
                zeros.0,
                _mm256_and_si256(self.0, _mm256_xor_si256(ones.0, zeros.0)),
            )
        })
    }

    #[inline(always)]
    fn xor3(self, second: Self, third: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_xor_si256(second.0, third.0)) })
    }

    #[inline(always)]
    fn xor_and_not(self, second: Self, third: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_andnot_si256(third.0, second.0)) })
    }

    #[inline(always)]
    fn equal(self, words: &[u32]) -> u32 {
        let words = &words[..8];
        // SAFETY: `self` proves AVX2, and there are 8 words.
        let equal = unsafe {
            let equal = _mm256_cmpeq_epi32(self.0, _mm256_loadu_si256(words.as_ptr().cast()));
            _mm256_movemask_ps(_mm256_castsi256_ps(equal))
        };
        equal as u32
    }

    #[inline(always)]
    fn replace(self, lanes: u32, other: Self) -> Self {
        // SAFETY: `self` proves AVX2.
        Self(unsafe {
            let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let lanes = _mm256_and_si256(_mm256_set1_epi32(lanes as i32), bits);
            _mm256_blendv_epi8(self.0, other.0, _mm256_cmpeq_epi32(lanes, bits))
        })
    }
}
