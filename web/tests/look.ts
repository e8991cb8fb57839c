// What holds for every page, and is looked at in a browser.

import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/** Serious and critical faults that axe finds. Removes drawings and what is closed. */
export async function faults(page: Page): Promise<string[]> {
  // Drawings are hidden from readers, who have the finding in words. What is closed is in nobody's way, and has tens of thousands of
  // cells. axe would read both for minutes even if they were excluded.
  await page.evaluate(() => {
    for (const part of document.querySelectorAll(".chart svg, details:not([open]) > :not(summary)")) part.remove();
  });
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  const found = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return found.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html} (${nodes.length})`);
}

/** Labels of a section's drawings that stand on one another. */
export function overlapping(page: Page, section: string): Promise<(string | null)[][]> {
  return page.evaluate((section) =>
    [...document.querySelectorAll(`${section} svg.drawing`)].flatMap((svg) => {
      const texts = [...svg.querySelectorAll("text")].filter((text) => text.getBoundingClientRect().width > 0);
      const boxes = texts.map((text) => text.getBoundingClientRect());
      const isOver = (a: DOMRect, b: DOMRect): boolean =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
      return boxes.flatMap((a, i) => boxes.slice(i + 1).flatMap((b, j) => (isOver(a, b) ? [[texts[i]!.textContent, texts[i + 1 + j]!.textContent]] : [])));
    }),
    section,
  );
}

/** Words of charts that are cut off at the edge of the screen. */
export function cutOff(page: Page): Promise<(string | null)[]> {
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
export async function english(page: Page): Promise<string[]> {
  const text = await page.evaluate(() => {
    // Others' words: quotations, what a study's author wrote, commands, functions, and what the machine says of itself.
    for (const part of document.querySelectorAll("q, .authored, #language, code, .flame svg, .flame-says, [lang='en']")) part.remove();
    const labels = [...document.querySelectorAll(":not(svg *)[aria-label]")].map((e) => e.getAttribute("aria-label"));
    const others = document.querySelectorAll("[lang='en']").length;
    return [document.body.innerText, ...labels, others > 0 ? "Elements still claim to be English." : ""].join("\n");
  });
  // A header field's name, as Content-Length is one; commands, flags and packages in a remedy.
  const words = new Set(text.replaceAll(/grpc-status|http:|generator]]|ca-certificates|--cacert|--insecure|--rounds|--baseline|ulimit|Debian/g, "").match(/[A-Za-z][a-z]{3,}/g));
  // Names of targets and workloads, of flags, laws, people and files, and what was published.
  const names = /^(event|loop|tio|boot|virtual|threads|quarkus|plaintext|steady|rate|sleep|photofinish|made|source|against|Holm|PELT|Barrett|Killick|Kalibera|Jones|Georges|Gunther|Mets|docs|methods|commit|paced|echo|again|postgresql|postgres|Markdown|fortune|world|usual|rich|sustained|profiled|limit|round|broken|duration|resume|netty|only|scale|published|Content|Length|WebSocket|Socket|Unix|rows|tomcat|thread|connection|levels|smoke|nothing|nightly)$/;
  return [...words].filter((word) => !names.test(word));
}
