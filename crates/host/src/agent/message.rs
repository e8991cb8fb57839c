//! What photofinish asks of an agent, and what it replies.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::IpAddr;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
use photofinish_model::Window;
use photofinish_model::secret::exposing;
use serde::{Deserialize, Serialize};

/// What an agent says of itself, first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Welcome {
    /// Itself as a program.
    pub(super) program: PathBuf,
    /// Where builds are kept.
    pub(super) cache: PathBuf,
    /// The address at which whoever started it from elsewhere reached its machine.
    pub(super) address: Option<IpAddr>,
}

/// To an agent. `R` is a request.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToAgent<R> {
    /// A request, by the number that its reply will have.
    Ask(u64, R),
    /// The load, or the wait, that was asked for by this number is to end.
    Cancel(u64),
    /// For the connection that was asked for by this number; nothing: no more will come.
    Bytes(u64, Vec<u8>),
    /// What has this number is not needed any more: a process, a session, a meter, a lock, a folder, a connection.
    Drop(u64),
    /// The asker is still there.
    Alive,
}

/// From an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FromAgent {
    /// What came of the request with this number: the bytes of its reply.
    Reply(u64, Result<Vec<u8>, Refusal>),
    /// Something of it on the way.
    News(u64, News),
    /// The agent is still there.
    Alive,
}

/// A piece of what is put on another machine.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Piece {
    /// The first bytes of a file, and its mode.
    File(u32, Vec<u8>),
    /// Further ones.
    More(Vec<u8>),
    /// A link to somewhere.
    Link(PathBuf),
}

impl Piece {
    /// Writes it.
    pub(super) fn put(self, path: &Path) -> Result<(), Refusal> {
        let put = || -> io::Result<()> {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut options = OpenOptions::new();
            match self {
                Piece::Link(to) => symlink(to, path),
                Piece::More(bytes) => options.append(true).open(path)?.write_all(&bytes),
                Piece::File(mode, bytes) => {
                    let options = options.write(true).create(true).truncate(true);
                    let mut file = options.mode(mode).open(path)?;
                    file.write_all(&bytes)?;
                    file.set_permissions(fs::Permissions::from_mode(mode))
                }
            }
        };
        put().map_err(Refusal::by_system("write", path))
    }
}

/// What happened on the way to a reply.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum News {
    Window(Window),
    Opened,
    Closed,
    /// What came over a connection; nothing: no more will come.
    Bytes(Vec<u8>),
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Refusal {
    /// In words that fit 'failed to'.
    pub(super) says: String,
    /// The system's number for it, where it has one.
    pub(super) number: Option<i32>,
}

impl Refusal {
    /// The system's refusal to do something with a path.
    pub(super) fn by_system(verb: &str, path: &Path) -> impl Fn(io::Error) -> Refusal {
        let what = format!("{verb} {}", path.display());
        move |error| Refusal {
            says: format!("{what}: {error}"),
            number: error.raw_os_error(),
        }
    }
}

/// Something whose form is made for people, as text.
#[derive(Serialize, Deserialize)]
pub(super) struct Json<T> {
    text: String,
    #[serde(skip)]
    of: std::marker::PhantomData<T>,
}

/// Without the text, in which secrets are.
impl<T> fmt::Debug for Json<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({} bytes)", self.text.len())
    }
}

impl<T: Serialize + for<'d> Deserialize<'d>> Json<T> {
    pub(super) fn of(value: &T) -> Json<T> {
        Json {
            // What cannot be written is empty, which cannot be read: the other side says so.
            text: exposing(|| serde_json::to_string(value)).unwrap_or_default(),
            of: std::marker::PhantomData,
        }
    }

    pub(super) fn read(&self) -> Result<T, Refusal> {
        serde_json::from_str(&self.text).map_err(|error| Refusal {
            says: format!("read what is to be sent: {error}"),
            number: None,
        })
    }
}

/// Times in nanoseconds, in HdrHistogram's own format.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Times(Vec<u8>);

impl Times {
    pub(super) fn of(histogram: &Histogram<u64>) -> Option<Times> {
        let mut bytes = Vec::new();
        let written = V2Serializer::new().serialize(histogram, &mut bytes);
        written.is_ok().then_some(Times(bytes))
    }

    pub(super) fn read(&self) -> Option<Histogram<u64>> {
        Deserializer::new().deserialize(&mut &self.0[..]).ok()
    }
}
