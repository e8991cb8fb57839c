// What only some runs have: a noise floor, the scalability law, levels out of line, overloads, added rounds, notes.

import { readFileSync, writeFileSync } from "node:fs";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { drawn, file, type Line, lines, open } from "./open";

/** 97.5% quantile of Student's t at 6 degrees of freedom: seven rounds. */
const T = 2.4469;

function throughputs(target: string, workload: string, level: number): number[] {
  const isAt = ({ load }: Line): boolean => (load.kind === "closed" ? load.connections : load.rate) === level;
  return lines("rich")
    .filter((line) => line.target === target && line.workload === workload && isAt(line))
    .map((line) => line.measurement!.throughput_rps);
}

async function openDetails(page: Page, within: string): Promise<void> {
  for (const summary of await page.locator(`${within} details.beside > summary`).all()) await summary.click();
}

test("the noise floor stands below the verdicts, as the rounds give it", async ({ page }) => {
  await open(page, "rich");
  await openDetails(page, "#verdict");
  const pairs = throughputs("event-loop", "plaintext", 8);
  const again = throughputs("event-loop-again", "plaintext", 8);
  const logs = pairs.map((value, i) => Math.log(value / again[i]!));
  const mean = logs.reduce((a, b) => a + b) / logs.length;
  const half = (T * Math.sqrt(logs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (logs.length - 1))) / Math.sqrt(logs.length);
  const floor = page.locator("#verdict td[data-floor][data-metric=throughput][data-place='plaintext, 8 connections']");
  const ratio = (value: number): string => Math.exp(value).toFixed(3);
  await expect(floor).toContainText(`${ratio(mean)} [${ratio(mean - half)} … ${ratio(mean + half)}]`);
  const reach = Math.exp(Math.max(Math.abs(mean - half), Math.abs(mean + half))) - 1;
  await expect(floor).toContainText(`±${(reach * 100).toFixed(1)}%`);
  // It is in the picture too, with its words.
  const picture = page.locator("#verdict figure", { hasText: "plaintext, 8 connections" }).locator(".chart");
  await expect(picture).toHaveAttribute("aria-label", /event-loop against itself: throughput differed by/);
  await expect(picture.locator("svg")).toContainText("against itself (A/A)");
});

test("a verdict no larger than the noise is marked, and no other", async ({ page }) => {
  await open(page, "rich");
  await openDetails(page, "#verdict");
  const cells = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("#verdict td[data-pair]")].map((cell) => {
      const { metric, place } = cell.dataset as { metric: string; place: string };
      const floor = document.querySelector(`#verdict td[data-floor][data-metric="${metric}"][data-place="${place}"]`);
      return { text: cell.innerText, reach: Number(/±([\d.]+)%/.exec(floor?.textContent ?? "")?.[1]) };
    }),
  );
  let marked = 0;
  for (const { text, reach } of cells) {
    const ratio = Number(text.split(" ")[0]);
    const size = (Math.max(ratio, 1 / ratio) - 1) * 100;
    const isMarked = text.includes("within the noise floor");
    marked += Number(isMarked);
    // What is shown is rounded.
    if (!text.includes("ahead") || Math.abs(size - reach) < 0.2) continue;
    expect(isMarked, text).toBe(size < reach);
  }
  expect(marked).toBeGreaterThan(0);
});

test("the law's peak is that of its coefficients, and is drawn", async ({ page }) => {
  await open(page, "rich");
  // N* = √((1 − α) / β): √(0.98 / 0.00003) = 180.7 and √(0.97 / 0.00006) = 127.1.
  for (const [target, peak] of [["event-loop", 180.7], ["quarkus", 127.1]] as const) {
    const says = await page.locator("#load .scaling li", { hasText: `${target}: ` }).first().innerText();
    const [, low, high] = /\[(\d+) … (\d+)\]/.exec(says)!.map(Number) as [number, number, number];
    expect(low - 1).toBeLessThanOrEqual(peak);
    expect(high + 1).toBeGreaterThanOrEqual(peak);
    const row = page.locator("#load table", { hasText: "Scaling: plaintext" }).locator("tr", { hasText: target }).first();
    await expect(row).toContainText("requests/s");
    await expect(row).toContainText(`[${low} … ${high}]`);
  }
  await expect(page.locator("#load .scaling")).toContainText("tio-boot@virtual-threads: the figures do not show a peak");
  await page.locator("#load details.method", { hasText: "Scaling" }).locator("summary").click();
  await expect(page.locator("#load .note")).toContainText("γN / (1 + α(N − 1) + βN(N − 1))");
});

