// axe finds no serious or critical fault, in both themes and languages.

import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { open, openAll } from "./open";

for (const theme of ["light", "dark"] as const) {
  for (const name of ["report.html", "report.zh.html"]) {
    for (const run of ["hostile", "usual", "rich", "profiled"] as const) {
      test(`${run}, ${name}, ${theme}`, async ({ page }) => {
        await page.emulateMedia({ colorScheme: theme });
        await open(page, run, name);
        // Only the small run with everything open: axe takes minutes for tens of thousands of cells.
        if (run === "hostile") await openAll(page);
        // Drawings are hidden from readers, who have the finding in words; their parts need no look.
        const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).exclude(".chart svg").analyze();
        const faults = violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html} (${nodes.length})`);
        console.log(faults.join("\n"));
        expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map((v) => v.id)).toEqual([]);
      });
    }
  }
}
