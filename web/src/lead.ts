// Who leads at a cell, said no further than the verdicts on throughput go.

import type { Cell, Verdict } from "./data";
import { type Ahead, fromAhead, ofMetric } from "./verdicts";

export type Lead =
  /** All are level with the fastest. */
  | { kind: "level"; names: string[]; tie: boolean; rounds: number | null }
  /** Each of a group is ahead of each of the rest; by `least` at least, the smallest of these leads. */
  | { kind: "group"; names: string[]; tie: boolean; least: Ahead; rest: string[] }
  /** The fastest is ahead of some, but not all who are level with it are: no group leads. */
  | { kind: "fastest"; name: string; level: string[]; behind: string[] };

/** Null where two targets have no verdict that the lead hangs on. */
export function lead(cell: Cell, isContender: (target: string) => boolean): Lead | null {
  const ranked = cell.targets
    .flatMap(({ target, figures }) => {
      const mean = figures.throughput?.mean ?? null;
      return mean === null || !isContender(target) ? [] : [{ target, mean }];
    })
    .sort((a, b) => b.mean - a.mean)
    .map(({ target }) => target);
  const [first] = ranked;
  if (first === undefined || ranked.length < 2) return null;
  const all = ofMetric(cell, "throughput");
  const between = (a: string, b: string): Verdict | undefined =>
    all.find(({ of, over }) => (of === a && over === b) || (of === b && over === a));
  const ahead = (a: string, b: string): Ahead | null => {
    const verdict = between(a, b);
    const found = verdict ? fromAhead(verdict) : null;
    return found?.ahead === a ? found : null;
  };
  // Where rounds are missing, a verdict over the rounds that both have may say other than the means.
  const fastest = ranked.find((target) => ranked.every((other) => ahead(other, target) === null)) ?? first;
  const others = ranked.filter((target) => target !== fastest);
  if (others.some((other) => (between(fastest, other)?.direction ?? null) === null)) return null;
  const names = [fastest, ...others.filter((other) => ahead(fastest, other) === null)];
  const rest = ranked.filter((target) => !names.includes(target));
  const pairs = names.flatMap((a, i) => names.slice(i + 1).map((b) => between(a, b)));
  const tie = pairs.every((verdict) => verdict?.direction === "tie");
  if (rest.length === 0) {
    const needed = pairs.flatMap((verdict) => verdict?.rounds_needed ?? []);
    return { kind: "level", names, tie, rounds: needed.length > 0 ? Math.max(...needed) : null };
  }
  const leads = names.flatMap((member) => rest.map((other) => ahead(member, other)));
  const sure = leads.filter((found) => found !== null);
  if (sure.length < leads.length) return { kind: "fastest", name: fastest, level: names.slice(1), behind: rest };
  const least = sure.reduce((a, b) => (b.ratio < a.ratio ? b : a));
  return { kind: "group", names, tie, least, rest };
}
