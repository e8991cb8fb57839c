//! From files to methods.

use std::io;
use std::path::{Path, PathBuf};

use photofinish_model::{Payload, Template, files};
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor, Value};
use protox::Compiler;
use protox::file::{
    ChainFileResolver, File, FileResolver, GoogleFileResolver, IncludeFileResolver,
};

use crate::error::Error;
use crate::pieces;

/// The most bytes of a descriptor set: several times what all of Google's interfaces have.
const MAX_SET_BYTES: u64 = 256 << 20;

/// What services there are, and what their methods take and return.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    pool: DescriptorPool,
}

/// A method that takes one message.
#[derive(Clone, Debug)]
pub struct Method {
    of: MethodDescriptor,
}

/// A reply, as it must come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The messages one after the other, each as encoders write it: fields in the order of their numbers, and those that have
    /// their defaults left out.
    pub bytes: Vec<u8>,
    /// How many they are.
    pub messages: u64,
}

/// A folder with `.proto` files. The compiler itself would read a device, or a file of 2 GiB, to its end.
struct Folder {
    path: PathBuf,
    files: IncludeFileResolver,
}

impl Folder {
    fn new(path: PathBuf) -> Folder {
        Folder {
            files: IncludeFileResolver::new(path.clone()),
            path,
        }
    }
}

impl FileResolver for Folder {
    fn resolve_path(&self, path: &Path) -> Option<String> {
        self.files.resolve_path(path)
    }

    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        let path = self.path.join(name);
        match files::read(&path, files::WRITTEN) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let error = io::Error::new(error.kind(), format!("{}: {error}", path.display()));
                Err(protox::Error::new(error))
            }
            _ => self.files.open_file(name),
        }
    }
}

impl Schema {
    /// Compiles a `.proto` file; what it imports is looked for in `imports`, and beside it.
    ///
    /// # Errors
    /// With what is wrong with which file.
    pub fn compile(file: &Path, imports: &[PathBuf]) -> Result<Schema, Error> {
        // Its Debug has the file, the line and the column too.
        let says = |error: protox::Error| Error::Compile {
            says: match error.is_io() {
                true => error.to_string(),
                false => format!("{error:?}"),
            },
        };
        let mut folders = imports.to_vec();
        if !imports.iter().any(|folder| file.starts_with(folder)) {
            folders.push(file.parent().unwrap_or(Path::new("")).to_owned());
        }
        // What the compiler says of a file that is not there does not name it well.
        files::read(file, files::WRITTEN).map_err(|source| Error::Read {
            file: file.to_owned(),
            source,
        })?;
        let mut resolver = ChainFileResolver::new();
        for folder in folders {
            resolver.add(Folder::new(folder));
        }
        resolver.add(GoogleFileResolver::new());
        let mut compiler = Compiler::with_file_resolver(resolver);
        compiler.include_imports(true);
        compiler.open_file(file).map_err(says)?;
        Ok(Schema {
            pool: compiler.descriptor_pool(),
        })
    }

    /// Reads a descriptor set, as `protoc --include_imports --descriptor_set_out` writes it.
    ///
    /// # Errors
    /// If it is none.
    pub fn descriptor_set(file: &Path) -> Result<Schema, Error> {
        let bytes = files::read_given(file, MAX_SET_BYTES).map_err(|source| Error::Read {
            file: file.to_owned(),
            source,
        })?;
        let pool = DescriptorPool::decode(bytes.as_slice());
        Ok(Schema {
            pool: pool.map_err(|error| Error::DescriptorSet {
                file: file.to_owned(),
                says: error.to_string(),
            })?,
        })
    }

    /// The method that calls of this path make, such as `/package.Service/Method`.
    ///
    /// # Errors
    /// If there is none, and if it takes a stream.
    pub fn method(&self, path: &str) -> Result<Method, Error> {
        let wanted = path.strip_prefix('/').and_then(|path| path.split_once('/'));
        let Some((service, name)) = wanted.filter(|(service, name)| {
            !service.is_empty() && !name.is_empty() && !name.contains('/')
        }) else {
            let path = path.to_owned();
            return Err(Error::Path { path });
        };
        let found = self.pool.get_service_by_name(service);
        let found = found.and_then(|found| found.methods().find(|method| method.name() == name));
        let path = path.to_owned();
        match found {
            Some(method) if method.is_client_streaming() => Err(Error::ClientStreaming { path }),
            Some(of) => Ok(Method { of }),
            None => Err(Error::NoMethod {
                path,
                known: self.methods(),
            }),
        }
    }

