//! Several generators as one: the load is dealt out to them, they begin at one instant, and what they measured is put together.
//!
//! Nobody's clock has to be right: each gets the instant by its own clock, whose offset is estimated before each slice. A slice
//! that one of them could not begin in time does not count, and is sent again with more time to begin.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, SystemTime};

use photofinish_load::{
    Ahead, Compact, Config, Control, Outcome, Part, Share, Slice, Until, side_by_side,
};
use photofinish_model::Window;
use photofinish_model::finding::failure::LoadTrouble;

use super::{Generator, Session, beside};
use crate::Error;
use crate::at_once::{at_once, at_once_or};
use crate::clocks::Clock;
use crate::locked::locked;

mod machine;

/// Number of round trips by which a clock is first compared.
const FIRST_ROUND_TRIPS: u32 = 200;
/// Number of round trips by which a clock is compared before each slice.
const ROUND_TRIPS: u32 = 4;
/// First time between the start message and the start: enough to wake a thread on a busy machine.
const MIN_MARGIN: Duration = Duration::from_millis(5);
/// Longest time between the start message and the start.
const MAX_MARGIN: Duration = Duration::from_secs(1);
/// Most attempts to measure a slice.
const MAX_ATTEMPTS: u32 = 8;

/// Several generators.
pub struct Several {
    generators: Vec<Box<dyn Generator>>,
    /// Their machines.
    places: Vec<Place>,
    clocks: Vec<Mutex<Clock>>,
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
    /// If one of them cannot be asked.
    pub(super) fn new(generators: Vec<Box<dyn Generator>>) -> Result<Several, Error> {
        let place = |generator: &dyn Generator| {
            let machine = generator.machine();
            Ok(Place {
                name: machine.name(),
                boot: machine.facts()?.boot,
                cores: machine.cpus()?.iter().map(|cpu| cpu.number).collect(),
            })
        };
        let places: Result<Vec<Place>, Error> =
            generators.iter().map(|one| place(&**one)).collect();
        let several = Several {
            places: places?,
            clocks: generators.iter().map(|_| Mutex::default()).collect(),
            generators,
        };
        let known = several.compare_clocks(FIRST_ROUND_TRIPS);
        known.map_err(|error| match error {
            Error::Load(_) => Error::elsewhere(&several.name(), error.to_string()),
            error => error,
        })?;
        Ok(several)
    }

    /// Does something with each of them at the same time, by its number.
    fn each<'g, T: Send>(
        &'g self,
        what: impl Fn(usize, &'g dyn Generator) -> Result<T, Error> + Sync,
    ) -> Result<Vec<T>, Error> {
        let name = |(number, _): &(usize, _)| self.places[*number].name.clone();
        at_once(self.generators.iter().enumerate(), name, |(number, one)| {
            what(number, &**one)
        })
    }

    /// How far each clock is ahead of this machine's.
    fn compare_clocks(&self, round_trips: u32) -> Result<Vec<Ahead>, Error> {
        self.each(|number, generator| {
            let mut clock = locked(&self.clocks[number]);
            clock.update(round_trips, || generator.ahead())
        })
    }

    /// What one of them is to send.
    fn config(&self, config: &Config, number: usize) -> Config {
        let own = &self.places[number];
        Config {
            share: self.share(number),
            cpus: self.own_cpus(number, &config.cpus),
            threads: config.threads.min(own.cores.len().max(1)),
            // Some of them may be on one machine, and share its cores.
            eager: false,
            ..config.clone()
        }
    }

    /// The cores of one of them in place of those that were chosen on the first one's machine: all of that one's are all of
    /// another one's. Two pods of one machine may have been given different ones.
    fn own_cpus(&self, number: usize, chosen: &[usize]) -> Vec<usize> {
        let (own, first) = (&self.places[number], &self.places[0]);
        let has_them = own.boot == first.boot && chosen.iter().all(|cpu| own.cores.contains(cpu));
        match chosen == first.cores && !has_them {
            true => own.cores.clone(),
            false => chosen.to_vec(),
        }
    }

    fn share(&self, index: usize) -> Share {
        let of = self.generators.len();
        Share { index, of }
    }

    pub(super) fn generators(&self) -> &[Box<dyn Generator>] {
        &self.generators
    }

