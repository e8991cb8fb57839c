//! Several generators as one: the load is dealt out to them, they begin at one instant, and what they measured is put together.
//!
//! Nobody's clock has to be right: each gets the instant by its own clock, whose offset is estimated before each slice. A slice
//! that one of them could not begin in time does not count, and is sent again with more time to begin.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use photofinish_load::{
    Ahead, Compact, Config, Control, Outcome, Part, Share, Slice, Until, side_by_side,
};
use photofinish_model::Window;
use photofinish_model::finding::failure::LoadTrouble;

use super::agent::Table;
use super::clocks::Clock;
use super::host::{Call, Host};
use super::request::{self, Meter, Session, broke_down, no_thread};
use super::Error;

/// How often whoever waits for load looks around.
const LOOK: Duration = Duration::from_millis(20);
/// In how many round trips a clock is first compared.
const FIRST: u32 = 200;
/// And before each slice.
const LOOKS: u32 = 4;
/// From the word to begin until the instant, at first; as for a thread that has to be woken on a busy machine.
const MARGIN: Duration = Duration::from_millis(5);
/// The longest that anybody is given.
const LONGEST: Duration = Duration::from_secs(1);
/// So many names are said.
const NAMED: usize = 4;
/// How often a slice is tried.
const TRIES: u32 = 8;

/// Several generators.
pub struct Several {
    hosts: Vec<Host>,
    /// Their machines.
    places: Vec<Place>,
    clocks: Vec<Mutex<Clock>>,
    made: Table<Thing>,
}

/// What all of them made.
enum Thing {
    Session(Mutex<Together>),
    Meters(Mutex<Vec<Meter>>),
}

/// A generator's machine.
struct Place {
    name: String,
    /// Which boot of which machine.
    boot: String,
    cores: Vec<usize>,
}

impl Several {
    /// Generators, each on its machine.
    ///
    /// # Errors
    /// Where one of them cannot be asked.
    pub fn new(hosts: Vec<Host>) -> Result<Several, Error> {
        let place = |host: &Host| {
            Ok(Place {
                name: host.name(),
                boot: host.ask(request::Facts)?.boot,
                cores: (host.ask(request::Cpus)?.iter())
                    .map(|cpu| cpu.number)
                    .collect(),
            })
        };
        let places: Result<Vec<Place>, Error> = hosts.iter().map(place).collect();
        let several = Several {
            places: places?,
            clocks: hosts.iter().map(|_| Mutex::default()).collect(),
            hosts,
            made: Table::default(),
        };
        several.look_at_clocks(FIRST)?;
        Ok(several)
    }

    /// They, one by one.
    pub(crate) fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The first of them, which stands for all where one will do.
    pub(crate) fn first(&self) -> &Host {
        &self.hosts[0]
    }

    pub(crate) fn next_number(&self) -> u64 {
        self.made.next_number()
    }

    pub(crate) fn keep(&self, call: &Call<'_>, session: Together) {
        self.made.keep(call, Thing::Session(Mutex::new(session)));
    }

    pub(crate) fn release(&self, number: u64) {
        drop(self.made.take(number));
    }

    /// Their names, some of them where they are many.
    pub(crate) fn name(&self) -> String {
        let names: Vec<&str> = self.places.iter().map(|place| &*place.name).collect();
        match names.as_slice() {
            [one] => (*one).to_owned(),
            [first, .., last] if names.len() > NAMED => {
                format!("{first} to {last} ({} machines)", names.len())
            }
            [others @ .., last] => format!("{} and {last}", others.join(", ")),
            [] => String::new(),
        }
    }

    pub(crate) fn fewest_cores(&self) -> u32 {
        let cores = self.places.iter().map(|place| place.cores.len() as u32);
        cores.min().unwrap_or(1).max(1)
    }

