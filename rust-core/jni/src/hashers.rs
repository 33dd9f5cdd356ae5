//! The open hashers. Java holds a number for each; a number that is not here is an error, whoever
//! made it up and whenever it was closed, so that no pointer ever crosses the edge.

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

type Open = HashMap<i64, Arc<Hasher>>;

static OPEN: LazyLock<RwLock<Open>> = LazyLock::new(RwLock::default);
static NEXT: AtomicI64 = AtomicI64::new(1);

/// Keeps a hasher until it is closed. No number is given twice.
pub fn open(hasher: Hasher) -> i64 {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    OPEN.write()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(number, Arc::new(hasher));
    number
}

/// The hasher of a number. A call in flight keeps it alive while another thread closes it.
pub fn get(number: i64) -> Result<Arc<Hasher>, Error> {
    OPEN.read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&number)
        .cloned()
        .ok_or(Error::Closed)
}

/// Forgets a hasher.
pub fn close(number: i64) {
    OPEN.write()
        .unwrap_or_else(PoisonError::into_inner)
        .remove(&number);
}
