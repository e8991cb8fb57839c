// The figures on the page are those of measurements.jsonl. The arithmetic is done here anew, with nothing of the page's.

import { expect, test } from "@playwright/test";
import { type Line, lines, open, openAll } from "./open";

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

test("means and intervals of every target at every load", async ({ page }) => {
  await open(page, "usual");
  await openAll(page);
  const shown = await page.evaluate(() =>
    [...document.querySelectorAll("#throughput td[data-quantity]")].map((cell) => ({
      place: cell.closest("table")!.caption!.textContent!.split(": ")[1]!,
      target: (cell as HTMLElement).dataset["target"]!,
      quantity: (cell as HTMLElement).dataset["quantity"]!,
      text: cell.childNodes[0]!.textContent!,
      detail: cell.querySelector(".detail")?.textContent ?? "",
    })),
  );
  const expected = groups();
  expect(shown.length).toBe(expected.size * 8);
  for (const { place, target, quantity, text, detail } of shown) {
    const found = expected.get(`${place}|${target}`)!;
    const name = `${quantity} of ${target} at ${place}`;
    const values = found.map(({ measurement }) =>
      quantity === "throughput"
        ? measurement!.throughput_rps
        : measurement!.latency_us[quantity as keyof NonNullable<Line["measurement"]>["latency_us"]],
    );
    const { mean, low, high } = geometric(values);
    if (quantity === "max") {
      const { text: most, divisor } = time(Math.max(...values));
      const least = digits(Math.min(...values) / divisor);
      expect(text, name).toBe(least === digits(Math.max(...values) / divisor) ? most : `${least} … ${most}`);
    } else if (quantity === "throughput") {
      expect(text, name).toBe(`${digits(mean)} requests/s`);
      expect(detail, name).toBe(`[${digits(low)} … ${digits(high)}]`);
    } else {
      const { text: expected, divisor } = time(mean);
      expect(text, name).toBe(expected);
      expect(detail, name).toBe(`[${digits(low / divisor)} … ${digits(high / divisor)}]`);
    }
  }
});

test("every single round", async ({ page }) => {
  await open(page, "usual");
  await openAll(page);
  const tables = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLTableElement>("#throughput table")]
      .filter((table) => table.caption!.textContent!.startsWith("Each round"))
      .map((table) => ({
        place: table.caption!.textContent!.split(": ")[1]!,
        rows: [...table.tBodies[0]!.rows].map((row) => [...row.cells].map((cell) => cell.textContent!)),
      })),
  );
  let compared = 0;
  for (const line of lines("usual")) {
    const rows = tables.find((table) => table.place === place(line))!.rows;
    const row = rows.find(([head]) => head === `${line.target}, round ${line.round}`)!;
    if (line.measurement === null) {
      expect(row.slice(1).every((text) => text === "–")).toBe(true);
      continue;
    }
    const { throughput_rps: throughput, latency_us: us } = line.measurement;
    const times = [us.mean, us.p50, us.p90, us.p95, us.p99, us.p999, us.max].map((value) => time(value).text);
    expect(row.slice(1)).toEqual([`${digits(throughput)} requests/s`, ...times]);
    compared += 1;
  }
  expect(compared).toBe(119);
});

test("ratios of pairs, over the rounds that both have", async ({ page }) => {
  await open(page, "usual");
  await openAll(page);
  const shown = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("#verdict td[data-pair]")].map((cell) => ({
      ...(cell.dataset as { pair: string; metric: string; place: string }),
      text: cell.childNodes[0]!.textContent!,
    })),
  );
  // Eight cells, three pairs, five metrics.
  expect(shown.length).toBe(8 * 3 * 5);
  const all = groups();
  for (const { pair, metric, place, text } of shown) {
    const [of, over] = pair.split(" / ") as [string, string];
    const figure = (line: Line): number =>
      metric === "throughput"
        ? line.measurement!.throughput_rps
        : line.measurement!.latency_us[metric as "mean" | "p50" | "p99" | "p999"];
    const seconds = new Map(all.get(`${place}|${over}`)!.map((line) => [line.round, figure(line)]));
    const ratios = all
      .get(`${place}|${of}`)!
      .flatMap((line) => (seconds.has(line.round) ? [figure(line) / seconds.get(line.round)!] : []));
    expect(text.split(" ")[0], `${metric} of ${pair} at ${place}`).toBe(Math.exp(logs(ratios).mean).toFixed(3));
  }
});

test("windows are those of the measurements", async ({ page }) => {
  await open(page, "usual");
  await openAll(page);
  const first = lines("usual")[0] as Line & { measurement: { windows: { responses: number; duration_s: number }[] } };
  const row = page.locator("#windows table", { hasText: `Each window, requests/s: ${place(first)}` }).locator("tbody tr").first();
  const texts = await row.locator("td").allTextContents();
  expect(texts).toEqual(
    first.measurement.windows.map(({ responses, duration_s }) => {
      // Points are kept with four digits and shown with three.
      return digits(Number((responses / duration_s).toPrecision(4)));
    }),
  );
});
