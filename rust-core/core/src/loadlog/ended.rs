//! The batches that have left the ledger, as far back as is remembered.
//!
//! What comes for one of them later than that, a duplicate in a queue or the items of a node that
//! was away, must not begin the batch anew: it would count itself alone, and overwrite the master
//! record of all the others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{BatchKey, SrcType};

/// How many batches are remembered, the last ones: some ten bytes of state each.
const MOST: usize = 2_000;

/// How a batch left.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) enum Ending {
    /// All its items are loaded.
    Success,
    /// It had failures, and the state no room for them.
    Dropped,
}

/// The end of a batch.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct End {
    /// When it left.
    pub at: i64,
    /// How.
    pub ending: Ending,
}

/// A load, all of whose batches differ in their start only.
type Load = (SrcType, String, String, String);

/// The ends of batches, by load and start.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(super) struct Ended {
    loads: BTreeMap<Load, BTreeMap<u64, End>>,
}

impl Ended {
    pub fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    /// The end of a batch, if it is remembered.
    pub fn get(&self, key: &BatchKey) -> Option<End> {
        self.loads.get(&load(key))?.get(&start(key)).copied()
    }

    /// Remembers the end of a batch, and forgets the one that is longest ago if that is too many.
    pub fn insert(&mut self, key: &BatchKey, end: End) {
        self.loads
            .entry(load(key))
            .or_default()
            .insert(start(key), end);
        while self.loads.values().map(BTreeMap::len).sum::<usize>() > MOST {
            let ends = self.loads.iter().flat_map(|(load, starts)| {
                starts
                    .iter()
                    .map(move |(start, end)| (end.at, load, *start))
            });
            let Some((_, load, start)) = ends.min() else {
                return;
            };
            let load = load.clone();
            if let Some(starts) = self.loads.get_mut(&load) {
                starts.remove(&start);
                if starts.is_empty() {
                    self.loads.remove(&load);
                }
            }
        }
    }
}

fn load(key: &BatchKey) -> Load {
    (
        key.src_type,
        key.regn.clone(),
        key.db_name.clone(),
        key.table_name.clone(),
    )
}

/// `base_dts` as a number: it has 14 digits.
fn start(key: &BatchKey) -> u64 {
    key.base_dts.parse().unwrap_or_default()
}
