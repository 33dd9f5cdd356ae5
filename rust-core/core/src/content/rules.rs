//! What is to become of content: which rows it holds, which of them pass, how they are written.

use regex::{Regex, RegexBuilder};
use thiserror::Error;

use super::groups::{Finder, Passes};
use crate::{CanonicalForm, Columns, ColumnsError, UnknownFormError};

/// The longest line that is read unless the user says otherwise: 1 MiB.
pub const LONGEST_LINE: usize = 1 << 20;

/// A compiled pattern may take this much memory; far more than any sane one does.
const PATTERN_SIZE: usize = 10 << 20;

/// All that is known of a content before it is read. Checked: what is here fits together.
#[derive(Clone, Debug)]
pub struct Rules {
    pub(super) columns: Columns,
    pub(super) form: CanonicalForm,
    pub(super) format: Format,
    pub(super) ambiguous: OnFinding,
    pub(super) no_values: OnFinding,
    pub(super) longest_line: usize,
}

/// What becomes of rows that have a hash, but hardly the one that was meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OnFinding {
    /// They pass, and are counted.
    #[default]
    Allow,
    /// They are refused with this message; `{column}` in it stands for the column's name.
    Refuse(String),
}

/// How rows are written in a content.
#[derive(Clone, Debug)]
pub enum Format {
    /// One JSON object a line.
    Ndjson,
    /// Cells between delimiters.
    Delimited(Delimited),
    /// Lines that a regular expression takes apart.
    Pattern(Pattern),
}

impl Rules {
    /// NDJSON, all rows allowed, lines up to [`LONGEST_LINE`].
    pub fn new(columns: Columns, form: CanonicalForm) -> Self {
        Self {
            columns,
            form,
            format: Format::Ndjson,
            ambiguous: OnFinding::Allow,
            no_values: OnFinding::Allow,
            longest_line: LONGEST_LINE,
        }
    }

    /// Another policy for rows that share their canonical text with another row.
    #[must_use]
    pub fn with_ambiguous_rows(self, ambiguous: OnFinding) -> Self {
        Self { ambiguous, ..self }
    }

    /// Another policy for rows in which every column is empty.
    #[must_use]
    pub fn with_rows_without_values(self, no_values: OnFinding) -> Self {
        Self { no_values, ..self }
    }

    /// Another limit for lines, in bytes without the line end; of a quoted record, for all its
    /// lines together.
    ///
    /// # Errors
    /// A limit of zero.
    pub fn with_longest_line(self, longest_line: usize) -> Result<Self, RulesError> {
        match longest_line {
            0 => Err(RulesError::LongestLine),
            _ => Ok(Self {
                longest_line,
                ..self
            }),
        }
    }

    /// Another format.
    ///
    /// # Errors
    /// A format that has not the columns, or not those that are never null.
    pub fn with_format(self, format: Format) -> Result<Self, RulesError> {
        let rules = Self { format, ..self };
        match &rules.format {
            Format::Ndjson => {}
            Format::Delimited(delimited) => delimited.check(&rules.columns)?,
            Format::Pattern(pattern) => pattern.check(&rules.columns)?,
        }
        Ok(rules)
    }

    /// Whether rows are written as they came, with the hash added.
    pub(super) fn keeps_text(&self) -> bool {
        match &self.format {
            Format::Ndjson => true,
            Format::Delimited(format) => format.empty_values().is_none(),
            Format::Pattern(_) => false,
        }
    }

    /// The columns of the hash.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The canonical form.
    pub fn form(&self) -> CanonicalForm {
        self.form
    }
}

/// Delimited text.
#[derive(Clone, Debug)]
pub struct Delimited {
    /// What stands between two cells.
    pub delimiter: Delimiter,
    /// Whether a cell may stand in quotes.
    pub quoting: Quoting,
    /// Where the names of the cells come from.
    pub header: Header,
    /// How rows are written.
    pub output: DelimitedOutput,
}

/// Whether a cell may stand in quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quoting {
    /// As in RFC 4180: a cell that begins with `"` ends with the next lone `"`, `""` in it stands
    /// for one, and it may hold delimiters and line breaks.
    #[default]
    Rfc4180,
    /// Every byte but the delimiter and the line end is data.
    None,
}

/// Where the names of the cells come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// The first record of the content.
    #[default]
    FirstRecord,
    /// The user; the first record is a row.
    Names(Vec<String>),
}

impl Header {
    /// Names from a list as a user writes it: separated by commas, white space around a name
    /// ignored.
    pub fn parse(list: &str) -> Self {
        Self::Names(names(list))
    }
}

/// How the rows of delimited text are written.
#[derive(Clone, Debug)]
pub enum DelimitedOutput {
    /// The same text, with the hash as one cell more.
    Delimited,
    /// One JSON object a line, its values the texts of the cells.
    Ndjson(EmptyValues),
}

