//! What is open. Java holds a number for each; a number that is not here is an error, whoever made
//! it up and whenever it was closed, so that no pointer ever crosses the edge.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use rowhash_core::{CanonicalForm, Columns};

use crate::error::Error;

/// What `open` was told.
#[derive(Debug)]
pub struct Hasher {
    pub columns: Columns,
    pub form: CanonicalForm,
}

/// The open hashers.
pub static HASHERS: Open<Hasher> = Open::new();

/// The next number; none is given twice, of whatever kind.
static NEXT: AtomicI64 = AtomicI64::new(1);

/// All that is open of one kind.
pub struct Open<T>(LazyLock<RwLock<Numbered<T>>>);

type Numbered<T> = HashMap<i64, Arc<T>>;

impl<T> Open<T> {
    pub const fn new() -> Self {
        Self(LazyLock::new(RwLock::default))
    }

    /// Keeps a thing until it is closed.
    pub fn open(&self, thing: T) -> i64 {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(number, Arc::new(thing));
        number
    }

    /// The thing of a number. A call in flight keeps it alive while another thread closes it.
    pub fn get(&self, number: i64) -> Result<Arc<T>, Error> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&number)
            .cloned()
            .ok_or(Error::Closed)
    }

    /// Forgets a thing.
    pub fn close(&self, number: i64) {
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&number);
    }
}
