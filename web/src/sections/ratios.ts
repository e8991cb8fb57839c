// Who is ahead, and by how much: every pair's ratio with its interval, beside the band of a tie and the noise floor.

import { dot, link, type Markish } from "@observablehq/plot";
import { chart } from "../charts/chart";
import { forest, type ForestRow, forestScale, readOut } from "../charts/forest";
import { COPY, MUTED, PAPER } from "../charts/look";
import { within } from "../charts/scales";
import type { Context } from "../context";
import type { Cell, Metric, NoiseFloor, Verdict } from "../types";
import { h, spoken } from "../dom";
import { plainPercent } from "../format";
import { choice, figure, methodOf, section } from "../section";
import { type Cell as TableCell, type Table, tableBeside } from "../table";
import { ahead, cautions, floorOf, floorRatio, isVoid, measured, notes, ofMetric, pairName, reachText } from "../verdicts";
import { errors } from "./errors";

/** The cells that have a ratio to show. */
export function rowsToShow(context: Context): Cell[] {
  return context.comparison.cells.filter(
    (cell) => cell.verdicts.some((v) => v.ratio !== null) || cell.noise.some((floor) => floor.ratio !== null),
  );
}

export function ratios(context: Context): HTMLElement {
  const { words } = context;
  const cells = rowsToShow(context);
  if (cells.length === 0) {
    const smoke = context.comparison.doubts.find(({ finding }) => finding.code === "smoke");
    return section(context, "verdict", { title: words.ratios.title }, h("p", {}, smoke ? context.say(smoke) : context.isMeasured ? words.ratios.none : words.ratios.nothing));
  }
  const lead = h("span", {});
  const pictures = h("div", { class: "stack" });
  const show = (metric: Metric): void => {
    lead.textContent = words.ratios.lead(
      words.time[metric] ?? context.metric(metric),
      plainPercent(context.comparison.head.margin),
    );
    const judged = cells.filter((cell) => metricsOf([cell]).includes(metric));
    const range = domain(context, judged, metric);
    const { firstAhead, secondAhead } = words.ratios;
    const [left, right] = context.shownAs(metric)?.better === "larger" ? [secondAhead, firstAhead] : [firstAhead, secondAhead];
    const scale = chart(words.ratios.scale, (width) => forestScale(range, [`← ${left}`, `${right} →`], width));
    const one = together(context, judged, metric, range);
    const all = one ? [one] : judged.map((cell) => group(context, cell, metric, range));
    pictures.replaceChildren(h("div", { class: "scale" }, scale), ...all);
  };
  show("throughput");
  const options = metricsOf(cells).map((metric) => ({ value: metric, text: context.metric(metric) }));
  return section(
    context,
    "verdict",
    { title: words.ratios.title, lead, isLeadLast: true },
    choice(words.metric, options, "throughput", show),
    pictures,
    tableBeside(context, () => ratioTable(context, cells)),
    cells.some((cell) => cell.noise.length > 0) && methodOf(context, "noise"),
    context.comparison.head.max_rounds !== null && methodOf(context, "until"),
  );
}

/** What was judged anywhere: at a capacity response times are not. */
function metricsOf(cells: Cell[]): Metric[] {
  const metrics = cells.flatMap((cell) => [...cell.verdicts, ...cell.noise].map(({ metric }) => metric));
  return [...new Set(metrics)];
}

/** The scale that all cells of one metric share, as wide to the left of 1 as intervals ask for that bound anything. */
function domain(context: Context, cells: Cell[], metric: Metric): [number, number] {
  const margin = 1 + context.comparison.head.margin;
  let [low, high] = [1 / margin ** 2, margin ** 2];
  const rows = cells.flatMap((cell) => {
    const floor = floorOf(cell, metric);
    const verdicts = ofMetric(cell, metric).filter((verdict) => !isVoid(verdict));
    return [...verdicts.map(({ ratio, interval, wide }) => ({ ratio, interval: wide ? null : interval })), ...(floor ? [floor] : [])];
  });
  for (const { ratio, interval } of rows) {
    if (ratio === null) continue;
    low = Math.min(low, ratio, interval?.low ?? ratio);
    high = Math.max(high, ratio, interval?.high ?? ratio);
  }
  const space = (high / low) ** 0.04;
  return [low / space, high * space];
}

