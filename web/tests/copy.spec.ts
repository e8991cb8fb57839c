// Copying: what comes of it, and that something always does.

import { readFileSync } from "node:fs";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { open } from "./open";

/** How long a copy may take on a slow and busy machine. */
const SLOW = { timeout: 30_000 };

const figureButton = (page: Page): Locator => page.locator("#verdict figcaption .copy").first();

/** Clicks a button that copies, and waits for what it says came of it, which it shows only for a moment. */
async function outcome(button: Locator): Promise<string> {
  await button.evaluate((element) => {
    element.removeAttribute("data-began");
    element.removeAttribute("data-outcome");
    new MutationObserver(() => {
      if (element.hasAttribute("aria-busy")) element.setAttribute("data-began", "");
      else if (element.hasAttribute("data-began") && !element.hasAttribute("data-outcome")) element.setAttribute("data-outcome", element.textContent ?? "");
    }).observe(element, { attributes: true, attributeFilter: ["aria-busy"], childList: true });
  });
  await button.hover();
  await button.click();
  await expect(button).toHaveAttribute("data-outcome", /./, SLOW);
  return (await button.getAttribute("data-outcome"))!;
}

test("an image that is copied has what is to be known below the picture", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, "levels");
  const copied = async (): Promise<number> => {
    expect(await outcome(figureButton(page))).toBe("Copied");
    return page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      const image = await createImageBitmap(await item!.getType("image/png"));
      return image.height / 2;
    });
  };
  const withNotes = await copied();
  const items = await page.locator("#verdict .cautions li").count();
  expect(items).toBeGreaterThan(0);
  await page.evaluate(() => document.querySelector("#verdict .cautions")!.remove());
  const without = await copied();
  expect(withNotes - without).toBeGreaterThanOrEqual(20 * items);
});

test("a picture is copied as an image, and tables and the verdict as Markdown", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const watched = await open(page, "hostile");
  const text = () => page.evaluate(() => navigator.clipboard.readText());
  expect(await outcome(page.locator(".controls .copy"))).toBe("Copied");
  expect(await text()).toContain("photofinish");
  expect(await text()).not.toMatch(/[^\\]<(script|img)/);
  await page.locator("#throughput details.tables summary").first().click();
  expect(await outcome(page.locator("#throughput details .copy").first())).toBe("Copied");
  expect(await text()).toMatch(/^\| server \|.*\n\| :--- \|/);
  expect(await outcome(page.locator("#throughput figcaption .copy").first())).toBe("Copied");
  expect(await page.evaluate(async () => (await navigator.clipboard.read())[0]?.types)).toContain("image/png");
  expect(watched.problems).toEqual([]);
});

test("an image that the clipboard refuses is saved", async ({ page }) => {
  await page.addInitScript(() => {
    navigator.clipboard.write = () => Promise.reject(new DOMException("refused", "NotAllowedError"));
  });
  await open(page, "levels");
  const download = page.waitForEvent("download", SLOW);
  expect(await outcome(figureButton(page))).toBe("Saved");
  const saved = await download;
  expect(saved.suggestedFilename()).toBe("photofinish.png");
  expect(readFileSync(await saved.path()).subarray(1, 4).toString()).toBe("PNG");
});

test("an image is saved when the clipboard says nothing, and the button says that it is at it", async ({ page }) => {
  await page.clock.install();
  await page.addInitScript(() => {
    navigator.clipboard.write = () => {
      document.body.setAttribute("data-asked", "");
      return new Promise(() => undefined);
    };
  });
  await open(page, "levels");
  const button = figureButton(page);
  const download = page.waitForEvent("download", SLOW);
  await button.hover();
  await button.click();
  await expect(page.locator("body")).toHaveAttribute("data-asked", "", SLOW);
  await expect(button).toHaveAttribute("aria-busy", "true");
  await expect(button).toHaveText("Copying…");
  await page.clock.fastForward(10_000);
  await download;
  await expect(button).not.toHaveAttribute("aria-busy", /./, SLOW);
  await page.clock.fastForward(10_000);
  await expect(button).toHaveText("Copy image", SLOW);
});
