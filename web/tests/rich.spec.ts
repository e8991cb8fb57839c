// What only some runs have: a noise floor, the scalability law, levels out of line, overloads, added rounds, notes.

import { expect, type Page, test } from "@playwright/test";
import { type Line, lines, open, openDetails, share, type Shown, tables } from "./open";

/** 97.5% quantile of Student's t at 6 degrees of freedom: seven rounds. */
const T = 2.4469;

function throughputs(target: string, workload: string, level: number): number[] {
  const isAt = ({ load }: Line): boolean => (load.kind === "closed" ? load.connections : load.rate) === level;
  return lines("rich")
    .filter((line) => line.target === target && line.workload === workload && isAt(line))
    .map((line) => line.measurement!.throughput_rps);
}

/** The verdicts at a place. */
async function verdicts(page: Page, place: string): Promise<Shown> {
  await openDetails(page, "#verdicts");
  return (await tables(page, "#verdicts")).find(({ name }) => name.includes(`Verdicts: ${place}`))!;
}

const shared = share("rich");

test("the noise floor stands beside the verdicts, as the rounds give it", async () => {
  const { page } = shared;
  const pairs = throughputs("event-loop", "plaintext", 8);
  const again = throughputs("event-loop-again", "plaintext", 8);
  const logs = pairs.map((value, i) => Math.log(value / again[i]!));
  const mean = logs.reduce((a, b) => a + b) / logs.length;
  const half = (T * Math.sqrt(logs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (logs.length - 1))) / Math.sqrt(logs.length);
  const ratio = (value: number): string => Math.exp(value).toFixed(3);
  const picture = page.locator("#verdict figure:visible", { hasText: "plaintext, 8 connections" }).first();
  await expect(picture).toContainText(`${ratio(mean)} [${ratio(mean - half)} … ${ratio(mean + half)}]`);
  const reach = Math.exp(Math.max(Math.abs(mean - half), Math.abs(mean + half))) - 1;
  await expect(picture).toContainText(`±${(reach * 100).toFixed(1)}%`);
  await expect(picture.locator(".unseen")).toContainText(/event-loop against itself: throughput differed by/);
  await expect(picture).toContainText("against itself (A/A)");
  const { columns, rows } = await verdicts(page, "plaintext, 8 connections");
  expect(columns).toContain("noise floor (A/A)");
  expect(rows[0]![columns.indexOf("noise floor (A/A)")]![0]).toMatch(/%/);
});