    /// Starts a meter on each machine: on this core, or where it is none of those that load comes from there on the first of them.
    pub(crate) fn start_meters(
        &self,
        call: &Call<'_>,
        cpu: Option<usize>,
        start: impl Fn(&Host, Option<usize>) -> Meter,
    ) -> Result<(), Error> {
        let meters = self.hosts.iter().zip(&self.places).map(|(host, place)| {
            // It was chosen on the first one's machine.
            let has_it = cpu.is_none_or(|cpu| place.cores.contains(&cpu));
            let first = || place.cores.first().copied();
            start(host, if has_it { cpu } else { first() })
        });
        let meters = Mutex::new(meters.collect());
        self.made.keep(call, Thing::Meters(meters));
        Ok(())
    }

    /// What the meters on all machines have noted since the last lap, added up; `None` where one of them has noted nothing.
    pub(crate) fn laps(&self, number: u64) -> Option<Histogram<u64>> {
        self.meters(number, |meters| sum(meters.iter().map(Meter::lap)))
    }

    /// The same, which ends them.
    pub(crate) fn last_laps(&self, number: u64) -> Option<Histogram<u64>> {
        self.meters(number, |meters| sum(meters.drain(..).map(Meter::end)))
    }

    fn meters<T>(
        &self,
        number: u64,
        work: impl FnOnce(&mut Vec<Meter>) -> Option<T>,
    ) -> Option<T> {
        match &*self.made.get(number).ok()? {
            Thing::Meters(meters) => {
                work(&mut meters.lock().unwrap_or_else(PoisonError::into_inner))
            }
            Thing::Session(_) => None,
        }
    }

    /// Lets load flow on the connections of this number.
    pub(crate) fn flow(
        &self,
        number: u64,
        slice: &Slice,
        control: &Control,
    ) -> Result<Outcome, Error> {
        match &*self.made.get(number)? {
            Thing::Session(session) => {
                let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
                session.slice(self, slice, control)
            }
            Thing::Meters(_) => Err(Error::Gone(number)),
        }
    }

    /// Does something with each of them at the same time, by its number.
    fn each<'g, T: Send>(
        &'g self,
        what: impl Fn(usize, &'g Host) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        thread::scope(|scope| {
            let what = &what;
            let started: Vec<_> = (self.hosts.iter().enumerate())
                .map(|(number, host)| {
                    let work = move || what(number, host);
                    thread::Builder::new().spawn_scoped(scope, work)
                })
                .collect();
            let ended = started.into_iter().map(|thread| {
                let thread = thread.map_err(no_thread)?;
                thread.join().map_err(|_| broke_down())?
            });
            // All of them, so that what is reported is of the first that has something to report, whoever was the quickest.
            let ended: Vec<Result<T, Error>> = ended.collect();
            ended.into_iter().collect()
        })
    }

    /// How far each clock is ahead of this machine's.
    fn look_at_clocks(&self, looks: u32) -> Result<Vec<Ahead>, Error> {
        self.each(|number, host| {
            let mut clock = (self.clocks[number].lock()).unwrap_or_else(PoisonError::into_inner);
            clock.update(looks, || host.ahead())
        })
    }

    /// What one of them is to send.
    fn config(&self, config: &Config, number: usize) -> Config {
        let own = &self.places[number];
        Config {
            share: self.share(number),
            cpus: self.cpus_there(number, &config.cpus),
            threads: config.threads.min(own.cores.len().max(1)),
            // Some of them may be on one machine, and share its cores.
            eager: false,
            ..config.clone()
        }
    }

    /// The cores of one of them in place of those that were chosen on the first one's machine: all of that one's are all of
    /// another one's. Two pods of one machine may have been given different ones.
    fn cpus_there(&self, number: usize, chosen: &[usize]) -> Vec<usize> {
        let (own, first) = (&self.places[number], &self.places[0]);
        let has_them = own.boot == first.boot && chosen.iter().all(|cpu| own.cores.contains(cpu));
        match chosen == first.cores && !has_them {
            true => own.cores.clone(),
            false => chosen.to_vec(),
        }
    }

    fn share(&self, index: usize) -> Share {
        let of = self.hosts.len();
        Share { index, of }
    }

    /// Opens connections from all of them.
    ///
    /// # Errors
    /// Where there are fewer than generators, or one of them cannot send load.
    pub(crate) fn open(&self, config: &Config, control: &Control) -> Result<Together, Error> {
        let (connections, generators) = (config.load.connections(), self.hosts.len());
        if (connections as usize) < generators {
            return Err(LoadTrouble::FewConnections {
                connections,
                generators,
            }
            .into());
        }
        let configs: Vec<Config> = (0..generators).map(|n| self.config(config, n)).collect();
        let sessions = self.each(|number, host| host.open(&configs[number], control))?;
        Ok(Together {
            sessions,
            connections: configs.iter().map(Config::connections).collect(),
            margin: MARGIN,
        })
    }
}

