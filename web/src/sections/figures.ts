// Throughput and response time of every target at every load: each round's point, their mean and its interval.

import { dot, link, text, type Markish } from "@observablehq/plot";
import { chart, type Drawing, type ReadOut } from "../charts/chart";
import { below, rowGrid } from "../charts/lines";
import { INK, MUTED, PAPER } from "../charts/look";
import { barStyle, reach, timeTicks, within } from "../charts/scales";
import { fit, textWidth } from "../charts/text";
import { type Context, isVoid } from "../context";
import type { Cell, Figure, Metric, TargetFigures, Unit } from "../types";
import { h } from "../dom";
import { isWide, percent } from "../format";
import { figure, methodOf, section } from "../section";
import { type Cell as TableCell, tableBeside } from "../table";
import { errors } from "./errors";
import { network } from "./network";

const DRAWN = ["throughput", "p50", "p99"] as const;

const TABLE: Metric[] = ["throughput", "mean", "p50", "p90", "p95", "p99", "p999", "max"];

interface Row {
  target: string;
  index: number;
  /** Whether nothing may be said of it. */
  isVoid: boolean;
  /** Whether it is the limit, which may lie far off those that race. */
  isLimit: boolean;
  figure: Figure;
}

export function figures(context: Context): HTMLElement {
  const { words, comparison } = context;
  const cells = comparison.cells.filter((cell) => cell.targets.some((target) => target.rounds > 0));
  const all = cells.flatMap((cell) => cell.targets);
  if (cells.length === 0) {
    return section(context, "throughput", { title: words.figures.title }, h("p", {}, words.figures.nothing));
  }
  return section(
    context,
    "throughput",
    { title: words.figures.title, lead: lead(context, words.figures.lead, cells, DRAWN) },
    methodOf(context, "latency"),
    comparison.head.targets.some((target) => target.limit) && all.some(({ share_of_limit }) => share_of_limit) && methodOf(context, "limit"),
    context.isOverloaded && methodOf(context, "overload"),
    ...cells.map((cell) => ofCell(context, cell)),
  );
}

/** What a section's pictures show; with what dashed bars are, where there are any. */
export function lead({ words }: Context, text: string, cells: Cell[], drawn: readonly Metric[]): string {
  const isDashed = ({ figures }: TargetFigures): boolean => drawn.some((metric) => figures[metric]?.interval && isWide(figures[metric].interval));
  return cells.some((cell) => cell.targets.some(isDashed)) ? words.both(text, words.figures.dashed) : text;
}

function ofCell(context: Context, cell: Cell): HTMLElement {
  const withLimit = cell.targets.some(({ share_of_limit }) => share_of_limit);
  return h(
    "div",
    { class: "cell" },
    h("h3", {}, context.place(cell), h("span", { class: "request" }, context.say(cell.request))),
    h("div", { class: "panels" }, ...DRAWN.flatMap((quantity) => panel(context, cell, quantity))),
    network(context, cell),
    ...errors(context, cell),
    tableBeside(context, () => ({
      caption: `${context.words.figures.title}${context.words.colon}${context.place(cell)}`,
      columns: [
        context.words.target,
        ...(withLimit ? [context.words.figures.share] : []),
        ...TABLE.map((quantity) => context.metric(quantity)),
      ],
      rows: cell.targets.map((target) => ({
        head: target.target,
        cells: [
          ...(withLimit ? [shareCell(context, target)] : []),
          ...TABLE.map((quantity) => meanCell(context, target, quantity)),
        ],
      })),
    })),
    tableBeside(
      context,
      () => ({
        caption: `${context.words.figures.perRound}${context.words.colon}${context.place(cell)}`,
        columns: [context.words.target, ...TABLE.map((quantity) => context.metric(quantity))],
        rows: cell.targets.flatMap((target) => roundRows(context, target)),
      }),
      context.words.figures.perRound,
    ),
  );
}

/** How much of the limit a target reaches. */
function shareCell(context: Context, { target, share_of_limit: share }: TargetFigures): TableCell | string {
  const { words } = context;
  if (context.isLimit(target)) return words.figures.limit;
  if (!share) return words.none;
  const detail = share.interval ? `[${percent(share.interval.low)} … ${percent(share.interval.high)}]` : undefined;
  return { text: percent(share.ratio), detail, data: { target, share: "limit" } };
}

/** A figure over the rounds, for a table; not shown where it is void. */
export function meanCell(context: Context, target: TargetFigures, quantity: Metric): TableCell | string {
  const { words, units } = context;
  const figure = target.figures[quantity];
  if (!figure) return words.none;
  if (isVoid(target, quantity)) return words.figures.overload;
  const data = { target: target.target, quantity };
  if (figure.mean === null) {
    return { text: units.range(figure.unit, figure.min, figure.max), detail: units.isOne(figure.unit, figure.min, figure.max) ? undefined : words.figures.maxNote, data };
  }
  const detail = figure.interval ? context.interval(figure.unit, figure.mean, figure.interval) : undefined;
  const { offered_rps: offered } = target;
  if (quantity !== "throughput" || !offered) return { text: units.text(figure.unit, figure.mean), detail, data };
  const more = [words.figures.offered(units.range("requests-per-second", offered.low, offered.high))];
  return { text: units.text(figure.unit, figure.mean), detail, more, data };
}

