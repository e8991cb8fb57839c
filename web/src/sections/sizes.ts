// A sweep over one variable, such as the size of a message, with the levels that fall out of line.

import { dot, line, link, type Markish } from "@observablehq/plot";
import { chart, type Drawing } from "../charts/chart";
import { below, beside, grid, roomFor } from "../charts/lines";
import { INK, PAPER } from "../charts/look";
import { barStyle, logTicks, reach, short, within } from "../charts/scales";
import type { Context } from "../context";
import type { Figure, OutOfLine, Sweep } from "../types";
import { h } from "../dom";
import { thousands } from "../format";
import { figure } from "../section";
import { tableBeside } from "../table";
import { meanCell } from "./figures";

interface Line {
  target: string;
  index: number;
  points: { value: number; figure: Figure; mean: number }[];
  outOfLine: OutOfLine[];
}

export function sizes(context: Context, sweep: Sweep): HTMLElement {
  const { words } = context;
  const level = context.cell(sweep.cell);
  const cells = sweep.points.flatMap(({ value, cell }) => {
    const found = context.cell(cell);
    return found ? [{ value, cell: found }] : [];
  });
  const found = context.comparison.out_of_line.filter(
    (point) => point.sweep === sweep.name && point.level.en === level?.level.en,
  );
  const lines = context.shown.flatMap((target): Line[] => {
    const points = cells.flatMap(({ value, cell }) => {
      const figure = cell.targets.find((t) => t.target === target)?.figures.throughput;
      const mean = figure?.mean ?? null;
      return figure && mean !== null && mean > 0 ? [{ value, figure, mean }] : [];
    });
    const outOfLine = found.filter((point) => point.target === target);
    return points.length > 0 ? [{ target, index: context.index(target), points, outOfLine }] : [];
  });
  const title = words.sweep.title(sweep.name, level ? context.say(level.level) : "");
  const axis = words.sweep.variable(sweep.variable);
  const rate = (value: number): string => context.units.text("requests-per-second", value);
  const texts = lines.map(({ target, points }) => {
    return `${target} ${words.list(points.map((p) => `${thousands(p.value)}: ${rate(p.mean)}`))}`;
  });
  const says = found.map((point) => context.say(point.says));
  return h(
    "div",
    { class: "cell sweep" },
    h("h3", {}, title),
    sweep.says !== null && h("p", { class: "lead" }, context.say(sweep.says)),
    says.length > 0 &&
      h("ul", { class: "sentences out-of-line" }, ...says.map((text) => h("li", {}, h("strong", {}, words.sweep.outOfLine), words.colon, text))),
    lines.length > 0 &&
      figure(
        context,
        words.figures.throughput,
        chart(`${title}, ${axis}. ${words.sentences([...says, ...texts])}`, (width) => drawing(context, lines, width)),
        h("p", { class: "axis" }, axis),
        found.length > 0 && h("p", { class: "axis" }, words.sweep.ring),
      ),
    tableBeside(context, () => ({
      caption: title,
      columns: [axis, ...lines.map(({ target }) => target)],
      rows: cells.map(({ value, cell }) => ({
        head: h("span", {}, thousands(value), h("span", { class: "detail" }, cell.workload)),
        cells: lines.map(({ target }) => {
          const figures = cell.targets.find((t) => t.target === target);
          const mean = figures ? meanCell(context, figures, "throughput") : words.none;
          const point = found.find((p) => p.target === target && p.value === value);
          if (typeof mean === "string" || !point) return mean;
          return { ...mean, more: [words.sweep.outOfLine, words.sweep.expected(rate(point.expected))] };
        }),
      })),
    })),
  );
}

function drawing(context: Context, lines: Line[], width: number): Drawing {
  const height = 270;
  const points = lines.flatMap((line) => line.points);
  const expected = lines.flatMap((line) => line.outOfLine.map((point) => point.expected));
  const values = [...new Set(points.map((point) => point.value))].sort((a, b) => a - b);
  const [least, most] = reach(points.map(({ figure }) => figure));
  const [low, high] = [Math.min(least, ...expected) / 1.12, Math.max(most, ...expected) * 1.12];
  const y = { ticks: logTicks(low, high, height / 30), format: short };
  const x = { ticks: values, format: thousands };
  const left = roomFor(y);
  const right = 26;
  const [first, last] = [values[0]! / 1.1, values.at(-1)! * 1.1];
  const at = (value: number): number => (Math.log(value / first) / Math.log(last / first)) * (width - left - right);
  const marks: Markish[] = grid(null, y);
  lines.forEach(({ index, points, outOfLine }, i) => {
    const { colour, symbol, dash } = context.look(index);
    const aside = (last / first) ** (0.005 * (i - (lines.length - 1) / 2));
    const x = ({ value }: { value: number }): number => value * aside;
    const bars = points.flatMap(({ value, figure: { interval } }) =>
      interval ? [link([{ value, ...within(interval, [low, high]) }], { x1: x, x2: x, y1: "low", y2: "high", stroke: colour, ...barStyle(interval) })] : [],
    );
    const tick = (last / first) ** 0.012;
    marks.push(
      line(points, { x, y: "mean", stroke: colour, strokeWidth: 2, strokeDasharray: dash }),
      ...bars,
      dot(points, { x, y: "mean", r: 4.5, symbol, fill: colour, stroke: PAPER, strokeWidth: 1 }),
      // Where the level should lie, and how far it is from there.
      link(outOfLine, { x1: x, x2: x, y1: "throughput", y2: "expected", stroke: INK, strokeWidth: 1, strokeDasharray: "2 2" }),
      link(outOfLine, { x1: (p: OutOfLine) => x(p) / tick, x2: (p: OutOfLine) => x(p) * tick, y1: "expected", y2: "expected", stroke: INK, strokeWidth: 2 }),
      dot(outOfLine, { x, y: "throughput", r: 9, fill: "none", stroke: INK, strokeWidth: 1.8 }),
    );
  });
  marks.push(...below(x, { at, from: -left, to: width - left }), beside(y));
  return {
    height,
    marginLeft: left,
    marginRight: right,
    marginTop: 10,
    marginBottom: 24,
    readOuts: lines.flatMap(({ target, points }) =>
      points.map(({ value, figure, mean }) => ({ x: value, y: mean, text: `${target}\n${thousands(value)}${context.words.colon}${context.units.text(figure.unit, mean)}` })),
    ),
    x: { type: "log", domain: [first, last], axis: null },
    y: { type: "log", domain: [low, high], axis: null },
    marks,
  };
}