/// What becomes of an empty value in JSON that is made of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EmptyValues {
    /// It stays an empty text.
    #[default]
    Text,
    /// It becomes null, except in these columns.
    NullExcept(Vec<String>),
}

impl EmptyValues {
    /// Null, except in the columns of a list as a user writes it.
    pub fn null_except(list: &str) -> Self {
        Self::NullExcept(if list.trim().is_empty() {
            Vec::new()
        } else {
            names(list)
        })
    }

    /// Checks that `header` has each column that is never null.
    pub(super) fn check(&self, header: &[String], hash_column: &str) -> Result<(), NamesError> {
        let Self::NullExcept(keys) = self else {
            return Ok(());
        };
        match keys
            .iter()
            .find(|key| *key != hash_column && !header.contains(key))
        {
            None => Ok(()),
            Some(key) => Err(NamesError::Key {
                name: key.clone(),
                names: list(header),
            }),
        }
    }

    /// Whether an empty value of this column becomes null.
    pub(super) fn is_null_in(&self, column: &str) -> bool {
        match self {
            Self::Text => false,
            Self::NullExcept(keys) => !keys.iter().any(|key| key == column),
        }
    }
}

fn names(list: &str) -> Vec<String> {
    list.split(',').map(|name| name.trim().to_owned()).collect()
}

impl Delimited {
    fn check(&self, columns: &Columns) -> Result<(), RulesError> {
        let special = |byte| {
            byte == self.delimiter.0
                || matches!(byte, b'\r' | b'\n')
                || self.quoting == Quoting::Rfc4180 && byte == b'"'
        };
        if self.quoting == Quoting::Rfc4180 && self.delimiter.0 == b'"' {
            return Err(DelimiterError::Quote.into());
        }
        let is_text = matches!(self.output, DelimitedOutput::Delimited);
        if is_text && columns.hash_column().bytes().any(special) {
            return Err(RulesError::HashColumn(columns.hash_column().to_owned()));
        }
        match &self.header {
            Header::FirstRecord => Ok(()),
            Header::Names(names) => Ok(self.check_names(names, columns)?),
        }
    }

    /// What becomes of empty values, where rows become JSON.
    pub(super) fn empty_values(&self) -> Option<&EmptyValues> {
        match &self.output {
            DelimitedOutput::Delimited => None,
            DelimitedOutput::Ndjson(empty) => Some(empty),
        }
    }

    /// Checks the names of the cells, whoever gave them.
    pub(super) fn check_names(
        &self,
        names: &[String],
        columns: &Columns,
    ) -> Result<(), NamesError> {
        if let Some(index) = names.iter().position(String::is_empty) {
            return Err(NamesError::Empty {
                position: index + 1,
            });
        }
        for (index, name) in names.iter().enumerate() {
            if let Some(first) = names[..index].iter().position(|other| other == name) {
                return Err(NamesError::Twice {
                    name: name.clone(),
                    first: first + 1,
                    second: index + 1,
                });
            }
        }
        check_columns(names, columns)?;
        match &self.output {
            DelimitedOutput::Delimited => Ok(()),
            DelimitedOutput::Ndjson(empty) => empty.check(names, columns.hash_column()),
        }
    }
}

fn check_columns(names: &[String], columns: &Columns) -> Result<(), NamesError> {
    match columns.names().iter().find(|name| !names.contains(name)) {
        None => Ok(()),
        Some(name) => Err(NamesError::Missing {
            name: name.clone(),
            names: list(names),
        }),
    }
}

/// Names for a message, which must not become as long as the content.
fn list(names: &[String]) -> String {
    const LIMIT: usize = 2_000;
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        if text.len() + name.len() > LIMIT {
            text += &format!(" and {} more", names.len() - index);
            break;
        }
        if index > 0 {
            text += ", ";
        }
        text += name;
    }
    text
}

/// The character between two cells: one of ASCII, since it is looked for as a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delimiter(u8);

impl Delimiter {
    /// Reads a delimiter as a user writes it: one character of ASCII, or `\t`, or `\u0001`.
    ///
    /// # Errors
    /// Anything else, and the characters of a line end.
    pub fn parse(text: &str) -> Result<Self, DelimiterError> {
        let byte = match text.as_bytes() {
            [byte] => *byte,
            br"\t" => b'\t',
            [b'\\', b'u', digits @ ..] if digits.len() == 4 => std::str::from_utf8(digits)
                .ok()
                .and_then(|digits| u8::from_str_radix(digits, 16).ok())
                .ok_or_else(|| DelimiterError::Text(text.to_owned()))?,
            _ => return Err(DelimiterError::Text(text.to_owned())),
        };
        match byte {
            b'\n' | b'\r' => Err(DelimiterError::LineEnd),
            _ if !byte.is_ascii() => Err(DelimiterError::Text(text.to_owned())),
            _ => Ok(Self(byte)),
        }
    }

