import type { LaunchOptions } from "playwright-core";

export const CHROMIUM: LaunchOptions;