test("an outlier is ringed and named, with what was expected", async ({ page }) => {
  await open(page, "rich");
  const sweep = page.locator("#load .sweep");
  await expect(sweep.locator(".out-of-line li")).toHaveCount(1);
  await expect(sweep.locator(".out-of-line")).toContainText("tio-boot@virtual-threads, echo-5120, 50 connections");
  await expect(sweep.locator("svg circle[r='9'], svg g[fill='none'] path")).not.toHaveCount(0);
  await openDetails(page, "#load .sweep");
  await expect(sweep.locator("td", { hasText: "expected from its other levels" })).toHaveCount(1);
});

test("of an overloaded level the rates are shown, and no response time", async ({ page }) => {
  await open(page, "rich");
  await openDetails(page, "#throughput");
  const achieved = throughputs("quarkus", "paced", 150_000);
  const digits = (value: number): string => Number(value.toPrecision(3)).toLocaleString("en-US");
  const range = `${digits(Math.min(...achieved))} … ${digits(Math.max(...achieved))} requests/s achieved`;
  const cell = page.locator("#throughput .cell", { hasText: "paced, 150,000/s" });
  await expect(cell.locator(".errors")).toContainText(`quarkus: overloaded (rounds 1–7): 150,000 requests/s offered, ${range}`);
  const row = cell.locator("table").first().locator("tr", { hasText: "quarkus" });
  await expect(row.locator("td", { hasText: "overloaded" })).toHaveCount(7);
  await expect(row.locator("td").first()).toContainText("of 150,000 requests/s offered");
  await openDetails(page, "#verdict");
  const pair = page.locator("#verdict td[data-pair='event-loop / quarkus'][data-metric=p99][data-place='paced, 150,000/s']");
  await expect(pair).toContainText("overloaded in rounds");
});

test("when it was decided, what was left out, the notes and the database", async ({ page }) => {
  await open(page, "rich", "report.zh.html");
  await expect(page.locator(".top")).toContainText("不断加轮直到有结论，最多 12 轮");
  await expect(page.locator("#verdict figure .chart").first()).toHaveAttribute("aria-label", /5 轮后判定/);
  await expect(page.locator("#study .left-out li")).toHaveText([
    "对象 netty：`--only` 没有选它",
    "说法 a：它的负载（4,096 个连接）没有运行（用 `--scale published` 即可运行）",
  ]);
  for (const part of await page.locator("#study .notes > *").all()) {
    await expect(part).toHaveAttribute("lang", "en");
  }
  await expect(page.locator("#study .notes")).toHaveText([
    "The published figures were taken with -k on 16 cores; this run has two.",
    "Only the ratios carry over.",
  ]);
  const services = page.locator("#machine table").first();
  for (const text of ["db: postgresql 17.5", "max_connections = 200", "world 10,000", "quarkus"]) {
    await expect(services).toContainText(text);
  }
});

