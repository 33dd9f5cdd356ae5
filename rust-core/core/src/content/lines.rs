//! Windows of NDJSON: usual lines the fast way, the others the plain one.

use memchr::memchr;

use super::compare::Comparison;
use super::fast::Shape;
use super::ndjson::Object;
use super::scan::{Scan, Words};
use super::window::{Line, Rows, lines_of};

/// Appends the lines of a window with their hashes. Lines without anything on them are no rows and
/// stay.
pub(super) fn transform(window: &[u8], shape: &mut Shape, rows: &mut Rows<'_>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(scan) = super::scan::Avx2::detect() {
        #[allow(unsafe_code)]
        // SAFETY: the value proves that the processor has AVX2; all that has it has the others.
        return unsafe { with_avx2(scan, window, shape, rows) };
    }
    with(Words, window, shape, rows);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code)]
unsafe fn with_avx2(
    scan: super::scan::Avx2,
    window: &[u8],
    shape: &mut Shape,
    rows: &mut Rows<'_>,
) {
    with(scan, window, shape, rows);
}

#[inline(always)]
fn with<S: Scan>(scan: S, window: &[u8], shape: &mut Shape, rows: &mut Rows<'_>) {
    let text = simdutf8::basic::from_utf8(window);
    let mut at = 0;
    while at < window.len() {
        if let Ok(text) = text {
            at = shape.take(scan, text, at, rows);
        }
        if at < window.len() {
            let rest = &window[at..];
            let length = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            plain(&Line::new(&rest[..length]), rows);
            at += length;
        }
    }
}

