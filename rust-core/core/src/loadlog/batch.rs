//! One batch: its units, and the master record that follows from them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::unit::{Numbers, Unit};
use super::{Carried, Counts, Status, UnitId};

/// How a batch stands, in the numbers of its master record.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub(super) struct Standing {
    pub status: Status,
    pub attempt: u32,
    pub src_count: u32,
    pub load_count: u32,
    pub error_count: u32,
}

/// A replayed item of a closed batch without the counts of its master record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoCounts;

/// What the ledger had already closed when a replay opened the batch again: the counts that the
/// replay brought, and what became of the replayed items since, by number.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Closed {
    src_count: u32,
    load_count: u32,
    error_count: u32,
    loaded: BTreeSet<i32>,
    /// How many rows are loaded of a unit that failed as a whole after others were refused.
    rows: BTreeMap<i32, u32>,
    /// Failures of whole units whose items came in their place.
    replaced: BTreeSet<i32>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Batch {
    /// When the log first heard of it.
    pub created: i64,
    /// When it last heard of it.
    pub touched: i64,
    /// When something new became known: a unit, or an item of a unit without a count.
    pub grown: i64,
    /// How often an item of it was run again, at the most.
    pub retries: u32,
    /// How many units the flow declared.
    pub declared_units: Option<u32>,
    pub numbers: Numbers,
    pub units: BTreeMap<UnitId, Unit>,
    pub closed: Option<Closed>,
    /// Units that were declared and never came, each with the number of its record.
    pub lost_units: Vec<i32>,
    /// Whether the batch timeout closed it.
    pub timed_out: bool,
    /// Since when it is over and only kept for what comes late.
    pub rests: Option<i64>,
    /// The last master record that certainly left the processor.
    pub confirmed: Option<Standing>,
}

impl Batch {
    pub fn new(now: i64) -> Self {
        Self {
            created: now,
            touched: now,
            grown: now,
            retries: 0,
            declared_units: None,
            numbers: Numbers::default(),
            units: BTreeMap::new(),
            closed: None,
            lost_units: Vec::new(),
            timed_out: false,
            rests: None,
            confirmed: None,
        }
    }

    /// Opens a batch again that the ledger had dropped.
    pub fn reopen(&mut self, carried: &Carried) -> Result<(), NoCounts> {
        if let Some(began) = carried.start_ts {
            self.created = self.created.min(began);
        }
        if self.closed.is_none() {
            let Counts { src, load, error } = carried.counts.ok_or(NoCounts)?;
            // Loaded items have numbers and no records: no more than there are items.
            let most = carried.max_detail_seq.max(src as i32);
            self.numbers = Numbers::after(most, carried.min_detail_seq);
            self.closed = Some(Closed {
                src_count: src,
                load_count: load,
                error_count: error,
                loaded: BTreeSet::new(),
                rows: BTreeMap::new(),
                replaced: BTreeSet::new(),
            });
        }
        Ok(())
    }

    /// Whether items have come in the place of this failure of a whole unit.
    pub fn has_replaced(&self, seq: i32) -> bool {
        let closed = self.closed.as_ref();
        closed.is_some_and(|closed| closed.replaced.contains(&seq))
    }

    /// Whether nothing is known of it yet.
    pub fn is_blank(&self) -> bool {
        self.units.is_empty() && self.closed.is_none()
    }

    /// The unit and item of a number that this ledger gave.
    pub fn item_of(&self, seq: i32) -> Option<(UnitId, Option<u64>)> {
        self.units
            .iter()
            .find_map(|(id, unit)| unit.item_of(seq).map(|item| (id.clone(), item)))
    }

    /// How many declared units never came; one that comes late takes the place of a lost one.
    pub fn lost_unit_count(&self) -> usize {
        let declared = self.declared_units.unwrap_or(0) as usize;
        let absent = declared.saturating_sub(self.units.len());
        self.lost_units.len().min(absent)
    }

    pub fn is_accounted_for(&self) -> bool {
        let units = (self.units.len() + self.lost_units.len()) as u64;
        self.units.values().all(Unit::is_accounted_for)
            && self
                .declared_units
                .is_none_or(|declared| units >= u64::from(declared))
    }

    /// Whether all of it is loaded and its last record has certainly left.
    pub fn is_success(&self) -> bool {
        let confirmed = self.confirmed;
        confirmed.is_some_and(|standing| standing.status == Status::Success)
    }

    /// Whether the batch timed out and its records may not have left.
    pub fn has_unsent_losses(&self) -> bool {
        self.timed_out && self.confirmed.is_none()
    }

    /// How the batch stands, which is final once nothing is open and no new unit is awaited.
    pub fn standing(&self, now: i64, settle: i64) -> Standing {
        let sum = |count: fn(&Unit) -> u64| self.units.values().map(count).sum::<u64>();
        let lost = self.lost_unit_count() as u64;
        let (mut src, mut load, mut error) = (
            sum(Unit::src_count) + lost,
            sum(Unit::load_count),
            sum(Unit::error_count) + lost,
        );
        if let Some(closed) = &self.closed {
            src += u64::from(closed.src_count).saturating_sub(closed.replaced.len() as u64);
            let rows = closed.rows.values().map(|rows| u64::from(*rows));
            // What is loaded a second time, by a replay that lost its race, was counted before.
            let failed = u64::from(closed.error_count).saturating_sub(closed.replaced.len() as u64);
            let loaded = (closed.loaded.len() as u64 + rows.sum::<u64>()).min(failed);
            load += u64::from(closed.load_count) + loaded;
            error += failed - loaded;
        }
        let settled = self.timed_out
            || self.declared_units.is_some()
            || now.saturating_sub(self.grown) >= settle;
        let status = match (error, load) {
            _ if !(self.is_accounted_for() && settled) => Status::Running,
            (0, _) => Status::Success,
            (_, 0) => Status::Fail,
            _ => Status::Partial,
        };
        let int = |count: u64| u32::try_from(count.min(i32::MAX as u64)).unwrap_or(i32::MAX as u32);
        Standing {
            status,
            attempt: self.retries.saturating_add(1),
            src_count: int(src),
            load_count: int(load),
            error_count: int(error),
        }
    }
}

impl Closed {
    pub fn load(&mut self, seq: i32) {
        self.loaded.insert(seq);
    }

    /// So many rows, of those that a unit's failure as a whole stood for, are loaded.
    pub fn load_rows(&mut self, seq: i32, rows: u32) {
        let loaded = self.rows.entry(seq).or_default();
        *loaded = rows.max(*loaded);
    }

    /// The failure of a whole unit, counted as so many rows, gives its place to them.
    pub fn replace(&mut self, seq: i32, rows: u32) {
        if self.replaced.insert(seq) {
            // One is taken off for the failure itself.
            let others = rows.saturating_sub(1);
            self.src_count = self.src_count.saturating_sub(others);
            self.error_count = self.error_count.saturating_sub(others);
        }
    }

    pub fn is_loaded(&self, seq: i32) -> bool {
        self.loaded.contains(&seq)
    }
}
