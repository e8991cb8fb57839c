// What others have published, beside what was measured here.

import { dot, link, type Markish } from "@observablehq/plot";
import { chart } from "../charts/chart";
import { forest, readOut } from "../charts/forest";
import { INK, PAPER } from "../charts/look";
import type { Context } from "../context";
import type { ClaimResult, ClaimSide, ClaimVerdict } from "../types";
import { h, authored } from "../dom";
import { ratioWithInterval } from "../format";
import { figure, section } from "../section";
import { table } from "../table";

/** A sign before each outcome, so that it is not known by colour alone. */
const SIGNS: Record<ClaimVerdict, string> = {
  holds: "✓",
  "same-direction": "≈",
  "direction-holds": "≈",
  "does-not-hold": "✗",
  undecided: "?",
  shown: "–",
  "not-measured": "–",
  void: "∅",
};

export function claims(context: Context): HTMLElement | null {
  const { words, comparison } = context;
  if (comparison.claims.length === 0) return null;
  const drawn = comparison.claims.filter((claim) => claim.ratio !== null && (claim.claim.ratio ?? 1) > 0);
  return section(
    context,
    "claims",
    { title: words.claims.title, lead: words.claims.lead },
    drawn.length > 0 && figure(context, `◇ ${words.claims.published}, ● ${words.claims.measured}`, picture(context, drawn)),
    claimsTable(context),
  );
}

function finding(context: Context, claim: ClaimResult): string {
  const { words } = context;
  return `${claim.claim.id}${words.colon}${words.list([context.say(claim.outcome), context.say(claim.says)])}`;
}

function claimsTable(context: Context): HTMLElement {
  const { words, comparison } = context;
  return table({
    caption: words.claims.table,
    words: true,
    columns: [words.claims.claim, words.claims.verdict, words.claims.published, words.claims.measured],
    rows: comparison.claims.map((result) => {
      const { claim } = result;
      const about = words.list([context.metric(claim.metric), `${claim.of} / ${over(context, result)}`, words.place(claim.workload, context.say(result.level))]);
      return {
        head: h("span", { class: "claim" }, h("b", {}, `${claim.id} `), authored(claim.says), h("span", { class: "detail" }, about)),
        cells: [
          { text: h("span", { class: `outcome ${result.verdict}` }, `${SIGNS[result.verdict]} ${context.say(result.outcome)}`) },
          { text: result.stated === null ? words.none : context.say(result.stated), detail: published(context, result), data: { claim: claim.id } },
          instead(context, result, measured(context, result)),
        ],
      };
    }),
  });
}

/** Target B with its place, where that is another than target A's. */
function over(context: Context, { claim, over_place }: ClaimResult): string {
  return over_place === null ? claim.over : `${claim.over} (${context.say(over_place)})`;
}

/** The same with the level at which it was tested, where that is another than the published one. */
function instead<T extends object>(context: Context, { measured_level }: ClaimResult, shown: T): T & { more?: string[] } {
  if (measured_level === null) return shown;
  return { ...shown, more: [context.words.claims.instead(context.say(measured_level))] };
}

/** The figures as they were published, and where, unless that is where the whole study is from. */
function published(context: Context, { claim }: ClaimResult): string {
  const isOwn = claim.source !== "" && claim.source !== context.comparison.head.source;
  return isOwn ? `${claim.figures} (${claim.source})` : claim.figures;
}

function measured(context: Context, { ratio: value, interval, of, over }: ClaimResult): { text: string; detail?: string } {
  const sides = [of, over].flatMap((side) => (side ? [sideText(context, side)] : []));
  const text = value === null ? context.words.none : ratioWithInterval(value, interval);
  return sides.length > 0 ? { text, detail: sides.join("; ") } : { text };
}

function sideText(context: Context, { target, figure, p999 }: ClaimSide): string {
  const { units } = context;
  const text =
    figure.mean === null ? units.range(figure.unit, figure.min, figure.max) : units.text(figure.unit, figure.mean);
  return `${target} ${text}${p999 ? ` (p99.9 ${units.range(p999.unit, p999.min, p999.max)})` : ""}`;
}

/** Published and measured ratios on one scale. */
function picture(context: Context, rows: ClaimResult[]): HTMLElement {
  const { ratios } = context.words;
  const { margin } = context.comparison.head;
  const values = rows.flatMap((row) => [row.claim.ratio ?? 1, row.ratio ?? 1, row.interval?.low ?? 1, row.interval?.high ?? 1]);
  const range: [number, number] = [
    Math.min(1 / (1 + margin), ...values) / 1.06,
    Math.max(1 + margin, ...values) * 1.06,
  ];
  const entries = rows.map((row) => ({
    name: row.claim.of,
    second: `${ratios.over(row.claim.over)}, ${context.metric(row.claim.metric)} (${row.claim.id})`,
    figure: row.ratio === null ? "–" : ratioWithInterval(row.ratio, row.interval),
    outcome: `${SIGNS[row.verdict]} ${context.say(row.outcome)}`,
  }));
  return chart(context.words.sentences(rows.map((claim) => finding(context, claim))), (width) =>
    forest(
      {
        rows: entries,
        range,
        margin,
        hasScale: true,
        readOuts: entries.map((row, i) => ({ x: rows[i]?.ratio ?? rows[i]?.claim.ratio ?? 1, y: i, text: readOut(row) })),
        marks: (y) => rows.flatMap((row, i) => marks(row, y(i))),
      },
      width,
    ),
  );
}

function marks({ claim, ratio, interval }: ClaimResult, y: number): Markish[] {
  const x = (value: number): number => value;
  // A direction alone has no place on the axis.
  const published = claim.ratio === null ? [] : [claim.ratio];
  return [
    ...(interval ? [link([interval], { x1: "low", x2: "high", y1: y, y2: y, stroke: "var(--accent)", strokeWidth: 3 })] : []),
    ...(ratio === null ? [] : [dot([ratio], { x, y, r: 5.5, fill: "var(--accent)", stroke: PAPER })]),
    ...published.map((at) => dot([at], { x, y, r: 5.5, symbol: "diamond", fill: PAPER, stroke: INK, strokeWidth: 1.8 })),
  ];
}
