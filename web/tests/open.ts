// Opening a made-up run's report, and watching what it does.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Page, test } from "@playwright/test";
import { FIXTURES } from "../scripts/fixtures.mjs";

/** The runs whose pages the survey opens. */
export const RUNS = ["usual", "levels", "rich", "sustained", "profiled", "large", "hostile", "smoke", "one-round", "nothing", "broken"] as const;
export type Run = (typeof RUNS)[number] | "two-servers";

export interface Watched {
  /** Errors and warnings on the console, and exceptions. */
  problems: string[];
  /** Every address that was asked for. */
  requests: string[];
  /** Dialogues that were opened. */
  dialogs: string[];
}

export function file(run: Run, name: string): string {
  return join(FIXTURES, run, name);
}

export async function open(page: Page, run: Run, name = "report.html"): Promise<Watched> {
  const watched: Watched = { problems: [], requests: [], dialogs: [] };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") watched.problems.push(message.text());
  });
  page.on("pageerror", (error) => watched.problems.push(String(error)));
  page.on("request", (request) => watched.requests.push(request.url()));
  page.on("dialog", (dialog) => {
    watched.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(String(pathToFileURL(file(run, name))));
  return watched;
}

/** A page that the tests of a block share. */
export interface Shared {
  page: Page;
  watched: Watched;
}

/** Opens a page once for all tests of a block. Each test must leave it as the others can use it. */
export function share(run: Run, name = "report.html"): Shared {
  const shared = {} as Shared;
  test.beforeAll(async ({ browser }) => {
    shared.page = await browser.newPage();
    shared.watched = await open(shared.page, run, name);
  });
  test.afterAll(() => shared.page.close());
  return shared;
}

/** Opens every `details` element of a section. */
export async function openDetails(page: Page, section: string): Promise<void> {
  await page.evaluate((section) => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>(`${section} details`)) details.open = true;
  }, section);
}

/** Opens everything that can be opened, and waits until it is filled. */
export async function openAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  await page.waitForFunction(() => [...document.querySelectorAll("details")].every((d) => d.childElementCount > 1));
}

/** What the page asks for must be the page alone. */
export function own(run: Run, name = "report.html"): string[] {
  return [String(pathToFileURL(file(run, name)))];
}

/** A table of a section with the heading or the summary that names it. */
export interface Shown {
  name: string;
  columns: string[];
  /** Each cell's lines: the figure, and what stands below it. */
  rows: string[][][];
}

/** All tables of a section, in the page's language. */
export async function tables(page: Page, section: string): Promise<Shown[]> {
  return page.evaluate((section) => {
    const hidden = document.documentElement.lang === "en" ? "zh" : "en";
    /** The words in the page's language, whether or not they are in sight. */
    const text = (element: Element | null): string => {
      const copy = element?.cloneNode(true) as HTMLElement | undefined;
      for (const other of copy?.querySelectorAll(`[lang="${hidden}"]:not(.authored, q), .copy`) ?? []) other.remove();
      return (copy?.textContent ?? "").trim();
    };
    const named = (box: Element): string => text(document.getElementById(box.getAttribute("aria-labelledby") ?? ""));
    const headingBefore = (box: Element): string => {
      const all = [...document.querySelectorAll(`${section} :is(h3, h4)`)].filter((h) => h.compareDocumentPosition(box) & Node.DOCUMENT_POSITION_FOLLOWING);
      return text(all.at(-1) ?? null);
    };
    const lines = (cell: Element): string[] => {
      const below = [...cell.querySelectorAll(":scope > .detail")].map(text);
      const copy = cell.cloneNode(true) as HTMLElement;
      for (const detail of copy.querySelectorAll(".detail")) detail.remove();
      return [text(copy), ...below];
    };
    return [...document.querySelectorAll(`${section} .scroll`)].map((box) => {
      const rows = [...box.querySelectorAll("tbody tr")].map((row) => [...row.children].map(lines));
      const columns = [...box.querySelectorAll("thead th")].map(text);
      return { name: `${headingBefore(box)}|${named(box)}`, columns, rows };
    });
  }, section);
}

/** The lines of a run's `measurements.jsonl`. */
export function lines(run: Run): Line[] {
  const text = readFileSync(file(run, "measurements.jsonl"), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

export interface Line {
  target: string;
  round: number;
  workload: string;
  load: { kind: "closed"; connections: number } | { kind: "open"; rate: number };
  measurement: {
    throughput_rps: number;
    latency_us: Record<"mean" | "min" | "p50" | "p90" | "p95" | "p99" | "p999" | "max", number>;
  } | null;
  server: { rss_max_bytes: number; cpu_user_us_per_request: number; cpu_system_us_per_request: number } | null;
}

/** The number in a text of the page, whose negative figures have a minus sign and not a hyphen. */
export function signedNumber(text: string): number {
  return Number(text.replace("−", "-"));
}
