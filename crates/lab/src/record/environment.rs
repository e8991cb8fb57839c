//! The machines and the program, for the record.

use std::collections::BTreeMap;
use std::env;

use photofinish_host::command::{which, words};
use photofinish_host::{Allocation, Facts, Generator, Host, each};
use photofinish_model::{Environment, GeneratorMachine, Machines, VERSION};

use crate::cpu_sets::{self, AssignedCpus};
use crate::error::Error;

/// Describes the servers' machine, and the generators' where those are others; `tools` are those that were found for the targets.
///
/// # Errors
/// If the machine cannot be asked.
pub fn environment(
    machine: &Host,
    generator: &dyn Generator,
    cpu_sets: &AssignedCpus,
    tools: BTreeMap<String, String>,
) -> Result<Environment, Error> {
    let numbers = |cpus: &[usize]| cpus.iter().map(|&cpu| cpu as u32).collect();
    let Facts {
        boot,
        cpu,
        memory_bytes,
        kernel,
        os,
        governor,
        hypervisor,
        open_files,
        gives_priority: _,
    } = machine.facts()?;
    Ok(Environment {
        version: VERSION,
        photofinish: env!("CARGO_PKG_VERSION").to_owned(),
        commit: commit(),
        cpu,
        cpus: numbers(&cpu_sets::cores(machine).unwrap_or_default()),
        server_cpus: numbers(&cpu_sets.server),
        generator_cpus: numbers(&cpu_sets.generator),
        memory_bytes,
        kernel,
        os,
        governor,
        hypervisor,
        open_files,
        server_nice: None,
        tools,
        machines: machines(machine, &boot, generator)?,
    })
}

/// What servers and load run on, where they run on several machines.
fn machines(
    server: &Host,
    boot: &str,
    generator: &dyn Generator,
) -> Result<Option<Machines>, Error> {
    let generators = several(boot, generator)?;
    let allocations = allocations(server, generator)?;
    let generator = generator.machine();
    let facts = generator.facts()?;
    if server.name() == generator.name() {
        return Ok(None);
    }
    let (mut pods, mut nodes) = (Vec::new(), Vec::new());
    for allocation in allocations {
        match allocation {
            Allocation::Pod(pod) => pods.push(pod),
            Allocation::Node(node) => nodes.push(node),
        }
    }
    Ok(Some(Machines {
        server: server.name(),
        generator: generator.name(),
        same: facts.boot == boot || generators.iter().any(|one| one.same),
        generator_cpu: facts.cpu,
        generator_cores: generator.cores() as u32,
        generator_kernel: facts.kernel,
        generators,
        pods,
        nodes,
        // What is measured, and not asked.
        networks: Vec::new(),
    }))
}

/// What a scheduler gave to servers and load generators, to the servers first.
fn allocations(server: &Host, generator: &dyn Generator) -> Result<Vec<Allocation>, Error> {
    let generators = each(generator).into_iter().map(|one| one.machine());
    let machines = std::iter::once(server).chain(generators);
    let allocations: Result<Vec<Option<Allocation>>, _> = machines.map(Host::allocation).collect();
    Ok(allocations?.into_iter().flatten().collect())
}

/// What each of several generators runs on, beside a server's machine that has this boot's id; nothing if there is one.
pub(crate) fn several(
    boot: &str,
    generator: &dyn Generator,
) -> Result<Vec<GeneratorMachine>, Error> {
    let machine = |generator: &dyn Generator| {
        let machine = generator.machine();
        let facts = machine.facts()?;
        Ok(GeneratorMachine {
            name: machine.name(),
            same: facts.boot == boot,
            cpu: facts.cpu,
            cores: machine.cores() as u32,
            kernel: facts.kernel,
        })
    };
    generator
        .several()
        .iter()
        .map(|one| machine(&**one))
        .collect()
}

/// The commit of the checkout that photofinish was started in, with `-dirty` where files differ from it.
fn commit() -> Option<String> {
    let git = which("git", &env::var_os("PATH")?)?;
    let reported = words(
        &git,
        &[
            "describe",
            "--always",
            "--dirty",
            "--abbrev=40",
            "--exclude=*",
        ],
        &BTreeMap::new(),
    )?;
    parse_commit(&reported)
}

/// The commit in what git said; `None` if it only complained.
fn parse_commit(reported: &str) -> Option<String> {
    let line = reported.lines().next()?;
    let hash = line.strip_suffix("-dirty").unwrap_or(line);
    (hash.len() >= 40 && hash.chars().all(|c| c.is_ascii_hexdigit())).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use photofinish_host::Host;

    use super::*;

    #[test]
    fn this_machine_is_described() {
        let tools = BTreeMap::from([("jdk".to_owned(), "25.0.1 (/x)".to_owned())]);
        let cpu_sets = AssignedCpus {
            server: vec![0],
            generator: vec![1, 2],
            shared: None,
        };
        let reported = environment(
            Host::this_machine(),
            Host::this_machine(),
            &cpu_sets,
            tools.clone(),
        )
        .expect("it can be asked");
        assert!(!reported.cpus.is_empty() && reported.memory_bytes > 0 && reported.open_files > 0);
        assert_eq!(
            (reported.server_cpus, reported.generator_cpus),
            (vec![0], vec![1, 2])
        );
        assert_eq!(reported.tools, tools);
    }

    #[test]
    fn a_commit_is_no_complaint() {
        let hash = "fed753c9ff3c60c1bf8adeb492f054badcfa44b4";
        assert_eq!(parse_commit(&format!("{hash}\n")).as_deref(), Some(hash));
        assert_eq!(
            parse_commit(&format!("{hash}-dirty\n")),
            Some(format!("{hash}-dirty"))
        );
        assert_eq!(parse_commit("fatal: not a git repository\n"), None);
        assert_eq!(parse_commit(""), None);
    }
}
