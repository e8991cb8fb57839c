// What the servers used while they were measured.

import { swatch } from "../charts/key";
import type { Context } from "../context";
import type { Cell, Figure, Quantity } from "../data";
import { disclosure, h } from "../dom";
import { section } from "../section";
import { table } from "../table";
import { meanCell } from "./figures";

const SHOWN: Quantity[] = [
  "server-cpu",
  "cpu-user",
  "cpu-system",
  "context-switches",
  "switches-voluntary",
  "switches-forced",
  "faults-minor",
  "faults-major",
  "bytes-per-response",
  "network",
  "response-bytes",
  "request-bytes",
  "server-cores",
  "compilers",
  "memory",
  "threads",
];

/** Parts of the row above them. */
const PARTS = new Set<Quantity>(["cpu-user", "cpu-system", "switches-voluntary", "switches-forced", "response-bytes", "request-bytes", "compilers"]);

/** What is told for each request. */
const PER_REQUEST = new Set<Quantity>(["server-cpu", "context-switches", "faults-minor", "faults-major"]);

/** So many cells are shown at once; the others can be opened. */
const OPEN = 1;

export function evidence(context: Context): HTMLElement {
  const { words } = context;
  const cells = context.comparison.cells.filter((cell) => shownIn(cell).length > 0);
  return section(
    context,
    "evidence",
    { title: words.evidence.title, lead: words.evidence.lead },
    cells.length === 0 && h("p", {}, words.evidence.none),
    ...cells.map((cell, i) => {
      if (i < OPEN) return h("div", { class: "wide evidence" }, ofCell(context, cell));
      return disclosure(context.place(cell), () => ofCell(context, cell), { class: "wide evidence beside" });
    }),
  );
}

function shownIn(cell: Cell): Quantity[] {
  // Where nobody has a compiler its row would be all zeros.
  const isShown = (quantity: Quantity, figure?: Figure): boolean => figure !== undefined && (quantity !== "compilers" || figure.max > 0);
  return SHOWN.filter((quantity) => cell.targets.some((target) => isShown(quantity, target.figures[quantity])));
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
    rows: shownIn(cell).map((quantity) => {
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

function head(context: Context, quantity: Quantity): HTMLElement | string {
  const { words } = context;
  const name = words.quantities[quantity];
  if (PARTS.has(quantity)) return h("span", { class: "part" }, name);
  return PER_REQUEST.has(quantity) ? words.evidence.perRequest(name) : name;
}

function bar(share: number, colour: string): HTMLElement {
  const fill = h("span", { class: "bar", "aria-hidden": "true" });
  fill.style.setProperty("--share", share.toFixed(3));
  fill.style.setProperty("--colour", colour);
  return fill;
}
