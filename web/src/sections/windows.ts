// Over time: each round's windows, the warm-up shaded, and where the throughput shifted.

import { dot, line, rect, text, type Markish } from "@observablehq/plot";
import { chart, type Drawing, type ReadOut } from "../charts/chart";
import { below, beside, grid, roomFor } from "../charts/lines";
import { INK, MUTED } from "../charts/look";
import { short, time, timeTicks } from "../charts/scales";
import { fit } from "../charts/text";
import type { Context } from "../context";
import type { Cell, Measured, Series, Warmed } from "../types";
import { h } from "../dom";
import { number } from "../format";
import { choice, figure, section } from "../section";
import { type Table, tableBeside } from "../table";

const COLUMNS = ["rate", "p50", "p99"] as const;
type Column = (typeof COLUMNS)[number];

interface Group {
  cell: Cell;
  measured: Measured[];
  warmed: Warmed[];
}

interface Point {
  at: number;
  value: number;
}

export function windows(context: Context): HTMLElement {
  const { words, data } = context;
  const groups: Group[] = context.comparison.cells
    .map((cell, index) => ({
      cell,
      measured: data.page.measurements.filter((m) => m.cell === index && m.windows.at.length > 0),
      warmed: data.page.warmups.filter((w) => w.cell === index && w.windows.at.length > 0),
    }))
    .filter(({ measured }) => measured.length > 0);
  if (groups.length === 0) {
    return section(context, "windows", { title: words.windows.title }, h("p", {}, words.windows.none));
  }
  const pictures = h("div", { class: "pairs" });
  const show = (column: Column): void => {
    pictures.replaceChildren(...groups.map((group) => ofCell(context, group, column)));
  };
  show("rate");
  return section(
    context,
    "windows",
    { title: words.windows.title, lead: words.windows.lead },
    data.page.steady !== null && h("p", {}, context.say(data.page.steady)),
    choice(words.showing, COLUMNS.map((value) => ({ value, text: words.windows.metric[value] })), "rate", show),
    pictures,
  );
}

function ofCell(context: Context, group: Group, column: Column): HTMLElement {
  const { words } = context;
  const place = context.place(group.cell);
  const shapes = group.measured.map((m) => {
    const name = words.list([context.targets[m.target] ?? "", words.round(m.round)]);
    return `${name}: ${m.class === null ? words.windows.tooFew : words.classes[m.class]}`;
  });
  const title = `${words.windows.title}, ${place}, ${words.windows.metric[column]}`;
  return figure(
    context,
    place,
    chart(`${title}. ${words.sentences(shapes)}`, (width) => drawing(context, group, column, width)),
    h("p", { class: "axis" }, words.windows.x),
    tableBeside(context, () => shapesTable(context, group)),
    tableBeside(context, () => valuesTable(context, group, column), words.windows.values),
  );
}

function shapesTable(context: Context, { cell, measured, warmed }: Group): Table {
  const { windows, round, none, classes, target, list } = context.words;
  return {
    caption: `${windows.title}${context.words.colon}${context.place(cell)}`,
    words: true,
    columns: [target, windows.shape, windows.shifts, windows.warmupTook, windows.settled],
    rows: measured.map((m) => {
      const warmup = warmed.find((w) => w.target === m.target && w.round === m.round);
      return {
        head: list([context.targets[m.target] ?? "", round(m.round)]),
        cells: [
          m.class === null ? windows.tooFew : classes[m.class],
          m.shifts.length === 0 ? none : m.shifts.map((i) => String(m.windows.at[i] ?? i)).join(", "),
          warmup ? `${number(warmup.duration_s)} s` : none,
          warmup ? (warmup.settled ? windows.yes : windows.no) : none,
        ],
      };
    }),
  };
}

function valuesTable(context: Context, { cell, measured }: Group, column: Column): Table {
  const { words, units } = context;
  const starts = measured.map((m) => m.windows.at).reduce((a, b) => (b.length > a.length ? b : a));
  const unit = column === "rate" ? "requests-per-second" : "microseconds";
  return {
    caption: `${words.windows.values}, ${words.windows.metric[column]}${context.words.colon}${context.place(cell)}`,
    columns: [words.target, ...starts.map((start) => `${start} s`)],
    rows: measured.map((m) => ({
      head: words.list([context.targets[m.target] ?? "", words.round(m.round)]),
      cells: starts.map((_, i) => {
        const value = m.windows[column][i] ?? null;
        return value === null ? words.none : units.brief(unit, value);
      }),
    })),
  };
}

/** A window's length in seconds; one second where there is but one window. */
function stepOf({ at }: Series): number {
  return (at[1] ?? 1) - (at[0] ?? 0);
}

/** The middles of windows; gaps where nothing arrived are left out. */
function points(series: Series, values: (number | null)[], from: number): Point[] {
  const { at } = series;
  const step = stepOf(series);
  return at.flatMap((start, i) => {
    const value = values[i] ?? null;
    return value === null ? [] : [{ at: from + start + step / 2, value }];
  });
}

/** A round's warm-up or measurement, as a line. */
interface Line {
  name: string;
  series: Series & { shifts: number[] };
  points: Point[];
  isWarmup: boolean;
}

/** The share of the width that warm-ups have to themselves, so that they do not squeeze the measurements. */
const WARMUP = 0.17;

/** The share between the two. */
const BETWEEN = 0.02;

