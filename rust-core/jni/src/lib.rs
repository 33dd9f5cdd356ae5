//! The JNI edge: `rowhash-core` for the class `dev.rowhash.nifi.jni.Bindings`.
//!
//! This crate is the only place that knows Java, and it knows nothing else: it copies arrays in,
//! calls the core, and copies results out. A batch of rows crosses in one call, as one `char[]`
//! with the characters of all values and one `int[]` with their lengths; passing strings would
//! cost more than hashing them.
//!
//! No error and no panic passes the edge: both become Java exceptions (`error`). A hasher is
//! a number that is looked up at each call (`hashers`), so a number that was closed, or made
//! up, is an exception too and never a crash.
//!
//! The `native_method!` macro makes the exported functions, checks their signatures, and holds the
//! only unsafe code.

mod error;
mod hashers;

use jni::objects::{JByteArray, JCharArray, JClass, JIntArray, JObjectArray, JString};
use jni::sys::{jint, jlong};
use jni::{Env, NativeMethod, jni_sig, jni_str, native_method};
use rowhash_core::{Columns, Finding, RowBatch};

use error::{Error, ThrowJavaException};
use hashers::{HASHERS, Hasher, Scratch};

type Strings<'local> = JObjectArray<'local, JString<'local>>;

macro_rules! bindings {
    ($($signature:tt)*) => {
        native_method! {
            java_type = "dev.rowhash.nifi.jni.Bindings",
            error_policy = ThrowJavaException,
            $($signature)*
        }
    };
}

const _: NativeMethod = bindings! { static extern fn version() -> JString };
const _: NativeMethod = bindings! {
    static extern fn open(columns: JString, hash_column: JString, form: JString) -> jlong
};
const _: NativeMethod = bindings! { static extern fn columns(hasher: jlong) -> [JString] };
const _: NativeMethod = bindings! {
    static extern fn hash(
        hasher: jlong, values: [jchar], lengths: [jint], rows: jint, results: [jbyte],
    ) -> jint
};
const _: NativeMethod = bindings! {
    static extern fn canonical_text(hasher: jlong, values: [jchar], lengths: [jint]) -> JString
};
const _: NativeMethod = bindings! { static extern fn close(hasher: jlong) };

mod content;
mod loadlog;
mod records;
mod springbatch;

/// The library's version; the loader accepts only its own.
fn version<'local>(env: &mut Env<'local>, _: JClass<'local>) -> Result<JString<'local>, Error> {
    #[cfg(feature = "bench")]
    hooks::force_digest();
    Ok(env.new_string(env!("CARGO_PKG_VERSION"))?)
}

/// A hasher for a list of columns as the user wrote it.
fn open<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    columns: JString<'local>,
    hash_column: JString<'local>,
    form: JString<'local>,
) -> Result<jlong, Error> {
    error::keep_panic_messages();
    let columns = text(env, &columns)?;
    let hash_column = text(env, &hash_column)?;
    let form = text(env, &form)?;
    let columns = Columns::parse(&columns, &hash_column)?;
    Ok(HASHERS.open(Hasher::new(columns, form.parse()?)))
}

/// The columns in canonical order: that in which `hash` takes the values.
fn columns<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    hasher: jlong,
) -> Result<Strings<'local>, Error> {
    strings(env, HASHERS.get(hasher)?.columns.names())
}

/// Hashes `rows` rows: for each 32 hexadecimal digits into `results`, and big-endian 0, -1 for a row
/// without values, or 1 + the index of the first ambiguous column. Gives the number of rows.
///
/// Every call of the JVM costs as much as a tenth of a short row, so that there is one for all
/// results, which checks their array too.
fn hash<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    hasher: jlong,
    values: JCharArray<'local>,
    lengths: JIntArray<'local>,
    rows: jint,
    results: JByteArray<'local>,
) -> Result<jint, Error> {
    let hasher = HASHERS.get(hasher)?;
    let count = usize::try_from(rows).map_err(|_| Error::Arguments("a negative number of rows"))?;
    let mut scratch = hasher.scratch();
    let batch = canonical_rows(env, &hasher, &mut scratch, &values, &lengths, count)?;

    let written = &mut scratch.results;
    written.clear();
    written.try_reserve(count)?;
    written.extend(batch.hashes().zip(batch.findings()).map(|(hash, finding)| {
        let mut result = [0; 36];
        result[..32].copy_from_slice(&hash.to_hex());
        result[32..].copy_from_slice(&code(finding).to_be_bytes());
        result
    }));
    results.set_region(env, 0, bytemuck::cast_slice(written.as_flattened()))?;
    scratch.rows = batch.into_memory();
    hasher.keep(scratch);
    Ok(rows)
}

