//! Whole contents: one row has one hash in every mode, and where a content is cut does not matter.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use rowhash_core::content::{
    Counts, Delimited, DelimitedOutput, Delimiter, Difference, EmptyValues, Format, Header, Intake,
    NamesError, OnFinding, Output, Pattern, Quoting, Rules, RulesError, Session, Splitter, Worker,
};
use rowhash_core::{CanonicalForm, Columns};
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// What became of a content.
#[derive(Debug, Default, PartialEq, Eq)]
struct Done {
    rows: Vec<u8>,
    rejects: Vec<u8>,
    counts: Counts,
}

impl Done {
    fn rows(&self) -> &str {
        std::str::from_utf8(&self.rows).unwrap()
    }

    /// The rejects, as row_index, line_number, error_message and line_content.
    fn rejects(&self) -> Vec<(u64, u64, String, Option<String>)> {
        let lines = std::str::from_utf8(&self.rejects).unwrap().lines();
        lines
            .map(|line| {
                let Json::Object(reject) = serde_json::from_str(line).unwrap() else {
                    panic!("{line}");
                };
                assert_eq!(reject.len(), 4);
                (
                    reject["row_index"].as_u64().unwrap(),
                    reject["line_number"].as_u64().unwrap(),
                    reject["error_message"].as_str().unwrap().to_owned(),
                    reject["line_content"].as_str().map(str::to_owned),
                )
            })
            .collect()
    }
}

/// A content through a session, in these parts.
fn parts<'p>(rules: &Rules, parts: impl IntoIterator<Item = &'p [u8]>) -> Result<Done, NamesError> {
    let mut session = Session::new(&Arc::new(rules.clone()));
    let mut done = Done::default();
    for part in parts {
        session.room(part.len()).unwrap()[..part.len()].copy_from_slice(part);
        session.process(part.len())?;
        done.rows.extend_from_slice(session.rows());
        done.rejects.extend_from_slice(session.rejects());
    }
    session.finish()?;
    done.rows.extend_from_slice(session.rows());
    done.rejects.extend_from_slice(session.rejects());
    done.counts = session.counts();
    Ok(done)
}

fn whole(rules: &Rules, content: &[u8]) -> Result<Done, NamesError> {
    parts(rules, [content])
}

fn ndjson(columns: &str) -> Rules {
    let columns = Columns::parse(columns, "row_hash").unwrap();
    Rules::new(columns, CanonicalForm::Compatible)
}

fn delimited(delimiter: &str) -> Delimited {
    Delimited {
        delimiter: Delimiter::parse(delimiter).unwrap(),
        quoting: Quoting::Rfc4180,
        header: Header::FirstRecord,
        output: DelimitedOutput::Ndjson(EmptyValues::Text),
    }
}

fn text() -> DelimitedOutput {
    DelimitedOutput::Delimited
}

fn as_delimited(rules: Rules, format: Delimited) -> Rules {
    rules.with_format(Format::Delimited(format)).unwrap()
}

fn by_pattern(rules: Rules, pattern: &str) -> Rules {
    let pattern = Pattern::new(pattern, EmptyValues::Text).unwrap();
    rules.with_format(Format::Pattern(pattern)).unwrap()
}

fn md5(text: &str) -> String {
    rowhash_core::md5(text.as_bytes()).to_string()
}

#[derive(Deserialize)]
struct Vectors {
    form: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    columns: Vec<String>,
    row: serde_json::Map<String, Json>,
    row_hash: String,
}

impl Case {
    /// The values of the columns in UTF-16, in the order of the case.
    fn values(&self) -> Vec<Vec<u16>> {
        let value = |name: &String| match self.row.get(name) {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::String(text)) => text.encode_utf16().collect(),
            Some(other) => serde_json::from_value(other["utf16"].clone()).unwrap(),
        };
        self.columns.iter().map(value).collect()
    }

    /// The values as texts; none where one is no text.
    fn texts(&self) -> Option<Vec<String>> {
        let texts = self.values().into_iter();
        texts.map(|units| String::from_utf16(&units).ok()).collect()
    }

    fn rules(&self, form: CanonicalForm) -> Rules {
        let columns = Columns::new(self.columns.clone(), "row_hash").unwrap();
        Rules::new(columns, form)
    }

    /// Checks that the one row of a content has the hash of the case.
    fn check(&self, rules: &Rules, content: &str) {
        let done = whole(rules, content.as_bytes()).unwrap();
        let rows = done.rows();
        assert_eq!(done.counts.rows, 1, "{}: {content:?}", self.name);
        assert!(
            rows.contains(&self.row_hash),
            "{}: {content:?} gave {rows:?}",
            self.name
        );
    }
}

