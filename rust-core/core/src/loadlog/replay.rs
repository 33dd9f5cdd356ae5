//! What a failed item needs to be run again.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use super::event::file_unit;
use super::{BatchKey, KeyError, SrcType};

fields! {
    /// The columns of a detail record that decide, in the order in which [`Replay::from_fields`] takes their texts.
    pub const REPLAY_FIELDS: Column {
        SrcType = "src_type",
        Regn = "regn",
        DbName = "db_name",
        TableName = "table_name",
        BaseDts = "base_dts",
        DetailSeq = "detail_seq",
        RetryCount = "retry_count",
        FilePath = "file_path",
        FileName = "file_name",
        LineContent = "line_content",
        KafkaTopic = "kafka_topic",
        KafkaOffset = "kafka_offset",
        RecordKey = "record_key",
    }
}

/// Where a failed item goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The content is the JSON row: to the sink.
    Row,
    /// The content is the raw line: to what parses it.
    Line,
    /// No content was kept: the file is fetched again.
    File,
    /// The message is consumed again, by topic, partition and offset.
    Message,
    /// The row is queried again, by record_key.
    Record,
    /// The retries are used up.
    Exhausted,
}

impl Route {
    /// The relationship's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Line => "line",
            Self::File => "file",
            Self::Message => "message",
            Self::Record => "record",
            Self::Exhausted => "exhausted",
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A failed item on its way back into the flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// Where it goes on.
    pub route: Route,
    /// The retry that this is, counted from 1; as it was for an exhausted item.
    pub retry_count: i32,
    /// The unit that the items of a file belong to, whatever splits it: for [`Route::File`].
    pub unit: Option<String>,
    /// The item that the file is read again for: for [`Route::File`], none where all are wanted.
    pub item: Option<u64>,
    /// The row that marks the item as picked.
    pub claim: Claim,
}

/// A row for `load_log_detail` that says an item is on its way: only these columns are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// The batch.
    #[serde(flatten)]
    pub key: BatchKey,
    /// The item.
    pub detail_seq: i32,
    /// RUNNING, so that the re-run query does not pick the item again.
    pub status: &'static str,
    /// The retry that this is: an item that never comes back uses its retries up too.
    pub retry_count: i32,
    /// When it was picked, epoch milliseconds: after a while a claim is void.
    pub updated_dt: i64,
}

/// Why a detail record cannot be replayed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReplayError {
    /// A batch that cannot be.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A number that is none.
    #[error("{field} is '{value}': it must be a whole number that fits an INT")]
    Number {
        /// The column.
        field: &'static str,
        /// Its text.
        value: String,
    },
    /// A record that does not say where the item is.
    #[error(
        "the record names neither content nor a file, a message or a record_key: \
         load the batch's source again"
    )]
    NoSource(Box<Claim>),
}

impl ReplayError {
    /// The row that counts the vain retry, so that the item does not come back for ever.
    pub fn claim(&self) -> Option<&Claim> {
        match self {
            Self::NoSource(claim) => Some(claim),
            _ => None,
        }
    }
}

impl Replay {
    /// Decides for one record of the re-run query; an empty text is a null column.
    ///
    /// # Errors
    /// A record that is no failed item, or that leaves nothing to run again.
    pub fn from_fields(
        fields: &[&str; REPLAY_FIELDS.len()],
        retries: i32,
        now: i64,
    ) -> Result<Self, ReplayError> {
        let text = |column: Column| Some(fields[column as usize]).filter(|text| !text.is_empty());
        let number = |column: Column| match text(column).unwrap_or("0").parse::<i32>() {
            Ok(number) => Ok(number),
            Err(_) => Err(ReplayError::Number {
                field: column.name(),
                value: text(column).unwrap_or_default().to_owned(),
            }),
        };
        let [src_type, regn, db_name, table_name, base_dts] = [
            Column::SrcType,
            Column::Regn,
            Column::DbName,
            Column::TableName,
            Column::BaseDts,
        ]
        .map(|column| text(column).unwrap_or_default());
        let key = BatchKey::new(src_type, regn, db_name, table_name, base_dts)?;
        if text(Column::DetailSeq).is_none() {
            return Err(ReplayError::Number {
                field: Column::DetailSeq.name(),
                value: String::new(),
            });
        }
        let detail_seq = number(Column::DetailSeq)?;
        let retry_count = number(Column::RetryCount)?;

        let file = text(Column::FileName).map(|name| file_unit(text(Column::FilePath), name));
        let content = text(Column::LineContent);
        let is_exhausted = retry_count >= retries;
        let claim = Claim {
            key,
            detail_seq,
            status: "RUNNING",
            retry_count: retry_count.saturating_add(i32::from(!is_exhausted)),
            updated_dt: now,
        };
        let route = match claim.key.src_type {
            _ if is_exhausted => Route::Exhausted,
            _ if content.is_some_and(is_json_object) => Route::Row,
            _ if content.is_some() => Route::Line,
            SrcType::Nas if file.is_some() => Route::File,
            SrcType::Kafka
                if text(Column::KafkaTopic).is_some() && text(Column::KafkaOffset).is_some() =>
            {
                Route::Message
            }
            SrcType::Db if text(Column::RecordKey).is_some() => Route::Record,
            _ => return Err(ReplayError::NoSource(Box::new(claim))),
        };
        let item = text(Column::RecordKey).filter(|_| route == Route::File);
        Ok(Self {
            route,
            retry_count: claim.retry_count,
            unit: file.filter(|_| route == Route::File),
            item: item.and_then(|item| item.parse().ok()),
            claim,
        })
    }
}

fn is_json_object(content: &str) -> bool {
    content.trim_start().starts_with('{')
        && serde_json::from_str::<serde::de::IgnoredAny>(content).is_ok()
}
