//! The ledger as the texts that NiFi's state manager keeps.
//!
//! One text would be too long: ZooKeeper takes 1 MB for a processor, and a single value has a limit
//! of 65,535 bytes. So the ledger is packed, written in base64 and cut into parts.

use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use thiserror::Error;

use super::{BatchKey, Ledger};

/// The version of the serialised form, the first byte.
const VERSION: u8 = 3;

/// How much the state manager takes, in characters of ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateLimits {
    /// Of one value.
    pub value: usize,
    /// Of all values.
    pub total: usize,
    /// Up to here batches that have ended are kept for long: each change writes the whole state.
    pub resting: usize,
}

impl Default for StateLimits {
    /// Below the limits of NiFi (65,535 and 1,048,575), with room for its own overhead.
    fn default() -> Self {
        Self {
            value: 60_000,
            total: 1_000_000,
            resting: 100_000,
        }
    }
}

/// Why a ledger cannot be kept or read.
#[derive(Debug, Error)]
pub enum StateError {
    /// More than the state manager takes.
    #[error(
        "the load log of {batches} open batches needs {needed} bytes of NiFi's state, {limit} can \
         be had: let batches end (see Settle Time and Batch Timeout), or use a processor for each table"
    )]
    TooLarge {
        /// How many batches are open.
        batches: usize,
        /// What they need.
        needed: usize,
        /// What there is.
        limit: usize,
    },
    /// Written by another version.
    #[error(
        "the state was written in form {0}, this version reads form {VERSION}: use the NAR that wrote it, or a newer one"
    )]
    Version(u8),
    /// No ledger.
    #[error(
        "the state is damaged ({0}): clear it in the processor's View state, then run the open batches again"
    )]
    Damaged(String),
}

impl Ledger {
    /// The ledger as the state's values, in order; none where no batch is open.
    ///
    /// # Errors
    /// A ledger that does not fit the limits.
    pub fn to_state(&self, limits: StateLimits) -> Result<Vec<String>, StateError> {
        if self.is_blank() {
            return Ok(Vec::new());
        }
        let damaged = |error: &dyn std::fmt::Display| StateError::Damaged(error.to_string());
        let plain = postcard::to_stdvec(self).map_err(|error| damaged(&error))?;
        let mut packed = DeflateEncoder::new(vec![VERSION], Compression::default());
        packed.write_all(&plain).map_err(|error| damaged(&error))?;
        let packed = packed.finish().map_err(|error| damaged(&error))?;
        let text = STANDARD_NO_PAD.encode(packed);

        if text.len() > limits.total {
            return Err(StateError::TooLarge {
                batches: self.len(),
                needed: text.len(),
                limit: limits.total,
            });
        }
        Ok(text
            .as_bytes()
            .chunks(limits.value)
            .map(|part| String::from_utf8_lossy(part).into_owned())
            .collect())
    }

    /// As [`Ledger::to_state`], after dropping as many ended batches as it takes to make room. Gives
    /// their keys too.
    ///
    /// # Errors
    /// A ledger that does not fit the limits even so.
    pub fn fit(
        &mut self,
        now: i64,
        limits: StateLimits,
    ) -> Result<(Vec<String>, Vec<BatchKey>), StateError> {
        let mut dropped = Vec::new();
        loop {
            let state = self.to_state(limits);
            let fits = state
                .as_ref()
                .is_ok_and(|state| state.iter().map(String::len).sum::<usize>() <= limits.resting);
            // Twice as many each time: packing takes long.
            let more = match fits {
                true => Vec::new(),
                false => self.make_room(dropped.len().max(1), now),
            };
            if more.is_empty() {
                return state.map(|state| (state, dropped));
            }
            dropped.extend(more);
        }
    }

    /// Reads the ledger back from the state's values, in order.
    ///
    /// # Errors
    /// A state that no ledger wrote, or one of another version.
    pub fn from_state<S: AsRef<str>>(state: &[S]) -> Result<Self, StateError> {
        let text: String = state.iter().map(AsRef::as_ref).collect();
        if text.is_empty() {
            return Ok(Self::default());
        }
        let damaged = |error: &dyn std::fmt::Display| StateError::Damaged(error.to_string());
        let packed = STANDARD_NO_PAD
            .decode(text)
            .map_err(|error| damaged(&error))?;
        let plain = match packed.split_first() {
            Some((&VERSION, deflated)) => {
                let mut plain = Vec::new();
                DeflateDecoder::new(deflated)
                    .read_to_end(&mut plain)
                    .map_err(|error| damaged(&error))?;
                plain
            }
            Some((version, _)) => return Err(StateError::Version(*version)),
            None => return Err(StateError::Damaged("nothing in it".to_owned())),
        };
        postcard::from_bytes(&plain).map_err(|error| damaged(&error))
    }
}
