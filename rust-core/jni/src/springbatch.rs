//! The JOB_KEY of Spring Batch for Java.

use jni::objects::{JClass, JString};
use jni::{Env, NativeMethod, native_method};
use rowhash_core::springbatch::{self, Parameter, ParameterValue, Version};

use crate::error::{Error, ThrowJavaException};
use crate::{Strings, text};

const _: NativeMethod = bindings! {
    static extern fn job_key(version: JString, parameters: [JString]) -> JString
};

/// The JOB_KEY of identifying text parameters: names and values in turn.
fn job_key<'local>(
    env: &mut Env<'local>,
    _: JClass<'local>,
    version: JString<'local>,
    parameters: Strings<'local>,
) -> Result<JString<'local>, Error> {
    let version: Version = text(env, &version)?.parse()?;
    let mut texts = Vec::new();
    for index in 0..parameters.len(env)? {
        let part = parameters.get_element(env, index)?;
        texts.push(text(env, &part)?);
        env.delete_local_ref(part);
    }
    let pairs = texts.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return Err(Error::Arguments("a parameter without a value"));
    }
    let parameters: Vec<Parameter> = pairs
        .map(|pair| Parameter {
            name: pair[0].clone(),
            value: ParameterValue::Text(pair[1].clone()),
        })
        .collect();
    let key = springbatch::job_key(version, &parameters)?;
    Ok(env.new_string(key.to_string())?)
}
