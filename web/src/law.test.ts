import { describe, expect, it } from "vitest";
import type { Scaling } from "./types";
import { throughput } from "./law";

const of = (more: Partial<Scaling>): Scaling => ({
  workload: "w",
  target: "a",
  levels: [1, 8, 64, 256],
  gamma: { value: 1000, interval: null },
  alpha: { value: 0.02, interval: null },
  beta: { value: 0.0002, interval: null },
  knee: { value: 70, interval: { low: 66.4, high: 74.6 } },
  residual: 0.01,
  says: { finding: { code: "peak" }, en: "", zh: "" },
  ...more,
});

describe("the law", () => {
  it("is γ at one connection, and highest at its knee", () => {
    expect(throughput(of({}), 1)).toBe(1000);
    // 70,000 / (1 + 0.02 · 69 + 0.0002 · 70 · 69) = 70,000 / 3.346.
    expect(throughput(of({}), 70)).toBeCloseTo(20920.5, 1);
    expect(throughput(of({}), 60)).toBeLessThan(throughput(of({}), 70));
    expect(throughput(of({}), 80)).toBeLessThan(throughput(of({}), 70));
  });
});
