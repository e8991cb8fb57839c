import { defineConfig } from "vite";
import { oneFile } from "./scripts/one-file.ts";

export default defineConfig({
  plugins: [oneFile()],
  // Dependencies' own assets are none; nothing may stand beside the page.
  publicDir: false,
  build: {
    outDir: "../crates/report/assets",
    emptyOutDir: false,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    assetsInlineLimit: 0,
  },
  test: { include: ["src/**/*.test.ts"] },
} as Parameters<typeof defineConfig>[0]);
