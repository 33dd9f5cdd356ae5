//! The load log: what each batch read, loaded and lost, and which rows failed.
//!
//! A *batch* ([`BatchKey`]) holds *units*, a unit holds *items*. A unit is what one split made: a
//! file, a chunk of it, a result set, the messages of one partition. Every FlowFile that reaches
//! the log is an [`Event`]: a unit was declared, an item was loaded, an item or a whole unit
//! failed. The [`Ledger`] takes events and gives the records of the two tables, [`Master`] and
//! [`Detail`].
//!
//! The ledger keeps sets of items, not counters: an event that comes twice, late, or from another
//! node changes nothing. Any order of the same events ends in the same master record.

/// An array of the names that texts have in Java, and an enum that gives each one its place in it.
macro_rules! fields {
    ($(#[$doc:meta])* pub const $names:ident: $field:ident {
        $($variant:ident = $name:literal,)*
    }) => {
        $(#[$doc])*
        pub const $names: [&str; [$($name),*].len()] = [$($name),*];

        #[derive(Clone, Copy)]
        enum $field {
            $($variant),*
        }

        impl $field {
            const fn name(self) -> &'static str {
                $names[self as usize]
            }
        }
    };
}

mod batch;
mod codec;
mod ended;
mod event;
mod key;
mod ledger;
mod record;
mod reject;
mod replay;
mod unit;

pub use codec::{StateError, StateLimits};
pub use event::{Carried, Counts, Event, EventError, FIELDS, Failure, Location, Outcome, UnitId};
pub use key::{BatchKey, KeyError, SrcType};
pub use ledger::{Confirmation, Ledger, LedgerError, Refused, Report, Rules};
pub use record::{Detail, Master, Status};
pub use reject::is_reject;
pub use replay::{Claim, REPLAY_FIELDS, Replay, ReplayError, Route};
