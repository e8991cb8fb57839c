// What the page does, whatever its figures are.

import { statSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import { file, open, share, tables } from "./open";

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

test("a study of 200 measurements takes at most 1.6 MB, one of two servers at four levels 400 kB, and at one level 250 kB", () => {
  expect(statSync(file("large", "report.html")).size).toBeLessThanOrEqual(1_600_000);
  expect(statSync(file("two-servers", "report.html")).size).toBeLessThanOrEqual(250_000);
  expect(statSync(file("levels", "report.html")).size).toBeLessThanOrEqual(400_000);
});

test("script and style take at most 80 kB", () => {
  expect(statSync(fileURLToPath(new URL("../../crates/report/assets/report.html", import.meta.url))).size).toBeLessThanOrEqual(80_000);
});

test("a picture that cannot be loaded would not be", async ({ page }) => {
  const watched = await open(page, "nothing");
  await page.evaluate(() => {
    const image = document.createElement("img");
    image.src = "http://127.0.0.1:9/pixel.png";
    document.body.append(image);
    void fetch("http://127.0.0.1:9/data").catch(() => undefined);
  });
  await expect.poll(() => watched.problems.join("\n")).toMatch(/Content Security Policy/);
});

test.describe("a usual run", () => {
  const shared = share("usual");

  test.beforeEach(async () => {
    await shared.page.emulateMedia({ colorScheme: null, media: null });
    await shared.page.setViewportSize({ width: 1280, height: 900 });
  });

  test("the first screen has the verdict, the grade of trust, and figures", async () => {
    const { page } = shared;
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      const end = async (selector: string) => {
        const box = (await page.locator(selector).first().boundingBox())!;
        return box.y + box.height;
      };
      const [verdict, trust, figures] = [await end(".verdict"), await end(".top p.bad, .top p.good"), await end(".top tbody tr")];
      expect(verdict).toBeLessThan(trust);
      expect(trust).toBeLessThan(figures);
      expect(figures).toBeLessThan(viewport.height);
      expect((await page.locator(".warnings summary").boundingBox())!.height).toBeLessThan(45);
      // All sentences begin at one edge.
      const edges = await page.evaluate(() => ["h1", ".verdict", ".warnings", "#verdict h3", "#throughput h3"].map((s) => Math.round(document.querySelector(s)!.getBoundingClientRect().left)));
      expect(new Set(edges).size).toBe(1);
      await page.locator(".warnings summary").click();
      await expect(page.locator(".warnings li").first()).toBeVisible();
      await page.locator(".warnings summary").click();
    }
  });

  test("without profiles there is no section of layers", async () => {
    await expect(shared.page.locator("#layers")).toHaveCount(0);
  });

  test("the language is switched, and what was open stays open", async () => {
    const { page } = shared;
    const details = page.locator("#throughput details.tables").first();
    await details.locator("summary").click();
    await expect(details.locator("table")).toBeVisible();
    await page.getByRole("button", { name: "中文" }).click();
    await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
    await expect(page.getByRole("heading", { name: "吞吐量与响应时间" })).toBeVisible();
    await expect(details.locator("table")).toBeVisible();
    await expect(page.locator(".verdict")).toContainText("领先");
    await page.getByRole("button", { name: "English" }).click();
    await expect(page.locator("html")).toHaveAttribute("lang", "en");
  });

  test("the metric of the ratios is chosen with the keyboard", async () => {
    const { page } = shared;
    await page.locator("#verdict input[type=radio]").first().focus();
    await page.keyboard.press("ArrowRight");
    await expect(page.locator("#verdict figure:visible .unseen").first()).toContainText("mean");
    await page.keyboard.press("ArrowLeft");
    await expect(page.locator("#verdict figure:visible .unseen").first()).not.toContainText("mean");
  });

  test("pictures have their finding as a name", async () => {
    const { page } = shared;
    const findings = await page.locator("figure .chart").evaluateAll((all) => all.map((chart) => document.getElementById(chart.getAttribute("aria-labelledby")!)!.textContent!.length));
    expect(findings.length).toBeGreaterThan(20);
    for (const length of findings) expect(length).toBeGreaterThan(20);
  });

  test("the contents stay in sight, and lead to every section", async () => {
    const { page } = shared;
    const links = page.locator("nav.contents a");
    expect(await links.count()).toBe(await page.locator("main > section").count());
    await links.last().click();
    await expect(links.last()).toBeInViewport();
    await expect(page.locator("#how h2")).toBeInViewport();
  });

  test("pictures are read out under the pointer", async () => {
    const { page } = shared;
    for (const section of ["#verdict", "#throughput", "#percentiles", "#load", "#windows", "#claims"]) {
      const chart = page.locator(`${section} .chart:visible`).first();
      await chart.scrollIntoViewIfNeeded();
      const { x, y, width, height } = (await chart.boundingBox())!;
      let readOut = "";
      for (let i = 1; i < 10 && readOut === ""; i++) {
        for (let j = 1; j < 10 && readOut === ""; j++) {
          await page.mouse.move(x + (width * i) / 10, y + (height * j) / 10);
          readOut = (await chart.locator(".tip").textContent()) ?? "";
        }
      }
      expect(readOut, section).toMatch(/event-loop|tio-boot|quarkus/);
    }
  });

  test("a point is read out where it is drawn, with the figure of the table", async () => {
    const { page } = shared;
    const chart = page.locator("#load .chart:visible").first();
    const mark = chart.locator("[data-series] use").first();
    await mark.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await mark.boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    const [first] = await tables(page, "#load");
    const [text, interval] = first!.rows[0]![1]!;
    await expect(chart.locator(".tip")).toContainText(`${first!.columns[1]!.split(",")[0]}`);
    await expect(chart.locator(".tip")).toContainText(`${text} requests/s ${interval}`);
  });

  test("it is printed light, without switches, with all pictures", async () => {
    const { page } = shared;
    await page.emulateMedia({ colorScheme: "dark", media: "print" });
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(255, 255, 255)");
    await expect(page.locator("#language")).toBeHidden();
    await expect(page.locator("#percentiles .drawing").first()).toBeVisible();
  });

  test("on paper nothing asks to be opened, what to doubt is whole, and daggers have their notes", async () => {
    const { page } = shared;
    await page.setViewportSize({ width: 640, height: 900 });
    await page.emulateMedia({ media: "print" });
    await expect(page.locator(".warnings li").last()).toBeVisible();
    for (const stub of await page.locator("details:is(.tables, .fold):not([open], .cautions)").all()) await expect(stub).toBeHidden();
    const cautions = page.locator(".cautions li");
    expect(await cautions.count()).toBeGreaterThan(0);
    await expect(cautions.first()).toBeVisible();
  });

  test("on a phone a long name leaves the figures in sight", async () => {
    const { page } = shared;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator("#throughput details.tables").first().evaluate((details: HTMLDetailsElement) => (details.open = true));
    const row = page.locator("#throughput tbody tr").first();
    await row.locator("th").evaluate((th) => (th.textContent = "a-target-".repeat(7)));
    const figure = (await row.locator("td").first().boundingBox())!;
    expect(figure.x + figure.width).toBeLessThan(390);
  });
});

