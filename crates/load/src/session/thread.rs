//! One of a session's threads, as the session sees it.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use photofinish_model::finding::failure::LoadPart;

use crate::affinity;
use crate::clock;
use crate::config::{Config, Share};
use crate::error::{Error, system};
use crate::files;
use crate::protocol::{Place, Protocol};
use crate::record::Tally;
use crate::transport::Transport;
use crate::wake::Waker;
use crate::worker::{Flow, Message, Task, Worker};

#[derive(Debug)]
pub(super) struct Thread {
    pub(super) handle: Option<JoinHandle<()>>,
    pub(super) waker: Arc<Waker>,
    /// `None`: the thread is to end.
    pub(super) orders: Option<Sender<Arc<Flow>>>,
    /// The way back of tallies that were added.
    pub(super) recycle: Sender<Box<Tally>>,
}

impl Thread {
    /// Starts the one that has this part of the session's connections, which are `place` of the whole load.
    pub(super) fn start<P: Protocol, T: Transport>(
        part: Share,
        place: Place,
        config: &Arc<Config>,
        (protocol, transport): (
            impl Fn(Place) -> Result<P, Error> + Send + 'static,
            impl Fn() -> Result<T, Error> + Send + 'static,
        ),
        messages: Sender<Message>,
    ) -> Result<Thread, Error> {
        let (orders, ordered) = mpsc::channel();
        let (recycle, recycled) = mpsc::channel();
        let waker = Arc::new(Waker::new().map_err(system(LoadPart::Poll))?);
        let watched = Arc::clone(&waker);
        let config = Arc::clone(config);
        let body = move || {
            // Whatever ends this thread early is reported to the session, which would wait for it.
            let end = End(Some(messages.clone()));
            let work = || -> Result<(), Error> {
                if let Some(&cpu) = config.cpus.get(part.index) {
                    affinity::pin(cpu).map_err(|source| Error::Pin {
                        cpu,
                        says: source.to_string(),
                    })?;
                }
                if !config.batch.is_zero() {
                    clock::sleep_precisely();
                }
                files::own(watched.as_fd());
                let task = Task {
                    thread: part.index,
                    threads: part.of,
                    place,
                    connections: part.dealt(config.connections().into()) as usize,
                    protocol: protocol(place)?,
                    transport: transport()?,
                    config,
                    orders: ordered,
                    messages,
                    recycled,
                };
                Worker::new(task, &*watched)?.run()
            };
            end.with(work());
        };
        let handle = thread::Builder::new()
            .name(format!("load-{}", part.index))
            .spawn(body)
            .map_err(system(LoadPart::Thread))?;
        Ok(Thread {
            handle: Some(handle),
            waker,
            orders: Some(orders),
            recycle,
        })
    }
}

/// Reports to the session how a thread ended, by a panic too.
struct End(Option<Sender<Message>>);

impl End {
    fn with(mut self, result: Result<(), Error>) {
        if let (Some(messages), Err(error)) = (self.0.take(), result) {
            // A session that is gone needs not know.
            let _ = messages.send(Message::Broken(Some(error)));
        }
    }
}

impl Drop for End {
    fn drop(&mut self) {
        if let Some(messages) = &self.0 {
            let _ = messages.send(Message::Broken(None));
        }
    }
}
