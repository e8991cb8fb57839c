// Opening a made-up run's report, and watching what it does.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "@playwright/test";
import { FIXTURES } from "../scripts/fixtures.mjs";

export const RUNS = ["usual", "levels", "rich", "sustained", "profiled", "large", "hostile", "smoke", "one-round", "nothing", "broken"] as const;
export type Run = (typeof RUNS)[number];

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

/** Opens a report, and waits until its pictures are drawn. */
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
  await drawn(page);
  return watched;
}

/** Waits until every picture that has a box is drawn. */
export async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".chart")].every((box) => box.clientWidth < 40 || box.querySelector("svg") !== null),
  );
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
