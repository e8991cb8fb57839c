// Verdicts in words, from their figures.

import type { Context } from "./context";
import type { Cell, Interval, Metric, Verdict } from "./types";
import { number, percent, ratio, ratioWithInterval } from "./format";
import { reachText, within } from "./noise";

export function ofMetric(cell: Cell, metric: Metric): Verdict[] {
  return cell.verdicts.filter((verdict) => verdict.metric === metric);
}

/** A pair's name. */
export function pairName(verdict: Verdict): string {
  return `${verdict.of} / ${verdict.over}`;
}

/** Whether nothing is claimed because an open loop was overloaded, so that its response times mean nothing. */
export function isVoid(context: Context, cell: Cell, { of, over, metric }: Verdict): boolean {
  return context.isVoid(cell, of, metric) || context.isVoid(cell, over, metric);
}

/** What came of it, in a few words. */
export function outcome(context: Context, cell: Cell, verdict: Verdict): string {
  const { ratios } = context.words;
  if (isVoid(context, cell, verdict)) return ratios.overloaded;
  if (verdict.ahead !== null) return ratios.ahead(verdict.ahead);
  if (verdict.direction === "tie") return ratios.tie;
  if (verdict.direction === "undecided") return ratios.undecided(verdict.rounds_needed);
  return ratios.noVerdict;
}

/** What a reader must know beside the outcome: whether it is no larger than the noise. */
export function cautions(context: Context, cell: Cell, verdict: Verdict): string[] {
  const far = isVoid(context, cell, verdict) ? null : within(cell, verdict);
  return far === null ? [] : [context.words.noise.within(reachText(far))];
}

/** The same, and when it was decided. */
export function beside(context: Context, cell: Cell, verdict: Verdict): string[] {
  if (isVoid(context, cell, verdict)) return [];
  const { ratios } = context.words;
  const most = context.comparison.head.max_rounds;
  const notes: string[] = [];
  if (verdict.decided_after !== null) notes.push(ratios.decided(verdict.decided_after));
  else if (most !== null && verdict.direction !== null && verdict.rounds >= most) notes.push(ratios.cap(most));
  return [...notes, ...cautions(context, cell, verdict)];
}

/** From so many times between its ends on, an interval bounds nothing; as in other reports. */
const WIDE = 10;

export function isWide({ ahead, interval }: Pick<Verdict, "ahead" | "interval">): boolean {
  return ahead === null && interval !== null && interval.high > interval.low * WIDE;
}

/** The ratio with its interval. */
export function measured(context: Context, verdict: Verdict): string {
  if (verdict.ratio === null) return context.words.none;
  if (isWide(verdict)) return `${ratio(verdict.ratio)} ${context.words.ratios.wide}`;
  return ratioWithInterval(verdict.ratio, verdict.interval);
}

/** By how much: a percentage with its interval below 2, a factor from there on. */
export function more({ ratio, interval }: { ratio: number; interval: Interval }): { text: string; bounds: string } {
  const text = (value: number): string => (ratio < 2 ? percent(value - 1) : number(value));
  return { text: text(ratio), bounds: `[${text(interval.low)} … ${text(interval.high)}]` };
}
