// The Universal Scalability Law over the connections: its curve and peak, and its coefficients.

import { dot, line, link, type Markish } from "@observablehq/plot";
import type { Look } from "../charts/look";
import { PAPER } from "../charts/look";
import type { Context } from "../context";
import type { Fitted, Scaling } from "../types";
import { h } from "../dom";
import { percent, thousands } from "../format";
import { throughput } from "../law";
import { type Cell as TableCell, table } from "../table";

/** Points of a curve. */
const POINTS = 60;

export function scalingOf(context: Context, workload: string, target: string): Scaling | undefined {
  return context.comparison.scaling.find((s) => s.workload === workload && s.target === target);
}

/** Whether the law describes the figures. */
export function isDrawn(scaling: Scaling): boolean {
  return scaling.says.finding.code !== "does-not-fit";
}

/** The curve. */
export function curveMarks(scaling: Scaling, { colour, dash }: Look, [first, last]: [number, number], top: number): Markish[] {
  const from = Math.max(1, first);
  const curve = Array.from({ length: POINTS + 1 }, (_, i) => {
    const connections = from * (last / from) ** (i / POINTS);
    return { connections, rate: throughput(scaling, connections) };
  }).filter(({ rate }) => rate <= top);
  return [line(curve, { x: "connections", y: "rate", stroke: colour, strokeWidth: 2, strokeDasharray: dash })];
}

/** The peak, where one was found within the levels: a mark with its interval near the axis, the `row`th of them, and a line up to the curve. */
export function peakMarks(scaling: Scaling, { colour }: Look, [first, last]: [number, number], top: number, row: number): Markish[] {
  const { knee } = scaling;
  if (!hasPeak(scaling) || knee?.interval == null) return [];
  const low = Math.max(first, knee.interval.low);
  const high = Math.min(last, knee.interval.high);
  const y = top * (0.035 + 0.055 * row);
  const end = top * 0.014;
  const bar = { stroke: colour, strokeWidth: 2 };
  return [
    link([0], { x1: knee.value, x2: knee.value, y1: y, y2: throughput(scaling, knee.value), stroke: colour, strokeWidth: 1, strokeDasharray: "3 3" }),
    link([0], { x1: low, x2: high, y1: y, y2: y, ...bar }),
    link([low, high], { x1: (x: number) => x, x2: (x: number) => x, y1: y - end, y2: y + end, ...bar }),
    dot([0], { x: knee.value, y, r: 3.5, symbol: "diamond", fill: PAPER, stroke: colour, strokeWidth: 1.8 }),
  ];
}

/** Whether a peak lies within the levels that were measured. */
export function hasPeak(scaling: Scaling): boolean {
  return scaling.says.finding.code === "peak";
}

/** What the law says of each target, and its coefficients; or why it says nothing. */
export function scalingSays(context: Context, workload: string): HTMLElement[] {
  const { words, data } = context;
  const fits = context.shown.flatMap((target) => scalingOf(context, workload, target) ?? []);
  const unfitted = data.page.unfitted.filter((why) => why.workload === workload);
  const texts = [...fits, ...unfitted].map(({ says }) => context.say(says));
  if (fits.length === 0) return texts.map((text) => h("p", { class: "lead" }, text));
  return [
    h("p", { class: "lead" }, words.scaling.lead),
    h("ul", { class: "sentences scaling" }, ...texts.map((text) => h("li", {}, text))),
    coefficients(context, workload, fits),
  ];
}

function coefficients(context: Context, workload: string, fits: Scaling[]): HTMLElement {
  const { words, units } = context;
  const { scaling } = words;
  const whole = (value: number): string => thousands(Math.round(value));
  return table({
    caption: `${scaling.title}${context.words.colon}${workload}`,
    columns: [words.target, scaling.gamma, scaling.alpha, scaling.beta, scaling.knee, scaling.residual],
    rows: fits.map((fit) => ({
      head: fit.target,
      cells: [
        fitted(context, fit.gamma, (value) => units.text("requests-per-second", value), (value) => units.brief("requests-per-second", value)),
        fitted(context, fit.alpha, percent),
        fitted(context, fit.beta, exponent),
        fit.knee?.interval == null ? words.none : fitted(context, fit.knee, (value) => scaling.connections(whole(value)), whole),
        percent(fit.residual),
      ],
    })),
  });
}

function exponent(value: number): string {
  return value === 0 ? "0" : value.toExponential(2);
}

function fitted({ words }: Context, { value, interval }: Fitted, text: (value: number) => string, bound = text): TableCell {
  const detail = interval ? `[${bound(interval.low)} … ${bound(interval.high)}]` : words.scaling.unbounded;
  return { text: text(value), detail };
}