fn cases() -> Vec<(CanonicalForm, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    let cases: Vec<_> = ["row_hash.json", "pitfalls.json", "escaped.json"]
        .into_iter()
        .flat_map(|file| {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            let vectors: Vectors = serde_json::from_str(&text).unwrap();
            let form = vectors.form.parse().unwrap();
            vectors.cases.into_iter().map(move |case| (form, case))
        })
        .collect();
    assert!(cases.len() >= 159, "cases have been lost");
    cases
}

#[test]
fn every_case_has_its_hash_as_ndjson() {
    for (form, case) in cases() {
        let escaped = |units: Vec<u16>| -> String {
            units.iter().map(|unit| format!("\\u{unit:04x}")).collect()
        };
        let escaped: Vec<String> = case
            .columns
            .iter()
            .zip(case.values())
            .map(|(name, units)| format!("{}:\"{}\"", json!(name), escaped(units)))
            .collect();
        case.check(&case.rules(form), &format!("{{{}}}", escaped.join(",")));
        // As a program writes it: nulls and absent values too.
        if case.texts().is_some() {
            case.check(&case.rules(form), &json!(case.row).to_string());
        }
    }
}

#[test]
fn every_case_but_half_surrogate_pairs_has_its_hash_as_delimited_text() {
    let mut left_out = Vec::new();
    for (form, case) in cases() {
        let Some(texts) = case.texts() else {
            left_out.push(case.name);
            continue;
        };
        let quoted = |texts: &[String]| {
            let cells = texts.iter().map(|text| text.replace('"', "\"\""));
            cells
                .map(|cell| format!("\"{cell}\""))
                .collect::<Vec<_>>()
                .join(",")
                + "\r\n"
        };
        let content = quoted(&case.columns) + &quoted(&texts);
        for output in [text(), delimited(",").output] {
            let format = Delimited {
                output,
                ..delimited(",")
            };
            case.check(&as_delimited(case.rules(form), format), &content);
        }
    }
    assert_eq!(left_out, HALF_PAIRS);
}

/// A character that neither the names nor the values hold.
fn delimiter(names: &[String], texts: &[String]) -> char {
    let held = names.concat() + &texts.concat();
    let characters = (' '..='~').filter(|character| !character.is_ascii_alphanumeric());
    characters
        .into_iter()
        .find(|other| !held.contains(*other))
        .unwrap()
}

/// The texts as one line; none where that is no row of them.
fn line(texts: &[String], delimiter: char) -> Option<String> {
    let line = texts.join(&delimiter.to_string());
    // A line break ends the row, a carriage return before it is part of the line end, and an empty
    // line is no row.
    let is_row = !line.contains('\n') && !line.ends_with('\r') && !line.is_empty();
    is_row.then_some(line)
}

#[test]
fn every_case_that_fits_a_line_has_its_hash_without_quoting() {
    let mut left_out = Vec::new();
    for (form, case) in cases() {
        let texts = case.texts().unwrap_or_default();
        let delimiter = delimiter(&case.columns, &texts);
        let (Some(header), Some(row)) = (line(&case.columns, delimiter), line(&texts, delimiter))
        else {
            left_out.push(case.name);
            continue;
        };
        for output in [text(), delimited(",").output] {
            let format = Delimited {
                quoting: Quoting::None,
                output,
                ..delimited(&delimiter.to_string())
            };
            case.check(
                &as_delimited(case.rules(form), format),
                &format!("{header}\n{row}\r\n"),
            );
        }
    }
    let mut expected = [HALF_PAIRS, NO_LINES].concat();
    expected.sort_unstable();
    left_out.sort_unstable();
    assert_eq!(left_out, expected);
}

