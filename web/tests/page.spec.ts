// What the page does, whatever its figures are.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import { drawn, file, open, openAll, own, RUNS } from "./open";

for (const run of RUNS) {
  test(`${run}: draws without an error and asks for nothing`, async ({ page }) => {
    const began = Date.now();
    const watched = await open(page, run);
    console.log(`${run}: drawn ${Date.now() - began} ms after it was asked for`);
    if (run !== "large" && run !== "rich") await openAll(page);
    expect(watched.problems).toEqual([]);
    expect(watched.requests).toEqual(own(run));
    await expect(page.locator("h1")).not.toBeEmpty();
    await expect(page.locator(".verdict")).not.toBeEmpty();
  });
}

test("a study of 200 measurements takes at most 1 MB", () => {
  expect(statSync(file("large", "report.html")).size).toBeLessThanOrEqual(1_000_000);
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

test("the language is switched, and what was open stays open", async ({ page }) => {
  await open(page, "usual");
  const details = page.locator("#throughput details.beside").first();
  await details.locator("summary").click();
  await expect(details.locator("table")).toBeVisible();
  await page.getByRole("button", { name: "中文" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
  await expect(page.getByRole("heading", { name: "吞吐量与响应时间" })).toBeVisible();
  await expect(details.locator("table")).toBeVisible();
  await expect(page.locator(".verdict")).toContainText("共 5 轮");
  await drawn(page);
  await page.getByRole("button", { name: "English" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
});

for (const run of ["usual", "rich", "sustained", "profiled", "one-round", "broken"] as const) test(`in Chinese no English word of the interface is left: ${run}`, async ({ page }) => {
  const watched = await open(page, run, "report.zh.html");
  await openAll(page);
  expect(watched.problems).toEqual([]);
  const text = await page.evaluate(() => {
    // Others' words: quotations, what a study's author wrote, commands, functions, and what the machine says of itself.
    for (const part of document.querySelectorAll("q, .authored, #language, code, #machine dd, .flame svg, .flame-says")) part.remove();
    const labels = [...document.querySelectorAll(":not(svg *)[aria-label]")].map((e) => e.getAttribute("aria-label"));
    const others = document.querySelectorAll("[lang='en']").length;
    return [document.body.innerText, ...labels, others > 0 ? "Elements still claim to be English." : ""].join("\n");
  });
  // A header field's name, as Content-Length is one; commands, flags and packages in a remedy.
  const words = new Set(text.replaceAll(/grpc-status|http:|generator]]|ca-certificates|--cacert|--insecure|ulimit|Debian/g, "").match(/[A-Za-z][a-z]{3,}/g));
  // Names of targets and workloads, of flags, laws, people and files, and what was published.
  const names = /^(event|loop|tio|boot|virtual|threads|quarkus|plaintext|steady|rate|sleep|photofinish|made|source|against|Holm|PELT|Barrett|Killick|Kalibera|Jones|Georges|Gunther|Mets|docs|methods|commit|paced|echo|again|postgresql|postgres|Markdown|fortune|world|usual|rich|sustained|profiled|limit|round|broken|duration|resume|netty|only|scale|published|Content|Length|WebSocket|Socket|Unix|rows|tomcat)$/;
  expect([...words].filter((word) => !names.test(word))).toEqual([]);
});

test("every table can be reached and opened with the keyboard alone", async ({ page }) => {
  await open(page, "one-round");
  const total = await page.locator("summary").count();
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
  const summary = page.locator("#throughput details.beside summary").first();
  await summary.focus();
  await page.keyboard.press("Enter");
  await expect(page.locator("#throughput table").first()).toBeVisible();
});

test("the metric of the ratios is chosen with the keyboard", async ({ page }) => {
  await open(page, "usual");
  await page.getByRole("radio", { name: "throughput" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.locator("#verdict .lead")).toContainText("mean response time");
  const label = await page.locator("#verdict figure .chart").first().getAttribute("aria-label");
  expect(label).toContain("mean");
});

test("pictures have their finding as a name", async ({ page }) => {
  await open(page, "usual");
  const images = page.getByRole("img");
  expect(await images.count()).toBeGreaterThan(20);
  for (const image of await images.all()) expect((await image.getAttribute("aria-label"))!.length).toBeGreaterThan(20);
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

test("it is printed light, without switches, with all pictures", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await open(page, "usual");
  await page.emulateMedia({ media: "print" });
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(255, 255, 255)");
  await expect(page.locator("#language")).toBeHidden();
  const empty = await page.locator(".chart:not(:has(svg))").count();
  expect(empty).toBe(0);
});

test("on paper nothing asks to be opened, what to doubt is whole, and daggers have their notes", async ({ page }) => {
  await page.setViewportSize({ width: 640, height: 900 });
  await open(page, "usual");
  const span = page.locator(".doubts summary span");
  const isCut = () => span.evaluate((e) => e.scrollWidth > e.clientWidth + 1);
  expect(await isCut()).toBe(true);
  await page.emulateMedia({ media: "print" });
  expect(await isCut()).toBe(false);
  await expect(page.locator(".doubts li").last()).toBeVisible();
  for (const stub of await page.locator("details:is(.beside, .method):not([open], .cautions)").all()) await expect(stub).toBeHidden();
  const cautions = page.locator(".cautions li");
  expect(await cautions.count()).toBeGreaterThan(0);
  await expect(cautions.first()).toBeVisible();
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

test("an interval that bounds nothing is called so, and does not set a scale", async ({ page }) => {
  const usual = readFileSync(file("usual", "report.html"), "utf8");
  const from = usual.indexOf(">", usual.indexOf('id="data"')) + 1;
  const to = usual.indexOf("<", from);
  const data = JSON.parse(usual.slice(from, to));
  const wide = data.comparison.cells[0].targets[0].figures;
  for (const metric of ["throughput", "p50", "p99"]) wide[metric].interval = { low: 1e-7, high: 1e13 };
  const text = JSON.stringify(data).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");
  writeFileSync(file("usual", "wide.html"), usual.slice(0, from) + text + usual.slice(to));
  await open(page, "usual", "wide.html");
  const far = /\d(,000){2}|\dM|\d{7}/;
  for (const id of ["#throughput", "#load"]) {
    const texts = await page.locator(`${id} .cell`).first().locator(".chart svg text").allTextContents();
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.filter((text) => far.test(text))).toEqual([]);
  }
  const cell = page.locator("#throughput .cell").first();
  await cell.locator("details.beside > summary").first().click();
  await expect(cell.locator("td[data-quantity=p99] .detail").first()).toHaveText("[wider than ×10]");
});

test("on a phone a long name leaves the figures in sight", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, "usual");
  await page.locator("#throughput details.beside > summary").first().click();
  const row = page.locator("#throughput tbody tr").first();
  await row.locator("th").evaluate((th) => (th.textContent = "a-target-".repeat(7)));
  const figure = (await row.locator("td").first().boundingBox())!;
  expect(figure.x + figure.width).toBeLessThan(390);
});

for (const name of ["report.html", "report.zh.html"]) {
  test(`on a phone no label of a level stands on another: ${name}`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const run of ["usual", "levels", "rich"] as const) {
      await open(page, run, name);
      const over = await page.evaluate(() =>
        [...document.querySelectorAll("#load .chart svg")].flatMap((svg) => {
          const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent !== "");
          const boxes = texts.map((text) => text.getBoundingClientRect());
          const isOver = (a: DOMRect, b: DOMRect): boolean =>
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
          return boxes.flatMap((a, i) => boxes.slice(i + 1).flatMap((b, j) => (isOver(a, b) ? [[texts[i]!.textContent, texts[i + 1 + j]!.textContent]] : [])));
        }),
      );
      expect(over, run).toEqual([]);
    }
  });
}

for (const name of ["report.html", "report.zh.html"]) {
  test(`on a phone nothing is wider than the screen: ${name}`, async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const run of ["usual", "rich", "profiled", "hostile", "nothing", "broken"] as const) {
      await open(page, run, name);
      if (run !== "rich") await openAll(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), run).toBeLessThanOrEqual(360);
    }
  });
}

