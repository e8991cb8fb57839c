// The flame graph: its figures against the files of stacks, and how it is walked.

import { readFileSync, statSync } from "node:fs";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { file, type Line, lines, open, own, share, signedNumber } from "./open";

/** The boxes of the flame graph that is open, and within it. */
const FRAMES = ".frames > svg:not([display])";
const FRAME = `details[open] ${FRAMES}`;

const flame = (page: Page): Locator => page.locator("details[open] .flame").first();
const says = (page: Page): Locator => page.locator("details[open] .flame-says").first();

type ProfiledLine = Line & { profile: { file: string } };

/** CPU time per request below this chain of callers, the mean over the rounds. */
function spent(target: string, chain: string): number {
  const all = (lines("profiled") as ProfiledLine[]).filter((line) => line.target === target && line.load.kind === "closed" && line.load.connections === 16);
  const times = all.map(({ profile, server }) => {
    const stacks = readFileSync(file("profiled", profile.file), "utf8").trim().split("\n");
    const counts = stacks.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))] as const);
    const sum = (of: (stack: string) => boolean): number => counts.filter(([stack]) => of(stack)).reduce((sum, [, count]) => sum + count, 0);
    const cpu = server!.cpu_user_us_per_request + server!.cpu_system_us_per_request;
    return (cpu * sum((stack) => `${stack};`.startsWith(`${chain};`))) / sum(() => true);
  });
  return times.reduce((a, b) => a + b) / times.length;
}

/** Opens the flame graphs of the first level. */
async function openGraphs(page: Page): Promise<void> {
  const details = page.locator("#layers details:has([data-flame])").first();
  if ((await details.getAttribute("open")) === null) await details.locator("> summary").click();
}

async function choose(page: Page, of: string): Promise<void> {
  await openGraphs(page);
  await page.getByRole("combobox", { name: "Stacks of" }).first().selectOption({ label: of });
  await expect(page.locator(FRAME).first()).toBeVisible();
}

const shared = share("profiled");

test("a target's frames are as wide as their CPU time, and are read out", async () => {
  const { page, watched } = shared;
  await choose(page, "quarkus");
  const frame = flame(page).locator(FRAMES, { hasText: "kernel`tcp_sendmsg" });
  await frame.hover();
  const time = spent("quarkus", "server`main;server`run;libc`send;kernel`tcp_sendmsg");
  await expect(says(page)).toContainText(`kernel\`tcp_sendmsg: ${time.toPrecision(3)} µs`);
  const width = async (text: string): Promise<number> => (await flame(page).locator(FRAMES, { hasText: text }).first().locator("rect").boundingBox())!.width;
  const all = spent("quarkus", "server`main");
  expect((await width("kernel`tcp_sendmsg")) / (await width("server`main"))).toBeCloseTo(time / all, 2);
  expect(watched.problems).toEqual([]);
});

test("between two targets only what is certain has a colour", async () => {
  const { page } = shared;
  await choose(page, "quarkus − event-loop");
  const colours = new Set<string | null>();
  for (const frame of await page.locator(FRAME).all()) {
    const { x, y, width } = (await frame.locator("rect").boundingBox())!;
    const colour = await frame.locator("rect").getAttribute("class");
    colours.add(colour);
    if (width < 8) continue;
    await page.mouse.move(x + width / 2, y + 8);
    const text = (await says(page).textContent())!;
    const found = /; [+−]?[\d.]+ µs \[(−?[\d.]+) … (−?[\d.]+)\], (certain|not certain)/.exec(text);
    if (!found) expect(text).toContain("too small to be judged");
    const [low, high] = found ? [signedNumber(found[1]!), signedNumber(found[2]!)] : [-1, 1];
    expect(colour, text).toBe(low > 0 ? "more" : high < 0 ? "less" : "same");
  }
  expect(colours.size).toBeGreaterThan(1);
});

test("it is zoomed, searched and walked by keyboard", async () => {
  const { page } = shared;
  await choose(page, "event-loop");
  const graph = flame(page);
  await graph.focus();
  for (const key of ["ArrowUp", "ArrowUp", "ArrowUp"]) await page.keyboard.press(key);
  await expect(says(page)).toContainText("libc`send");
  await page.keyboard.press("Enter");
  const width = async (text: string): Promise<number> => parseFloat((await graph.locator(FRAMES, { hasText: text }).first().getAttribute("width"))!);
  expect(await width("libc`send")).toBeCloseTo(await width("server`main"), 0);
  await page.keyboard.press("Escape");
  await expect(says(page)).toContainText("server`run");
  await page.keyboard.press("ArrowDown");
  await expect(says(page)).toContainText("server`main");
  const search = page.getByRole("searchbox", { name: "Search functions" }).first();
  await search.fill("TCP_SENDMSG");
  const share = spent("event-loop", "server`main;server`run;libc`send;kernel`tcp_sendmsg") / spent("event-loop", "server`main");
  await expect(page.locator("details[open] .flame-tools [role=status]").first()).toHaveText(`1 frame, ${(share * 100).toFixed(1)}% of the CPU time`);
  await expect(graph.locator(".found")).toHaveCount(1);
  await page.getByRole("button", { name: "All", exact: true }).first().click();
  await expect(search).toHaveValue("");
  await graph.locator(FRAMES, { hasText: "server`handle" }).first().click();
  expect(await width("server`handle")).toBeCloseTo(await width("server`main"), 0);
});

test("hostile names are text, and shortened", async ({ page }) => {
  const watched = await open(page, "hostile");
  await openGraphs(page);
  await expect(page.locator(FRAME).first()).toBeVisible();
  const texts: string[] = [];
  for (const frame of await page.locator(FRAME).all()) {
    await frame.hover();
    texts.push((await says(page).textContent())!);
  }
  expect(texts.join("\n")).toContain("</script><script>alert(7)</script>: ");
  expect(texts.join("\n")).toContain("<img src=x onerror=alert(8)>`xxx");
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(400);
  expect(watched.dialogs).toEqual([]);
  expect(watched.problems).toEqual([]);
  expect(watched.requests).toEqual(own("hostile"));
});

test("axe finds no serious fault in it, light and dark", async ({ page }) => {
  await open(page, "profiled", "report.zh.html");
  await openGraphs(page);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).include("details[open] .flame-graph").analyze();
    expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map((v) => v.id), colorScheme).toEqual([]);
  }
});

test("a report of five targets with stacks stays under 5 MB, and opens within a second", async () => {
  expect(statSync(file("profiled", "report.html")).size).toBeLessThan(5_000_000);
  const took = await shared.page.evaluate(() => performance.getEntriesByType("navigation")[0]!.duration);
  console.log(`loaded in ${Math.round(took)} ms`);
});