/// Times of all of them; `None` where one of them has none.
fn sum(all: impl Iterator<Item = Option<Histogram<u64>>>) -> Option<Histogram<u64>> {
    let all: Option<Vec<Histogram<u64>>> = all.collect();
    all?.into_iter().reduce(|mut sum, more| {
        // All were made with the same digits, and grow.
        let _ = sum.add(&more);
        sum
    })
}

/// Connections of several generators.
pub(crate) struct Together {
    sessions: Vec<Session>,
    connections: Vec<u32>,
    /// From the word to begin until the instant: as long as it was needed so far.
    margin: Duration,
}

impl Together {
    /// Lets load flow until the end that the slice states or `control` asks for.
    ///
    /// # Errors
    /// Where no load can be sent, or they cannot begin together.
    pub(crate) fn slice(
        &mut self,
        several: &Several,
        slice: &Slice,
        control: &Control,
    ) -> Result<Outcome, Error> {
        let share = |index| several.share(index);
        if let Until::Requests(requests) = slice.until
            && share(self.sessions.len() - 1).dealt(requests) == 0
        {
            return Err(LoadTrouble::FewRequests {
                requests,
                generators: self.sessions.len(),
            }
            .into());
        }
        let mut wasted = Vec::new();
        for _ in 0..TRIES {
            let clocks = several.look_at_clocks(LOOKS)?;
            let begin = SystemTime::now() + self.margin;
            let outcomes = self.flow(slice, begin, &clocks, control)?;
            let late = latest(begin + slice.lead_in(), &outcomes, &clocks);
            if late.is_zero() || control.stopped() {
                return self.together(several, outcomes, &clocks, &wasted);
            }
            wasted.extend(outcomes);
            self.margin = (self.margin * 2).max(late * 2).min(LONGEST);
        }
        Err(LoadTrouble::Apart { tries: TRIES }.into())
    }

