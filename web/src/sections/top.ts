// What comes first: what was run, the verdict in one sentence, and what to know before quoting it.

import { swatch } from "../charts/key";
import type { Context } from "../context";
import { type Child, h, recorded } from "../dom";
import type { TargetRecord } from "../types";
import { headline } from "../headline";
import { number } from "../format";

/** A verdict with more characters is set smaller. */
const LONG = 140;
const VERY_LONG = 280;

function size(verdict: string): string {
  if (verdict.length > VERY_LONG) return "verdict very long";
  return verdict.length > LONG ? "verdict long" : "verdict";
}

export function top(context: Context): HTMLElement {
  const { words, comparison } = context;
  const { head } = comparison;
  const verdict = headline(context);
  const started = head.started.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");
  const rounds = words.rounds(head.rounds_asked);
  const notes: Child[] = [];
  if (head.smoke) notes.push(h("p", {}, words.head.smoke));
  const failed = comparison.checks.filter((check) => check.status === "failed").length;
  if (failed > 0) notes.push(h("p", {}, words.head.checks(failed), " ", link("#checks", words.head.toChecks)));
  const uneven = mostUneven(context);
  if (uneven !== null) notes.push(h("p", {}, uneven));
  const gaps =
    comparison.failures.reduce((sum, failure) => sum + Math.max(1, failure.measurements.length), 0) +
    comparison.missing.reduce((sum, missing) => sum + missing.rounds.length, 0);
  if (head.left_out.length > 0) {
    notes.push(h("p", {}, words.head.leftOut(head.left_out.length), " ", link("#study", words.head.toStudy)));
  }
  if (gaps > 0) notes.push(h("p", {}, words.head.gaps(gaps), " ", link("#gaps", words.head.toGaps)));
  return h(
    "div",
    { class: "top" },
    h("h1", {}, recorded(head.title)),
    h("p", { class: size(verdict) }, verdict),
    notes.length > 0 && h("div", { class: "caution", role: "note" }, ...notes),
    h(
      "p",
      { class: "run" },
      words.head.run(head.name, rounds, `${Number(number(head.duration_s).replaceAll(",", ""))} s`, started),
      words.stop,
      head.max_rounds !== null && ` ${words.head.added(head.max_rounds)}`,
      head.rounds_done < head.rounds_asked && ` ${words.head.incomplete(head.rounds_done, head.rounds_asked)}`,
    ),
    head.source !== null && h("p", { class: "run" }, words.head.source, recorded(head.source)),
    h(
      "ul",
      { class: "contenders", "aria-label": words.targets },
      ...head.targets.map((target, index) =>
        h("li", {}, swatch(context, index), h("strong", {}, target.label), target.title === "" ? null : " ", target.title === "" ? null : recorded(target.title), role(context, target)),
      ),
    ),
  );
}

/** What a target is that does not race. */
function role({ words }: Context, { limit, same_as }: TargetRecord): string | null {
  if (limit) return ` (${words.figures.limit})`;
  return same_as == null ? null : ` (${same_as} ${words.noise.itself})`;
}

/** From so many times between a target's fastest and slowest round on, the rounds are called uneven, as in other reports. */
const UNEVEN = 1.25;

/** Where the rounds differ most, if they differ much. */
function mostUneven(context: Context): string | null {
  const spreads = context.comparison.cells.flatMap((cell) =>
    cell.targets.flatMap(({ target, figures: { throughput } }) =>
      throughput && throughput.min > 0 ? [{ target, cell, spread: throughput.max / throughput.min }] : [],
    ),
  );
  const [most] = spreads.sort((a, b) => b.spread - a.spread);
  if (!most || most.spread <= UNEVEN) return null;
  return context.words.head.uneven(most.target, context.place(most.cell), number(most.spread));
}

function link(to: string, text: string): HTMLElement {
  return h("a", { href: to }, text);
}
