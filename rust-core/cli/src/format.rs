//! The options that say how rows are written.

use clap::{Args, ValueEnum};
use rowhash_core::content::{
    Delimited, DelimitedOutput, Delimiter, EmptyValues, Format, Header, LONGEST_LINE, Pattern,
    Quoting, Rules, RulesError,
};

use crate::{Failure, Input};

/// The word of `--header` for names that stand in the input.
const FIRST_LINE: &str = "first-line";

/// How rows are read.
#[derive(Debug, Args)]
pub struct Reading {
    /// How rows are written in the input.
    #[arg(long, value_name = "FORMAT", default_value = "ndjson")]
    format: Name,
    /// Delimited: the character between two cells; \t for a tab, \u0001 and the like for others
    /// [default: ,].
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,
    /// Delimited: whether a cell may stand in quotes [default: rfc4180].
    #[arg(long, value_name = "KIND")]
    quoting: Option<QuotingName>,
    /// Delimited: the names of the cells, separated by commas, or `first-line` where they stand in
    /// the input [default: first-line].
    #[arg(long, value_name = "NAMES")]
    header: Option<String>,
    /// Pattern: a regular expression whose named groups, as in `(?<name>...)`, are the columns.
    #[arg(long, value_name = "REGEX", required_if_eq("format", "pattern"))]
    pattern: Option<String>,
    /// Longer lines are refused, so that one without an end does not fill the memory; in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = LONGEST_LINE)]
    max_line_length: usize,
}

/// How rows are written.
#[derive(Debug, Default, Args)]
pub struct Writing {
    /// Delimited: how the rows are written [default: delimited]. Those of a pattern are always
    /// written as NDJSON.
    #[arg(long, value_name = "FORMAT")]
    output: Option<OutputName>,
    /// Text that becomes NDJSON: what becomes of empty values [default: text].
    #[arg(long, value_name = "WHAT")]
    empty_values: Option<EmptyName>,
    /// With `--empty-values null`: the columns that stay empty texts, separated by commas.
    #[arg(long, value_name = "A,B,C")]
    key_columns: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// One JSON object a line.
    Ndjson,
    /// Cells between delimiters, as in CSV.
    Delimited,
    /// Lines that a regular expression takes apart, as of a log.
    Pattern,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum QuotingName {
    /// As in RFC 4180: with delimiters, line breaks and doubled quotes inside.
    Rfc4180,
    /// A quote is a character like any.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputName {
    /// The text as it came, with a cell more.
    Delimited,
    /// One JSON object a line.
    Ndjson,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EmptyName {
    /// Empty texts.
    Text,
    /// null.
    Null,
}

impl Reading {
    /// The rules for the input: rows of any kind are allowed.
    pub fn rules(&self, input: &Input, writing: &Writing) -> Result<Rules, Failure> {
        self.check(writing)?;
        let rules = Rules::new(input.columns()?, input.form).with_format(self.format(writing)?)?;
        Ok(rules.with_longest_line(self.max_line_length)?)
    }

    fn format(&self, writing: &Writing) -> Result<Format, Failure> {
        let empty = match (writing.empty_values, &writing.key_columns) {
            (Some(EmptyName::Null), keys) => {
                EmptyValues::null_except(keys.as_deref().unwrap_or_default())
            }
            _ => EmptyValues::Text,
        };
        Ok(match self.format {
            Name::Ndjson => Format::Ndjson,
            Name::Pattern => {
                let pattern = self.pattern.as_deref().unwrap_or_default();
                Format::Pattern(Pattern::new(pattern, empty)?)
            }
            Name::Delimited => Format::Delimited(Delimited {
                delimiter: Delimiter::parse(self.delimiter.as_deref().unwrap_or(","))
                    .map_err(RulesError::from)?,
                quoting: match self.quoting {
                    None | Some(QuotingName::Rfc4180) => Quoting::Rfc4180,
                    Some(QuotingName::None) => Quoting::None,
                },
                header: match self.header.as_deref() {
                    None | Some(FIRST_LINE) => Header::FirstRecord,
                    Some(names) => Header::parse(names),
                },
                output: match writing.output {
                    None | Some(OutputName::Delimited) => DelimitedOutput::Delimited,
                    Some(OutputName::Ndjson) => DelimitedOutput::Ndjson(empty),
                },
            }),
        })
    }

    /// Refuses options that would change nothing: who gives them means something else.
    fn check(&self, writing: &Writing) -> Result<(), Failure> {
        let delimited = self.format == Name::Delimited;
        let pattern = self.format == Name::Pattern;
        let to_ndjson = writing.output == Some(OutputName::Ndjson);
        let null = writing.empty_values == Some(EmptyName::Null);
        let for_delimited = "--format delimited";
        for (option, is_given, has_effect, needs) in [
            (
                "--delimiter",
                self.delimiter.is_some(),
                delimited,
                for_delimited,
            ),
            (
                "--quoting",
                self.quoting.is_some(),
                delimited,
                for_delimited,
            ),
            ("--header", self.header.is_some(), delimited, for_delimited),
            (
                "--output",
                writing.output.is_some(),
                delimited,
                for_delimited,
            ),
            (
                "--pattern",
                self.pattern.is_some(),
                pattern,
                "--format pattern",
            ),
            (
                "--empty-values",
                writing.empty_values.is_some(),
                pattern || to_ndjson,
                "--output ndjson or --format pattern",
            ),
            (
                "--key-columns",
                writing.key_columns.is_some(),
                null,
                "--empty-values null",
            ),
        ] {
            if is_given && !has_effect {
                return Err(Failure::NoEffect { option, needs });
            }
        }
        Ok(())
    }
}
