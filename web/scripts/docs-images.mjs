// The pictures in docs/img, of made-up runs: node scripts/docs-images.mjs [NAME…]. `make screenshots` makes the runs, then these.
import { mkdirSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.mjs";
import { FIXTURES } from "./fixtures.mjs";

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** The first screens of what a reader meets most, and one section as a whole. */
const PICTURES = [
  { name: "two-servers", page: "two-servers/report.html" },
  { name: "two-servers-phone", page: "two-servers/report.html", viewport: PHONE },
  { name: "three-servers", page: "three-servers/report.html" },
  { name: "tie", page: "tie/report.html" },
  { name: "undecided", page: "undecided/report.html" },
  { name: "invalid", page: "invalid/report.html" },
  { name: "rate", page: "rate/report.html" },
  { name: "capacity", page: "sustained/report.html" },
  { name: "history", page: "history/report.html" },
  { name: "history-phone", page: "history/report.html", viewport: PHONE },
  { name: "two-runs", page: "history/two-runs.html" },
  { name: "cpu", page: "profiled/report.html", section: "layers" },
];

const out = fileURLToPath(new URL("../../docs/img", import.meta.url));
const wanted = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const browser = await chromium.launch(CHROMIUM);
for (const { name, page: path, viewport = DESKTOP, section } of PICTURES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const page = await browser.newPage({ viewport, colorScheme: "light", locale: "en-GB" });
  await page.goto(String(pathToFileURL(`${FIXTURES}/${path}`)));
  const file = `${out}/${name}.png`;
  if (section === undefined) {
    await page.screenshot({ path: file });
  } else {
    // The contents would lie over the picture.
    await page.addStyleTag({ content: "nav { visibility: hidden }" });
    await page.locator(`#${section}`).screenshot({ path: file });
  }
  await page.close();
}
await browser.close();