    /// Lets load flow from all of them, from an instant on that is given by this machine's clock.
    fn flow(
        &mut self,
        slice: &Slice,
        begin: SystemTime,
        clocks: &[Ahead],
        control: &Control,
    ) -> Result<Vec<Compact>, Error> {
        let (send_marks, marks) = mpsc::channel();
        let (controls, windows): (Vec<Control>, Vec<Receiver<Window>>) = (self.sessions.iter())
            .map(|_| {
                let (send, windows) = mpsc::channel();
                (Control::with_windows(send), windows)
            })
            .unzip();
        let mut controls = controls.into_iter();
        // Windows open and close at the same instant everywhere: one says so for all.
        let first = controls.next().map(|first| first.with_marks(send_marks));
        let controls: Vec<Arc<Control>> = first.into_iter().chain(controls).map(Arc::new).collect();
        let mut windows = Windows::new(windows);
        let (say_done, done) = mpsc::channel();
        thread::scope(|scope| {
            let mut failed = None;
            let mut outcomes: Vec<Option<Compact>> = Vec::new();
            let mut left = 0;
            for (number, session) in self.sessions.iter_mut().enumerate() {
                outcomes.push(None);
                let own = Slice {
                    begin: Some(ahead_of(begin, clocks[number])),
                    ..slice.clone()
                };
                let (control, say_done) = (Arc::clone(&controls[number]), say_done.clone());
                let work = move || {
                    let outcome = session.slice(&own, &control).map(Compact::from);
                    let _ = say_done.send((number, outcome));
                };
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(_) => left += 1,
                    Err(error) => failed = Some(no_thread(error)),
                }
            }
            // It closes with the last thread, by a panic too.
            drop(say_done);
            let hear = move || marks.iter().for_each(|mark| control.mark(mark));
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, hear) {
                failed = Some(no_thread(error));
            }
            let mut stopped = false;
            while left > 0 {
                match done.recv_timeout(LOOK) {
                    Ok((number, Ok(outcome))) => {
                        left -= 1;
                        outcomes[number] = Some(outcome);
                    }
                    Ok((_, Err(error))) => {
                        left -= 1;
                        failed.get_or_insert(error);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        failed.get_or_insert_with(broke_down);
                        break;
                    }
                }
                windows.pass_on(control);
                // What the others measure is nothing without the one that failed.
                if !stopped && (failed.is_some() || control.stopped()) {
                    stopped = true;
                    controls.iter().for_each(|control| control.stop());
                }
            }
            // The marks' channel closes with the last holder of the first one, and what hears them ends with the scope.
            drop(controls);
            windows.pass_on(control);
            match failed {
                Some(error) => Err(error),
                None => Ok(outcomes.into_iter().flatten().collect()),
            }
        })
    }

    /// What all of them measured.
    fn together(
        &self,
        several: &Several,
        outcomes: Vec<Compact>,
        clocks: &[Ahead],
        wasted: &[Compact],
    ) -> Result<Outcome, Error> {
        let places = (several.places.iter())
            .zip(&self.connections)
            .zip(clocks);
        let parts = outcomes.into_iter().zip(places);
        let parts = parts.map(|(outcome, ((place, &connections), &clock))| Part {
            machine: place.name.clone(),
            connections,
            clock,
            outcome,
        });
        let mut all = Outcome::together(parts.collect()).ok_or_else(broke_down)?;
        // The server has worked for them all the same.
        for outcome in wasted.iter().map(Compact::rest) {
            all.lead_in_requests += outcome.sent;
            all.sent += outcome.sent;
            all.good += outcome.good;
        }
        Ok(all)
    }
}

/// A moment of this machine by another one's clock.
fn ahead_of(at: SystemTime, clock: Ahead) -> SystemTime {
    let by = Duration::from_nanos(clock.nanos.unsigned_abs());
    match clock.nanos < 0 {
        true => at - by,
        false => at + by,
    }
}

/// How late the window of any of them opened that was to open at this moment.
fn latest(opens: SystemTime, outcomes: &[Compact], clocks: &[Ahead]) -> Duration {
    let late = |(outcome, clock): (&Compact, &Ahead)| {
        let due = ahead_of(opens, *clock);
        outcome
            .rest()
            .started
            .duration_since(due)
            .unwrap_or_default()
    };
    let all = outcomes.iter().zip(clocks).map(late);
    all.max().unwrap_or_default()
}

/// The windows of all of them as they come; one is passed on when all have left it behind.
struct Windows {
    from: Vec<Receiver<Window>>,
    came: Vec<VecDeque<Window>>,
}

impl Windows {
    fn new(from: Vec<Receiver<Window>>) -> Windows {
        let came = from.iter().map(|_| VecDeque::new()).collect();
        Windows { from, came }
    }

    fn pass_on(&mut self, control: &Control) {
        for (came, from) in self.came.iter_mut().zip(&self.from) {
            came.extend(from.try_iter());
        }
        while self.came.iter().all(|came| !came.is_empty()) {
            let row = self.came.iter_mut().filter_map(VecDeque::pop_front);
            let window = row.reduce(|one, other| side_by_side(&one, &other));
            if let (Some(windows), Some(window)) = (control.windows(), window) {
                // Whoever listened has gone: that is no reason to end the run.
                let _ = windows.send(window);
            }
        }
    }
}

#[cfg(test)]
mod tests;
