//! What is passed on for as long as something is there: windows and marks of a load, bytes of a connection.

use std::io::Read;
use std::sync::{Arc, mpsc};
use std::thread;

use photofinish_load::{Control, Mark};

use super::Agent;
use crate::agent::message::{FromAgent, News, Refusal};
use crate::local::Thing;
use crate::locked::locked;
use crate::request::Ask;

/// How many bytes of a connection travel in one message.
const PIECE_BYTES: usize = 64 * 1024;

impl Agent {
    /// Lets load flow, and passes on its windows and marks as they come.
    pub(super) fn follow(&self, number: u64, ask: Ask) -> Result<Vec<u8>, Refusal> {
        let agent = self;
        let (windows_in, windows) = mpsc::channel();
        let (marks_in, marks) = mpsc::channel();
        let control = Arc::new(Control::with_windows(windows_in).with_marks(marks_in));
        if let Some(before) = locked(&agent.controls).insert(number, Arc::clone(&control))
            && before.stopped()
        {
            control.stop();
        }
        thread::scope(|scope| {
            // Marks at once: they say when to look at the server.
            scope.spawn(|| {
                for mark in marks {
                    let news = match mark {
                        Mark::Opened(_) => News::Opened,
                        Mark::Closed(_) => News::Closed,
                    };
                    agent.send(&FromAgent::News(number, news));
                }
            });
            scope.spawn(|| {
                for window in windows {
                    agent.send(&FromAgent::News(number, News::Window(window)));
                }
            });
            let outcome = agent.perform(number, ask, &control);
            // The channels close with their last holder, and their threads end.
            locked(&agent.controls).remove(&number);
            drop(control);
            outcome
        })
    }

    /// Passes on what comes over a connection.
    pub(super) fn pass_on(self: &Arc<Self>, number: u64) {
        let agent = Arc::clone(self);
        let Ok(thing) = self.host.thing(number) else {
            return;
        };
        thread::spawn(move || {
            let Thing::Connection(stream) = &*thing else {
                return;
            };
            let mut bytes = vec![0; PIECE_BYTES];
            loop {
                // Whatever is wrong with it, no more will come.
                let read = { stream }.read(&mut bytes).unwrap_or(0);
                let news = News::Bytes(bytes[..read].to_vec());
                agent.send(&FromAgent::News(number, news));
                if read == 0 {
                    return;
                }
            }
        });
    }
}
