//! What is open. Java holds a number for each; a number that is not here is an error, whoever made
//! it up and whenever it was closed, so that no pointer ever crosses the edge.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use jni::sys::jint;
use rowhash_core::{CanonicalForm, Columns, RowMemory};

use crate::error::Error;

/// What `open` was told, and memory for its calls.
#[derive(Debug)]
pub struct Hasher {
    pub columns: Columns,
    pub form: CanonicalForm,
    spare: Mutex<Vec<Scratch>>,
}

impl Hasher {
    pub fn new(columns: Columns, form: CanonicalForm) -> Self {
        Self {
            columns,
            form,
            spare: Mutex::default(),
        }
    }

    /// Memory for a call: that of a call before, if none in flight has it.
    pub fn scratch(&self) -> Scratch {
        self.spare().pop().unwrap_or_default()
    }

    /// Keeps the memory of a call that has ended for the next ones, but that of huge rows.
    pub fn keep(&self, scratch: Scratch) {
        if scratch.bytes() <= KEPT_BYTES {
            self.spare().push(scratch);
        }
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Scratch>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As much as common batches need.
const KEPT_BYTES: usize = 4 * 1024 * 1024;

/// The memory of a call: getting it anew costs as much as hashing a row.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The values' units, a part of them at once.
    pub units: Vec<u16>,
    pub lengths: Vec<jint>,
    pub rows: RowMemory,
    /// The digits of each hash, and a finding.
    pub results: Vec<[u8; 36]>,
}

impl Scratch {
    fn bytes(&self) -> usize {
        // What else there is grows with the rows.
        2 * self.units.capacity() + 4 * self.lengths.capacity() + self.rows.bytes()
    }
}

/// The open hashers.
pub static HASHERS: Open<Hasher> = Open::new();

/// The next number; none is given twice, of whatever kind.
static NEXT: AtomicI64 = AtomicI64::new(1);

/// All that is open of one kind, by number: few things, opened in the order of their numbers.
pub struct Open<T>(RwLock<Vec<(i64, Arc<T>)>>);

impl<T> Open<T> {
    pub const fn new() -> Self {
        Self(RwLock::new(Vec::new()))
    }

    /// Keeps a thing until it is closed.
    pub fn open(&self, thing: T) -> i64 {
        let mut things = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Under the lock, so that the numbers are in order here.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        things.push((number, Arc::new(thing)));
        number
    }

    /// The thing of a number. A call in flight keeps it alive while another thread closes it.
    pub fn get(&self, number: i64) -> Result<Arc<T>, Error> {
        let things = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let place = things.binary_search_by_key(&number, |(number, _)| *number);
        place
            .map(|place| Arc::clone(&things[place].1))
            .map_err(|_| Error::Closed)
    }

    /// Forgets a thing.
    pub fn close(&self, number: i64) {
        let mut things = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Ok(place) = things.binary_search_by_key(&number, |(number, _)| *number) {
            things.remove(place);
        }
    }
}
