// Reads out the figure that is nearest to the pointer, to a finger, or to where the arrow keys are. It moves no mark.

import { h } from "./dom";
import { amount, number } from "./format";
import { say, word } from "./language";
import type { Data, ReadOuts } from "./types";

/** A place to read out, in pixels from the chart's corner. */
interface Place {
  x: number;
  y: number;
  text: string;
}

/** How far the pointer may be from what it reads out. */
const NEAR = 60;

/** Says what the arrow keys read out to readers who do not see it. */
const heard = h("div", { class: "unseen", "aria-live": "polite" });

export function readOuts(data: Data): void {
  document.body.append(heard);
  for (const chart of document.querySelectorAll<HTMLElement>(".chart")) {
    if (!chart.querySelector("[data-series]")) continue;
    new Chart(chart, data);
  }
}

/** What is read out at the `index`th place of a series. */
export function valueAt({ values }: ReadOuts, index: number): string {
  if (Array.isArray(values)) return say(values[index] ?? "");
  // Times without a value have no place.
  const [at, value] = values.values.flatMap((value, i) => (value === null ? [] : [[i, value] as const]))[index] ?? [0, NaN];
  return `${number(values.from_s + at * values.step_s)} s${word("colon")}${amount(value, values.is_time)}`;
}

class Chart {
  private at = -1;
  private shown: Place[] = [];
  private readonly tip = h("div", { class: "tip", "aria-hidden": "true" });

  constructor(
    private readonly chart: HTMLElement,
    private readonly data: Data,
  ) {
    chart.tabIndex = 0;
    chart.append(this.tip);
    chart.addEventListener("pointermove", (event) => this.nearest(event));
    chart.addEventListener("pointerdown", (event) => this.nearest(event));
    // A finger that is lifted leaves what it asked for.
    chart.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.hide());
    chart.addEventListener("focus", () => (this.shown = this.places()));
    chart.addEventListener("blur", () => this.leave());
    chart.addEventListener("keydown", (event) => {
      if (this.pressed(event.key)) event.preventDefault();
    });
  }

  private places(): Place[] {
    const box = this.chart.getBoundingClientRect();
    return [...this.chart.querySelectorAll<SVGGElement>("[data-series]")].flatMap((group) => {
      const svg = group.closest<SVGSVGElement>("svg.strip, svg.drawing");
      if (!svg) return [];
      const { left, top, width } = svg.getBoundingClientRect();
      const aside = Number(/translate\((-?[\d.]+)/.exec(group.getAttribute("transform") ?? "")?.[1] ?? 0);
      return drawn(group).map(([x, y], index) => ({
        x: left - box.left + (x / 100) * width + aside,
        y: top - box.top + y,
        text: this.text(group, index),
      }));
    });
  }

  /** What is read out at the `index`th place of a group: a value of its series, or the words of its row. */
  private text(group: SVGGElement, index: number): string {
    const series = this.data.series[Number(group.dataset["series"] || NaN)];
    if (series) return `${say(this.data.names[series.name] ?? "")}\n${valueAt(series, index)}`;
    return (group.closest<HTMLElement>(".row")?.innerText ?? "").trim();
  }

  private nearest(event: PointerEvent): void {
    const box = this.chart.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const places = this.places();
    const isRows = this.chart.classList.contains("rows");
    // Rows are told by their height alone.
    const away = (place: Place): number => Math.hypot(isRows ? (place.x - x) / 1000 : place.x - x, place.y - y);
    const found = places.reduce<Place | null>((best, place) => (best === null || away(place) < away(best) ? place : best), null);
    if (found === null || away(found) > NEAR) this.hide();
    else {
      const sameRow = isRows ? places.filter((place) => Math.abs(place.y - found.y) < 1) : [found];
      this.show(sameRow.reduce((best, place) => (Math.abs(place.x - x) < Math.abs(best.x - x) ? place : best)));
    }
  }

  private show({ x, y, text }: Place): void {
    this.tip.textContent = text;
    this.tip.style.display = "block";
    const room = this.chart.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(room, x - this.tip.offsetWidth / 2))}px`;
    this.tip.style.top = `${y + 14}px`;
  }

  private hide(): void {
    this.tip.textContent = "";
    this.tip.style.display = "";
  }

  private leave(): void {
    this.at = -1;
    this.hide();
  }

  /** Whether the key meant something to the chart. */
  private pressed(key: string): boolean {
    if (this.shown.length === 0) this.shown = this.places();
    const last = this.shown.length - 1;
    const steps: Record<string, number> = { ArrowRight: this.at + 1, ArrowDown: this.at + 1, ArrowLeft: this.at - 1, ArrowUp: this.at - 1, Home: 0, End: last };
    if (key === "Escape") this.leave();
    const to = steps[key];
    if (to === undefined) return false;
    this.at = Math.max(0, Math.min(last, to));
    const place = this.shown[this.at];
    if (!place) return false;
    this.show(place);
    heard.textContent = place.text;
    return true;
  }
}

/** Where the figures of a group are drawn: percent across and pixels down. */
function drawn(group: SVGGElement): [x: number, y: number][] {
  const path = group.querySelector("path");
  if (path) {
    // Each point is given from the one before.
    const steps = (path.getAttribute("d") ?? "").match(/-?[\d.]+/g)?.map(Number) ?? [];
    let [x, y] = [0, 0];
    return Array.from({ length: steps.length / 2 }, (_, i) => [(x += steps[2 * i]!) / 10, (y += steps[2 * i + 1]!)]);
  }
  return [...group.querySelectorAll("use")].map((mark) => [parseFloat(mark.getAttribute("x")!), parseFloat(mark.getAttribute("y")!)]);
}
