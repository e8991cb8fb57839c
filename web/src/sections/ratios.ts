// Who is ahead, and by how much: every pair's ratio with its interval, beside the band of a tie.

import { dot, gridX, axisX, link, rect, ruleX, text, type Markish } from "@observablehq/plot";
import { chart, fit, type Drawing } from "../charts/chart";
import { GRID, INK, look, MUTED, PAPER } from "../charts/look";
import type { Context } from "../context";
import { type Cell, JUDGED, type Metric, type Verdict } from "../data";
import { h } from "../dom";
import { plainPercent, ratio, ratioWithInterval } from "../format";
import { choice, figure, section } from "../section";
import { tableBeside } from "../table";
import { ofMetric, outcome, pairName } from "../verdicts";

/** From this width on, names stand left of the picture and figures right of it. */
const WIDE = 620;

export function ratios(context: Context): HTMLElement {
  const { words } = context;
  const cells = context.comparison.cells.filter((cell) => cell.verdicts.some((v) => v.ratio !== null));
  if (cells.length === 0) {
    return section(context, "verdict", { title: words.ratios.title }, h("p", {}, words.ratios.none));
  }
  const lead = h("p", { class: "lead" });
  const pictures = h("div", { class: "wide stack" });
  const show = (metric: Metric): void => {
    lead.textContent = words.ratios.lead(words.time[metric] ?? words.quantities[metric]);
    const range = domain(context, cells, metric);
    pictures.replaceChildren(...cells.map((cell) => group(context, cell, metric, range)));
  };
  show("throughput");
  const options = JUDGED.map((metric) => ({ value: metric, text: words.quantities[metric] }));
  return section(
    context,
    "verdict",
    { title: words.ratios.title },
    lead,
    choice(words.metric, options, "throughput", show),
    pictures,
    ...cells.map((cell) => tableOf(context, cell)),
  );
}

/** The scale that all cells of one metric share, as wide to the left of 1 as intervals ask for. */
function domain(context: Context, cells: Cell[], metric: Metric): [number, number] {
  const margin = 1 + context.comparison.head.margin;
  let [low, high] = [1 / margin ** 2, margin ** 2];
  for (const { ratio, interval } of cells.flatMap((cell) => ofMetric(cell, metric))) {
    if (ratio === null) continue;
    low = Math.min(low, interval?.low ?? ratio);
    high = Math.max(high, interval?.high ?? ratio);
  }
  const space = (high / low) ** 0.04;
  return [low / space, high * space];
}

function group(context: Context, cell: Cell, metric: Metric, range: [number, number]): HTMLElement {
  const rows = ofMetric(cell, metric);
  const finding = `${context.place(cell)}. ${context.words.sentences(rows.map((row) => said(context, row)))}`;
  return figure(
    context.place(cell),
    chart(finding, (width) => drawing(context, rows, metric, range, width)),
  );
}

function said(context: Context, row: Verdict): string {
  if (context.language === "en") return row.says;
  const measured = row.ratio === null ? "" : ` ${ratioWithInterval(row.ratio, row.interval)}`;
  return `${pairName(row)}${measured}：${outcome(context, row)}`;
}

function drawing(context: Context, rows: Verdict[], metric: Metric, range: [number, number], width: number): Drawing {
  const wide = width >= WIDE;
  const left = wide ? 200 : 4;
  const right = wide ? 210 : 4;
  const step = wide ? 40 : 58;
  const { ratios } = context.words;
  const margin = context.comparison.head.margin;
  const bottom = rows.length;
  const middle = (row: Verdict): number => rows.indexOf(row) + (wide ? 0.5 : 0.78);
  const drawn = rows.filter((row) => row.ratio !== null);
  const colour = (row: Verdict): string => (row.ahead === null ? MUTED : look(context.index(row.ahead)).colour);
  const larger = metric === "throughput";
  const marks: Markish[] = [
    rect([0], { x1: 1 / (1 + margin), x2: 1 + margin, y1: 0, y2: bottom, fill: "var(--band)" }),
    gridX({ ticks: ticks(range, width - left - right), stroke: GRID, strokeOpacity: 1 }),
    ruleX([1], { stroke: MUTED }),
    link(
      drawn.filter((row) => row.interval !== null),
      {
        x1: (row: Verdict) => row.interval?.low ?? 1,
        x2: (row: Verdict) => row.interval?.high ?? 1,
        y1: middle,
        y2: middle,
        stroke: colour,
        strokeWidth: 3,
      },
    ),
    ...drawn.map((row) =>
      dot([row], {
        x: row.ratio ?? 1,
        y: middle(row),
        r: 6,
        symbol: row.ahead === null ? "circle" : look(context.index(row.ahead)).symbol,
        fill: row.ahead === null ? PAPER : colour(row),
        stroke: row.ahead === null ? MUTED : PAPER,
        strokeWidth: row.ahead === null ? 2 : 1,
      }),
    ),
    axisX({ ticks: ticks(range, width - left - right), tickFormat: ratioTick, tickSize: 0, color: MUTED, label: null }),
    axisX([range[0]], {
      anchor: "top",
      tickSize: 0,
      tickFormat: () => `← ${larger ? ratios.secondAhead : ratios.firstAhead}`,
      textAnchor: "start",
      color: MUTED,
      label: null,
    }),
    axisX([range[1]], {
      anchor: "top",
      tickSize: 0,
      tickFormat: () => `${larger ? ratios.firstAhead : ratios.secondAhead} →`,
      textAnchor: "end",
      color: MUTED,
      label: null,
    }),
    ...(wide ? beside(context, rows, left, right) : above(context, rows, width)),
  ];
  return {
    height: rows.length * step + 48,
    marginLeft: left,
    marginRight: right,
    marginTop: 22,
    marginBottom: 26,
    x: { type: "log", domain: range, axis: null },
    y: { domain: [0, bottom], range: [22, 22 + rows.length * step], axis: null },
    marks,
  };
}

