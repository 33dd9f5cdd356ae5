//! One unit: which of its items are loaded, which failed, and under which numbers.

use std::collections::BTreeMap;

use roaring::RoaringTreemap;
use serde::{Deserialize, Serialize, Serializer};

/// The batch has more items than `detail_seq`, an INT column, can number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumbersUsedUp;

/// The numbers (`detail_seq`) that a batch has given so far: positive ones to items, negative ones
/// to units that failed as a whole.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(super) struct Numbers {
    next: u32,
    whole: i32,
}

impl Numbers {
    /// Numbers after those that were given before, both ways.
    pub fn after(most: i32, least: i32) -> Self {
        Self {
            next: most.max(0) as u32 + 1,
            whole: least.min(0),
        }
    }

    /// The first of `count` numbers in a row.
    fn take(&mut self, count: u64) -> Result<i32, NumbersUsedUp> {
        let first = self.next as i32;
        self.next = u32::try_from(u64::from(self.next) + count)
            .ok()
            .filter(|next| *next <= i32::MAX as u32)
            .ok_or(NumbersUsedUp)?;
        Ok(first)
    }

    /// A number for one item, from 1.
    fn take_one(&mut self) -> Result<i32, NumbersUsedUp> {
        self.next = self.next.max(1);
        self.take(1)
    }

    /// A number for a unit as a whole, from -1 down.
    pub fn take_whole(&mut self) -> Result<i32, NumbersUsedUp> {
        self.whole = self.whole.checked_sub(1).ok_or(NumbersUsedUp)?;
        Ok(self.whole)
    }
}

/// The numbers of a counted unit: `base` + the item's index, for indexes up to `most`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
struct Range {
    base: i32,
    most: u32,
}

/// The failure of a unit as a whole.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
struct WholeFailure {
    seq: i32,
    /// Whether it still stands for the items that are not accounted for.
    open: bool,
}

/// What is known of a unit. Sets only grow, but for `failed`, which gives its items to `loaded`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(super) struct Unit {
    count: Option<u32>,
    range: Option<Range>,
    own: BTreeMap<u64, i32>,
    #[serde(serialize_with = "as_runs")]
    loaded: RoaringTreemap,
    #[serde(serialize_with = "as_runs")]
    failed: RoaringTreemap,
    /// Items that have a detail record.
    #[serde(serialize_with = "as_runs")]
    logged: RoaringTreemap,
    /// Items that the batch timeout took for failed: a guess where rows are loaded without a name
    /// each. Those that are not in `failed` any more are found: they are among those rows.
    #[serde(serialize_with = "as_runs")]
    lost: RoaringTreemap,
    /// Rows that were loaded in one go, without a name each.
    rows: u64,
    /// Whether the unit was split, so that its items speak for themselves.
    split: bool,
    failure: Option<WholeFailure>,
}

/// Writes items in a row as such: a thousand of them take no more room than one.
fn as_runs<S: Serializer>(items: &RoaringTreemap, serializer: S) -> Result<S::Ok, S::Error> {
    let runs = items.bitmaps().map(|(high, items)| {
        let mut items = items.clone();
        items.optimize();
        (high, items)
    });
    RoaringTreemap::from_bitmaps(runs).serialize(serializer)
}

impl Unit {
    /// Takes note of how many items there are. The first count fixes the numbers; a larger one
    /// that follows, of a file that has grown, adds items with numbers of their own.
    pub fn set_count(&mut self, count: u64, numbers: &mut Numbers) -> Result<(), NumbersUsedUp> {
        let count = u32::try_from(count).map_err(|_| NumbersUsedUp)?;
        if self.range.is_none() {
            // Indexes begin at 0 or at 1, depending on the processor.
            let base = numbers.take(u64::from(count) + 1)?;
            self.range = Some(Range { base, most: count });
        }
        self.count = self.count.max(Some(count));
        Ok(())
    }

    /// The unit was split: its own failure, if it had one, is over. Gives that failure's number.
    pub fn set_split(&mut self) -> Option<i32> {
        self.split = true;
        self.close_failure()
    }

    fn close_failure(&mut self) -> Option<i32> {
        let failure = self.failure.as_mut()?;
        failure.open = false;
        Some(failure.seq)
    }

    /// The item's number; the same one each time.
    pub fn seq(&mut self, item: u64, numbers: &mut Numbers) -> Result<i32, NumbersUsedUp> {
        if let Some(seq) = self.own.get(&item) {
            return Ok(*seq);
        }
        if let Some(range) = self.range
            && item <= u64::from(range.most)
        {
            return Ok(range.base + item as i32);
        }
        let seq = numbers.take_one()?;
        self.own.insert(item, seq);
        Ok(seq)
    }

    /// The item that has a number, `None` inside where it is the unit itself.
    pub fn item_of(&self, seq: i32) -> Option<Option<u64>> {
        if self.failure.is_some_and(|failure| failure.seq == seq) {
            return Some(None);
        }
        if let Some((item, _)) = self.own.iter().find(|(_, own)| **own == seq) {
            return Some(Some(*item));
        }
        let range = self.range?;
        let item = u64::try_from(seq.checked_sub(range.base)?).ok()?;
        (item <= u64::from(range.most) && !self.own.contains_key(&item)).then_some(Some(item))
    }

    /// Loaded is final. Gives the item's number if it has a detail record, or is to get one.
    pub fn load(
        &mut self,
        item: u64,
        log: bool,
        numbers: &mut Numbers,
    ) -> Result<Option<i32>, NumbersUsedUp> {
        let seq = match log || self.logged.contains(item) {
            true => Some(self.seq(item, numbers)?),
            false => None,
        };
        if seq.is_some() {
            self.logged.insert(item);
        }
        if self.is_news(item) {
            self.loaded.insert(item);
            self.failed.remove(item);
            self.lost.remove(item);
        }
        Ok(seq)
    }

