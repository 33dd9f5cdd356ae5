//! Content for Java: bytes in, rows and rejects out, window by window. One call takes a window in
//! and works on it; the results are then fetched into arrays that Java uses again.

use std::sync::{Arc, Mutex};

use jni::objects::{JByteArray, JClass, JLongArray};
use jni::sys::{jint, jlong};
use jni::{Env, NativeMethod, native_method};
use rowhash_core::Columns;
use rowhash_core::content::{
    Delimited, DelimitedOutput, Delimiter, EmptyValues, Format, Header, OnFinding, Pattern,
    Quoting, Rules, Session,
};

use crate::error::{self, Error, ThrowJavaException};
use crate::hashers::Open;
use crate::{Strings, strings, text};

const _: NativeMethod = bindings! {
    static extern fn open_content(rules: [JString], longest_line: jint) -> jlong
};
const _: NativeMethod = bindings! { static extern fn content_columns(rules: jlong) -> [JString] };
const _: NativeMethod = bindings! { static extern fn start_content(rules: jlong) -> jlong };
const _: NativeMethod = bindings! {
    static extern fn push_content(session: jlong, bytes: [jbyte], length: jint, sizes: [jlong])
};
const _: NativeMethod = bindings! {
    static extern fn finish_content(session: jlong, sizes: [jlong])
};
const _: NativeMethod = bindings! {
    static extern fn content_rows(session: jlong, from: jlong, into: [jbyte]) -> jint
};
const _: NativeMethod = bindings! {
    static extern fn content_rejects(session: jlong, from: jlong, into: [jbyte]) -> jint
};
const _: NativeMethod = bindings! { static extern fn end_content(session: jlong) };
const _: NativeMethod = bindings! { static extern fn close_content(rules: jlong) };

static RULES: Open<Arc<Rules>> = Open::new();
static SESSIONS: Open<Mutex<Session>> = Open::new();

/// Rules from what the user wrote; see `Bindings.openContent` for the order of the texts.
fn open_content<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    rules: Strings<'local>,
    longest_line: jint,
) -> Result<jlong, Error> {
    error::keep_panic_messages();
    let longest_line =
        usize::try_from(longest_line).map_err(|_| Error::Arguments("a negative longest line"))?;
    let rules = Written::read(env, &rules)?.rules()?;
    Ok(RULES.open(Arc::new(rules.with_longest_line(longest_line)?)))
}

/// The columns of the hash in canonical order.
fn content_columns<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    rules: jlong,
) -> Result<Strings<'local>, Error> {
    strings(env, RULES.get(rules)?.columns().names())
}

/// A session for one content.
fn start_content<'local>(
    _: &mut Env<'local>,
    _: JClass<'local>,
    rules: jlong,
) -> Result<jlong, Error> {
    let rules = RULES.get(rules)?;
    Ok(SESSIONS.open(Mutex::new(Session::new(&rules))))
}

/// Works on the next `length` bytes of the content. `sizes` receives how many bytes of rows and of
/// rejects are to be fetched, and how many rows were written, refused and ambiguous so far.
fn push_content<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    session: jlong,
    bytes: JByteArray<'local>,
    length: jint,
    sizes: JLongArray<'local>,
) -> Result<(), Error> {
    let length = usize::try_from(length)
        .ok()
        .filter(|length| bytes.len(env).is_ok_and(|size| *length <= size))
        .ok_or(Error::Arguments("a window that is not in its array"))?;
    with(session, |session| {
        let window = &mut session.room(length)?[..length];
        bytes.get_region(env, 0, bytemuck::cast_slice_mut(window))?;
        #[cfg(feature = "test-hooks")]
        crate::hooks::panic_in(window);
        session.process(length)?;
        report(env, session, &sizes)
    })
}

/// Works on what is left at the end of the content.
fn finish_content<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    session: jlong,
    sizes: JLongArray<'local>,
) -> Result<(), Error> {
    with(session, |session| {
        session.finish()?;
        report(env, session, &sizes)
    })
}

/// Copies rows, from an index on, as many as there are and fit, and says how many bytes these are.
fn content_rows<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    session: jlong,
    from: jlong,
    into: JByteArray<'local>,
) -> Result<jint, Error> {
    with(session, |session| copy(env, session.rows(), from, &into))
}

/// Copies rejects as `content_rows` does rows.
fn content_rejects<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    session: jlong,
    from: jlong,
    into: JByteArray<'local>,
) -> Result<jint, Error> {
    with(session, |session| copy(env, session.rejects(), from, &into))
}

