//! The machine, and the databases next to the servers.

use photofinish_model::message::Message;
use photofinish_model::units::{self, Unit, thousands};
use photofinish_model::{Environment, Machines, ServiceRecord};

use photofinish_voice::label;

use crate::document::{Block, Item};
use crate::words::{Text, Tone};

use super::source::Source;

pub(super) fn machine(source: &Source) -> Vec<Block> {
    let head = &source.comparison.head;
    let mut blocks = vec![
        Block::Part("machine", Text::from(label::machine_title())),
        Block::Facts(facts(&head.machine)),
    ];
    if !head.services.is_empty() {
        blocks.push(Block::Heading(Text::from(label::machine_services())));
        let services = head.services.iter().map(service);
        blocks.push(Block::List(services.collect()));
    }
    blocks
}

fn cores(cpus: &[u32]) -> Text {
    let all: Vec<String> = cpus.iter().map(u32::to_string).collect();
    match all.as_slice() {
        [] => Text::from(label::machine_not_pinned()),
        some => some.join(", ").into(),
    }
}

fn facts(machine: &Environment) -> Vec<(Text, Text)> {
    let unknown = || Text::from(label::machine_unknown());
    let reported = |value: &Option<String>| value.as_deref().map_or_else(unknown, Text::code);
    let sets = Text::both("server ", "服务器 ")
        .then(cores(&machine.server_cpus))
        .then(Text::both("; load generator ", "；负载发生器 "))
        .then(cores(&machine.generator_cpus));
    let priority = match machine.server_nice {
        None => Text::from(label::machine_normal()),
        Some(nice) => Text::both(
            format!("servers before other programs (nice {nice})"),
            format!("服务器优先于其他程序（nice {nice}）"),
        ),
    };
    let mut facts: Vec<(Text, Text)> = Vec::new();
    let mut fact = |name: Message, value: Text| facts.push((name.into(), value));
    if let Some(machines) = &machine.machines {
        fact(label::machine_machines(), of_several(machines));
    }
    let memory = Unit::Bytes.text(machine.memory_bytes as f64);
    let open_files = thousands(machine.open_files as f64);
    fact(label::machine_cpu(), Text::code(&machine.cpu));
    fact(label::machine_cores(), cores(&machine.cpus));
    fact(label::machine_cpu_sets(), sets);
    fact(label::machine_priority(), priority);
    fact(label::machine_memory(), memory.into());
    fact(label::machine_system(), Text::code(&machine.os));
    fact(label::machine_kernel(), Text::code(&machine.kernel));
    fact(label::machine_governor(), reported(&machine.governor));
    fact(label::machine_hypervisor(), reported(&machine.hypervisor));
    fact(label::machine_files(), open_files.into());
    facts.push(("photofinish".into(), Text::code(&machine.photofinish)));
    facts.push((label::machine_commit().into(), reported(&machine.commit)));
    let tools = machine.tools.iter();
    facts.extend(tools.map(|(name, found)| (Text::code(name.as_str()), Text::code(found))));
    facts
}

/// What servers and load run on, if load comes from another machine or from several.
fn of_several(machines: &Machines) -> Text {
    let servers = Text::both(
        format!("servers on {}", machines.server),
        format!("服务器在 {} 上", machines.server),
    );
    let one = |name: &str, cpu: &str, cores: u32, kernel: &str, same: bool| {
        let count = units::plural(cores as usize, "core", "cores");
        let text = Text::both(
            format!("load from {name} ({cpu}, {count}, kernel {kernel})"),
            format!("负载来自 {name}（{cpu}，{cores} 核，内核 {kernel}）"),
        );
        match same {
            true => text.then(Text::both(
                ", which is the servers' machine",
                "，即服务器所在的机器",
            )),
            false => text,
        }
    };
    let generators = match machines.generators.as_slice() {
        [] => vec![one(
            &machines.generator,
            &machines.generator_cpu,
            machines.generator_cores,
            &machines.generator_kernel,
            machines.same,
        )],
        several => several
            .iter()
            .map(|it| one(&it.name, &it.cpu, it.cores, &it.kernel, it.same))
            .collect(),
    };
    Text::sentences([servers].into_iter().chain(generators)).then(Text::both(
        ". Below, the servers' machine",
        "。以下为服务器所在的机器",
    ))
}

/// A database: the figures are as much its as the servers'.
fn service(service: &ServiceRecord) -> Item {
    let kind = match service.kind.as_str() {
        "postgresql" => "PostgreSQL",
        "mariadb" => "MariaDB",
        other => other,
    };
    let name = Text::both(
        format!("service {}: ", service.name),
        format!("服务 {}：", service.name),
    );
    if service.version.is_empty() {
        let missing = Text::both(format!("{kind}, not found"), format!("{kind}，未找到"));
        return Item::new(name.then(missing), Tone::Bad);
    }
    let found = Text::code(format!("{kind} {} ({})", service.version, service.origin));
    let mut item = Item::new(name.then(found), Tone::Plain);
    let mut below = |label: Text, parts: Vec<String>| {
        if !parts.is_empty() {
            item.below
                .push(Text::labelled(label, Text::code(parts.join(", "))));
        }
    };
    let settings = service.settings.iter();
    let settings = settings.map(|(name, value)| format!("{name} = {value}"));
    below(Text::from(label::machine_settings()), settings.collect());
    let rows = service.rows.iter();
    let rows = rows.map(|(name, rows)| format!("{name} {}", thousands(*rows as f64)));
    below(Text::from(label::machine_rows()), rows.collect());
    below(
        Text::from(label::machine_used_by()),
        service.targets.clone(),
    );
    if !service.cpus.is_empty() {
        let label = Text::from(label::machine_cpu_set());
        item.below.push(Text::labelled(label, cores(&service.cpus)));
    }
    item
}

#[cfg(test)]
mod tests {
    use photofinish_judge::comparison::Comparison;
    use photofinish_model::samples;
    use photofinish_voice::Language;

    use super::*;

    #[test]
    fn the_priority_of_servers_is_said() {
        let mut results = samples::race(&["a", "b"], &[&[1000.0; 3], &[1000.0; 3]]);
        let said = |results: &_| {
            let facts = facts(&Comparison::from(results).head.machine);
            let texts = facts.iter().map(|(name, value)| {
                let [name, value] = [name, value].map(|text| text.text(Language::En));
                format!("{name}: {value}")
            });
            texts.collect::<Vec<String>>().join("\n")
        };
        assert!(said(&results).contains("CPU priority: normal"));
        results.environment.server_nice = Some(-20);
        assert!(said(&results).contains("servers before other programs (nice -20)"));
    }
}
