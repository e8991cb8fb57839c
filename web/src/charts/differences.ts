// Differences in rows about zero, each with its interval; those that are certain are filled.

import { dot, link, type Markish, ruleX, text } from "@observablehq/plot";
import type { Interval } from "../types";
import { WIDE } from "./bars";
import type { Drawing } from "./chart";
import { below } from "./lines";
import { GRID, INK, type Look, MUTED, PAPER } from "./look";
import { timeTicks } from "./scales";
import { textWidth, wrapped } from "./text";

/** A difference of two times in microseconds. */
export interface Difference {
  name: string;
  value: number;
  interval: Interval | null;
  isSure: boolean;
  /** The look of who spends more. */
  look: Look;
  figure: string;
  readOut: string;
}

/** An interval that bounds next to nothing stretches the axis to so many times the largest difference at most. */
const MOST = 2.5;

export function differences(rows: Difference[], width: number): Drawing {
  const wide = width >= WIDE;
  const left = wide ? 190 : 8;
  const right = wide ? Math.max(...rows.map(({ figure }) => textWidth(figure))) + 20 : 8;
  const inner = width - left - right;
  const largest = Math.max(Number.MIN_VALUE, ...rows.map(({ value }) => Math.abs(value)));
  const end = (of: (interval: Interval) => number): number => Math.max(0, ...rows.map(({ interval, value }) => Math.min(largest * MOST, Math.max(interval ? of(interval) : 0, of({ low: value, high: value })))));
  const low = -Math.max(end(({ low }) => -low), largest * 0.1);
  const high = Math.max(end(({ high }) => high), largest * 0.1);
  // Ticks on both sides of zero, by the same steps.
  const { values, format } = timeTicks("microseconds", 0, Math.max(high, -low), Math.max(2, inner / 160));
  const ticks = [...values.slice(1).reverse().map((value) => -value), ...values].filter((value) => value >= low && value <= high);
  const signed = (value: number): string => (value < 0 ? `−${format(-value)}` : format(value));
  const step = wide ? 32 : 52;
  const line = wide ? 0.5 : 0.72;
  const marks: Markish[] = [];
  rows.forEach(({ name, value, interval, isSure, look, figure }, row) => {
    const y = row + line;
    const colour = isSure ? look.colour : MUTED;
    const strip = wide ? [row, row + 1] : [row + 0.5, row + 0.95];
    const [y1, y2] = strip as [number, number];
    const lines = wrapped(name, wide ? left - 14 : width - textWidth(figure) - 12, 13, 2);
    const weight = { fontSize: 13, fontWeight: isSure ? 600 : 400, fill: INK };
    marks.push(
      ruleX(ticks.map((x) => ({ x, y1, y2 })), { x: "x", y1: "y1", y2: "y2", stroke: GRID }),
      ruleX([{ x: 0, y1, y2 }], { x: "x", y1: "y1", y2: "y2", stroke: MUTED }),
      ...lines.map((words, i) =>
        text([words], { y: wide ? y : row, dy: wide ? i * 15 - (lines.length - 1) * 7.5 : 12 + i * 15, frameAnchor: "left", dx: -left, textAnchor: "start", text: () => words, ...weight }),
      ),
      text([figure], { y: wide ? y : row, dy: wide ? 0 : 12, frameAnchor: "right", dx: wide ? 14 : right, textAnchor: wide ? "start" : "end", text: () => figure, fill: isSure ? INK : MUTED, fontVariant: "tabular-nums" }),
      ...(interval ? [link([0], { x1: Math.max(low, interval.low), x2: Math.min(high, interval.high), y1: y, y2: y, stroke: colour, strokeWidth: isSure ? 3 : 2 })] : []),
      dot([value], { x: value, y, r: 5.5, symbol: isSure ? look.symbol : "circle", ...(isSure ? { fill: colour, stroke: PAPER } : { fill: PAPER, stroke: colour, strokeWidth: 2 }) }),
    );
  });
  const range = high - low;
  return {
    height: rows.length * step + 26,
    marginLeft: left,
    marginRight: right,
    marginTop: 2,
    marginBottom: 24,
    x: { domain: [low, high], axis: null },
    y: { domain: [0, rows.length], range: [2, 2 + rows.length * step], axis: null },
    along: "y",
    readOuts: rows.map(({ value, readOut }, row) => ({ x: value, y: row + line, text: readOut })),
    marks: [...marks, ...below({ ticks, format: signed }, { at: (value) => ((value - low) / range) * inner, from: -left, to: inner + right })],
  };
}
