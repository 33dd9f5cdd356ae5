//! Standard output and standard error, whose readers may have seen enough before we are done.

use std::fmt;
use std::io::{self, ErrorKind, StdoutLock, Write};

/// Standard output. Once its reader is gone, `head` perhaps, what is written is dropped.
pub struct Output {
    writer: StdoutLock<'static>,
    has_reader: bool,
}

impl Output {
    pub fn new() -> Self {
        Self {
            writer: io::stdout().lock(),
            has_reader: true,
        }
    }

    /// Whether somebody reads on.
    pub fn has_reader(&self) -> bool {
        self.has_reader
    }

    pub fn write(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        if !self.has_reader {
            return Ok(());
        }
        let written = parts
            .iter()
            .try_for_each(|part| self.writer.write_all(part));
        self.unless_gone(written)
    }

    pub fn flush(&mut self) -> io::Result<()> {
        if !self.has_reader {
            return Ok(());
        }
        let flushed = self.writer.flush();
        self.unless_gone(flushed)
    }

    fn unless_gone(&mut self, result: io::Result<()>) -> io::Result<()> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.has_reader = false;
                Ok(())
            }
            other => other,
        }
    }
}

/// Writes a line to standard error; that nobody reads it must not keep the work from being done.
pub fn complain(message: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{message}");
}
