// The first screens of a report for docs/img: node scripts/docs-images.mjs NAME REPORT.html
// With a section's id after them, that section with its first foldout of a picture open.
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.mjs";
import { FIXTURES } from "./fixtures.mjs";

const [study = "report", path = `${FIXTURES}/usual/report.auto.html`, section] = process.argv.slice(2);
const report = pathToFileURL(resolve(path));
const out = fileURLToPath(new URL("../../docs/img", import.meta.url));
const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
// A report that was made without --lang opens in the browser's language.
const SHOTS = [
  { name: "desktop", viewport: DESKTOP, theme: "light", locale: "en-GB" },
  { name: "desktop-dark", viewport: DESKTOP, theme: "dark", locale: "en-GB" },
  { name: "desktop-zh", viewport: DESKTOP, theme: "light", locale: "zh-CN" },
  { name: "phone", viewport: PHONE, theme: "light", locale: "en-GB" },
];

mkdirSync(out, { recursive: true });
const browser = await chromium.launch(CHROMIUM);
for (const { name, viewport, theme, locale } of SHOTS) {
  const page = await browser.newPage({ viewport, colorScheme: theme, locale });
  await page.goto(String(report));
  const file = `${out}/${study}-${name}.png`;
  if (section === undefined) {
    await page.screenshot({ path: file });
  } else {
    const foldout = page.locator(`#${section} details:has([data-flame]) > summary`).first();
    await foldout.click();
    await page.locator(`#${section} .flame svg`).first().waitFor();
    // The contents would lie over the picture.
    await page.addStyleTag({ content: "nav { visibility: hidden }" });
    await page.locator(`#${section}`).screenshot({ path: file });
  }
  await page.close();
}
await browser.close();
