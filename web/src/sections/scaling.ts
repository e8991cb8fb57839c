// The Universal Scalability Law over the connections: its curve and peak, and its coefficients.

import { dot, line, link, type Markish } from "@observablehq/plot";
import type { Look } from "../charts/look";
import { PAPER } from "../charts/look";
import type { Context } from "../context";
import type { Cell, Fitted, Scaling } from "../data";
import { h } from "../dom";
import { percent, thousands } from "../format";
import { finding, throughput } from "../law";
import { type Cell as TableCell, table } from "../table";

/** The fewest levels that the law is fitted to; as in `photofinish-stats`. */
const FEWEST_LEVELS = 4;

/** Points of a curve. */
const POINTS = 60;

export function scalingOf(context: Context, workload: string, target: string): Scaling | undefined {
  return context.comparison.scaling.find((s) => s.workload === workload && s.target === target);
}

/** Whether the law describes the figures. */
export function isDrawn(scaling: Scaling): boolean {
  return finding(scaling) !== "poor";
}

/** The curve, and its peak with the peak's interval where one was found within the levels. */
export function curveMarks(scaling: Scaling, { colour, dash }: Look, [first, last]: [number, number], top: number): Markish[] {
  const from = Math.max(1, first);
  const curve = Array.from({ length: POINTS + 1 }, (_, i) => {
    const connections = from * (last / from) ** (i / POINTS);
    return { connections, rate: throughput(scaling, connections) };
  }).filter(({ rate }) => rate <= top);
  const marks: Markish[] = [line(curve, { x: "connections", y: "rate", stroke: colour, strokeWidth: 2, strokeDasharray: dash })];
  const { knee } = scaling;
  if (finding(scaling) !== "peak" || knee?.interval == null) return marks;
  const y = throughput(scaling, knee.value);
  const low = Math.max(first, knee.interval.low);
  const high = Math.min(last, knee.interval.high);
  // The bar of the interval lies a little below the curve, with ends, so that it is not taken for a part of it.
  const under = y - top * 0.055;
  const end = top * 0.012;
  const bar = { stroke: colour, strokeWidth: 1.5 };
  return [
    ...marks,
    link([0], { x1: low, x2: high, y1: under, y2: under, ...bar }),
    link([low, high], { x1: (x: number) => x, x2: (x: number) => x, y1: under - end, y2: under + end, ...bar }),
    link([0], { x1: knee.value, x2: knee.value, y1: under, y2: y, ...bar, strokeDasharray: "2 2" }),
    dot([0], { x: knee.value, y, r: 5.5, symbol: "diamond", fill: PAPER, stroke: colour, strokeWidth: 2 }),
  ];
}

/** What the law says of each target, and its coefficients; or why it says nothing. */
export function scalingSays(context: Context, workload: string, cells: Cell[]): HTMLElement[] {
  const { words } = context;
  if (cells.length < FEWEST_LEVELS) return [h("p", { class: "lead" }, words.scaling.few(cells.length))];
  const contenders = context.shown.filter(
    (target) => context.isContender(target) && cells.some((cell) => cell.targets.some((t) => t.target === target && t.rounds > 0)),
  );
  const fits = contenders.flatMap((target) => scalingOf(context, workload, target) ?? []);
  const told = contenders.map((target) => {
    const scaling = scalingOf(context, workload, target);
    if (!scaling) return words.scaling.none(target);
    return words.scaling.says?.(scaling, percent(scaling.residual)) ?? scaling.says;
  });
  return [
    h("p", { class: "lead" }, words.scaling.lead),
    h("ul", { class: "told scaling" }, ...told.map((text) => h("li", {}, text))),
    ...(fits.length > 0 ? [coefficients(context, workload, fits)] : []),
  ];
}

function coefficients(context: Context, workload: string, fits: Scaling[]): HTMLElement {
  const { words, units } = context;
  const { scaling } = words;
  const whole = (value: number): string => thousands(Math.round(value));
  return table({
    caption: `${scaling.title}: ${workload}`,
    columns: [words.target, scaling.gamma, scaling.alpha, scaling.beta, scaling.knee, scaling.residual],
    rows: fits.map((fit) => ({
      head: fit.target,
      cells: [
        fitted(context, fit.gamma, (value) => units.text("requests-per-second", value)),
        fitted(context, fit.alpha, percent),
        fitted(context, fit.beta, exponent),
        fit.knee === null ? words.none : fitted(context, fit.knee, (value) => scaling.connections(whole(value)), whole),
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