/// One line by way of `serde_json`.
pub(super) fn plain(line: &Line<'_>, rows: &mut Rows<'_>) {
    if is_blank(line) {
        rows.output.rows.extend_from_slice(line.text);
        rows.output.rows.extend_from_slice(line.end);
    } else if !rows.refuse_too_long(line.text) {
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
    rows.output.counts.lines += 1;
}

/// Compares the rows of a window.
pub(super) fn compare(window: &[u8], rows: &mut Comparison<'_>) {
    for line in lines_of(window) {
        if !is_blank(&line) && !rows.is_too_long(line.text) {
            if let Ok(object) = Object::parse(line.text, rows.columns()) {
                rows.row(object.values(), object.stored_hash());
            }
        }
        rows.lines += 1;
    }
}

/// Whether there is nothing on the line, so that it is no row.
fn is_blank(line: &Line<'_>) -> bool {
    line.text.iter().all(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::super::window::{Output, Worker};
    use super::super::{OnFinding, Rules};
    use super::*;
    use crate::{CanonicalForm, Columns};
    use proptest::prelude::*;

    fn rules(form: CanonicalForm, policy: OnFinding) -> Rules {
        Rules::new(Columns::parse("a,b,ccc,각", "row_hash").unwrap(), form)
            .with_ambiguous_rows(policy.clone())
            .with_rows_without_values(policy)
            .with_longest_line(300)
            .unwrap()
    }

    fn output(rules: &Rules, work: impl FnOnce(&mut Shape, &mut Rows<'_>)) -> Output {
        let mut output = Output::default();
        Worker::new().with_rows(rules, &mut output, |shape, _, rows| work(shape, rows));
        output
    }

    /// Checks that every way to read a window gives what the plain way gives for each line.
    fn check(window: &[u8]) {
        let refused = OnFinding::Refuse("{column} is refused".to_owned());
        for (form, policy) in [
            (CanonicalForm::Compatible, OnFinding::Allow),
            (CanonicalForm::Compatible, refused),
            (CanonicalForm::Escaped, OnFinding::Allow),
        ] {
            let rules = rules(form, policy);
            let expected = output(&rules, |_, rows| {
                lines_of(window).for_each(|line| plain(&line, rows));
            });
            let check = |found: &Output| {
                assert_eq!(
                    String::from_utf8_lossy(&found.rows),
                    String::from_utf8_lossy(&expected.rows)
                );
                assert_eq!(found.rows, expected.rows);
                assert_eq!(found.rejects, expected.rejects);
                assert_eq!(found.counts, expected.counts);
            };
            check(&output(&rules, |shape, rows| {
                with(Words, window, shape, rows)
            }));
            check(&output(&rules, |shape, rows| {
                transform(window, shape, rows)
            }));
        }
    }

    const STRING: &str = "[a-z|\\\\N]{0,3}";

    fn blanks() -> impl Strategy<Value = &'static str> {
        prop_oneof![20 => Just(""), 1 => prop::sample::select(vec![" ", "\t", "\r", "  \t "])]
    }

    /// The JSON of a string: its characters as they are, escaped, or escaped in the wrong way.
    fn string() -> impl Strategy<Value = String> {
        let character = prop_oneof![
            12 => "[a-z각😀|/]",
            2 => Just(r"\\N".to_owned()),
            2 => r#"\\["\\/bfnrt]"#,
            2 => r"\\u[0-9a-fA-F]{4}",
            2 => r"\\u[dD][89a-fA-F][0-9a-f]{2}",
            1 => r"\\ud83d\\ude0[0-9]",
        ];
        prop_oneof![
            6 => prop::collection::vec(character, 0..5).prop_map(|parts| parts.concat()),
            2 => STRING,
            1 => "[a-z]{20,70}",
            1 => "[ -~]{0,3}|[\\x00-\\x1f\"\\\\a]{0,2}",
        ]
        .prop_map(|text| format!("\"{text}\""))
    }

    fn value() -> impl Strategy<Value = String> {
        prop_oneof![
            8 => string(),
            2 => "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?",
            1 => "[-+]?[0-9.eE]{0,6}",
            2 => "null|true|false|nul|True|NaN",
            1 => Just("[1, {\"a\": [\"}\"]}]".to_owned()),
            1 => Just("{}".to_owned()),
            1 => "[\\[{\\]}\",:]{0,4}",
        ]
    }

    fn name() -> impl Strategy<Value = String> {
        prop_oneof![
            12 => prop::sample::select(vec!["a", "b", "ccc", "각", "row_hash", "other", "aa", ""])
                .prop_map(|name| format!("\"{name}\"")),
            1 => prop::sample::select(vec![r#""\u0061""#, r#""row\u005fhash""#, r#""\ud800""#])
                .prop_map(str::to_owned),
            1 => string(),
        ]
    }

    fn object() -> impl Strategy<Value = String> {
        let field = (blanks(), name(), blanks(), blanks(), value(), blanks());
        let fields = prop::collection::vec(field, 0..7);
        (fields, blanks(), blanks()).prop_map(|(fields, before, after)| {
            let fields: Vec<String> = fields
                .into_iter()
                .map(|(one, name, two, three, value, four)| {
                    format!("{one}{name}{two}:{three}{value}{four}")
                })
                .collect();
            format!("{before}{{{}}}{after}", fields.join(","))
        })
    }

    /// Objects of one shape, as a program writes them.
    fn alike() -> impl Strategy<Value = Vec<String>> {
        let names = prop::collection::vec(name(), 1..6);
        names.prop_flat_map(|names| {
            let values = prop::collection::vec(prop::option::weighted(0.9, value()), names.len());
            prop::collection::vec(values, 1..6).prop_map(move |lines| {
                let line = |values: Vec<Option<String>>| {
                    let fields: Vec<String> = names
                        .iter()
                        .zip(values)
                        .filter_map(|(name, value)| value.map(|value| format!("{name}:{value}")))
                        .collect();
                    format!("{{{}}}", fields.join(","))
                };
                lines.into_iter().map(line).collect()
            })
        })
    }

    fn window() -> impl Strategy<Value = Vec<u8>> {
        let lines = prop_oneof![prop::collection::vec(object(), 0..5), alike()];
        let end = prop::sample::select(vec!["\n", "\n", "\r\n", "\n\n", " \n\t\n", ""]);
        let padding = prop_oneof![3 => Just(0), 1 => 0..60_usize];
        (lines, end, padding).prop_map(|(lines, end, padding)| {
            let mut window = lines.join("\n") + end;
            // What follows is read together with the last bytes of a line, and must not matter.
            window += &"x".repeat(padding);
            window.into_bytes()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn the_fast_way_gives_what_the_plain_one_gives(window in window()) {
            check(&window);
        }

        #[test]
        fn it_does_so_for_damaged_lines(
            window in window(),
            damages in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..4),
        ) {
            let mut window = window;
            for (place, byte, kind) in damages {
                if window.is_empty() {
                    continue;
                }
                let place = place.index(window.len());
                match kind {
                    0 => window[place] = byte,
                    1 => window.insert(place, byte),
                    _ => { window.remove(place); }
                }
            }
            check(&window);
        }
    }

    #[test]
    fn cases_that_are_hard_to_come_by() {
        let long = "1".repeat(1_001);
        for line in [
            "",
            "{",
            "{}",
            "{}x",
            "{ }\r",
            "{,}",
            ",\"a\":1}",
            "{\"a\":1,\"b\":2}\n,\"b\":2}",
            "{\"a\"}",
            "{\"a\":1,}",
            "{\"a\":1}}",
            "{\"a\":1} {\"a\":2}",
            "{\"a\":1\u{a0}}",
            "{\"a\":-}",
            "{\"a\":-0}",
            "{\"a\":01}",
            "{\"a\":1.}",
            "{\"a\":1e}",
            "{\"a\":1e+}",
            "{\"a\":1e-999999}",
            "{\"a\":0.10,\"b\":1E2,\"ccc\":-0.0}",
            "{\"a\":\"\\ud83d\\ude00\\ud83d\"}",
            "{\"a\":\"\\ud83d\\u12\"}",
            "{\"a\":\"\\ud83d\\ud83d\\ude00\"}",
            "{\"a\":\"\\ude00\\ud83d\"}",
            "{\"a\":\"\\u00\u{ac01}\"}",
            "{\"other\":[1,\n2]}",
            "{\"other\":{\"a\":1},\"a\":2}",
            "{\"row_hash\":1,\"a\":2,\"row_hash\":3}",
            "{\"row_hash\":[{}],\"a\":2}",
            "{\"a\":1,\"a\":[],\"a\":2}",
            "\u{feff}{\"a\":1}",
            "{\"a\":\"x|y\",\"b\":\"\\\\N\"}",
            &format!("{{\"a\":{long}}}"),
            &format!("{{\"other\":{}{}}}", "[".repeat(140), "]".repeat(140)),
        ] {
            check(line.as_bytes());
            check(format!("{line}\n{line}\n").as_bytes());
            check(format!("{{\"a\":1}}\n{line}\n{{\"a\":1}}").as_bytes());
        }
        check(b"{\"a\":\"\xff\"}\n{\"a\":1}\n");
        check(b"{\"a\":\"x\"}\xea\xb0");
    }
}
