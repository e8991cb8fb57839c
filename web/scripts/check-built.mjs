// Fails when the committed page is not what web/ builds.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const committed = fileURLToPath(new URL("../../crates/report/assets/report.html", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "photofinish-page-"));
try {
  await build({ logLevel: "warn", build: { outDir: folder, emptyOutDir: false } });
  if (!readFileSync(join(folder, "report.html")).equals(readFileSync(committed))) {
    console.error("crates/report/assets/report.html is not what web/ builds: run `npm run build` in web/ and commit it");
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
