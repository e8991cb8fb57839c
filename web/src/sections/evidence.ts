// What the servers used while they were measured.

import { swatch } from "../charts/key";
import type { Context } from "../context";
import type { Cell, Figure, Metric } from "../types";
import { disclosure, h } from "../dom";
import { section } from "../section";
import { table } from "../table";
import { meanCell } from "./figures";

/** What is shown here. */
const USED = new Set<string>(["server", "service", "wire"]);

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
    ...cells.map((cell, i) => {
      if (i < OPEN) return h("div", { class: "evidence" }, ofCell(context, cell));
      return disclosure(context.place(cell), () => ofCell(context, cell), { class: "evidence beside" });
    }),
  );
}

/** What is known of servers, services and the wire here, a part below the whole. */
function shownIn(context: Context, cell: Cell): Metric[] {
  const all = context.data.page.metrics.filter(({ of }) => typeof of === "string" && USED.has(of));
  // Where nobody has a compiler its row would be all zeros.
  const isShown = (metric: Metric, figure?: Figure): boolean => figure !== undefined && (metric !== "compilers" || figure.max > 0);
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
          const told = meanCell(context, target, quantity);
          if (typeof told === "string") return told;
          const share = most > 0 ? value(i) / most : 0;
          return { ...told, text: h("span", { class: "bar-cell" }, told.text, bar(share, context.look(context.index(target.target)).colour)) };
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
