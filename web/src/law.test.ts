import { describe, expect, it } from "vitest";
import type { Scaling } from "./types";
import { percent } from "./format";
import { zh } from "./i18n/zh";
import { finding, throughput } from "./law";

const of = (more: Partial<Scaling>): Scaling => ({
  workload: "w",
  target: "a",
  levels: [1, 8, 64, 256],
  gamma: { value: 1000, interval: null },
  alpha: { value: 0.02, interval: null },
  beta: { value: 0.0002, interval: null },
  knee: { value: 70, interval: { low: 66.4, high: 74.6 } },
  residual: 0.01,
  says: { finding: { code: "peak-unknown", target: "a" }, en: "", zh: "" },
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

  it.each([
    [{}, "peak", "a：吞吐量在约 70 个连接时达到峰值 [66 … 75]"],
    [{ knee: { value: 1234.4, interval: { low: 1, high: 2 } } }, "beyond", "a：吞吐量的峰值在所测档位之外，约为 1,234 个连接（外推）"],
    [{ knee: { value: 70, interval: null } }, "not-shown", "a：这些数字不足以看出峰值"],
    [{ knee: null }, "no-peak", "a：直到 256 个连接，吞吐量都没有峰值"],
    [{ residual: 0.123 }, "poor", "a：该定律不能描述这些数字（相差 12.3%）"],
  ] as const)("case %#", (more, found, says) => {
    expect(finding(of(more))).toBe(found);
    expect(zh.scaling.says?.(of(more), percent(of(more).residual))).toBe(says);
  });
});

describe("a level out of line", () => {
  it("is told in Chinese from its figures", () => {
    const point = { target: "b", ratio: 0.8 } as Parameters<NonNullable<typeof zh.sweep.says>>[0];
    expect(zh.sweep.says?.(point, "echo-5k", "800 请求/秒", "20.0%", "1,000 请求/秒")).toBe(
      "b，echo-5k：800 请求/秒，比按其他档位推断的 1,000 请求/秒 低 20.0%",
    );
  });
});