#[test]
fn every_case_that_fits_a_line_has_its_hash_by_a_pattern() {
    let mut left_out = Vec::new();
    for (form, case) in cases() {
        let texts = case.texts().unwrap_or_default();
        let delimiter = delimiter(&case.columns, &texts);
        let escaped = format!("\\x{:02x}", u32::from(delimiter));
        let groups: Vec<String> = case
            .columns
            .iter()
            .map(|name| format!("(?<{name}>[^{escaped}]*)"))
            .collect();
        let pattern = Pattern::new(&format!("^{}$", groups.join(&escaped)), EmptyValues::Text);
        let (Ok(pattern), Some(row)) = (pattern, line(&texts, delimiter)) else {
            left_out.push(case.name);
            continue;
        };
        let rules = case
            .rules(form)
            .with_format(Format::Pattern(pattern))
            .unwrap();
        // Not as the first line, where a byte order mark is none of its values.
        case.check(&rules, &format!("\n{row}\n"));
    }
    let mut expected = [HALF_PAIRS, NO_LINES, NO_GROUPS].concat();
    expected.sort_unstable();
    left_out.sort_unstable();
    assert_eq!(left_out, expected);
}

/// No file in UTF-8 holds half a surrogate pair; only the escapes of JSON do.
const HALF_PAIRS: &[&str] = &[
    "lone_high",
    "lone_low",
    "reversed_pair",
    "two_highs",
    "two_lows",
    "high_then_pair",
    "pair_then_low",
    "high_at_end",
    "low_at_start",
    "high_then_letter",
    "pair_over_two_columns",
    "surrogate_edges",
    "lone_surrogates",
];

/// A line break in a value, a carriage return at its end, or no character in the whole row.
const NO_LINES: &[&str] = &[
    "call_markdown",
    "call_pipe_and_newline",
    "control_characters",
    "cr_at_end",
    "crlf_inside",
    "lf_at_end",
    "newline",
    "newline_tab",
    "null",
    "one_column_null",
    "only_crlf",
    "only_newline",
];

/// A name that no group can have.
const NO_GROUPS: &[&str] = &[
    "names_composed_and_not",
    "names_one_inside_another",
    "names_over_the_surrogates",
    "names_sorted",
    "names_with_blank_inside",
    "names_with_marks",
    "names_with_marks",
    "sort_code_points",
];

#[derive(Deserialize)]
struct TypedValue {
    r#type: String,
    value: Json,
    text: Option<String>,
}

#[test]
fn every_number_and_boolean_of_json_has_its_text() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/typed_values.json");
    let cases: Vec<TypedValue> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let mut count = 0;
    for case in &cases {
        let literal = match case.r#type.as_str() {
            "json_number" => case.value.as_str().unwrap().to_owned(),
            "boolean" => case.value.to_string(),
            _ => continue,
        };
        count += 1;
        let done = whole(&ndjson("a"), format!("{{\"a\":{literal}}}").as_bytes()).unwrap();
        match &case.text {
            None => assert_eq!(done.counts.rejected, 1, "{literal}"),
            Some(text) => assert!(done.rows().contains(&md5(text)), "{literal}"),
        }
    }
    assert!(count >= 20, "typed_values.json has lost cases");
}

#[test]
fn everything_but_the_hash_stays_as_it_is() {
    let content = "\u{feff}{\"a\":1}\r\n \t\n{ \"a\" : 1 , \"z\" : [ {} ] }\r\n{\"a\":1}";
    let hash = md5("1");
    assert_eq!(
        whole(&ndjson("a"), content.as_bytes()).unwrap().rows(),
        format!(
            "\u{feff}{{\"a\":1,\"row_hash\":\"{hash}\"}}\r\n \t\n\
             {{ \"a\" : 1 , \"z\" : [ {{}} ] ,\"row_hash\":\"{hash}\"}}\r\n\
             {{\"a\":1,\"row_hash\":\"{hash}\"}}"
        )
    );
}

