//! All open batches of one EmitLoadLog, and what events make of them.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::batch::{Batch, NoCounts, Standing};
use super::ended::{End, Ended, Ending};
use super::unit::NumbersUsedUp;
use super::{
    BatchKey, Carried, Detail, Event, Failure, Location, Master, Outcome, SrcType, UnitId,
};

/// The most missing items that a timed-out batch names one by one.
const MOST_NAMED: usize = 10_000;

/// How long a batch that is loaded is kept even where there is no room, if it is to be kept longer;
/// milliseconds.
const LEAST_KEPT: i64 = 600_000;

/// When batches are final, closed and forgotten; milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How long no new unit may come before a batch is final.
    pub settle: i64,
    /// How long nothing may come before what is missing counts as failed.
    pub timeout: i64,
    /// How long after its end a batch is the same one for whatever comes. For what comes late it is
    /// kept longer, as long as there is room: until the timeout, and until its failures are loaded.
    pub retention: i64,
    /// Whether each loaded item gets a detail record.
    pub log_loaded: bool,
}

/// The open batches.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Ledger {
    batches: BTreeMap<BatchKey, Batch>,
    ended: Ended,
}

/// What has to leave the processor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Rows for `load_log_master`.
    pub masters: Vec<Master>,
    /// Rows for `load_log_detail`.
    pub details: Vec<Detail>,
    /// Events that could not be applied.
    pub refused: Vec<Refused>,
    /// What to tell the ledger once the records have left.
    pub confirmations: Vec<Confirmation>,
}

/// A master record that has left the processor.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Confirmation {
    key: BatchKey,
    standing: Standing,
    is_last: bool,
}

/// An event that changed nothing, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Which one, from 0.
    pub event: usize,
    /// Why.
    pub reason: LedgerError,
}

/// Why an event could not be applied.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LedgerError {
    /// `detail_seq` is an INT.
    #[error(
        "batch {0} has more items than detail_seq can number (2147483647): \
         give each load a base_dts of its own"
    )]
    TooManyItems(Box<BatchKey>),
    /// What a closed batch counted is only in its master record.
    #[error(
        "batch {0} is closed and load_log_master has no row of it, so that what it counted is \
         unknown: write that row again, with src_count, load_count and error_count, and the item \
         goes on with the next replay after its claim is void; or set load.src_count, \
         load.load_count and load.error_count here and send the FlowFile to the log again"
    )]
    NoMaster(Box<BatchKey>),
    /// It would be counted alone.
    #[error(
        "batch {0} had ended and left the log when this came, which NiFi has had since before: its \
         record in load_log_master stands, since to count this alone would overwrite it. If \
         load_log_detail holds it as failed, a replay counts it. If it was never counted, give it a \
         base_dts of its own and send it to the log again. Otherwise nothing is to be done"
    )]
    Late(Box<BatchKey>),
    /// What it carries is not what the batch has counted since.
    #[error(
        "batch {0} has left the log again since the re-run query picked this item: the counts that \
         it carries are old ones. The item stays claimed, and the next replay after its claim is \
         void counts it"
    )]
    OldCounts(Box<BatchKey>),
}

/// Why an event does not fit its batch.
enum Misfit {
    NumbersUsedUp,
    NoCounts,
}

impl From<NumbersUsedUp> for Misfit {
    fn from(_: NumbersUsedUp) -> Self {
        Self::NumbersUsedUp
    }
}

impl From<NoCounts> for Misfit {
    fn from(_: NoCounts) -> Self {
        Self::NoCounts
    }
}

impl Ledger {
    /// How many batches are open.
    pub fn len(&self) -> usize {
        self.batches.len()
    }

    /// Whether no batch is open.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Whether there is nothing to be kept.
    pub(super) fn is_blank(&self) -> bool {
        self.is_empty() && self.ended.is_empty()
    }

