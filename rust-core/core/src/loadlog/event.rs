//! What a FlowFile tells the load log.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::reject::Reject;
use super::{BatchKey, KeyError, SrcType};
use crate::digest::md5;

fields! {
    /// The fields of an event, in the order in which [`Event::from_fields`] takes their texts.
    pub const FIELDS: Field {
        SrcType = "src_type",
        Regn = "regn",
        DbName = "db_name",
        TableName = "table_name",
        BaseDts = "base_dts",
        Outcome = "outcome",
        LoadUnit = "load.unit",
        LoadUnits = "load.units",
        LoadCount = "load.count",
        FragmentIdentifier = "fragment.identifier",
        FragmentIndex = "fragment.index",
        FragmentCount = "fragment.count",
        RecordCount = "record.count",
        RejectsCount = "rejects.count",
        RowIndex = "row_index",
        ErrorMessage = "error_message",
        ErrorProcessor = "error_processor",
        LoadRetryCount = "load.retry_count",
        LoadDetailSeq = "load.detail_seq",
        LoadCreatedDt = "load.created_dt",
        LoadSrcCount = "load.src_count",
        LoadLoadCount = "load.load_count",
        LoadErrorCount = "load.error_count",
        LoadMaxDetailSeq = "load.max_detail_seq",
        LoadMinDetailSeq = "load.min_detail_seq",
        LoadStartTs = "load.start_ts",
        LoadItem = "load.item",
        FilePath = "file_path",
        FileName = "file_name",
        LineContent = "line_content",
        Reject = "reject",
        RejectContent = "reject.content",
        KafkaTopic = "kafka_topic",
        KafkaCategory = "kafka_category",
        KafkaSvc = "kafka_svc",
        KafkaOffset = "kafka_offset",
        KafkaPartition = "kafka_partition",
        RecordKey = "record_key",
        Entered = "entered",
    }
}

/// What one split made.
#[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub enum UnitId {
    /// NiFi's `fragment.identifier`: the same unit wherever it is seen, so that items whose
    /// attributes name several batches stay together.
    Split(String),
    /// A whole file, before or without a split: folder and name. Lives in one batch.
    File(String),
    /// The messages of a partition, named by their offsets. Lives in one batch.
    Partition(String, i32),
    /// The rows of a batch that belong to nothing else, named by their `record_key`s. Lives in one
    /// batch.
    Rest,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The unit was split; how many items it has comes with the event.
    Declared,
    /// An item is in the table.
    Loaded(u64),
    /// So many rows of the unit, all but the rejected ones, are in the table.
    RowsLoaded(u64),
    /// An item failed.
    Failed(u64, Failure),
    /// The unit as a whole failed, before its items were known or with all of them.
    UnitFailed(Failure),
}

/// Why something failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// What was wrong.
    pub message: String,
    /// The processor that said so.
    pub processor: String,
}

/// Where an item comes from, and what is needed to run it again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The file's folder.
    pub file_path: Option<String>,
    /// The file's name.
    pub file_name: Option<String>,
    /// The line, or the row as JSON.
    pub line_content: Option<String>,
    /// The message's topic.
    pub kafka_topic: Option<String>,
    /// The message's category.
    pub kafka_category: Option<String>,
    /// The message's service.
    pub kafka_svc: Option<String>,
    /// The message's offset.
    pub kafka_offset: Option<i64>,
    /// The message's partition.
    pub kafka_partition: Option<i32>,
    /// The key of a database row.
    pub record_key: Option<String>,
}

impl Location {
    /// The place of the unit, without that of the item in it.
    pub(super) fn of_unit(&self) -> Self {
        Self {
            file_path: self.file_path.clone(),
            file_name: self.file_name.clone(),
            kafka_topic: self.kafka_topic.clone(),
            kafka_category: self.kafka_category.clone(),
            kafka_svc: self.kafka_svc.clone(),
            kafka_partition: self.kafka_partition,
            ..Self::default()
        }
    }
}

