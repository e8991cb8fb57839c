// The pictures of the report in docs/img: node scripts/docs-images.mjs REPORT.html
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.mjs";
import { FIXTURES } from "./fixtures.mjs";

const report = pathToFileURL(resolve(process.argv[2] ?? `${FIXTURES}/usual/report.html`));
const out = fileURLToPath(new URL("../../docs/img", import.meta.url));
const SHOTS = [
  { name: "report-desktop-light-en", width: 1180, height: 1300, theme: "light", language: "en" },
  { name: "report-desktop-dark-zh", width: 1180, height: 1300, theme: "dark", language: "zh" },
  { name: "report-phone-light-zh", width: 360, height: 1300, theme: "light", language: "zh" },
  { name: "report-phone-dark-en", width: 360, height: 1300, theme: "dark", language: "en" },
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
  await page.screenshot({ path: `${out}/${name}.png` });
  await page.close();
}
await browser.close();
