// What holds for every run: each report is opened once in a language, and everything is checked there.

import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { open, openAll, own, type Run, RUNS } from "./open";

/** Runs that axe checks: the small one with everything open, for it takes minutes for tens of thousands of cells. */
const CHECKED_BY_AXE: readonly Run[] = ["hostile", "usual", "rich", "profiled"];
/** A run whose tables are so large that opening them all takes long. */
const LARGE: readonly Run[] = ["large"];

/** Serious and critical faults that axe finds. */
async function faults(page: Page): Promise<string[]> {
  // Drawings are hidden from readers, who have the finding in words; their parts need no look.
  // What is closed is in nobody's way, and has tens of thousands of cells.
  const builder = new AxeBuilder({ page }).setLegacyMode(true).exclude(".chart svg").exclude("details:not([open]) > :not(summary)");
  const { violations } = await builder.analyze();
  const found = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return found.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html} (${nodes.length})`);
}

/** Labels of levels that stand on one another. */
function overlapping(page: Page): Promise<(string | null)[][]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("#load svg.drawing")].flatMap((svg) => {
      const texts = [...svg.querySelectorAll("text")].filter((text) => text.getBoundingClientRect().width > 0);
      const boxes = texts.map((text) => text.getBoundingClientRect());
      const isOver = (a: DOMRect, b: DOMRect): boolean =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
      return boxes.flatMap((a, i) => boxes.slice(i + 1).flatMap((b, j) => (isOver(a, b) ? [[texts[i]!.textContent, texts[i + 1 + j]!.textContent]] : [])));
    }),
  );
}

/** Words of charts that are cut off at the edge of the screen. */
function cutOff(page: Page): Promise<(string | null)[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("svg.strip, svg.drawing")].flatMap((svg) => {
      if (svg.getBoundingClientRect().width === 0) return [];
      const texts = [...svg.querySelectorAll("text")].filter((text) => text.getBoundingClientRect().width > 0);
      const isCut = (text: Element): boolean => {
        const { left, right } = text.getBoundingClientRect();
        return Math.max(-left, right - document.documentElement.clientWidth) > 1;
      };
      return texts.filter(isCut).map((text) => text.textContent);
    }),
  );
}

/** English words of the interface in a Chinese report. Removes what is quoted. */
async function english(page: Page): Promise<string[]> {
  const text = await page.evaluate(() => {
    // Others' words: quotations, what a study's author wrote, commands, functions, and what the machine says of itself.
    for (const part of document.querySelectorAll("q, .authored, #language, code, .flame svg, .flame-says, [lang='en']")) part.remove();
    const labels = [...document.querySelectorAll(":not(svg *)[aria-label]")].map((e) => e.getAttribute("aria-label"));
    const others = document.querySelectorAll("[lang='en']").length;
    return [document.body.innerText, ...labels, others > 0 ? "Elements still claim to be English." : ""].join("\n");
  });
  // A header field's name, as Content-Length is one; commands, flags and packages in a remedy.
  const words = new Set(text.replaceAll(/grpc-status|http:|generator]]|ca-certificates|--cacert|--insecure|--rounds|ulimit|Debian/g, "").match(/[A-Za-z][a-z]{3,}/g));
  // Names of targets and workloads, of flags, laws, people and files, and what was published.
  const names = /^(event|loop|tio|boot|virtual|threads|quarkus|plaintext|steady|rate|sleep|photofinish|made|source|against|Holm|PELT|Barrett|Killick|Kalibera|Jones|Georges|Gunther|Mets|docs|methods|commit|paced|echo|again|postgresql|postgres|Markdown|fortune|world|usual|rich|sustained|profiled|limit|round|broken|duration|resume|netty|only|scale|published|Content|Length|WebSocket|Socket|Unix|rows|tomcat|thread|connection|levels|smoke|nothing)$/;
  return [...words].filter((word) => !names.test(word));
}

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
    });
  }
}

async function whatHoldsForAll(page: Page, run: Run, name: string): Promise<void> {
  if (run === "hostile") await openAll(page);
  if (CHECKED_BY_AXE.includes(run)) {
    // No colour depends on the language, and no word on the theme.
    const colorScheme = name === "report.html" ? "light" : "dark";
    await test.step(`axe finds no serious fault: ${colorScheme}`, async () => {
      await page.emulateMedia({ colorScheme });
      expect(await faults(page)).toEqual([]);
    });
  }
  await test.step("on a phone no label of a level stands on another", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overlapping(page)).toEqual([]);
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
