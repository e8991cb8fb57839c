import { defineConfig } from "@playwright/test";
import { CHROMIUM } from "./scripts/chromium.mjs";

export default defineConfig({
  testDir: "tests",
  testMatch: "*.spec.ts",
  outputDir: "../target/page-tests",
  globalSetup: "./scripts/fixtures.mjs",
  workers: 1,
  reporter: [["list"]],
  use: { launchOptions: CHROMIUM, viewport: { width: 1280, height: 900 } },
});
