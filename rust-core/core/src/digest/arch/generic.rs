//! MD5 of many texts side by side, for any vector type: one text a lane.
//!
//! Each step of the loop in [`hash`] takes one block of 64 bytes of the text in each lane. A lane
//! whose text has ended takes the next one of the queue between two steps, so that lengths may be
//! mixed. Full blocks are read where the text lies; the last one or two, which hold the padding,
//! are built in a buffer of the lane.

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::slice;
use std::sync::atomic::{Ordering, compiler_fence};

use super::super::RowHash;

/// The most lanes that a processor runs at once.
pub(super) const MAX_LANES: usize = 32;

/// `LANES` words of 32 bits, and the operations of MD5 on all of them at once.
///
/// A value proves that the processor has the instructions of its type: they come from the two
/// functions that are unsafe, and the others need one. Every function is to be inlined into one
/// that has the instruction set as its `target_feature`.
pub(super) trait Vector: Copy {
    /// How many words a vector has.
    const LANES: usize;

    /// `word` in every lane.
    ///
    /// # Safety
    /// The processor has the instruction set of this type.
    unsafe fn splat(word: u32) -> Self;

    /// The block of each lane, `offset` bytes past its pointer: vector `i` has word `i` of each.
    ///
    /// # Safety
    /// The processor has the instruction set of this type, and `offset` bytes past the first
    /// `LANES` pointers 64 bytes can be read.
    unsafe fn load(pointers: &[*const u8], offset: usize) -> [Self; 16];

    /// Writes the words of all lanes to the beginning of `words`.
    fn store(self, words: &mut [u32]);

    /// Both vectors, of which the compiler now believes that each depends on the other, so that it
    /// does not move what follows from the one past what the other follows from.
    fn abreast(self, other: Self) -> (Self, Self);

    /// The sum of two vectors, modulo 2^32 in each lane.
    fn add(self, other: Self) -> Self;

    /// The difference of two vectors, modulo 2^32 in each lane.
    fn sub(self, other: Self) -> Self;

    /// Rotates each lane left by `LEFT` bits. `RIGHT` is 32 - `LEFT`, which Rust cannot compute.
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self;

    /// The bits of `ones` where `self` has a one, and those of `zeros` elsewhere.
    fn choose(self, ones: Self, zeros: Self) -> Self;

    /// The exclusive or of three vectors.
    fn xor3(self, second: Self, third: Self) -> Self;

    /// `self ^ (second & !third)`.
    fn xor_and_not(self, second: Self, third: Self) -> Self;

    /// The lanes that are equal to those of `other`: bit `i` for lane `i`.
    fn equal(self, words: &[u32]) -> u32;

    /// `other` in the lanes whose bit is set in `lanes`, `self` elsewhere; further bits do not count.
    fn replace(self, lanes: u32, other: Self) -> Self;
}

pub(in super::super) const INITIAL: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// The constants of the 64 operations: the first 32 bits of |sin(i + 1)|'s fraction.
#[rustfmt::skip]
pub(in super::super) const SINES: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];

const CONSTANTS: [u32; 64] = {
    let mut constants = SINES;
    let mut i = 48;
    while i < 64 {
        constants[i] -= 1;
        i += 1;
    }
    constants
};

/// Which word of the block an operation adds.
pub(in super::super) const fn word_of(operation: usize) -> usize {
    match operation / 16 {
        0 => operation % 16,
        1 => (5 * operation + 1) % 16,
        2 => (3 * operation + 5) % 16,
        _ => (7 * operation) % 16,
    }
}

/// The last blocks of a text: its last bytes, a one bit, zeros, and its length in bits.
///
/// The blocks begin at [`Tail::START`]; what lies before takes the bytes that are copied with the
/// last ones, so that their number is always the same.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Tail([u8; 256]);

impl Tail {
    const START: usize = 64;
    const EMPTY: Self = Self([0; 256]);

    /// How many blocks it takes.
    const fn blocks(length: usize) -> usize {
        if length % 64 < 56 { 1 } else { 2 }
    }

    #[inline(always)]
    fn set(&mut self, text: &[u8]) {
        let rest = text.len() % 64;
        let end = Self::START + rest;
        if let Some(last) = text.last_chunk::<64>() {
            self.0[end - 64..end].copy_from_slice(last);
        } else {
            self.0[Self::START..end].copy_from_slice(text);
        }
        self.0[end..end + 128].fill(0);
        self.0[end] = 0x80;
        let end = Self::START + 64 * Self::blocks(text.len());
        let bits = (text.len() as u64).wrapping_mul(8); // modulo 2^64, as the standard says
        self.0[end - 8..end].copy_from_slice(&bits.to_le_bytes());
    }
}

/// What lanes at rest read when none is at work.
static ZEROS: [u8; 64] = [0; 64];

