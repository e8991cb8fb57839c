// How a flame graph is walked: it is clicked to zoom, searched, walked with the arrow keys, and shows another server's stacks. The
// boxes are those of the document; this moves them and changes their widths.

import { h } from "./dom";
import { interval, percent, thousands, time } from "./format";
import { inLanguage, say, spoken, word } from "./language";
import type { Data, FlameChoice, FlameGraph, JudgedFrame } from "./types";

/** The height of a row; the drawing in crates/report/src/html/flame.rs has the same. */
const ROW = 19;

/** Frames with a smaller share of the width are not shown. */
const LEAST = 0.0006;

interface Box {
  frame: number;
  left: number;
  width: number;
  depth: number;
}

export function flames(data: Data): void {
  for (const root of document.querySelectorAll<HTMLElement>("[data-flame]")) {
    const graph = data.flames[Number(root.dataset["flame"])];
    if (graph) new Flame(root, graph);
  }
}

class Flame {
  private readonly box: HTMLElement;
  private readonly svg: SVGSVGElement;
  private readonly frames: SVGSVGElement[];
  private readonly names: string[];
  private readonly called: number[][];
  private readonly status = h("p", { class: "flame-says", "aria-live": "polite" });
  private readonly found = h("span", { role: "status" });
  private readonly search = h("input", { type: "search", maxlength: 200 });
  private readonly lead: HTMLElement;
  private option: FlameChoice;
  private judged = new Map<number, JudgedFrame>();
  private widths: number[] = [];
  private boxes: Box[] = [];
  private root = 0;
  private chosen = 0;

  constructor(
    element: HTMLElement,
    private readonly graph: FlameGraph,
  ) {
    this.box = element.querySelector<HTMLElement>(".flame")!;
    this.svg = this.box.querySelector("svg")!;
    this.frames = [...this.svg.querySelectorAll<SVGSVGElement>(":scope > svg")];
    this.names = this.frames.map((frame) => frame.querySelector("text")?.textContent ?? "");
    this.lead = element.querySelector<HTMLElement>(".muted")!;
    this.called = graph.callers.map(() => []);
    graph.callers.forEach((caller, frame) => caller !== null && this.called[caller]?.push(frame));
    const byName = (a: number, b: number): number => (this.names[a]! < this.names[b]! ? -1 : this.names[a]! > this.names[b]! ? 1 : a - b);
    for (const list of this.called) list.sort(byName);
    this.option = graph.options[graph.first]!;
    element.querySelector(".flame-name")?.replaceWith(this.tools());
    this.box.after(this.status);
    this.listen();
    this.show(this.option);
    inLanguage(() => {
      this.lead.textContent = say(this.option.lead);
      this.say(this.chosen);
    });
  }

  private tools(): HTMLElement {
    const options = this.graph.options.map(({ name }, i) => h("option", { value: i, selected: i === this.graph.first }, say(name)));
    const select = h("select", {}, ...options);
    select.addEventListener("change", () => this.show(this.graph.options[Number(select.value)]!));
    const reset = spoken(h("button", { type: "button", click: () => this.reset() }), "reset");
    inLanguage(() => {
      this.search.placeholder = word("search");
      this.search.setAttribute("aria-label", word("search"));
      select.setAttribute("aria-label", word("stacks_of"));
    });
    return h("div", { class: "flame-tools" }, h("label", {}, spoken(h("span"), "stacks_of"), " ", select), this.search, reset, this.found);
  }

  private listen(): void {
    const { box } = this;
    box.tabIndex = 0;
    box.addEventListener("keydown", (event) => {
      if (event.key.startsWith("Arrow")) this.choose(this.step(event.key));
      else if (event.key === "Enter") this.zoom(this.chosen);
      else if (event.key === "Escape") this.zoom(this.graph.callers[this.root] ?? 0);
      else return;
      event.preventDefault();
    });
    const under = ({ target }: Event): number => (target instanceof Element ? this.frames.indexOf(target.closest("svg") as SVGSVGElement) : -1);
    const on = (event: Event, act: (frame: number) => void): void => {
      const frame = under(event);
      if (frame >= 0) act(frame);
    };
    box.addEventListener("focus", () => this.say(this.chosen));
    box.addEventListener("click", (event) => on(event, (frame) => this.zoom(frame)));
    box.addEventListener("pointermove", (event) => on(event, (frame) => this.say(frame)));
    box.addEventListener("pointerleave", () => this.say(this.chosen));
    this.search.addEventListener("input", () => this.find());
  }

  private us(server: number, frame: number): number {
    return this.graph.us[server]?.[frame] ?? 0;
  }

  /** Shows a server's stacks, or how two differ. */
  private show(option: FlameChoice): void {
    this.option = option;
    this.judged = new Map(option.differences.map((judged) => [judged[0], judged]));
    const { of, and } = option;
    this.widths = this.frames.map((_, frame) => (and === null ? this.us(of, frame) : (this.us(of, frame) + this.us(and, frame)) / 2));
    this.frames.forEach((frame, i) => frame.querySelector("rect")?.setAttribute("class", this.colour(i)));
    this.lead.textContent = say(option.lead);
    this.zoom(0);
  }

