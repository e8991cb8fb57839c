// What the servers used while they were measured.

import { swatch } from "../charts/key";
import type { Context } from "../context";
import type { Cell, Figure, Metric } from "../types";
import { disclosure, h } from "../dom";
import { section } from "../section";
import { table } from "../table";
import { meanCell } from "./figures";

/** What is shown here. */
const USED = new Set<string>(["server", "service", "wire", "waits"]);

/** So many cells are shown at once; the others can be opened. */
const OPEN = 1;

export function evidence(context: Context): HTMLElement {
  const { words } = context;
  const cells = context.comparison.cells.filter((cell) => shownIn(context, cell).length > 0);
  return section(
    context,
    "evidence",
    { title: words.evidence.title, lead: words.evidence.lead },
    cells.length === 0 && h("p", {}, words.evidence.none),
    waits(context),
    ...cells.map((cell, i) => {
      if (i < OPEN) return h("div", { class: "evidence" }, ofCell(context, cell));
      return disclosure(context.place(cell), () => ofCell(context, cell), { class: "evidence beside" });
    }),
    startUp(context),
  );
}

/** What the waits are, and whose are not among them. */
function waits(context: Context): HTMLElement | false {
  const { words, comparison } = context;
  const targets = comparison.cells.flatMap((cell) => cell.targets);
  const isWait = (metric: string): boolean => metric.startsWith("wait:");
  const unseen = new Set(targets.filter((target) => target.has_unseen_waits).map(({ target }) => target));
  return (
    targets.some(({ figures }) => Object.keys(figures).some(isWait)) &&
    h(
      "div",
      {},
      h("p", { class: "lead" }, words.evidence.waits),
      unseen.size > 0 && h("p", { class: "lead" }, words.evidence.unseenWaits(words.list([...unseen]))),
    )
  );
}

/** How long the servers took to be ready. */
function startUp(context: Context): HTMLElement | false {
  const { words, units, comparison } = context;
  const { start_up: all } = comparison;
  const rounds = Math.max(0, ...all.map(({ time }) => time.rounds.length));
  const text = (value: number | null): string => (value === null ? words.none : units.text("microseconds", value));
  return (
    all.length > 0 &&
    h(
      "div",
      { class: "start-up" },
      h("h3", {}, words.evidence.startUp),
      h("p", { class: "lead" }, words.evidence.startUpLead),
      table({
        caption: words.evidence.startUp,
        columns: [words.target, words.figures.mean, ...Array.from({ length: rounds }, (_, i) => words.round(i + 1))],
        rows: all.map(({ target, time }) => ({
          head: h("span", {}, swatch(context, context.index(target), false), target),
          cells: [
            {
              text: time.mean === null ? units.range(time.unit, time.min, time.max) : text(time.mean),
              detail: time.mean !== null && time.interval ? context.interval(time.unit, time.mean, time.interval) : undefined,
              data: { target, quantity: "start-up" },
            },
            ...Array.from({ length: rounds }, (_, i) => text(time.rounds[i] ?? null)),
          ],
        })),
      }),
    )
  );
}

/** What is known of servers, services and the wire here, a part below the whole. */
function shownIn(context: Context, cell: Cell): Metric[] {
  const all = context.data.page.metrics.filter(({ of }) => typeof of === "string" && USED.has(of));
  // Where nobody has a compiler, or waits so, its row would be all zeros.
  const mayBeZero = (metric: Metric): boolean => metric !== "compilers" && !metric.startsWith("wait:");
  const isShown = (metric: Metric, figure?: Figure): boolean => figure !== undefined && (mayBeZero(metric) || figure.max > 0);
  return all.map(({ metric }) => metric).filter((metric) => cell.targets.some((target) => isShown(metric, target.figures[metric])));
}

function ofCell(context: Context, cell: Cell): HTMLElement {
  const { words } = context;
  const targets = cell.targets.filter((target) => target.rounds > 0);
  return table({
    caption: `${context.place(cell)}`,
    columns: [
      words.evidence.quantity,
      ...targets.map((t) => h("span", {}, swatch(context, context.index(t.target), false), t.target)),
    ],
    rows: shownIn(context, cell).map((quantity) => {
      const value = (i: number): number => {
        const figure = targets[i]?.figures[quantity];
        return figure?.mean ?? figure?.max ?? 0;
      };
      const most = Math.max(...targets.map((_, i) => value(i)));
      return {
        head: head(context, quantity),
        cells: targets.map((target, i) => {
          const shown = meanCell(context, target, quantity);
          if (typeof shown === "string") return shown;
          const share = most > 0 ? value(i) / most : 0;
          return { ...shown, text: h("span", { class: "bar-cell" }, shown.text, bar(share, context.look(context.index(target.target)).colour)) };
        }),
      };
    }),
  });
}

function head(context: Context, metric: Metric): HTMLElement | string {
  const shown = context.shownAs(metric);
  const name = context.metric(metric);
  if (shown?.part_of != null) return h("span", { class: "part" }, name);
  return shown?.per === "request" ? context.words.evidence.perRequest(name) : name;
}

function bar(share: number, colour: string): HTMLElement {
  const fill = h("span", { class: "bar", "aria-hidden": "true" });
  fill.style.setProperty("--share", share.toFixed(3));
  fill.style.setProperty("--colour", colour);
  return fill;
}
