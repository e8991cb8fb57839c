// Response time by percentile, on an axis where each further nine has the same width.

import { dot, line, type Markish } from "@observablehq/plot";
import { chart, type Drawing } from "../charts/chart";
import { key } from "../charts/key";
import { below, beside, grid, roomFor } from "../charts/lines";
import { PAPER } from "../charts/look";
import { logTicks, time } from "../charts/scales";
import { type Context, isVoid } from "../context";
import type { Cell, Distribution } from "../types";
import { h, spoken } from "../dom";
import { plainPercent, thousands } from "../format";
import { figure, section } from "../section";
import { tableBeside } from "../table";
import { errors } from "./errors";
import { network } from "./network";

/** Points for each nine, as `photofinish-judge` makes them. */
const POINTS_PER_NINE = 10;

/** Pictures begin at the median: below it the axis of nines has no room, and the minimum would take all of the height. */
const FIRST = Math.log10(2);

interface Point {
  nines: number;
  us: number;
}

export function percentiles(context: Context): HTMLElement {
  const { words, data } = context;
  const cells = context.comparison.cells
    .map((cell, index) => {
      const voided = cell.targets.filter((target) => isVoid(target, "p99")).map(({ target }) => target);
      const curves = data.page.distributions.filter((d) => d.cell === index && !voided.includes(context.targets[d.target] ?? ""));
      return { cell, curves, voided };
    })
    // Where all that is there is void, that is said.
    .filter(({ curves, voided }) => curves.length > 0 || voided.length > 0);
  const problem = data.page.latency_problem;
  if (cells.length === 0 && problem === null) {
    return section(context, "percentiles", { title: words.percentiles.title }, h("p", {}, words.percentiles.empty));
  }
  return section(
    context,
    "percentiles",
    { title: words.percentiles.title, lead: words.percentiles.lead },
    problem !== null && h("p", { class: "errors" }, cells.length === 0 && `${words.percentiles.none}: `, spoken(context.say(problem))),
    cells.length > 0 && key(context),
    h("div", { class: "pairs" }, ...cells.map(({ cell, curves }) => ofCell(context, cell, curves))),
  );
}

function ofCell(context: Context, cell: Cell, curves: Distribution[]): HTMLElement {
  const { words, units, targets } = context;
  const name = (curve: Distribution): string => targets[curve.target] ?? "";
  const saying = (curve: Distribution): string => {
    const points = curve.percentiles.map(({ share, us }) => `${plainPercent(share)} ${units.text("microseconds", us)}`);
    return `${name(curve)}: ${words.list(points)}`;
  };
  if (curves.length === 0) return figure(context, context.place(cell), ...errors(context, cell));
  const shares = [...new Set(curves.flatMap((curve) => curve.percentiles.map((p) => p.share)))].sort((a, b) => a - b);
  return figure(
    context,
    context.place(cell),
    chart(`${words.percentiles.title}, ${context.place(cell)}. ${words.sentences(curves.map(saying))}`, (width) =>
      drawing(context, curves, width),
    ),
    h("p", { class: "axis" }, words.percentiles.x),
    network(context, cell),
    ...errors(context, cell),
    tableBeside(context, () => ({
      caption: `${words.percentiles.title}${context.words.colon}${context.place(cell)}`,
      columns: [
        words.target,
        ...shares.map(plainPercent),
        words.percentiles.longest,
        words.percentiles.count,
        words.gaps.rounds,
      ],
      rows: curves.map((curve) => ({
        head: name(curve),
        cells: [
          ...shares.map((share) => {
            const found = curve.percentiles.find((p) => p.share === share);
            return found ? units.text("microseconds", found.us) : words.none;
          }),
          units.text("microseconds", curve.max_us),
          thousands(curve.count),
          String(curve.rounds),
        ],
      })),
    })),
  );
}

function points(curve: Distribution): Point[] {
  return curve.curve_us.map((us, k) => ({ nines: k / POINTS_PER_NINE, us })).filter((point) => point.us > 0 && point.nines > FIRST - 0.01);
}

function share(nines: number): string {
  if (nines < 1) return "50%";
  if (nines === 1) return "90%";
  return `99${nines > 2 ? `.${"9".repeat(nines - 2)}` : ""}%`;
}

function drawing(context: Context, curves: Distribution[], width: number): Drawing {
  const all = curves.flatMap(points);
  const most = Math.max(1, ...all.map((point) => point.nines));
  const low = Math.min(...all.map((point) => point.us)) / 1.1;
  const high = Math.max(...all.map((point) => point.us)) * 1.1;
  const height = 250;
  const y = { ticks: logTicks(low, high, height / 26), format: time };
  const whole = Array.from({ length: Math.floor(most) + 1 }, (_, nines) => nines);
  const x = { ticks: [FIRST, ...whole.slice(1)], format: share };
  const left = roomFor(y);
  const right = 22;
  const at = (nines: number): number => ((nines - FIRST) / (most - FIRST)) * (width - left - right);
  const marks: Markish[] = grid(x, y);
  for (const curve of curves) {
    const { colour, symbol, dash } = context.look(curve.target);
    const drawn = points(curve);
    const marked = drawn.filter((point, i) => Number.isInteger(point.nines) || i === 0 || i === drawn.length - 1);
    marks.push(
      line(drawn, { x: "nines", y: "us", stroke: colour, strokeWidth: 2, strokeDasharray: dash, curve: "monotone-x" }),
      dot(marked, { x: "nines", y: "us", r: 4, symbol, fill: colour, stroke: PAPER, strokeWidth: 1 }),
    );
  }
  marks.push(...below(x, { at, from: -left, to: width - left }), beside(y));
  return {
    height,
    marginLeft: left,
    marginRight: right,
    marginTop: 8,
    marginBottom: 24,
    readOuts: curves.flatMap((curve) =>
      points(curve).map(({ nines, us }) => ({
        x: nines,
        y: us,
        text: `${context.targets[curve.target] ?? ""}\n${plainPercent(1 - 10 ** -nines)}${context.words.colon}${context.units.text("microseconds", us)}`,
      })),
    ),
    x: { domain: [FIRST, most], axis: null },
    y: { type: "log", domain: [low, high], axis: null },
    marks,
  };
}
