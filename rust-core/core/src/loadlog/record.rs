//! The records of the two tables, as JSON for the flow's own sink.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::event::record_key_of_rows;
use super::{BatchKey, Failure, Location};

/// Kudu's limit for a cell, in bytes of UTF-8.
pub const MAX_CELL: usize = 65_536;

/// How a batch or an item stands.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize, serde::Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// A batch: items are on their way, or more units may come.
    Running,
    /// All accounted for, none failed.
    Success,
    /// A batch: some rows loaded and some failed.
    Partial,
    /// A batch: none loaded and at least one failed. An item: it failed.
    Fail,
}

impl Status {
    /// The name, as the tables hold it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Success => "SUCCESS",
            Self::Partial => "PARTIAL",
            Self::Fail => "FAIL",
        }
    }

    /// Whether the batch is over.
    pub fn is_final(self) -> bool {
        self != Self::Running
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A row of `load_log_master`. Times are epoch milliseconds, so that no time zone can shift them.
#[derive(Clone, Debug, PartialEq)]
pub struct Master {
    /// The batch.
    pub key: BatchKey,
    /// How it stands.
    pub status: Status,
    /// Which run of the batch this tells of, from 1: each replay opens the next. No column.
    pub attempt: u32,
    /// How many items it has, as far as is known.
    pub src_count: u32,
    /// How many are in the table.
    pub load_count: u32,
    /// How many failed.
    pub error_count: u32,
    /// When the log first heard of the batch.
    pub start_ts: i64,
    /// When the last item was accounted for; none while the batch is running.
    pub end_ts: Option<i64>,
    /// When this record was made.
    pub updated_dt: i64,
}

impl Serialize for Master {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        serialize_key(&self.key, &mut map)?;
        map.serialize_entry("base_dt", self.key.base_dt())?;
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("src_count", &self.src_count)?;
        map.serialize_entry("load_count", &self.load_count)?;
        map.serialize_entry("error_count", &self.error_count)?;
        map.serialize_entry("start_ts", &self.start_ts)?;
        map.serialize_entry("end_ts", &self.end_ts)?;
        map.serialize_entry("created_dt", &self.start_ts)?;
        map.serialize_entry("updated_dt", &self.updated_dt)?;
        map.end()
    }
}

/// A row of `load_log_detail`. Times are epoch milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    /// The batch.
    pub key: BatchKey,
    /// The item's number in the batch; negative for a unit that failed as a whole.
    pub detail_seq: i32,
    /// The item's index in its unit, where it has one.
    pub item: Option<u64>,
    /// How many rows failed, where a unit failed as a whole.
    pub rows: u64,
    /// How many rows of that unit have records of their own.
    pub apart: u64,
    /// The failure; none for an item that is in the table.
    pub failure: Option<Failure>,
    /// How often the item was run again.
    pub retry_count: i32,
    /// Where the item comes from.
    pub location: Location,
    /// When the item was first logged.
    pub created_dt: i64,
    /// When this record was made.
    pub updated_dt: i64,
}

impl Serialize for Detail {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let location = &self.location;
        let status = match self.failure {
            Some(_) => Status::Fail,
            None => Status::Success,
        };
        let failure = self.failure.as_ref();
        // What was cut could not be loaded again as it was, so it is left out and read anew.
        let line = location
            .line_content
            .as_deref()
            .filter(|line| failure.is_some() && line.len() <= MAX_CELL);
        // A line that has to be read from its file again is found there by its index.
        let index = self
            .item
            .filter(|_| location.file_name.is_some() && line.is_none())
            .map(|item| item.to_string());
        // Only a file is read again as a whole; elsewhere record_key is the key of one row.
        let is_file = self.detail_seq < 0 && location.file_name.is_some();
        let rows = (is_file && self.rows + self.apart > 1)
            .then(|| record_key_of_rows(self.rows, self.apart));
        let record_key = location
            .record_key
            .as_deref()
            .or(index.as_deref())
            .or(rows.as_deref());
        let mut map = serializer.serialize_map(None)?;
        serialize_key(&self.key, &mut map)?;
        map.serialize_entry("detail_seq", &self.detail_seq)?;
        map.serialize_entry("base_dt", self.key.base_dt())?;
        map.serialize_entry("status", &status)?;
        map.serialize_entry("error_message", &failure.map(|f| cut(&f.message)))?;
        map.serialize_entry("error_processor", &failure.map(|f| cut(&f.processor)))?;
        map.serialize_entry("retry_count", &self.retry_count)?;
        map.serialize_entry("file_path", &location.file_path)?;
        map.serialize_entry("file_name", &location.file_name)?;
        map.serialize_entry("line_content", &line)?;
        map.serialize_entry("kafka_topic", &location.kafka_topic)?;
        map.serialize_entry("kafka_category", &location.kafka_category)?;
        map.serialize_entry("kafka_svc", &location.kafka_svc)?;
        map.serialize_entry("kafka_offset", &location.kafka_offset)?;
        map.serialize_entry("kafka_partition", &location.kafka_partition)?;
        map.serialize_entry("record_key", &record_key)?;
        map.serialize_entry("created_dt", &self.created_dt)?;
        map.serialize_entry("updated_dt", &self.updated_dt)?;
        map.end()
    }
}

fn serialize_key<M: SerializeMap>(key: &BatchKey, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("src_type", &key.src_type)?;
    map.serialize_entry("regn", &key.regn)?;
    map.serialize_entry("db_name", &key.db_name)?;
    map.serialize_entry("table_name", &key.table_name)?;
    map.serialize_entry("base_dts", &key.base_dts)
}

/// As much of a text as a Kudu cell holds, whole characters only.
fn cut(text: &str) -> &str {
    &text[..floor_char_boundary(text, MAX_CELL)]
}

fn floor_char_boundary(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    (0..=most)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}