    pub(super) fn run(&self, config: &Config, control: &Control) -> Result<Outcome, Error> {
        self.open(config, control)?.slice(&config.slice(), control)
    }

    pub(super) fn open<'g>(
        &'g self,
        config: &Config,
        control: &Control,
    ) -> Result<Box<dyn Session + 'g>, Error> {
        let (connections, generators) = (config.load.connections(), self.generators.len());
        if (connections as usize) < generators {
            return Err(LoadTrouble::FewConnections {
                connections,
                generators,
            }
            .into());
        }
        let configs: Vec<Config> = (0..generators).map(|n| self.config(config, n)).collect();
        let sessions = self.each(|number, generator| generator.open(&configs[number], control))?;
        Ok(Box::new(Together {
            several: self,
            sessions,
            connections: configs.iter().map(Config::connections).collect(),
            margin: MIN_MARGIN,
        }))
    }
}

/// Connections of several generators.
struct Together<'g> {
    several: &'g Several,
    sessions: Vec<Box<dyn Session + 'g>>,
    connections: Vec<u32>,
    /// From the word to begin until the instant: as long as it was needed so far.
    margin: Duration,
}

impl Session for Together<'_> {
    fn slice(&mut self, slice: &Slice, control: &Control) -> Result<Outcome, Error> {
        let share = |index| self.several.share(index);
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
        for _ in 0..MAX_ATTEMPTS {
            let clocks = self.several.compare_clocks(ROUND_TRIPS)?;
            let begin = SystemTime::now() + self.margin;
            let outcomes = self.flow(slice, begin, &clocks, control)?;
            let late = latest(begin + slice.lead_in(), &outcomes, &clocks);
            if late.is_zero() || control.stopped() {
                return self.together(outcomes, &clocks, &wasted);
            }
            wasted.extend(outcomes);
            self.margin = (self.margin * 2).max(late * 2).min(MAX_MARGIN);
        }
        Err(LoadTrouble::Apart {
            tries: MAX_ATTEMPTS,
        }
        .into())
    }
}

impl Together<'_> {
    /// Lets load flow from all of them, from an instant on that is given by this machine's clock.
    fn flow(
        &mut self,
        slice: &Slice,
        begin: SystemTime,
        clocks: &[Ahead],
        control: &Control,
    ) -> Result<Vec<Compact>, Error> {
        let of_one = |number| {
            let (send, windows) = mpsc::channel();
            let own = Control::with_windows(send);
            // Windows open and close at the same instant everywhere: the first one reports that for all.
            let marks = control.marks().filter(|_| number == 0).cloned();
            let own = match marks {
                Some(marks) => own.with_marks(marks),
                None => own,
            };
            (own, windows)
        };
        let (controls, windows): (Vec<Control>, Vec<_>) =
            (0..self.sessions.len()).map(of_one).unzip();
        let mut windows = Windows::new(windows);
        let stop = || controls.iter().for_each(Control::stop);
        let places = &self.several.places;
        let name = |(number, _): &(usize, _)| places[*number].name.clone();
        let sessions = self.sessions.iter_mut().enumerate();
        let slice_of_one = |(number, session): (usize, &mut Box<dyn Session + '_>)| {
            let own = Slice {
                begin: Some(ahead_of(begin, clocks[number])),
                ..slice.clone()
            };
            session.slice(&own, &controls[number]).map(Compact::from)
        };
        // Without the generator that failed, what the others measure is of no use.
        let flow = || at_once_or(sessions, name, slice_of_one, stop);
        let outcomes = beside(flow, &mut || {
            windows.pass_on(control);
            if control.stopped() {
                stop();
            }
        });
        windows.pass_on(control);
        outcomes
    }

    /// What all of them measured.
    fn together(
        &self,
        outcomes: Vec<Compact>,
        clocks: &[Ahead],
        wasted: &[Compact],
    ) -> Result<Outcome, Error> {
        let places = self
            .several
            .places
            .iter()
            .zip(&self.connections)
            .zip(clocks);
        let parts = outcomes.into_iter().zip(places);
        let parts = parts.map(|(outcome, ((place, &connections), &clock))| Part {
            machine: place.name.clone(),
            connections,
            clock,
            outcome,
        });
        let mut all = Outcome::together(parts.collect()).ok_or_else(Error::broke_down)?;
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
