//! Lines that a regular expression takes apart.

use regex::CaptureLocations;

use super::delimited::Layout;
use super::rules::Pattern;
use super::window::{Rows, lines_of};
use crate::canonical::Slice;

/// Appends the lines of a window as JSON with their hashes. Empty lines are no rows.
pub(super) fn transform(pattern: &Pattern, layout: &Layout, window: &[u8], rows: &mut Rows<'_>) {
    let mut groups = pattern.regex.capture_locations();
    for line in lines_of(window) {
        if !line.text.is_empty() && !rows.refuse_too_long(line.text) {
            match read(pattern, layout, line.text, &mut groups, rows) {
                Err(message) => rows.output.reject(message, line.text),
                Ok(text) => {
                    layout.write_json(|index| group(pattern, &groups, text, index), rows);
                }
            }
        }
        rows.output.counts.lines += 1;
    }
}

fn read<'l>(
    pattern: &Pattern,
    layout: &Layout,
    line: &'l [u8],
    groups: &mut CaptureLocations,
    rows: &mut Rows<'_>,
) -> Result<&'l str, String> {
    let text = super::utf8(line)?;
    if pattern.regex.captures_read(groups, text).is_none() {
        return Err("the line does not match the pattern".to_owned());
    }
    rows.push_slices(layout.values(|index| group(pattern, groups, text, index)))?;
    Ok(text)
}

/// What a group matched; nothing where it took no part in the match.
fn group<'l>(
    pattern: &Pattern,
    groups: &CaptureLocations,
    line: &'l str,
    index: usize,
) -> Slice<'l> {
    let place = groups.get(pattern.groups[index].index);
    let (start, end) = place.unwrap_or((0, 0));
    Slice {
        tail: &line[start..],
        length: end - start,
    }
}
