// Over time: each round's windows, the warm-up shaded, and where the throughput shifted.

import { dot, line, rect, ruleX, text, type Markish } from "@observablehq/plot";
import { chart, type Drawing } from "../charts/chart";
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
  const restless = data.page.measurements.filter((m) => m.class !== null && (m.class !== "flat" || m.shifts.length > 0));
  const judged = data.page.measurements.filter((m) => m.class !== null).length;
  const pictures = h("div", { class: "wide pairs" });
  const show = (column: Column): void => {
    pictures.replaceChildren(...groups.map((group) => ofCell(context, group, column)));
  };
  show("rate");
  return section(
    context,
    "windows",
    { title: words.windows.title, lead: words.windows.lead },
    judged > 0 && h("p", {}, restless.length === 0 ? words.windows.allFlat : words.windows.shifted(restless.length, judged)),
    choice(words.showing, COLUMNS.map((value) => ({ value, text: words.windows.metric[value] })), "rate", show),
    pictures,
  );
}

function ofCell(context: Context, group: Group, column: Column): HTMLElement {
  const { words } = context;
  const place = context.place(group.cell);
  const shapes = group.measured.map((m) => {
    const name = `${context.targets[m.target]}, ${words.round(m.round)}`;
    return `${name}: ${m.class === null ? words.windows.tooFew : words.classes[m.class]}`;
  });
  const title = `${words.windows.title}, ${place}, ${words.windows.metric[column]}`;
  return figure(
    place,
    chart(`${title}. ${words.sentences(shapes)}`, (width) => drawing(context, group, column, width)),
    h("p", { class: "axis" }, words.windows.x),
    tableBeside(context, () => shapesTable(context, group)),
    tableBeside(context, () => valuesTable(context, group, column), words.windows.values),
  );
}

function shapesTable(context: Context, { cell, measured, warmed }: Group): Table {
  const { windows, round, none, classes, target } = context.words;
  return {
    caption: `${windows.title}${context.words.colon}${context.place(cell)}`,
    words: true,
    columns: [target, windows.shape, windows.shifts, windows.warmupTook, windows.settled],
    rows: measured.map((m) => {
      const warmup = warmed.find((w) => w.target === m.target && w.round === m.round);
      return {
        head: `${context.targets[m.target]}, ${round(m.round)}`,
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
      head: `${context.targets[m.target]}, ${words.round(m.round)}`,
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

function drawing(context: Context, { measured, warmed }: Group, column: Column, width: number): Drawing {
  const targets = [...new Set(measured.map((m) => m.target))].sort((a, b) => a - b);
  const before = Math.max(0, ...warmed.map((w) => w.duration_s));
  const lines = (target: number) => [
    ...warmed
      .filter((w) => w.target === target)
      .map((w) => ({ points: points(w.windows, w.windows[column], -w.duration_s), series: w, from: -w.duration_s, light: true })),
    ...measured
      .filter((m) => m.target === target)
      .map((m) => ({ points: points(m.windows, m.windows[column], 0), series: m, from: 0, light: false })),
  ];
  const all = targets.map(lines);
  const values = all.flat().flatMap((line) => line.points.map((p) => p.value));
  const high = Math.max(Number.MIN_VALUE, ...values) * 1.05;
  const end = Math.max(...measured.map(({ windows }) => (windows.at.at(-1) ?? 0) + stepOf(windows)));
  const step = 104;
  const gap = 22;
  const ticks = column === "rate" ? timeTicks("count", 0, high, 3) : timeTicks("microseconds", 0, high, 3);
  const y = { ticks: ticks.values, format: column === "rate" ? short : time };
  const seconds = timeTicks("count", -before, end, width / 60);
  const x = { ticks: seconds.values, format: (value: number) => seconds.format(value).replace("-", "−") };
  // Each target has a strip of its own on one scale: row r maps its values to [r, r + 1).
  const inner = (step - gap) / step;
  const place = (row: number, value: number): number => row + 1 - (value / high) * inner;
  const marks: Markish[] = [];
  if (before > 0) marks.push(rect([0], { x1: -before, x2: 0, y1: 0, y2: targets.length, fill: "var(--band)" }));
  targets.forEach((target, row) => {
    const { colour } = context.look(target);
    const strip = { ticks: y.ticks.map((value) => place(row, value)), format: String };
    marks.push(
      ...grid(null, strip),
      text([target], { y: row, frameAnchor: "left", textAnchor: "start", dy: 11, dx: 2, fill: INK, text: () => fit(context.targets[target] ?? "", width - 60) }),
    );
    for (const { points, series, from, light } of all[row] ?? []) {
      const at = (point: Point): number => place(row, point.value);
      marks.push(line(points, { x: "at", y: at, stroke: colour, strokeWidth: 1.2, strokeOpacity: light ? 0.7 : 0.85 }));
      // A line takes two points.
      if (points.length === 1) marks.push(dot(points, { x: "at", y: at, r: 2.5, fill: colour }));
      const shifts = series.shifts.flatMap((i) => {
        const value = series.windows[column][i] ?? null;
        return value === null ? [] : [{ at: from + (series.windows.at[i] ?? i), value }];
      });
      if (shifts.length > 0) {
        marks.push(dot(shifts, { x: "at", y: at, dy: -9, r: 4.5, symbol: "triangle", rotate: 180, fill: INK }));
      }
    }
  });
  if (before > 0) {
    marks.push(
      ruleX([0], { stroke: MUTED }),
      text([0], { x: -before / 2, y: 0, dy: -7, fill: MUTED, text: () => fit(context.words.windows.warmup, 120) }),
    );
  }
  const rows = targets.flatMap((_, row) => y.ticks.map((value) => ({ at: place(row, value), value })));
  const label = new Map(rows.map(({ at, value }) => [at, y.format(value)]));
  const left = { ticks: rows.map((row) => row.at), format: (at: number) => label.get(at) ?? "" };
  marks.push(below(x), beside(left));
  return {
    height: targets.length * step + 40,
    marginLeft: roomFor(left),
    marginRight: 10,
    marginTop: 16,
    marginBottom: 24,
    x: { domain: [-before, end], axis: null },
    y: { domain: [0, targets.length], range: [16, 16 + targets.length * step], axis: null },
    marks,
  };
}
