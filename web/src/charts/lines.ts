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

/** How an axis lies along the bottom of a picture, in pixels from the frame's left. */
export interface Along {
  /** Where a tick lies. */
  at: (value: number) => number;
  /** From where to where its labels may reach. */
  from: number;
  to: number;
}

/** The labels below the frame that do not run into one another; one at an edge is moved inwards as far as it needs. */
export function below(axis: Axis, along: Along): Markish[] {
  return apart(axis, along).map(({ tick, middle }) =>
    text([tick], { ...TICK, x: tick, text: () => axis.format(tick), frameAnchor: "bottom", dx: middle - along.at(tick), dy: 14 }),
  );
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

/** The ticks whose labels do not run into the one before, with where the middle of each label lies. */
export function apart({ ticks, format }: Axis, { at, from, to }: Along): { tick: number; middle: number }[] {
  const kept: { tick: number; middle: number }[] = [];
  let end = -Infinity;
  for (const tick of ticks) {
    const half = textWidth(format(tick)) / 2;
    const middle = Math.max(from + half, Math.min(to - half, at(tick)));
    if (middle - half < end + 8) continue;
    kept.push({ tick, middle });
    end = middle + half;
  }
  return kept;
}