/// The counts of a master record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// `src_count`.
    pub src: u32,
    /// `load_count`.
    pub load: u32,
    /// `error_count`.
    pub error: u32,
}

/// What a replayed item brings from the tables, in case the ledger has closed its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The item's number in the detail table; negative for a unit that failed as a whole.
    pub detail_seq: i32,
    /// The item's index in its unit, where the unit is read again for its sake.
    pub item: Option<u64>,
    /// How many rows a unit that failed as a whole was counted as.
    pub rows: u32,
    /// How many rows of that unit were refused before, and have records of their own.
    pub apart: u32,
    /// What the master record counts; none where there is no such record.
    pub counts: Option<Counts>,
    /// The highest number in the detail table for the batch.
    pub max_detail_seq: i32,
    /// The lowest one.
    pub min_detail_seq: i32,
    /// When the batch began, as the master record says; epoch milliseconds.
    pub start_ts: Option<i64>,
}

/// One thing that the log is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The batch that the FlowFile's attributes name.
    pub key: BatchKey,
    /// The unit.
    pub unit: UnitId,
    /// How many items the unit has, when that is known.
    pub count: Option<u64>,
    /// Whether the item is one that a split made, so that the unit's items speak for themselves.
    pub is_fragment: bool,
    /// How many units the batch has, when the flow says so.
    pub units: Option<u32>,
    /// What happened.
    pub outcome: Outcome,
    /// How often the item was run again.
    pub retry_count: i32,
    /// When the item's detail record was made, for a replayed item; epoch milliseconds.
    pub created_dt: Option<i64>,
    /// What a replayed item brings along.
    pub carried: Option<Carried>,
    /// Whether the event is of a file that is replayed as a whole, in place of its own failure.
    pub replayed_unit: bool,
    /// When NiFi got what the FlowFile was made of, epoch milliseconds: what is older than the end
    /// of its batch comes too late for it.
    pub entered: Option<i64>,
    /// Where the item comes from.
    pub location: Location,
}

/// Why a FlowFile is no event.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EventError {
    /// A batch that cannot be.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A number that is none.
    #[error("{field} is '{value}': it must be a whole number from {least} to {most}")]
    Number {
        /// The field.
        field: &'static str,
        /// Its text.
        value: String,
        /// The smallest number allowed.
        least: i64,
        /// The largest number allowed.
        most: i64,
    },
    /// An outcome that is none.
    #[error("outcome is '{0}': it must be declared, loaded, failed or unit failed, or empty")]
    Outcome(String),
    /// A declaration without a count.
    #[error("a declared unit needs fragment.count, load.count or record.count")]
    Count,
    /// Rows that the next FlowFile's rows could not be told from.
    #[error(
        "nothing names what this FlowFile holds, so that it could not be told from the next one: \
         set load.unit, for example to its uuid, where it enters the flow"
    )]
    Unit,
    /// Many rows that would be counted as one.
    #[error(
        "it holds {0} rows (record.count), but would be counted as one item: set load.count to the \
         number of its rows, record.count plus rejects.count, before the sink; or, if it is one row of \
         a split that left the whole's record.count on it, delete that attribute behind the split"
    )]
    Rows(u64),
    /// A line that says it is rejects and is not.
    #[error("it is no JSON object with row_index, error_message and line_content: {0}")]
    Reject(String),
    /// Replay attributes that contradict each other.
    #[error(
        "load.detail_seq needs load.max_detail_seq and load.min_detail_seq, and load.src_count, \
         load.load_count and load.error_count only come together: let ReplayLoadLog set them"
    )]
    Carried,
}