for (const [device, viewport] of [["a desktop", { width: 1280, height: 800 }], ["a phone", { width: 390, height: 844 }]] as const) {
  test(`the first screen of ${device} has the verdict, what to doubt in one line, and a ratio`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await open(page, "usual");
    const end = async (selector: string) => {
      const box = (await page.locator(selector).first().boundingBox())!;
      return box.y + box.height;
    };
    const [verdict, doubts, ratios] = [await end(".verdict"), await end(".doubts summary"), await end("#verdict .scale")];
    expect(verdict).toBeLessThan(doubts);
    expect(doubts).toBeLessThan(ratios);
    const mark = await page.locator("#verdict figure svg [aria-label=dot]").first().boundingBox();
    expect(mark!.y + mark!.height).toBeLessThan(viewport.height);
    expect((await page.locator(".doubts summary").boundingBox())!.height).toBeLessThan(45);
    // All sentences begin at one edge.
    const edges = await page.evaluate(() => ["h1", ".verdict", ".doubts", "#verdict h2", "#verdict .scale", "#throughput h2"].map((s) => Math.round(document.querySelector(s)!.getBoundingClientRect().left)));
    expect(new Set(edges).size).toBe(1);
    await page.locator(".doubts summary").click();
    await expect(page.locator(".doubts li").first()).toBeVisible();
  });

  for (const name of ["report.html", "report.zh.html"]) {
    test(`the first screen of ${device} has the first ratios of a pair at several levels: ${name}`, async ({ page }) => {
      await page.setViewportSize(viewport);
      await open(page, "levels", name);
      const pictures = page.locator("#verdict figure .chart");
      await expect(pictures).toHaveCount(1);
      await expect(pictures.locator("[aria-label=dot]")).toHaveCount(4);
      // Two levels at least, of which the second is another ratio; on a desktop all of them.
      const seen = device === "a phone" ? 2 : 4;
      const { y, height } = (await pictures.locator("[aria-label=dot]").nth(seen - 1).boundingBox())!;
      expect(y + height).toBeLessThanOrEqual(viewport.height);
      // What is to be known of the rows is a line below, which opens.
      await expect(pictures).toContainText("†");
      await page.locator("#verdict .cautions > summary").click();
      await expect(page.locator("#verdict .cautions li").first()).toContainText("plaintext");
    });
  }
}

