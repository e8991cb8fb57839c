// Frames that line charts share: an axis on each side, ticks with units, grid lines.

import { axisX, axisY, gridX, gridY, type Markish } from "@observablehq/plot";
import { textWidth } from "./chart";
import { GRID, MUTED } from "./look";

export interface Axis {
  ticks: number[];
  format: (value: number) => string;
}

/** The grid, which lies under everything. */
export function grid(x: Axis | null, y: Axis): Markish[] {
  const style = { stroke: GRID, strokeOpacity: 1 };
  return [gridY(y.ticks, style), ...(x ? [gridX(x.ticks, style)] : [])];
}

export function axes(x: Axis, y: Axis): Markish[] {
  const style = { tickSize: 0, color: MUTED, label: null } as const;
  return [axisX(x.ticks, { ...style, tickFormat: x.format }), axisY(y.ticks, { ...style, tickFormat: y.format })];
}

/** Room for the labels of a vertical axis. */
export function roomFor({ ticks, format }: Axis): number {
  return Math.max(20, ...ticks.map((tick) => textWidth(format(tick)))) + 10;
}
