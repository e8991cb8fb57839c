// What others have published, beside what was measured here.

import { axisX, dot, gridX, link, rect, ruleX, text, type Markish } from "@observablehq/plot";
import { chart, type Drawing, fit } from "../charts/chart";
import { GRID, INK, MUTED, PAPER } from "../charts/look";
import { logTicks } from "../charts/scales";
import type { Context } from "../context";
import type { ClaimResult, ClaimSide, ClaimVerdict } from "../data";
import { h } from "../dom";
import { ratio, ratioWithInterval } from "../format";
import { figure, section } from "../section";
import { table } from "../table";

/** A sign before each outcome, so that it is not told by colour alone. */
const SIGNS: Record<ClaimVerdict, string> = {
  holds: "✓",
  "same-direction": "≈",
  "does-not-hold": "✗",
  undecided: "?",
  shown: "–",
  "not-measured": "–",
};

export function claims(context: Context): HTMLElement | null {
  const { words, comparison } = context;
  if (comparison.claims.length === 0) return null;
  const drawn = comparison.claims.filter((claim) => claim.ratio !== null && claim.claim.ratio > 0);
  return section(
    context,
    "claims",
    { title: words.claims.title, lead: words.claims.lead },
    drawn.length > 0 &&
      h(
        "div",
        { class: "wide" },
        figure(null, chart(words.sentences(drawn.map((claim) => finding(context, claim))), (width) => drawing(context, drawn, width))),
      ),
    h("div", { class: "wide" }, claimsTable(context)),
  );
}

function finding(context: Context, claim: ClaimResult): string {
  if (context.language === "en") return `${claim.claim.id}: ${claim.says}`;
  const { claims, claimVerdict } = context.words;
  const measured = claim.ratio === null ? "–" : ratioWithInterval(claim.ratio, claim.interval);
  return `${claim.claim.id}：${claimVerdict[claim.verdict]}，${claims.published} ${ratio(claim.claim.ratio)}，${claims.measured} ${measured}`;
}

function claimsTable(context: Context): HTMLElement {
  const { words, comparison } = context;
  return table({
    caption: words.claims.title,
    words: true,
    columns: [words.claims.claim, words.claims.verdict, words.claims.published, words.claims.measured],
    rows: comparison.claims.map((result) => {
      const { claim } = result;
      const about = `${words.quantities[claim.metric]}, ${claim.of} / ${claim.over}; ${claim.workload}, ${context.level(claim.load)}`;
      return {
        head: h("span", { class: "claim" }, h("b", {}, `${claim.id} `), claim.says, h("span", { class: "detail" }, about)),
        cells: [
          { text: h("span", { class: `outcome ${result.verdict}` }, `${SIGNS[result.verdict]} ${words.claimVerdict[result.verdict]}`) },
          { text: ratio(claim.ratio), detail: `${claim.figures}${claim.source === "" ? "" : ` (${claim.source})`}`, data: { claim: claim.id } },
          measured(context, result),
        ],
      };
    }),
  });
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

function drawing(context: Context, rows: ClaimResult[], width: number): Drawing {
  const step = 52;
  const values = rows.flatMap(({ claim, ratio, interval }) => [claim.ratio, ratio ?? 1, interval?.low ?? 1, interval?.high ?? 1]);
  const margin = 1 + context.comparison.head.margin;
  const low = Math.min(1 / margin, ...values) / 1.08;
  const high = Math.max(margin, ...values) * 1.08;
  const fine = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2].filter((v) => v > low && v < high);
  const ticks = high / low < 3 ? fine : logTicks(low, high, width / 50);
  const y = (row: ClaimResult): number => rows.indexOf(row) + 0.68;
  const name = (row: ClaimResult): string => `${row.claim.id}  ${row.claim.of} / ${row.claim.over}, ${context.words.quantities[row.claim.metric]}`;
  const outcome = (row: ClaimResult): string => `${SIGNS[row.verdict]} ${context.words.claimVerdict[row.verdict]}`;
  const marks: Markish[] = [
    rect([0], { x1: 1 / margin, x2: margin, y1: 0, y2: rows.length, fill: "var(--band)" }),
    gridX(ticks, { stroke: GRID, strokeOpacity: 1 }),
    ruleX([1], { stroke: MUTED }),
    text(rows, {
      y: (row: ClaimResult) => rows.indexOf(row),
      dy: 14,
      frameAnchor: "left",
      textAnchor: "start",
      dx: -8,
      text: (row: ClaimResult) => fit(name(row), width - 190),
      fill: INK,
    }),
    text(rows, {
      y: (row: ClaimResult) => rows.indexOf(row),
      dy: 14,
      frameAnchor: "right",
      textAnchor: "end",
      dx: 8,
      text: outcome,
      fill: INK,
    }),
    link(rows.filter((row) => row.interval !== null), {
      x1: (row: ClaimResult) => row.interval?.low ?? 1,
      x2: (row: ClaimResult) => row.interval?.high ?? 1,
      y1: y,
      y2: y,
      stroke: "var(--accent)",
      strokeWidth: 3,
    }),
    dot(rows, { x: (row: ClaimResult) => row.ratio ?? 1, y, r: 5, fill: "var(--accent)", stroke: PAPER }),
    dot(rows, { x: (row: ClaimResult) => row.claim.ratio, y, r: 5, symbol: "diamond", fill: PAPER, stroke: INK, strokeWidth: 1.6 }),
    axisX(ticks, { tickSize: 0, color: MUTED, label: null, tickFormat: (value: number) => String(Number(value.toPrecision(3))) }),
  ];
  return {
    height: rows.length * step + 30,
    marginLeft: 8,
    marginRight: 8,
    marginTop: 0,
    marginBottom: 26,
    x: { type: "log", domain: [low, high], axis: null },
    y: { domain: [0, rows.length], range: [0, rows.length * step], axis: null },
    marks,
  };
}