/// Which blocks the lanes read, step after step. Nothing here depends on what the blocks hold.
struct Lanes<'t> {
    texts: &'t [&'t [u8]],
    queue: slice::Iter<'t, u16>,
    /// The lanes that have a text, as bits.
    at_work: u32,
    /// Where a lane reads: at step `n`, `64 * n` bytes past this, which itself may be nowhere.
    pointers: [*const u8; MAX_LANES],
    /// The step before which a lane's run of blocks, in the text or in its tail, has ended.
    ends: [u32; MAX_LANES],
    /// How many blocks of the tail come after this run.
    tail_blocks: [u32; MAX_LANES],
    /// The text, as an index.
    rows: [u16; MAX_LANES],
    /// A tail for each lane. All pointers to them come from this one, so that they stay valid
    /// while another tail is written.
    tails: *mut Tail,
}

impl<'t> Lanes<'t> {
    #[inline(always)]
    fn new(
        texts: &'t [&'t [u8]],
        queue: &'t [u16],
        tails: &'t mut [MaybeUninit<Tail>; MAX_LANES],
        lanes: usize,
    ) -> Self {
        let mut this = Self {
            texts,
            queue: queue.iter(),
            at_work: 0,
            pointers: [ZEROS.as_ptr(); MAX_LANES],
            ends: [0; MAX_LANES],
            tail_blocks: [0; MAX_LANES],
            rows: [0; MAX_LANES],
            tails: tails.as_mut_ptr().cast(),
        };
        for lane in 0..lanes.min(queue.len()) {
            // SAFETY: there is place for a tail of each lane.
            unsafe { this.tails.add(lane).write(Tail::EMPTY) };
            this.take(lane, 0);
        }
        this.rest(lanes, 0);
        this
    }

    /// Gives a lane the next text of the queue, if there is one.
    #[inline(always)]
    fn take(&mut self, lane: usize, step: u32) {
        let Some(row) = self.queue.next() else {
            self.at_work &= !(1 << lane);
            return;
        };
        let text = self.texts[usize::from(*row)];
        // SAFETY: the tail of a lane that takes texts has been written, and there is no other
        // reference to any.
        unsafe { (*self.tails.add(lane)).set(text) };
        self.at_work |= 1 << lane;
        self.rows[lane] = *row;
        self.tail_blocks[lane] = Tail::blocks(text.len()) as u32;
        let blocks = text.len() / 64;
        if blocks == 0 {
            self.take_tail(lane, step);
        } else {
            self.pointers[lane] = text.as_ptr().wrapping_sub(64 * step as usize);
            self.ends[lane] = step + blocks as u32;
        }
    }

    #[inline(always)]
    fn take_tail(&mut self, lane: usize, step: u32) {
        let tail = self.tails.wrapping_add(lane).cast::<u8>().cast_const();
        self.pointers[lane] = tail
            .wrapping_add(Tail::START)
            .wrapping_sub(64 * step as usize);
        self.ends[lane] = step + self.tail_blocks[lane];
        self.tail_blocks[lane] = 0;
    }

    /// Lets the lanes without a text read what one with a text reads, which is there to be read
    /// until that one goes on; none goes on without coming by here.
    #[inline(always)]
    fn rest(&mut self, lanes: usize, step: u32) {
        let pointer = match Ones(self.at_work).next() {
            Some(lane) => self.pointers[lane],
            None => ZEROS.as_ptr().wrapping_sub(64 * step as usize),
        };
        let all = u32::MAX >> (MAX_LANES - lanes);
        for lane in Ones(all & !self.at_work) {
            self.pointers[lane] = pointer;
        }
    }
}

/// The positions of the ones.
struct Ones(u32);

impl Iterator for Ones {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let position = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (position < 32).then_some(position)
    }
}

/// Hashes the texts that `queue` names, in its order, into the places of the same index.
///
/// `GROUPS` vectors are at work in turns: where one waits for a result the others go on.
///
/// # Safety
/// The processor has the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn hash<V: Vector, const GROUPS: usize>(
    texts: &[&[u8]],
    queue: &[u16],
    hashes: &mut [RowHash],
) {
    const { assert!(GROUPS * V::LANES <= MAX_LANES && GROUPS <= 4) }
    if queue.is_empty() {
        return;
    }
    let mut tails = [const { MaybeUninit::uninit() }; MAX_LANES];
    let mut lanes = Lanes::new(texts, queue, &mut tails, GROUPS * V::LANES);

    // SAFETY: the caller has made sure of the instruction set.
    let zero = unsafe { V::splat(0) };
    let mut initial = [zero; 4];
    for (vector, word) in initial.iter_mut().zip(INITIAL) {
        // SAFETY: as above.
        *vector = unsafe { V::splat(word) };
    }
    let mut state = [initial; GROUPS];
    // Opaque to the compiler, the words stay in memory, from where an addition takes them. In
    // registers they would leave too few, and each would be written to a second place.
    let mut block = [[zero; 16]; GROUPS];
    let block = black_box(&mut block);
    let mut digests = [[0; MAX_LANES]; 4];
    let mut step = 0;
    loop {
        // SAFETY: as above, and each lane has a block to be read at this step.
        unsafe { compress(&mut state, block, &lanes.pointers, 64 * step as usize) };
        step += 1;

        // SAFETY: as above.
        let this_step = unsafe { V::splat(step) };
        let mut ended = 0;
        for group in 0..GROUPS {
            let first = group * V::LANES;
            ended |= this_step.equal(&lanes.ends[first..]) << first;
        }
        if ended == 0 {
            continue;
        }
        let mut finished = 0;
        for lane in Ones(ended) {
            if lanes.tail_blocks[lane] > 0 {
                lanes.take_tail(lane, step);
            } else {
                finished |= 1 << lane;
            }
        }
        if finished != 0 {
            for (group, state) in state.iter_mut().enumerate() {
                let first = group * V::LANES;
                for ((vector, words), initial) in state.iter_mut().zip(&mut digests).zip(initial) {
                    vector.store(&mut words[first..]);
                    *vector = vector.replace(finished >> first, initial);
                }
            }
            for lane in Ones(finished) {
                let digest = &mut hashes[usize::from(lanes.rows[lane])].0;
                for (bytes, words) in digest.chunks_exact_mut(4).zip(&digests) {
                    bytes.copy_from_slice(&words[lane].to_le_bytes());
                }
                lanes.take(lane, step);
            }
            if lanes.at_work == 0 {
                return;
            }
        }
        lanes.rest(GROUPS * V::LANES, step);
    }
}

