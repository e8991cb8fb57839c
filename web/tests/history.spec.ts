// The pages of a study over time and of two runs: a panel for each metric, in both languages, on a desktop and a phone.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import { FIXTURES } from "../scripts/fixtures.mjs";
import { cutOff, english, faults, overlapping } from "./look";

const PAGES = [
  { name: "report.html", locale: "en-GB", section: "#figures", panels: 6 },
  { name: "report.html", locale: "zh-CN", section: "#figures", panels: 6 },
  { name: "relative.html", locale: "en-GB", section: "#figures", panels: 6 },
  { name: "two-runs.html", locale: "en-GB", section: "#changes", panels: 12 },
  { name: "two-runs.zh.html", locale: "zh-CN", section: "#changes", panels: 12 },
] as const;

async function open(page: Page, name: string): Promise<void> {
  await page.goto(String(pathToFileURL(join(FIXTURES, "history", name))));
  await expect(page.locator("h1")).not.toBeEmpty();
}

for (const { name, locale, section, panels } of PAGES) {
  test(`${name}, ${locale}`, async ({ browser }) => {
    const page = await browser.newPage({ locale, viewport: { width: 1440, height: 900 } });
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error)));
    await open(page, name);
    const drawn = page.locator(`${section} figure`);
    await expect(drawn).toHaveCount(panels);
    // A picture of the first place is in sight at once.
    await expect(drawn.first()).toBeInViewport();
    expect(await cutOff(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overlapping(page, section)).toEqual([]);
    expect(await cutOff(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    if (locale === "zh-CN") expect(await english(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await faults(page)).toEqual([]);
    await page.close();
  });
}

test("what shifted and what failed are marked, and read out with the keyboard", async ({ page }) => {
  await open(page, "report.html");
  const throughput = page.locator("#figures figure").first();
  await expect(throughput.locator("use.shift")).toHaveCount(1);
  await expect(throughput.locator("use.hollow")).toHaveCount(1);
  await expect(throughput.locator(".axis")).toContainText("▼ change point");
  await throughput.locator(".chart").focus();
  for (let night = 0; night < 7; night++) await page.keyboard.press("ArrowRight");
  await expect(throughput.locator(".tip")).toHaveText(/^event-loop\n2026-10-07T02:00:00Z: .*; the machine was not quiet$/);
});
