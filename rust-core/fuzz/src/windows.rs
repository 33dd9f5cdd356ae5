//! Delimited text and lines of a pattern: no cut of a content into windows matters, and nothing
//! panics.
use std::sync::Arc;

use rowhash_core::content::{
    Delimited, DelimitedOutput, Delimiter, EmptyValues, Format, Header, Pattern, Quoting, Rules,
    Session,
};
use rowhash_core::{CanonicalForm, Columns};

fn format(control: u8) -> Format {
    if control & 0b111 == 0b111 {
        let pattern = Pattern::new(r"(?<a>[^,]*),(?<b>[^,]*)", EmptyValues::Text);
        return Format::Pattern(pattern.expect("a pattern"));
    }
    Format::Delimited(Delimited {
        delimiter: Delimiter::parse(",").expect("a delimiter"),
        quoting: if control & 1 == 0 {
            Quoting::Rfc4180
        } else {
            Quoting::None
        },
        header: if control & 2 == 0 {
            Header::FirstRecord
        } else {
            Header::parse("a,b")
        },
        output: if control & 4 == 0 {
            DelimitedOutput::Delimited
        } else {
            DelimitedOutput::Ndjson(EmptyValues::Text)
        },
    })
}

/// Rows, rejects and the header's complaint, in windows of this size.
fn run(rules: &Arc<Rules>, content: &[u8], window: usize) -> (Vec<u8>, Vec<u8>, Option<String>) {
    let mut session = Session::new(rules);
    let (mut rows, mut rejects) = (Vec::new(), Vec::new());
    let mut feed = |session: &mut Session, window: Option<&[u8]>| {
        let result = match window {
            Some(window) => {
                session.room(window.len()).expect("memory")[..window.len()].copy_from_slice(window);
                session.process(window.len())
            }
            None => session.finish(),
        };
        rows.extend_from_slice(session.rows());
        rejects.extend_from_slice(session.rejects());
        result.err().map(|error| error.to_string())
    };
    let mut error = None;
    for window in content.chunks(window) {
        error = error.or_else(|| feed(&mut session, Some(window)));
        if error.is_some() {
            break;
        }
    }
    if error.is_none() {
        error = feed(&mut session, None);
    }
    (rows, rejects, error)
}

/// Panics when the two differ.
pub fn check(data: &[u8]) {
    let Some(([control, size], content)) = data
        .split_first_chunk::<2>()
        .map(|(head, rest)| (*head, rest))
    else {
        return;
    };
    let columns = Columns::parse("a,b", "row_hash").expect("columns");
    let rules = Rules::new(columns, CanonicalForm::Compatible)
        .with_format(format(control))
        .and_then(|rules| rules.with_longest_line(200))
        .expect("rules");
    let rules = Arc::new(rules);
    let whole = run(&rules, content, content.len().max(1));
    assert_eq!(run(&rules, content, 1 + usize::from(size)), whole);
    assert_eq!(run(&rules, content, 1), whole);
}
