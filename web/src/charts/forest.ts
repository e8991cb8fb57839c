// Ratios in rows, one below the other: a name, the ratio on a shared scale beside the band of a tie, and what came of it.
// Where there is room, name and outcome stand left and right of the picture; on a phone above it.

import { type Markish, rect, text } from "@observablehq/plot";
import type { Drawing, ReadOut } from "./chart";
import { below, rowGrid, type Strip } from "./lines";
import { INK, MUTED } from "./look";
import { ratioTicks } from "./scales";
import { textWidth, wrapped } from "./text";

export interface ForestRow {
  name: string;
  second: string;
  figure: string;
  outcome: string;
  /** What is drawn below the outcome; the first two. */
  notes?: string[];
  /** What to know beside the outcome, which is said below the picture. */
  cautions?: string[];
  /** All of it, for the pointer, where that is more. */
  more?: string[];
}

export interface Forest {
  rows: ForestRow[];
  /** The ends of the scale. */
  range: [number, number];
  /** A ratio within 1 ± margin is a tie. */
  margin: number;
  /** Where dashed lines run through all rows, such as the reach of the noise. */
  dashed?: number[];
  /** Whether the scale stands below; pictures that share one have it once, above them all (`forestScale`). */
  hasScale: boolean;
  /** What the pointer reads out of each row. */
  readOuts: ReadOut[];
  /** The marks, given where a row lies. */
  marks: (y: (row: number) => number) => Markish[];
}

/** From this width on, names stand left of the picture and figures right of it. */
const WIDE = 620;

export function forest({ rows, range, margin, dashed = [], hasScale, readOuts, marks }: Forest, width: number): Drawing {
  const wide = width >= WIDE;
  const [left, right] = sides(width);
  const room = wide ? right - GAP : width;
  // On a phone an outcome that does not fit beside its figure has lines of its own, in all rows alike.
  const split = wide || rows.some((row) => textWidth(caption(row)) > room);
  const under = rows.map((row) => belowFigure(row, room, split));
  const lines = Math.max(0, ...under.map(({ length }) => length));
  const names = rows.map((row) => (wide ? nameAround(row, left - GAP) : nameOver(row, width)));
  const named = Math.max(0, ...names.map(({ length }) => length));
  // On a phone names and figure stand over the picture, and what is said of them under it.
  const words = wide ? Math.max(11 + lines * LINE, named * LINE) : 21 + named * LINE;
  const step = wide ? words + 16 : words + 30 + lines * LINE;
  const top = 2;
  const bottom = hasScale ? 22 : 4;
  const strip: Strip = wide ? [0, 1] : [words / step, (words + 24) / step];
  const inner = width - left - right;
  const scale = { ticks: ratioTicks(range, inner), format: tick };
  const at = (value: number): number => (Math.log(value / range[0]) / Math.log(range[1] / range[0])) * inner;
  return {
    height: rows.length * step + top + bottom + 2,
    marginLeft: left,
    marginRight: right,
    marginTop: top,
    marginBottom: bottom,
    x: { type: "log", domain: range, axis: null },
    along: "y",
    readOuts: readOuts.map((one) => ({ ...one, y: one.y + (wide ? 0.5 : (words + 12) / step) })),
    y: { domain: [0, rows.length], range: [top, top + rows.length * step], axis: null },
    marks: [
      rect(rows, {
        x1: 1 / (1 + margin),
        x2: 1 + margin,
        y1: (_: ForestRow, i: number) => i + strip[0],
        y2: (_: ForestRow, i: number) => i + strip[1],
        fill: "var(--band)",
      }),
      rowGrid(scale, rows.length, strip),
      rowGrid({ ...scale, ticks: [1] }, rows.length, strip, MUTED),
      rowGrid({ ...scale, ticks: dashed.filter((x) => x > range[0] && x < range[1]) }, rows.length, strip, MUTED, "3 3"),
      ...(wide ? around(rows, left, names, under, lines) : over(rows, names, under, split, words)),
      ...marks((row) => row + (wide ? 0.5 : (words + 12) / step)),
      ...(hasScale ? below(scale, { at, from: -left, to: inner + right }) : []),
    ],
  };
}

/** All that a row says, for the pointer. */
export function readOut({ name, second, figure, outcome, notes = [], more = notes }: ForestRow): string {
  return [`${name} ${second}`.trim(), figure, outcome, ...more].join("\n");
}

/** Room left and right of the picture. */
function sides(width: number): [left: number, right: number] {
  // Outcomes are longer than names: where there is room they are not cut off.
  return width >= WIDE ? [Math.min(250, width * 0.36), Math.min(315, width * 0.36)] : [8, 8];
}

