// Verdicts and noise floors as they are shown: what came of them is the comparison's to say.

import type { Context } from "./context";
import { percent, ratio, ratioWithInterval } from "./format";
import type { Cell, Metric, NoiseFloor, Verdict } from "./types";

export function ofMetric(cell: Cell, metric: Metric): Verdict[] {
  return cell.verdicts.filter((verdict) => verdict.metric === metric);
}

/** A pair's name. */
export function pairName(verdict: Verdict): string {
  return `${verdict.of} / ${verdict.over}`;
}

export function isVoid({ judgement }: Verdict): boolean {
  return judgement.kind === "void";
}

/** The target that is ahead; null where none is. */
export function ahead({ judgement }: Verdict): string | null {
  return judgement.kind === "judged" ? judgement.ahead : null;
}

/** The ratio with its interval. */
export function measured(context: Context, verdict: Verdict): string {
  const { none, ratios } = context.words;
  if (verdict.ratio === null || isVoid(verdict)) return none;
  return verdict.wide ? `${ratio(verdict.ratio)} ${ratios.wide}` : ratioWithInterval(verdict.ratio, verdict.interval);
}

/** What a reader should know beside the outcome. */
export function notes(context: Context, verdict: Verdict): string[] {
  return verdict.notes.map((note) => context.say(note));
}

/** The same without when it was decided and how turns were summed up, which say nothing against the verdict. */
export function cautions(context: Context, verdict: Verdict): string[] {
  const isCaution = (code: string) => code !== "decided-after" && code !== "in-turns";
  return verdict.notes.filter(({ finding }) => isCaution(finding.code)).map((note) => context.say(note));
}

/** The noise floor of a metric; the first one where several targets have a copy. */
export function floorOf(cell: Cell, metric: Metric): NoiseFloor | undefined {
  return cell.noise.find((floor) => floor.metric === metric);
}

/** A reach in words: the difference that it stands for. */
export function reachText(far: number): string {
  return percent(far - 1);
}

/** A noise floor's ratio with its interval. */
export function floorRatio(context: Context, { ratio: value, interval }: NoiseFloor): string {
  return value === null ? context.words.none : ratioWithInterval(value, interval);
}
