// Who is ahead, and by how much: every pair's ratio with its interval, beside the band of a tie.

import { dot, link, type Markish } from "@observablehq/plot";
import { chart } from "../charts/chart";
import { forest } from "../charts/forest";
import { look, MUTED, PAPER } from "../charts/look";
import type { Context } from "../context";
import { type Cell, JUDGED, type Metric, type Verdict } from "../data";
import { h } from "../dom";
import { plainPercent, ratioWithInterval } from "../format";
import { choice, figure, section } from "../section";
import { tableBeside } from "../table";
import { ofMetric, outcome, pairName } from "../verdicts";
import { errors } from "./errors";

export function ratios(context: Context): HTMLElement {
  const { words } = context;
  const cells = context.comparison.cells.filter((cell) => cell.verdicts.some((v) => v.ratio !== null));
  if (cells.length === 0) {
    return section(context, "verdict", { title: words.ratios.title }, h("p", {}, context.comparison.head.smoke ? words.head.smoke : words.ratios.none));
  }
  const lead = h("span", {});
  const pictures = h("div", { class: "wide stack" });
  const show = (metric: Metric): void => {
    lead.textContent = words.ratios.lead(
      words.time[metric] ?? words.quantities[metric],
      plainPercent(context.comparison.head.margin),
    );
    const range = domain(context, cells, metric);
    pictures.replaceChildren(...cells.map((cell, i) => group(context, cell, metric, range, i === 0)));
  };
  show("throughput");
  const options = JUDGED.map((metric) => ({ value: metric, text: words.quantities[metric] }));
  return section(
    context,
    "verdict",
    { title: words.ratios.title, lead },
    choice(words.metric, options, "throughput", show),
    pictures,
    h("div", { class: "wide" }, tableOf(context, cells)),
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

function group(context: Context, cell: Cell, metric: Metric, range: [number, number], isFirst: boolean): HTMLElement {
  const { ratios } = context.words;
  const rows = ofMetric(cell, metric);
  const place = context.place(cell);
  const finding = `${place}. ${context.words.sentences(rows.map((row) => said(context, row)))}`;
  const { margin } = context.comparison.head;
  const sides: [string, string] =
    metric === "throughput" ? [ratios.secondAhead, ratios.firstAhead] : [ratios.firstAhead, ratios.secondAhead];
  return figure(
    place,
    chart(finding, (width) =>
      forest(
        {
          rows: rows.map((row) => ({
            name: row.of,
            second: ratios.over(row.over),
            figure: measured(row),
            outcome: outcome(context, row),
          })),
          range,
          margin,
          // Said once: it holds for all cells below.
          above: isFirst ? [`← ${sides[0]}`, `${sides[1]} →`] : undefined,
          marks: (y) => marks(context, rows, y),
        },
        width,
      ),
    ),
    ...errors(context, cell),
  );
}

function said(context: Context, row: Verdict): string {
  if (context.language === "en") return row.says;
  const measured = row.ratio === null ? "" : ` ${ratioWithInterval(row.ratio, row.interval)}`;
  return `${pairName(row)}${measured}：${outcome(context, row)}`;
}

function marks(context: Context, rows: Verdict[], y: (row: number) => number): Markish[] {
  return rows.flatMap((row, i): Markish[] => {
    if (row.ratio === null) return [];
    const { colour, symbol } = row.ahead === null ? NOBODY : look(context.index(row.ahead));
    const at = y(i);
    const decided = row.ahead !== null;
    const style = decided ? { fill: colour, stroke: PAPER } : { fill: PAPER, stroke: colour, strokeWidth: 2 };
    return [
      ...(row.interval ? [link([row.interval], { x1: "low", x2: "high", y1: at, y2: at, stroke: colour, strokeWidth: 3 })] : []),
      dot([row.ratio], { x: (ratio: number) => ratio, y: at, r: 6, symbol, ...style }),
    ];
  });
}

/** How a row looks in which nobody is ahead. */
const NOBODY = { colour: MUTED, symbol: "circle" } as const;

function measured(row: Verdict): string {
  return row.ratio === null ? "–" : ratioWithInterval(row.ratio, row.interval);
}

function tableOf(context: Context, cells: Cell[]): HTMLElement {
  const { ratios, quantities } = context.words;
  const metrics = JUDGED.filter((metric) => cells.some((cell) => ofMetric(cell, metric).length > 0));
  return tableBeside(context, () => ({
    caption: `${ratios.title} (${ratios.band(plainPercent(context.comparison.head.margin))})`,
    columns: [ratios.pair, ...metrics.map((metric) => quantities[metric])],
    rows: cells.flatMap((cell) => {
      const pairs = [...new Set(cell.verdicts.map(pairName))];
      return pairs.map((pair) => ({
        head: h("span", {}, pair, h("span", { class: "detail" }, context.place(cell))),
        cells: metrics.map((metric) => {
          const verdict = ofMetric(cell, metric).find((v) => pairName(v) === pair);
          if (!verdict) return context.words.none;
          const level = plainPercent(Math.round(verdict.level * 1e4) / 1e4);
          const raised = verdict.level > 0.9501 ? ` (${ratios.level(level)})` : "";
          return {
            text: measured(verdict),
            detail: outcome(context, verdict) + raised,
            data: { pair, metric, place: context.place(cell) },
          };
        }),
      }));
    }),
  }));
}
