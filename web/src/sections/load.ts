// Throughput and p99 against the load, where a workload has several levels.

import { dot, line, link, type Markish } from "@observablehq/plot";
import { chart, type Drawing } from "../charts/chart";
import { key } from "../charts/key";
import { apart, below, beside, grid, roomFor } from "../charts/lines";
import { look, PAPER } from "../charts/look";
import { logTicks, short, time, timeTicks } from "../charts/scales";
import type { Context } from "../context";
import type { Cell, Figure, Load } from "../data";
import { h } from "../dom";
import { thousands } from "../format";
import { figure, section } from "../section";
import { tableBeside } from "../table";
import { errors } from "./errors";
import { meanCell } from "./figures";

const DRAWN = ["throughput", "p99"] as const;

interface Sweep {
  workload: string;
  kind: Load["kind"];
  cells: Cell[];
}

interface Point {
  level: number;
  figure: Figure;
}

interface Line {
  target: string;
  index: number;
  points: Point[];
}

export function againstLoad(context: Context): HTMLElement | null {
  const { words } = context;
  const sweeps = sweepsOf(context.comparison.cells);
  if (sweeps.length === 0) return null;
  return section(
    context,
    "load",
    { title: words.load_.title, lead: words.load_.lead },
    key(context),
    ...sweeps.map((sweep) => ofSweep(context, sweep)),
  );
}

function level(load: Load): number {
  return load.kind === "closed" ? load.connections : load.rate;
}

/** The cells of one workload and kind of load with two levels and more. */
function sweepsOf(cells: Cell[]): Sweep[] {
  const sweeps = new Map<string, Sweep>();
  for (const cell of cells.filter((cell) => cell.targets.some((target) => target.rounds > 0))) {
    const { kind } = cell.load;
    const place = JSON.stringify([cell.workload, kind]);
    const sweep = sweeps.get(place) ?? { workload: cell.workload, kind, cells: [] };
    sweep.cells.push(cell);
    sweeps.set(place, sweep);
  }
  const several = [...sweeps.values()].filter((sweep) => new Set(sweep.cells.map((c) => level(c.load))).size > 1);
  for (const sweep of several) sweep.cells.sort((a, b) => level(a.load) - level(b.load));
  return several;
}

function ofSweep(context: Context, sweep: Sweep): HTMLElement {
  const { words } = context;
  const axis = sweep.kind === "closed" ? words.load_.connections : words.load_.rate;
  return h(
    "div",
    { class: "cell wide" },
    h("h3", {}, sweep.workload),
    h("div", { class: "pairs" }, ...DRAWN.map((quantity) => panel(context, sweep, quantity, axis))),
    ...sweep.cells.flatMap((cell) => errors(context, cell).map((p) => h("div", {}, h("strong", {}, context.place(cell)), p))),
    tableBeside(context, () => ({
      caption: `${words.load_.title}: ${sweep.workload}`,
      columns: [words.level, ...context.targets.flatMap((t) => DRAWN.map((q) => `${t}, ${words.quantities[q]}`))],
      rows: sweep.cells.map((cell) => ({
        head: context.level(cell.load),
        cells: context.targets.flatMap((name) => {
          const target = cell.targets.find((t) => t.target === name);
          return DRAWN.map((quantity) => (target ? meanCell(context, target, quantity) : words.none));
        }),
      })),
    })),
  );
}

function panel(context: Context, sweep: Sweep, quantity: (typeof DRAWN)[number], axis: string): HTMLElement {
  const lines = context.targets.flatMap((target): Line[] => {
    const points = sweep.cells.flatMap((cell): Point[] => {
      const figure = cell.targets.find((t) => t.target === target)?.figures[quantity];
      return figure && figure.mean !== null ? [{ level: level(cell.load), figure }] : [];
    });
    return points.length > 0 ? [{ target, index: context.index(target), points }] : [];
  });
  const title = context.words.figures[quantity];
  const told = lines.map(({ target, points }) => {
    const each = points.map((p) => `${thousands(p.level)}: ${context.units.text(p.figure.unit, p.figure.mean ?? 0)}`);
    return `${target} ${context.words.list(each)}`;
  });
  return figure(
    title,
    chart(`${title}, ${sweep.workload}, ${axis}. ${context.words.sentences(told)}`, (width) =>
      drawing(lines, quantity, width),
    ),
    h("p", { class: "axis" }, axis),
  );
}

function drawing(lines: Line[], quantity: (typeof DRAWN)[number], width: number): Drawing {
  const height = 250;
  const points = lines.flatMap((line) => line.points);
  const levels = [...new Set(points.map((point) => point.level))].sort((a, b) => a - b);
  const high = Math.max(...points.map(({ figure }) => Math.max(figure.max, figure.interval?.high ?? 0)));
  const low = Math.min(...points.map(({ figure }) => Math.min(figure.min, figure.interval?.low ?? Infinity)));
  const isTime = quantity === "p99";
  const scale: [number, number] = isTime ? [low / 1.15, high * 1.15] : [0, high * 1.04];
  const y = isTime
    ? { ticks: logTicks(scale[0], scale[1], height / 26), format: time }
    : { ticks: timeTicks("count", 0, scale[1], 6).values, format: short };
  const x = { ticks: levels, format: short };
  const left = roomFor(y);
  const right = 16;
  const [first, last] = [levels[0]! / 1.1, levels.at(-1)! * 1.1];
  const at = (value: number): number => (Math.log(value / first) / Math.log(last / first)) * (width - left - right);
  const marks: Markish[] = grid(null, y);
  lines.forEach(({ index, points }, i) => {
    const { colour, symbol, dash } = look(index);
    // Side by side, so that no interval hides another.
    const aside = (last / first) ** (0.007 * (i - (lines.length - 1) / 2));
    const x = ({ level }: { level: number }): number => level * aside;
    const mean = (point: Point): number => point.figure.mean ?? 0;
    const single = points.flatMap(({ level, figure }) =>
      figure.rounds.flatMap((value) => (value === null ? [] : [{ level, value }])),
    );
    const bars = points.flatMap(({ level, figure }) => (figure.interval ? [{ level, ...figure.interval }] : []));
    marks.push(
      dot(single, { x, y: "value", r: 2, symbol, stroke: colour, strokeWidth: 0.8 }),
      link(bars, { x1: x, x2: x, y1: "low", y2: "high", stroke: colour, strokeWidth: 2 }),
      line(points, { x, y: mean, stroke: colour, strokeWidth: 2, strokeDasharray: dash }),
      dot(points, { x, y: mean, r: 4.5, symbol, fill: colour, stroke: PAPER, strokeWidth: 1 }),
    );
  });
  marks.push(below({ ...x, ticks: apart(x, at) }), beside(y));
  return {
    height,
    marginLeft: left,
    marginRight: right,
    marginTop: 8,
    marginBottom: 24,
    x: { type: "log", domain: [first, last], axis: null },
    y: { type: isTime ? "log" : "linear", domain: scale, axis: null },
    marks,
  };
}
