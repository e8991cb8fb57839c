import { describe, expect, it } from "vitest";
import { fit, type Label, placed, textWidth } from "./text";
import { apart } from "./lines";
import { logTicks, ratioTicks, reach, short, time, timeTicks, within } from "./scales";

describe("ticks", () => {
  it("are round in the unit in which the largest is read", () => {
    const ticks = timeTicks("microseconds", 1_900, 4_100, 5);
    expect(ticks.values.map(ticks.format)).toEqual(["2.0 ms", "2.5 ms", "3.0 ms", "3.5 ms", "4.0 ms"]);
    expect(timeTicks("count", 0, 212_000, 5).values).toEqual([0, 50_000, 100_000, 150_000, 200_000]);
    expect(timeTicks("count", 5, 5, 5).values).toEqual([5]);
  });

  it("of a logarithmic scale thin out where they are too many", () => {
    expect(logTicks(90, 1100, 9)).toEqual([100, 200, 500, 1000]);
    expect(logTicks(1, 1e6, 8)).toEqual([1, 10, 100, 1e3, 1e4, 1e5, 1e6]);
  });

  it("of ratios lie near all of them, however far apart they are", () => {
    expect(ratioTicks([0.85, 1.21], 400)).toEqual([0.9, 1, 1.1, 1.2].map((value) => expect.closeTo(value)));
    expect(ratioTicks([0.0031, 1.09], 540)).toEqual([0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]);
    expect(ratioTicks([0.0031, 1.09], 300)).toEqual([0.01, 0.03, 0.1, 0.3, 1]);
  });

  it("are left out where their labels would touch", () => {
    const axis = { ticks: [1, 2, 3, 4], format: () => "12345" };
    const at = (value: number): number => value * 30;
    const ticks = (from: number, to: number): number[] => apart(axis, { at, from, to }).map(({ tick }) => tick);
    expect(ticks(0, 200)).toEqual([1, 3]);
    expect(ticks(-40, 90)).toEqual([1]);
    // A label of 36 pixels ends at the edge.
    expect(apart({ ...axis, ticks: [1, 4] }, { at, from: 20, to: 125 }).map(({ middle }) => middle)).toEqual([38, 107]);
  });

  it("have short labels", () => {
    expect([500, 2000, 1.5e6].map(time)).toEqual(["500 µs", "2 ms", "1.5 s"]);
    expect([0, 5000, 20_000, 2.5e6].map(short)).toEqual(["0", "5,000", "20k", "2.5M"]);
  });

  it("text is cut off where it does not fit", () => {
    expect(fit("event-loop", 200)).toBe("event-loop");
    const cut = fit("tio-boot@virtual-threads", 80);
    expect(cut.endsWith("…") && textWidth(cut) <= 80).toBe(true);
  });
});

describe("a scale", () => {
  const figure = (min: number, max: number, low: number, high: number) => ({ min, max, interval: { low, high } });

  it("is not stretched by an interval that bounds nothing", () => {
    expect(reach([figure(2_100, 5_600, 0.001, 1e13), figure(1_900, 2_300, 1_500, 2_800)])).toEqual([1_500, 5_600]);
    expect(reach([figure(3, 4, 1, 10)])).toEqual([1, 10]);
    expect(reach([{ min: 3, max: 4, interval: null }])).toEqual([3, 4]);
  });

  it("shows the part of an interval that lies on it", () => {
    expect(within({ low: 0.001, high: 1e13 }, [2, 6])).toEqual({ low: 2, high: 6 });
    expect(within({ low: 3, high: 4 }, [2, 6])).toEqual({ low: 3, high: 4 });
  });
});

describe("labels of points", () => {
  const label = (text: string, x: number, y: number, anchor: Label["anchor"] = "middle"): Label => ({ text, x, y, anchor });
  const where = (...labels: Label[]): [string, number][] => placed(labels, 200).map(({ label, dy }) => [label.text, Math.sign(dy)]);

  it("stand above them, where they do not touch", () => {
    expect(where(label("16 connections", 50, 50), label("16 connections", 160, 50), label("8 connections", 50, 70))).toEqual([
      ["16 connections", -1],
      ["16 connections", -1],
      ["8 connections", -1],
    ]);
  });

  it("stand once where the next says the same, else below", () => {
    expect(where(label("16 个连接", 200, 50, "end"), label("16 个连接", 150, 54))).toEqual([["16 个连接", -1]]);
    expect(where(label("16 connections", 100, 50), label("8 connections", 120, 54))).toEqual([
      ["16 connections", -1],
      ["8 connections", 1],
    ]);
    // No room below.
    expect(where(label("16 connections", 100, 190), label("8 connections", 120, 190))).toEqual([["16 connections", -1]]);
  });
});
