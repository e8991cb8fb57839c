// How long Chromium takes to open a report's page, in milliseconds: node scripts/opened.mjs FILE [TIMES]; the median of some times, each
// from the beginning until it is loaded.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.mjs";

const [file, times = "5"] = process.argv.slice(2);
if (!file) throw new Error("usage: node scripts/opened.mjs FILE [TIMES]");
const browser = await chromium.launch(CHROMIUM);
const took = [];
for (let time = 0; time < Number(times); time++) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const before = performance.now();
  await page.goto(String(pathToFileURL(resolve(file))));
  took.push(performance.now() - before);
  await page.close();
}
await browser.close();
console.log(took.sort((a, b) => a - b)[Math.floor(took.length / 2)].toFixed(0));
