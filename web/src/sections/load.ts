// Throughput and p99 against the load, where a workload has several levels; with the scalability law over connections.

import { dot, line, link, type Markish } from "@observablehq/plot";
import { chart, type Drawing } from "../charts/chart";
import { key } from "../charts/key";
import { below, beside, grid, roomFor } from "../charts/lines";
import { PAPER } from "../charts/look";
import { barStyle, logTicks, reach, short, time, timeTicks, within } from "../charts/scales";
import { type Context, isVoid } from "../context";
import type { Cell, Figure, Load, Scaling } from "../types";
import { h } from "../dom";
import { thousands } from "../format";
import { figure, methodOf, section } from "../section";
import { tableBeside } from "../table";
import { errors } from "./errors";
import { lead, meanCell } from "./figures";
import { curveMarks, hasPeak, isDrawn, peakMarks, scalingOf, scalingSays } from "./scaling";
import { sizes } from "./sizes";
import { tradeOff } from "./trade-off";

const DRAWN = ["throughput", "p99"] as const;

interface Levels {
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
  /** The law that is drawn through them. */
  law: Scaling | undefined;
  /** Whether the marks stand alone: a copy beside a law that is its target's. */
  isBare: boolean;
}

export function againstLoad(context: Context): HTMLElement | null {
  const { words } = context;
  const all = levelsOf(context.comparison.cells);
  const sweeps = context.data.page.sweeps;
  if (all.length === 0 && sweeps.length === 0) return null;
  return section(
    context,
    "load",
    { title: words.load_.title, lead: lead(context, words.load_.lead, all.flatMap(({ cells }) => cells), DRAWN) },
    all.some(({ kind }) => kind === "closed") && methodOf(context, "scaling"),
    sweeps.length > 0 && methodOf(context, "sweep"),
    key(context),
    ...all.map((levels) => ofLevels(context, levels)),
    ...sweeps.map((sweep) => sizes(context, sweep)),
  );
}

/** Where a level stands on its axis; null for a kind of load that is no point of a curve. */
function level(load: Load): number | null {
  switch (load.kind) {
    case "closed":
      return load.connections;
    case "open":
      return load.rate;
    default:
      return null;
  }
}

/** The cells of one workload and kind of load with two levels and more. */
function levelsOf(cells: Cell[]): Levels[] {
  const all = new Map<string, Levels>();
  const at = (cell: Cell): number => level(cell.load) ?? 0;
  for (const cell of cells.filter((cell) => cell.targets.some((target) => target.rounds > 0))) {
    const { kind } = cell.load;
    if (level(cell.load) === null) continue;
    const place = JSON.stringify([cell.workload, kind]);
    const levels = all.get(place) ?? { workload: cell.workload, kind, cells: [] };
    levels.cells.push(cell);
    all.set(place, levels);
  }
  const several = [...all.values()].filter((levels) => new Set(levels.cells.map(at)).size > 1);
  for (const levels of several) levels.cells.sort((a, b) => at(a) - at(b));
  return several;
}

function ofLevels(context: Context, levels: Levels): HTMLElement {
  const { words } = context;
  const axis = levels.kind === "closed" ? words.load_.connections : words.load_.rate;
  return h(
    "div",
    { class: "cell" },
    h("h3", {}, levels.workload),
    h("div", { class: "pairs" }, ...DRAWN.flatMap((quantity) => panel(context, levels, quantity, axis)), ...tradeOff(context, levels.workload, levels.cells)),
    ...levels.cells.flatMap((cell) => errors(context, cell).map((p) => h("div", {}, h("strong", {}, context.place(cell)), p))),
    ...(levels.kind === "closed" ? scalingSays(context, levels.workload) : []),
    tableBeside(context, () => ({
      caption: `${words.load_.title}${context.words.colon}${levels.workload}`,
      columns: [words.level, ...context.shown.flatMap((t) => DRAWN.map((q) => `${t}, ${context.metric(q)}`))],
      rows: levels.cells.map((cell) => ({
        head: context.say(cell.level),
        cells: context.shown.flatMap((name) => {
          const target = cell.targets.find((t) => t.target === name);
          return DRAWN.map((quantity) => (target ? meanCell(context, target, quantity) : words.none));
        }),
      })),
    })),
  );
}

