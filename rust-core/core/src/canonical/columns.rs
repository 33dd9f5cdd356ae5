//! The columns of a row hash: sorted, unique and without the hash itself, by construction.

use thiserror::Error;

/// The column that holds the hash unless the user names another one.
pub const HASH_COLUMN: &str = "row_hash";

/// The columns that make up a row's canonical text, in canonical order.
///
/// The order is that of the names' Unicode code points, which is the order of their UTF-8 bytes:
/// `_` comes before lower-case letters and after upper-case ones, `col.10` before `col.2`. It is
/// not that of UTF-16 code units and not that of any locale. Names are compared as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    names: Vec<String>,
    hash_column: String,
}

impl Columns {
    /// Columns by name, in any order.
    ///
    /// # Errors
    /// An empty list or name, a name twice, a name that is the hash column or [`HASH_COLUMN`], and
    /// a hash column that is empty or has white space around it.
    pub fn new<I>(names: I, hash_column: &str) -> Result<Self, ColumnsError>
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        if hash_column.is_empty() || hash_column.trim() != hash_column {
            return Err(ColumnsError::HashColumn(hash_column.to_owned()));
        }
        let mut names: Vec<String> = names.into_iter().map(Into::into).collect();
        if names.is_empty() {
            return Err(ColumnsError::Empty);
        }
        if let Some(index) = names.iter().position(String::is_empty) {
            return Err(ColumnsError::EmptyName {
                position: index + 1,
            });
        }
        if let Some(name) = names
            .iter()
            .find(|name| *name == hash_column || *name == HASH_COLUMN)
        {
            return Err(ColumnsError::ContainsHash(name.clone()));
        }
        // `str` compares by UTF-8 bytes, which is code point order.
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ColumnsError::Duplicate(pair[0].clone()));
        }
        Ok(Self {
            names,
            hash_column: hash_column.to_owned(),
        })
    }

    /// Columns from a list as a user writes it: names separated by commas, white space (line
    /// breaks too) around a name ignored.
    ///
    /// ```
    /// # use rowhash_core::Columns;
    /// let columns = Columns::parse("ts, epid,\n clickid", "row_hash")?;
    /// assert_eq!(columns.names(), ["clickid", "epid", "ts"]);
    /// # Ok::<(), rowhash_core::ColumnsError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Columns::new`].
    pub fn parse(list: &str, hash_column: &str) -> Result<Self, ColumnsError> {
        if list.trim().is_empty() {
            return Self::new(std::iter::empty::<String>(), hash_column);
        }
        Self::new(list.split(',').map(str::trim), hash_column)
    }

    /// The names in canonical order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The column that holds the hash; never one of [`Columns::names`].
    pub fn hash_column(&self) -> &str {
        &self.hash_column
    }

    /// Where `name` (UTF-8) stands in canonical order, if it is one of the columns.
    pub fn position(&self, name: &[u8]) -> Option<usize> {
        self.names
            .binary_search_by(|probe| probe.as_bytes().cmp(name))
            .ok()
    }
}

/// Why a list of columns cannot make a row hash.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ColumnsError {
    /// No column at all.
    #[error("the list of columns is empty: name the columns that make up the row hash")]
    Empty,
    /// Two commas with nothing between them, or one at an end.
    #[error("column {position} of the list has no name: remove the comma too many")]
    EmptyName {
        /// 1-based place in the list.
        position: usize,
    },
    /// A name twice: its value would count twice, and the hash would be another one.
    #[error("column '{0}' is in the list twice: remove one")]
    Duplicate(String),
    /// The hash cannot be computed from itself.
    #[error("the list contains '{0}', the column of the hash itself: remove it")]
    ContainsHash(String),
    /// The name of the hash column cannot be used.
    #[error("'{0}' cannot be the hash column: give a name without white space around it")]
    HashColumn(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(list: &str) -> Result<Columns, ColumnsError> {
        Columns::parse(list, HASH_COLUMN)
    }

    #[test]
    fn names_are_sorted_by_code_point() {
        let names = |list| parse(list).unwrap().names().join(",");
        assert_eq!(names("b,a"), "a,b");
        assert_eq!(
            names("func_name_en,functiontype,func_name"),
            "func_name,func_name_en,functiontype"
        );
        assert_eq!(
            names("FUNC_NAME,FUNCTIONTYPE,FUNC_NAME_EN"),
            "FUNCTIONTYPE,FUNC_NAME,FUNC_NAME_EN"
        );
        assert_eq!(names("col.2,col.10,col.1"), "col.1,col.10,col.2");
        assert_eq!(names("id,ID,Id"), "ID,Id,id");
        // UTF-16 code units would put the emoji (D83D DE00) before U+FF5E.
        assert_eq!(names("😀,～"), "～,😀");
    }

    #[test]
    fn white_space_around_names_is_ignored() {
        assert_eq!(parse(" b ,\n\ta\r\n").unwrap().names(), ["a", "b"]);
    }

    #[test]
    fn bad_lists_are_refused() {
        assert_eq!(parse(""), Err(ColumnsError::Empty));
        assert_eq!(parse(" \n"), Err(ColumnsError::Empty));
        assert_eq!(parse("a,,b"), Err(ColumnsError::EmptyName { position: 2 }));
        assert_eq!(parse("a,"), Err(ColumnsError::EmptyName { position: 2 }));
        assert_eq!(parse("a,b,a"), Err(ColumnsError::Duplicate("a".into())));
        assert_eq!(
            parse("a,row_hash"),
            Err(ColumnsError::ContainsHash("row_hash".into()))
        );
    }

    #[test]
    fn neither_the_hash_column_nor_row_hash_can_be_hashed() {
        let parse = |list| Columns::parse(list, "key_hash");
        assert!(parse("a").is_ok());
        assert_eq!(
            parse("a,key_hash"),
            Err(ColumnsError::ContainsHash("key_hash".into()))
        );
        assert_eq!(
            parse("a,row_hash"),
            Err(ColumnsError::ContainsHash("row_hash".into()))
        );
    }

    #[test]
    fn bad_hash_columns_are_refused() {
        for name in ["", " ", "row_hash "] {
            assert_eq!(
                Columns::parse("a", name),
                Err(ColumnsError::HashColumn(name.into()))
            );
        }
    }

    #[test]
    fn positions_are_those_of_the_canonical_order() {
        let columns = parse("b,a,c").unwrap();
        assert_eq!(columns.position(b"b"), Some(1));
        assert_eq!(columns.position(b"B"), None);
    }
}
