import { describe, expect, it } from "vitest";
import type { Cell, NoiseFloor, Verdict } from "./types";
import { reach, size, within } from "./noise";

const floor = (ratio: number, low: number, high: number): NoiseFloor =>
  ({ metric: "throughput", target: "a", again: "a-again", ratio, interval: { low, high } }) as NoiseFloor;

const verdict = (ratio: number, ahead: string | null): Verdict => ({ metric: "throughput", ratio, ahead }) as Verdict;

describe("the noise floor", () => {
  it("reaches as far as the farther end of its interval", () => {
    expect(reach(floor(1.01, 0.99, 1.04))).toBeCloseTo(1.04, 9);
    expect(reach(floor(0.99, 0.8, 1.04))).toBeCloseTo(1.25, 9);
    expect(reach({ ...floor(1, 1, 1), interval: null })).toBeNull();
  });

  it("is told by its size, whichever copy was ahead", () => {
    expect(size(floor(1.02, 0.99, 1.05))).toBe("2.0% [−1.0% … 5.0%]");
    expect(size(floor(0.8, 0.5, 1.25))).toBe("25.0% [−20.0% … 100%]");
  });

  it("holds a verdict that is no larger, and none that is larger or open", () => {
    const cell = { noise: [floor(1.01, 0.99, 1.04)] } as unknown as Cell;
    expect(within(cell, verdict(1.03, "a"))).toBeCloseTo(1.04, 9);
    expect(within(cell, verdict(0.97, "b"))).toBeCloseTo(1.04, 9);
    expect(within(cell, verdict(0.95, "b"))).toBeNull();
    expect(within(cell, verdict(1.03, null))).toBeNull();
    expect(within({ noise: [] } as unknown as Cell, verdict(1.03, "a"))).toBeNull();
  });
});