  /** The colour's class: by module, or by who certainly spends more. */
  private colour(frame: number): string {
    if (this.option.and !== null) {
      const judged = this.judged.get(frame);
      return judged?.[4] ? (judged[1] > 0 ? "more" : "less") : "same";
    }
    const module = this.names[frame]!.split("`")[0]!;
    return module === "kernel" ? "kernel" : module.startsWith("[") ? "unknown" : "program";
  }

  /** The frame that is zoomed to has the whole width, and its callers below it. */
  private zoom(frame: number): void {
    this.root = frame;
    this.boxes = [];
    const callers: number[] = [];
    for (let at = this.graph.callers[frame] ?? null; at !== null; at = this.graph.callers[at] ?? null) callers.unshift(at);
    callers.forEach((caller, depth) => this.boxes.push({ frame: caller, left: 0, width: 1, depth }));
    const all = this.widths[frame] ?? 0;
    const put = (at: number, left: number, depth: number): void => {
      const width = all > 0 ? this.widths[at]! / all : 0;
      if (width < LEAST) return;
      this.boxes.push({ frame: at, left, width, depth });
      let from = left;
      for (const other of this.called[at]!) {
        put(other, from, depth + 1);
        from += all > 0 ? this.widths[other]! / all : 0;
      }
    };
    put(frame, 0, callers.length);
    this.place(callers.length);
    this.choose(frame);
  }

  private place(callers: number): void {
    const height = (Math.max(0, ...this.boxes.map((box) => box.depth)) + 1) * ROW;
    this.svg.setAttribute("height", String(height));
    for (const frame of this.frames) frame.setAttribute("display", "none");
    for (const { frame, left, width, depth } of this.boxes) {
      const box = this.frames[frame]!;
      box.removeAttribute("display");
      box.setAttribute("x", `${left * 100}%`);
      box.setAttribute("width", `${width * 100}%`);
      box.setAttribute("y", String(height - (depth + 1) * ROW));
      box.classList.toggle("caller", depth < callers);
    }
  }

  private choose(frame: number): void {
    this.frames[this.chosen]?.classList.remove("chosen");
    this.chosen = frame;
    this.frames[frame]?.classList.add("chosen");
    this.say(frame);
  }

  private say(frame: number): void {
    const name = frame === 0 ? word("all") : this.names[frame]!;
    const colon = word("colon");
    const { of, and } = this.option;
    const first = this.us(of, frame);
    if (and === null) {
      const all = this.us(of, 0);
      this.status.textContent = `${name}${colon}${time(first)}, ${percent(all > 0 ? first / all : 0)}`;
      return;
    }
    const second = this.us(and, frame);
    const [, more, low, high, isSure] = this.judged.get(frame) ?? [frame, second - first, null, null, null];
    const sign = more > 0 ? "+" : more < 0 ? "−" : "";
    const bounds = low === null || high === null ? "" : ` ${interval(more, low, high)}`;
    const outcome = word(isSure === null ? "too_small" : isSure ? "certain" : "not_certain");
    const [a, b] = [this.graph.servers[of] ?? "", this.graph.servers[and] ?? ""];
    this.status.textContent = `${name}${colon}${a} ${time(first)}, ${b} ${time(second)}; ${sign}${time(Math.abs(more))}${bounds}, ${outcome}`;
  }

  private step(key: string): number {
    const at = this.boxes.find((box) => box.frame === this.chosen);
    if (!at) return this.root;
    if (key === "ArrowDown") return this.graph.callers[this.chosen] ?? this.chosen;
    if (key === "ArrowUp") {
      const called = this.boxes.filter((box) => this.graph.callers[box.frame] === this.chosen);
      return called.sort((a, b) => b.width - a.width)[0]?.frame ?? this.chosen;
    }
    const row = this.boxes.filter((box) => box.depth === at.depth).sort((a, b) => a.left - b.left);
    return row[row.indexOf(at) + (key === "ArrowRight" ? 1 : -1)]?.frame ?? this.chosen;
  }

  private reset(): void {
    this.search.value = "";
    this.find();
    this.zoom(0);
  }

  private find(): void {
    const searched = this.search.value.toLowerCase();
    const isIn = this.frames.map(() => false);
    let [sum, count] = [0, 0];
    this.frames.forEach((frame, i) => {
      const caller = this.graph.callers[i] ?? null;
      const inside = caller !== null && isIn[caller]!;
      const matches = searched !== "" && this.names[i]!.toLowerCase().includes(searched);
      frame.classList.toggle("found", matches);
      // What is called from a match counts with it.
      isIn[i] = inside || matches;
      if (matches) count += 1;
      if (matches && !inside) sum += this.widths[i]!;
    });
    const share = percent((this.widths[0] ?? 0) > 0 ? sum / this.widths[0]! : 0);
    this.found.textContent = searched === "" ? "" : `${thousands(count)} ${word(count === 1 ? "frame" : "frames")}, ${share} ${word("of_cpu_time")}`;
  }
}
