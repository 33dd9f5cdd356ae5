//! Windows of NDJSON.

use super::ndjson::Object;
use super::window::{Line, Rows, lines_of};

/// Appends the lines of a window with their hashes. Lines without anything on them are no rows and
/// stay.
pub(super) fn transform(window: &[u8], rows: &mut Rows<'_>) {
    for line in lines_of(window) {
        if line.text.iter().all(u8::is_ascii_whitespace) {
            rows.output.rows.extend_from_slice(line.text);
            rows.output.rows.extend_from_slice(line.end);
        } else if !rows.refuse_too_long(line.text) {
            plain(&line, rows);
        }
        rows.output.counts.lines += 1;
    }
}

/// One line by way of `serde_json`.
fn plain(line: &Line<'_>, rows: &mut Rows<'_>) {
    let read = Object::parse(line.text, rows.columns())
        .map_err(|error| error.to_string())
        .and_then(|object| rows.push(object.values()).map(|()| object));
    match read {
        Ok(object) => {
            let hole = object.write_with_hole(&mut rows.output.rows);
            rows.hash_goes(hole);
            rows.output.rows.extend_from_slice(line.end);
        }
        Err(message) => rows.output.reject(message, line.text),
    }
}
