//! NDJSON through a session, in windows, against one line after the other by way of `serde_json`.
use std::sync::Arc;

use rowhash_core::content::ndjson::Object;
use rowhash_core::content::{Rules, Session};
use rowhash_core::{CanonicalForm, Columns, RowBatch, md5};

/// What the plain way makes of a content, and how many lines it refuses.
fn plain(content: &[u8], columns: &Columns, form: CanonicalForm) -> (Vec<u8>, u64) {
    let (mut out, mut refused) = (Vec::new(), 0);
    let mut rows = RowBatch::new(columns, form);
    let (mark, content) = content
        .split_at_checked(3)
        .filter(|(mark, _)| *mark == "\u{feff}".as_bytes())
        .unwrap_or((&[], content));
    out.extend_from_slice(mark);
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        if line.iter().all(u8::is_ascii_whitespace) {
            out.extend_from_slice(line);
            continue;
        }
        rows.clear();
        match Object::parse(line, columns) {
            Ok(object) if rows.push(object.values()).is_ok() => {
                for text in rows.texts() {
                    object.write_with_hash(md5(text), &mut out);
                }
            }
            _ => refused += 1,
        }
    }
    (out, refused)
}

/// Panics when the two differ.
pub fn check(data: &[u8]) {
    let Some((&control, content)) = data.split_first() else {
        return;
    };
    let form = if control & 1 == 0 {
        CanonicalForm::Compatible
    } else {
        CanonicalForm::Escaped
    };
    let columns = Columns::parse("a,b,ccc,각", "row_hash").expect("columns");
    let (expected, refused) = plain(content, &columns, form);

    let mut session = Session::new(&Arc::new(Rules::new(columns, form)));
    let mut rows = Vec::new();
    for window in content.chunks(1 + usize::from(control >> 1) * 7) {
        session.room(window.len()).expect("memory")[..window.len()].copy_from_slice(window);
        session.process(window.len()).expect("no header");
        rows.extend_from_slice(session.rows());
    }
    session.finish().expect("no header");
    rows.extend_from_slice(session.rows());
    assert_eq!(
        String::from_utf8_lossy(&rows),
        String::from_utf8_lossy(&expected)
    );
    assert_eq!(session.counts().rejected, refused);
}
