// The figures on the page are those of measurements.jsonl. The arithmetic is done here anew, with nothing of the page's.

import { expect, test } from "@playwright/test";
import { type Line, lines, openAll, share, tables } from "./open";

/** 97.5% quantiles of Student's t at 4 degrees of freedom (five rounds) and at 3. */
const T: Record<number, number> = { 5: 2.7764, 4: 3.1824 };

function place(line: Line): string {
  const grouped = (value: number): string => value.toLocaleString("en-US");
  const level = line.load.kind === "closed" ? `${grouped(line.load.connections)} connections` : `${grouped(line.load.rate)}/s`;
  return `${line.workload}, ${level}`;
}

/** Three significant digits, with separators from 100 on; one in the middle goes to the even digit, as in Rust. */
function digits(value: number): string {
  const up = Number(value.toPrecision(3));
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2);
  const isTie = Math.abs(value / unit - Math.floor(value / unit) - 0.5) < 1e-9 && Number.isInteger(value);
  const shown = isTie && Math.floor(value / unit) % 2 === 0 ? Math.floor(value / unit) * unit : up;
  return shown >= 100 ? shown.toLocaleString("en-US") : shown.toPrecision(3);
}

function time(us: number): { text: string; divisor: number } {
  const shown = Number(us.toPrecision(3));
  const [divisor, unit] = shown < 1e3 ? [1, "µs"] : shown < 1e6 ? [1e3, "ms"] : [1e6, "s"];
  return { text: `${digits(us / divisor)} ${unit}`, divisor };
}

function logs(values: number[]): { mean: number; half: number } {
  const all = values.map(Math.log);
  const mean = all.reduce((a, b) => a + b) / all.length;
  const sd = Math.sqrt(all.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (all.length - 1));
  return { mean, half: (T[all.length] ?? NaN) * (sd / Math.sqrt(all.length)) };
}

function geometric(values: number[]): { mean: number; low: number; high: number } {
  const { mean, half } = logs(values);
  return { mean: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}

/** All measurements by cell and target. */
function groups(): Map<string, Line[]> {
  const groups = new Map<string, Line[]>();
  for (const line of lines("usual")) {
    if (!line.measurement) continue;
    const name = `${place(line)}|${line.target}`;
    groups.set(name, [...(groups.get(name) ?? []), line]);
  }
  return groups;
}

/** The place in a heading such as `plaintext (GET /plaintext), 8 connections`. */
function placeOf(name: string): string {
  return name.split("|")[0]!.replace(/ \(.*?\), /, ", ");
}

const QUANTITIES = ["throughput", "mean", "p50", "p90", "p95", "p99", "p999", "max"] as const;

const shared = share("usual");
test.beforeAll(() => openAll(shared.page));

test("means and intervals of every server at every load", async () => {
  const { page } = shared;
  const shown = (await tables(page, "#throughput")).filter(({ name }) => name.endsWith("|Table"));
  const expected = groups();
  let compared = 0;
  for (const { name: heading, rows } of shown) {
    for (const [server, ...cells] of rows) {
      const found = expected.get(`${placeOf(heading)}|${server![0]}`)!;
      QUANTITIES.forEach((quantity, i) => {
        const [text, detail] = cells[i]!;
        const name = `${quantity} of ${server![0]} at ${heading}`;
        const values = found.map(({ measurement }) => (quantity === "throughput" ? measurement!.throughput_rps : measurement!.latency_us[quantity]));
        const { mean, low, high } = geometric(values);
        if (quantity === "max") {
          const { text: most, divisor } = time(Math.max(...values));
          const least = digits(Math.min(...values) / divisor);
          expect(text, name).toBe(least === digits(Math.max(...values) / divisor) ? most : `${least} … ${most}`);
        } else if (quantity === "throughput") {
          expect(text!.replace(" *", ""), name).toBe(digits(mean));
          expect(detail, name).toBe(`[${digits(low)} … ${digits(high)}]`);
        } else {
          const { text: expected, divisor } = time(mean);
          expect(text, name).toBe(expected);
          expect(detail, name).toBe(`[${digits(low / divisor)} … ${digits(high / divisor)}]`);
        }
        compared += 1;
      });
    }
  }
  expect(compared).toBe(expected.size * 8);
});

test("every single round", async () => {
  const { page } = shared;
  const shown = (await tables(page, "#throughput")).filter(({ name }) => name.endsWith("|Each round"));
  let compared = 0;
  for (const line of lines("usual")) {
    const { rows } = shown.find(({ name }) => placeOf(name) === place(line))!;
    const row = rows.find(([head]) => head![0] === `${line.target}, round ${line.round}`)!.slice(1).map(([text]) => text);
    if (line.measurement === null) {
      expect(row.every((text) => text === "–")).toBe(true);
      continue;
    }
    const { throughput_rps: throughput, latency_us: us } = line.measurement;
    const times = [us.mean, us.p50, us.p90, us.p95, us.p99, us.p999, us.max].map((value) => time(value).text);
    expect(row).toEqual([digits(throughput), ...times]);
    compared += 1;
  }
  expect(compared).toBe(119);
});

test("ratios of pairs, over the rounds that both have", async () => {
  const { page } = shared;
  const shown = (await tables(page, "#verdicts")).filter(({ name }) => name.includes("Verdicts: "));
  const all = groups();
  let compared = 0;
  for (const { name, rows } of shown) {
    const at = name.split("Verdicts: ")[1]!;
    for (const [head, ratio] of rows) {
      const [metric, pair] = head![0]!.split(/, (?=[^,]* \/ )/) as [string, string];
      const [of, over] = pair.split(" / ") as [string, string];
      const figure = ({ measurement, server }: Line): number => {
        if (metric === "throughput") return measurement!.throughput_rps;
        if (metric === "CPU") return server!.cpu_user_us_per_request + server!.cpu_system_us_per_request;
        return measurement!.latency_us[metric.replace(".", "") as "mean" | "p50" | "p99" | "p999"];
      };
      const seconds = new Map(all.get(`${at}|${over}`)!.map((line) => [line.round, figure(line)]));
      const ratios = all.get(`${at}|${of}`)!.flatMap((line) => (seconds.has(line.round) ? [figure(line) / seconds.get(line.round)!] : []));
      expect(ratio![0], `${metric} of ${pair} at ${at}`).toBe(Math.exp(logs(ratios).mean).toFixed(3));
      compared += 1;
    }
  }
  // Eight cells, three pairs, six metrics.
  expect(compared).toBe(8 * 3 * 6);
});

test("windows are those of the measurements", async () => {
  const { page } = shared;
  const first = lines("usual")[0] as Line & { measurement: { windows: { responses: number; duration_s: number }[] } };
  const figure = page.locator("#windows .option figure", { hasText: place(first) }).first();
  const texts = await figure.locator("tbody tr", { hasText: `${first.target}, round ${first.round}` }).first().locator("td").allTextContents();
  // Points are kept with four digits and shown with three.
  expect(texts).toEqual(first.measurement.windows.map(({ responses, duration_s }) => digits(Number((responses / duration_s).toPrecision(4)))));
});
