import { describe, expect, it } from "vitest";
import { Context } from "./context";
import type { Cell, Data, Verdict } from "./data";
import { headline } from "./headline";

type Case = Partial<Pick<Verdict, "ratio" | "interval" | "direction" | "ahead" | "rounds_needed">>;

/** A run of a and b with one verdict on throughput a cell. */
function run(cases: Case[], more: { rounds?: number; smoke?: boolean } = {}): Context {
  const figure = (mean: number) => ({ unit: "requests-per-second", mean, interval: null, min: mean, max: mean, rounds: [mean] });
  const targets = [["a", 1200], ["b", 1000]].map(([target, mean]) => ({
    target,
    rounds: 5,
    figures: { throughput: figure(mean as number) },
  }));
  const cells = cases.map((told, i) => ({
    workload: "w",
    load: { kind: "closed", connections: (i + 1) * 10 },
    targets,
    verdicts: [{ metric: "throughput", of: "a", over: "b", rounds: more.rounds ?? 5, rounds_needed: null, ahead: null, ...told }],
  })) as unknown as Cell[];
  const head = { smoke: more.smoke ?? false, margin: 0.02, targets: [{ label: "a" }, { label: "b" }] };
  return new Context({ comparison: { cells, failures: [], head } } as unknown as Data, "zh");
}

const AHEAD: Case = { ratio: 1.2, interval: { low: 1.1, high: 1.3 }, direction: "above", ahead: "a" };
const TIE: Case = { ratio: 1, interval: { low: 0.99, high: 1.01 }, direction: "tie" };
const OPEN: Case = { ratio: 1, interval: { low: 0.9, high: 1.1 }, direction: "undecided", rounds_needed: 12 };

describe("the verdict in Chinese", () => {
  it.each([
    [[AHEAD], "10 个连接时 a 每秒应答的请求比 b 多 20.0% [10.0% … 30.0%]；共 5 轮。"],
    [[{ ...AHEAD, ratio: 0.5, interval: { low: 0.4, high: 0.5 }, ahead: "b" }], "10 个连接时 b 每秒应答的请求是 a 的 2.00 倍 [2.00 … 2.50]；共 5 轮。"],
    [[TIE], "10 个连接时 a 与 b 的每秒请求数在 2% 之内打平；共 5 轮。"],
    [[OPEN], "10 个连接时 a 与 b 无法判定（约需 12 轮）；共 5 轮。"],
    [[AHEAD, TIE], "10 个连接时 a 比 b 快 20.0%；20 个连接时打平；共 5 轮。"],
    [[AHEAD, AHEAD, TIE, OPEN], "在 4 个负载中，每秒请求数最多的是：a 占 2 个，打平 1 个，无法判定 1 个；共 5 轮。"],
    [[OPEN, OPEN, OPEN, OPEN], "在全部 4 个负载下都无法判定；共 5 轮。"],
  ])("case %#", (cases, text) => {
    expect(headline(run(cases))).toBe(text);
  });

  it("says when there is none", () => {
    expect(headline(run([OPEN], { rounds: 1 }))).toBe("只有一轮，没有结论：10 个连接时 a 1,200 请求/秒，b 1,000 请求/秒。");
    expect(headline(run([OPEN], { smoke: true }))).toBe("冒烟运行：2 次测量中完成了 2 次；不能由此得出任何关于速度的结论。");
    expect(headline(run([]))).toBe("没有结论：什么也没有测到。");
  });
});
