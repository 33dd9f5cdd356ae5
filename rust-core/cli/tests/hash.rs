//! `rowhash hash` on contents of many windows, in every format, run as a user runs it.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use rowhash_core::md5;
use serde_json::Value;
use tempfile::TempDir;

fn hash(columns: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rowhash"));
    command.args(["hash", "--columns", columns]);
    command
}

/// What came of a run.
#[derive(Debug, PartialEq, Eq)]
struct Done {
    status: Option<i32>,
    output: String,
    errors: String,
}

fn run(command: &mut Command) -> Done {
    let output = command.stdin(Stdio::null()).output().unwrap();
    Done {
        status: output.status.code(),
        output: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A folder with one file to read.
fn file(content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows");
    fs::write(&file, content).unwrap();
    (folder, file)
}

/// Runs on a file: what came of it, with the file's name taken out of the errors.
fn run_on(content: impl AsRef<[u8]>, columns: &str, arguments: &[&str]) -> Done {
    let (_folder, file) = file(content);
    let mut done = run(hash(columns).args(arguments).arg(&file));
    done.errors = done.errors.replace(file.to_str().unwrap(), "rows");
    done
}

/// NDJSON of many windows, what is to come of it, and the line numbers of its bad rows.
fn many_windows() -> (String, String, Vec<usize>) {
    let mut content = "\u{feff}".to_owned();
    let mut expected = content.clone();
    let mut bad = Vec::new();
    for number in 1..=60_000 {
        let text = match number % 5_000 {
            7 => "x".repeat(300_000), // longer than a window
            _ => format!("{number} 한 {}", "y".repeat(number % 90)),
        };
        let end = match number % 3 {
            _ if number == 60_000 => "",
            0 => "\r\n",
            _ => "\n",
        };
        if number % 997 == 3 {
            writeln!(content, "no row {number}").unwrap();
            bad.push(number);
            continue;
        }
        if number % 1_009 == 5 {
            write!(content, " {end}").unwrap();
            write!(expected, " {end}").unwrap();
            continue;
        }
        let hash = md5(text.as_bytes());
        write!(content, "{{\"z\":{number},\"a\":\"{text}\"}}{end}").unwrap();
        write!(
            expected,
            "{{\"z\":{number},\"a\":\"{text}\",\"row_hash\":\"{hash}\"}}{end}"
        )
        .unwrap();
    }
    (content, expected, bad)
}

#[test]
fn any_number_of_threads_gives_the_same_bytes_in_their_order() {
    let (content, expected, bad) = many_windows();
    assert!(content.len() > 20 * (1 << 18) / 2, "{}", content.len());
    let one = run_on(&content, "a", &["--threads", "1"]);
    assert!(one.output == expected);
    assert_eq!(one.status, Some(1));
    let lines: Vec<&str> = one.errors.lines().collect();
    for (line, number) in lines.iter().zip(&bad) {
        assert!(line.starts_with(&format!("rows:{number}: ")), "{line}");
    }
    assert_eq!(lines.len(), bad.len() + 1);
    for threads in ["2", "8"] {
        assert!(run_on(&content, "a", &["--threads", threads]) == one);
    }
    // A pipe comes in other parts than a file.
    let (_folder, file) = file(&content);
    let mut cat = Command::new("cat")
        .arg(file)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let piped = hash("a")
        .stdin(cat.stdout.take().unwrap())
        .output()
        .unwrap();
    cat.wait().unwrap();
    assert!(piped.stdout == expected.as_bytes());
}

#[test]
fn quoted_line_breaks_may_stand_anywhere_in_delimited_text() {
    let mut content = "id,\"text\"\r\n".to_owned();
    let mut expected = "id,\"text\",row_hash\r\n".to_owned();
    let mut bad = Vec::new();
    let mut line = 2;
    for number in 0..20_000 {
        // The lines of one text are longer than a window now and then.
        let part = match number % 4_000 {
            9 => "\n".repeat(300_000),
            _ => format!("\n{}\r\n", "\"\",".repeat(number % 50)),
        };
        let record = match number % 1_999 {
            4 => format!("\"{number}\"x,{number}"),
            _ => format!("{number},\"a{part}\""),
        };
        writeln!(content, "{record}").unwrap();
        if number % 1_999 == 4 {
            bad.push(line);
            line += 1;
            continue;
        }
        line += 1 + part.matches('\n').count();
        let hash = md5(format!("{number}|a{}", part.replace("\"\"", "\"")).as_bytes());
        writeln!(expected, "{record},{hash}").unwrap();
    }
    let arguments = |threads| ["--format", "delimited", "--threads", threads];
    let one = run_on(&content, "id,text", &arguments("1"));
    assert!(one.output == expected);
    let lines: Vec<&str> = one.errors.lines().collect();
    for (line, number) in lines.iter().zip(&bad) {
        assert!(line.starts_with(&format!("rows:{number}: ")), "{line}");
    }
    assert_eq!(lines.len(), bad.len() + 1);
    assert!(run_on(&content, "id,text", &arguments("8")) == one);
}

#[test]
fn delimited_text_is_read_and_written_as_the_options_say() {
    let hashes = [md5(b"1|x"), md5(br"2|\N")];
    let done = run_on(
        "1\tx\n2\t\n",
        "id,text",
        &[
            "--format",
            "delimited",
            "--delimiter",
            r"\t",
            "--header",
            "id, text",
            "--quoting",
            "none",
        ],
    );
    let expected = format!("1\tx\t{}\n2\t\t{}\n", hashes[0], hashes[1]);
    assert_eq!((done.status, done.output), (Some(0), expected));

    let to_ndjson = ["--format", "delimited", "--output", "ndjson"];
    let done = run_on("text,id\nx,1\n,2\n", "id,text", &to_ndjson);
    let expected = format!(
        "{{\"text\":\"x\",\"id\":\"1\",\"row_hash\":\"{}\"}}\n\
         {{\"text\":\"\",\"id\":\"2\",\"row_hash\":\"{}\"}}\n",
        hashes[0], hashes[1]
    );
    assert_eq!(
        (done.status, done.output.as_str()),
        (Some(0), expected.as_str())
    );

    let nulls = [to_ndjson.as_slice(), &["--empty-values", "null"]].concat();
    let done = run_on("text,id\nx,1\n,2\n", "id,text", &nulls);
    assert_eq!(done.output, expected.replace("\"\"", "null"));
    let but_keys = [nulls.as_slice(), &["--key-columns", "text"]].concat();
    let done = run_on("text,id\nx,1\n,2\n", "id,text", &but_keys);
    assert_eq!(done.output, expected);
}

#[test]
fn lines_are_taken_apart_by_a_pattern() {
    let done = run_on(
        "1: x\nno number\n",
        "id,text",
        &[
            "--format",
            "pattern",
            "--pattern",
            r"^(?<id>\d+): (?<text>.*)$",
        ],
    );
    let expected = format!(
        "{{\"id\":\"1\",\"text\":\"x\",\"row_hash\":\"{}\"}}\n",
        md5(b"1|x")
    );
    assert_eq!((done.status, done.output), (Some(1), expected));
    assert_eq!(
        done.errors,
        "rows:2: the line does not match the pattern\nrows: 1 of 2 rows refused and left out\n"
    );
}

#[test]
fn options_that_do_not_fit_are_refused_before_anything_is_read() {
    let delimited = ["--format", "delimited"];
    for (arguments, message) in [
        (
            vec!["--delimiter", ";"],
            "--delimiter has no effect without --format delimited",
        ),
        (
            vec!["--pattern", "x"],
            "--pattern has no effect without --format pattern",
        ),
        (vec!["--format", "pattern"], "--pattern <REGEX>"),
        (
            vec!["--format", "pattern", "--pattern", "("],
            "the pattern cannot be used",
        ),
        (
            vec!["--format", "pattern", "--pattern", "x"],
            "the pattern has no group named 'a'",
        ),
        (
            [delimited.as_slice(), &["--delimiter", "||"]].concat(),
            "'||' is no delimiter",
        ),
        (
            [delimited.as_slice(), &["--empty-values", "null"]].concat(),
            "without --output ndjson",
        ),
        (
            [
                delimited.as_slice(),
                &["--output", "ndjson", "--key-columns", "a"],
            ]
            .concat(),
            "without --empty-values null",
        ),
        (
            [delimited.as_slice(), &["--header", "b,c"]].concat(),
            "no column 'a'",
        ),
        (vec!["--max-line-length", "0"], "a limit of 0 bytes"),
        (vec!["--threads", "0"], "--threads"),
    ] {
        let done = run(hash("a").args(&arguments).arg("/nonexistent/rows"));
        assert_eq!(
            (done.status, done.output.as_str()),
            (Some(2), ""),
            "{arguments:?}"
        );
        assert!(
            done.errors.contains(message),
            "{arguments:?}: {}",
            done.errors
        );
    }
}

#[test]
fn a_header_that_cannot_be_used_is_named_with_its_file() {
    let done = run_on("b,c\n1,2\n", "a", &["--format", "delimited"]);
    assert_eq!((done.status, done.output.as_str()), (Some(2), ""));
    assert!(
        done.errors
            .starts_with("rowhash: rows: the header has no column 'a'"),
        "{}",
        done.errors
    );
}

#[test]
fn rejects_go_to_a_file_as_the_load_log_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    let rejects = folder.path().join("rejects.ndjson");
    let rejects = rejects.to_str().unwrap();
    let good = "{\"a\":\"x\"}\n".repeat(60_000);
    let content = format!("{good}\nbad\n{good}{{}}");
    let done = run_on(content, "a", &["--rejects", rejects, "--threads", "4"]);
    assert_eq!(done.status, Some(1));
    assert_eq!(done.output.lines().count(), 120_001);
    assert_eq!(
        done.errors,
        format!("rows: 2 of 120002 rows refused and left out: they are in {rejects}\n")
    );
    let rejects: Vec<Value> = fs::read_to_string(rejects)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let places: Vec<_> = rejects
        .iter()
        .map(|reject| {
            let number = |name: &str| reject[name].as_u64().unwrap();
            let content = reject["line_content"].as_str().unwrap();
            (number("row_index"), number("line_number"), content)
        })
        .collect();
    assert_eq!(places, [(60_001, 60_002, "bad"), (120_002, 120_003, "{}")]);
    let message = rejects[0]["error_message"].as_str().unwrap();
    assert!(message.starts_with("not a JSON object"), "{message}");
}

#[test]
fn rejects_never_overwrite_what_is_read() {
    let content = "{\"a\":\"x\"}\n";
    let (folder, file) = file(content);
    let other_name = folder.path().join(".").join("rows");
    let done = run(hash("a").arg("--rejects").arg(other_name).arg(&file));
    assert_eq!(done.status, Some(2));
    assert!(
        done.errors.contains("is the file to read"),
        "{}",
        done.errors
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), content);

    let done = run(hash("a")
        .args(["--rejects", "/nonexistent/rejects"])
        .arg(&file));
    assert_eq!((done.status, done.output.as_str()), (Some(2), ""));
    assert!(
        done.errors.contains("--rejects: /nonexistent/rejects: "),
        "{}",
        done.errors
    );
}

