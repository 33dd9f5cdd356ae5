//! Lines that a regular expression takes apart.

use super::compare::Comparison;
use super::delimited::Layout;
use super::groups::Finder;
use super::rules::Pattern;
use super::window::{Rows, lines_of};
use crate::canonical::Slice;

/// Appends the lines of a window as JSON with their hashes. Empty lines are no rows.
pub(super) fn transform(pattern: &Pattern, layout: &Layout, window: &[u8], rows: &mut Rows<'_>) {
    let mut groups = pattern.finder();
    for line in lines_of(window) {
        if !line.text.is_empty() && !rows.refuse_too_long(line.text) {
            let row = read(line.text, &mut groups).and_then(|text| {
                rows.push_slices(layout.values(|index| group(&groups, text, index)))?;
                Ok(text)
            });
            match row {
                Err(message) => rows.output.reject(message, line.text),
                Ok(text) => {
                    layout.write_json(|index| group(&groups, text, index), rows);
                }
            }
        }
        rows.output.counts.lines += 1;
    }
}

/// Compares the rows of a window.
pub(super) fn compare(
    pattern: &Pattern,
    layout: &Layout,
    window: &[u8],
    rows: &mut Comparison<'_>,
) {
    let mut groups = pattern.finder();
    for line in lines_of(window) {
        if !line.text.is_empty() && !rows.is_too_long(line.text) {
            if let Ok(text) = read(line.text, &mut groups) {
                layout.compare(|index| group(&groups, text, index), rows);
            }
        }
        rows.lines += 1;
    }
}

fn read<'l>(line: &'l [u8], groups: &mut Finder<'_>) -> Result<&'l str, String> {
    let text = super::utf8(line)?;
    match groups.find(text) {
        false => Err("the line does not match the pattern".to_owned()),
        true => Ok(text),
    }
}

/// What a group matched; nothing where it took no part in the match.
fn group<'l>(groups: &Finder<'_>, line: &'l str, index: usize) -> Slice<'l> {
    let (start, end) = groups.place(index).unwrap_or((0, 0));
    Slice {
        tail: &line[start..],
        length: end - start,
    }
}