    /// Applies events that are seen at `now`, looks at all batches, and says what has to be
    /// written: some batches begin, others become final, time out, or are forgotten. Without
    /// events, time alone does that.
    ///
    /// The same events again give the same records and leave the ledger as it is.
    pub fn step(&mut self, events: &[Event], now: i64, rules: &Rules) -> Report {
        let mut report = Report::default();
        let mut homes = self.homes();
        let mut over = HashSet::new();
        for (index, event) in events.iter().enumerate() {
            let key = self.home_of(event, &mut homes);
            self.end_first_run(&key, event);
            match self.is_in_time(&key, event) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(reason) => {
                    report.refused.push(Refused {
                        event: index,
                        reason,
                    });
                    continue;
                }
            }
            let batch = self
                .batches
                .entry(key.clone())
                .or_insert_with(|| Batch::new(now));
            batch.touched = batch.touched.max(now);
            batch.rests = None;
            let mut step = Step {
                key: &key,
                now,
                log_loaded: rules.log_loaded,
                details: &mut report.details,
                over: &mut over,
            };
            let applied = step.apply(batch, event);
            if applied.is_ok() {
                let retries = u32::try_from(event.retry_count).unwrap_or(0);
                batch.retries = batch.retries.max(retries);
            }
            // A batch of which nothing is known yet would be a success of nothing.
            if batch.is_blank() {
                self.batches.remove(&key);
            }
            if let Err(misfit) = applied {
                let key = Box::new(key);
                report.refused.push(Refused {
                    event: index,
                    reason: match misfit {
                        Misfit::NumbersUsedUp => LedgerError::TooManyItems(key),
                        Misfit::NoCounts => LedgerError::NoMaster(key),
                    },
                });
            }
        }
        for (key, batch) in &mut self.batches {
            let silent = now.saturating_sub(batch.touched);
            if batch.has_unsent_losses() || !batch.is_accounted_for() && silent >= rules.timeout {
                // The numbers of counted items are taken already; those of lost units that do
                // not fit are left out, the units are counted all the same.
                let _ = time_out(key, batch, now, silent, &mut report.details);
            }
            report_master(key, batch, now, rules, &mut report);
        }
        self.end_what_is_over(now, rules);
        report
    }

    /// Takes note that master records have left. Until then they are made again.
    pub fn confirm(&mut self, confirmations: &[Confirmation], now: i64, rules: &Rules) {
        for confirmation in confirmations {
            let Some(batch) = self.batches.get_mut(&confirmation.key) else {
                continue;
            };
            batch.confirmed = Some(confirmation.standing);
            let unchanged = batch.standing(now, rules.settle) == confirmation.standing;
            if !(confirmation.is_last && unchanged) {
                continue;
            }
            batch.rests = Some(now);
        }
        self.end_what_is_over(now, rules);
    }

    /// Batches that are loaded are kept for as long as what is late is waited for.
    fn end_what_is_over(&mut self, now: i64, rules: &Rules) {
        let is_over = |batch: &Batch| {
            batch.is_success() && now.saturating_sub(batch.touched) >= rules.timeout
        };
        let over: Vec<(i64, BatchKey)> = self
            .batches
            .iter()
            .filter_map(|(key, batch)| Some((batch.rests.filter(|_| is_over(batch))?, key.clone())))
            .collect();
        for (at, key) in over {
            self.end(&key, at, Ending::Success);
        }
    }

    /// A batch that is loaded and over begins anew with what NiFi got since.
    fn end_first_run(&mut self, key: &BatchKey, event: &Event) {
        let Some(batch) = self.batches.get(key) else {
            return;
        };
        let is_new = |at: &i64| event.entered.is_some_and(|entered| entered >= *at);
        if let Some(at) = batch.rests.filter(is_new)
            && batch.is_success()
            && event.carried.is_none()
        {
            self.end(key, at, Ending::Success);
        }
    }

    /// Drops batches that have ended: first those that are loaded, then those that are only kept for
    /// their failures, and of each those that were touched last the longest ago. Gives their keys.
    pub(super) fn make_room(&mut self, most: usize, now: i64) -> Vec<BatchKey> {
        let ending = |batch: &Batch| match batch.is_success() {
            true => (now.saturating_sub(batch.touched) >= LEAST_KEPT).then_some(Ending::Success),
            false => batch.rests.map(|_| Ending::Dropped),
        };
        let mut ended: Vec<(Ending, i64, BatchKey)> = self
            .batches
            .iter()
            .filter_map(|(key, batch)| Some((ending(batch)?, batch.touched, key.clone())))
            .collect();
        ended.sort();
        ended.truncate(most);
        for (ending, _, key) in &ended {
            let rests = self.batches.get(key).and_then(|batch| batch.rests);
            let at = rests.filter(|_| *ending == Ending::Success);
            self.end(key, at.unwrap_or(now), *ending);
        }
        ended.into_iter().map(|(.., key)| key).collect()
    }

    fn end(&mut self, key: &BatchKey, at: i64, ending: Ending) {
        self.batches.remove(key);
        self.ended.insert(key, End { at, ending });
    }

    /// Whether an event is to be applied. What NiFi had before its batch left belongs to what has
    /// been forgotten: it is refused, or changes nothing where all was loaded.
    fn is_in_time(&self, key: &BatchKey, event: &Event) -> Result<bool, LedgerError> {
        let is_late = |end: &End| event.entered.is_some_and(|entered| entered < end.at);
        let Some(end) = self.ended.get(key).filter(is_late) else {
            return Ok(true);
        };
        match (event.carried, end.ending) {
            (Some(_), Ending::Success) => Ok(false),
            (Some(_), Ending::Dropped) => Err(LedgerError::OldCounts(Box::new(key.clone()))),
            (None, _) => Err(LedgerError::Late(Box::new(key.clone()))),
        }
    }

    fn homes(&self) -> HashMap<UnitId, Vec<BatchKey>> {
        let mut homes: HashMap<UnitId, Vec<BatchKey>> = HashMap::new();
        for (key, batch) in &self.batches {
            for unit in batch.units.keys() {
                if matches!(unit, UnitId::Split(_)) {
                    homes.entry(unit.clone()).or_default().push(key.clone());
                }
            }
        }
        homes
    }

    /// The batch of an event: that in which its unit was first seen, for units that have an
    /// identity of their own. `now()` in an attribute must not tear a file apart.
    fn home_of(&self, event: &Event, homes: &mut HashMap<UnitId, Vec<BatchKey>>) -> BatchKey {
        if !matches!(event.unit, UnitId::Split(_)) || event.carried.is_some() {
            return event.key.clone();
        }
        let homes = homes.entry(event.unit.clone()).or_default();
        match homes.iter().find(|home| home.same_load(&event.key)) {
            Some(home) => home.clone(),
            None => {
                homes.push(event.key.clone());
                event.key.clone()
            }
        }
    }
}

