//! Something that is done with many machines at the same time.

use std::thread;

use super::Error;

/// Starts something on all machines at once, since the binary takes its time to come there. `name` is what the user calls one.
///
/// # Errors
/// Those of `start`, of the first machine that has one; and if there is no thread for a machine, or it panics.
pub(crate) fn at_once<T: Send, R: Send>(
    machines: impl IntoIterator<Item = T>,
    name: impl Fn(&T) -> String,
    start: impl Fn(T) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    at_once_or(machines, name, start, || {})
}

/// Does the same, and calls `failed` as soon as one of the machines fails, so that the others can stop.
///
/// # Errors
/// Those of [`at_once`].
pub(crate) fn at_once_or<T: Send, R: Send>(
    machines: impl IntoIterator<Item = T>,
    name: impl Fn(&T) -> String,
    start: impl Fn(T) -> Result<R, Error> + Sync,
    failed: impl Fn() + Sync,
) -> Result<Vec<R>, Error> {
    let (start, failed) = (&start, &failed);
    thread::scope(|scope| {
        let threads: Vec<_> = (machines.into_iter())
            .map(|one| {
                let name = name(&one);
                let mut failure = OnFailure {
                    call: failed,
                    armed: true,
                };
                // A closure for which there is no thread is dropped, and reports the failure too.
                let work = move || {
                    let started = start(one);
                    failure.arm(started.is_err());
                    started
                };
                (name, thread::Builder::new().spawn_scoped(scope, work))
            })
            .collect();
        // All of them, so that whatever was started is known, and ended, where another one fails.
        let joined: Vec<_> = (threads.into_iter())
            .map(|(machine, thread)| {
                let unreachable = |says: String| Error::unreachable(&machine, says);
                match thread.map(|thread| thread.join()) {
                    Ok(Ok(started)) => started,
                    Ok(Err(_)) => Err(unreachable(
                        "a thread of photofinish's own ended".to_owned(),
                    )),
                    Err(error) => Err(unreachable(format!("there is no thread for it: {error}"))),
                }
            })
            .collect();
        joined.into_iter().collect()
    })
}

/// Calls a function when it is dropped, unless it was disarmed: also while a panic unwinds.
struct OnFailure<'a, F: Fn()> {
    call: &'a F,
    armed: bool,
}

impl<F: Fn()> OnFailure<'_, F> {
    fn arm(&mut self, armed: bool) {
        self.armed = armed;
    }
}

impl<F: Fn()> Drop for OnFailure<'_, F> {
    fn drop(&mut self) {
        if self.armed {
            (self.call)();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::mpsc;

    use super::*;
    use crate::locked::locked;

    fn started(what: impl Fn(u32) -> Result<u32, Error> + Sync) -> Result<Vec<u32>, Error> {
        at_once([1, 2, 3], |number| format!("machine-{number}"), what)
    }

    #[test]
    fn all_are_started_together_and_stay_in_order() {
        let all_are_there = Barrier::new(3);
        let all = started(|number| {
            all_are_there.wait();
            Ok(number * 10)
        });
        assert_eq!(all.unwrap(), [10, 20, 30]);
    }

    #[test]
    fn the_first_machine_that_fails_is_named() {
        let failed = started(|number| match number {
            1 => Ok(1),
            2 => panic!("of this test"),
            _ => Err(Error::Interrupted),
        });
        let says = failed.unwrap_err().to_string();
        assert_eq!(says, "reach machine-2: a thread of photofinish's own ended");
    }

    #[test]
    fn the_others_learn_of_an_error_and_of_a_panic() {
        for failure in ["error", "panic"] {
            let (stop, stopped) = mpsc::channel();
            let stopped = std::sync::Mutex::new(stopped);
            let start = |number| match number {
                // Would wait for ever otherwise.
                1 => locked(&stopped).recv().map_err(|_| Error::Interrupted),
                _ if failure == "panic" => panic!("of this test"),
                _ => Err(Error::EarlyClock),
            };
            let name = |number: &u32| format!("machine-{number}");
            let all = at_once_or([1, 2], name, start, || stop.send(()).expect("it waits"));
            assert!(all.is_err(), "{failure}");
        }
    }
}
