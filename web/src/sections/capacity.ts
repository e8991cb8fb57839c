// The capacity: the highest rate at which an objective held, and the rates that were tried.

import { dot, line, ruleX, type Markish } from "@observablehq/plot";
import { chart, type Drawing } from "../charts/chart";
import { key } from "../charts/key";
import { below, beside, grid, roomFor } from "../charts/lines";
import { PAPER } from "../charts/look";
import { logTicks, short, time, timeTicks } from "../charts/scales";
import type { Context } from "../context";
import type { Cell, Searched, Step } from "../types";
import { h } from "../dom";
import { thousands } from "../format";
import { figure, section } from "../section";
import { table, tableBeside } from "../table";

export function capacity(context: Context): HTMLElement | null {
  const all = context.data.page.capacities ?? [];
  if (all.length === 0) return null;
  const { words } = context;
  const cells = [...new Set(all.map((found) => found.cell))];
  return section(
    context,
    "capacity",
    { title: words.capacity.title, lead: words.capacity.lead },
    key(context, context.shown.filter((name) => all.some(({ target }) => context.targets[target] === name))),
    ...cells.flatMap((index) => {
      const cell = context.cell(index);
      return cell ? [ofCell(context, cell, all.filter((found) => found.cell === index))] : [];
    }),
  );
}

function name(context: Context, { target, round }: Searched): string {
  return context.words.list([context.targets[target] ?? "", context.words.round(round)]);
}

function ofCell(context: Context, cell: Cell, all: Searched[]): HTMLElement {
  const { words, units } = context;
  const { capacity } = words;
  const rate = (value: number | null): string => (value === null ? words.none : units.text("requests-per-second", value));
  const texts = all.map((found) => `${name(context, found)}: ${found.sustained_rps === null ? capacity.none : rate(found.sustained_rps)}`);
  const tried = all.flatMap((found) => found.steps.filter(isPoint));
  return h(
    "div",
    { class: "cell" },
    h("h3", {}, context.place(cell)),
    tried.length > 0 &&
      figure(
        context,
        words.figures.p99,
        chart(`${capacity.title}, ${context.place(cell)}. ${words.sentences(texts)}`, (width) => drawing(context, all, width)),
        h("p", { class: "axis" }, capacity.x),
      ),
    table({
      caption: `${capacity.title}${context.words.colon}${context.place(cell)}`,
      columns: [words.target, capacity.sustained, capacity.failed, capacity.ended],
      rows: all.map((found) => ({
        head: name(context, found),
        cells: [
          { text: found.sustained_rps === null ? capacity.none : rate(found.sustained_rps), detail: found.lower_bound ? capacity.atLeast : undefined },
          rate(found.failed_rps),
          capacity.endings[found.ended] ?? found.ended,
        ],
      })),
    }),
    tried.length > 0 &&
      tableBeside(
        context,
        () => ({
          caption: `${capacity.steps}${context.words.colon}${context.place(cell)}`,
          columns: [words.target, capacity.offered, context.metric("p50"), context.metric("p99"), capacity.errors, capacity.objective],
          rows: all.flatMap((found) =>
            found.steps.map((step) => ({
              head: name(context, found),
              cells: [
                rate(step.offered_rps),
                step.p50_us === null ? words.none : units.text("microseconds", step.p50_us),
                step.p99_us === null ? words.none : units.text("microseconds", step.p99_us),
                thousands(step.errors),
                step.holds ? capacity.holds : capacity.fails,
              ],
            })),
          ),
        }),
        capacity.steps,
      ),
  );
}

function isPoint(step: Step): step is Step & { p99_us: number } {
  return step.p99_us !== null && step.p99_us > 0;
}

function drawing(context: Context, all: Searched[], width: number): Drawing {
  const height = 260;
  const points = all.flatMap((found) => found.steps.filter(isPoint));
  const most = Math.max(...points.map((step) => step.offered_rps)) * 1.05;
  const low = Math.min(...points.map((step) => step.p99_us)) / 1.2;
  const high = Math.max(...points.map((step) => step.p99_us)) * 1.2;
  const y = { ticks: logTicks(low, high, height / 26), format: time };
  const x = { ticks: timeTicks("count", 0, most, width / 80).values, format: short };
  const left = roomFor(y);
  const right = 16;
  const at = (value: number): number => (value / most) * (width - left - right);
  const marks: Markish[] = grid(x, y);
  for (const found of all) {
    const { colour, symbol, dash } = context.look(found.target);
    const steps = found.steps.filter(isPoint).sort((a, b) => a.offered_rps - b.offered_rps);
    marks.push(
      line(steps, { x: "offered_rps", y: "p99_us", stroke: colour, strokeWidth: 1.2, strokeDasharray: dash }),
      dot(steps, { x: "offered_rps", y: "p99_us", r: 4, symbol, stroke: colour, fill: (step: Step) => (step.holds ? colour : PAPER) }),
      ...(found.sustained_rps === null ? [] : [ruleX([found.sustained_rps], { stroke: colour, strokeDasharray: "3 3" })]),
    );
  }
  marks.push(...below(x, { at, from: -left, to: width - left }), beside(y));
  return {
    height,
    marginLeft: left,
    marginRight: right,
    marginTop: 8,
    marginBottom: 24,
    readOuts: all.flatMap((found) =>
      found.steps.filter(isPoint).map((step) => ({
        x: step.offered_rps,
        y: step.p99_us,
        text: [
          name(context, found),
          `${context.words.capacity.offered}${context.words.colon}${context.units.text("requests-per-second", step.offered_rps)}`,
          `p99${context.words.colon}${context.units.text("microseconds", step.p99_us)}`,
          step.holds ? context.words.capacity.holds : context.words.capacity.fails,
        ].join("\n"),
      })),
    ),
    x: { domain: [0, most], axis: null },
    y: { type: "log", domain: [low, high], axis: null },
    marks,
  };
}