/// Makes the master record of a batch, if it has to be written: at first sight, when it is final,
/// and when it is no longer; and once more after the retention, in case an older record
/// was written after the last one.
///
/// What was confirmed before does not count any more from here on: this record may leave and its
/// confirmation be lost.
fn report_master(key: &BatchKey, batch: &mut Batch, now: i64, rules: &Rules, report: &mut Report) {
    let standing = batch.standing(now, rules.settle);
    let is_final = standing.status.is_final();
    let is_news = match batch.confirmed {
        None => true,
        Some(confirmed) => (is_final || confirmed.status.is_final()) && confirmed != standing,
    };
    let silent = now.saturating_sub(batch.touched);
    let is_last = is_final && batch.rests.is_none() && silent >= rules.retention.max(rules.settle);
    if !is_news && !is_last {
        return;
    }
    batch.confirmed = None;
    report.masters.push(Master {
        key: key.clone(),
        status: standing.status,
        attempt: standing.attempt,
        src_count: standing.src_count,
        load_count: standing.load_count,
        error_count: standing.error_count,
        start_ts: batch.created,
        end_ts: is_final.then_some(batch.touched),
        updated_dt: now,
    });
    report.confirmations.push(Confirmation {
        key: key.clone(),
        standing,
        is_last,
    });
}

