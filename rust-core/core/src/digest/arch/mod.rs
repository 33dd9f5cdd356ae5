//! The instruction sets that hash many texts at once, and which of them this processor has.
//!
//! [`generic`] has the algorithm once; a module beside it has a vector type and no more.
#![allow(unsafe_code)] // vector instructions, and pointers to the blocks that they load

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(all(target_arch = "x86_64", rowhash_avx512))]
mod avx512;
mod generic;
mod portable;

use std::fmt;
use std::sync::OnceLock;

use super::RowHash;
pub(super) use generic::{INITIAL, SINES, word_of};

/// An instruction set that this processor has: there is no value of one that it lacks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Platform(InstructionSet);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InstructionSet {
    #[cfg(all(target_arch = "x86_64", rowhash_avx512))]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

use InstructionSet::*;

/// A number of lanes that a platform can run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Width {
    /// How many texts go side by side.
    pub lanes: u64,
    /// What a block of all lanes costs, as measured, where one of a text alone costs ten.
    pub cost: u64,
}

static FORCED: OnceLock<Platform> = OnceLock::new();

impl Platform {
    /// What this processor has, the fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        [
            #[cfg(all(target_arch = "x86_64", rowhash_avx512))]
            avx512::is_available().then_some(Self(Avx512)),
            #[cfg(target_arch = "x86_64")]
            avx2::is_available().then_some(Self(Avx2)),
            Some(Self(Portable)),
        ]
        .into_iter()
        .flatten()
    }

    /// The fastest that this processor has. The standard library asks the processor once and keeps
    /// the answer, so this costs next to nothing.
    pub fn detect() -> Self {
        let fastest = || Self::available().next().unwrap_or(Self(Portable));
        FORCED.get().copied().unwrap_or_else(fastest)
    }

    /// Makes [`Platform::detect`] give this one from now on: for benchmarks that compare them.
    /// `false` when another one was forced before.
    pub fn force(self) -> bool {
        *FORCED.get_or_init(|| self) == self
    }

    /// Whether other code may use AVX2 if it is there: not where something less is forced.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn allows_avx2(self) -> bool {
        self.0 != Portable
    }

    /// Whether other code may use any AVX-512 that is there.
    #[cfg(all(target_arch = "x86_64", rowhash_avx512))]
    pub(crate) fn allows_avx512(self) -> bool {
        self.0 == Avx512
    }

    pub(super) fn widths(self) -> &'static [Width] {
        match self.0 {
            #[cfg(all(target_arch = "x86_64", rowhash_avx512))]
            Avx512 => avx512::WIDTHS,
            #[cfg(target_arch = "x86_64")]
            Avx2 => avx2::WIDTHS,
            Portable => portable::WIDTHS,
        }
    }

    /// Hashes the texts that `queue` names, best the longest first, into the places of the same
    /// index, in one of the platform's widths. The texts have fewer than 2^32 blocks in all.
    pub(super) fn hash(self, width: Width, texts: &[&[u8]], queue: &[u16], hashes: &mut [RowHash]) {
        match self.0 {
            #[cfg(all(target_arch = "x86_64", rowhash_avx512))]
            // SAFETY: `available` has found the instruction set.
            Avx512 => unsafe { avx512::hash(width, texts, queue, hashes) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` has found the instruction set.
            Avx2 => unsafe { avx2::hash(width, texts, queue, hashes) },
            Portable => portable::hash(width, texts, queue, hashes),
        }
    }
}

impl fmt::Debug for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
