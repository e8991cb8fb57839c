// What failed, and what was never measured.

import type { Context } from "../context";
import { h, spoken } from "../dom";
import { section } from "../section";
import { table } from "../table";

export function gaps(context: Context): HTMLElement {
  const { words, comparison } = context;
  const { failures, missing } = comparison;
  return section(
    context,
    "gaps",
    { title: words.gaps.title },
    failures.length + missing.length === 0 && h("p", {}, words.gaps.none),
    failures.length > 0 &&
      table({
        caption: words.gaps.failed,
        words: true,
        columns: [words.target, words.gaps.lost, words.gaps.why],
        rows: failures.map(({ target, round, measurements, why }) => ({
          head: words.list([target, words.round(round)]),
          cells: [
            measurements.length === 0
              ? words.gaps.trial
              : words.sentences(measurements.map((place) => context.say(place))),
            spoken(context.say(why)),
          ],
        })),
      }),
    missing.length > 0 &&
      table({
        caption: words.gaps.missing,
        words: true,
        columns: [words.target, words.workload, words.level, words.gaps.rounds],
        rows: missing.map(({ target, workload, level, rounds }) => ({
          head: target,
          cells: [workload, context.say(level), words.list(rounds.map(String))],
        })),
      }),
  );
}
