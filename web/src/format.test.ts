import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isWide, number, percent, plainPercent, ratio, ratioWithInterval, thousands, Units } from "./format";
import type { Unit } from "./types";

const units = new Units({ requestsPerSecond: "requests/s", cores: "cores" });

/** The cases that the formatting of all other reports is held to as well (`photofinish-model`'s `units`). */
interface Cases {
  number: [number | null, string][];
  ratio: [number | null, string][];
  percent: [number | null, string][];
  thousands: [number | null, string][];
  text: [Unit, number | null, string][];
  range: [Unit, number, number, string][];
  interval: [Unit, number, number, number, string][];
}

const cases = JSON.parse(readFileSync(new URL("../../crates/model/cases/numbers.json", import.meta.url), "utf8")) as Cases;

describe("numbers read as in every other report", () => {
  const plain = { number, ratio, percent, thousands };
  for (const [name, format] of Object.entries(plain)) {
    it.each(cases[name as keyof typeof plain])(`${name} of %d is %s`, (value, text) => {
      expect(format(value ?? NaN)).toBe(text);
    });
  }

  it.each(cases.text)("%s %d is %s", (unit, value, text) => {
    expect(units.text(unit, value ?? NaN)).toBe(text);
  });

  it.each(cases.range)("%s from %d to %d is %s", (unit, min, max, text) => {
    expect(units.range(unit, min, max)).toBe(text);
  });

  it.each(cases.interval)("an interval about %s %d has its unit", (unit, value, low, high, text) => {
    expect(units.interval(unit, value, { low, high })).toBe(text);
  });

  it("an interval is wide whose ends are more than 10 times apart", () => {
    expect([[1, 10], [1, 10.1], [0.001, 1e13]].map(([low = 0, high = 0]) => isWide({ low, high }))).toEqual([false, true, true]);
  });

  it("what only the page has", () => {
    expect(units.brief("requests-per-second", 210_393)).toBe("210,000");
    expect(plainPercent(0.9999)).toBe("99.99%");
    expect(plainPercent(0.02)).toBe("2%");
    expect(ratioWithInterval(1.0674, { low: 1.05, high: 1.08 })).toBe("1.067 [1.050 … 1.080]");
  });
});