test("the contents stay in sight, and lead to every section", async ({ page }) => {
  await open(page, "usual");
  const links = page.locator("nav.contents a");
  expect(await links.count()).toBe(await page.locator("main > section").count());
  await links.last().click();
  await expect(links.last()).toBeInViewport();
  await expect(page.locator("#methods h2")).toBeInViewport();
});

test("pictures are read out under the pointer", async ({ page }) => {
  await open(page, "usual");
  for (const section of ["#verdict figure", "#throughput", "#percentiles", "#load", "#windows", "#claims"]) {
    const picture = page.locator(`${section} .chart svg`).first();
    await picture.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await picture.boundingBox())!;
    let readOut = "";
    for (let i = 1; i < 10 && readOut === ""; i++) {
      for (let j = 1; j < 10 && readOut === ""; j++) {
        await page.mouse.move(x + (width * i) / 10, y + (height * j) / 10);
        readOut = (await picture.locator("[aria-label=tip]").textContent()) ?? "";
      }
    }
    expect(readOut, section).toMatch(/event-loop|tio-boot|quarkus/);
  }
});

test("pictures are read out by the arrow keys", async ({ page }) => {
  await open(page, "levels");
  const picture = page.locator("#verdict figure .chart");
  const tip = picture.locator("[aria-label=tip]");
  await picture.focus();
  const seen = new Set<string>();
  for (let i = 0; i < 4; i++) {
    await page.keyboard.press("ArrowDown");
    await expect(tip).toContainText("connections");
    const text = (await tip.textContent())!;
    seen.add(text);
    // Who cannot see it hears the same.
    const said = (await page.locator("[aria-live]").textContent())!;
    expect(text.replaceAll(/\s/g, "")).toContain(said.split("\n")[1]!.replaceAll(/\s/g, ""));
  }
  expect(seen.size).toBe(4);
  await page.keyboard.press("Escape");
  await expect(tip).toBeEmpty();
  // Every picture with figures can be reached.
  const charts = page.locator(".chart:has(svg):not(.scale .chart)");
  for (const chart of await charts.all()) await expect(chart).toHaveAttribute("tabindex", "0");
});

test("pictures are read out under a finger", async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await open(page, "levels");
  const picture = page.locator("#verdict figure .chart");
  await picture.locator("[aria-label=dot]").first().tap();
  await expect(picture.locator("[aria-label=tip]")).toContainText("16 connections");
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

test("without scripts the verdict, its table and its picture are there", async ({ browser }) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(String(pathToFileURL(file("usual", "report.html"))));
  await expect(page.locator("#page .verdict")).not.toBeEmpty();
  await expect(page.locator("#page table tbody tr")).not.toHaveCount(0);
  await expect(page.locator("#page svg").first()).toBeVisible();
  await page.close();
});

for (const [screen, width] of [["a desktop", 1280], ["a phone", 360]] as const)
  for (const name of ["report.html", "report.zh.html"]) {
    test(`no words of a chart are cut off on ${screen}: ${name}`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 });
      for (const run of ["usual", "rich", "sustained", "profiled", "one-round"] as const) {
        await open(page, run, name);
        await openAll(page);
        await drawn(page);
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll(".chart svg")].flatMap((svg) => {
            const box = svg.getBoundingClientRect();
            if (box.width === 0) return [];
            const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent !== "");
            const isCut = (text: Element): boolean => {
              const { left, right, top, bottom } = text.getBoundingClientRect();
              const across = Math.max(box.left - left, right - box.right);
              // The room above and below letters is more than they need.
              const upright = Math.max(box.top - top, bottom - box.bottom);
              return across > 1 || upright > 3 || text.textContent!.endsWith("…");
            };
            return texts.filter(isCut).map((text) => text.textContent);
          }),
        );
        expect(cut, run).toEqual([]);
      }
    });
  }
