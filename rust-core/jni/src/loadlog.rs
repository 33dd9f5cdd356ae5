//! The load log for Java: one call a trigger, with the state in and the state out.

use jni::objects::{JCharArray, JClass, JIntArray, JLongArray, JString};
use jni::sys::{jboolean, jint, jlong};
use jni::{Env, NativeMethod, native_method};
use rowhash_core::loadlog::{
    self, Confirmation, Event, FIELDS, Ledger, Master, REPLAY_FIELDS, Replay, Rules, StateLimits,
};
use serde::Serialize;

use crate::error::{Error, ThrowJavaException};
use crate::{Cells, Strings, strings, text};

const _: NativeMethod = bindings! { static extern fn event_fields() -> [JString] };
const _: NativeMethod = bindings! { static extern fn replay_fields() -> [JString] };
const _: NativeMethod = bindings! { static extern fn is_reject(line: JString) -> jboolean };
const _: NativeMethod = bindings! {
    static extern fn ledger_step(
        state: [JString], values: [jchar], lengths: [jint], events: jint,
        now: jlong, rules: [jlong],
    ) -> [JString]
};
const _: NativeMethod = bindings! { static extern fn open_batches(state: [JString]) -> jint };
const _: NativeMethod = bindings! {
    static extern fn ledger_confirm(
        state: [JString], confirmations: JString, now: jlong, rules: [jlong],
    ) -> [JString]
};
const _: NativeMethod = bindings! {
    static extern fn replay(
        values: [jchar], lengths: [jint], rows: jint, retries: jint, now: jlong,
    ) -> [JString]
};

/// The fields of an event, in the order of its values.
fn event_fields<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
) -> Result<Strings<'local>, Error> {
    strings(env, &FIELDS)
}

/// The columns of a record to replay, in the order of its values.
fn replay_fields<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
) -> Result<Strings<'local>, Error> {
    strings(env, &REPLAY_FIELDS)
}

/// Whether a line is one of rejects.
fn is_reject<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    line: JString<'local>,
) -> Result<jboolean, Error> {
    Ok(loadlog::is_reject(&text(env, &line)?))
}

/// How many batches are open in the ledger of `state`.
fn open_batches<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    state: Strings<'local>,
) -> Result<jint, Error> {
    Ok(jint::try_from(read_state(env, &state)?.len()).unwrap_or(jint::MAX))
}

/// Applies events and time to the ledger of `state`. Gives these texts: the master records as
/// lines `attempt<TAB>JSON`, the detail records as NDJSON, the refused events as lines `index<TAB>reason`, what to confirm once
/// the records have left, the batches that were dropped to make room as lines (all five empty where
/// there is nothing), and then the state's values.
#[allow(clippy::too_many_arguments)] // the signature of the Java method
fn ledger_step<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    state: Strings<'local>,
    values: JCharArray<'local>,
    lengths: JIntArray<'local>,
    events: jint,
    now: jlong,
    rules: JLongArray<'local>,
) -> Result<Strings<'local>, Error> {
    let rules = read_rules(env, &rules)?;
    let mut ledger = read_state(env, &state)?;
    let count =
        usize::try_from(events).map_err(|_| Error::Arguments("a negative number of events"))?;
    let cells = Cells::copy(env, &values, &lengths, count, FIELDS.len())?;

    let mut refused = String::new();
    let mut indexes = Vec::with_capacity(count);
    let mut read = Vec::with_capacity(count);
    for (index, row) in cells.rows().enumerate() {
        let fields: Vec<String> = row.map(String::from_utf16_lossy).collect();
        match Event::from_fields(&borrowed(&fields)) {
            Ok(event) => {
                indexes.push(index);
                read.push(event);
            }
            Err(reason) => refuse(&mut refused, index, &reason),
        }
    }
    let report = ledger.step(&read, now, &rules);
    for refusal in &report.refused {
        refuse(&mut refused, indexes[refusal.event], &refusal.reason);
    }
    let confirmations = match report.confirmations.is_empty() {
        true => String::new(),
        false => serde_json::to_string(&report.confirmations)?,
    };
    let (state, dropped) = ledger.fit(now, StateLimits::default())?;
    let mut texts = vec![
        masters(&report.masters)?,
        ndjson(&report.details)?,
        refused,
        confirmations,
        dropped.iter().map(|key| format!("{key}\n")).collect(),
    ];
    texts.extend(state);
    strings(env, &texts)
}

