// Where a request's CPU time goes: the figures against measurements.jsonl, by arithmetic of this file's own.

import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import { file, type Line, lines, share, signedNumber, tables } from "./open";

/** 97.5% quantile of Student's t at 4 degrees of freedom: five rounds. */
const T = 2.7764;

type ProfiledLine = Line & { profile: { throughput_rps: number; samples: number; layers: Record<string, number> } };

function at(target: string, connections: number): ProfiledLine[] {
  const all = lines("profiled") as ProfiledLine[];
  return all.filter((line) => line.target === target && line.load.kind === "closed" && line.load.connections === connections);
}

function cpu({ server }: Line): number {
  return server!.cpu_user_us_per_request + server!.cpu_system_us_per_request;
}

function mean(values: number[]): number {
  return values.reduce((a, b) => a + b) / values.length;
}

function spent(line: ProfiledLine, layer: string): number {
  return (cpu(line) * (line.profile.layers[layer] ?? 0)) / line.profile.samples;
}

/** The number that a text begins with. */
function figure(text: string): number {
  return Number(/^[+−]?([\d.]+)/.exec(text)![1]) * (text.startsWith("−") ? -1 : 1);
}

const TARGETS = ["event-loop", "tio-boot@virtual-threads", "quarkus", "netty", "tomcat"];

/** The tables of the first level. */
const FIRST = "#layers .option:first-of-type";

const shared = share("profiled");

test("layers of all servers, which add up to the measured CPU time", async () => {
  const { page } = shared;
  await expect(page.getByRole("navigation").getByRole("link", { name: "Why" })).toHaveCount(1);
  const { columns, rows } = (await tables(page, FIRST))[0]!;
  expect(rows.map(([head]) => head![0])).toEqual(expect.arrayContaining(["kernel receive", "kernel send", "waiting and waking", "runtime", "framework", "application", "unknown", "all"]));
  for (const target of TARGETS) {
    const column = columns.indexOf(target);
    const rounds = at(target, 16);
    const shown = (layer: string): number => figure(rows.find(([head]) => head![0] === layer)![column]![0]!);
    for (const [layer, name] of [["kernel-send", "kernel send"], ["waiting", "waiting and waking"], ["unknown", "unknown"]] as const) {
      expect(shown(name)).toBeCloseTo(mean(rounds.map((line) => spent(line, layer))), 2);
    }
    const layers = rows.filter(([head]) => head![0] !== "all").map((row) => row[column]![0]!);
    const sum = layers.filter((text) => text !== "–").map(figure).reduce((a, b) => a + b);
    expect(sum).toBeCloseTo(mean(rounds.map(cpu)), 1);
  }
});

test("differences are ranked, and what is certain is marked", async () => {
  const { page } = shared;
  await page.locator("#layers label", { hasText: "tomcat − event-loop" }).first().click();
  const picture = page.locator("#layers figure:visible", { hasText: "Differences" }).first();
  await expect(picture.locator(".unseen")).toContainText(/waiting and waking \+[\d.]+ µs \[.*\], certain/);
  const shown = (await tables(page, FIRST)).find(({ columns }) => columns[1] === "tomcat − event-loop")!;
  const texts = shown.rows.map(([, difference]) => difference![0]!);
  const sizes = texts.map((text) => Math.abs(figure(text)));
  expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
  const differences = at("tomcat", 16).map((line, i) => spent(line, "waiting") - spent(at("event-loop", 16)[i]!, "waiting"));
  expect(figure(texts[0]!)).toBeCloseTo(mean(differences), 2);
  // Whether 0 lies outside of the interval is what the mark says.
  for (const [, difference, outcome] of shown.rows) {
    const [low, high] = /\[(−?[\d.]+) … (−?[\d.]+)\]/.exec(difference![0]!)!.slice(1).map(signedNumber) as [number, number];
    expect(outcome![0] === "not certain", difference![0]).toBe(low <= 0 && high >= 0);
  }
});

test("the profiler's price stands beside", async () => {
  const { page } = shared;
  const price = (await tables(page, FIRST)).find(({ columns }) => columns[0] === "cost of profiling")!;
  for (const target of TARGETS) {
    const row = price.rows.find(([head]) => head![0] === target)!;
    const logs = at(target, 16).map((line) => Math.log(line.profile.throughput_rps / line.measurement!.throughput_rps));
    const middle = mean(logs);
    const half = (T * Math.sqrt(logs.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (logs.length - 1))) / Math.sqrt(logs.length);
    const shown = (value: number): string => `${(Math.exp(value) * 100).toFixed(1)}%`;
    expect(row[3]).toEqual([shown(middle), `[${shown(middle - half)} … ${shown(middle + half)}]`]);
    const plain = mean(at(target, 16).map(({ measurement }) => Math.log(measurement!.throughput_rps)));
    expect(row[2]![0]).toBe(`${Number(Math.exp(plain).toPrecision(3)).toLocaleString("en-US")} requests/s`);
  }
});

test("its pictures are read out under the pointer", async () => {
  const { page } = shared;
  for (const chart of await page.locator("#layers .chart.rows:visible").all()) {
    await chart.scrollIntoViewIfNeeded();
    const { x, y, width } = (await chart.locator(".strip").first().boundingBox())!;
    await page.mouse.move(x + width / 3, y + 10);
    await expect(chart.locator(".tip")).toContainText("µs");
  }
});

test("without scripts the layers are a table and a picture", async ({ browser }) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(String(pathToFileURL(file("profiled", "report.zh.html"))));
  const table = page.locator("#layers table", { hasText: "内核发送" }).first();
  await expect(table.locator("thead th")).toHaveCount(6);
  await expect(table).toContainText("未知");
  await expect(page.locator("#layers .strip").first()).toBeVisible();
  await page.close();
});

test("other levels are a choice away", async () => {
  const { page } = shared;
  await page.locator("#layers label", { hasText: "plaintext, 256 connections" }).click();
  await expect(page.locator("#layers h4:visible")).toContainText("plaintext, 256 connections");
  await expect(page.locator("#layers figure:visible .unseen").first()).toContainText("event-loop: kernel receive");
  await expect(page.locator("#layers .strip:visible").first()).toBeVisible();
});
