// Response time against throughput: what each further request per second costs, level by level.

import { dot, line, text, type Markish } from "@observablehq/plot";
import { chart, type Drawing } from "../charts/chart";
import { below, beside, grid, roomFor } from "../charts/lines";
import { MUTED, PAPER } from "../charts/look";
import { logTicks, short, time, timeTicks } from "../charts/scales";
import { type Label, placed } from "../charts/text";
import { type Context, isVoid } from "../context";
import { h } from "../dom";
import { figure } from "../section";
import type { Cell } from "../types";

interface Point {
  level: string;
  rate: number;
  p99: number;
}

interface Path {
  target: string;
  index: number;
  points: Point[];
}

/** The figure; none where no target has two levels with both figures. */
export function tradeOff(context: Context, workload: string, cells: Cell[]): HTMLElement[] {
  const { load_, sentences, list, figures } = context.words;
  const paths = context.shown
    .filter((target) => !context.isLimit(target))
    .map((target): Path => ({ target, index: context.index(target), points: cells.flatMap((cell) => point(context, cell, target)) }))
    .filter(({ points }) => points.length > 1);
  if (paths.length === 0) return [];
  const texts = paths.map(({ target, points }) => `${target} ${list(points.map((point) => saying(context, point)))}`);
  return [
    figure(
      context,
      load_.tradeOff,
      chart(`${load_.tradeOff}, ${workload}. ${sentences(texts)}`, (width) => drawing(context, paths, width)),
      h("p", { class: "axis" }, figures.throughput),
    ),
  ];
}

function point(context: Context, cell: Cell, target: string): Point[] {
  const found = cell.targets.find((figures) => figures.target === target);
  const [rate, p99] = [found?.figures["throughput"]?.mean ?? null, found?.figures["p99"]?.mean ?? null];
  if (!found || rate === null || p99 === null || p99 <= 0 || isVoid(found, "p99")) return [];
  return [{ level: context.say(cell.level), rate, p99 }];
}

function saying({ units, words }: Context, { level, rate, p99 }: Point): string {
  return `${level}${words.colon}${units.text("requests-per-second", rate)}, p99 ${units.text("microseconds", p99)}`;
}

function drawing(context: Context, paths: Path[], width: number): Drawing {
  const height = 250;
  const [top, bottom] = [14, 24];
  const points = paths.flatMap((path) => path.points);
  const most = Math.max(...points.map(({ rate }) => rate)) * 1.06;
  const low = Math.min(...points.map(({ p99 }) => p99)) / 1.25;
  const high = Math.max(...points.map(({ p99 }) => p99)) * 1.25;
  const y = { ticks: logTicks(low, high, height / 26), format: time };
  const x = { ticks: timeTicks("count", 0, most, width / 80).values, format: short };
  const left = roomFor(y);
  const right = 16;
  const at = (value: number): number => (value / most) * (width - left - right);
  const marks: Markish[] = grid(x, y);
  // The ends say which way the load rises; where two would stand on one another, one says it for both.
  const labels = paths.flatMap(({ points }) => [points[0], points.at(-1)].flatMap((end) => (end ? [{ ...labelOf(end), end }] : [])));
  function labelOf({ level, rate, p99 }: Point): Label {
    const y = (1 - Math.log(p99 / low) / Math.log(high / low)) * (height - top - bottom);
    return { text: level, x: at(rate), y, anchor: rate > most * 0.8 ? "end" : rate < most * 0.2 ? "start" : "middle" };
  }
  for (const { index, points } of paths) {
    const { colour, symbol, dash } = context.look(index);
    marks.push(
      line(points, { x: "rate", y: "p99", stroke: colour, strokeWidth: 2, strokeDasharray: dash }),
      dot(points, { x: "rate", y: "p99", r: 4.5, symbol, fill: colour, stroke: PAPER, strokeWidth: 1 }),
    );
  }
  for (const { label, dy } of placed(labels, height - top - bottom)) {
    marks.push(text([label.end], { x: "rate", y: "p99", dy, fill: MUTED, fontSize: 11, text: "level", textAnchor: label.anchor }));
  }
  marks.push(...below(x, { at, from: -left, to: width - left }), beside(y));
  return {
    height,
    marginLeft: left,
    marginRight: right,
    marginTop: top,
    marginBottom: bottom,
    readOuts: paths.flatMap(({ target, points }) => points.map((point) => ({ x: point.rate, y: point.p99, text: `${target}\n${saying(context, point)}` }))),
    x: { domain: [0, most], axis: null },
    y: { type: "log", domain: [low, high], axis: null },
    marks,
  };
}
