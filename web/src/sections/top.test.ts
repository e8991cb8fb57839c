import { expect, it } from "vitest";
import { Context } from "../context";
import type { Data } from "../types";
import type { Language } from "../i18n";
import { runFacts } from "./top";

/** What the head says of a run of so many rounds. */
function said(language: Language, rounds: { done: number; asked: number; planned: number; most: number | null; within: number | null }): string[] {
  const head = {
    name: "threads",
    started: "2026-01-31T12:00:00.000Z",
    duration_s: 3,
    rounds_done: rounds.done,
    rounds_asked: rounds.asked,
    rounds_planned: rounds.planned,
    max_rounds: rounds.most,
    within_s: rounds.within,
    targets: [],
  };
  return runFacts(new Context({ comparison: { head } } as unknown as Data, language));
}

it("why there are so many rounds is said where the study has not fixed their number", () => {
  const run = { done: 3, asked: 3, planned: 3, most: null, within: null };
  const started = "2026-01-31 12:00 UTC";
  expect(said("en", run)).toEqual(["threads: 3 rounds of 3 s", started]);
  // There was time for all of them.
  expect(said("en", { ...run, within: 1140 })).toEqual(["threads: 3 rounds of 3 s", started]);
  expect(said("en", { ...run, planned: 5, within: 1140 })).toEqual(["threads: 3 rounds of 3 s", "at most 5 rounds, within 1140 s", started]);
  expect(said("zh", { ...run, planned: 5, within: 1140 })[1]).toContain("1140");
  // Interrupted.
  expect(said("en", { ...run, asked: 5, planned: 5, within: 1140 })).toEqual(["threads: 5 rounds of 3 s", "3 of 5 rounds complete", started]);
  expect(said("en", { ...run, planned: 20, most: 20 })).toEqual(["threads: 3 rounds of 3 s", "rounds added until decided, at most 20", started]);
  expect(said("en", { ...run, planned: 20, most: 20, within: 90 })[1]).toBe("rounds added until decided, at most 20, within 90 s");
});
