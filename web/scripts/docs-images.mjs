// Pictures of a report for docs/img: node scripts/docs-images.mjs NAME REPORT.html
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.mjs";
import { FIXTURES } from "./fixtures.mjs";

const [study = "report", path = `${FIXTURES}/usual/report.html`] = process.argv.slice(2);
const report = pathToFileURL(resolve(path));
const out = fileURLToPath(new URL("../../docs/img", import.meta.url));
const SHOTS = [
  { name: "desktop-light-en", width: 1180, height: 1300, theme: "light", language: "en" },
  { name: "desktop-dark-zh", width: 1180, height: 1300, theme: "dark", language: "zh" },
  { name: "phone-light-zh", width: 360, height: 1300, theme: "light", language: "zh" },
  { name: "phone-dark-en", width: 360, height: 1300, theme: "dark", language: "en" },
];

mkdirSync(out, { recursive: true });
const browser = await chromium.launch(CHROMIUM);
for (const { name, width, height, theme, language } of SHOTS) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
  await page.goto(String(report));
  const now = await page.locator("html").getAttribute("lang");
  if ((now === "en") !== (language === "en")) await page.locator("#language").click();
  await page.waitForFunction(() => [...document.querySelectorAll(".chart")].every((box) => box.querySelector("svg")));
  // The button that was clicked keeps no ring in the picture.
  await page.evaluate(() => document.activeElement?.blur());
  await page.screenshot({ path: `${out}/${study}-${name}.png` });
  await page.close();
}
await browser.close();