#[test]
fn a_file_that_cannot_be_read_to_its_end_is_no_success() {
    let done = run(hash("a").arg("/"));
    assert_eq!((done.status, done.output.as_str()), (Some(2), ""));
    assert!(done.errors.starts_with("rowhash: /: "), "{}", done.errors);
}

/// Starts a run between two pipes.
fn start(arguments: &[&str]) -> Child {
    hash("a")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_row_comes_out_as_soon_as_it_came_in() {
    let mut child = start(&[]);
    let mut input = child.stdin.take().unwrap();
    let mut output = child.stdout.take().unwrap();
    let hashed = format!("{{\"a\":\"x\",\"row_hash\":\"{}\"}}\n", md5(b"x"));
    for _ in 0..3 {
        input.write_all(b"{\"a\":\"x\"}\n").unwrap();
        let mut line = vec![0; hashed.len()];
        output.read_exact(&mut line).unwrap();
        assert_eq!(line, hashed.as_bytes());
    }
    // The reader goes while the writer is silent: the next row ends the run.
    drop(output);
    input.write_all(b"{\"a\":\"x\"}\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A whole stream through a run, and what the run had in memory at most.
#[cfg(target_os = "linux")]
fn peak_megabytes(arguments: &[&str], parts: impl IntoIterator<Item = Vec<u8>>) -> u64 {
    let mut child = start(arguments);
    let mut output = child.stdout.take().unwrap();
    let mut errors = child.stderr.take().unwrap();
    let readers = [
        thread::spawn(move || io::copy(&mut output, &mut io::sink())),
        thread::spawn(move || io::copy(&mut errors, &mut io::sink())),
    ];
    let mut input = child.stdin.take().unwrap();
    for part in parts {
        input.write_all(&part).unwrap();
    }
    // It still waits for more.
    let status = fs::read_to_string(
        Path::new("/proc")
            .join(child.id().to_string())
            .join("status"),
    );
    let status = status.unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"))
        .unwrap();
    let peak = peak.trim().parse::<u64>().unwrap() / 1_024;
    drop(input);
    for reader in readers {
        reader.join().unwrap().unwrap();
    }
    child.wait().unwrap();
    peak
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_content() {
    let row = |length| format!("{{\"a\":\"{}\",\"b\":[1]}}\n", "x".repeat(length)).into_bytes();
    let rows = row(300).repeat(3_000);
    // Lines of every kind: usual, the longest allowed, and one of 100 MB.
    let parts = (0..300)
        .map(|_| rows.clone())
        .chain((0..20).map(|_| row((1 << 20) - 20)))
        .chain((0..100).map(|_| vec![b'x'; 1 << 20]));
    let peak = peak_megabytes(&["--threads", "8"], parts);
    assert!(peak < 100, "{peak} MB");
}

#[test]
fn verify_finds_the_one_row_in_many_windows_that_differs() {
    let (content, expected, bad) = many_windows();
    let verify = |columns: &str, arguments: &[&str], content: &str| {
        let (_folder, file) = file(content);
        let mut command = Command::new(env!("CARGO_BIN_EXE_rowhash"));
        command.args(["verify", "--columns", columns]);
        let done = run(command.args(arguments).arg(&file));
        let name = file.to_str().unwrap();
        (done.status, done.output.replace(name, "rows"))
    };
    let rows = expected.matches("row_hash").count();
    let all = format!(
        "rows: {rows} rows: {rows} equal, 0 different, 0 refused (0 ambiguous, 0 without values)\n"
    );
    assert_eq!(verify("a", &[], &expected), (Some(0), all));

    let (status, output) = verify("a", &["--show", "1"], &content);
    assert_eq!(status, Some(1));
    assert!(output.starts_with("rows:1: row_hash is different\n  stored     (absent)\n"));
    let refused = bad.len();
    let none = format!(
        "rows: {} rows: 0 equal, {rows} different, {refused} refused (0 ambiguous, 0 without values)\n",
        rows + refused
    );
    assert!(output.ends_with(&none), "{output}");

    let right = format!("x,\"\n\",{}\n", md5(b"\n|x"));
    let wrong = format!("y,\"\n\",{}\n", md5(b"\n|x"));
    let rows = format!("b,a,row_hash\n{}{wrong}{right}", right.repeat(20_000));
    let (status, output) = verify("b,a", &["--format", "delimited"], &rows);
    assert_eq!(status, Some(1));
    assert_eq!(
        output,
        format!(
            "rows:40002: row_hash is different\n  stored     {}\n  computed   {}\n  \
             canonical  \\n|y\n\
             rows: 20002 rows: 20001 equal, 1 different, 0 refused (0 ambiguous, 0 without values)\n",
            md5(b"\n|x"),
            md5(b"\n|y")
        )
    );
}