function panel(context: Context, levels: Levels, quantity: (typeof DRAWN)[number], axis: string): HTMLElement[] {
  const lines = context.shown.flatMap((target): Line[] => {
    const points = levels.cells.flatMap((cell): Point[] => {
      const found = cell.targets.find((t) => t.target === target);
      const figure = found?.figures[quantity];
      const at = level(cell.load);
      if (!found || !figure || figure.mean === null || at === null || isVoid(found, quantity)) return [];
      return [{ level: at, figure }];
    });
    const isLawful = quantity === "throughput" && levels.kind === "closed";
    const law = isLawful ? scalingOf(context, levels.workload, target) : undefined;
    const isBare = isLawful && !context.isContender(target) && context.comparison.scaling.some((s) => s.workload === levels.workload && isDrawn(s));
    return points.length > 0 ? [{ target, index: context.index(target), points, law, isBare }] : [];
  });
  const title = context.words.figures[quantity];
  if (lines.length === 0) return [];
  const texts = lines.map(({ target, points }) => {
    const each = points.map((p) => `${thousands(p.level)}: ${context.units.text(p.figure.unit, p.figure.mean ?? 0)}`);
    return `${target} ${context.words.list(each)}`;
  });
  return [
    figure(
      context,
      title,
      chart(`${title}, ${levels.workload}, ${axis}. ${context.words.sentences(texts)}`, (width) =>
        drawing(context, lines, quantity, width),
      ),
      h("p", { class: "axis" }, axis),
    ),
  ];
}

function drawing(context: Context, lines: Line[], quantity: (typeof DRAWN)[number], width: number): Drawing {
  const height = 250;
  const points = lines.flatMap((line) => line.points);
  const levels = [...new Set(points.map((point) => point.level))].sort((a, b) => a - b);
  const [low, high] = reach(points.map(({ figure }) => figure));
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
  lines.forEach(({ index, points, law, isBare }, i) => {
    const { colour, symbol, dash } = context.look(index);
    // Side by side, so that no interval hides another.
    const aside = (last / first) ** (0.007 * (i - (lines.length - 1) / 2));
    const x = ({ level }: { level: number }): number => level * aside;
    const mean = (point: Point): number => point.figure.mean ?? 0;
    const single = points.flatMap(({ level, figure }) =>
      figure.rounds.flatMap((value) => (value === null ? [] : [{ level, value }])),
    );
    const bars = points.flatMap(({ level, figure: { interval } }) =>
      interval ? [link([{ level, ...within(interval, scale) }], { x1: x, x2: x, y1: "low", y2: "high", stroke: colour, ...barStyle(interval) })] : [],
    );
    marks.push(
      dot(single, { x, y: "value", r: 2, symbol, stroke: colour, strokeWidth: 0.8 }),
      ...bars,
      // The law, where it describes the figures, is drawn in place of straight lines from mark to mark.
      ...(law && isDrawn(law)
        ? curveMarks(law, context.look(index), [first, last], scale[1])
        : isBare
          ? []
          : [line(points, { x, y: mean, stroke: colour, strokeWidth: 2, strokeDasharray: dash })]),
      dot(points, { x, y: mean, r: 4.5, symbol, fill: colour, stroke: PAPER, strokeWidth: 1 }),
    );
  });
  const peaks = lines.filter(({ law }) => law && hasPeak(law));
  peaks.forEach(({ index, law }, row) => {
    if (law) marks.push(...peakMarks(law, context.look(index), [first, last], scale[1], row));
  });
  marks.push(...below(x, { at, from: -left, to: width - left }), beside(y));
  return {
    height,
    marginLeft: left,
    marginRight: right,
    marginTop: 8,
    marginBottom: 24,
    readOuts: lines.flatMap(({ target, points }) =>
      points.flatMap(({ level, figure }) => {
        if (figure.mean === null) return [];
        const interval = figure.interval ? ` ${context.interval(figure.unit, figure.mean, figure.interval)}` : "";
        return [{ x: level, y: figure.mean, text: `${target}\n${thousands(level)}${context.words.colon}${context.units.text(figure.unit, figure.mean)}${interval}` }];
      }),
    ),
    x: { type: "log", domain: [first, last], axis: null },
    y: { type: isTime ? "log" : "linear", domain: scale, axis: null },
    marks,
  };
}