/// Ends a session; ending it again does nothing.
fn end_content<'local>(
    _: &mut Env<'local>,
    _: JClass<'local>,
    session: jlong,
) -> Result<(), Error> {
    SESSIONS.close(session);
    Ok(())
}

/// Closes rules; sessions that are open go on. Closing them again does nothing.
fn close_content<'local>(
    _: &mut Env<'local>,
    _: JClass<'local>,
    rules: jlong,
) -> Result<(), Error> {
    RULES.close(rules);
    Ok(())
}

/// Works with a session. One that a panic has left half done is as good as closed.
fn with<T>(number: jlong, work: impl FnOnce(&mut Session) -> Result<T, Error>) -> Result<T, Error> {
    let session = SESSIONS.get(number)?;
    let mut session = session.lock().map_err(|_| Error::Closed)?;
    work(&mut session)
}

fn report(env: &Env<'_>, session: &Session, sizes: &JLongArray<'_>) -> Result<(), Error> {
    let counts = session.counts();
    let numbers = [
        session.rows().len() as jlong,
        session.rejects().len() as jlong,
        counts.rows as jlong,
        counts.rejected as jlong,
        counts.ambiguous as jlong,
    ];
    if sizes.len(env)? != numbers.len() {
        return Err(Error::Arguments("sizes that are not five numbers"));
    }
    Ok(sizes.set_region(env, 0, &numbers)?)
}

fn copy(env: &Env<'_>, bytes: &[u8], from: jlong, into: &JByteArray<'_>) -> Result<jint, Error> {
    let rest = usize::try_from(from)
        .ok()
        .and_then(|from| bytes.get(from..))
        .ok_or(Error::Arguments("bytes that are not there"))?;
    let part = &rest[..rest.len().min(into.len(env)?)];
    into.set_region(env, 0, bytemuck::cast_slice(part))?;
    // An array of Java has no more elements than an int counts.
    Ok(part.len() as jint)
}

/// Rules as Java writes them down: a text for each, null for what is left out.
struct Written {
    texts: [Option<String>; TEXTS],
}

const TEXTS: usize = 11;

impl Written {
    fn read(env: &mut Env<'_>, rules: &Strings<'_>) -> Result<Self, Error> {
        if rules.len(env)? != TEXTS {
            return Err(Error::Arguments("another number of rules"));
        }
        let mut texts = [const { None }; TEXTS];
        for (index, slot) in texts.iter_mut().enumerate() {
            let string = rules.get_element(env, index)?;
            if !string.is_null() {
                *slot = Some(text(env, &string)?);
                env.delete_local_ref(string);
            }
        }
        Ok(Self { texts })
    }

    fn rules(self) -> Result<Rules, Error> {
        let [
            columns,
            hash_column,
            form,
            ambiguous,
            no_values,
            delimiter,
            quoting,
            header,
            output,
            key_columns,
            pattern,
        ] = self.texts;
        let given = |text: Option<String>| text.ok_or(Error::Arguments("null for a text"));
        let refusal = |message: Option<String>| message.map_or(OnFinding::Allow, OnFinding::Refuse);

        let columns = Columns::parse(&given(columns)?, &given(hash_column)?)?;
        let rules = Rules::new(columns, given(form)?.parse()?)
            .with_ambiguous_rows(refusal(ambiguous))
            .with_rows_without_values(refusal(no_values));
        let empty = key_columns.map_or(EmptyValues::Text, |list| EmptyValues::null_except(&list));
        let format = match (delimiter, pattern) {
            (None, None) => Format::Ndjson,
            (None, Some(pattern)) => Format::Pattern(Pattern::new(&pattern, empty)?),
            (Some(delimiter), None) => Format::Delimited(Delimited {
                delimiter: Delimiter::parse(&delimiter)?,
                quoting: match quoting.as_deref() {
                    Some("RFC_4180") => Quoting::Rfc4180,
                    Some("NONE") => Quoting::None,
                    _ => return Err(Error::Arguments("an unknown quoting")),
                },
                header: header.map_or(Header::FirstRecord, |names| Header::parse(&names)),
                output: match output.as_deref() {
                    Some("NDJSON") => DelimitedOutput::Ndjson(empty),
                    Some("DELIMITED") => DelimitedOutput::Delimited,
                    _ => return Err(Error::Arguments("an unknown output")),
                },
            }),
            (Some(_), Some(_)) => return Err(Error::Arguments("both a delimiter and a pattern")),
        };
        Ok(rules.with_format(format)?)
    }
}