impl Event {
    /// Reads an event from the texts of [`FIELDS`]; an empty text is an absent field.
    ///
    /// # Errors
    /// A batch that cannot be, and a field that is not what it must be.
    pub fn from_fields(fields: &[&str; FIELDS.len()]) -> Result<Self, EventError> {
        let fields = Fields::read(fields)?;
        let [src_type, regn, db_name, table_name, base_dts] = [
            Field::SrcType,
            Field::Regn,
            Field::DbName,
            Field::TableName,
            Field::BaseDts,
        ]
        .map(|field| fields.text(field).unwrap_or_default());
        let key = BatchKey::new(src_type, regn, db_name, table_name, base_dts)?;

        let location = location(&fields, &key)?;
        let index = fields.item(Field::FragmentIndex, 0)?;
        let row = fields.item(Field::RowIndex, 1)?;
        let rows = fields.item(Field::LoadCount, 0)?;
        // A fragment of many rows is a unit of its own, and its rows are the items.
        let is_chunk = row.is_some() || rows.is_some();
        let is_fragment = index.is_some() && !is_chunk;
        let item = if is_chunk {
            row
        } else if is_fragment {
            index
        } else if let Some(offset) = location.kafka_offset {
            u64::try_from(offset).ok()
        } else {
            location.record_key.as_deref().map(item_of_record_key)
        };
        let outcome = outcome(&fields, item)?;
        let count = match (rows, &outcome) {
            (Some(rows), _) => Some(rows),
            _ if is_chunk => None,
            // Sinks set record.count to what they wrote, which is the whole only on success.
            (None, Outcome::RowsLoaded(rows)) => {
                Some(rows + fields.item(Field::RejectsCount, 0)?.unwrap_or(0))
            }
            _ => match fields.item(Field::FragmentCount, 0)? {
                None if outcome == Outcome::Declared => fields.item(Field::RecordCount, 0)?,
                count => count,
            },
        };
        if outcome == Outcome::Declared && count.is_none() {
            return Err(EventError::Count);
        }
        let records = fields.text(Field::RecordCount);
        match records.and_then(|records| records.trim().parse().ok()) {
            Some(records) if records > 1 && item.is_some() && !is_chunk => match outcome {
                Outcome::Declared => {}
                _ => return Err(EventError::Rows(records)),
            },
            _ => {}
        }
        let unit = unit(&fields, &location, index.filter(|_| is_chunk));
        let replayed_unit = fields.text(Field::LoadUnit).is_some();
        let carried = carried(&fields)?;
        let is_nameless = matches!(unit, UnitId::Partition(..) | UnitId::Rest) && item.is_none();
        if is_nameless && carried.is_none() && outcome != Outcome::Declared {
            return Err(EventError::Unit);
        }
        Ok(Self {
            key,
            unit,
            count,
            is_fragment,
            units: fields
                .number(Field::LoadUnits, 0, i32::MAX.into())?
                .map(|units| units as u32),
            outcome,
            retry_count: fields
                .number(Field::LoadRetryCount, 0, i32::MAX.into())?
                .unwrap_or(0) as i32,
            created_dt: fields.number(Field::LoadCreatedDt, i64::MIN, i64::MAX)?,
            carried,
            replayed_unit,
            entered: fields.number(Field::Entered, i64::MIN, i64::MAX)?,
            location,
        })
    }
}

/// The text of `reject.content` that leaves out what the line of rejects holds of the row.
const REJECT_CONTENT_DROPPED: &str = "none";

/// A unit has no more items than the table's INT columns can count.
const MOST_ITEMS: i64 = i32::MAX as i64 / 2;

/// The texts of an event; those of a line of rejects are in the line.
struct Fields<'f> {
    texts: &'f [&'f str; FIELDS.len()],
    reject: Option<Reject>,
}

