//! MD5 of one text.
//!
//! Every operation waits for the one before, so that only the length of that chain counts. What
//! can be added before the last result is there is added before, which a compiler undoes if it is
//! let: it takes the sum apart, and puts the last result into an address computation of two cycles.
//! [`soon`] does not let it. That makes a quarter of the time.
#![allow(unsafe_code)] // an assembly block without an instruction

use super::RowHash;
use super::arch::{INITIAL, SINES, word_of};

/// The MD5 of one text.
pub fn md5(text: &[u8]) -> RowHash {
    let mut state = INITIAL;
    let (blocks, rest) = text.split_at(text.len() - text.len() % 64);
    compress_all(&mut state, blocks);
    let mut tail = [0; 128];
    tail[..rest.len()].copy_from_slice(rest);
    tail[rest.len()] = 0x80;
    let end = if rest.len() < 56 { 64 } else { 128 };
    let bits = (text.len() as u64).wrapping_mul(8); // modulo 2^64, as the standard says
    tail[end - 8..end].copy_from_slice(&bits.to_le_bytes());
    compress_all(&mut state, &tail[..end]);

    let mut digest = [0; 16];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    RowHash(digest)
}

fn compress_all(state: &mut [u32; 4], blocks: &[u8]) {
    for block in blocks.chunks_exact(64) {
        let mut words = [0; 16];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes
                .iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        compress(state, &words);
    }
}

#[inline(always)]
fn compress(state: &mut [u32; 4], words: &[u32; 16]) {
    let [mut a, mut b, mut c, mut d] = *state;
    // What a round adds: the sum of what is known before `b`, the variable that comes last, and
    // then as little as possible.
    macro_rules! mix {
        (choose_b, $sum:expr, $b:expr, $c:expr, $d:expr) => {
            soon($sum).wrapping_add((($c ^ $d) & $b) ^ $d)
        };
        // The two terms have no bit in common: their sum is their union.
        (choose_d, $sum:expr, $b:expr, $c:expr, $d:expr) => {
            soon($sum.wrapping_add($c & !$d)).wrapping_add($b & $d)
        };
        (parity, $sum:expr, $b:expr, $c:expr, $d:expr) => {
            soon($sum).wrapping_add($b ^ soon($c ^ $d))
        };
        (or_not, $sum:expr, $b:expr, $c:expr, $d:expr) => {
            soon($sum).wrapping_add($c ^ ($b | !$d))
        };
    }
    macro_rules! operation {
        ($round:ident, $index:expr, $left:literal, $a:ident, $b:ident, $c:ident, $d:ident) => {
            let known = const { SINES[$index] }.wrapping_add(words[const { word_of($index) }]);
            let sum = mix!($round, $a.wrapping_add(known), $b, $c, $d);
            $a = sum.rotate_left($left).wrapping_add($b);
        };
    }
    macro_rules! round {
        ($round:ident, $number:literal, $lefts:tt) => {
            round!(@four $round, 16 * $number, $lefts);
            round!(@four $round, 16 * $number + 4, $lefts);
            round!(@four $round, 16 * $number + 8, $lefts);
            round!(@four $round, 16 * $number + 12, $lefts);
        };
        (@four $round:ident, $index:expr, [$one:literal, $two:literal, $three:literal, $four:literal]) => {
            operation!($round, $index, $one, a, b, c, d);
            operation!($round, $index + 1, $two, d, a, b, c);
            operation!($round, $index + 2, $three, c, d, a, b);
            operation!($round, $index + 3, $four, b, c, d, a);
        };
    }
    round!(choose_b, 0, [7, 12, 17, 22]);
    round!(choose_d, 1, [5, 9, 14, 20]);
    round!(parity, 2, [4, 11, 16, 23]);
    round!(or_not, 3, [6, 10, 15, 21]);
    for (word, more) in state.iter_mut().zip([a, b, c, d]) {
        *word = word.wrapping_add(more);
    }
}

/// The word, of which the compiler does not know how it came about.
#[inline(always)]
fn soon(word: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut word = word;
        // SAFETY: there is no instruction.
        unsafe {
            std::arch::asm!("/* {0:e} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags));
        }
        word
    }
    #[cfg(not(target_arch = "x86_64"))]
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use md5::{Digest, Md5};

    #[test]
    fn every_length_has_the_digest_of_the_md_5_crate() {
        let text: Vec<u8> = (0..5_000).map(|index| (index % 251) as u8).collect();
        for length in 0..=text.len() {
            let expected: [u8; 16] = Md5::digest(&text[..length]).into();
            assert_eq!(md5(&text[..length]).as_bytes(), &expected, "{length}");
        }
    }
}
