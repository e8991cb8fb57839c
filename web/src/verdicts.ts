// Verdicts in words, from their figures.

import type { Context } from "./context";
import type { Cell, Interval, Metric, Verdict } from "./data";
import { number, percent } from "./format";

export function ofMetric(cell: Cell, metric: Metric): Verdict[] {
  return cell.verdicts.filter((verdict) => verdict.metric === metric);
}

/** A pair's name. */
export function pairName(verdict: Verdict): string {
  return `${verdict.of} / ${verdict.over}`;
}

/** What came of it, in a few words. */
export function outcome(context: Context, verdict: Verdict): string {
  const { ratios } = context.words;
  if (verdict.ahead !== null) return ratios.ahead(verdict.ahead);
  if (verdict.direction === "tie") return ratios.tie;
  if (verdict.direction === "undecided") return ratios.undecided(verdict.rounds_needed);
  return ratios.noVerdict;
}

export interface Ahead {
  ahead: string;
  other: string;
  ratio: number;
  interval: Interval;
}

/** The ratio of the one who is ahead over the other. */
export function fromAhead({ of, over, ahead, ratio, interval }: Verdict): Ahead | null {
  if (ahead === null || ratio === null || interval === null) return null;
  if (ahead === of) return { ahead, other: over, ratio, interval };
  return { ahead, other: of, ratio: 1 / ratio, interval: { low: 1 / interval.high, high: 1 / interval.low } };
}

/** By how much: a percentage with its interval below 2, a factor from there on. */
export function more({ ratio, interval }: Ahead): { text: string; bounds: string } {
  const text = (value: number): string => (ratio < 2 ? percent(value - 1) : number(value));
  return { text: text(ratio), bounds: `[${text(interval.low)} … ${text(interval.high)}]` };
}