/// Closes a batch that went silent: what is missing has failed, and each such item is named.
fn time_out(
    key: &BatchKey,
    batch: &mut Batch,
    now: i64,
    silent: i64,
    details: &mut Vec<Detail>,
) -> Result<(), NumbersUsedUp> {
    if !batch.timed_out {
        // From here on it is kept as long as any other batch that has ended.
        batch.touched = now;
    }
    batch.timed_out = true;
    let failure = |message: String| Failure {
        message,
        processor: "EmitLoadLog".to_owned(),
    };
    let mut detail = |seq, item, message: Option<String>, location| {
        details.push(Detail {
            key: key.clone(),
            detail_seq: seq,
            item,
            rows: 1,
            apart: 0,
            failure: message.map(failure),
            retry_count: 0,
            location,
            created_dt: now,
            updated_dt: now,
        });
    };
    let seconds = silent / 1000;
    let mut room =
        MOST_NAMED.saturating_sub(batch.units.values().map(|unit| unit.lost().len()).sum());
    for (id, unit) in &mut batch.units {
        room = room.saturating_sub(unit.lose(room, &mut batch.numbers)?);
        let missing = unit.lost_count();
        for (item, seq) in unit.lost() {
            detail(
                seq,
                Some(item),
                Some(format!(
                    "item {item} of {} was never heard of: the batch was silent for {seconds} s, \
                     {missing} items of this unit are missing; look for them in the flow's queues",
                    describe(id)
                )),
                location_of(key, id),
            );
        }
        for (item, seq) in unit.found() {
            detail(seq, Some(item), None, location_of(key, id));
        }
    }
    let declared = batch.declared_units.unwrap_or(0) as usize;
    while batch.units.len() + batch.lost_units.len() < declared {
        let seq = batch.numbers.take_whole()?;
        batch.lost_units.push(seq);
    }
    for seq in batch.lost_units.iter().take(batch.lost_unit_count()) {
        detail(
            *seq,
            None,
            Some(format!(
                "one of {declared} declared units never came: the batch was silent for {seconds} s"
            )),
            Location::default(),
        );
    }
    Ok(())
}

fn describe(unit: &UnitId) -> String {
    match unit {
        UnitId::Split(id) => format!("split {id}"),
        UnitId::File(file) => format!("file {file}"),
        UnitId::Partition(topic, partition) => format!("partition {partition} of topic {topic}"),
        UnitId::Rest => "the batch".to_owned(),
    }
}

/// What is known of the place of an item that nobody told of: in a file it is found by its index.
fn location_of(key: &BatchKey, unit: &UnitId) -> Location {
    match unit {
        UnitId::File(file) if key.src_type == SrcType::Nas => match file.rsplit_once('/') {
            Some((folder, name)) => Location {
                file_path: Some(folder.to_owned()).filter(|folder| !folder.is_empty()),
                file_name: Some(name.to_owned()),
                ..Location::default()
            },
            None => Location::default(),
        },
        UnitId::Partition(topic, partition) => Location {
            kafka_topic: Some(topic.clone()),
            kafka_partition: Some(*partition),
            ..Location::default()
        },
        _ => Location::default(),
    }
}

/// The event as one of its whole unit: without the place and the content of an item. A file that
/// failed is read again, however small it is; it must not be taken for one of its lines.
fn of_unit(event: &Event) -> Event {
    Event {
        location: event.location.of_unit(),
        outcome: Outcome::Declared,
        ..event.clone()
    }
}

/// One event on its way into a batch.
struct Step<'a> {
    key: &'a BatchKey,
    now: i64,
    log_loaded: bool,
    details: &'a mut Vec<Detail>,
    /// Failures of whole units of which it was told that they are over.
    over: &'a mut HashSet<(BatchKey, i32)>,
}

