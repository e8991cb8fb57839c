//! A call as users state it: with a schema in JSON, without one in bytes.

use photofinish_model::{Expect, Grpc, Payload, Secret, Template};

use crate::error::Error;
use crate::schema::Schema;

/// What users say of a call.
#[derive(Clone, Debug)]
pub struct Stated<'s> {
    /// The schema; `None`: message and reply are bytes.
    pub schema: Option<&'s Schema>,
    /// The method, such as `/package.Service/Method`.
    pub path: &'s str,
    /// The metadata.
    pub headers: Vec<(String, Secret<Template>)>,
    /// The message; empty = one whose fields all have their defaults.
    pub message: &'s Template,
    /// What must come back: the body is the reply.
    pub expect: Expect,
    /// How many calls are in flight on a connection at most.
    pub streams: u32,
}

/// The call, with its message as it is sent.
///
/// # Errors
/// If schema, method, message or reply do not fit each other.
pub fn call(stated: Stated) -> Result<Grpc, Error> {
    let Stated {
        schema,
        path,
        headers,
        message,
        mut expect,
        streams,
    } = stated;
    let (message, messages) = match schema {
        None if !message.is_fixed() => return Err(Error::VaryingBytes),
        // What kind the method is of is not known.
        None => (Payload::fixed(message.literal()), None),
        Some(schema) => {
            let method = schema.method(path)?;
            let message = match message.is_empty() {
                true => "{}".to_owned(),
                false => message.text(),
            };
            let mut messages = method.messages();
            if let Some(json) = &expect.body {
                let reply = method.reply(&String::from_utf8_lossy(json))?;
                messages = Some(reply.messages);
                expect.body = Some(reply.bytes);
            }
            (method.request(&message)?, messages)
        }
    };
    Ok(Grpc {
        path: path.to_owned(),
        headers,
        message: message.into(),
        messages,
        expect,
        streams,
    })
}
