// The machine, and the contenders as they were started.

import type { Context } from "../context";
import { type Child, h } from "../dom";
import { section } from "../section";
import { table } from "../table";
import type { Comparison } from "../types";

export function machine(context: Context): HTMLElement {
  const { words, units, comparison } = context;
  const { head } = comparison;
  const { machine } = head;
  const names = words.machine;
  const lane = (cpus: number[]): string => (cpus.length === 0 ? names.notPinned : cpus.join(", "));
  const facts: [string, string][] = [
    [names.cpu, machine.cpu],
    [names.cores, machine.cpus.join(", ")],
    [names.lanes, names.lanesSays(lane(machine.server_cpus), lane(machine.generator_cpus))],
    [names.priority, names.prioritySays(machine.server_nice)],
    [names.memory, units.text("bytes", machine.memory_bytes)],
    [names.system, machine.os],
    [names.kernel, machine.kernel],
    [names.governor, machine.governor ?? names.unknown],
    [names.hypervisor, machine.hypervisor ?? names.unknown],
    [names.files, units.text("count", machine.open_files)],
    [names.program, machine.photofinish],
    [names.commit, machine.commit ?? names.unknown],
    [names.seed, String(head.seed)],
    ...Object.entries(machine.tools),
  ];
  const list: Child[] = facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]);
  return section(
    context,
    "machine",
    { title: names.title },
    h("dl", {}, ...list),
    services(context),
    table({
      caption: words.targets,
      words: true,
      columns: [words.target, names.command, names.tools],
      rows: head.targets.map((target) => ({
        head: target.label,
        cells: [
          h("code", {}, [...imagesOf(comparison, target.label), ...target.command].join(" ")),
          Object.entries(target.tools)
            .map(([name, found]) => `${name} ${found}`)
            .join("; ") || words.none,
        ],
      })),
    }),
  );
}

/** What a target's containers ran from, each with its digest; nothing for one that runs in none. */
function imagesOf(comparison: Comparison, label: string): string[] {
  const own = comparison.images?.filter((images) => images.target === label) ?? [];
  return own.flatMap((images) => images.images);
}

/** The databases beside the contenders, as they were run. */
function services({ words, units, comparison }: Context): HTMLElement | null {
  const names = words.machine;
  const all = comparison.head.services;
  if (all.length === 0) return null;
  const list = (parts: string[], none: string): string => (parts.length === 0 ? none : words.sentences(parts));
  const shown = table({
    caption: names.services,
    words: true,
    columns: [names.service, names.settings, names.rows, names.lanes, names.usedBy],
    rows: all.map((service) => ({
      head: h("span", {}, `${service.name}: ${service.kind} ${service.version}`, h("span", { class: "detail" }, service.origin)),
      cells: [
        h("code", {}, list(Object.entries(service.settings).map(([name, value]) => `${name} = ${value}`), names.defaults)),
        list(Object.entries(service.rows).map(([name, rows]) => `${name} ${units.text("count", rows)}`), words.none),
        service.cpus.length === 0 ? names.notPinned : service.cpus.join(", "),
        list(service.targets, names.all),
      ],
    })),
  });
  return shown;
}
