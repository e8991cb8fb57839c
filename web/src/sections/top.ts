// What comes first: what was run, the verdict in one sentence, why, and what to doubt before quoting it.

import type { Context } from "../context";
import { h, authored } from "../dom";
import { number } from "../format";
import type { MessageForDoubtFinding } from "../types";

/** A verdict with more characters is set smaller. */
const LONG = 140;
const VERY_LONG = 280;

function size(verdict: string): string {
  if (verdict.length > VERY_LONG) return "verdict very long";
  return verdict.length > LONG ? "verdict long" : "verdict";
}

export function headlineOf(context: Context): string {
  return context.say(context.comparison.headline);
}

/** The evidence that differs most, where there is any. */
export function because(context: Context): string[] {
  const { because } = context.comparison;
  return because === null ? [] : [context.say(because)];
}

export interface Doubt {
  text: string;
  /** The section that says more. */
  to?: string;
}

export function top(context: Context): HTMLElement {
  const verdict = headlineOf(context);
  return h(
    "div",
    { class: "top" },
    h("h1", {}, authored(context.comparison.head.title)),
    h("p", { class: size(verdict) }, verdict),
    ...because(context).map((text) => h("p", { class: "because" }, text)),
    doubtsLine(context),
    h("p", { class: "run" }, runFacts(context).join(" · ")),
  );
}

/** A time as a study gives it. */
function inSeconds(time: number): string {
  return `${Number(number(time).replaceAll(",", ""))} s`;
}

/** Why there are so many rounds, where the study has not fixed their number. */
export function roundsBy({ words, comparison: { head } }: Context): string | null {
  const time = head.within_s === null ? null : inSeconds(head.within_s);
  if (head.max_rounds !== null) return words.head.added(head.max_rounds, time);
  return time !== null && head.rounds_asked < head.rounds_planned ? words.head.fit(time, head.rounds_planned) : null;
}

/** When and how it was run. */
export function runFacts(context: Context): string[] {
  const { words, comparison } = context;
  const { head } = comparison;
  const by = roundsBy(context);
  const started = head.started.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");
  return [
    words.head.run(head.name, words.rounds(head.rounds_asked), inSeconds(head.duration_s)),
    ...(by === null ? [] : [by]),
    ...(head.rounds_done < head.rounds_asked ? [words.head.incomplete(head.rounds_done, head.rounds_asked)] : []),
    started,
  ];
}

/** All doubts behind one line, of which the first is shown at once. */
function doubtsLine(context: Context): HTMLElement | null {
  const { words } = context;
  const all = doubts(context);
  const [first] = all;
  if (!first) return null;
  const items = all.map(({ text, to }) => h("li", {}, text, to === undefined ? null : " ", to === undefined ? null : h("a", { href: to }, words.head.more)));
  return h(
    "details",
    { class: "doubts" },
    h("summary", {}, h("span", {}, h("strong", {}, words.head.doubts(all.length)), words.colon, first.text)),
    h("ul", {}, ...items),
  );
}

export function doubts(context: Context): Doubt[] {
  return context.comparison.doubts.map((doubt) => {
    const to = MORE[doubt.finding.code];
    return { text: context.say(doubt), ...(to === null ? {} : { to }) };
  });
}

/** Where more is said of a doubt. */
const MORE: Record<MessageForDoubtFinding["finding"]["code"], string | null> = {
  smoke: null,
  already: null,
  checks: "#checks",
  uneven: "#throughput",
  "two-groups": "#throughput",
  "short-slices": "#throughput",
  "if-independent": "#throughput",
  "within-noise": "#throughput",
  "left-out": "#study",
  gaps: "#gaps",
};
