import { describe, expect, it } from "vitest";
import { number, percent, pieces, plainPercent, ratio, ratioWithInterval, thousands, Units } from "./format";

const units = new Units({ requestsPerSecond: "requests/s", cores: "cores" });

describe("numbers read as in every other report", () => {
  it.each([
    [210_393.61, "210,000"],
    [999.6, "1,000"],
    [475.2, "475"],
    [99.96, "100"],
    [14.04, "14.0"],
    [6.7, "6.70"],
    [0.01234, "0.0123"],
    [0, "0"],
    [-1234, "-1,230"],
    [NaN, "–"],
  ])("%d is %s", (value, text) => {
    expect(number(value)).toBe(text);
  });

  it("units are chosen by what is shown", () => {
    expect(units.text("microseconds", 999.4)).toBe("999 µs");
    expect(units.text("microseconds", 999.7)).toBe("1.00 ms");
    expect(units.text("microseconds", 2_500_000)).toBe("2.50 s");
    expect(units.text("bytes", 209_715_200)).toBe("200 MiB");
    expect(units.text("count", 1234)).toBe("1,234");
    expect(units.text("requests-per-second", 210_393)).toBe("210,000 requests/s");
    expect(units.brief("requests-per-second", 210_393)).toBe("210,000");
    expect(units.range("microseconds", 14_000, 62_000)).toBe("14.0 … 62.0 ms");
    expect(units.range("microseconds", 14_000, 14_000)).toBe("14.0 ms");
    expect(units.interval("microseconds", 1020, { low: 950, high: 1100 })).toBe("[0.950 … 1.10]");
  });

  it("shares and ratios", () => {
    expect(percent(0.067)).toBe("6.7%");
    expect(percent(0.0031)).toBe("0.31%");
    expect(percent(2.1)).toBe("210%");
    expect(plainPercent(0.9999)).toBe("99.99%");
    expect(plainPercent(0.02)).toBe("2%");
    expect(ratio(1.0674)).toBe("1.067");
    expect(ratio(0.0005)).toBe("0.000500");
    expect(ratio(12.34)).toBe("12.3");
    expect(ratioWithInterval(1.0674, { low: 1.05, high: 1.08 })).toBe("1.067 [1.050 … 1.080]");
    expect(thousands(1_234_567)).toBe("1,234,567");
    expect(thousands(-0.4)).toBe("0");
  });
});

describe("numbers in order", () => {
  it("are told in pieces", () => {
    expect(pieces([], ", ")).toBe("");
    expect(pieces([1, 2, 3, 5, 7, 8], ", ")).toBe("1–3, 5, 7, 8");
    expect(pieces([4], "、")).toBe("4");
  });
});
