//! The CPU sets of a run: the cores on which servers run, and those of the load generator.
//!
//! On the same cores the two would take turns, and a faster server would be slowed by the load that it draws.

use std::collections::BTreeMap;
use std::fmt;

use photofinish_model::settings::CpuSets;

use photofinish_host::{Cpu, Error, Host};

/// Largest number of pairs of cores whose latency shows how far apart a server's and a generator's cores are.
/// One pair takes 0.3 ms.
const MAX_PAIRS: usize = 4;

/// The cores of server and generator; empty = not pinned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssignedCpus {
    /// The server's.
    pub server: Vec<usize>,
    /// The generator's.
    pub generator: Vec<usize>,
    /// What server and generator share all the same.
    pub shared: Option<Shared>,
}

impl AssignedCpus {
    /// Cores of the server, each with one of the generator's, where both are on one machine; at most [`MAX_PAIRS`]. Empty where one side is not pinned.
    ///
    /// # Errors
    /// If a machine cannot be asked which it is.
    pub(crate) fn pairs(&self, machines: [&Host; 2]) -> Result<Vec<(usize, usize)>, Error> {
        if self.server.is_empty() || self.generator.is_empty() || are_apart(machines)? {
            return Ok(Vec::new());
        }
        let both = self.server.iter().zip(self.generator.iter().cycle());
        let pairs = both.map(|(server, generator)| (*server, *generator));
        Ok(pairs.take(MAX_PAIRS).collect())
    }

    /// Whether the server has cores on which the generator does not run, so that a raised priority takes nothing from it.
    pub(crate) fn server_is_apart(&self) -> bool {
        let apart = match &self.shared {
            None | Some(Shared::HardwareThreads) => true,
            Some(Shared::OnlyCore | Shared::Cores(_)) => false,
        };
        apart && !self.server.is_empty()
    }

    /// Whether the generator has cores to itself, so that it takes nothing from the server when it does not sleep.
    pub(crate) fn generator_is_alone(&self) -> bool {
        !self.generator.is_empty() && self.shared.is_none()
    }
}

/// What server and generator share though they should not; each slows the other by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shared {
    /// There is no other core.
    OnlyCore,
    /// There is no other core, but it has several hardware threads, and each has some of them.
    HardwareThreads,
    /// The user chose these cores.
    Cores(Vec<usize>),
}

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shared::OnlyCore => f.write_str("there is one core: server and generator share it")?,
            Shared::HardwareThreads => {
                f.write_str("server and generator have a hardware thread each of the same core")?;
            }
            Shared::Cores(cores) => {
                let cores: Vec<String> = cores.iter().map(usize::to_string).collect();
                write!(f, "server and generator share core {}", cores.join(", "))?;
            }
        }
        f.write_str(", and slow each other")
    }
}

/// Whether these are two machines.
fn are_apart(machines: [&Host; 2]) -> Result<bool, Error> {
    let [one, other] = machines;
    Ok(one.facts()?.boot != other.facts()?.boot)
}

/// Assigns the cores that photofinish may use on the servers' machine and on the generator's, which may be the same.
pub fn assign(choice: &CpuSets, machines: [&Host; 2]) -> Result<AssignedCpus, Error> {
    let [server, generator] = machines;
    match choice {
        CpuSets::None => Ok(AssignedCpus::default()),
        CpuSets::Split if are_apart(machines)? => Ok(AssignedCpus {
            server: cores(server)?,
            generator: cores(generator)?,
            shared: None,
        }),
        CpuSets::Split => {
            let cpus = server.cpus()?;
            let others = generator.cpus()?;
            if let Some(cpu_sets) = given_apart(&cpus, &others) {
                return Ok(cpu_sets);
            }
            let cores: Vec<usize> = cpus.iter().map(|cpu| cpu.number).collect();
            Ok(split(
                &cores,
                &cpus.iter().map(|cpu| (cpu.number, cpu.core)).collect(),
            ))
        }
        CpuSets::Explicit {
            server: one,
            generator: other,
        } => {
            check("server", one, &cores(server)?)?;
            check("generator", other, &cores(generator)?)?;
            Ok(explicit(one, other, are_apart(machines)?))
        }
    }
}

/// The cores that photofinish may use on a machine, in order.
pub fn cores(machine: &Host) -> Result<Vec<usize>, Error> {
    Ok(machine.cpus()?.iter().map(|cpu| cpu.number).collect())
}

/// The cores to which server and generator are bound already, as two containers on one machine may be; `None` if they
/// share one.
fn given_apart(server: &[Cpu], generator: &[Cpu]) -> Option<AssignedCpus> {
    let both = |share: fn(&Cpu, &Cpu) -> bool| {
        let mut pairs = server
            .iter()
            .flat_map(|one| generator.iter().map(move |other| (one, other)));
        pairs.any(|(one, other)| share(one, other))
    };
    if server.is_empty() || generator.is_empty() || both(|one, other| one.number == other.number) {
        return None;
    }
    let numbers = |cpus: &[Cpu]| cpus.iter().map(|cpu| cpu.number).collect();
    Some(AssignedCpus {
        server: numbers(server),
        generator: numbers(generator),
        shared: both(|one, other| one.core == other.core).then_some(Shared::HardwareThreads),
    })
}

