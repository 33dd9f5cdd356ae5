//! Errors and panics as Java exceptions.

use std::any::Any;
use std::cell::RefCell;
use std::collections::TryReserveError;
use std::panic;
use std::sync::Once;

use jni::errors::ErrorPolicy;
use jni::strings::{JNIStr, JNIString};
use jni::{Env, jni_str};
use rowhash_core::content::{DelimiterError, NamesError, RulesError};
use rowhash_core::loadlog::StateError;
use rowhash_core::springbatch::JobKeyError;
use rowhash_core::{ColumnsError, RowError, UnknownFormError};
use thiserror::Error;

/// Whatever can go wrong behind a native method.
#[derive(Debug, Error)]
pub enum Error {
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    #[error(transparent)]
    Form(#[from] UnknownFormError),
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error(transparent)]
    Delimiter(#[from] DelimiterError),
    /// Of a content that is being read; those that the user gave are `Rules`.
    #[error(transparent)]
    Header(#[from] NamesError),
    #[error("'{0}' holds half a surrogate pair: type it again")]
    Text(String),
    #[error("the call contradicts itself: {0}")]
    Arguments(&'static str),
    #[error("the row hasher is closed: open a new one")]
    Closed,
    #[error(transparent)]
    Row(#[from] RowError),
    #[error(transparent)]
    JobKey(#[from] JobKeyError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error("a record cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("not enough native memory for the rows: use a smaller batch ({0})")]
    Memory(#[from] TryReserveError),
    #[error("a call from the native library into Java failed: {0}")]
    Jni(#[from] jni::errors::Error),
}

impl Error {
    /// The Java class that says whose fault it was.
    fn java_class(&self) -> &'static JNIStr {
        match self {
            Self::Columns(_)
            | Self::Form(_)
            | Self::Rules(_)
            | Self::Delimiter(_)
            | Self::JobKey(_)
            | Self::Text(_)
            | Self::Arguments(_) => ILLEGAL_ARGUMENT,
            Self::Header(_) => REFUSED_CONTENT,
            Self::Jni(jni::errors::Error::NullPtr(_) | jni::errors::Error::IndexOutOfBounds) => {
                ILLEGAL_ARGUMENT
            }
            Self::Closed | Self::State(_) => ILLEGAL_STATE,
            Self::Row(_) | Self::Json(_) | Self::Memory(_) | Self::Jni(_) => ROW_HASH,
        }
    }
}

const ILLEGAL_ARGUMENT: &JNIStr = jni_str!("java/lang/IllegalArgumentException");
const ILLEGAL_STATE: &JNIStr = jni_str!("java/lang/IllegalStateException");
const RUNTIME: &JNIStr = jni_str!("java/lang/RuntimeException");
const REFUSED_CONTENT: &JNIStr = jni_str!("dev/rowhash/nifi/jni/RefusedContentException");
const ROW_HASH: &JNIStr = jni_str!("dev/rowhash/nifi/jni/RowHashException");

/// Throws every error and every panic, and leaves an exception that is on its way alone.
pub struct ThrowJavaException;

impl<T: Default> ErrorPolicy<T, Error> for ThrowJavaException {
    type Captures<'unowned_env_local: 'native_method, 'native_method> = ();

    fn on_error<'unowned_env_local: 'native_method, 'native_method>(
        env: &mut Env<'unowned_env_local>,
        _: &mut Self::Captures<'unowned_env_local, 'native_method>,
        error: Error,
    ) -> jni::errors::Result<T> {
        throw(env, error.java_class(), &error.to_string());
        Ok(T::default())
    }

    fn on_panic<'unowned_env_local: 'native_method, 'native_method>(
        env: &mut Env<'unowned_env_local>,
        _: &mut Self::Captures<'unowned_env_local, 'native_method>,
        payload: Box<dyn Any + Send + 'static>,
    ) -> jni::errors::Result<T> {
        let message = PANIC.take();
        throw(
            env,
            ROW_HASH,
            &format!(
                "the native library panicked, which is a defect in it; please report: {message}"
            ),
        );
        // Dropping a payload may panic in turn, and there is nobody left to catch that.
        std::mem::forget(payload);
        Ok(T::default())
    }
}

/// Throws, with a class of the JDK where ours cannot be found: a native method that fails must
/// never return as if it had not.
fn throw(env: &mut Env<'_>, class: &'static JNIStr, message: &str) {
    let message = JNIString::new(message);
    for class in [class, RUNTIME] {
        if !env.exception_check() {
            // throw_new() gives an error whenever it has thrown.
            let _ = env.throw_new(class, &message);
        }
    }
}

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps a panic's message and place for the exception instead of printing them to the standard
/// error of the JVM. The hook is this library's own; no other one in the process has it.
pub fn keep_panic_messages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|panic| {
            PANIC.set(panic.to_string().replace('\n', " "));
        }));
    });
}