for (const name of ["report.html", "report.zh.html"]) {
  test(`the first screen has the figures of a pair at all levels: ${name}`, async ({ page }) => {
    await open(page, "levels", name);
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      const pictures = page.locator("#verdict figure:visible .chart");
      await expect(pictures).toHaveCount(1);
      await expect(pictures.locator("[data-series] use")).toHaveCount(4);
      const { y, height } = (await page.locator(".top tbody tr").nth(3).boundingBox())!;
      expect(y + height).toBeLessThanOrEqual(viewport.height);
      // What is to be known of the rows is a line below, which opens.
      await expect(pictures).toContainText("†");
      const cautions = page.locator("#verdict .cautions:visible");
      await cautions.locator("> summary").click();
      await expect(cautions.locator("li").first()).toContainText("plaintext");
      await cautions.locator("> summary").click();
    }
  });
}

test("every table can be reached and opened with the keyboard alone", async ({ page }) => {
  await open(page, "one-round");
  const total = await page.locator("summary:visible").count();
  const reached = new Set<number>();
  await page.locator("body").press("Tab");
  for (let presses = 0; presses < 400 && reached.size < total; presses++) {
    const index = await page.evaluate(() => {
      const active = document.activeElement;
      return active?.tagName === "SUMMARY" ? [...document.querySelectorAll("summary")].indexOf(active as HTMLElement) : -1;
    });
    if (index >= 0) reached.add(index);
    await page.keyboard.press("Tab");
  }
  expect(reached.size).toBe(total);
  const summary = page.locator("#throughput details.tables summary").first();
  await summary.focus();
  await page.keyboard.press("Enter");
  await expect(page.locator("#throughput table").first()).toBeVisible();
});

