//! Something that is done with many machines at the same time.

use std::thread;

use super::Error;

/// Starts something on all machines at once, since the binary takes its time to come there. `name` is what the user calls one.
///
/// # Errors
/// Those of `start`, of the first machine that has one; and where there is no thread for a machine, or it breaks down.
pub(crate) fn at_once<T: Send, R: Send>(
    machines: impl IntoIterator<Item = T>,
    name: impl Fn(&T) -> String,
    start: impl Fn(T) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    let start = &start;
    thread::scope(|scope| {
        let threads: Vec<_> = (machines.into_iter())
            .map(|one| {
                let name = name(&one);
                let thread = thread::Builder::new().spawn_scoped(scope, move || start(one));
                (name, thread)
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

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

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
}
