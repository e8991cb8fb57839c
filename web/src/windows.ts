// The table of a figure that is read over time, made when it is opened: the document would be much larger with it.

import { h } from "./dom";
import { amount, number } from "./format";
import { say, spoken } from "./language";
import type { Data, ReadOuts, Words } from "./types";

type Regular = Exclude<ReadOuts["values"], unknown[]>;

export function windows(data: Data): void {
  for (const figure of document.querySelectorAll<HTMLElement>("#windows figure")) {
    const groups = [...figure.querySelectorAll<SVGGElement>("[data-series]")];
    const series = groups.flatMap((group) => data.series[Number(group.dataset["series"])] ?? []).filter(isMeasured);
    if (series.length === 0) continue;
    const names = data.names;
    const details = h("details", { class: "fold" }, spoken(h("summary"), "values"));
    details.addEventListener("toggle", () => {
      if (details.open && details.childElementCount === 1) details.append(table(series, names));
    });
    figure.append(details);
  }
}

/** Whether it is a measurement: warm-ups lie before zero. */
function isMeasured(series: ReadOuts): series is ReadOuts & { values: Regular } {
  return !Array.isArray(series.values) && series.values.from_s >= 0;
}

function table(all: (ReadOuts & { values: Regular })[], names: Words[]): HTMLElement {
  const longest = all.reduce((a, b) => (b.values.values.length > a.values.values.length ? b : a)).values;
  const { from_s, step_s, is_time } = longest;
  const starts = longest.values.map((_, i) => `${number(from_s - step_s / 2 + i * step_s)} s`);
  const cell = (value: number | null | undefined): HTMLElement => h("td", {}, value == null ? "–" : is_time ? amount(value, true) : number(value));
  const head = h("tr", {}, h("th"), ...starts.map((start) => h("th", { scope: "col" }, start)));
  const rows = all.map(({ name, values }) => h("tr", {}, h("th", { scope: "row" }, say(names[name] ?? "")), ...starts.map((_, i) => cell(values.values[i]))));
  return h("div", { class: "scroll", tabindex: 0 }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)));
}
