//! Eight characters at once with AVX2: a lane of 32 bits each, whose bytes are then moved together.

use std::arch::x86_64::*;

use super::{Place, Transcoder, Work, ascii, character};
use crate::digest::Platform;

#[derive(Clone, Copy)]
pub(in super::super) struct Avx2(());

impl Avx2 {
    /// Proof that the processor has the instructions that [`run`] enables, or none.
    pub(in super::super) fn detect() -> Option<Self> {
        let is_available = Platform::detect().allows_avx2()
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("popcnt");
        is_available.then_some(Self(()))
    }

    /// Does the work with this.
    pub(in super::super) fn run<W: Work>(self, work: W) -> W::Result {
        // SAFETY: a value of this type is made only where the processor has the instructions.
        unsafe { run(self, work) }
    }
}

#[target_feature(enable = "avx2,popcnt")]
unsafe fn run<W: Work>(avx2: Avx2, work: W) -> W::Result {
    work.with(avx2)
}

const UNITS: usize = 8;

impl Transcoder for Avx2 {
    #[inline(always)]
    fn write(self, units: &[u16], length: usize, out: &mut [u8], at: usize) -> usize {
        let mut place = Place { unit: 0, byte: at };
        while place.unit < length {
            if ascii::<16>(units, length, out, &mut place) {
                continue;
            }
            for _ in 0..2 {
                if place.unit < length && !eight(units, length, out, &mut place) {
                    let stop = length.min(place.unit + UNITS);
                    while place.unit < stop {
                        character(&units[..length], out, &mut place);
                    }
                }
            }
        }
        place.byte
    }
}

/// Writes the next eight units, or those of them that are left, if eight are there and none that
/// counts is half a pair.
#[inline(always)]
fn eight(units: &[u16], length: usize, out: &mut [u8], place: &mut Place) -> bool {
    let Some(chunk) = units[place.unit..].first_chunk::<UNITS>() else {
        return false;
    };
    let taken = UNITS.min(length - place.unit);
    let counted = u32::MAX >> (32 - taken);
    // SAFETY: the instructions are those of AVX2, which a caller's `Avx2` proves; there are eight
    // units in the chunk.
    let (bytes, two, three) = unsafe {
        let units = _mm_loadu_si128(chunk.as_ptr().cast());
        let surrogate = _mm_cmpeq_epi16(
            _mm_and_si128(units, _mm_set1_epi16(0xf800_u16 as i16)),
            _mm_set1_epi16(0xd800_u16 as i16),
        );
        let surrogates = _mm_movemask_epi8(_mm_packs_epi16(surrogate, surrogate)) as u32;
        if surrogates & counted & 0xff != 0 {
            return false;
        }
        let wide = _mm256_cvtepu16_epi32(units);
        let six = |bits| {
            let low = _mm256_and_si256(bits, _mm256_set1_epi32(0x3f));
            _mm256_or_si256(low, _mm256_set1_epi32(0x80))
        };
        let high = _mm256_srli_epi32::<6>(wide);
        let last = six(wide);
        let bytes_of_two = _mm256_or_si256(
            _mm256_or_si256(high, _mm256_set1_epi32(0xc0)),
            _mm256_slli_epi32::<8>(last),
        );
        let first = _mm256_or_si256(_mm256_srli_epi32::<12>(wide), _mm256_set1_epi32(0xe0));
        let bytes_of_three = _mm256_or_si256(
            _mm256_or_si256(first, _mm256_slli_epi32::<8>(six(high))),
            _mm256_slli_epi32::<16>(last),
        );
        let two = _mm256_cmpgt_epi32(wide, _mm256_set1_epi32(0x7f));
        let three = _mm256_cmpgt_epi32(wide, _mm256_set1_epi32(0x7ff));
        let bytes = _mm256_blendv_epi8(wide, bytes_of_two, two);
        let bytes = _mm256_blendv_epi8(bytes, bytes_of_three, three);
        let mask = |lanes| _mm256_movemask_ps(_mm256_castsi256_ps(lanes)) as u32;
        (bytes, mask(two), mask(three))
    };
    let index = |half: u32| (two >> half & 0xf | (three >> half & 0xf) << 4) as usize;
    let low = &TOGETHER[index(0)];
    let high = &TOGETHER[index(4)];
    let middle = place.byte + low.length;
    let out = &mut out[place.byte..middle + 16];
    // SAFETY: the instructions are those of AVX2; the shuffles have 16 bytes, and so has `out` from
    // its start and from the end of the lower half on, which has up to 12.
    unsafe {
        let move_together = |bytes, shuffle: &Together| {
            _mm_shuffle_epi8(bytes, _mm_load_si128(shuffle.order.as_ptr().cast()))
        };
        let to = out.as_mut_ptr();
        _mm_storeu_si128(to.cast(), move_together(_mm256_castsi256_si128(bytes), low));
        _mm_storeu_si128(
            to.add(low.length).cast(),
            move_together(_mm256_extracti128_si256::<1>(bytes), high),
        );
    }
    place.unit += taken;
    place.byte += taken + ((two & counted).count_ones() + (three & counted).count_ones()) as usize;
    true
}

/// How the bytes of four lanes move together.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Together {
    order: [u8; 16],
    /// How many there are then.
    length: usize,
}

/// By the lanes of two bytes or more, and 16 times those of three.
static TOGETHER: [Together; 256] = {
    let mut table = [Together {
        order: [0xff; 16],
        length: 0,
    }; 256];
    let mut index = 0;
    while index < 256 {
        let mut lane = 0;
        while lane < 4 {
            let bytes = 1 + (index >> lane & 1) + (index >> (4 + lane) & 1);
            let mut byte = 0;
            while byte < bytes {
                let together = &mut table[index];
                together.order[together.length] = (4 * lane + byte) as u8;
                together.length += 1;
                byte += 1;
            }
            lane += 1;
        }
        index += 1;
    }
    table
};