    pub(super) fn byte(self) -> u8 {
        self.0
    }
}

/// Lines that a regular expression takes apart: its named groups are the columns.
///
/// The first match anywhere in the line counts. The expression runs in linear time, whatever the
/// line.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: Regex,
    passes: Option<Passes>,
    groups: Vec<Group>,
    pub(super) empty: EmptyValues,
}

/// A named group.
#[derive(Clone, Debug)]
struct Group {
    index: usize,
    name: String,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What is no regular expression, or one too large.
    pub fn new(pattern: &str, empty: EmptyValues) -> Result<Self, RulesError> {
        let regex = RegexBuilder::new(pattern)
            .size_limit(PATTERN_SIZE)
            .build()
            .map_err(|error| RulesError::Pattern(error.to_string()))?;
        let groups: Vec<Group> = regex
            .capture_names()
            .enumerate()
            .filter_map(|(index, name)| {
                name.map(|name| Group {
                    index,
                    name: name.to_owned(),
                })
            })
            .collect();
        let indices: Vec<usize> = groups.iter().map(|group| group.index).collect();
        Ok(Self {
            passes: Passes::new(pattern, &indices),
            regex,
            groups,
            empty,
        })
    }

    /// Finds the named groups in lines.
    pub(super) fn finder(&self) -> Finder<'_> {
        let indices = self.groups.iter().map(|group| group.index).collect();
        Finder::new(&self.regex, self.passes.as_ref(), indices)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.groups.iter().map(|group| group.name.clone()).collect()
    }

    fn check(&self, columns: &Columns) -> Result<(), RulesError> {
        let names = self.names();
        if let Some(name) = columns.names().iter().find(|name| !names.contains(name)) {
            return Err(RulesError::Group {
                name: name.clone(),
                groups: match names.is_empty() {
                    true => "none".to_owned(),
                    false => list(&names),
                },
            });
        }
        Ok(self.empty.check(&names, columns.hash_column())?)
    }
}

/// Why rules do not fit together.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RulesError {
    /// The columns.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    /// The canonical form.
    #[error(transparent)]
    Form(#[from] UnknownFormError),
    /// The delimiter.
    #[error(transparent)]
    Delimiter(#[from] DelimiterError),
    /// The names that the user gave the cells.
    #[error(transparent)]
    Names(#[from] NamesError),
    /// A name that cannot be written into the header as it is.
    #[error(
        "the hash column '{0}' cannot be added to the header: its name holds the delimiter, a \
         quote or a line break; give it another name"
    )]
    HashColumn(String),
    /// What is no regular expression, or one too large.
    #[error("the pattern cannot be used: {0}")]
    Pattern(String),
    /// A column that no group gives.
    #[error(
        "the pattern has no group named '{name}' (its named groups: {groups}): write the column \
         as (?<{name}>...), or take it out of the list of columns"
    )]
    Group {
        /// The column.
        name: String,
        /// The groups there are.
        groups: String,
    },
    /// A limit that no line fits.
    #[error("a limit of 0 bytes a line would refuse every row: give a larger one")]
    LongestLine,
}

/// Why a text is no delimiter.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum DelimiterError {
    /// Not one character.
    #[error(
        "'{0}' is no delimiter: give one character of ASCII, \\t for a tab, or \\u0001 and the \
         like for one that cannot be typed"
    )]
    Text(String),
    /// A line break.
    #[error("a line break cannot be the delimiter: it ends the row")]
    LineEnd,
    /// The quote, with quoting.
    #[error("the quote \" cannot be the delimiter: choose another, or no quoting")]
    Quote,
}

/// Why the names of the cells, from the header or the user, cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NamesError {
    /// A cell without a name.
    #[error("column {position} of the header has no name: give it one")]
    Empty {
        /// 1-based place.
        position: usize,
    },
    /// One name for two cells.
    #[error("the header names column '{name}' twice, as columns {first} and {second}: rename one")]
    Twice {
        /// The name.
        name: String,
        /// 1-based place.
        first: usize,
        /// 1-based place.
        second: usize,
    },
    /// A column of the hash that no cell has.
    #[error(
        "the header has no column '{name}', which the hash is made of; it has {names}: correct \
         the header, the delimiter or the list of columns"
    )]
    Missing {
        /// The column.
        name: String,
        /// The columns there are.
        names: String,
    },
    /// A column that is never null and that no cell has.
    #[error(
        "there is no column '{name}', which is to be never null; there are {names}: correct the \
         list of such columns"
    )]
    Key {
        /// The column.
        name: String,
        /// The columns there are.
        names: String,
    },
    /// A header that cannot be read.
    #[error("the header cannot be read: {0}")]
    Unreadable(String),
}

impl NamesError {
    pub(super) fn too_long(bytes: u64, longest: usize) -> Self {
        Self::Unreadable(super::too_long(bytes, longest))
    }
}
