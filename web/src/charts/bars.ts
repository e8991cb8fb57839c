// Bars in groups on one axis that begins at zero: a group's name left of its bars or, on a phone, above them; each bar ends in its
// target's mark, with its interval.

import { dot, link, type Markish, rect, ruleX, text } from "@observablehq/plot";
import type { Interval } from "../types";
import type { Drawing } from "./chart";
import { below } from "./lines";
import { GRID, INK, type Look, MUTED, PAPER } from "./look";
import { timeTicks } from "./scales";
import { textWidth, wrapped } from "./text";

/** A time in microseconds. */
export interface Bar {
  value: number;
  interval: Interval | null;
  look: Look;
  /** What stands at its end. */
  figure: string;
  readOut: string;
}

export interface BarGroup {
  name: string;
  bars: Bar[];
}

/** From this width on, names stand left of the bars. */
export const WIDE = 620;

const PITCH = 16;
const GAP = 14;
const LINE = 15;

/** An interval that bounds next to nothing stretches the axis to so many times the longest bar at most. */
const MOST = 1.6;

export function bars(groups: BarGroup[], width: number): Drawing {
  const wide = width >= WIDE;
  const left = wide ? 190 : 8;
  const all = groups.flatMap((group) => group.bars);
  const right = Math.max(...all.map(({ figure }) => textWidth(figure))) + 20;
  const inner = width - left - right;
  const longest = Math.max(Number.MIN_VALUE, ...all.map(({ value }) => value));
  const high = Math.min(longest * MOST, Math.max(longest, ...all.map(({ interval }) => interval?.high ?? 0)));
  const { values: ticks, format } = timeTicks("microseconds", 0, high, inner / 80);
  const named = wide ? 0 : LINE + 3;
  const marks: Markish[] = [];
  let height = 4;
  for (const { name, bars } of groups) {
    const top = height + named;
    const end = top + bars.length * PITCH;
    const lines = wrapped(name, wide ? left - 14 : width, 13, 2);
    const first = wide ? (top + end) / 2 - ((lines.length - 1) * LINE) / 2 : height + LINE / 2;
    marks.push(
      ruleX(ticks.map((x) => ({ x, y1: top, y2: end })), { x: "x", y1: "y1", y2: "y2", stroke: GRID }),
      ruleX([{ x: 0, y1: top, y2: end }], { x: "x", y1: "y1", y2: "y2", stroke: MUTED }),
      ...lines.map((line, i) =>
        text([line], { y: first + i * LINE, frameAnchor: "left", dx: -left, textAnchor: "start", text: () => line, fontSize: 13, fontWeight: 600, fill: INK }),
      ),
    );
    bars.forEach((bar, i) => marks.push(...marksOf(bar, top + (i + 0.5) * PITCH, high)));
    height = end + GAP;
  }
  const readOuts = groups.flatMap((group, g) => {
    const before = groups.slice(0, g).reduce((sum, { bars }) => sum + named + bars.length * PITCH + GAP, 4) + named;
    return group.bars.map(({ value, readOut }, i) => ({ x: value, y: before + (i + 0.5) * PITCH, text: readOut }));
  });
  return {
    height: height + 22,
    marginLeft: left,
    marginRight: right,
    marginTop: 0,
    marginBottom: 22,
    x: { domain: [0, high], axis: null },
    y: { domain: [0, height], range: [0, height], axis: null },
    along: "y",
    readOuts,
    marks: [...marks, ...below({ ticks, format }, { at: (value) => (value / high) * inner, from: -left, to: inner + right })],
  };
}

function marksOf({ value, interval, look, figure }: Bar, y: number, high: number): Markish[] {
  const end = Math.min(high, interval?.high ?? value);
  return [
    rect([value], { x1: 0, x2: value, y1: y - 5, y2: y + 5, fill: look.colour, fillOpacity: 0.3 }),
    ...(interval ? [link([0], { x1: Math.min(high, interval.low), x2: end, y1: y, y2: y, stroke: look.colour, strokeWidth: 2 })] : []),
    dot([value], { x: value, y, r: 4, symbol: look.symbol, fill: look.colour, stroke: PAPER }),
    text([figure], { x: Math.max(end, value), y, dx: 9, textAnchor: "start", text: () => figure, fill: INK, fontVariant: "tabular-nums" }),
  ];
}
