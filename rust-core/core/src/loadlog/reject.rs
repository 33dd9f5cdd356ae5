//! A line of rejects: one bad row of a file, as the processors that refuse rows write it.

use serde::Deserialize;

use super::EventError;

/// What a line of rejects says of its row; whatever else is in it does not matter here.
#[derive(Deserialize)]
struct Line {
    row_index: serde_json::Number,
    error_message: String,
    line_content: Option<String>,
}

/// One bad row.
pub(super) struct Reject {
    /// Its number in the unit, as it stands in the line.
    pub row_index: String,
    /// What is wrong with it.
    pub error_message: String,
    /// The row as it was, if it is there.
    pub line_content: Option<String>,
}

impl Reject {
    pub fn parse(line: &str) -> Result<Self, EventError> {
        let line: Line =
            serde_json::from_str(line).map_err(|error| EventError::Reject(error.to_string()))?;
        Ok(Self {
            row_index: line.row_index.to_string(),
            error_message: line.error_message,
            line_content: line.line_content,
        })
    }
}

/// Whether a line is one of rejects: a file of good rows can carry `rejects.count` too.
pub fn is_reject(line: &str) -> bool {
    Reject::parse(line).is_ok()
}