    /// The paths of all methods.
    fn methods(&self) -> Vec<String> {
        let of = |service: prost_reflect::ServiceDescriptor| {
            let path = |method: MethodDescriptor| {
                format!("/{}/{}", method.parent_service().full_name(), method.name())
            };
            service.methods().map(path).collect::<Vec<String>>()
        };
        self.pool.services().flat_map(of).collect()
    }
}

impl Method {
    /// How many messages its replies have; `None`: any number (a stream from the server).
    pub fn messages(&self) -> Option<u64> {
        (!self.of.is_server_streaming()).then_some(1)
    }

    #[cfg(test)]
    pub(crate) fn input(&self) -> MessageDescriptor {
        self.of.input()
    }

    /// The message that a call sends, from its JSON.
    ///
    /// # Errors
    /// If it is no message of the method's type, or has a place where none can be.
    pub fn request(&self, json: &str) -> Result<Payload, Error> {
        let descriptor = self.of.input();
        match Template::parse(json).is_fixed() {
            true => Ok(Payload::fixed(read(&descriptor, json)?.encode_to_vec())),
            false => pieces::of_json(&descriptor, json),
        }
    }

    /// The reply that must come back, from its JSON: a message, or of a stream a list of them.
    ///
    /// # Errors
    /// If it is no message of the method's type, or where its bytes are not certain.
    pub fn reply(&self, json: &str) -> Result<Reply, Error> {
        let descriptor = self.of.output();
        if !Template::parse(json).is_fixed() {
            return Err(Error::Place {
                field: "the reply".to_owned(),
                says: "what varies cannot be stated here; state what the reply must contain",
            });
        }
        let texts = match (self.messages(), json.trim_start().starts_with('[')) {
            (None, true) => {
                let list: Vec<serde_json::Value> =
                    serde_json::from_str(json).map_err(pieces::not(&descriptor))?;
                list.iter().map(ToString::to_string).collect()
            }
            _ => vec![json.to_owned()],
        };
        let mut reply = Reply {
            bytes: Vec::new(),
            messages: texts.len() as u64,
        };
        for text in texts {
            let message = read(&descriptor, &text)?;
            if message.fields().any(|(_, value)| has_long_map(value)) {
                return Err(Error::MapInReply);
            }
            reply.bytes.extend(message.encode_to_vec());
        }
        Ok(reply)
    }
}

/// A message of this type.
fn read(descriptor: &MessageDescriptor, json: &str) -> Result<DynamicMessage, Error> {
    let not = pieces::not(descriptor);
    let mut json = serde_json::Deserializer::from_str(json);
    let message = DynamicMessage::deserialize(descriptor.clone(), &mut json).map_err(&not)?;
    json.end().map_err(not)?;
    pieces::complete(&message)?;
    Ok(message)
}

/// Whether there is a map of several entries in it.
fn has_long_map(value: &Value) -> bool {
    match value {
        Value::Map(map) => map.len() > 1 || map.values().any(has_long_map),
        Value::List(list) => list.iter().any(has_long_map),
        Value::Message(message) => message.fields().any(|(_, value)| has_long_map(value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn no_more_is_read_than_a_schema_has() {
        let says = |file: &Path| Schema::compile(file, &[]).expect_err("refused").to_string();
        let zero = says(Path::new("/dev/zero"));
        assert_eq!(zero, "cannot read /dev/zero: it is not a regular file");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("main.proto");
        fs::write(&file, "syntax = \"proto3\"; import \"endless.proto\";").expect("a file");
        let endless = folder.path().join("endless.proto");
        std::os::unix::fs::symlink("/dev/zero", &endless).expect("a link");
        let imported = says(&file);
        assert!(
            imported.contains("endless.proto: it is not a regular file"),
            "{imported}"
        );
        fs::remove_file(&endless).expect("ours");
        fs::File::create(&endless)
            .and_then(|file| file.set_len(1 << 40))
            .expect("a sparse file");
        let large = says(&file);
        assert!(
            large.contains("endless.proto: it is larger than"),
            "{large}"
        );
    }
}
