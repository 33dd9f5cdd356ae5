//! The JOB_KEY of Spring Batch's metadata tables.
//!
//! A job instance is one job name with one set of identifying parameters; BATCH_JOB_INSTANCE keeps
//! the set as a digest, JOB_KEY, over a text that differs between major versions. A wrong key is
//! another instance: the launcher would then run a completed load again.
//!
//! ```
//! use rowhash_core::springbatch::{Parameter, Version, job_key};
//!
//! let parameters = ["base_dts=20260225143000".parse::<Parameter>()?];
//! let key = job_key(Version::V5, &parameters)?;
//! assert_eq!(key.to_string().len(), 32);
//! # Ok::<(), rowhash_core::springbatch::JobKeyError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::{RowHash, md5};

/// A major version of Spring Batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 4.x.
    V4,
    /// 5.x.
    V5,
    /// 6.x.
    V6,
}

impl FromStr for Version {
    type Err = JobKeyError;

    fn from_str(number: &str) -> Result<Self, Self::Err> {
        match number {
            "4" => Ok(Self::V4),
            "5" => Ok(Self::V5),
            "6" => Ok(Self::V6),
            _ => Err(JobKeyError::Version(number.to_owned())),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V4 => "4",
            Self::V5 => "5",
            Self::V6 => "6",
        })
    }
}

/// The value of an identifying parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterValue {
    /// `java.lang.String`.
    Text(String),
    /// `java.lang.Long`.
    Long(i64),
}

impl ParameterValue {
    const fn java_class(&self) -> &'static str {
        match self {
            Self::Text(_) => "java.lang.String",
            Self::Long(_) => "java.lang.Long",
        }
    }
}

impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Long(number) => number.fmt(f),
        }
    }
}

/// An identifying parameter of a job; the others are no part of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: ParameterValue,
}

impl FromStr for Parameter {
    type Err = JobKeyError;

    /// Reads `name=value`, a text, or `name(long)=value`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || JobKeyError::Parameter(text.to_owned());
        let (name, value) = text.split_once('=').ok_or_else(malformed)?;
        let (name, value) = match name.strip_suffix("(long)") {
            Some(name) => {
                let number = value.parse().map_err(|_| JobKeyError::Long {
                    name: name.to_owned(),
                    value: value.to_owned(),
                })?;
                (name, ParameterValue::Long(number))
            }
            None => {
                let name = name.strip_suffix("(string)").unwrap_or(name);
                (name, ParameterValue::Text(value.to_owned()))
            }
        };
        if name.is_empty() {
            return Err(malformed());
        }
        Ok(Self {
            name: name.to_owned(),
            value,
        })
    }
}

/// The JOB_KEY of the identifying parameters, in any order.
///
/// # Errors
/// A name twice.
pub fn job_key(version: Version, parameters: &[Parameter]) -> Result<RowHash, JobKeyError> {
    let mut sorted: Vec<&Parameter> = parameters.iter().collect();
    // As Java compares strings: by UTF-16 code units.
    sorted.sort_by(|a, b| a.name.encode_utf16().cmp(b.name.encode_utf16()));
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(JobKeyError::Twice(pair[0].name.clone()));
    }
    let text: String = sorted
        .into_iter()
        .map(|Parameter { name, value }| match version {
            Version::V4 => format!("{name}={value};"),
            Version::V5 => format!(
                "{name}={{value={value}, type=class {}, identifying=true}};",
                value.java_class()
            ),
            Version::V6 => format!(
                "JobParameter{{name='{name}', value={value}, type=class {}, identifying=true}}",
                value.java_class()
            ),
        })
        .collect();
    Ok(md5(text.as_bytes()))
}

/// Why there is no JOB_KEY.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum JobKeyError {
    /// A version whose key is not known.
    #[error("'{0}' is no version of Spring Batch whose JOB_KEY is known: use 4, 5 or 6")]
    Version(String),
    /// A parameter that cannot be read.
    #[error("'{0}' is no parameter: write name=value, or name(long)=value for a number")]
    Parameter(String),
    /// A number that is none.
    #[error("parameter '{name}': '{value}' is not a whole number of 64 bits")]
    Long {
        /// The parameter.
        name: String,
        /// What was given.
        value: String,
    },
    /// A name twice.
    #[error("parameter '{0}' is there twice: remove one")]
    Twice(String),
}
