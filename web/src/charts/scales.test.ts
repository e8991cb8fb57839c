import { describe, expect, it } from "vitest";
import { fit, textWidth } from "./text";
import { apart } from "./lines";
import { logTicks, short, time, timeTicks } from "./scales";

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
