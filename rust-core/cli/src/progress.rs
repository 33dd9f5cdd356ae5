//! How far the work is, for a person who watches.

use std::fmt;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};

use crate::Source;
use crate::output::complain;

const OF_A_FILE: &str = "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
const OF_A_PIPE: &str = "{bytes}, {bytes_per_sec}";

/// On standard error, if that is a terminal and the rows do not go to one. It is gone in the end.
pub struct Progress(ProgressBar);

impl Progress {
    /// Watches what is read from the source.
    pub fn watch(source: Source) -> (Source, Self) {
        let bar = if !io::stderr().is_terminal() || io::stdout().is_terminal() {
            ProgressBar::hidden()
        } else {
            let (bar, template) = match source.length {
                Some(length) => (ProgressBar::new(length), OF_A_FILE),
                None => (ProgressBar::no_length(), OF_A_PIPE),
            };
            match ProgressStyle::with_template(template) {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        };
        let source = Source {
            reader: Box::new(bar.wrap_read(source.reader)),
            ..source
        };
        (source, Self(bar))
    }

    /// Writes a line above the bar.
    pub fn complain(&self, message: fmt::Arguments<'_>) {
        self.0.suspend(|| complain(message));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
