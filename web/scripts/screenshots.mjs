// Screenshots to look at: node scripts/screenshots.mjs OUT [NAME…]; NAME is a folder of made-up results or a report's file.
// ONLY=desktop-light-en chooses among them; FIRST=1 takes the first screen alone.
import { existsSync, mkdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.mjs";

const [out = "shots", ...names] = process.argv.slice(2);
const fixtures = fileURLToPath(new URL("../../target/page-fixtures", import.meta.url));
const SIZES = [
  ["desktop", 1440, 900],
  ["phone", 390, 844],
];
mkdirSync(out, { recursive: true });
const browser = await chromium.launch(CHROMIUM);
for (const name of names.length > 0 ? names : ["usual"]) {
  for (const [size, width, height] of SIZES) {
    for (const theme of ["light", "dark"]) {
      for (const language of ["en", "zh"]) {
        const shot = `${size}-${theme}-${language}`;
        if (process.env.ONLY && !shot.match(process.env.ONLY)) continue;
        const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme, locale: language === "en" ? "en-GB" : "zh-CN" });
        page.on("console", (message) => console.log(message.type(), message.text()));
        page.on("pageerror", (error) => console.log(String(error)));
        const file = existsSync(name) ? resolve(name) : `${fixtures}/${name}/${language === "en" ? "report.html" : "report.zh.html"}`;
        const before = Date.now();
        await page.goto(String(pathToFileURL(file)));
        console.log(name, shot, Date.now() - before, "ms");
        const path = `${out}/${basename(name, ".html")}-${shot}`;
        await page.screenshot({ path: `${path}.png` });
        if (!process.env.FIRST) {
          const tall = await page.evaluate(() => document.documentElement.scrollHeight);
          const step = Number(process.env.STEP ?? 1800);
          for (let y = 0, i = 0; y < tall; y += step, i++) {
            await page.screenshot({ path: `${path}-${i}.png`, clip: { x: 0, y, width, height: Math.min(step, tall - y) }, fullPage: true });
          }
        }
        await page.close();
      }
    }
  }
}
await browser.close();
