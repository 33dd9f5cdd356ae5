//! Four lanes in plain Rust, which the compiler turns into the vectors that every processor of its
//! target has: SSE2 on x86-64, NEON on aarch64.

use super::super::RowHash;
use super::Width;
use super::generic::{self, Vector};

/// Two vectors in turns.
pub(super) const WIDTHS: &[Width] = &[Width { lanes: 8, cost: 58 }];

/// See [`generic::hash`].
pub(super) fn hash(_: Width, texts: &[&[u8]], queue: &[u16], hashes: &mut [RowHash]) {
    // SAFETY: no instruction set is needed.
    unsafe { generic::hash::<Portable, 2>(texts, queue, hashes) }
}

#[derive(Clone, Copy)]
struct Portable([u32; 4]);

macro_rules! each {
    ($lane:ident => $word:expr) => {
        Self([
            {
                let $lane = 0;
                $word
            },
            {
                let $lane = 1;
                $word
            },
            {
                let $lane = 2;
                $word
            },
            {
                let $lane = 3;
                $word
            },
        ])
    };
}

impl Vector for Portable {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        Self([word; 4])
    }

    #[inline(always)]
    unsafe fn load(pointers: &[*const u8], offset: usize) -> [Self; 16] {
        let mut words = [Self([0; 4]); 16];
        for (lane, pointer) in pointers[..4].iter().enumerate() {
            let block = pointer.wrapping_add(offset).cast::<[u32; 16]>();
            // SAFETY: the caller has made sure of the blocks.
            let block = unsafe { block.read_unaligned() };
            for (words, word) in words.iter_mut().zip(block) {
                words.0[lane] = u32::from_le(word);
            }
        }
        words
    }

    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        words[..4].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn abreast(self, other: Self) -> (Self, Self) {
        (self, other)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        each!(lane => self.0[lane].wrapping_add(other.0[lane]))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        each!(lane => self.0[lane].wrapping_sub(other.0[lane]))
    }

    #[inline(always)]
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        each!(lane => self.0[lane] << LEFT | self.0[lane] >> RIGHT)
    }

    #[inline(always)]
    fn choose(self, ones: Self, zeros: Self) -> Self {
        each!(lane => zeros.0[lane] ^ (self.0[lane] & (ones.0[lane] ^ zeros.0[lane])))
    }

    #[inline(always)]
    fn xor3(self, second: Self, third: Self) -> Self {
        each!(lane => self.0[lane] ^ second.0[lane] ^ third.0[lane])
    }

    #[inline(always)]
    fn xor_and_not(self, second: Self, third: Self) -> Self {
        each!(lane => self.0[lane] ^ (second.0[lane] & !third.0[lane]))
    }

    #[inline(always)]
    fn equal(self, words: &[u32]) -> u32 {
        let mut equal = 0;
        for (lane, (own, other)) in self.0.iter().zip(&words[..4]).enumerate() {
            equal |= u32::from(own == other) << lane;
        }
        equal
    }

    #[inline(always)]
    fn replace(self, lanes: u32, other: Self) -> Self {
        each!(lane => if lanes >> lane & 1 == 1 { other.0[lane] } else { self.0[lane] })
    }
}
