//! A source through several threads, window by window, and out again in its order.
//!
//! One thread reads and cuts, each worker has every n-th window, and the caller writes. The windows
//! go round, from the writer back to the reader: there are so many and no more, which bounds the
//! memory whatever the size of the source.

use std::io::{ErrorKind, Read};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::{mem, panic, thread};

use rowhash_core::content::{Intake, Output, Plan, Rules, Splitter, Worker};

use crate::{Failure, Source};

/// How many bytes are read at once.
const WINDOW: usize = 1 << 17;

/// More threads than this wait for the one that reads and the one that writes.
const MOST_THREADS: usize = 8;

#[derive(Default)]
struct Window<R> {
    rows: Vec<u8>,
    plan: Option<Arc<Plan>>,
    output: Output,
    result: R,
}

/// How many workers there are unless the user says otherwise.
pub fn threads() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get().min(MOST_THREADS))
}

/// Works on each window, and hands what comes of it to `write` until that has enough.
pub fn run<R: Default + Send + 'static>(
    source: Source,
    rules: Rules,
    threads: usize,
    work: fn(&mut Worker, &Plan, &[u8], &mut Output) -> R,
    mut write: impl FnMut(&mut Output, R) -> Result<ControlFlow<()>, Failure>,
) -> Result<(), Failure> {
    let (used, free) = mpsc::channel();
    for _ in 0..2 * threads + 2 {
        // It cannot fail: the receiver is there.
        let _ = used.send(Window::default());
    }
    let mut workers = Vec::new();
    let (mut to_do, mut done) = (Vec::new(), Vec::new());
    for _ in 0..threads {
        let (sender, windows) = mpsc::channel();
        to_do.push(sender);
        let (results, receiver) = mpsc::channel();
        done.push(receiver);
        workers.push(thread::spawn(move || serve(&windows, &results, work)));
    }
    let reader = thread::spawn(move || read(source, Arc::new(rules), &free, &to_do));

    for results in done.iter().cycle() {
        let Ok(mut window) = results.recv() else {
            break; // the first turn that a worker has nothing for is the end
        };
        if write(&mut window.output, mem::take(&mut window.result))?.is_break() {
            return Ok(()); // without the reader, which may wait for its source
        }
        window.output.clear();
        // Nobody takes it when all is read.
        let _ = used.send(window);
    }
    drop(used);
    for worker in workers {
        worker
            .join()
            .unwrap_or_else(|panic| panic::resume_unwind(panic));
    }
    reader
        .join()
        .unwrap_or_else(|panic| panic::resume_unwind(panic))
}

/// Reads all of the source. A thread that no longer listens is the end of the work, too.
fn read<R>(
    source: Source,
    rules: Arc<Rules>,
    free: &Receiver<Window<R>>,
    workers: &[Sender<Window<R>>],
) -> Result<(), Failure> {
    let Source {
        name, mut reader, ..
    } = source;
    let mut splitter = Splitter::new(&rules);
    let mut intake = Intake::new(rules);
    let mut workers = workers.iter().cycle();
    loop {
        let room = splitter.room(WINDOW).map_err(|error| error.into());
        let length = match room.and_then(|room| reader.read(&mut room[..WINDOW])) {
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(source) => return Err(Failure::Read { name, source }),
        };
        match length {
            0 => splitter.finish(),
            _ => splitter.filled(length),
        }
        while let Some(piece) = splitter.next_piece() {
            let (Ok(mut window), Some(worker)) = (free.recv(), workers.next()) else {
                return Ok(());
            };
            let rows = match intake.take(piece, &mut window.output) {
                Ok(rows) => rows,
                Err(source) => return Err(Failure::Header { name, source }),
            };
            window.rows.clear();
            window.rows.extend_from_slice(rows);
            window.plan = intake.plan().cloned();
            if worker.send(window).is_err() {
                return Ok(());
            }
        }
        if length == 0 {
            return Ok(());
        }
    }
}

fn serve<R>(
    windows: &Receiver<Window<R>>,
    results: &Sender<Window<R>>,
    work: fn(&mut Worker, &Plan, &[u8], &mut Output) -> R,
) {
    let mut worker = Worker::new();
    for mut window in windows {
        if let Some(plan) = &window.plan {
            window.result = work(&mut worker, plan, &window.rows, &mut window.output);
        }
        if results.send(window).is_err() {
            return;
        }
    }
}