fn code(finding: Finding) -> jint {
    match finding {
        Finding::Clean => 0,
        Finding::NoValues => -1,
        Finding::Ambiguous { column } => 1 + column as jint,
    }
}

/// The canonical text of one row.
fn canonical_text<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    hasher: jlong,
    values: JCharArray<'local>,
    lengths: JIntArray<'local>,
) -> Result<JString<'local>, Error> {
    let hasher = HASHERS.get(hasher)?;
    let mut scratch = Scratch::default();
    let batch = canonical_rows(env, &hasher, &mut scratch, &values, &lengths, 1)?;
    let text = batch.texts().next().unwrap_or_default();
    Ok(env.new_string(String::from_utf8_lossy(text))?)
}

/// Closes a hasher; closing it again does nothing.
fn close<'local>(_: &mut Env<'local>, _: JClass<'local>, hasher: jlong) -> Result<(), Error> {
    HASHERS.close(hasher);
    Ok(())
}

/// Copies rows in and writes their canonical texts, in the memory of `scratch`. The arrays are
/// copied and not pinned: pinning saves little and holds off the garbage collector of the whole
/// NiFi meanwhile. What is copied at once fits the processor's nearest cache, if a row does.
fn canonical_rows<'h>(
    env: &Env<'_>,
    hasher: &'h Hasher,
    scratch: &mut Scratch,
    values: &JCharArray<'_>,
    lengths: &JIntArray<'_>,
    rows: usize,
) -> Result<RowBatch<'h>, Error> {
    const UNITS_AT_ONCE: usize = 8 * 1024;
    let columns = hasher.columns.names().len();
    let Scratch {
        units,
        lengths: ints,
        ..
    } = scratch;
    let cells = rows.saturating_mul(columns);
    // A short array fails in the copying; no memory is taken for a long one that is not there.
    if cells > UNITS_AT_ONCE && lengths.len(env)? < cells {
        return Err(Error::Arguments("fewer lengths than rows times columns"));
    }
    fill(ints, cells, |buffer| lengths.get_region(env, 0, buffer))?;
    let lengths = lengths_of(ints)?;
    let total: usize = lengths.iter().map(|length| *length as usize).sum();
    if total > UNITS_AT_ONCE && values.len(env)? < total {
        return Err(Error::Arguments("fewer characters than the lengths say"));
    }

    let memory = std::mem::take(&mut scratch.rows);
    let mut batch = RowBatch::with_memory(&hasher.columns, hasher.form, memory);
    // A UTF-16 unit takes three bytes of UTF-8 at the most.
    batch.try_reserve(rows, total.saturating_mul(3))?;
    let mut start = 0;
    let mut rest = lengths;
    while !rest.is_empty() {
        let (mut taken, mut length) = (0, 0);
        for row in rest.chunks_exact(columns) {
            let more: usize = row.iter().map(|length| *length as usize).sum();
            if taken > 0 && length + more > UNITS_AT_ONCE {
                break;
            }
            taken += columns;
            length += more;
        }
        // An array of Java has no more elements than an int counts.
        fill(units, length, |buffer| {
            values.get_region(env, start as jint, buffer)
        })?;
        let (these, after) = rest.split_at(taken);
        #[cfg(feature = "test-hooks")]
        hooks::panic_among(units, these);
        batch.push_utf16(units, these)?;
        start += length;
        rest = after;
    }
    Ok(batch)
}

/// What Java says of how long values are, of which none is negative.
fn lengths_of(ints: &[jint]) -> Result<&[u32], Error> {
    // Negative ones have the highest bit.
    if ints.iter().fold(0, |all, length| all | length) < 0 {
        return Err(Error::Arguments("a negative length"));
    }
    Ok(bytemuck::cast_slice(ints))
}

/// The values of rows, as they come from Java: the UTF-16 units of all, and how many each has.
struct Cells {
    values: Vec<u16>,
    lengths: Vec<jint>,
    columns: usize,
}

impl Cells {
    fn copy(
        env: &Env<'_>,
        values: &JCharArray<'_>,
        lengths: &JIntArray<'_>,
        rows: usize,
        columns: usize,
    ) -> Result<Self, Error> {
        let cells = rows.saturating_mul(columns);
        if lengths.len(env)? < cells {
            return Err(Error::Arguments("fewer lengths than rows times columns"));
        }
        let lengths = copied(cells, |buffer| lengths.get_region(env, 0, buffer))?;
        let units: usize = lengths_of(&lengths)?
            .iter()
            .map(|length| *length as usize)
            .sum();
        if values.len(env)? < units {
            return Err(Error::Arguments("fewer characters than the lengths say"));
        }
        let values = copied(units, |buffer| values.get_region(env, 0, buffer))?;
        Ok(Self {
            values,
            lengths,
            columns,
        })
    }

