//! The five key columns of a batch.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Where rows come from.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum SrcType {
    /// Database extracts.
    Db,
    /// Files.
    Nas,
    /// Messages.
    Kafka,
}

impl SrcType {
    /// The name, as the tables hold it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Db => "DB",
            Self::Nas => "NAS",
            Self::Kafka => "KAFKA",
        }
    }
}

impl fmt::Display for SrcType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SrcType {
    type Err = KeyError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [Self::Db, Self::Nas, Self::Kafka]
            .into_iter()
            .find(|src_type| src_type.name() == name)
            .ok_or_else(|| KeyError::SrcType(name.to_owned()))
    }
}

/// A batch: one run of one load.
#[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub struct BatchKey {
    /// Where the rows come from.
    pub src_type: SrcType,
    /// The region or system of the source.
    pub regn: String,
    /// The database of the target table.
    pub db_name: String,
    /// The target table.
    pub table_name: String,
    /// When the batch began: yyyyMMddHHmmss.
    pub base_dts: String,
}

impl BatchKey {
    /// Checks and makes a key.
    ///
    /// # Errors
    /// An unknown `src_type`, an empty part, and a `base_dts` that is no time of 14 digits.
    pub fn new(
        src_type: &str,
        regn: &str,
        db_name: &str,
        table_name: &str,
        base_dts: &str,
    ) -> Result<Self, KeyError> {
        for (name, value) in [
            ("regn", regn),
            ("db_name", db_name),
            ("table_name", table_name),
        ] {
            if value.is_empty() {
                return Err(KeyError::Empty(name));
            }
        }
        if !is_time(base_dts) {
            return Err(KeyError::BaseDts(base_dts.to_owned()));
        }
        Ok(Self {
            src_type: src_type.parse()?,
            regn: regn.to_owned(),
            db_name: db_name.to_owned(),
            table_name: table_name.to_owned(),
            base_dts: base_dts.to_owned(),
        })
    }

    /// The day of the batch: yyyyMMdd.
    pub fn base_dt(&self) -> &str {
        self.base_dts.get(..8).unwrap_or_default()
    }

    /// Whether both are batches of one load.
    pub(super) fn same_load(&self, other: &Self) -> bool {
        (self.src_type, &self.regn, &self.db_name, &self.table_name)
            == (
                other.src_type,
                &other.regn,
                &other.db_name,
                &other.table_name,
            )
    }
}

impl fmt::Display for BatchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {}.{} {}",
            self.src_type, self.regn, self.db_name, self.table_name, self.base_dts
        )
    }
}

fn is_time(text: &str) -> bool {
    let part =
        |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse::<u32>().ok());
    text.len() == 14
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && part(4, 6).is_some_and(|month| (1..=12).contains(&month))
        && part(6, 8).is_some_and(|day| (1..=31).contains(&day))
        && part(8, 10).is_some_and(|hour| hour < 24)
        && part(10, 12).is_some_and(|minute| minute < 60)
        && part(12, 14).is_some_and(|second| second < 60)
}

/// Why a batch key cannot be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum KeyError {
    /// None of the three sources.
    #[error("src_type is '{0}': it must be DB, NAS or KAFKA")]
    SrcType(String),
    /// A part of the key that is empty.
    #[error("{0} is empty: each batch needs all five key columns")]
    Empty(&'static str),
    /// A start that is no time.
    #[error("base_dts is '{0}': it must be the batch's start as yyyyMMddHHmmss")]
    BaseDts(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_needs_all_its_parts() {
        let new =
            |parts: [&str; 5]| BatchKey::new(parts[0], parts[1], parts[2], parts[3], parts[4]);
        let key = new(["NAS", "R01", "bronze", "nas_copilot_call", "20260225143000"]).unwrap();
        assert_eq!(key.base_dt(), "20260225");
        assert_eq!(
            new(["nas", "R01", "b", "t", "20260225143000"]),
            Err(KeyError::SrcType("nas".into()))
        );
        assert_eq!(
            new(["DB", "R01", "", "t", "20260225143000"]),
            Err(KeyError::Empty("db_name"))
        );
        for bad in [
            "",
            "2026022514300",
            "2026022514300x",
            "20261325143000",
            "20260225243000",
            "+2026022514300",
        ] {
            assert_eq!(
                new(["DB", "R01", "b", "t", bad]),
                Err(KeyError::BaseDts(bad.into()))
            );
        }
    }
}