/** What one picture shows: rows with what is said of them, their marks, and how far the noise reaches. */
interface Pictured {
  title: string;
  lines: ForestRow[];
  texts: string[];
  ratios: (number | null)[];
  marks: (row: number, y: number) => Markish[];
  reach: number | null;
}

/** One pair at all levels, where there is no other: a row for each level, so that all of them are seen at once. */
function together(context: Context, cells: Cell[], metric: Metric, range: [number, number]): HTMLElement | null {
  const rows = cells.flatMap((cell) => ofMetric(cell, metric).map((row) => ({ cell, row })));
  const [first] = rows;
  const isOnePair = cells.length > 1 && rows.length === cells.length && new Set(rows.map(({ row }) => pairName(row))).size === 1;
  if (!first || !isOnePair || cells.some((cell) => floorOf(cell, metric))) return null;
  const { list, ratios } = context.words;
  const shown: Pictured = {
    title: `${first.row.of} ${ratios.over(first.row.over)}`,
    lines: rows.map(({ cell, row }) => ({ ...verdictRow(context, row), name: context.place(cell), second: "" })),
    texts: rows.map(({ cell, row }) => list([context.place(cell), said(context, row)])),
    ratios: rows.map(({ row }) => row.ratio),
    marks: (i, y) => rowMarks(context, rows[i]?.row, range, y),
    reach: null,
  };
  return pictured(context, shown, range, cells);
}

/** All pairs of one cell, and its noise floor. */
function group(context: Context, cell: Cell, metric: Metric, range: [number, number]): HTMLElement {
  const rows = ofMetric(cell, metric);
  const floor = floorOf(cell, metric);
  const shown: Pictured = {
    title: context.place(cell),
    lines: [...rows.map((row) => verdictRow(context, row)), ...(floor ? [floorRow(context, floor)] : [])],
    texts: [...rows.map((row) => said(context, row)), ...(floor ? [context.say(floor.says)] : [])],
    ratios: [...rows.map(({ ratio }) => ratio), ...(floor ? [floor.ratio] : [])],
    marks: (i, y) => (i === rows.length && floor ? floorMarks(floor, range, y) : rowMarks(context, rows[i], range, y)),
    reach: floor?.reach ?? null,
  };
  return pictured(context, shown, range, [cell]);
}

function pictured(context: Context, shown: Pictured, range: [number, number], cells: Cell[]): HTMLElement {
  const { title, lines, texts, ratios, reach } = shown;
  return figure(
    context,
    title,
    chart(`${title}. ${context.words.sentences(texts)}`, (width) =>
      forest(
        {
          rows: lines,
          range,
          margin: context.comparison.head.margin,
          dashed: reach === null ? [] : [1 / reach, reach],
          hasScale: false,
          readOuts: lines.flatMap((row, y) => {
            const x = ratios[y] ?? null;
            return x === null ? [] : [{ x, y, text: readOut(row) }];
          }),
          marks: (y) => lines.flatMap((_, i) => shown.marks(i, y(i))),
        },
        width,
      ),
    ),
    cautionsBelow(context, lines),
    ...cells.flatMap((cell) => errors(context, cell, cells.length > 1)),
  );
}

/** What to know of the rows that have a dagger: in one line that opens, so that the picture stays small; an image that is copied has it all. */
function cautionsBelow(context: Context, lines: ForestRow[]): HTMLElement | null {
  const { ratios, colon, sentences } = context.words;
  const noted = lines.filter(({ cautions = [] }) => cautions.length > 0);
  if (noted.length === 0) return null;
  const count = noted.reduce((sum, { cautions = [] }) => sum + cautions.length, 0);
  const items = noted.map(({ name, second, cautions = [] }) => h("li", {}, `${name} ${second}`.trim(), colon, spoken(sentences(cautions))));
  return h("details", { class: "beside cautions" }, h("summary", {}, `${DAGGER} ${ratios.cautions(count)}`), h("ul", { class: "sentences" }, ...items));
}

/** Marks a row of which there is something to know. */
const DAGGER = "†";

function verdictRow(context: Context, row: Verdict): ForestRow {
  return {
    name: row.of,
    second: context.words.ratios.over(row.over),
    figure: measured(context, row),
    outcome: cautions(context, row).length > 0 ? `${context.say(row.outcome)} ${DAGGER}` : context.say(row.outcome),
    cautions: cautions(context, row),
    more: notes(context, row),
  };
}