    /// Gives the item's number, or nothing where it was loaded before.
    pub fn fail(&mut self, item: u64, numbers: &mut Numbers) -> Result<Option<i32>, NumbersUsedUp> {
        if self.loaded.contains(item) || !self.is_news(item) {
            return Ok(None);
        }
        let seq = self.seq(item, numbers)?;
        self.failed.insert(item);
        self.lost.remove(item);
        self.logged.insert(item);
        Ok(Some(seq))
    }

    /// So many rows were loaded at once. Gives the number of a failure that is over now.
    pub fn load_rows(&mut self, rows: u64) -> Option<i32> {
        self.rows = self.rows.max(rows);
        self.close_failure()
    }

    /// Finds as many of the lost items as are known beyond the unit's count: what came after the
    /// timeout took their place. Says whether there were any.
    pub fn find_lost(&mut self) -> bool {
        let Some(count) = self.count else {
            return false;
        };
        let excess = self.known().saturating_sub(count.into());
        let found: RoaringTreemap = (&self.lost & &self.failed)
            .iter()
            .take(usize::try_from(excess).unwrap_or(usize::MAX))
            .collect();
        self.failed -= &found;
        !found.is_empty()
    }

    /// The items that were lost and found since, and have a number.
    pub fn found(&self) -> Vec<(u64, i32)> {
        self.numbered(&(&self.lost - &self.failed))
    }

    /// Whether what comes of an item by its name says more than is known. An item that was lost
    /// and found is one of the rows that were loaded at once, unless another one may be it.
    fn is_news(&self, item: u64) -> bool {
        !self.lost.contains(item) || self.failed.contains(item) || self.lost_count() > 0
    }

    /// The unit failed as a whole. Gives its number, or nothing where its items are known.
    pub fn fail_whole(&mut self, numbers: &mut Numbers) -> Result<Option<i32>, NumbersUsedUp> {
        if self.split || self.rows > 0 {
            return Ok(None);
        }
        let seq = match self.failure {
            Some(failure) => failure.seq,
            None => numbers.take_whole()?,
        };
        self.failure = Some(WholeFailure { seq, open: true });
        Ok(Some(seq))
    }

    /// Fails what has not been heard of; `most` such items get a number, the others are only
    /// counted. Gives how many got one.
    pub fn lose(&mut self, most: usize, numbers: &mut Numbers) -> Result<usize, NumbersUsedUp> {
        if self.is_accounted_for() {
            // What is missing failed with the unit as a whole.
            return Ok(0);
        }
        let missing: Vec<u64> = self.missing_items().collect();
        for (count, item) in missing.iter().enumerate() {
            self.failed.insert(*item);
            self.lost.insert(*item);
            if count < most {
                self.seq(*item, numbers)?;
                self.logged.insert(*item);
            }
        }
        Ok(missing.len().min(most))
    }

    /// The items that were lost, are not found since, and have a number.
    pub fn lost(&self) -> Vec<(u64, i32)> {
        self.numbered(&(&self.lost & &self.failed))
    }

    fn numbered(&self, items: &RoaringTreemap) -> Vec<(u64, i32)> {
        let named = items & &self.logged;
        let seq = |item: u64| match (self.own.get(&item), self.range) {
            (Some(own), _) => Some(*own),
            (None, Some(range)) => Some(range.base + item as i32),
            (None, None) => None,
        };
        named
            .iter()
            .filter_map(|item| Some((item, seq(item)?)))
            .collect()
    }

    /// How many items were lost and are not found since.
    pub fn lost_count(&self) -> u64 {
        self.lost.intersection_len(&self.failed)
    }

    /// The items of a counted unit that nobody named; indexes from 0 where item 0 was seen.
    fn missing_items(&self) -> impl Iterator<Item = u64> + '_ {
        let first = match self.loaded.contains(0) || self.failed.contains(0) {
            true => 0,
            false => 1,
        };
        let count = u64::from(self.count.unwrap_or(0));
        (first..first + count)
            .filter(|item| !self.loaded.contains(*item) && !self.failed.contains(*item))
            .take(self.missing() as usize)
    }

    fn known(&self) -> u64 {
        self.rows + self.loaded.len() + self.failed.len()
    }

    fn missing(&self) -> u64 {
        u64::from(self.count.unwrap_or(0)).saturating_sub(self.known())
    }

    fn has_failed(&self) -> bool {
        self.failure.is_some_and(|failure| failure.open)
    }

    /// How many rows the failure of the unit as a whole stands for.
    pub fn whole_count(&self) -> u64 {
        match self.known() {
            0 => self.missing().max(1),
            _ => self.missing(),
        }
    }

    /// How many rows have failed one by one.
    pub fn failed_count(&self) -> u64 {
        self.failed.len()
    }

    /// How many items the unit has, as far as is known.
    pub fn src_count(&self) -> u64 {
        self.load_count() + self.error_count() + if self.has_failed() { 0 } else { self.missing() }
    }

    /// How many items are in the table.
    pub fn load_count(&self) -> u64 {
        self.rows + self.loaded.len()
    }

    /// How many items failed: a unit that failed as a whole counts for all that is missing of it,
    /// and for one where nothing is known.
    pub fn error_count(&self) -> u64 {
        let whole = match self.has_failed() {
            true => self.whole_count(),
            false => 0,
        };
        self.failed.len() + whole
    }

    /// Whether nothing more has to be heard of.
    pub fn is_accounted_for(&self) -> bool {
        self.has_failed() || self.missing() == 0
    }

    /// How many items are named.
    pub fn named(&self) -> u64 {
        self.known()
    }
}