#[test]
fn bad_lines_are_set_aside_with_their_place_reason_and_text() {
    let content = b"{\"a\":1}\n\n{\"a\":\"\x01\"}\r\n{\"a\":1}\n{\"a\":\"\xff\"}\n{\"a\":{}}\n[1]\n{\"a\":1} x\n{\"b\":";
    let done = whole(&ndjson("a"), content).unwrap();
    let reject = |row, line, message: &str, content: Option<&str>| {
        (row, line, message.to_owned(), content.map(str::to_owned))
    };
    assert_eq!(
        done.rejects(),
        [
            reject(
                2,
                3,
                "not a JSON object: control character (\\u0000-\\u001F) found while parsing a string at column 6",
                Some("{\"a\":\"\u{1}\"}")
            ),
            reject(4, 5, "the line is not UTF-8 at column 7", None),
            reject(
                5,
                6,
                "column 'a': arrays, maps and records cannot be hashed",
                Some("{\"a\":{}}")
            ),
            reject(
                6,
                7,
                "not a JSON object: invalid type: sequence, expected a JSON object at column 0",
                Some("[1]")
            ),
            reject(
                7,
                8,
                "not a JSON object: trailing characters at column 9",
                Some("{\"a\":1} x")
            ),
            reject(
                8,
                9,
                "not a JSON object: EOF while parsing a value at column 5",
                Some("{\"b\":")
            ),
        ]
    );
    assert_eq!(
        done.counts,
        Counts {
            rows: 2,
            rejected: 6,
            ambiguous: 0,
            without_values: 0,
            lines: 9
        }
    );
}

#[test]
fn rows_that_are_hardly_meant_pass_or_are_refused_and_are_counted() {
    let content = b"{\"a\":\"x|y\",\"b\":1}\n{\"c\":1}\n{\"a\":1,\"b\":\"\\\\N\"}\n{\"a\":1}\n";
    let allowed = whole(&ndjson("a,b"), content).unwrap();
    assert_eq!((allowed.counts.rows, allowed.counts.ambiguous), (4, 2));
    assert_eq!(allowed.counts.without_values, 1);
    let refuse = |message: &str| OnFinding::Refuse(message.to_owned());
    let rules = ndjson("a,b")
        .with_ambiguous_rows(refuse("'{column}' is ambiguous"))
        .with_rows_without_values(refuse("nothing there"));
    let refused = whole(&rules, content).unwrap();
    assert_eq!((refused.counts.rows, refused.counts.ambiguous), (1, 2));
    assert_eq!(refused.counts.without_values, 1);
    let messages: Vec<String> = refused
        .rejects()
        .into_iter()
        .map(|(_, _, message, _)| message)
        .collect();
    assert_eq!(
        messages,
        ["'a' is ambiguous", "nothing there", "'b' is ambiguous"]
    );
    assert!(refused.rows().contains(&md5(r"1|\N")));
}

#[test]
fn delimited_text_keeps_its_bytes_and_gets_a_cell_more() {
    let rules = as_delimited(
        ndjson("b,a"),
        Delimited {
            output: text(),
            ..delimited(",")
        },
    );
    let content = "\u{feff}a,\"b\"\r\n\"x,\"\"y\"\"\",\"\n\"\r\n\r\n,z\n\"q\",";
    let done = whole(&rules, content.as_bytes()).unwrap();
    assert_eq!(
        done.rows(),
        format!(
            "\u{feff}a,\"b\",row_hash\r\n\"x,\"\"y\"\"\",\"\n\",{}\r\n\r\n,z,{}\n\"q\",,{}",
            md5("x,\"y\"|\n"),
            md5(r"\N|z"),
            md5(r"q|\N")
        )
    );
    assert_eq!((done.counts.rows, done.counts.lines), (3, 6));
}