test("a verdict no larger than the noise is marked, and no other", async () => {
  const { page } = shared;
  const rows = await page.locator("#verdict figure .row:not(.scale)").evaluateAll((all) =>
    all.map((row) => {
      const chart = row.closest(".chart")!;
      const floor = [...chart.querySelectorAll<HTMLElement>(".row")].map((other) => other.innerText).find((text) => text.includes("±"));
      const notes = (row.closest("figure")!.querySelector(".cautions")?.textContent ?? "").split("\n").join(" ");
      return { text: (row as HTMLElement).innerText, reach: Number(/±([\d.]+)%/.exec(floor ?? "")?.[1]), notes };
    }),
  );
  let marked = 0;
  for (const { text, reach } of rows) {
    if (!text.includes("ahead")) continue;
    const ratio = Number(/(\d+\.\d+) \[/.exec(text)?.[1]);
    const size = (Math.max(ratio, 1 / ratio) - 1) * 100;
    // What is shown is rounded.
    if (Math.abs(size - reach) < 0.2) continue;
    if (size < reach) {
      expect(text, text).toContain("†");
      marked += 1;
    }
  }
  expect(rows.some(({ notes }) => notes.includes("within the noise floor"))).toBe(true);
  expect(marked).toBeGreaterThan(0);
});

test("the law's peak is that of its coefficients, and is drawn", async () => {
  const { page } = shared;
  // N* = √((1 − α) / β): √(0.98 / 0.00003) = 180.7 and √(0.97 / 0.00006) = 127.1.
  for (const [target, peak] of [["event-loop", 180.7], ["quarkus", 127.1]] as const) {
    const says = await page.locator("#load .list li", { hasText: `${target}: ` }).first().innerText();
    const [, low, high] = /\[(\d+) … (\d+)\]/.exec(says)!.map(Number) as [number, number, number];
    expect(low - 1).toBeLessThanOrEqual(peak);
    expect(high + 1).toBeGreaterThanOrEqual(peak);
    const row = page.locator("#load table", { hasText: "contention" }).first().locator("tr", { hasText: target }).first();
    await expect(row).toContainText("requests/s");
    await expect(row).toContainText(`[${low} … ${high}]`);
  }
  await expect(page.locator("#load .list").first()).toContainText("tio-boot@virtual-threads: the figures do not show a peak");
  await expect(page.locator("#methods")).toContainText("γN / (1 + α(N − 1) + βN(N − 1))");
});

test("an outlier is ringed and named, with what was expected", async () => {
  const { page } = shared;
  await expect(page.locator("#load .list .bad")).toHaveCount(1);
  await expect(page.locator("#load .list .bad")).toContainText("tio-boot@virtual-threads, echo-5120, 50 connections");
  await expect(page.locator("#load use.ring")).toHaveCount(1);
  await openDetails(page, "#load");
  await expect(page.locator("#load td", { hasText: "expected from its other levels" })).toHaveCount(1);
});

test("of an overloaded level the rates are shown, and no response time", async () => {
  const { page } = shared;
  await openDetails(page, "#throughput");
  const achieved = throughputs("quarkus", "paced", 150_000);
  const digits = (value: number): string => Number(value.toPrecision(3)).toLocaleString("en-US");
  const range = `${digits(Math.min(...achieved))} … ${digits(Math.max(...achieved))} requests/s achieved`;
  await expect(page.locator("#throughput .bad", { hasText: "quarkus: overloaded (rounds 1–7)" })).toContainText(`150,000 requests/s offered, ${range}`);
  const shown = (await tables(page, "#throughput")).find(({ name }) => name.includes("150,000/s|Table"))!;
  const row = shown.rows.find(([head]) => head![0] === "quarkus")!;
  expect(row.filter(([text]) => text === "overloaded").length).toBe(7);
  expect(row[1]!.at(-1)).toBe("of 150,000 requests/s offered");
  const { rows } = await verdicts(page, "paced, 150,000/s");
  const pair = rows.find(([head]) => head![0] === "p99, event-loop / quarkus")!;
  expect(pair[3]![0]).toBe("invalid");
  await expect(page.locator("#verdicts li", { hasText: "overloaded in rounds" }).first()).toBeVisible();
});

test("when it was decided, what was left out, the notes and the database", async ({ page }) => {
  await open(page, "rich", "report.zh.html");
  await expect(page.locator(".top")).toContainText("不断加轮直到有结论，最多 12 轮");
  await expect(page.locator("#verdict figure:visible .unseen [lang=zh]").first()).toContainText(/event-loop 比 quarkus 快 [^；]*4 轮后判定/);
  await expect(page.locator("#study .list").nth(1).locator("li [lang=zh]")).toHaveText([
    "被测服务器 netty：`--only` 没有选它",
    "说法 a：它的负载（4,096 个连接）没有运行（用 `--scale published` 即可运行）",
  ]);
  await expect(page.locator("#study > p .authored")).toHaveText([
    "The published figures were taken with -k on 16 cores; this run has two.",
    "Only the ratios carry over.",
  ]);
  for (const part of await page.locator("#study > p .authored").all()) await expect(part).toHaveAttribute("lang", "en");
  const services = page.locator("#machine .list").first();
  for (const text of ["PostgreSQL 17.5", "max_connections = 200", "world 10,000", "quarkus"]) {
    await expect(services).toContainText(text);
  }
});

test("what is sustained, its share of the limit, and the rates that were tried", async ({ page }) => {
  await open(page, "sustained");
  await openDetails(page, "#throughput");
  const rates: Record<string, number[]> = {
    "event-loop": [40_000, 40_400, 39_800, 40_100],
    quarkus: [31_000, 30_600, 31_200, 30_900],
    limit: [90_000, 91_000, 89_500, 90_300],
  };
  const digits = (value: number): string => Number(value.toPrecision(3)).toLocaleString("en-US");
  const mean = (values: number[]): number => Math.exp(values.map(Math.log).reduce((a, b) => a + b) / values.length);
  const [first] = await tables(page, "#throughput");
  const [searches] = await tables(page, "#capacity");
  for (const target of ["event-loop", "quarkus"]) {
    const share = mean(rates[target]!) / mean(rates["limit"]!);
    const row = first!.rows.find(([head]) => head![0] === target)!;
    expect(row[2]![0]).toBe(`${(share * 100).toFixed(1)}%`);
    const found = searches!.rows.find(([head]) => head![0] === `${target}, round 2`)!;
    expect(found[1]![0]).toBe(`${digits(rates[target]![1]!)} requests/s`);
  }
  expect(first!.rows.at(-1)![2]![0]).toBe("the limit, no contender");
  // The limit has no verdict, and its rates are in the picture.
  await expect(page.locator("#verdict figure:visible").first()).not.toContainText("limit");
  await expect(page.locator("#capacity figure .unseen")).toContainText(/limit, round 4: 90,300 requests\/s/);
});