/** The scale that several pictures share, with what lies on its left and right. */
export function forestScale(range: [number, number], [before, after]: [string, string], width: number): Drawing {
  const [left, right] = sides(width);
  const inner = width - left - right;
  const scale = { ticks: ratioTicks(range, inner), format: tick };
  const at = (value: number): number => (Math.log(value / range[0]) / Math.log(range[1] / range[0])) * inner;
  const corner = { fill: MUTED, lineAnchor: "top" } as const;
  const fromOne = Math.max(0, Math.min(inner, at(1)));
  // On both sides of 1, or where there is too little room on one of them, in the corners.
  const isBeside = Math.min(fromOne, inner - fromOne) > Math.max(textWidth(before), textWidth(after)) + 12;
  const words = isBeside
    ? [
        text([before], { ...corner, frameAnchor: "top", x: 1, dx: -8, textAnchor: "end", text: () => before }),
        text([after], { ...corner, frameAnchor: "top", x: 1, dx: 8, textAnchor: "start", text: () => after }),
      ]
    : [
        text([before], { ...corner, frameAnchor: "top-left", dx: -left, textAnchor: "start", text: () => before }),
        text([after], { ...corner, frameAnchor: "top-right", dx: right, textAnchor: "end", text: () => after }),
      ];
  return {
    height: 36,
    marginLeft: left,
    marginRight: right,
    marginTop: 0,
    marginBottom: 20,
    x: { type: "log", domain: range, axis: null },
    y: { domain: [0, 1], axis: null },
    marks: [...words, ...below(scale, { at, from: -left, to: inner + right })],
  };
}

/** The height of a line of words. */
const LINE = 15;

/** Between the picture and the words on its right. */
const GAP = 14;

/** A line of words: what it says and how it looks. */
interface WordLine {
  text: string;
  fontSize: number;
  fill: string;
  fontWeight?: number;
}

/** A name takes at most so many lines. */
const NAME_LINES = 2;

/** What stands below a row's figure: the outcome, unless it stands beside it, and at most two notes. */
function belowFigure({ outcome, notes = [] }: ForestRow, room: number, split: boolean): WordLine[] {
  const outcomes = split ? wrapped(outcome, room).map((text) => ({ text, fontSize: 12, fill: MUTED })) : [];
  return [...outcomes, ...notes.slice(0, 2).flatMap((note) => wrapped(note, room, 11).map((text) => ({ text, fontSize: 11, fill: MUTED })))];
}

function nameAround({ name, second }: ForestRow, room: number): WordLine[] {
  const names = wrapped(name, room, 13, NAME_LINES).map((text) => ({ text, fontSize: 13, fontWeight: 600, fill: INK }));
  if (second === "") return names;
  return [...names, ...wrapped(second, room, 12, NAME_LINES).map((text) => ({ text, fontSize: 12, fill: MUTED }))];
}

function nameOver({ name, second }: ForestRow, room: number): WordLine[] {
  return wrapped(`${name} ${second}`.trim(), room, 13, NAME_LINES).map((text) => ({ text, fontSize: 12, fontWeight: 600, fill: INK }));
}

/** The lines of all rows, each row's from so many pixels below its place on. */
function lineMarks(rows: ForestRow[], lines: WordLine[][], first: (row: number) => number, place: object): Markish[] {
  return lines.flatMap((of, row) =>
    of.map(({ text: line, ...look }, i) => text([rows[row]!], { ...place, text: () => line, dy: first(row) + LINE * i, ...look })),
  );
}

function around(rows: ForestRow[], left: number, names: WordLine[][], under: WordLine[][], lines: number): Markish[] {
  const y = (row: ForestRow): number => rows.indexOf(row) + 0.5;
  const name = { y, frameAnchor: "left", textAnchor: "start", dx: -left } as const;
  const figure = { y, frameAnchor: "right", textAnchor: "start", dx: GAP } as const;
  // The lines on both sides of the picture stand about its middle.
  const first = -(lines * LINE) / 2;
  return [
    ...lineMarks(rows, names, (row) => -((names[row]!.length - 1) * LINE) / 2, name),
    text(rows, { ...figure, text: "figure", dy: first, fill: INK, fontVariant: "tabular-nums" }),
    ...lineMarks(rows, under, () => first + LINE, figure),
  ];
}

/** The figure with its outcome, as they stand above the picture. */
function caption({ figure, outcome }: ForestRow): string {
  return `${figure} · ${outcome}`;
}

function over(rows: ForestRow[], names: WordLine[][], under: WordLine[][], split: boolean, words: number): Markish[] {
  const place = { y: (row: ForestRow) => rows.indexOf(row), frameAnchor: "left", textAnchor: "start", dx: -8 } as const;
  return [
    ...lineMarks(rows, names, () => 12, place),
    text(rows, { ...place, text: (row: ForestRow) => (split ? row.figure : caption(row)), dy: words - 8, fill: MUTED }),
    ...lineMarks(rows, under, () => words + 37, place),
  ];
}

function tick(value: number): string {
  return String(Number(value.toPrecision(4)));
}