function floorRow(context: Context, floor: NoiseFloor): ForestRow {
  const { noise } = context.words;
  return {
    name: floor.target,
    second: noise.itself,
    figure: floorRatio(context, floor),
    outcome: floor.different ? noise.different : noise.floor,
    notes: floor.reach === null ? [] : [noise.reach(reachText(floor.reach))],
  };
}

function said(context: Context, row: Verdict): string {
  return context.words.list([context.say(row.says), ...notes(context, row)]);
}

function rowMarks(context: Context, row: Verdict | undefined, range: [number, number], y: number): Markish[] {
  if (!row || row.ratio === null || isVoid(row)) return [];
  const leader = ahead(row);
  const { colour, symbol } = leader === null ? NOBODY : context.look(context.index(leader));
  const style = leader !== null ? { fill: colour, stroke: PAPER } : { fill: PAPER, stroke: colour, strokeWidth: 2 };
  return [
    ...(row.interval ? [link([within(row.interval, range)], { x1: "low", x2: "high", y1: y, y2: y, stroke: colour, strokeWidth: 3 })] : []),
    dot([row.ratio], { x: (ratio: number) => ratio, y, r: 6, symbol, ...style }),
  ];
}

/** How a row looks in which nobody is ahead. */
const NOBODY = { colour: MUTED, symbol: "circle" } as const;

function floorMarks({ ratio, interval }: NoiseFloor, range: [number, number], y: number): Markish[] {
  if (ratio === null) return [];
  const { colour, symbol } = COPY;
  return [
    ...(interval ? [link([within(interval, range)], { x1: "low", x2: "high", y1: y, y2: y, stroke: colour, strokeWidth: 2, strokeDasharray: "4 2" })] : []),
    dot([ratio], { x: (ratio: number) => ratio, y, r: 5, symbol, fill: colour, stroke: PAPER }),
  ];
}

export function ratioTable(context: Context, cells: Cell[]): Table {
  const { ratios } = context.words;
  const metrics = metricsOf(cells);
  return {
    caption: `${ratios.title} (${ratios.band(plainPercent(context.comparison.head.margin))})`,
    columns: [ratios.pair, ...metrics.map((metric) => context.metric(metric))],
    rows: cells.flatMap((cell) => {
      const pairs = [...new Set(cell.verdicts.map(pairName))];
      return [
        ...pairs.map((pair) => ({
          head: h("span", {}, pair, h("span", { class: "detail" }, context.place(cell))),
          cells: metrics.map((metric) => pairCell(context, cell, pair, metric)),
        })),
        ...floorTableRow(context, cell, metrics),
      ];
    }),
  };
}

function pairCell(context: Context, cell: Cell, pair: string, metric: Metric): TableCell | string {
  const verdict = ofMetric(cell, metric).find((v) => pairName(v) === pair);
  if (!verdict) return context.words.none;
  const level = plainPercent(Math.round(verdict.level * 1e4) / 1e4);
  const raised = verdict.raised ? ` (${context.words.ratios.level(level)})` : "";
  return {
    text: measured(context, verdict),
    detail: context.say(verdict.outcome) + raised,
    more: notes(context, verdict),
    data: { pair, metric, place: context.place(cell) },
  };
}

/** The noise floor below the verdicts that it is held against; nothing where no A/A pair raced. */
function floorTableRow(context: Context, cell: Cell, metrics: Metric[]): { head: HTMLElement; cells: (TableCell | string)[] }[] {
  const { noise, none } = context.words;
  const [first] = cell.noise;
  if (!first) return [];
  return [
    {
      head: h("span", {}, `${first.target} / ${first.again}`, h("span", { class: "detail" }, `${noise.floor}, ${context.place(cell)}`)),
      cells: metrics.map((metric) => {
        const floor = floorOf(cell, metric);
        if (!floor || floor.ratio === null) return none;
        const far = floor.reach === null ? undefined : `±${reachText(floor.reach)}`;
        return {
          text: floorRatio(context, floor),
          detail: floor.different ? noise.different : far,
          data: { floor: first.target, metric, place: context.place(cell) },
        };
      }),
    },
  ];
}
