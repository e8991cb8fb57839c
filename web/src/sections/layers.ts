// Where a request's CPU time goes: each target's layers on one axis, by how much two of them differ, and what the profiler cost.

import { type BarGroup, bars } from "../charts/bars";
import { chart } from "../charts/chart";
import { type Difference, differences } from "../charts/differences";
import { key, swatch } from "../charts/key";
import type { Context } from "../context";
import type { Cell, Interval, Layer, LayerDifference, LayersBeside, LayerTime, TargetFigures, TargetProfile } from "../types";
import { h } from "../dom";
import { percent, thousands } from "../format";
import { choice, figure, methodOf, section } from "../section";
import { flames } from "./flames";
import { type Cell as TableCell, type Table, table, tableBeside } from "../table";

type Profiled = TargetFigures & { profile: TargetProfile };

export function layers(context: Context): HTMLElement | null {
  const { words } = context;
  const cells = context.comparison.cells.filter((cell) => profiled(cell).length > 0);
  if (cells.length === 0) return null;
  const targets = context.shown.filter((label) => cells.some((cell) => profiled(cell).some(({ target }) => target === label)));
  const box = h("div", { class: "cell" });
  const show = (place: string): void => {
    const cell = cells[Number(place)];
    if (cell) box.replaceChildren(h("h3", {}, context.place(cell)), ...ofCell(context, cell));
  };
  show("0");
  const options = cells.map((cell, i) => ({ value: String(i), text: context.place(cell) }));
  return section(
    context,
    "layers",
    { title: words.layers.title, lead: words.layers.lead },
    context.data.page.flames.length > 0 && methodOf(context, "flames"),
    key(context, targets, false),
    ...(cells.length > 1 ? [choice(words.level, options, "0", show)] : []),
    box,
  );
}

export function profiled(cell: Cell): Profiled[] {
  return cell.targets.filter((target): target is Profiled => target.profile != null);
}

/** A layer's name. */
function nameOf(context: Context, layer: Layer): string {
  return context.metric(`layer:${layer}`);
}

function microseconds(context: Context, value: number): string {
  return context.units.text("microseconds", value);
}

function withInterval(context: Context, value: number, interval: Interval | null): string {
  return interval ? `${microseconds(context, value)} ${context.units.interval("microseconds", value, interval)}` : microseconds(context, value);
}

/** A difference with its sign. */
function signed(context: Context, value: number): string {
  const text = microseconds(context, Math.abs(value));
  return value > 0 ? `+${text}` : value < 0 ? `−${text}` : text;
}

function differenceText(context: Context, { more_us, interval }: LayerDifference): string {
  return interval ? `${signed(context, more_us)} ${context.units.interval("microseconds", more_us, interval)}` : signed(context, more_us);
}

/** The layers that any target of a cell spends time on, in their order. */
function layersOf(context: Context, targets: Profiled[]): Layer[] {
  const seen = new Set(targets.flatMap(({ profile }) => profile.layers.map(({ layer }) => layer)));
  const known = context.data.page.metrics.flatMap(({ metric }) => (metric.startsWith("layer:") ? [metric.slice("layer:".length) as Layer] : []));
  return known.filter((layer) => seen.has(layer));
}

function timeOf({ profile }: Profiled, layer: Layer): LayerTime | undefined {
  return profile.layers.find((time) => time.layer === layer);
}

function ofCell(context: Context, cell: Cell): HTMLElement[] {
  const targets = profiled(cell);
  const graph = flames(context, cell);
  return [...spent(context, cell, targets), ...beside(context, cell), ...(graph ? [graph] : []), price(context, cell, targets)];
}

/** What a request spends on each layer. */
function spent(context: Context, cell: Cell, targets: Profiled[]): HTMLElement[] {
  const { words } = context;
  const groups: BarGroup[] = layersOf(context, targets).map((layer) => ({
    name: nameOf(context, layer),
    bars: targets.flatMap((target) => {
      const time = timeOf(target, layer);
      if (!time) return [];
      const text = withInterval(context, time.us, time.interval);
      return [
        {
          value: time.us,
          interval: time.interval,
          look: context.look(context.index(target.target)),
          figure: microseconds(context, time.us),
          readOut: `${target.target}\n${nameOf(context, layer)}${words.colon}${text}\n${percent(time.share)}`,
        },
      ];
    }),
  }));
  const says = targets.map((target) => {
    const times = target.profile.layers.map((time) => `${nameOf(context, time.layer)} ${microseconds(context, time.us)}`);
    return `${target.target}${words.colon}${words.list(times)}`;
  });
  const finding = `${words.layers.byLayer}, ${context.place(cell)}. ${words.sentences(says)}`;
  return [
    figure(context, words.layers.byLayer, chart(finding, (width) => bars(groups, width))),
    tableBeside(context, () => spentTable(context, cell, targets)),
  ];
}