impl<'f> Fields<'f> {
    fn read(texts: &'f [&'f str; FIELDS.len()]) -> Result<Self, EventError> {
        let reject = match texts[Field::Reject as usize] {
            "" => None,
            line => Some(Reject::parse(line)?),
        };
        Ok(Self { texts, reject })
    }

    fn text(&self, field: Field) -> Option<&str> {
        let text = match (&self.reject, field) {
            (Some(_), Field::Outcome) => "failed",
            (Some(reject), Field::RowIndex) => &reject.row_index,
            (Some(reject), Field::ErrorMessage) => &reject.error_message,
            (Some(reject), Field::LineContent) => match self.texts[Field::RejectContent as usize] {
                REJECT_CONTENT_DROPPED => "",
                _ => reject.line_content.as_deref().unwrap_or_default(),
            },
            _ => self.texts[field as usize],
        };
        Some(text).filter(|text| !text.is_empty())
    }

    /// A number of items, or an item's.
    fn item(&self, field: Field, least: i64) -> Result<Option<u64>, EventError> {
        let number = self.number(field, least, MOST_ITEMS)?;
        Ok(number.and_then(|number| u64::try_from(number).ok()))
    }

    fn owned(&self, field: Field) -> Option<String> {
        self.text(field).map(str::to_owned)
    }

    fn number(&self, field: Field, least: i64, most: i64) -> Result<Option<i64>, EventError> {
        let Some(text) = self.text(field) else {
            return Ok(None);
        };
        match text.trim().parse() {
            Ok(number) if (least..=most).contains(&number) => Ok(Some(number)),
            _ => Err(EventError::Number {
                field: field.name(),
                value: text.to_owned(),
                least,
                most,
            }),
        }
    }
}

/// What the tables hold of a source's items: each source has columns of its own. NiFi gives every
/// FlowFile a filename, which says nothing of a message or of a database's row.
fn location(fields: &Fields<'_>, key: &BatchKey) -> Result<Location, EventError> {
    let line_content = fields.owned(Field::LineContent);
    Ok(match key.src_type {
        SrcType::Nas => Location {
            file_path: fields.owned(Field::FilePath),
            file_name: fields.owned(Field::FileName),
            line_content,
            ..Location::default()
        },
        SrcType::Kafka => Location {
            line_content,
            kafka_topic: fields.owned(Field::KafkaTopic),
            kafka_category: fields.owned(Field::KafkaCategory),
            kafka_svc: fields.owned(Field::KafkaSvc),
            kafka_offset: fields.number(Field::KafkaOffset, 0, i64::MAX)?,
            kafka_partition: fields
                .number(Field::KafkaPartition, 0, i32::MAX.into())?
                .map(|partition| partition as i32),
            ..Location::default()
        },
        SrcType::Db => Location {
            line_content,
            record_key: fields.owned(Field::RecordKey),
            ..Location::default()
        },
    })
}

/// A number for a row that only has a key: the same one each time, and no two keys' by any chance
/// that matters.
fn item_of_record_key(key: &str) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *md5(key.as_bytes()).as_bytes();
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// The `record_key` of a unit that failed as a whole: how many rows are counted as failed with it,
/// so that a replay of a closed batch takes them all off; and of how many, where others were refused
/// before and have records of their own.
pub(super) fn record_key_of_rows(rows: u64, apart: u64) -> String {
    match apart {
        0 => format!("{rows} rows"),
        _ => format!("{rows} of {} rows", rows.saturating_add(apart)),
    }
}

/// The rows that failed with the unit, and those apart.
fn rows_of_record_key(key: &str) -> Option<(u32, u32)> {
    let rows = key.strip_suffix(" rows")?;
    let (rows, all) = rows.split_once(" of ").unwrap_or((rows, rows));
    let rows = rows.parse().ok()?;
    Some((rows, all.parse::<u32>().ok()?.saturating_sub(rows)))
}

/// The name of the unit that a file is: a replay gives it the same one.
pub(super) fn file_unit(folder: Option<&str>, name: &str) -> String {
    let folder = folder.unwrap_or_default().trim_end_matches('/');
    format!("{folder}/{name}")
}