#[test]
fn a_hash_that_delimited_text_holds_is_replaced_and_not_hashed() {
    let content = b"a|row_hash|b\nx|\"o|ld\"|y\nx||y\n";
    let hash = md5("x|y");
    for (output, expected) in [
        (text(), format!("a|row_hash|b\nx|{hash}|y\nx|{hash}|y\n")),
        (
            delimited(",").output,
            format!("{{\"a\":\"x\",\"row_hash\":\"{hash}\",\"b\":\"y\"}}\n").repeat(2),
        ),
    ] {
        let format = Delimited {
            output,
            ..delimited("|")
        };
        let done = whole(&as_delimited(ndjson("a,b"), format), content).unwrap();
        assert_eq!(done.rows(), expected);
    }
}

#[test]
fn cells_become_texts_of_json_and_empty_ones_null_except_in_keys() {
    let format = Delimited {
        output: DelimitedOutput::Ndjson(EmptyValues::null_except("k, row_hash")),
        ..delimited("\\t")
    };
    let done = whole(
        &as_delimited(ndjson("v"), format),
        "k\tv\t\"q\"\"\"\n\t\t\n1\t\"\t\"\t각\\\n".as_bytes(),
    )
    .unwrap();
    assert_eq!(
        done.rows(),
        format!(
            "{{\"k\":\"\",\"v\":null,\"q\\\"\":null,\"row_hash\":\"{}\"}}\n\
             {{\"k\":\"1\",\"v\":\"\\t\",\"q\\\"\":\"각\\\\\",\"row_hash\":\"{}\"}}\n",
            md5(r"\N"),
            md5("\t")
        )
    );
}

#[test]
fn bad_records_are_set_aside_and_the_next_ones_are_read() {
    let content = b"a,b\n1\n1,2,3\n\"1\"x,2\n1,2\n1,\xff\n\"two\nlines\",\"3\"4\n\"1,2\n1,2";
    let done = whole(&as_delimited(ndjson("a,b"), delimited(",")), content).unwrap();
    let rejects: Vec<_> = done
        .rejects()
        .into_iter()
        .map(|(row, line, message, content)| (row, line, message, content.unwrap_or_default()))
        .collect();
    let expected = [
        (1, 2, "the row has 1 cells where the header has 2", "1"),
        (2, 3, "the row has 3 cells where the header has 2", "1,2,3"),
        (
            3,
            4,
            "the closing quote at column 3 is not followed",
            "\"1\"x,2",
        ),
        (5, 6, "the line is not UTF-8 at column 3", ""),
        (
            6,
            7,
            "the closing quote at column 15",
            "\"two\nlines\",\"3\"4",
        ),
        (7, 9, "the quote at column 1 is never closed", "\"1,2\n1,2"),
    ];
    assert_eq!(rejects.len(), expected.len());
    for (found, expected) in rejects.iter().zip(expected) {
        assert_eq!((found.0, found.1), (expected.0, expected.1));
        assert!(found.2.starts_with(expected.2), "{}", found.2);
        assert_eq!(found.3, expected.3);
    }
    assert_eq!((done.counts.rows, done.counts.lines), (1, 10));
}

#[test]
fn without_quoting_a_quote_and_a_lone_carriage_return_are_data() {
    let format = Delimited {
        quoting: Quoting::None,
        header: Header::parse("a, b"),
        ..delimited("\\u0001")
    };
    let done = whole(
        &as_delimited(ndjson("a,b"), format),
        b"\"x\x01y\rz\r\n\x01\"\n",
    )
    .unwrap();
    assert!(done.rows().contains(&md5("\"x|y\rz")));
    assert!(done.rows().contains(&md5("\\N|\"")));
}