/// Halves the cores, the server's first. Hardware threads of one core stay together, for they slow each other; only
/// where there is but one such core do they part.
fn split(cores: &[usize], siblings: &BTreeMap<usize, usize>) -> AssignedCpus {
    if cores.len() < 2 {
        return AssignedCpus {
            shared: Some(Shared::OnlyCore),
            ..AssignedCpus::default()
        };
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for cpu in cores {
        groups
            .entry(siblings.get(cpu).copied().unwrap_or(*cpu))
            .or_default()
            .push(*cpu);
    }
    let mut shared = None;
    if groups.len() < 2 {
        shared = Some(Shared::HardwareThreads);
        groups = cores.iter().map(|&cpu| (cpu, vec![cpu])).collect();
    }
    let mut cpu_sets = AssignedCpus {
        shared,
        ..AssignedCpus::default()
    };
    for group in groups.into_values() {
        // Half of the hardware threads to the server; of an odd number of cores it gets the odd one.
        let side = if cpu_sets.server.len() * 2 < cores.len() {
            &mut cpu_sets.server
        } else {
            &mut cpu_sets.generator
        };
        side.extend(group);
    }
    cpu_sets.server.sort_unstable();
    cpu_sets.generator.sort_unstable();
    cpu_sets
}

/// Checks that the machine has all chosen cores.
fn check(whose: &'static str, chosen: &[usize], cores: &[usize]) -> Result<(), Error> {
    match chosen.iter().find(|cpu| !cores.contains(cpu)) {
        None => Ok(()),
        Some(&core) => Err(Error::NoCore {
            lane: whose,
            core,
            cores: cores.to_vec(),
        }),
    }
}

/// The cores that the user chose; `apart`: on two machines.
fn explicit(server: &[usize], generator: &[usize], apart: bool) -> AssignedCpus {
    let shared = server.iter().filter(|cpu| generator.contains(cpu));
    let shared: Vec<usize> = shared.copied().collect();
    AssignedCpus {
        server: server.to_vec(),
        generator: generator.to_vec(),
        shared: (!apart && !shared.is_empty()).then_some(Shared::Cores(shared)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_of(siblings: &[(usize, usize)]) -> (Vec<usize>, Vec<usize>, bool) {
        let cores: Vec<usize> = siblings.iter().map(|(cpu, _)| *cpu).collect();
        let cpu_sets = split(&cores, &siblings.iter().copied().collect());
        (
            cpu_sets.server,
            cpu_sets.generator,
            cpu_sets.shared.is_some(),
        )
    }

    #[test]
    fn cores_are_halved() {
        assert_eq!(split_of(&[(0, 0), (1, 1)]), (vec![0], vec![1], false));
        assert_eq!(
            split_of(&[(0, 0), (1, 1), (2, 2)]),
            (vec![0, 1], vec![2], false)
        );
        assert_eq!(
            split_of(&[(2, 2), (3, 3), (6, 6), (7, 7)]),
            (vec![2, 3], vec![6, 7], false)
        );
    }

    #[test]
    fn hardware_threads_stay_together() {
        // 4 cores of 2 threads, numbered as Intel does.
        let cpus: Vec<(usize, usize)> = (0..8).map(|cpu| (cpu, cpu % 4)).collect();
        assert_eq!(split_of(&cpus), (vec![0, 1, 4, 5], vec![2, 3, 6, 7], false));
        // 3 cores of 2 threads: never 3 and 3.
        let cpus: Vec<(usize, usize)> = (0..6).map(|cpu| (cpu, cpu / 2 * 2)).collect();
        assert_eq!(split_of(&cpus), (vec![0, 1, 2, 3], vec![4, 5], false));
    }

    #[test]
    fn what_is_bound_apart_stays_so() {
        let cpus = |list: &[(usize, usize)]| -> Vec<Cpu> {
            let cpu = |&(number, core)| Cpu { number, core };
            list.iter().map(cpu).collect()
        };
        let (first, second) = (cpus(&[(0, 0), (2, 2)]), cpus(&[(1, 1)]));
        let cpu_sets = AssignedCpus {
            server: vec![0, 2],
            generator: vec![1],
            shared: None,
        };
        assert_eq!(given_apart(&first, &second), Some(cpu_sets));
        assert_eq!(given_apart(&first, &first), None);
        assert_eq!(given_apart(&first, &cpus(&[(1, 1), (2, 2)])), None);
        let cpu_sets = given_apart(&first, &cpus(&[(4, 0)])).expect("no number is the same");
        assert_eq!(cpu_sets.shared, Some(Shared::HardwareThreads));
    }

    #[test]
    fn one_core_cannot_be_split() {
        assert_eq!(split_of(&[(5, 5)]), (vec![], vec![], true));
        assert_eq!(split_of(&[(0, 0), (1, 0)]), (vec![0], vec![1], true));
    }

    #[test]
    fn chosen_cores_are_checked() {
        let cpu_sets = explicit(&[0], &[1, 2], false);
        assert_eq!(
            (cpu_sets.server, cpu_sets.generator, cpu_sets.shared),
            (vec![0], vec![1, 2], None)
        );
        assert!(check("server", &[0], &[0, 1]).is_ok());
        let error = check("generator", &[4], &[0, 1])
            .expect_err("core 4 is not there")
            .to_string();
        assert_eq!(
            error,
            "pin to cores: the generator's lane names core 4; there are 0, 1"
        );
        assert!(explicit(&[0, 1], &[1], false).shared.is_some());
        assert_eq!(explicit(&[0, 1], &[1], true).shared, None);
    }
}
