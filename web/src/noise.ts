// The noise floor beside a verdict.

import type { Context } from "./context";
import type { Cell, Metric, NoiseFloor, Verdict } from "./types";
import { percent } from "./format";

/** The noise floor of a metric; the first one where several targets have a copy. */
export function floorOf(cell: Cell, metric: Metric): NoiseFloor | undefined {
  return cell.noise.find((floor) => floor.metric === metric);
}

/** How far the floor's interval reaches from 1, as a ratio above 1, whichever copy is the first; null without an interval. */
export function reach({ interval }: NoiseFloor): number | null {
  if (interval === null || interval.low <= 0) return null;
  return Math.max(interval.high, 1 / interval.high, interval.low, 1 / interval.low);
}

/** A reach in words: the difference that it stands for. */
export function reachText(far: number): string {
  return percent(far - 1);
}

/** The floor that a verdict is no larger than, as far as it reaches; null where the verdict is larger, or says of nobody that he is ahead. */
export function within(cell: Cell, { metric, ratio, ahead }: Verdict): number | null {
  if (ahead === null || ratio === null || ratio <= 0) return null;
  const floor = floorOf(cell, metric);
  const far = floor === undefined ? null : reach(floor);
  return far !== null && Math.max(ratio, 1 / ratio) <= far ? far : null;
}

/** The difference with its interval, such as `0.8% [−0.4% … 2.1%]`, whichever copy was ahead. */
export function size({ ratio, interval }: NoiseFloor): string {
  if (ratio === null) return "–";
  const turned = ratio < 1;
  const text = (value: number): string => percent((turned ? 1 / value : value) - 1).replace("-", "−");
  if (interval === null) return text(ratio);
  const [low, high] = turned ? [interval.high, interval.low] : [interval.low, interval.high];
  return `${text(ratio)} [${text(low)} … ${text(high)}]`;
}

/** What a floor says, in a sentence. */
export function said(context: Context, floor: NoiseFloor): string {
  return floor.says[context.language];
}