#[test]
fn a_header_that_cannot_be_used_refuses_the_whole_content() {
    let rules = |output| {
        as_delimited(
            ndjson("a,b").with_longest_line(60).unwrap(),
            Delimited {
                output,
                ..delimited(",")
            },
        )
    };
    let long = "x".repeat(100);
    for (content, message) in [
        (
            "a,c\n1,2\n",
            "the header has no column 'b', which the hash is made of; it has a, c",
        ),
        ("b,a,b\n", "names column 'b' twice, as columns 1 and 3"),
        ("a,,b\n", "column 2 of the header has no name"),
        ("\n\na,b,\n", "column 3 of the header has no name"),
        (
            "\"a\"x,b\n",
            "the header cannot be read: the closing quote at column 3",
        ),
        (
            "\"a,b\n1,2",
            "the header cannot be read: the quote at column 1 is never closed",
        ),
        (
            &format!("a,b,{long}\n1,2\n"),
            "the header cannot be read: the line has 104 bytes",
        ),
        (
            &format!("a,b,{}\n1,2\n", long.repeat(10_000)),
            "has 1000004 bytes",
        ),
    ] {
        for output in [text(), delimited(",").output] {
            let error = whole(&rules(output), content.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(error.contains(message), "{content:.80}: {error}");
        }
    }
    let error = whole(&rules(text()), b"a,\xff\n").unwrap_err();
    assert!(
        error.to_string().contains("not UTF-8 at column 3"),
        "{error}"
    );
    let keys = DelimitedOutput::Ndjson(EmptyValues::null_except("a,z"));
    let error = whole(&rules(keys), b"a,b\n").unwrap_err();
    assert!(error.to_string().contains("no column 'z'"), "{error}");
}

#[test]
fn a_content_without_rows_is_none_to_complain_of() {
    for rules in [
        ndjson("a"),
        as_delimited(ndjson("a"), delimited(",")),
        by_pattern(ndjson("a"), "(?<a>.)"),
    ] {
        for content in ["", "\u{feff}", "\n", "\r\n\n"] {
            let done = whole(&rules, content.as_bytes()).unwrap();
            assert_eq!((done.counts.rows, done.counts.rejected), (0, 0));
        }
    }
    let format = Delimited {
        output: text(),
        ..delimited(",")
    };
    let done = whole(&as_delimited(ndjson("a"), format), b"a\n").unwrap();
    assert_eq!(done.rows(), "a,row_hash\n");
}

#[test]
fn a_pattern_takes_its_first_match_and_groups_that_took_no_part_are_empty() {
    let done = whole(
        &by_pattern(ndjson("a,b"), r"(?<b>\d+)(-(?<a>\d+))?|(?<c>x)"),
        "\u{feff}--12-34;56\r\n7\nx\n각\n".as_bytes(),
    )
    .unwrap();
    assert_eq!(
        done.rows(),
        format!(
            "{{\"b\":\"12\",\"a\":\"34\",\"c\":\"\",\"row_hash\":\"{}\"}}\n\
             {{\"b\":\"7\",\"a\":\"\",\"c\":\"\",\"row_hash\":\"{}\"}}\n\
             {{\"b\":\"\",\"a\":\"\",\"c\":\"x\",\"row_hash\":\"{}\"}}\n",
            md5("34|12"),
            md5(r"\N|7"),
            md5(r"\N|\N")
        )
    );
    let message = "the line does not match the pattern".to_owned();
    assert_eq!(done.rejects(), [(4, 4, message, Some("각".to_owned()))]);
}

#[test]
fn a_pattern_needs_a_group_for_each_column() {
    let pattern = Pattern::new("(?<b>.)", EmptyValues::Text).unwrap();
    let error = ndjson("a,b")
        .with_format(Format::Pattern(pattern))
        .unwrap_err();
    assert!(matches!(error, RulesError::Group { .. }), "{error}");
}

#[test]
fn longer_lines_than_are_allowed_are_skipped_and_counted() {
    let long = "x".repeat(1_000);
    let rules = ndjson("a").with_longest_line(20).unwrap();
    let content = format!(
        "{{\"a\":\"{long}\"}}\r\n{{\"a\":\"123456789012\"}}\r\n{{\"a\":\"1234567890123\"}}\r\n{{\"a\":1}}\n{long}"
    );
    let quoted = as_delimited(ndjson("a").with_longest_line(20).unwrap(), delimited(","));
    let records = format!("a\n\"{long}\n\n\"\r\n1\n\"12345678\n012345678\"\n\"2");
    // The parts decide whether a long line is seen whole.
    for size in [1, 7, 10_000] {
        let done = parts(&rules, content.as_bytes().chunks(size)).unwrap();
        let rejects: Vec<_> = done
            .rejects()
            .into_iter()
            .map(|(row, line, message, content)| {
                let bytes = message.split(' ').nth(3).unwrap().to_owned();
                (row, line, bytes, content)
            })
            .collect();
        let reject = |row, bytes: &str| (row, row, bytes.to_owned(), None);
        assert_eq!(
            rejects,
            [reject(1, "1008"), reject(3, "21"), reject(5, "1000")],
            "{size}"
        );
        assert_eq!((done.counts.rows, done.counts.lines), (2, 5));

        let done = parts(&quoted, records.as_bytes().chunks(size)).unwrap();
        let places: Vec<_> = done
            .rejects()
            .into_iter()
            .map(|(row, line, message, _)| (row, line, message))
            .collect();
        assert_eq!((places[0].0, places[0].1), (1, 2), "{size}");
        assert!(
            places[0].2.starts_with("the line has 1004 bytes"),
            "{size}: {}",
            places[0].2
        );
        assert_eq!((places[1].0, places[1].1), (4, 8), "{size}");
        assert_eq!(places.len(), 2, "{size}");
        assert_eq!((done.counts.rows, done.counts.lines), (2, 8), "{size}");
    }
}

/// The rows of a content that do not hold their hash, and the counts.
fn compared(rules: &Rules, content: &[u8]) -> (Vec<Difference>, Counts) {
    let mut splitter = Splitter::new(rules);
    let room = splitter.room(content.len()).unwrap();
    room[..content.len()].copy_from_slice(content);
    splitter.filled(content.len());
    splitter.finish();
    let mut intake = Intake::new(Arc::new(rules.clone()));
    let (mut worker, mut output) = (Worker::new(), Output::default());
    let mut differences = Vec::new();
    while let Some(piece) = splitter.next_piece() {
        let window = intake.take(piece, &mut output).unwrap();
        if let Some(plan) = intake.plan() {
            differences.extend(worker.compare(plan, window, &mut output));
        }
    }
    (differences, output.counts)
}

#[test]
fn rows_that_do_not_hold_their_hash_are_found_with_what_they_hold() {
    let x = md5("x");
    let difference = |line, stored: Option<&str>, canonical: &str| Difference {
        line,
        stored: stored.map(str::to_owned),
        computed: rowhash_core::md5(canonical.as_bytes()),
        canonical: canonical.to_owned(),
    };

    let upper = x.to_uppercase();
    let json = [
        format!("{{\"a\":\"x\",\"row_hash\":\"{x}\"}}\r"),
        " ".to_owned(),
        format!("{{\"row_hash\":\"{x}\",\"a\":\"y|z\"}}"),
        "no row".to_owned(),
        "{\"a\":\"x\"}".to_owned(),
        format!("{{\"a\":\"x\",\"row_hash\":\"{upper}\"}}"),
        "{\"a\":\"x\",\"row_hash\":[1]}".to_owned(),
        // The last one counts, and a string may be written in several ways.
        format!(
            "{{\"row_hash\":1,\"a\":\"x\",\"row_hash\":\"\\u0039{}\"}}",
            &x[1..]
        ),
        format!("{{\"a\":\"{}\"}}", "x".repeat(200)),
        "{\"row_hash\":\"\"}".to_owned(),
    ];
    let rules = ndjson("a").with_longest_line(100).unwrap();
    let (differences, counts) = compared(&rules, json.join("\n").as_bytes());
    assert_eq!(
        differences,
        [
            difference(3, Some(&x), "y|z"),
            difference(5, None, "x"),
            difference(6, Some(&upper), "x"),
            difference(7, Some("[1]"), "x"),
            difference(10, Some(""), r"\N"),
        ]
    );
    assert_eq!((counts.rows, counts.rejected, counts.lines), (7, 2, 10));
    let refuse = OnFinding::Refuse("nothing there".to_owned());
    let strict = rules.with_rows_without_values(refuse);
    let (differences, counts) = compared(&strict, json.join("\n").as_bytes());
    assert_eq!((differences.len(), counts.rejected), (4, 3));

    let cells =
        format!("a,row_hash\n\"x\",{x}\n\"\n\",{x}\nx,\"{x}\"\nx\n\"\"\"\",\"\"\"\"\nx,{x}");
    for output in [text(), delimited(",").output] {
        let format = Delimited {
            output,
            ..delimited(",")
        };
        let rules = as_delimited(ndjson("a"), format);
        let (differences, counts) = compared(&rules, cells.as_bytes());
        assert_eq!(
            differences,
            [
                difference(3, Some(&x), "\n"),
                difference(7, Some("\""), "\"")
            ]
        );
        assert_eq!((counts.rows, counts.rejected, counts.lines), (5, 1, 8));
    }
    let (differences, _) = compared(&as_delimited(ndjson("a"), delimited(",")), b"a\nx\n");
    assert_eq!(differences, [difference(2, None, "x")]);

    let lines = format!("x {x}\ny {x}\nno match\n\n");
    let rules = by_pattern(ndjson("a"), "^(?<a>.) (?<row_hash>.*)$");
    let (differences, counts) = compared(&rules, lines.as_bytes());
    assert_eq!(differences, [difference(2, Some(&x), "y")]);
    assert_eq!((counts.rows, counts.rejected), (2, 1));
}

/// All formats, strict and not, with columns of one letter.
fn all_rules() -> Vec<Rules> {
    let rules = || ndjson("a,b").with_longest_line(40).unwrap();
    let mut all = vec![rules(), by_pattern(rules(), r"(?<a>[^,]*),(?<b>[^,]*)")];
    for quoting in [Quoting::Rfc4180, Quoting::None] {
        for header in [Header::FirstRecord, Header::parse("b,a,c")] {
            for output in [text(), delimited(",").output] {
                all.push(as_delimited(
                    rules(),
                    Delimited {
                        quoting,
                        header: header.clone(),
                        output,
                        ..delimited(",")
                    },
                ));
            }
        }
    }
    all
}

fn content() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-c,]{0,4}",
        2 => prop::sample::select(vec!["\"", "\"\"", "\r", "\n", "\r\n", "\u{feff}", "각"])
            .prop_map(str::to_owned),
        2 => Just("a,b,c\n".to_owned()),
        1 => Just("{\"a\":1}\n".to_owned()),
        1 => Just("{\"b\":\"x\",\"a\":\"\\ud83d\\ude00\"}\r\n".to_owned()),
        1 => "[a-c]{30,50}",
    ];
    let start = prop_oneof![
        Just(""),
        Just("\u{feff}"),
        Just("a,b,c\r\n"),
        Just("\u{feff}\"a\",b\n")
    ];
    (start, prop::collection::vec(part, 0..14))
        .prop_map(|(start, parts)| start.to_owned() + &parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn where_a_content_is_cut_does_not_matter(content in content()) {
        let content = content.as_bytes();
        for rules in all_rules() {
            let expected = whole(&rules, content);
            for cut in 1..content.len() {
                let (one, other) = content.split_at(cut);
                prop_assert_eq!(&parts(&rules, [one, other]), &expected);
            }
            for size in 1..4 {
                prop_assert_eq!(&parts(&rules, content.chunks(size)), &expected);
            }
        }
    }
    #[test]
    fn what_was_hashed_holds_its_hashes_and_all_else_does_not(content in content()) {
        let mut all = vec![ndjson("a,b")];
        for quoting in [Quoting::Rfc4180, Quoting::None] {
            let format = Delimited { quoting, output: text(), ..delimited(",") };
            all.push(as_delimited(ndjson("a,b"), format));
        }
        for rules in all {
            let Ok(hashed) = whole(&rules, content.as_bytes()) else {
                continue;
            };
            let (differences, counts) = compared(&rules, content.as_bytes());
            prop_assert_eq!(counts, hashed.counts);
            prop_assert_eq!(differences.len() as u64, counts.rows);
            let (differences, counts) = compared(&rules, &hashed.rows);
            prop_assert_eq!(differences, []);
            prop_assert_eq!(counts.rows, hashed.counts.rows);
        }
    }
}
