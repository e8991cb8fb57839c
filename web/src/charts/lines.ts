// Grid and tick labels. They are drawn as rules and texts: Plot's own axes hand a logarithmic scale's
// labels to a formatter that leaves out most of them.

import { type Markish, ruleX, ruleY, text } from "@observablehq/plot";
import { textWidth } from "./text";
import { GRID, MUTED } from "./look";

export interface Axis {
  ticks: number[];
  format: (value: number) => string;
}

const TICK = { fill: MUTED, fontVariant: "tabular-nums" } as const;

/** The grid, which lies under everything. */
export function grid(x: Axis | null, y: Axis | null): Markish[] {
  const style = { stroke: GRID };
  return [...(y ? [ruleY(y.ticks, style)] : []), ...(x ? [ruleX(x.ticks, style)] : [])];
}

/** Where a picture of rows shows its grid: all of a row, or the part below the row's words. */
export type Strip = [from: number, to: number];

/** A vertical grid that leaves out the words of each row. */
export function rowGrid({ ticks }: Axis, rows: number, [from, to]: Strip, stroke: string = GRID, dash = "none"): Markish {
  const pieces = Array.from({ length: rows }, (_, row) => ticks.map((x) => ({ x, y1: row + from, y2: row + to })));
  return ruleX(pieces.flat(), { x: "x", y1: "y1", y2: "y2", stroke, strokeDasharray: dash });
}

/** The labels below the frame. */
export function below({ ticks, format }: Axis): Markish {
  return text(ticks, { ...TICK, x: (value: number) => value, text: format, frameAnchor: "bottom", dy: 14 });
}

/** The labels left of the frame. */
export function beside({ ticks, format }: Axis): Markish {
  return text(ticks, {
    ...TICK,
    y: (value: number) => value,
    text: format,
    frameAnchor: "left",
    textAnchor: "end",
    dx: -7,
  });
}

/** Room for the labels of a vertical axis. */
export function roomFor({ ticks, format }: Axis): number {
  return Math.max(20, ...ticks.map((tick) => textWidth(format(tick)))) + 10;
}

/** The ticks whose labels neither run into the one before nor beyond `limit`; `at` tells where a tick lies, in pixels. */
export function apart({ ticks, format }: Axis, at: (value: number) => number, limit = Infinity): number[] {
  const kept: number[] = [];
  let end = -Infinity;
  for (const tick of ticks) {
    const half = textWidth(format(tick)) / 2;
    if (at(tick) - half < end + 8 || at(tick) + half > limit) continue;
    kept.push(tick);
    end = at(tick) + half;
  }
  return kept;
}
