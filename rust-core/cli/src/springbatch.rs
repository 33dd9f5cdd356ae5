//! `rowhash springbatch`.

use clap::Subcommand;
use rowhash_core::springbatch::{Parameter, Version, job_key};

use crate::output::Output;
use crate::{Failure, Verdict};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// The JOB_KEY of a job instance, as BATCH_JOB_INSTANCE holds it.
    JobKey {
        /// The major version of Spring Batch: 4, 5 or 6.
        #[arg(long, value_name = "VERSION")]
        spring_batch: Version,
        /// The identifying parameters, in any order: name=value, or name(long)=value for a number.
        /// The others are no part of the key.
        #[arg(value_name = "NAME=VALUE")]
        parameters: Vec<Parameter>,
    },
}

pub fn run(command: &Command) -> Result<Verdict, Failure> {
    let Command::JobKey {
        spring_batch,
        parameters,
    } = command;
    let key = job_key(*spring_batch, parameters)?;
    let mut output = Output::new();
    output.write(&[format!("{key}\n").as_bytes()])?;
    output.flush()?;
    Ok(Verdict::AllRight)
}
