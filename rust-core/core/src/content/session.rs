//! One content from its first byte to its last, on one thread.

use std::collections::TryReserveError;
use std::mem;
use std::sync::Arc;

use super::rules::{NamesError, Rules};
use super::split::Splitter;
use super::window::{Counts, Intake, Output, Worker};

/// A content on its way through: bytes in, rows and rejects out.
///
/// What it keeps is what was given to it last, the record that is not complete, and what comes of
/// both: its memory does not grow with the content.
#[derive(Debug)]
pub struct Session {
    splitter: Splitter,
    intake: Intake,
    worker: Worker,
    output: Output,
    rejects: Vec<u8>,
    counts: Counts,
}

impl Session {
    /// The start of a content.
    pub fn new(rules: &Arc<Rules>) -> Self {
        Self {
            splitter: Splitter::new(rules),
            intake: Intake::new(Arc::clone(rules)),
            worker: Worker::new(),
            output: Output::default(),
            rejects: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Room for at least `length` bytes more of the content; [`Session::process`] them then.
    ///
    /// # Errors
    /// Memory that cannot be had.
    pub fn room(&mut self, length: usize) -> Result<&mut [u8], TryReserveError> {
        self.splitter.room(length)
    }

    /// Processes `length` bytes that were written to the room. Rows and rejects of before are
    /// forgotten.
    ///
    /// # Errors
    /// A header that refuses the whole content.
    pub fn process(&mut self, length: usize) -> Result<(), NamesError> {
        self.splitter.filled(length);
        self.pieces()
    }

    /// Processes what is left when the content has ended.
    ///
    /// # Errors
    /// A header that refuses the whole content.
    pub fn finish(&mut self) -> Result<(), NamesError> {
        self.splitter.finish();
        self.pieces()
    }

    /// The rows that the last call gave.
    pub fn rows(&self) -> &[u8] {
        &self.output.rows
    }

    /// The rejects that the last call gave, as NDJSON.
    pub fn rejects(&self) -> &[u8] {
        &self.rejects
    }

    /// All rows so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    fn pieces(&mut self) -> Result<(), NamesError> {
        self.output.rows.clear();
        self.rejects.clear();
        while let Some(piece) = self.splitter.next_piece() {
            let window = self.intake.take(piece, &mut self.output)?;
            if let Some(plan) = self.intake.plan() {
                self.worker.transform(plan, window, &mut self.output);
            }
            for reject in self.output.rejects.drain(..) {
                reject.write(self.counts.position(), &mut self.rejects);
            }
            self.counts.add(mem::take(&mut self.output.counts));
        }
        Ok(())
    }
}