function roundRows(context: Context, target: TargetFigures): { head: string; cells: string[] }[] {
  const rounds = Math.max(0, ...Object.values(target.figures).map((figure) => figure.rounds.length));
  return Array.from({ length: rounds }, (_, round) => ({
    head: context.words.list([target.target, context.words.round(round + 1)]),
    cells: TABLE.map((quantity) => {
      const figure = target.figures[quantity];
      const value = figure?.rounds[round] ?? null;
      return figure && value !== null ? context.units.text(figure.unit, value) : context.words.none;
    }),
  }));
}

function panel(context: Context, cell: Cell, quantity: (typeof DRAWN)[number]): HTMLElement[] {
  const rows: Row[] = cell.targets.flatMap((figures) => {
    const { target } = figures;
    const figure = figures.figures[quantity];
    return figure ? [{ target, index: context.index(target), figure, isVoid: isVoid(figures, quantity), isLimit: context.isLimit(target) }] : [];
  });
  const title = context.words.figures[quantity];
  if (rows.length === 0) return [];
  const figureOf = (row: Row): string => (row.isVoid ? context.words.figures.overload : toldOf(context, row.figure));
  const finding = rows.map((row) => `${row.target} ${figureOf(row)}`).join("; ");
  return [
    figure(
      context,
      title,
      chart(`${title}, ${context.place(cell)}: ${finding}`, (width) => drawing(context, rows, width)),
    ),
  ];
}

function toldOf(context: Context, figure: Figure): string {
  const { units } = context;
  if (figure.mean === null) return units.range(figure.unit, figure.min, figure.max);
  const interval = figure.interval ? ` ${context.interval(figure.unit, figure.mean, figure.interval)}` : "";
  return units.text(figure.unit, figure.mean) + interval;
}

function drawing(context: Context, rows: Row[], width: number): Drawing {
  const step = 50;
  const side = 10;
  const valid = rows.filter((row) => !row.isVoid);
  const racing = valid.filter((row) => !row.isLimit);
  const [low, high] = extent([racing, valid, rows].find((some) => some.length > 0) ?? rows);
  const unit: Unit = rows[0]?.figure.unit ?? "count";
  const { values, format } = timeTicks(unit, low, high, width / 70);
  const scale = { ticks: values, format };
  const at = (value: number): number => ((value - low) / (high - low)) * (width - 2 * side);
  const marks: Markish[] = [rowGrid(scale, rows.length, [0.42, 0.8])];
  const readOuts: ReadOut[] = [];
  rows.forEach(({ target, index, figure, isVoid, isLimit }, row) => {
    const { colour, symbol } = context.look(index);
    const y = row + 0.6;
    const brief = isVoid ? context.words.figures.overload : figure.mean === null ? "" : context.units.brief(unit, figure.mean);
    const room = width - textWidth(brief) - 16;
    const single = figure.rounds.flatMap((value) => (value === null ? [] : [{ value, y }]));
    marks.push(
      text([target], { y: row, dy: 13, frameAnchor: "left", dx: -side, textAnchor: "start", text: () => fit(target, room), fill: INK }),
      text([brief], { y: row, dy: 13, frameAnchor: "right", dx: side, textAnchor: "end", text: () => brief, fill: isVoid ? MUTED : INK, fontVariant: "tabular-nums" }),
    );
    if (isVoid) return;
    if (isLimit && (figure.min < low || figure.max > high)) {
      // Its figure stands beside it; a mark would squeeze those that race.
      const [frameAnchor, arrow] = figure.max > high ? (["right", "→"] as const) : (["left", "←"] as const);
      marks.push(text([arrow], { y, frameAnchor, text: () => arrow, fill: MUTED }));
      return;
    }
    figure.rounds.forEach((value, i) => {
      if (value !== null) readOuts.push({ x: value, y, text: `${target}\n${context.words.round(i + 1)}${context.words.colon}${context.units.text(figure.unit, value)}` });
    });
    if (figure.mean !== null) readOuts.push({ x: figure.mean, y, text: `${target}\n${context.words.figures.mean}${context.words.colon}${toldOf(context, figure)}` });
    marks.push(
      dot(single, { x: "value", y: "y", r: 2.5, symbol, stroke: colour, fill: "none", strokeWidth: 1 }),
    );
    if (figure.interval) {
      marks.push(link([within(figure.interval, [low, high])], { x1: "low", x2: "high", y1: y, y2: y, stroke: colour, ...barStyle(figure.interval) }));
    }
    if (figure.mean !== null) {
      marks.push(dot([figure.mean], { x: (value: number) => value, y, r: 5, symbol, fill: colour, stroke: PAPER }));
    }
  });
  marks.push(...below(scale, { at, from: -side, to: width - side }));
  return {
    height: rows.length * step + 26,
    marginLeft: side,
    marginRight: side,
    marginTop: 0,
    marginBottom: 24,
    readOuts,
    x: { domain: [low, high], axis: null },
    y: { domain: [0, rows.length], range: [0, rows.length * step], axis: null },
    marks,
  };
}

/** The scale: all rounds, and intervals that bound anything; never less than a tenth of the value, so that noise does not look large. */
function extent(rows: Row[]): [number, number] {
  const [low, high] = reach(rows.map(({ figure }) => figure));
  const middle = (low + high) / 2;
  const half = Math.max((high - low) / 2, Math.abs(middle) * 0.05, Number.MIN_VALUE) * 1.06;
  return [Math.max(0, middle - half), middle + half];
}