/** The same run with what newer results may hold: a limit, servers of the highest priority, a search for the capacity, and a kind of load that nobody knows. */
function newer(): void {
  const page = readFileSync(file("rich", "report.html"), "utf8");
  const from = page.indexOf(">", page.indexOf('id="data"')) + 1;
  const to = page.indexOf("<", from);
  const data = JSON.parse(page.slice(from, to));
  data.comparison.head.targets[2].limit = true;
  data.comparison.head.machine.server_nice = -20;
  for (const cell of data.comparison.cells) {
    cell.verdicts = cell.verdicts.filter((v: { of: string; over: string }) => v.of !== "quarkus" && v.over !== "quarkus");
    for (const target of cell.targets) {
      if (target.target === "quarkus") target.role = "limit";
      target.share_of_limit = target.target === "event-loop" ? { rounds: 7, ratio: 0.875, interval: { low: 0.85, high: 0.9 } } : null;
    }
  }
  const [closed, open] = [data.comparison.cells.at(-1), data.comparison.cells.at(-2)];
  closed.load = { kind: "capacity", objective: "p99 < 10ms" };
  closed.level = { finding: {}, en: "capacity (p99 < 10ms)", zh: "容量（p99 < 10ms）" };
  open.load = { kind: "of-tomorrow", level: 1 };
  open.level = { finding: {}, en: "a level of tomorrow", zh: "明天的负载" };
  const step = (offered_rps: number, p99_us: number, holds: boolean) => ({ offered_rps, p99_us, p50_us: 100, errors: 0, holds });
  data.page.capacities = [0, 1].map((target) => ({
    cell: data.comparison.cells.length - 1,
    target,
    round: 1,
    sustained_rps: 40_000,
    failed_rps: 44_000,
    ended: "found",
    lower_bound: target === 1,
    steps: [step(20_000, 900, true), step(44_000, 30_000, false), step(40_000, 8_000, true)],
  }));
  const text = JSON.stringify(data).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");
  writeFileSync(file("rich", "newer.html"), page.slice(0, from) + text + page.slice(to));
}

test("a limit stands apart, and newer kinds of load break nothing", async ({ page }) => {
  newer();
  const watched = await open(page, "rich", "newer.html");
  await openDetails(page, "#throughput");
  const rows = page.locator("#throughput table").first().locator("tbody tr");
  await expect(rows.last()).toContainText("quarkus");
  await expect(rows.last()).toContainText("the limit, no contender");
  await expect(page.locator("#throughput td[data-share]").first()).toHaveText("87.5%[85.0% … 90.0%]");
  await expect(page.locator(".contenders li", { hasText: "quarkus" }).locator("path").last()).toHaveAttribute("fill", "var(--muted)");
  await expect(page.locator("#capacity h3")).toHaveText("echo-16384, capacity (p99 < 10ms)");
  await expect(page.locator("#capacity tbody tr").first()).toContainText("40,000 requests/s");
  await expect(page.locator("#capacity .chart svg")).toBeVisible();
  await expect(page.locator("#throughput")).toContainText("a level of tomorrow");
  const priority = (name: string): Locator => page.locator("#machine").getByText(name, { exact: true }).locator("+ dd");
  await expect(priority("CPU priority")).toHaveText("servers before other programs (nice -20)");
  await page.getByRole("button", { name: "中文" }).click();
  await drawn(page);
  await expect(page.locator("#capacity h3")).toHaveText("echo-16384，容量（p99 < 10ms）");
  await expect(priority("CPU 优先级")).toHaveText("服务器优先于其他程序（nice -20）");
  expect(watched.problems).toEqual([]);
});

test("what is sustained, its share of the limit, and the rates that were tried", async ({ page }) => {
  await open(page, "sustained");
  await openDetails(page, "#throughput");
  const rates: Record<string, number[]> = {
    "event-loop": [40_000, 40_400, 39_800, 40_100],
    quarkus: [31_000, 30_600, 31_200, 30_900],
    limit: [90_000, 91_000, 89_500, 90_300],
  };
  const mean = (values: number[]): number => Math.exp(values.map(Math.log).reduce((a, b) => a + b) / values.length);
  for (const target of ["event-loop", "quarkus"]) {
    const share = mean(rates[target]!) / mean(rates["limit"]!);
    await expect(page.locator(`#throughput td[data-share][data-target='${target}']`).first()).toContainText(`${(share * 100).toFixed(1)}%`);
    await expect(page.locator("#capacity tbody tr", { hasText: `${target}, round 2` }).first()).toContainText(
      `${rates[target]![1]!.toLocaleString("en-US")} requests/s`,
    );
  }
  await expect(page.locator("#throughput table").first().locator("tbody tr").last()).toContainText("the limit, no contender");
  // The limit has no verdict, and its rates are in the picture.
  await expect(page.locator("#verdict svg").first()).not.toContainText("limit");
  await expect(page.locator("#capacity .chart")).toHaveAttribute("aria-label", /limit, round 4: 90,300 requests\/s/);
});