/** Names on the left, figures on the right. */
function beside(context: Context, rows: Verdict[], left: number, right: number): Markish[] {
  const at = (row: Verdict): number => rows.indexOf(row) + 0.5;
  const shared = { y: at, textAnchor: "start" } as const;
  const name = { ...shared, frameAnchor: "left", dx: -left } as const;
  const told = { ...shared, frameAnchor: "right", dx: 12 } as const;
  return [
    text(rows, { ...name, text: (row: Verdict) => fit(row.of, left - 14, 12.5), dy: -8, fill: INK, fontWeight: 600 }),
    text(rows, { ...name, text: (row: Verdict) => fit(context.words.ratios.over(row.over), left - 14), dy: 8, fill: MUTED }),
    text(rows, { ...told, text: measured, dy: -8, fill: INK, fontVariant: "tabular-nums" }),
    text(rows, { ...told, text: (row: Verdict) => fit(outcome(context, row), right - 14), dy: 8, fill: MUTED }),
  ];
}

/** Names and figures above each row. */
function above(context: Context, rows: Verdict[], width: number): Markish[] {
  const shared = { y: (row: Verdict) => rows.indexOf(row), frameAnchor: "left", textAnchor: "start", dx: -4 } as const;
  const line = (row: Verdict): string => `${measured(row)} · ${outcome(context, row)}`;
  return [
    text(rows, { ...shared, text: (row: Verdict) => fit(pairName(row), width, 12.5), dy: 12, fill: INK, fontWeight: 600 }),
    text(rows, { ...shared, text: (row: Verdict) => fit(line(row), width), dy: 28, fill: MUTED }),
  ];
}

function measured(row: Verdict): string {
  return row.ratio === null ? "–" : ratioWithInterval(row.ratio, row.interval);
}

/** Round ratios, no more than fit. */
function ticks([low, high]: [number, number], pixels: number): number[] {
  const most = Math.max(2, Math.floor(pixels / 60));
  const span = Math.log(high / low);
  for (const step of [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5]) {
    const first = Math.ceil(low / step);
    const values = Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, i) => (first + i) * step);
    const crowded = values.some((value, i) => i > 0 && (Math.log(value / values[i - 1]!) / span) * pixels < 42);
    if (values.length <= most && !crowded && values[0] !== 0) return values;
  }
  const values: number[] = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
    for (const digit of [1, 2, 5]) {
      const value = digit * 10 ** power;
      if (value >= low && value <= high) values.push(value);
    }
  }
  return values;
}

function ratioTick(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function tableOf(context: Context, cell: Cell): HTMLElement {
  const { ratios, quantities } = context.words;
  const pairs = [...new Set(cell.verdicts.map(pairName))];
  const metrics = JUDGED.filter((metric) => ofMetric(cell, metric).length > 0);
  return tableBeside(
    context,
    () => ({
      caption: `${ratios.title}: ${context.place(cell)} (${ratios.band(plainPercent(context.comparison.head.margin))})`,
      columns: [ratios.pair, ...metrics.map((metric) => quantities[metric])],
      rows: pairs.map((pair) => ({
        head: pair,
        cells: metrics.map((metric) => {
          const verdict = ofMetric(cell, metric).find((v) => pairName(v) === pair);
          if (!verdict) return context.words.none;
          const raised = verdict.level > 0.9501 ? ` (${ratios.level(plainPercent(Math.round(verdict.level * 1e4) / 1e4))})` : "";
          return {
            text: measured(verdict),
            detail: outcome(context, verdict) + raised,
            data: { metric, ratio: verdict.ratio === null ? "" : ratio(verdict.ratio) },
          };
        }),
      })),
    }),
    `${context.words.table}: ${context.place(cell)}`,
  );
}
