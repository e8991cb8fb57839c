//! The machines of several generators, where something is asked of all of them as of one.

use std::io;
use std::time::Duration;

use photofinish_model::Address;
use socket2::Socket;

use super::{Histogram, Several};
use crate::{Cpu, Error, Facts, Machine, Meter};

/// So many names are said.
const NAMED: usize = 4;

impl Machine for Several {
    fn name(&self) -> String {
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

    fn still_there(&self) -> Result<(), Error> {
        let mut generators = self.generators.iter();
        generators.try_for_each(|one| one.machine().still_there())
    }

    /// The fewest that any of them has.
    fn cores(&self) -> usize {
        let cores = self.places.iter().map(|place| place.cores.len());
        cores.min().unwrap_or(1).max(1)
    }

    /// Those of the first one.
    fn cpus(&self) -> Result<Vec<Cpu>, Error> {
        self.generators[0].machine().cpus()
    }

    /// Of the first one.
    fn facts(&self) -> Result<Facts, Error> {
        self.generators[0].machine().facts()
    }

    fn allow_open_files(&self, needed: u64) -> Result<(), u64> {
        let generators = self.generators.iter();
        let allowed = generators.map(|one| one.machine().allow_open_files(needed).err());
        let least = allowed.collect::<Vec<_>>().into_iter().flatten().min();
        least.map_or(Ok(()), Err)
    }

    fn own_cpu(&self) -> Option<Duration> {
        self.generators
            .iter()
            .map(|one| one.machine().own_cpu())
            .sum()
    }

    fn hiccups(&self, cpu: Option<usize>) -> Box<dyn Meter> {
        self.meters(cpu, |machine, cpu| machine.hiccups(cpu))
    }

    fn reference(&self, cpu: usize) -> Box<dyn Meter> {
        self.meters(Some(cpu), |machine, own| {
            machine.reference(own.unwrap_or(cpu))
        })
    }

    fn wakes(&self, cpu: usize) -> Box<dyn Meter> {
        self.meters(Some(cpu), |machine, own| machine.wakes(own.unwrap_or(cpu)))
    }

    /// From the first one.
    fn connect(&self, address: &Address, within: Duration) -> io::Result<Socket> {
        self.generators[0].machine().connect(address, within)
    }
}

impl Several {
    /// A meter on each machine: on this core, or where it is none of those that load comes from there on the first of them.
    fn meters(
        &self,
        cpu: Option<usize>,
        start: impl Fn(&dyn Machine, Option<usize>) -> Box<dyn Meter>,
    ) -> Box<dyn Meter> {
        let meters = self.generators.iter().zip(&self.places);
        let meters = meters.map(|(one, place)| {
            // It was chosen on the first one's machine.
            let has_it = cpu.is_none_or(|cpu| place.cores.contains(&cpu));
            let cpu = if has_it {
                cpu
            } else {
                place.cores.first().copied()
            };
            start(one.machine(), cpu)
        });
        Box::new(Meters(meters.collect()))
    }
}

/// What was noted on all machines, added up.
struct Meters(Vec<Box<dyn Meter>>);

/// Times of all of them; `None` where one of them has none.
fn sum(all: impl Iterator<Item = Option<Histogram<u64>>>) -> Option<Histogram<u64>> {
    let all: Option<Vec<Histogram<u64>>> = all.collect();
    all?.into_iter().reduce(|mut sum, more| {
        // All were made with the same digits, and grow.
        let _ = sum.add(&more);
        sum
    })
}

impl Meter for Meters {
    fn lap(&self) -> Option<Histogram<u64>> {
        sum(self.0.iter().map(|meter| meter.lap()))
    }

    fn end(self: Box<Self>) -> Option<Histogram<u64>> {
        sum(self.0.into_iter().map(|meter| meter.end()))
    }
}
