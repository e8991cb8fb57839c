// Screenshots to look at: node scripts/screenshots.mjs OUT [NAME…]; NAME is a folder of made-up results.
import { mkdirSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.mjs";

const [out = "shots", ...names] = process.argv.slice(2);
const fixtures = fileURLToPath(new URL("../../target/page-fixtures", import.meta.url));
mkdirSync(out, { recursive: true });
const browser = await chromium.launch(CHROMIUM);
for (const name of names.length > 0 ? names : ["usual"]) {
  for (const [size, width] of [["desktop", 1280], ["phone", 390]]) {
    for (const theme of ["light", "dark"]) {
      for (const language of ["en", "zh"]) {
        if (process.env.ONLY && !`${size}-${theme}-${language}`.match(process.env.ONLY)) continue;
        const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: theme });
        page.on("console", (message) => console.log(message.type(), message.text()));
        page.on("pageerror", (error) => console.log(String(error)));
        const file = language === "en" ? "report.html" : "report.zh.html";
        const before = Date.now();
        await page.goto(String(pathToFileURL(`${fixtures}/${name}/${file}`)));
        await page.locator(".chart svg").last().waitFor({ timeout: 10000 }).catch(() => {});
        console.log(name, size, theme, language, Date.now() - before, "ms");
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        const step = Number(process.env.STEP ?? 2400);
        await page.setViewportSize({ width, height: Math.min(height, 16000) });
        for (let y = 0, i = 0; y < height; y += step, i++) {
          await page.screenshot({ path: `${out}/${name}-${size}-${theme}-${language}-${i}.png`, clip: { x: 0, y, width, height: Math.min(step, height - y) }, fullPage: true });
        }
        await page.close();
      }
    }
  }
}
await browser.close();
