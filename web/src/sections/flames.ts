// Flame graphs: the stacks of one target, and by how much two targets differ in each frame.

import { flame, type FlameWords, type Frame } from "../charts/flame";
import type { Context } from "../context";
import { disclosure, h } from "../dom";
import { percent } from "../format";
import type { Cell, Flames, FlamesBeside } from "../types";

/** The flame graph of a cell, to be opened; nothing where no stacks were kept. */
export function flames(context: Context, cell: Cell): HTMLElement | null {
  const { words } = context;
  const place = context.comparison.cells.indexOf(cell);
  const stacks = context.data.page.flames.find((one) => one.cell === place);
  if (!stacks) return null;
  return disclosure(words.flames.title, () => content(context, cell, stacks), { class: "beside flames" });
}

function content(context: Context, cell: Cell, stacks: Flames): HTMLElement {
  const { words } = context;
  const box = h("div", {});
  const labels = stacks.targets.map((target) => context.targets[target] ?? "");
  const options = [
    ...labels.map((label, i) => ({ text: label, show: () => alone(context, cell, stacks, i, label) })),
    ...stacks.pairs.map((pair) => {
      const [a, b] = [labels[pair.a] ?? "", labels[pair.b] ?? ""];
      return { text: `${b} − ${a}`, show: () => beside(context, cell, stacks, pair, [a, b]) };
    }),
  ];
  const first = options.length > labels.length ? labels.length : 0;
  const select = h("select", {}, ...options.map(({ text }, i) => h("option", { value: i, selected: i === first }, text)));
  const show = (): void => box.replaceChildren(...(options[Number(select.value)]?.show() ?? []));
  select.addEventListener("change", show);
  show();
  return h("div", {}, h("label", { class: "flame-of" }, words.flames.of, " ", select), box);
}

function name(context: Context, stacks: Flames, frame: number): string {
  return frame === 0 ? context.words.flames.all : (stacks.names[stacks.frames[frame] ?? 0] ?? "");
}

function us(context: Context, value: number): string {
  return context.units.text("microseconds", value);
}

/** A frame's colour by its module, so that one module's frames belong together. */
function colour(name: string): string {
  const module = name.split("`")[0] ?? "";
  if (module === "kernel") return "var(--flame-kernel)";
  return /^\[/.test(module) ? "var(--flame-unknown)" : "var(--flame-program)";
}

function wordsOf({ words: { flames } }: Context, name: string): FlameWords {
  return { name, search: flames.search, reset: flames.reset, keys: flames.keys, found: flames.found };
}

function alone(context: Context, cell: Cell, stacks: Flames, target: number, label: string): HTMLElement[] {
  const { flames, colon } = context.words;
  const spent = stacks.us[target] ?? [];
  const all = spent[0] ?? 0;
  const frames: Frame[] = stacks.callers.map((caller, frame) => {
    const of = name(context, stacks, frame);
    const width = spent[frame] ?? 0;
    return { caller, name: of, width, fill: colour(of), says: `${of}${colon}${us(context, width)}, ${percent(all > 0 ? width / all : 0)}` };
  });
  return [h("p", { class: "lead" }, flames.width), flame(frames, wordsOf(context, `${flames.title}${colon}${label}, ${context.place(cell)}`), percent)];
}

function beside(context: Context, cell: Cell, stacks: Flames, pair: FlamesBeside, [a, b]: [string, string]): HTMLElement[] {
  const { flames, colon } = context.words;
  const of = (target: number, frame: number): number => stacks.us[target]?.[frame] ?? 0;
  const found = new Map(pair.frames.map((frame, i) => [frame, i]));
  const frames: Frame[] = stacks.callers.map((caller, frame) => {
    const [first, second] = [of(pair.a, frame), of(pair.b, frame)];
    const at = found.get(frame);
    const more = at === undefined ? second - first : (pair.more_us[at] ?? 0);
    const [low, high] = at === undefined ? [null, null] : [pair.low[at] ?? null, pair.high[at] ?? null];
    const isSure = at !== undefined && pair.is_sure[at] === true;
    const sign = more > 0 ? "+" : more < 0 ? "−" : "";
    const interval = low === null || high === null ? "" : ` ${context.units.interval("microseconds", more, { low, high })}`;
    const outcome = at === undefined ? flames.small : isSure ? flames.sure : flames.unsure;
    return {
      caller,
      name: name(context, stacks, frame),
      width: (first + second) / 2,
      fill: isSure ? (more > 0 ? "var(--flame-more)" : "var(--flame-less)") : "var(--flame-same)",
      says: `${name(context, stacks, frame)}${colon}${a} ${us(context, first)}, ${b} ${us(context, second)}; ${sign}${us(context, Math.abs(more))}${interval}, ${outcome}`,
    };
  });
  const key = (colour: string, text: string): HTMLElement => {
    const swatch = h("span", { class: "flame-key", "aria-hidden": "true" });
    swatch.style.setProperty("--colour", colour);
    return h("span", {}, swatch, text);
  };
  return [
    h("p", { class: "lead" }, flames.both),
    h("p", { class: "flame-keys" }, key("var(--flame-more)", flames.more(b)), key("var(--flame-less)", flames.more(a)), key("var(--flame-same)", flames.same)),
    flame(frames, wordsOf(context, `${flames.title}${colon}${b} − ${a}, ${context.place(cell)}`), percent),
  ];
}
