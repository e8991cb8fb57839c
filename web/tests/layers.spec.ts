// Where a request's CPU time goes: the figures against measurements.jsonl, by arithmetic of this file's own.

import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import { drawn, file, type Line, lines, open, signedNumber } from "./open";

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

test("layers of all targets, which add up to the measured CPU time", async ({ page }) => {
  await open(page, "profiled");
  await expect(page.getByRole("navigation").getByRole("link", { name: "Where a request's CPU time goes" })).toHaveCount(1);
  const table = page.locator("#layers details.beside", { hasText: "Table" }).first();
  await table.locator("summary").click();
  await expect(table.locator("tbody th")).toContainText(["kernel receive", "kernel send", "waiting and waking", "page faults", "runtime", "framework", "application", "unknown", "all"]);
  for (const target of TARGETS) {
    const rounds = at(target, 16);
    for (const layer of ["kernel-send", "waiting", "unknown"]) {
      const cell = table.locator(`td[data-target='${target}'][data-layer='${layer}']`);
      const shown = figure(await cell.innerText());
      expect(shown).toBeCloseTo(mean(rounds.map((line) => spent(line, layer))), 2);
    }
    const shown = await table.locator(`td[data-target='${target}']`).allInnerTexts();
    const sum = shown.map(figure).reduce((a, b) => a + b);
    expect(sum).toBeCloseTo(mean(rounds.map(cpu)), 1);
  }
});

test("differences are ranked, and what is certain is marked", async ({ page }) => {
  await open(page, "profiled");
  await page.getByRole("radio", { name: "tomcat − event-loop" }).first().check();
  const picture = page.locator("#layers figure", { hasText: "Differences" }).first();
  await expect(picture.locator(".chart")).toHaveAttribute("aria-label", /tomcat − event-loop, plaintext, 16 connections\. waiting and waking \+[\d.]+ µs \[.*\], certain/);
  const table = page.locator("#layers figure + details.beside").nth(1);
  await table.locator("summary").click();
  const cells = table.locator("td[data-pair='tomcat − event-loop']");
  await expect(cells.first()).toBeVisible();
  const texts = await cells.allInnerTexts();
  const sizes = texts.map((text) => Math.abs(figure(text)));
  expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
  const differences = at("tomcat", 16).map((line, i) => spent(line, "waiting") - spent(at("event-loop", 16)[i]!, "waiting"));
  expect(figure(texts[0]!)).toBeCloseTo(mean(differences), 2);
  // Whether 0 lies outside of the interval is what the mark says.
  for (const row of await table.locator("tbody tr").all()) {
    const text = await row.innerText();
    const [low, high] = /\[(−?[\d.]+) … (−?[\d.]+)\]/.exec(text)!.slice(1).map(signedNumber) as [number, number];
    expect(/not certain/.test(text), text).toBe(low <= 0 && high >= 0);
  }
});

test("the profiler's price stands beside", async ({ page }) => {
  await open(page, "profiled");
  const price = page.locator("#layers table", { hasText: "What profiling cost" }).first();
  for (const target of TARGETS) {
    const logs = at(target, 16).map((line) => Math.log(line.profile.throughput_rps / line.measurement!.throughput_rps));
    const middle = mean(logs);
    const half = (T * Math.sqrt(logs.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (logs.length - 1))) / Math.sqrt(logs.length);
    const shown = (value: number): string => `${(Math.exp(value) * 100).toFixed(1)}%`;
    await expect(price.locator(`td[data-price][data-target='${target}']`)).toHaveText(`${shown(middle)}[${shown(middle - half)} … ${shown(middle + half)}]`);
    const row = price.locator("tr", { hasText: target });
    const plain = mean(at(target, 16).map(({ measurement }) => Math.log(measurement!.throughput_rps)));
    await expect(row).toContainText(`${Number(Math.exp(plain).toPrecision(3)).toLocaleString("en-US")} requests/s`);
  }
});

test("its pictures are read out under the pointer", async ({ page }) => {
  await open(page, "profiled");
  for (const picture of await page.locator("#layers > .cell .chart svg").all()) {
    await picture.scrollIntoViewIfNeeded();
    const { x, y, width } = (await picture.boundingBox())!;
    await page.mouse.move(x + width / 3, y + 30);
    await expect(picture.locator("[aria-label=tip]")).toContainText("µs");
  }
});

test("without scripts the layers are a table", async ({ browser }) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(String(pathToFileURL(file("profiled", "report.zh.html"))));
  const table = page.locator("#page table", { hasText: "内核发送" }).first();
  await expect(table.locator("thead th")).toHaveCount(6);
  await expect(table).toContainText("未知");
  await page.close();
});

test("without profiles there is no such section, and other levels are a choice away", async ({ page }) => {
  await open(page, "usual");
  await expect(page.locator("#layers")).toHaveCount(0);
  await open(page, "profiled");
  await page.getByRole("radio", { name: "plaintext, 256 connections" }).check();
  await drawn(page);
  await expect(page.locator("#layers h3")).toHaveText("plaintext, 256 connections");
  await expect(page.locator("#layers .chart").first()).toHaveAttribute("aria-label", /^CPU time per request by layer, plaintext, 256 connections\. event-loop: kernel receive/);
  await expect(page.locator("#layers .chart svg").first()).toBeVisible();
});
