// What holds for every run: each report is opened once in a language, and everything is checked there.

import { expect, type Page, test } from "@playwright/test";
import { cutOff, english, faults, overlapping } from "./look";
import { open, openAll, own, type Run, RUNS } from "./open";

/** Runs that axe checks: the small one with everything open, for axe takes minutes for tens of thousands of cells. */
const CHECKED_BY_AXE: readonly Run[] = ["hostile", "usual", "rich", "profiled"];
/** A run whose tables are so large that opening them all takes long. */
const LARGE: readonly Run[] = ["large"];

test.describe.configure({ mode: "parallel" });

for (const run of RUNS) {
  for (const name of ["report.html", "report.zh.html"]) {
    test(`${run}, ${name}`, async ({ page }) => {
      const watched = await open(page, run, name);
      await expect(page.locator("h1")).not.toBeEmpty();
      await expect(page.locator(".verdict")).not.toBeEmpty();
      if (!LARGE.includes(run)) await whatHoldsForAll(page, run, name);
      expect(watched.problems).toEqual([]);
      expect(watched.requests).toEqual(own(run, name));
      if (CHECKED_BY_AXE.includes(run)) await axeFindsNothing(page, run, name);
    });
  }
}

async function whatHoldsForAll(page: Page, run: Run, name: string): Promise<void> {
  await test.step("on a phone no label of a level stands on another", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overlapping(page, "#load")).toEqual([]);
  });
  await test.step("on a phone nothing is wider than the screen, and no words of a chart are cut off", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await openAll(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(await cutOff(page)).toEqual([]);
  });
  await test.step("on a desktop no words of a chart are cut off", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await cutOff(page)).toEqual([]);
  });
  // What the hostile run is called is English.
  if (name === "report.zh.html" && run !== "hostile") {
    await test.step("no English word of the interface is left", async () => {
      expect(await english(page)).toEqual([]);
    });
  }
}

/** Opens the report once more: axe's check removes parts of it. */
async function axeFindsNothing(page: Page, run: Run, name: string): Promise<void> {
  // No colour depends on the language, and no word on the theme.
  const colorScheme = name === "report.html" ? "light" : "dark";
  await test.step(`axe finds no serious fault: ${colorScheme}`, async () => {
    await page.reload();
    if (run === "hostile") await openAll(page);
    await page.emulateMedia({ colorScheme });
    expect(await faults(page)).toEqual([]);
  });
}
