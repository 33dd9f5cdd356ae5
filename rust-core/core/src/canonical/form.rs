//! The two canonical forms.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What becomes of a `|` or `\` inside a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CanonicalForm {
    /// Values are written as they are: the form of every table whose hashes come from the Groovy
    /// script. It is not injective: `a|b` + `c` and `a` + `b|c` have one text, and so have the
    /// value `\N` and null. Rows for which that matters are found:
    /// [`Finding::Ambiguous`](crate::Finding::Ambiguous).
    #[default]
    Compatible,
    /// `\` becomes `\\` and `|` becomes `\|`, so that two different rows never have one text. For
    /// new tables only: it gives other hashes than [`CanonicalForm::Compatible`] to rows whose
    /// values hold these characters.
    Escaped,
}

impl CanonicalForm {
    /// All forms.
    pub const ALL: [Self; 2] = [Self::Compatible, Self::Escaped];

    /// The form's name, as the user writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compatible => "Compatible",
            Self::Escaped => "Escaped",
        }
    }
}

impl fmt::Display for CanonicalForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CanonicalForm {
    type Err = UnknownFormError;

    /// Reads a form's name, upper or lower case.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|form| form.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownFormError(name.to_owned()))
    }
}

/// A name that is no [`CanonicalForm`].
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{0}' is no canonical form: use Compatible or Escaped")]
pub struct UnknownFormError(String);
