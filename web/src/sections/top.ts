// What comes first: what was run, the verdict in one sentence, why, and what to doubt before quoting it.

import type { Context } from "../context";
import { h, recorded } from "../dom";
import { number } from "../format";

/** A verdict with more characters is set smaller. */
const LONG = 140;
const VERY_LONG = 280;

function size(verdict: string): string {
  if (verdict.length > VERY_LONG) return "verdict very long";
  return verdict.length > LONG ? "verdict long" : "verdict";
}

export function headlineOf(context: Context): string {
  return context.comparison.headline[context.language];
}

/** The evidence that differs most, where there is any. */
export function because({ comparison, language }: Context): string[] {
  return comparison.because === null ? [] : [comparison.because[language]];
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
    h("h1", {}, recorded(context.comparison.head.title)),
    h("p", { class: size(verdict) }, verdict),
    ...because(context).map((text) => h("p", { class: "because" }, text)),
    doubtsLine(context),
    h("p", { class: "run" }, runFacts(context).join(" · ")),
  );
}

/** When and how it was run. */
export function runFacts({ words, comparison: { head } }: Context): string[] {
  const started = head.started.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");
  const seconds = `${Number(number(head.duration_s).replaceAll(",", ""))} s`;
  return [
    words.head.run(head.name, words.rounds(head.rounds_asked), seconds),
    ...(head.max_rounds === null ? [] : [words.head.added(head.max_rounds)]),
    ...(head.rounds_done < head.rounds_asked ? [words.head.incomplete(head.rounds_done, head.rounds_asked)] : []),
    started,
  ];
}

/** All doubts behind one line, of which the first is told at once. */
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
  const { words, comparison } = context;
  const { head } = comparison;
  const notes: Doubt[] = [];
  if (head.smoke) notes.push({ text: words.head.smoke });
  const failed = comparison.checks.filter((check) => check.status === "failed").length;
  if (failed > 0) notes.push({ text: words.head.checks(failed), to: "#checks" });
  const uneven = mostUneven(context);
  if (uneven !== null) notes.push({ text: uneven, to: "#throughput" });
  const gaps =
    comparison.failures.reduce((sum, failure) => sum + Math.max(1, failure.measurements.length), 0) +
    comparison.missing.reduce((sum, missing) => sum + missing.rounds.length, 0);
  if (head.left_out.length > 0) notes.push({ text: words.head.leftOut(head.left_out.length), to: "#study" });
  if (gaps > 0) notes.push({ text: words.head.gaps(gaps), to: "#gaps" });
  return notes;
}

/** From so many times between a target's fastest and slowest round on, the rounds are called uneven, as in other reports. */
const UNEVEN = 1.25;

/** Where the rounds differ most, if they differ much. */
function mostUneven(context: Context): string | null {
  const spreads = context.comparison.cells.flatMap((cell) =>
    cell.targets.flatMap(({ target, figures: { throughput } }) =>
      throughput && throughput.min > 0 ? [{ target, cell, spread: throughput.max / throughput.min }] : [],
    ),
  );
  const [most] = spreads.sort((a, b) => b.spread - a.spread);
  if (!most || most.spread <= UNEVEN) return null;
  return context.words.head.uneven(most.target, context.place(most.cell), number(most.spread));
}