impl Step<'_> {
    fn apply(&mut self, batch: &mut Batch, event: &Event) -> Result<(), Misfit> {
        batch.declared_units = batch.declared_units.max(event.units);
        let sought = event.carried.and_then(|carried| carried.item);
        let item = match event.outcome {
            Outcome::Loaded(item) | Outcome::Failed(item, _) => Some(item),
            // The file was to be read again for one item: it is this item that failed again, or
            // that is loaded with all the others.
            Outcome::UnitFailed(_) if event.replayed_unit => sought,
            Outcome::RowsLoaded(rows) if event.replayed_unit && event.count == Some(rows) => sought,
            // It may be one of those that were refused again: their own events tell.
            Outcome::RowsLoaded(_) if event.replayed_unit && sought.is_some() => return Ok(()),
            _ => None,
        };
        match &event.carried {
            Some(carried) if !(event.replayed_unit && batch.units.contains_key(&event.unit)) => {
                self.apply_replay(batch, item, carried, event)
            }
            Some(carried) if batch.has_replaced(carried.detail_seq) => {
                self.unit_is_over(event, carried.detail_seq);
                Ok(self.apply_to_unit(batch, &event.unit, item, event)?)
            }
            _ => Ok(self.apply_to_unit(batch, &event.unit, item, event)?),
        }
    }

    /// An item that comes back, or a unit that is read again under another name than before.
    fn apply_replay(
        &mut self,
        batch: &mut Batch,
        item: Option<u64>,
        carried: &Carried,
        event: &Event,
    ) -> Result<(), Misfit> {
        let failed_again = matches!(event.outcome, Outcome::UnitFailed(_));
        let seq = carried.detail_seq;
        if event.replayed_unit && carried.item.is_some() && carried.item != item && !failed_again {
            // Read again for the sake of another item; this one is accounted for.
            return Ok(());
        }
        match batch.item_of(seq) {
            Some((id, None)) if event.replayed_unit => {
                self.apply_to_unit(batch, &id, item, event)?;
            }
            Some((id, known)) => self.apply_to_unit(batch, &id, known, event)?,
            None => {
                batch.reopen(carried)?;
                if event.replayed_unit && carried.apart > 0 && !failed_again {
                    self.apply_to_rest_of_unit(batch, carried, event);
                } else if event.replayed_unit && carried.item.is_none() && !failed_again {
                    if let Some(closed) = batch.closed.as_mut() {
                        closed.replace(seq, carried.rows);
                    }
                    self.unit_is_over(event, seq);
                    self.apply_to_unit(batch, &event.unit, item, event)?;
                } else {
                    self.apply_to_closed(batch, seq, event);
                }
            }
        }
        Ok(())
    }

    /// A file that failed as a whole in a closed batch after some of its rows were refused. They
    /// have records of their own, so that only the others, of which it is not known which they are,
    /// are counted now.
    fn apply_to_rest_of_unit(&mut self, batch: &mut Batch, carried: &Carried, event: &Event) {
        let (Some(closed), Outcome::RowsLoaded(rows)) = (batch.closed.as_mut(), &event.outcome)
        else {
            return;
        };
        let rows = u32::try_from(*rows).unwrap_or(u32::MAX).min(carried.rows);
        closed.load_rows(carried.detail_seq, rows);
        if rows == carried.rows {
            self.unit_is_over(event, carried.detail_seq);
        }
    }

    fn apply_to_unit(
        &mut self,
        batch: &mut Batch,
        id: &UnitId,
        item: Option<u64>,
        event: &Event,
    ) -> Result<(), NumbersUsedUp> {
        if batch.units.contains_key(id) {
            return self.apply_to_known_unit(batch, id, item, event);
        }
        let applied = self.apply_to_known_unit(batch, id, item, event);
        match applied {
            Ok(()) => batch.grown = batch.grown.max(self.now),
            Err(NumbersUsedUp) => drop(batch.units.remove(id)),
        }
        applied
    }

    fn apply_to_known_unit(
        &mut self,
        batch: &mut Batch,
        id: &UnitId,
        item: Option<u64>,
        event: &Event,
    ) -> Result<(), NumbersUsedUp> {
        let numbers = &mut batch.numbers;
        let unit = batch.units.entry(id.clone()).or_default();
        let named = unit.named();
        if let Some(count) = event.count {
            unit.set_count(count, numbers)?;
        }
        let over = match (&event.outcome, item) {
            (Outcome::Declared, _) => unit.set_split(),
            (Outcome::Loaded(_) | Outcome::Failed(..), Some(_)) if event.is_fragment => {
                unit.set_split()
            }
            _ => None,
        };
        if let Some(seq) = over {
            self.unit_is_over(event, seq);
        }
        match (&event.outcome, item) {
            (Outcome::Declared, _) => {}
            (Outcome::Loaded(_) | Outcome::RowsLoaded(_), Some(item)) => {
                if let Some(seq) = unit.load(item, self.log_loaded, numbers)? {
                    self.detail(event, seq, None);
                }
            }
            (Outcome::RowsLoaded(_) | Outcome::Loaded(_), None) => {
                let rows = match event.outcome {
                    Outcome::RowsLoaded(rows) => rows,
                    _ => 1,
                };
                if let Some(seq) = unit.load_rows(rows) {
                    self.unit_is_over(event, seq);
                }
            }
            (Outcome::Failed(_, failure) | Outcome::UnitFailed(failure), Some(item)) => {
                if let Some(seq) = unit.fail(item, numbers)? {
                    self.detail(event, seq, Some(failure));
                }
            }
            (Outcome::UnitFailed(failure) | Outcome::Failed(_, failure), None) => {
                if let Some(seq) = unit.fail_whole(numbers)? {
                    let (rows, apart) = (unit.whole_count(), unit.failed_count());
                    self.detail(&of_unit(event), seq, Some(failure));
                    if let Some(detail) = self.details.last_mut() {
                        (detail.rows, detail.apart) = (rows, apart);
                    }
                }
            }
        }
        if unit.find_lost() {
            // It is told with what is lost, until it has certainly left.
            batch.confirmed = None;
        }
        if event.count.is_none() && unit.named() != named {
            batch.grown = batch.grown.max(self.now);
        }
        Ok(())
    }

    /// A replayed item whose batch the ledger had closed: only its number is known.
    fn apply_to_closed(&mut self, batch: &mut Batch, seq: i32, event: &Event) {
        let Some(closed) = batch.closed.as_mut() else {
            return;
        };
        match &event.outcome {
            Outcome::Declared => {}
            Outcome::Loaded(_) | Outcome::RowsLoaded(_) => {
                closed.load(seq);
                self.detail(event, seq, None);
            }
            Outcome::Failed(_, failure) | Outcome::UnitFailed(failure) => {
                if !closed.is_loaded(seq) {
                    self.detail(event, seq, Some(failure));
                }
            }
        }
    }

    /// The failure of a whole unit is over: its items came in its place.
    /// Each of them says so: it is written once, and again in the next step, as the records of this
    /// one may not leave.
    fn unit_is_over(&mut self, event: &Event, seq: i32) {
        if self.over.insert((self.key.clone(), seq)) {
            self.detail(&of_unit(event), seq, None);
        }
    }

    fn detail(&mut self, event: &Event, seq: i32, failure: Option<&Failure>) {
        // A file that was to be read again for one item and failed as a whole: its content is not
        // the item's, and the item is still to be found by its index.
        let is_file_of_item =
            event.replayed_unit && matches!(event.outcome, Outcome::UnitFailed(_));
        self.details.push(Detail {
            key: self.key.clone(),
            detail_seq: seq,
            item: match event.outcome {
                Outcome::Loaded(item) | Outcome::Failed(item, _) => Some(item),
                _ => event.carried.and_then(|carried| carried.item),
            },
            rows: event.carried.map_or(1, |carried| carried.rows.into()),
            apart: event.carried.map_or(0, |carried| carried.apart.into()),
            failure: failure.cloned(),
            retry_count: event.retry_count,
            location: match is_file_of_item {
                true => event.location.of_unit(),
                false => event.location.clone(),
            },
            created_dt: event.created_dt.unwrap_or(self.now),
            updated_dt: self.now,
        });
    }
}