test("the theme follows the system and can be switched", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await open(page, "one-round");
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.locator("#theme").click();
  expect(await paper()).not.toBe(dark);
  await page.locator("#theme").click();
  expect(await paper()).toBe(dark);
});

test("where nothing was measured, that is what the sections say", async ({ page }) => {
  await open(page, "nothing");
  await expect(page.locator("#verdict")).toContainText("Nothing was measured, so there is nothing to compare.");
  await expect(page.locator("#throughput")).toContainText("Nothing was measured.");
  await expect(page.locator("#percentiles")).toContainText("There are no response times to draw.");
  await open(page, "nothing", "report.zh.html");
  await expect(page.locator("#verdict")).toContainText("没有测得任何结果，无从比较。");
  await expect(page.locator("#throughput")).toContainText("没有测得任何结果。");
  await expect(page.locator("#percentiles")).toContainText("没有可画的响应时间。");
});

test("pictures are read out by the arrow keys", async ({ page }) => {
  await open(page, "levels");
  const picture = page.locator("#verdict figure:visible .chart");
  const tip = picture.locator(".tip");
  await picture.focus();
  const seen = new Set<string>();
  for (let i = 0; i < 4; i++) {
    await page.keyboard.press("ArrowDown");
    await expect(tip).toContainText("connections");
    const text = (await tip.textContent())!;
    seen.add(text);
    // Who cannot see it hears the same.
    expect(await page.locator("body > [aria-live]").textContent()).toBe(text);
  }
  expect(seen.size).toBe(4);
  await page.keyboard.press("Escape");
  await expect(tip).toBeEmpty();
  // Every picture with figures can be reached.
  for (const chart of await page.locator(".chart:has([data-series])").all()) await expect(chart).toHaveAttribute("tabindex", "0");
});

test("pictures are read out under a finger", async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await open(page, "levels");
  const picture = page.locator("#verdict figure:visible .chart");
  await picture.locator("[data-series] use").first().tap({ force: true });
  await expect(picture.locator(".tip")).toContainText("16 connections");
  await context.close();
});

test("it begins in the browser's language, unless one was chosen", async ({ browser }) => {
  const page = await browser.newPage({ locale: "zh-CN" });
  await open(page, "one-round", "report.auto.html");
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
  await open(page, "one-round", "report.html");
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await page.close();
});

test("without scripts the whole report is there", async ({ browser }) => {
  const [plain, whole] = [await browser.newPage({ javaScriptEnabled: false }), await browser.newPage()];
  for (const name of ["report.html", "report.zh.html"]) {
    await plain.goto(String(pathToFileURL(file("usual", name))));
    await open(whole, "usual", name);
    for (const selector of ["main > section", "figure", "svg.strip", "svg.drawing", "table", "h3", "details"]) {
      expect(await plain.locator(selector).count(), selector).toBeGreaterThan(0);
    }
    for (const selector of ["main > section", "figure", "svg.strip", "svg.drawing", "h3"]) {
      expect(await plain.locator(selector).count(), selector).toBe(await whole.locator(selector).count());
    }
    await expect(plain.locator(".verdict")).toBeVisible();
    await expect(plain.locator("#verdict .strip").first()).toBeVisible();
    // Switches need no script.
    await plain.locator("#windows label", { hasText: "p99" }).click();
    await expect(plain.locator("#windows .option:visible")).toHaveCount(1);
  }
  await plain.close();
  await whole.close();
});