/// Takes one block of each lane, `offset` bytes past its pointer, into the state.
///
/// # Safety
/// The processor has the instruction set of `V`, and the 64 bytes of the blocks can be read.
#[inline(always)]
unsafe fn compress<V: Vector, const GROUPS: usize>(
    state: &mut [[V; 4]; GROUPS],
    block: &mut [[V; 16]; GROUPS],
    pointers: &[*const u8; MAX_LANES],
    offset: usize,
) {
    for (group, words) in block.iter_mut().enumerate() {
        // SAFETY: as the caller says.
        *words = unsafe { V::load(&pointers[group * V::LANES..], offset) };
    }
    let [mut a, mut b, mut c, mut d] = [[state[0][0]; GROUPS]; 4];
    for group in 0..GROUPS {
        [a[group], b[group], c[group], d[group]] = state[group];
    }

    // What a round makes of the sum so far and of the other three variables. The last one is
    // `c ^ (b | !d)` in the standard, which is -1 - (c ^ (d & !b)): less work where a vector has
    // no instruction for it, and as much elsewhere. The -1 goes into the constant.
    macro_rules! mix {
        (choose_b, $sum:expr, $b:expr, $c:expr, $d:expr) => {
            $sum.add($b.choose($c, $d))
        };
        (choose_d, $sum:expr, $b:expr, $c:expr, $d:expr) => {
            $sum.add($d.choose($b, $c))
        };
        (parity, $sum:expr, $b:expr, $c:expr, $d:expr) => {
            $sum.add($b.xor3($c, $d))
        };
        (or_not, $sum:expr, $b:expr, $c:expr, $d:expr) => {
            $sum.sub($c.xor_and_not($d, $b))
        };
    }
    macro_rules! operation {
        ($round:ident, $index:expr, $left:literal, $a:ident, $b:ident, $c:ident, $d:ident) => {{
            // SAFETY: as the caller says.
            let constant = unsafe { V::splat(CONSTANTS[$index]) };
            for group in 0..GROUPS {
                let sum = block[group][const { word_of($index) }].add(constant);
                let sum = sum.add($a[group]);
                let sum = mix!($round, sum, $b[group], $c[group], $d[group]);
                $a[group] = sum.rotate::<$left, { 32 - $left }>().add($b[group]);
            }
            for group in 1..GROUPS {
                ($a[group - 1], $a[group]) = $a[group - 1].abreast($a[group]);
            }
        }};
    }
    macro_rules! round {
        ($round:ident, $number:literal, [$one:literal, $two:literal, $three:literal, $four:literal]) => {
            // Past this the compiler reads every word anew, and keeps none from round to round.
            compiler_fence(Ordering::SeqCst);
            round!(@four $round, $number, 0, [$one, $two, $three, $four]);
            round!(@four $round, $number, 1, [$one, $two, $three, $four]);
            round!(@four $round, $number, 2, [$one, $two, $three, $four]);
            round!(@four $round, $number, 3, [$one, $two, $three, $four]);
        };
        (@four $round:ident, $number:literal, $four_of:literal, [$one:literal, $two:literal, $three:literal, $four:literal]) => {
            operation!($round, 16 * $number + 4 * $four_of, $one, a, b, c, d);
            operation!($round, 16 * $number + 4 * $four_of + 1, $two, d, a, b, c);
            operation!($round, 16 * $number + 4 * $four_of + 2, $three, c, d, a, b);
            operation!($round, 16 * $number + 4 * $four_of + 3, $four, b, c, d, a);
        };
    }
    round!(choose_b, 0, [7, 12, 17, 22]);
    round!(choose_d, 1, [5, 9, 14, 20]);
    round!(parity, 2, [4, 11, 16, 23]);
    round!(or_not, 3, [6, 10, 15, 21]);

    for (group, state) in state.iter_mut().enumerate() {
        state[0] = state[0].add(a[group]);
        state[1] = state[1].add(b[group]);
        state[2] = state[2].add(c[group]);
        state[3] = state[3].add(d[group]);
    }
}
