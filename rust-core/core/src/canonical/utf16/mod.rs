//! UTF-16 to UTF-8, as Java's `String.getBytes(UTF_8)` does it: an unpaired surrogate becomes `?`.
//!
//! Values are short and many, so that a call for each would cost as much as the work: a
//! [`Transcoder`] is inlined into the loop over the values. [`Portable`] is fast where the text is
//! ASCII; Hangul, of three bytes a character, needs instructions that move bytes about.
#![allow(unsafe_code)] // vector instructions

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(all(target_arch = "x86_64", rowhash_avx512))]
mod avx512;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
#[cfg(all(target_arch = "x86_64", rowhash_avx512))]
pub(super) use avx512::Avx512;

/// How many bytes past the end of a text a transcoder may write.
pub(super) const SLACK: usize = 64;

/// The most bytes that a unit takes.
pub(super) const MOST_BYTES: usize = 3;

/// A way to transcode. A value of a vector type proves that the processor has its instructions.
pub(super) trait Transcoder: Copy {
    /// Writes the text of the first `length` units at `at`, where there is room for [`MOST_BYTES`]
    /// a unit and [`SLACK`] bytes more, and gives where it ends. There may be more units: reading
    /// them too is faster than counting.
    fn write(self, units: &[u16], length: usize, out: &mut [u8], at: usize) -> usize;
}

/// Work that wants the fastest transcoder.
pub(super) trait Work {
    type Result;

    /// To be inlined, so that it has the instruction set of the transcoder.
    fn with(self, transcoder: impl Transcoder) -> Self::Result;
}

/// Does the work with the fastest transcoder that this processor has.
pub(super) fn with_fastest<W: Work>(work: W) -> W::Result {
    #[cfg(all(target_arch = "x86_64", rowhash_avx512))]
    if let Some(avx512) = Avx512::detect() {
        return avx512.run(work);
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = Avx2::detect() {
        return avx2.run(work);
    }
    work.with(Portable)
}

/// Appends the text of the units.
pub(super) fn append(units: &[u16], out: &mut Vec<u8>) {
    struct Append<'a>(&'a [u16], &'a mut Vec<u8>);
    impl Work for Append<'_> {
        type Result = ();

        #[inline(always)]
        fn with(self, transcoder: impl Transcoder) {
            let Self(units, out) = self;
            let start = out.len();
            out.resize(start + MOST_BYTES * units.len() + SLACK, 0);
            let end = transcoder.write(units, units.len(), out, start);
            out.truncate(end);
        }
    }
    with_fastest(Append(units, out));
}

/// Runs of ASCII at once, and other characters one by one.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Transcoder for Portable {
    #[inline(always)]
    fn write(self, units: &[u16], length: usize, out: &mut [u8], at: usize) -> usize {
        const CHUNK: usize = 16;
        let mut place = Place { unit: 0, byte: at };
        while place.unit < length {
            let is_ascii = ascii::<CHUNK>(units, length, out, &mut place);
            if !is_ascii {
                let stop = length.min(place.unit + CHUNK);
                while place.unit < stop {
                    character(&units[..length], out, &mut place);
                }
            }
        }
        place.byte
    }
}

/// How far a transcoder has come.
#[derive(Clone, Copy)]
struct Place {
    unit: usize,
    byte: usize,
}

/// Writes the next `N` units, or those of them that are left, if all `N` are there and ASCII.
#[inline(always)]
fn ascii<const N: usize>(units: &[u16], length: usize, out: &mut [u8], place: &mut Place) -> bool {
    let Some(chunk) = units[place.unit..].first_chunk::<N>() else {
        return false;
    };
    if chunk.iter().fold(0, |all, unit| all | unit) >= 0x80 {
        return false;
    }
    for (byte, unit) in out[place.byte..place.byte + N].iter_mut().zip(chunk) {
        *byte = *unit as u8;
    }
    let taken = N.min(length - place.unit);
    place.unit += taken;
    place.byte += taken;
    true
}

