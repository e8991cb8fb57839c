//! The machines of several generators, asked as one.

use super::Several;
use crate::host::Host;

/// The most names that are listed.
const MAX_NAMED: usize = 4;

impl Several {
    /// Their machines, in order.
    pub(in crate::host) fn machines(&self) -> impl Iterator<Item = &Host> {
        self.generators.iter().map(|one| one.machine())
    }

    /// The first one's machine.
    pub(in crate::host) fn first(&self) -> &Host {
        self.generators[0].machine()
    }

    pub(in crate::host) fn name(&self) -> String {
        let names: Vec<&str> = self.places.iter().map(|place| &*place.name).collect();
        match names.as_slice() {
            [one] => (*one).to_owned(),
            [first, .., last] if names.len() > MAX_NAMED => {
                format!("{first} to {last} ({} machines)", names.len())
            }
            [others @ .., last] => format!("{} and {last}", others.join(", ")),
            [] => String::new(),
        }
    }

    /// The fewest cores that any of them has.
    pub(in crate::host) fn fewest_cores(&self) -> usize {
        let cores = self.places.iter().map(|place| place.cores.len());
        cores.min().unwrap_or(1).max(1)
    }

    /// Each machine with this core of the first one, or with its own first core if load does not come from that core there.
    pub(in crate::host) fn with_own_cpu(&self, cpu: Option<usize>) -> Vec<(&Host, Option<usize>)> {
        let own = self.machines().zip(&self.places);
        let own = own.map(|(host, place)| {
            let has_it = cpu.is_none_or(|cpu| place.cores.contains(&cpu));
            let first = || place.cores.first().copied().or(cpu);
            (host, if has_it { cpu } else { first() })
        });
        own.collect()
    }
}
