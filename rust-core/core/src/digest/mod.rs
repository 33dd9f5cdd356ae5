//! MD5 of canonical texts.
//!
//! One MD5 is a chain in which every operation waits for the one before, and no processor hastens
//! it. Many are fast side by side, one in each lane of a vector register: [`many`].
//!
//! | [`Platform`] | texts side by side | chosen where |
//! |---|---|---|
//! | AVX-512 | 16 or 32 | the processor has it, and the compiler (Rust 1.89 or newer) |
//! | AVX2 | 8 or 16 | the processor has it |
//! | portable | 8 | elsewhere; the compiler makes SSE2 of it, or NEON |
//!
//! `arch` has the algorithm once, for any vector, and the vector types apart; `many` decides what
//! goes side by side: a few texts, or one that is far longer than the others, are faster alone.
//! [`md5`] over one text is the way for those. All are compared with the `md-5` crate.

mod arch;
mod many;
mod one;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

pub use arch::Platform;
pub use many::{many, many_on};
pub use one::md5;

/// The hash of a row: the 16 bytes of an MD5, shown as 32 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowHash([u8; 16]);

impl RowHash {
    /// The 16 bytes of the digest.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The 32 hexadecimal digits, ASCII.
    pub fn to_hex(self) -> [u8; 32] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 32];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 0x0f)];
        }
        hex
    }
}

impl fmt::Display for RowHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RowHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowHash({self})")
    }
}

impl FromStr for RowHash {
    type Err = ParseRowHashError;

    /// Reads 32 lower-case hexadecimal digits, and nothing else: a hash in another spelling would
    /// be another key in the table.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits: &[u8; 32] = text.as_bytes().try_into().map_err(|_| ParseRowHashError)?;
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(ParseRowHashError),
        };
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = (digit(pair[0])? << 4) | digit(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

/// A text that is no row hash.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("a row hash has 32 digits, 0 to 9 and a to f")]
pub struct ParseRowHashError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn md5_gives_the_digests_of_rfc_1321() {
        for (text, digest) in [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ] {
            assert_eq!(md5(text.as_bytes()).to_string(), digest);
        }
    }

    #[test]
    fn a_hash_is_read_back_from_its_digits_only() {
        let hash = md5(b"x");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert_eq!(hash.to_hex(), hash.to_string().as_bytes());
        for bad in [
            "",
            "9DD4E461268C8034F5C8564E155C67A6",
            "9dd4e461268c8034f5c8564e155c67a",
            "9dd4e461268c8034f5c8564e155c67ag",
            "+dd4e461268c8034f5c8564e155c67a6",
        ] {
            assert_eq!(bad.parse::<RowHash>(), Err(ParseRowHashError), "{bad}");
        }
    }
}
