//! Sixteen characters at once with AVX-512, which has an instruction that moves bytes together.
#![allow(clippy::incompatible_msrv)] // compiled by a Rust that has it, and no older one: build.rs

use std::arch::x86_64::*;

use super::{Place, Transcoder, Work, character};
use crate::digest::Platform;

#[derive(Clone, Copy)]
pub(in super::super) struct Avx512(());

impl Avx512 {
    /// Proof that the processor has the instructions that [`run`] enables, or none.
    pub(in super::super) fn detect() -> Option<Self> {
        let is_available = Platform::detect().allows_avx512()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("popcnt");
        is_available.then_some(Self(()))
    }

    /// Does the work with this.
    pub(in super::super) fn run<W: Work>(self, work: W) -> W::Result {
        // SAFETY: a value of this type is made only where the processor has the instructions.
        unsafe { run(self, work) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
unsafe fn run<W: Work>(avx512: Avx512, work: W) -> W::Result {
    work.with(avx512)
}

const ASCII_UNITS: usize = 32;
const UNITS: usize = 16;

impl Transcoder for Avx512 {
    #[inline(always)]
    fn write(self, units: &[u16], length: usize, out: &mut [u8], at: usize) -> usize {
        let units = &units[..length];
        let mut place = Place { unit: 0, byte: at };
        while place.unit < length {
            if !ascii(units, out, &mut place) && !sixteen(units, out, &mut place) {
                let stop = length.min(place.unit + UNITS);
                while place.unit < stop {
                    character(units, out, &mut place);
                }
            }
        }
        place.byte
    }
}

/// Writes the next 32 units, or those that are left, if they are ASCII.
#[inline(always)]
fn ascii(units: &[u16], out: &mut [u8], place: &mut Place) -> bool {
    let rest = &units[place.unit..];
    let taken = rest.len().min(ASCII_UNITS);
    let out = &mut out[place.byte..place.byte + ASCII_UNITS];
    // SAFETY: the instructions are those that a caller's `Avx512` proves; of the units those are
    // read that are left, and `out` has 32 bytes.
    unsafe {
        let units =
            _mm512_maskz_loadu_epi16(u32::MAX >> (ASCII_UNITS - taken), rest.as_ptr().cast());
        if _mm512_cmpge_epu16_mask(units, _mm512_set1_epi16(0x80)) != 0 {
            return false;
        }
        _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm512_cvtepi16_epi8(units));
    }
    place.unit += taken;
    place.byte += taken;
    true
}

/// Writes the next sixteen units, or those that are left, if none is half a pair.
#[inline(always)]
fn sixteen(units: &[u16], out: &mut [u8], place: &mut Place) -> bool {
    let rest = &units[place.unit..];
    let taken = rest.len().min(UNITS);
    let out = &mut out[place.byte..place.byte + 64];
    let counted = u16::MAX >> (UNITS - taken);
    // SAFETY: the instructions are those that a caller's `Avx512` proves; of the units those are
    // read that are left, and `out` has 64 bytes.
    let bytes = unsafe {
        let units = _mm256_maskz_loadu_epi16(counted, rest.as_ptr().cast());
        let kind = _mm256_and_si256(units, _mm256_set1_epi16(0xf800_u16 as i16));
        if _mm256_cmpeq_epi16_mask(kind, _mm256_set1_epi16(0xd800_u16 as i16)) != 0 {
            return false;
        }
        let wide = _mm512_cvtepu16_epi32(units);
        let two = _mm512_cmpge_epu32_mask(wide, _mm512_set1_epi32(0x80));
        let three = _mm512_cmpge_epu32_mask(wide, _mm512_set1_epi32(0x800));
        let six = |bits| {
            let low = _mm512_and_si512(bits, _mm512_set1_epi32(0x3f));
            _mm512_or_si512(low, _mm512_set1_epi32(0x80))
        };
        let high = _mm512_srli_epi32::<6>(wide);
        let last = six(wide);
        let bytes_of_two = _mm512_or_si512(
            _mm512_or_si512(high, _mm512_set1_epi32(0xc0)),
            _mm512_slli_epi32::<8>(last),
        );
        let first = _mm512_or_si512(_mm512_srli_epi32::<12>(wide), _mm512_set1_epi32(0xe0));
        let bytes_of_three = _mm512_or_si512(
            _mm512_or_si512(first, _mm512_slli_epi32::<8>(six(high))),
            _mm512_slli_epi32::<16>(last),
        );
        let bytes = _mm512_mask_mov_epi32(wide, two, bytes_of_two);
        let bytes = _mm512_mask_mov_epi32(bytes, three, bytes_of_three);
        // The high bit of each byte that counts.
        let used = _mm512_maskz_set1_epi32(counted, 0x80);
        let used = _mm512_mask_mov_epi32(used, two, _mm512_set1_epi32(0x8080));
        let used = _mm512_mask_mov_epi32(used, three, _mm512_set1_epi32(0x80_8080));
        let used = _mm512_movepi8_mask(used);
        _mm512_storeu_si512(
            out.as_mut_ptr().cast(),
            _mm512_maskz_compress_epi8(used, bytes),
        );
        used.count_ones() as usize
    };
    place.unit += taken;
    place.byte += bytes;
    true
}