function spentTable(context: Context, cell: Cell, targets: Profiled[]): Table {
  const { layers, colon, none } = context.words;
  const shown = (target: Profiled, layer: Layer): TableCell | string => {
    const time = timeOf(target, layer);
    if (!time) return none;
    const detail = time.interval ? context.units.interval("microseconds", time.us, time.interval) : undefined;
    return { text: microseconds(context, time.us), detail, more: [percent(time.share)], data: { target: target.target, layer } };
  };
  return {
    caption: `${layers.byLayer}${colon}${context.place(cell)}`,
    columns: [layers.layer, ...targets.map((target) => withSwatch(context, target.target))],
    rows: [
      ...layersOf(context, targets).map((layer) => ({ head: nameOf(context, layer), cells: targets.map((target) => shown(target, layer)) })),
      { head: layers.all, cells: targets.map(({ profile }) => microseconds(context, profile.cpu_us)) },
    ],
  };
}

function withSwatch(context: Context, target: string): HTMLElement {
  return h("span", {}, swatch(context, context.index(target), false), target);
}

/** By how much pairs differ; of several the one that is asked for, at first that of the headline. */
function beside(context: Context, cell: Cell): HTMLElement[] {
  const { words } = context;
  const pairs = cell.layers ?? [];
  if (pairs.length === 0) return [];
  const gap = cell.leads.find(({ metric }) => metric === "throughput")?.gap;
  const isOfGap = ({ a, b }: LayersBeside): boolean => gap != null && [a, b].includes(gap.of) && [a, b].includes(gap.over);
  const first = Math.max(0, pairs.findIndex(isOfGap));
  const box = h("div", {});
  const show = (place: string): void => {
    const pair = pairs[Number(place)];
    if (pair) box.replaceChildren(...ofPair(context, cell, pair));
  };
  show(String(first));
  const options = pairs.map((pair, i) => ({ value: String(i), text: pairName(pair) }));
  return [...(pairs.length > 1 ? [choice(words.layers.pair, options, String(first), show)] : []), box];
}

function pairName({ a, b }: LayersBeside): string {
  return `${b} − ${a}`;
}

function ofPair(context: Context, cell: Cell, pair: LayersBeside): HTMLElement[] {
  const { words } = context;
  const title = `${words.layers.differences}${words.colon}${pairName(pair)}`;
  const rows: Difference[] = pair.layers.map((difference) => {
    const text = differenceText(context, difference);
    return {
      name: nameOf(context, difference.layer),
      value: difference.more_us,
      interval: difference.interval,
      isSure: difference.is_sure,
      look: context.look(context.index(difference.more_us > 0 ? pair.b : pair.a)),
      figure: text,
      readOut: `${nameOf(context, difference.layer)}${words.colon}${text}\n${certainty(context, difference)}`,
    };
  });
  const says = pair.layers.map((difference) => `${nameOf(context, difference.layer)} ${differenceText(context, difference)}, ${certainty(context, difference)}`);
  return [
    figure(
      context,
      title,
      chart(`${title}, ${context.place(cell)}. ${words.sentences(says)}`, (width) => differences(rows, width)),
      h("p", { class: "lead" }, words.layers.reads(pair.b)),
    ),
    tableBeside(context, () => ({
      caption: `${title}, ${context.place(cell)}`,
      columns: [words.layers.layer, pairName(pair), words.layers.verdict],
      rows: pair.layers.map((difference) => ({
        head: nameOf(context, difference.layer),
        cells: [
          { text: differenceText(context, difference), data: { pair: pairName(pair), layer: difference.layer } },
          certainty(context, difference),
        ],
      })),
    })),
  ];
}

function certainty({ words: { layers } }: Context, difference: LayerDifference): string {
  return difference.is_sure ? layers.sure : layers.unsure;
}

/** The throughput while a target was profiled beside that of its other slices. */
function price(context: Context, cell: Cell, targets: Profiled[]): HTMLElement {
  const { layers, colon, none, target } = context.words;
  const rate = (value: number | null): string => (value === null ? none : context.units.text("requests-per-second", value));
  const priced: Table = {
    caption: `${layers.price}${colon}${context.place(cell)}`,
    columns: [target, layers.profiled, layers.unprofiled, layers.ratio, layers.samples],
    rows: targets.map(({ target, profile }) => ({
      head: withSwatch(context, target),
      cells: [
        rate(profile.profiled_rps),
        rate(profile.unprofiled_rps),
        profile.throughput_ratio === null
          ? none
          : {
              text: percent(profile.throughput_ratio),
              detail: profile.throughput_interval ? `[${percent(profile.throughput_interval.low)} … ${percent(profile.throughput_interval.high)}]` : undefined,
              data: { target, price: "throughput" },
            },
        { text: thousands(profile.samples), detail: profile.lost > 0 ? layers.lost(thousands(profile.lost)) : undefined },
      ],
    })),
  };
  return table(priced);
}