/** Where a second lies across the picture: left of zero in the warm-ups' strip, with a scale of its own. */
function across(before: number, end: number): (second: number) => number {
  const from = before > 0 ? WARMUP + BETWEEN : 0;
  return (second) => (second < 0 ? (1 + second / before) * WARMUP : from + (second / end) * (1 - from));
}

function drawing(context: Context, { measured, warmed }: Group, column: Column, width: number): Drawing {
  const { words } = context;
  const targets = [...new Set(measured.map((m) => m.target))].sort((a, b) => a - b);
  const before = Math.max(0, ...warmed.map((w) => w.duration_s));
  const lines = (target: number): Line[] => [
    ...warmed
      .filter((w) => w.target === target)
      .map((w) => ({ name: words.round(w.round), points: points(w.windows, w.windows[column], -w.duration_s), series: { ...w.windows, shifts: w.shifts }, isWarmup: true })),
    ...measured
      .filter((m) => m.target === target)
      .map((m) => ({ name: words.round(m.round), points: points(m.windows, m.windows[column], 0), series: { ...m.windows, shifts: m.shifts }, isWarmup: false })),
  ];
  const all = targets.map(lines);
  const most = (some: Line[]): number => Math.max(Number.MIN_VALUE, ...some.flatMap((line) => line.points.map((p) => p.value)));
  // The scale is that of the measurements: what lies above it in a warm-up is cut off there, and said.
  const high = most(all.flat().filter((line) => !line.isWarmup)) * 1.05;
  const highest = most(all.flat().filter((line) => line.isWarmup));
  const end = Math.max(...measured.map(({ windows }) => (windows.at.at(-1) ?? 0) + stepOf(windows)));
  const x = across(before, end);
  const step = 104;
  const gap = 22;
  const isRate = column === "rate";
  const format = isRate ? short : time;
  const ticks = timeTicks(isRate ? "count" : "microseconds", 0, high, 3).values;
  const seconds = timeTicks("count", 0, end, ((1 - x(0)) * width) / 60);
  // Each target has a strip of its own on one scale: row r maps its values to [r, r + 1).
  const inner = (step - gap) / step;
  const place = (row: number, value: number): number => row + 1 - (Math.min(value, high) / high) * inner;
  const marks: Markish[] = [];
  const readOuts: ReadOut[] = [];
  if (before > 0) marks.push(rect([0], { x1: 0, x2: WARMUP, y1: 0, y2: targets.length, fill: "var(--band)" }));
  targets.forEach((target, row) => {
    const { colour } = context.look(target);
    const name = context.targets[target] ?? "";
    marks.push(
      ...grid(null, { ticks: ticks.map((value) => place(row, value)), format: String }),
      text([target], { x: x(0), y: row, textAnchor: "start", dy: 11, dx: 2, fill: INK, text: () => fit(name, width * (1 - x(0)) - 60) }),
    );
    for (const { name: round, points, series, isWarmup } of all[row] ?? []) {
      const at = { x: (point: Point) => x(point.at), y: (point: Point) => place(row, point.value) };
      marks.push(line(points, { ...at, stroke: colour, strokeWidth: 1.2, strokeOpacity: isWarmup ? 0.7 : 0.85 }));
      // A line takes two points.
      if (points.length === 1) marks.push(dot(points, { ...at, r: 2.5, fill: colour }));
      const first = (points[0]?.at ?? 0) - (series.at[0] ?? 0) - stepOf(series) / 2;
      const shifts = series.shifts.flatMap((i) => {
        const value = series[column][i] ?? null;
        return value === null ? [] : [{ at: first + (series.at[i] ?? i), value }];
      });
      if (shifts.length > 0) marks.push(dot(shifts, { ...at, dy: -9, r: 4.5, symbol: "triangle", rotate: 180, fill: INK }));
      const about = words.list([name, round, ...(isWarmup ? [words.windows.warmup] : [])]);
      for (const point of points) {
        readOuts.push({ x: x(point.at), y: place(row, point.value), text: `${about}\n${number(point.at)} s${words.colon}${isRate ? context.units.text("requests-per-second", point.value) : context.units.text("microseconds", point.value)}` });
      }
    }
  });
  if (before > 0) {
    const label = highest > high ? `${words.windows.warmup} ↑ ${format(highest)}` : words.windows.warmup;
    marks.push(text([0], { x: 0, y: 0, textAnchor: "start", dy: -7, fill: MUTED, text: () => label }));
  }
  const label = new Map(targets.flatMap((_, row) => ticks.map((value) => [place(row, value), format(value)] as const)));
  const left = { ticks: [...label.keys()], format: (at: number) => label.get(at) ?? "" };
  const under = new Map([...(before > 0 ? [[0, `−${number(before)} s`] as const] : []), ...seconds.values.map((second) => [x(second), seconds.format(second)] as const)]);
  const [marginLeft, marginRight] = [roomFor(left), 10];
  const at = (value: number): number => value * (width - marginLeft - marginRight);
  const axis = { ticks: [...under.keys()], format: (at: number) => under.get(at) ?? "" };
  marks.push(...below(axis, { at, from: -marginLeft, to: width - marginLeft }), beside(left));
  return {
    height: targets.length * step + 40,
    marginLeft,
    marginRight,
    marginTop: 16,
    marginBottom: 24,
    readOuts,
    x: { domain: [0, 1], axis: null },
    y: { domain: [0, targets.length], range: [16, 16 + targets.length * step], axis: null },
    marks,
  };
}