fn unit(fields: &Fields<'_>, location: &Location, chunk: Option<u64>) -> UnitId {
    let file = || {
        let name = location.file_name.as_ref()?;
        Some(file_unit(location.file_path.as_deref(), name))
    };
    if let Some(unit) = fields.text(Field::LoadUnit) {
        UnitId::File(unit.to_owned())
    } else if let Some(split) = fields.text(Field::FragmentIdentifier) {
        UnitId::Split(match chunk {
            Some(chunk) => format!("{split}/{chunk}"),
            None => split.to_owned(),
        })
    } else if let (Some(topic), Some(partition)) = (&location.kafka_topic, location.kafka_partition)
    {
        UnitId::Partition(topic.clone(), partition)
    } else if let Some(file) = file() {
        UnitId::File(file)
    } else {
        UnitId::Rest
    }
}

fn outcome(fields: &Fields<'_>, item: Option<u64>) -> Result<Outcome, EventError> {
    let failure = || Failure {
        message: fields.owned(Field::ErrorMessage).unwrap_or_default(),
        processor: fields.owned(Field::ErrorProcessor).unwrap_or_default(),
    };
    let both =
        fields.text(Field::ErrorMessage).is_some() && fields.text(Field::ErrorProcessor).is_some();
    match (fields.text(Field::Outcome), item) {
        (Some("declared"), _) => Ok(Outcome::Declared),
        (Some("unit failed"), _) => Ok(Outcome::UnitFailed(failure())),
        (Some("failed"), Some(item)) => Ok(Outcome::Failed(item, failure())),
        (Some("failed"), None) => Ok(Outcome::UnitFailed(failure())),
        (Some("loaded"), Some(item)) => Ok(Outcome::Loaded(item)),
        (Some("loaded"), None) => Ok(Outcome::RowsLoaded(rows(fields)?)),
        (None, Some(item)) if both => Ok(Outcome::Failed(item, failure())),
        (None, None) if both => Ok(Outcome::UnitFailed(failure())),
        (None, Some(item)) => Ok(Outcome::Loaded(item)),
        (None, None) => Ok(Outcome::RowsLoaded(rows(fields)?)),
        (Some(other), _) => Err(EventError::Outcome(other.to_owned())),
    }
}

/// A FlowFile without a count is one row.
fn rows(fields: &Fields<'_>) -> Result<u64, EventError> {
    Ok(fields
        .number(Field::RecordCount, 0, MOST_ITEMS)?
        .unwrap_or(1) as u64)
}

fn carried(fields: &Fields<'_>) -> Result<Option<Carried>, EventError> {
    let number = |field, least: i32| fields.number(field, least.into(), i32::MAX.into());
    let Some(detail_seq) = number(Field::LoadDetailSeq, i32::MIN)? else {
        return Ok(None);
    };
    let counts = match (
        number(Field::LoadSrcCount, 0)?,
        number(Field::LoadLoadCount, 0)?,
        number(Field::LoadErrorCount, 0)?,
    ) {
        (Some(src), Some(load), Some(error)) => Some(Counts {
            src: src as u32,
            load: load as u32,
            error: error as u32,
        }),
        (None, None, None) => None,
        _ => return Err(EventError::Carried),
    };
    let needed = |field| number(field, i32::MIN)?.ok_or(EventError::Carried);
    let (rows, apart) = fields
        .text(Field::RecordKey)
        .filter(|_| detail_seq < 0)
        .and_then(rows_of_record_key)
        .unwrap_or((1, 0));
    Ok(Some(Carried {
        detail_seq: detail_seq as i32,
        item: fields
            .number(Field::LoadItem, 0, MOST_ITEMS)?
            .map(|item| item as u64),
        rows,
        apart,
        counts,
        max_detail_seq: needed(Field::LoadMaxDetailSeq)? as i32,
        min_detail_seq: needed(Field::LoadMinDetailSeq)? as i32,
        start_ts: fields.number(Field::LoadStartTs, i64::MIN, i64::MAX)?,
    }))
}
