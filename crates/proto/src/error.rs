//! What is wrong with a schema, a method or a message.

use std::path::PathBuf;

/// What is wrong with a schema, a method or a message.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A `.proto` file, or one that it imports, has a mistake or is not there.
    #[error("{says}")]
    Compile {
        /// What the compiler said, with file and line.
        says: String,
    },
    /// A file that is not a descriptor set.
    #[error(
        "{} is not a descriptor set ({says}); make one with `protoc --include_imports --descriptor_set_out=FILE`", file.display()
    )]
    DescriptorSet {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        says: String,
    },
    /// A file that cannot be read.
    #[error("cannot read {}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A path that names no method.
    #[error("`{path}` is not a method; write /package.Service/Method")]
    Path {
        /// The path.
        path: String,
    },
    /// A method that the schema does not have.
    #[error("there is no method `{path}`; there are: {}", known.join(", "))]
    NoMethod {
        /// The path.
        path: String,
        /// The paths of those that there are.
        known: Vec<String>,
    },
    /// A method that takes a stream.
    #[error(
        "`{path}` takes a stream of messages; only methods that take one message can be loaded"
    )]
    ClientStreaming {
        /// The path.
        path: String,
    },
    /// A message in bytes with a place in it.
    #[error(
        "without a schema a message is sent as it is, and its lengths would be wrong once something is filled in; give the \
         method's .proto file or descriptor set"
    )]
    VaryingBytes,
    /// A message that is not one of its type.
    #[error("the message does not fit {message}: {says}")]
    Json {
        /// The type's name.
        message: String,
        /// What is wrong with it.
        says: String,
    },
    /// A place where none can be filled in.
    #[error("{field}: {says}")]
    Place {
        /// The field's name.
        field: String,
        /// Why it cannot be.
        says: &'static str,
    },
    /// A stated reply whose bytes are not certain.
    #[error(
        "the reply has a map of several entries, which come in any order; state what it must contain, or the bytes"
    )]
    MapInReply,
}