    /// The rows, each as its values.
    fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = &[u16]>> {
        let mut end = 0;
        self.lengths.chunks_exact(self.columns).map(move |lengths| {
            let start = end;
            end += lengths.iter().map(|length| *length as usize).sum::<usize>();
            let mut rest = &self.values[start..end];
            lengths.iter().map(move |&length| {
                let (value, after) = rest.split_at(length as usize);
                rest = after;
                value
            })
        })
    }
}

/// A Java string, exactly: decoding the modified UTF-8 that JNI has for one would turn the whole
/// string into replacement characters where it holds half a surrogate pair.
fn text(env: &mut Env<'_>, string: &JString<'_>) -> Result<String, Error> {
    if string.is_null() {
        return Err(Error::Arguments("null for a text"));
    }
    let characters = env
        .call_method(
            string,
            jni_str!("toCharArray"),
            jni_sig!(() -> [jchar]),
            &[],
        )?
        .l()?;
    let characters = env.cast_local::<JCharArray>(characters)?;
    let units = copied(characters.len(env)?, |buffer| {
        characters.get_region(env, 0, buffer)
    })?;
    String::from_utf16(&units).map_err(|_| Error::Text(String::from_utf16_lossy(&units)))
}

/// An array of Java strings.
fn strings<'local, S: AsRef<str>>(
    env: &mut Env<'local>,
    texts: &[S],
) -> Result<Strings<'local>, Error> {
    let array = JObjectArray::<JString>::new(env, texts.len(), JString::null())?;
    for (index, text) in texts.iter().enumerate() {
        let text = env.new_string(text)?;
        array.set_element(env, index, &text)?;
        env.delete_local_ref(text);
    }
    Ok(array)
}

/// Makes a buffer `length` elements long and fills it by `copy`.
fn fill<T: Copy + Default>(
    buffer: &mut Vec<T>,
    length: usize,
    copy: impl FnOnce(&mut [T]) -> jni::errors::Result<()>,
) -> Result<(), Error> {
    buffer.try_reserve(length.saturating_sub(buffer.len()))?;
    buffer.resize(length, T::default());
    Ok(copy(buffer)?)
}

/// A buffer of `length` elements, filled by `copy`.
fn copied<T: Copy + Default>(
    length: usize,
    copy: impl FnOnce(&mut [T]) -> jni::errors::Result<()>,
) -> Result<Vec<T>, Error> {
    let mut buffer = collected(length, std::iter::repeat_n(T::default(), length))?;
    copy(&mut buffer)?;
    Ok(buffer)
}

/// `length` values, or an error where collecting them would end the process for lack of memory.
fn collected<T>(length: usize, values: impl Iterator<Item = T>) -> Result<Vec<T>, Error> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(length)?;
    vector.extend(values.take(length));
    Ok(vector)
}

#[cfg(any(feature = "test-hooks", feature = "bench"))]
mod hooks {
    //! A panic that a test can call for from Java, and the instruction set that a benchmark wants.

    #[cfg(feature = "bench")]
    pub fn force_digest() {
        use rowhash_core::Platform;

        const DIGEST: &str = "ROWHASH_BENCH_DIGEST";
        let Ok(name) = std::env::var(DIGEST) else {
            return;
        };
        let forced = Platform::available()
            .find(|platform| format!("{platform:?}").eq_ignore_ascii_case(&name))
            .is_some_and(Platform::force);
        assert!(
            forced,
            "{DIGEST}={name}: not an instruction set of this processor"
        );
    }

    #[cfg(feature = "test-hooks")]
    const PANIC: &str = "rowhash-test-hook:panic";

    #[cfg(feature = "test-hooks")]
    pub fn panic_in(window: &[u8]) {
        if window
            .windows(PANIC.len())
            .any(|part| part == PANIC.as_bytes())
        {
            panic!("a test asked for this panic");
        }
    }

    #[cfg(feature = "test-hooks")]
    pub fn panic_at(value: &[u16]) {
        if value.iter().copied().eq(PANIC.encode_utf16()) {
            panic!("a test asked for this panic");
        }
    }

    #[cfg(feature = "test-hooks")]
    pub fn panic_among(mut units: &[u16], lengths: &[u32]) {
        for length in lengths {
            let (value, rest) = units.split_at(*length as usize);
            panic_at(value);
            units = rest;
        }
    }
}