/// Tells the ledger of `state` that records have left. Gives the state's values.
fn ledger_confirm<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    state: Strings<'local>,
    confirmations: JString<'local>,
    now: jlong,
    rules: JLongArray<'local>,
) -> Result<Strings<'local>, Error> {
    let rules = read_rules(env, &rules)?;
    let mut ledger = read_state(env, &state)?;
    let confirmations: Vec<Confirmation> = serde_json::from_str(&text(env, &confirmations)?)?;
    ledger.confirm(&confirmations, now, &rules);
    strings(env, &ledger.to_state(StateLimits::default())?)
}

/// What becomes of each record of the re-run query: five texts a record. They are the relationship,
/// the retry count, the unit, the item and the claim as JSON; or `failure`, the reason, two empty
/// ones, and a claim where the retry is to be counted.
fn replay<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    values: JCharArray<'local>,
    lengths: JIntArray<'local>,
    rows: jint,
    retries: jint,
    now: jlong,
) -> Result<Strings<'local>, Error> {
    let count = usize::try_from(rows).map_err(|_| Error::Arguments("a negative number of rows"))?;
    let cells = Cells::copy(env, &values, &lengths, count, REPLAY_FIELDS.len())?;
    let mut texts: Vec<String> = Vec::with_capacity(count * 5);
    for row in cells.rows() {
        let fields: Vec<String> = row.map(String::from_utf16_lossy).collect();
        match Replay::from_fields(&borrowed(&fields), retries, now) {
            Ok(replay) => texts.extend([
                replay.route.name().to_owned(),
                replay.retry_count.to_string(),
                replay.unit.unwrap_or_default(),
                replay.item.map(|item| item.to_string()).unwrap_or_default(),
                serde_json::to_string(&replay.claim)?,
            ]),
            Err(reason) => texts.extend([
                "failure".to_owned(),
                reason.to_string(),
                String::new(),
                String::new(),
                match reason.claim() {
                    Some(claim) => serde_json::to_string(claim)?,
                    None => String::new(),
                },
            ]),
        }
    }
    strings(env, &texts)
}

/// The fields of a row; `Cells` gives as many as there are columns.
fn borrowed<const N: usize>(fields: &[String]) -> [&str; N] {
    let mut borrowed = [""; N];
    for (slot, field) in borrowed.iter_mut().zip(fields) {
        *slot = field;
    }
    borrowed
}

fn refuse(lines: &mut String, index: usize, reason: &dyn std::fmt::Display) {
    let reason = reason.to_string().replace(['\n', '\t'], " ");
    lines.push_str(&format!("{index}\t{reason}\n"));
}

/// Settle time, timeout and retention in milliseconds, and 1 where loaded items are logged.
fn read_rules(env: &Env<'_>, rules: &JLongArray<'_>) -> Result<Rules, Error> {
    let mut numbers = [0; 4];
    if rules.len(env)? != numbers.len() {
        return Err(Error::Arguments("rules that are not four numbers"));
    }
    rules.get_region(env, 0, &mut numbers)?;
    let [settle, timeout, retention, log_loaded] = numbers;
    Ok(Rules {
        settle,
        timeout,
        retention,
        log_loaded: log_loaded == 1,
    })
}

fn read_state(env: &mut Env<'_>, state: &Strings<'_>) -> Result<Ledger, Error> {
    let mut parts = Vec::new();
    for index in 0..state.len(env)? {
        let part = state.get_element(env, index)?;
        parts.push(text(env, &part)?);
        env.delete_local_ref(part);
    }
    Ok(Ledger::from_state(&parts)?)
}

fn masters(records: &[Master]) -> Result<String, Error> {
    let mut lines = String::new();
    for record in records {
        lines += &format!("{}\t{}\n", record.attempt, serde_json::to_string(record)?);
    }
    Ok(lines)
}

fn ndjson<T: Serialize>(records: &[T]) -> Result<String, Error> {
    let mut lines = String::new();
    for record in records {
        lines += &serde_json::to_string(record)?;
        lines.push('\n');
    }
    Ok(lines)
}
