//! Content in, the same content with the hash out.
//!
//! A [`Session`] takes one content through on one thread, in windows, whatever its size. Its parts
//! serve several threads as well: a [`Splitter`] cuts a stream into windows of whole records, the
//! [`Intake`] reads the header and gives a [`Plan`], and by the plan any [`Worker`] turns any window
//! into its [`Output`].
//!
//! ```
//! use std::sync::Arc;
//! use rowhash_core::content::{Rules, Session};
//! use rowhash_core::{CanonicalForm, Columns};
//!
//! let columns = Columns::parse("a,b", "row_hash")?;
//! let mut session = Session::new(&Arc::new(Rules::new(columns, CanonicalForm::Compatible)));
//!
//! let content = b"{\"a\":1}\n{\"a\":[]}\n";
//! session.room(content.len())?[..content.len()].copy_from_slice(content);
//! session.process(content.len())?;
//! assert_eq!(
//!     session.rows(),
//!     b"{\"a\":1,\"row_hash\":\"c2028e8cdbe243381ce8f1c21e089ca9\"}\n"
//! );
//! assert_eq!(
//!     session.rejects(),
//!     concat!(
//!         r#"{"row_index":2,"line_number":2,"#,
//!         r#""error_message":"column 'a': arrays, maps and records cannot be hashed","#,
//!         r#""line_content":"{\"a\":[]}"}"#,
//!         "\n"
//!     ).as_bytes()
//! );
//! session.finish()?;
//! assert_eq!(session.counts().rows, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod delimited;
mod fast;
mod groups;
mod lines;
pub mod ndjson;
mod pattern;
mod reject;
mod rules;
mod scan;
mod session;
mod split;
mod window;

pub use compare::Difference;
pub use reject::{Position, Reject};
pub use rules::{
    Delimited, DelimitedOutput, Delimiter, DelimiterError, EmptyValues, Format, Header,
    LONGEST_LINE, NamesError, OnFinding, Pattern, Quoting, Rules, RulesError,
};
pub use session::Session;
pub use split::{Piece, Splitter};
pub use window::{Counts, Intake, Output, Plan, Worker};

use scan::{Scan, Words};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const QUOTE: u8 = b'"';

fn write_json_string(text: &str, out: &mut Vec<u8>) {
    if Words.stop(text.as_bytes(), 0) < text.len() {
        // Writing a string to a Vec cannot fail.
        let _ = serde_json::to_writer(out, text);
        return;
    }
    out.push(QUOTE);
    out.extend_from_slice(text.as_bytes());
    out.push(QUOTE);
}

/// A line as text, or why it is none.
fn utf8(line: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(line).map_err(|error| ndjson::LineError::utf8(&error).to_string())
}

/// Why a record is refused whose length is known and nothing else.
fn too_long(bytes: u64, longest: usize) -> String {
    format!(
        "the line has {bytes} bytes, more than the {longest} that are allowed, and its text is not \
         kept: shorten it, or allow longer lines"
    )
}
