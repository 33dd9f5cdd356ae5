//! MD5 of many texts: in which order they go to the lanes, and which are better hashed alone.

use std::collections::TryReserveError;

use super::arch::{Platform, Width};
use super::{RowHash, md5};

/// How many texts are ordered at once; what that takes lies on the stack.
const CHUNK: usize = 256;

/// Appends the MD5 of each text to `hashes`, in their order.
///
/// # Errors
/// Memory for the hashes that cannot be had. Those of the texts before are then in `hashes`.
pub fn many<'t>(
    texts: impl IntoIterator<Item = &'t [u8]>,
    hashes: &mut Vec<RowHash>,
) -> Result<(), TryReserveError> {
    many_on(Platform::detect(), texts, hashes)
}

/// [`many`] with a given instruction set: for tests and benchmarks.
///
/// # Errors
/// As [`many`].
pub fn many_on<'t>(
    platform: Platform,
    texts: impl IntoIterator<Item = &'t [u8]>,
    hashes: &mut Vec<RowHash>,
) -> Result<(), TryReserveError> {
    let mut texts = texts.into_iter();
    loop {
        let mut chunk = [[].as_slice(); CHUNK];
        let mut count = 0;
        for (place, text) in chunk.iter_mut().zip(texts.by_ref()) {
            *place = text;
            count += 1;
        }
        if count == 0 {
            return Ok(());
        }
        hashes.try_reserve(count)?;
        let before = hashes.len();
        hashes.resize(before + count, RowHash([0; 16]));
        hash_chunk(platform, &chunk[..count], &mut hashes[before..]);
    }
}

fn hash_chunk(platform: Platform, texts: &[&[u8]], hashes: &mut [RowHash]) {
    let mut order = [0; CHUNK];
    let order = &mut order[..texts.len()];
    longest_first(texts, order);
    let (alone, side_by_side) = match plan(platform, texts, order) {
        Some((alone, width)) => {
            let (alone, rest) = order.split_at(alone);
            (alone, Some((width, rest)))
        }
        None => (&*order, None),
    };
    for row in alone.iter().map(|row| usize::from(*row)) {
        hashes[row] = md5(texts[row]);
    }
    if let Some((width, queue)) = side_by_side {
        platform.hash(width, texts, queue, hashes);
    }
}

/// How many of the longest texts to hash alone, and in what width the rest; nothing where all are
/// better hashed alone. The longest take their time in a lane too, and while they do the other
/// lanes may have nothing left.
fn plan(platform: Platform, texts: &[&[u8]], order: &[u16]) -> Option<(usize, Width)> {
    const MOST_ALONE: usize = 8;
    let blocks = |row: &u16| blocks(texts[usize::from(*row)]) as u64;
    let mut rest: u64 = order.iter().map(blocks).sum();
    if rest > u32::MAX.into() {
        return None; // not counted so far side by side
    }
    let mut alone = 0;
    let mut best = (u64::MAX, None);
    for (index, row) in order.iter().enumerate().take(MOST_ALONE) {
        let longest = blocks(row);
        for width in platform.widths() {
            let steps = longest.max(rest.div_ceil(width.lanes));
            let cost = 10 * alone + width.cost * steps;
            if cost < best.0 {
                best = (cost, Some((index, *width)));
            }
        }
        alone += longest;
        rest -= longest;
    }
    if rest == 0 && 10 * alone <= best.0 {
        return None;
    }
    best.1
}

/// The blocks of 64 bytes of a text, with its padding.
fn blocks(text: &[u8]) -> usize {
    text.len() / 64 + if text.len() % 64 < 56 { 1 } else { 2 }
}

const RANKS: usize = 384;

/// A number that grows with the blocks: exactly up to 32, in steps of a sixteenth from there on.
fn rank(blocks: usize) -> usize {
    if blocks < 32 {
        return blocks;
    }
    let shift = blocks.ilog2() as usize - 4;
    (16 * shift + (blocks >> shift)).min(RANKS - 1)
}

/// Orders the texts by their blocks, about: it is for speed alone.
fn longest_first(texts: &[&[u8]], order: &mut [u16]) {
    let mut places = [0_u16; RANKS];
    let mut longest = 0;
    for text in texts {
        let rank = rank(blocks(text));
        places[rank] += 1;
        longest = longest.max(rank);
    }
    let mut next = 0;
    for place in places[..=longest].iter_mut().rev() {
        (*place, next) = (next, next + *place);
    }
    for (row, text) in (0..).zip(texts) {
        let place = &mut places[rank(blocks(text))];
        order[usize::from(*place)] = row;
        *place += 1;
    }
}
