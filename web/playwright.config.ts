import { defineConfig } from "@playwright/test";
import { CHROMIUM } from "./scripts/chromium.mjs";

export default defineConfig({
  testDir: "tests",
  testMatch: "*.spec.ts",
  outputDir: "../target/page-tests",
  globalSetup: "./scripts/fixtures.mjs",
  workers: 2,
  // A machine of CI may be many times slower than a desk's, and busy.
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  use: { launchOptions: CHROMIUM, viewport: { width: 1280, height: 900 } },
});
