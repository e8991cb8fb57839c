import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { interval, number, percent, thousands, time } from "./format";

/** The cases that the formatting of all other reports is held to as well (`units` in photofinish-model). */
interface Cases {
  number: [number | null, string][];
  percent: [number | null, string][];
  thousands: [number | null, string][];
  text: [string, number | null, string][];
  interval: [string, number, number, number, string][];
}

const cases = JSON.parse(readFileSync(new URL("../../crates/model/cases/numbers.json", import.meta.url), "utf8")) as Cases;

describe("numbers read as in every other report", () => {
  const plain = { number, percent, thousands };
  for (const [name, format] of Object.entries(plain)) {
    it.each(cases[name as keyof typeof plain])(`${name} of %d is %s`, (value, text) => {
      expect(format(value ?? NaN)).toBe(text);
    });
  }

  it.each(cases.text.filter(([unit]) => unit === "microseconds"))("%s %d is %s", (_, value, text) => {
    expect(time(value ?? NaN)).toBe(text);
  });

  it.each(cases.interval.filter(([unit]) => unit === "microseconds"))("an interval about %s %d has its unit", (_, value, low, high, text) => {
    expect(interval(value, low, high)).toBe(text);
  });
});
