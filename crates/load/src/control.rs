//! How the caller follows a run and ends it: what lives on this machine alone, beside the configuration.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Instant;

use photofinish_model::Window;

/// A moment of a run at which the caller may want to sample something else, such as the server's CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The window opened at this moment: the lead-in is over.
    Opened(Instant),
    /// The window closed at this moment: what is in flight is still waited for.
    Closed(Instant),
}

/// How the caller follows and ends a run.
#[derive(Debug, Default)]
pub struct Control {
    /// Set to end the run now: the window is closed, responses in flight are waited for.
    stop: AtomicBool,
    /// Gets each window as it ends.
    windows: Option<Sender<Window>>,
    /// Gets each mark as it is reached.
    marks: Option<Sender<Mark>>,
}

impl Control {
    /// A control that passes each window on as it ends.
    pub fn with_windows(windows: Sender<Window>) -> Self {
        Control {
            windows: Some(windows),
            ..Control::default()
        }
    }

    /// The same, which also passes on when the window opens and closes.
    pub fn with_marks(mut self, marks: Sender<Mark>) -> Self {
        self.marks = Some(marks);
        self
    }

    /// Passes a mark on. The run calls this once for each mark, as soon as
    /// it can after that moment, from whichever of its threads.
    pub fn mark(&self, mark: Mark) {
        if let Some(marks) = &self.marks {
            // A caller that no longer listens is no reason to end the run.
            let _ = marks.send(mark);
        }
    }

    /// Ends the run soon (within some 30 ms, and the draining of what is in flight).
    /// May be called from any thread, and from a signal handler.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the run was asked to end.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Where marks go.
    pub fn marks(&self) -> Option<&Sender<Mark>> {
        self.marks.as_ref()
    }

    /// Where windows go.
    pub fn windows(&self) -> Option<&Sender<Window>> {
        self.windows.as_ref()
    }
}