/// Writes the next character, whose second half may not be beyond the units.
#[inline(always)]
fn character(units: &[u16], out: &mut [u8], place: &mut Place) {
    let unit = units[place.unit];
    let low = |byte: u32| 0x80 | (byte & 0x3f) as u8;
    place.unit += 1;
    let wide = u32::from(unit);
    let bytes = match unit {
        0..0x80 => {
            out[place.byte] = unit as u8;
            1
        }
        0x80..0x800 => {
            out[place.byte..place.byte + 2].copy_from_slice(&[0xc0 | (wide >> 6) as u8, low(wide)]);
            2
        }
        0xd800..0xe000 => {
            let next = units.get(place.unit).copied().unwrap_or_default();
            if unit < 0xdc00 && (0xdc00..0xe000).contains(&next) {
                place.unit += 1;
                let wide = 0x1_0000 + ((wide - 0xd800) << 10) + (u32::from(next) - 0xdc00);
                out[place.byte..place.byte + 4].copy_from_slice(&[
                    0xf0 | (wide >> 18) as u8,
                    low(wide >> 12),
                    low(wide >> 6),
                    low(wide),
                ]);
                4
            } else {
                out[place.byte] = b'?';
                1
            }
        }
        _ => {
            out[place.byte..place.byte + 3].copy_from_slice(&[
                0xe0 | (wide >> 12) as u8,
                low(wide >> 6),
                low(wide),
            ]);
            3
        }
    };
    place.byte += bytes;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What Java gives.
    fn plain(units: &[u16]) -> Vec<u8> {
        let text: String = char::decode_utf16(units.iter().copied())
            .map(|unit| unit.unwrap_or('?'))
            .collect();
        text.into_bytes()
    }

    /// Writes a value that is followed by others, as each transcoder does it.
    fn check(value: &[u16], after: &[u16], before: usize) {
        struct Check<'a>(&'a [u16], usize, usize);
        impl Work for Check<'_> {
            type Result = Vec<u8>;

            #[inline(always)]
            fn with(self, transcoder: impl Transcoder) -> Vec<u8> {
                let Self(units, length, at) = self;
                let mut out = vec![b'x'; at + MOST_BYTES * length + SLACK];
                let end = transcoder.write(units, length, &mut out, at);
                assert!(out[..at].iter().all(|byte| *byte == b'x'), "what was there");
                out.truncate(end);
                out.split_off(at)
            }
        }
        let units = [value, after].concat();
        let work = || Check(&units, value.len(), before);
        let expected = plain(value);
        assert_eq!(work().with(Portable), expected, "portable");
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::detect() {
            assert_eq!(avx2.run(work()), expected, "AVX2");
        }
        #[cfg(all(target_arch = "x86_64", rowhash_avx512))]
        if let Some(avx512) = Avx512::detect() {
            assert_eq!(avx512.run(work()), expected, "AVX-512");
        }
        let mut appended = vec![b'x'];
        append(value, &mut appended);
        assert_eq!(appended[1..], expected, "appended");
    }

    #[test]
    fn every_unit_alone_and_beside_others() {
        for unit in 0..=u16::MAX {
            check(&[unit], &[], 0);
            check(&[u16::from(b'a'), unit, 0xac00], &[0xdc00; 40], 1);
        }
    }

    #[test]
    fn halves_of_pairs_at_every_place() {
        for filler in [u16::from(b'a'), 0xe9, 0xac00] {
            for length in 0..70 {
                for place in 0..length {
                    for pair in [[0xd83d, 0xde00], [0xde00, 0xd83d], [0xd83d, 0xd83d]] {
                        let mut units = vec![filler; length];
                        for (unit, half) in units[place..].iter_mut().zip(pair) {
                            *unit = half;
                        }
                        // What follows is another value, with which nothing makes a pair.
                        check(&units, &[0xde00], 3);
                        check(&units, &[0xde00; 64], 3);
                    }
                }
            }
        }
    }

    fn unit() -> impl Strategy<Value = u16> {
        prop_oneof![
            8 => 0..0x80_u16,
            1 => 0x80..0x800_u16,
            8 => 0xac00..0xd7a4_u16,
            1 => 0xd800..0xe000_u16,
            1 => any::<u16>(),
        ]
    }

    fn run() -> impl Strategy<Value = Vec<u16>> {
        let of_one_kind = prop_oneof![
            (0..0x80_u16).boxed(),
            (0x80..0x800_u16).boxed(),
            (0xac00..0xd7a4_u16).boxed(),
            unit().boxed(),
        ];
        of_one_kind.prop_flat_map(|unit| prop::collection::vec(Just(unit), 0..80))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn every_transcoder_writes_what_java_does(
            value in prop::collection::vec(unit(), 0..200),
            after in prop::collection::vec(unit(), 0..40),
            before in 0_usize..5,
        ) {
            check(&value, &after, before);
        }

        #[test]
        fn also_runs_of_one_kind(
            value in prop::collection::vec(run(), 0..6),
            after in prop::collection::vec(unit(), 0..40),
        ) {
            check(&value.concat(), &after, 0);
        }
    }
}
