// Names, texts and answers that try to become markup stay text.

import { expect, test } from "@playwright/test";
import { open, openAll, own } from "./open";

test("nothing that a server or a study said is markup", async ({ page }) => {
  const watched = await open(page, "hostile");
  await openAll(page);
  await page.getByText("p99", { exact: true }).and(page.locator("label")).first().click();
  await page.getByRole("button", { name: "中文" }).click();
  await openAll(page);
  expect(watched.dialogs).toEqual([]);
  expect(watched.problems).toEqual([]);
  expect(watched.requests).toEqual(own("hostile"));
  const counts = await page.evaluate(() => ({
    images: document.images.length,
    // The data and the page's own.
    scripts: document.scripts.length,
    listeners: document.querySelectorAll("[onload], [onerror]").length,
    links: [...document.links].filter((link) => !link.getAttribute("href")?.startsWith("#")).length,
  }));
  expect(counts).toEqual({ images: 0, scripts: 2, listeners: 0, links: 0 });
  await expect(page.locator("h1")).toHaveText("<svg onload=alert(2)>");
  await expect(page.locator("#study")).toContainText("</script><img src=x onerror=alert(1)>");
  await expect(page.locator("#claims")).toContainText("<script>alert(5)</script>");
  await expect(page.locator("#gaps")).toContainText("<b>java.lang.OutOfMemoryError</b>");
});
