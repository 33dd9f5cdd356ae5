//! Sixteen lanes with AVX-512: one instruction for each boolean function and each rotation.
#![allow(clippy::incompatible_msrv)] // compiled by a Rust that has it, and no older one: build.rs

use std::arch::asm;
use std::arch::x86_64::*;

use super::super::RowHash;
use super::Width;
use super::generic::{self, Vector};

/// Whether this processor has what [`hash`] needs.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
}

/// One vector, and two in turns.
pub(super) const WIDTHS: &[Width] = &[
    Width {
        lanes: 16,
        cost: 20,
    },
    Width {
        lanes: 32,
        cost: 27,
    },
];

/// See [`generic::hash`].
///
/// # Safety
/// [`is_available`].
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn hash(width: Width, texts: &[&[u8]], queue: &[u16], hashes: &mut [RowHash]) {
    // SAFETY: the caller has made sure of AVX-512.
    unsafe {
        if width.lanes > Avx512::LANES as u64 {
            generic::hash::<Avx512, 2>(texts, queue, hashes);
        } else {
            generic::hash::<Avx512, 1>(texts, queue, hashes);
        }
    }
}

/// See [`Vector::abreast`].
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn abreast(mut one: __m512i, mut other: __m512i) -> (__m512i, __m512i) {
    // SAFETY: there is no instruction.
    unsafe {
        asm!("/* {0} {1} */", inout(zmm_reg) one, inout(zmm_reg) other, options(pure, nomem, nostack, preserves_flags));
    }
    (one, other)
}

#[derive(Clone, Copy)]
struct Avx512(__m512i);

impl Vector for Avx512 {
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: the caller has made sure of AVX-512.
        Self(unsafe { _mm512_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    unsafe fn load(pointers: &[*const u8], offset: usize) -> [Self; 16] {
        let pointers = &pointers[..16];
        // SAFETY: the caller has made sure of AVX-512 and of the blocks.
        unsafe {
            // Four lanes in each register, a quarter of their blocks, then a transposition. All
            // four quarters of a block in one go: where rows lie at a distance of 4096 bytes, the
            // lines of the others drive it out of the cache.
            let zero = _mm512_setzero_si512();
            let mut quarters = [[zero; 4]; 4];
            for lane in 0..4 {
                for (quarter, rows) in quarters.iter_mut().enumerate() {
                    let read = |lane: usize| {
                        _mm_loadu_si128(pointers[lane].wrapping_add(offset + 16 * quarter).cast())
                    };
                    let row = _mm512_castsi128_si512(read(lane));
                    let row = _mm512_mask_broadcast_i32x4(row, 0x00f0, read(lane + 4));
                    let row = _mm512_mask_broadcast_i32x4(row, 0x0f00, read(lane + 8));
                    rows[lane] = _mm512_mask_broadcast_i32x4(row, 0xf000, read(lane + 12));
                }
            }
            let mut words = [Self(zero); 16];
            for (rows, words) in quarters.iter().zip(words.chunks_exact_mut(4)) {
                let low = [
                    _mm512_unpacklo_epi32(rows[0], rows[1]),
                    _mm512_unpacklo_epi32(rows[2], rows[3]),
                ];
                let high = [
                    _mm512_unpackhi_epi32(rows[0], rows[1]),
                    _mm512_unpackhi_epi32(rows[2], rows[3]),
                ];
                words[0] = Self(_mm512_unpacklo_epi64(low[0], low[1]));
                words[1] = Self(_mm512_unpackhi_epi64(low[0], low[1]));
                words[2] = Self(_mm512_unpacklo_epi64(high[0], high[1]));
                words[3] = Self(_mm512_unpackhi_epi64(high[0], high[1]));
            }
            words
        }
    }

    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        let words = &mut words[..16];
        // SAFETY: `self` proves AVX-512, and there are 16 words.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn abreast(self, other: Self) -> (Self, Self) {
        // SAFETY: `self` proves AVX-512.
        let (one, other) = unsafe { abreast(self.0, other.0) };
        (Self(one), Self(other))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX-512.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: `self` proves AVX-512.
        Self(unsafe { _mm512_sub_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        // SAFETY: `self` proves AVX-512.
        Self(unsafe { _mm512_rol_epi32::<LEFT>(self.0) })
    }

    #[inline(always)]
    fn choose(self, ones: Self, zeros: Self) -> Self {
        // SAFETY: `self` proves AVX-512.
        Self(unsafe { _mm512_ternarylogic_epi32::<0xca>(self.0, ones.0, zeros.0) })
    }

    #[inline(always)]
    fn xor3(self, second: Self, third: Self) -> Self {
        // SAFETY: `self` proves AVX-512.
        Self(unsafe { _mm512_ternarylogic_epi32::<0x96>(self.0, second.0, third.0) })
    }

    #[inline(always)]
    fn xor_and_not(self, second: Self, third: Self) -> Self {
        // SAFETY: `self` proves AVX-512.
        Self(unsafe { _mm512_ternarylogic_epi32::<0xb4>(self.0, second.0, third.0) })
    }

    #[inline(always)]
    fn equal(self, words: &[u32]) -> u32 {
        let words = &words[..16];
        // SAFETY: `self` proves AVX-512, and there are 16 words.
        unsafe { _mm512_cmpeq_epi32_mask(self.0, _mm512_loadu_si512(words.as_ptr().cast())) }.into()
    }

    #[inline(always)]
    fn replace(self, lanes: u32, other: Self) -> Self {
        // SAFETY: `self` proves AVX-512.
        Self(unsafe { _mm512_mask_mov_epi32(self.0, lanes as u16, other.0) })
    }
}
