import { describe, expect, it } from "vitest";
import { Context } from "./context";
import type { Cell, Data, Lead, Verdict } from "./types";
import { headline } from "./headline";

type Case = Partial<Pick<Verdict, "ratio" | "interval" | "direction" | "ahead" | "rounds_needed">>;

/** The lead that follows from one verdict on a over b. */
function of({ ratio, interval, ahead, direction, rounds_needed }: Case): Lead {
  if (ahead == null || ratio == null || interval == null) {
    return lead(["a", "b"], { among: direction === "tie" ? "tie" : "undecided", rounds_needed: rounds_needed ?? null });
  }
  const turned = ahead === "b";
  const [low, high] = turned ? [1 / interval.high, 1 / interval.low] : [interval.low, interval.high];
  const other = turned ? "a" : "b";
  return lead([ahead], { behind: [other], gap: gap(ahead, other, turned ? 1 / ratio : ratio, low, high) });
}

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
    noise: [],
    leads: [of(told)],
    verdicts: [{ metric: "throughput", of: "a", over: "b", rounds: more.rounds ?? 5, rounds_needed: null, ahead: null, ...told }],
  })) as unknown as Cell[];
  const head = { smoke: more.smoke ?? false, margin: 0.02, targets: [{ label: "a" }, { label: "b" }] };
  return new Context({ comparison: { cells, failures: [], head }, page: { metrics: [{ metric: "throughput", zh: "吞吐量" }] } } as unknown as Data, "zh");
}

const AHEAD: Case = { ratio: 1.2, interval: { low: 1.1, high: 1.3 }, direction: "above", ahead: "a" };
const TIE: Case = { ratio: 1, interval: { low: 0.99, high: 1.01 }, direction: "tie" };
const OPEN: Case = { ratio: 1, interval: { low: 0.9, high: 1.1 }, direction: "undecided", rounds_needed: 12 };

describe("the verdict in Chinese", () => {
  it.each([
    [[AHEAD], "10 个连接时 a 每秒应答的请求比 b 多 20.0% [10.0% … 30.0%]；共 5 轮。"],
    [[{ ...AHEAD, ratio: 0.5, interval: { low: 0.4, high: 0.5 }, ahead: "b" }], "10 个连接时 b 每秒应答的请求是 a 的 2.00 倍 [2.00 … 2.50]；共 5 轮。"],
    [[TIE], "10 个连接时 a 和 b 的每秒请求数在 2% 之内打平；共 5 轮。"],
    [[OPEN], "10 个连接时 a 和 b 无法判定（约需 12 轮）；共 5 轮。"],
    [[AHEAD, TIE], "10 个连接时 a 比 b 快 20.0%；20 个连接时打平；共 5 轮。"],
    [[AHEAD, AHEAD, TIE, OPEN], "在 4 个负载中，每秒请求数最多的是：a 2 个，打平 1 个，无法判定 1 个；共 5 轮。"],
    [[OPEN, OPEN, OPEN, OPEN], "在全部 4 个负载下都无法判定；共 5 轮。"],
  ])("case %#", (cases, text) => {
    expect(headline(run(cases))).toBe(text);
  });

  it("says by how much a target differs from itself, where that is all", () => {
    const floor = { metric: "throughput", target: "a", again: "b", ratio: 1.01, interval: { low: 0.99, high: 1.03 }, says: { zh: "a 与自身对照：吞吐量相差 1.0% [−1.0% … 3.0%]" } };
    const context = run([]);
    const figure = { unit: "requests-per-second", mean: 1, interval: null, min: 1, max: 1, rounds: [1] };
    const targets = ["a", "b"].map((target) => ({ target, rounds: 5, figures: { throughput: figure } }));
    const cell = { workload: "w", load: { kind: "closed", connections: 10 }, targets, verdicts: [], leads: [], noise: [floor] };
    context.comparison.cells.push(cell as unknown as Cell);
    context.comparison.head.targets[1]!.same_as = "a";
    expect(headline(context)).toBe("没有对手，只有噪声下限：10 个连接时 a 与自身对照：吞吐量相差 1.0% [−1.0% … 3.0%]。");
  });

  it("says when there is none", () => {
    expect(headline(run([OPEN], { rounds: 1 }))).toBe("只有一轮，没有结论：10 个连接时 a 1,200 请求/秒，b 1,000 请求/秒。");
    expect(headline(run([OPEN], { smoke: true }))).toBe("冒烟运行：2 次测量中完成了 2 次；不能由此得出任何关于速度的结论。");
    expect(headline(run([]))).toBe("没有结论：什么也没有测到。");
  });
});

/** A lead on throughput, with nobody behind or beside unless it is told. */
function lead(leaders: string[], more: Partial<Lead> = {}): Lead {
  return { metric: "throughput", leaders, behind: [], beside: [], gap: null, among: null, rounds_needed: null, ...more };
}

const gap = (of: string, over: string, ratio: number, low: number, high: number) => ({ of, over, ratio, interval: { low, high } });

/** Cells of a, b and c at 100 connections and more, with these leads. */
function race(...leads: Lead[]): Context {
  const context = run([]);
  const targets = ["a", "b", "c"].map((target) => ({ target, rounds: 5, figures: {} }));
  leads.forEach((lead, i) => {
    const verdicts = [{ metric: "throughput", of: "a", over: "b", rounds: 5 }];
    const cell = { workload: "w", load: { kind: "closed", connections: 100 + i }, targets, verdicts, leads: [lead], noise: [] };
    context.comparison.cells.push(cell as unknown as Cell);
  });
  (context.comparison.head as { targets: unknown }).targets = ["a", "b", "c"].map((label) => ({ label, same_as: null }));
  return context;
}

const GROUP = lead(["a", "b"], { behind: ["c"], gap: gap("b", "c", 2.01, 1.8, 2.2), among: "undecided" });

describe("the verdict among three and more", () => {
  it.each([
    [GROUP, "100 个连接时 a 和 b 每秒应答的请求都至少是 c 的 2.01 倍 [1.80 … 2.20]；两者之间无法判定；共 5 轮。"],
    [{ ...GROUP, rounds_needed: 30 }, "100 个连接时 a 和 b 每秒应答的请求都至少是 c 的 2.01 倍 [1.80 … 2.20]；两者之间无法判定（约需 30 轮）；共 5 轮。"],
    [{ ...GROUP, among: "tie" as const, gap: gap("b", "c", 1.25, 1.2, 1.3) }, "100 个连接时 a 和 b 每秒应答的请求都比 c 至少多 25.0% [20.0% … 30.0%]；两者之间打平；共 5 轮。"],
    [lead(["a"], { behind: ["b", "c"], gap: gap("a", "b", 1.2, 1.1, 1.3) }), "100 个连接时 a 每秒应答的请求最多，比第二名 b 多 20.0% [10.0% … 30.0%]；共 5 轮。"],
    // a is ahead of c, b of nobody: no more is said of b.
    [lead(["a"], { behind: ["c"], beside: ["b"], gap: gap("a", "c", 1.2, 1.1, 1.3) }), "100 个连接时 a 每秒应答的请求比 c 多 20.0% [10.0% … 30.0%]；b 与 a 难分先后；共 5 轮。"],
    [lead(["a", "b", "c"], { among: "tie" }), "100 个连接时 a、b 和 c 的每秒请求数在 2% 之内打平；共 5 轮。"],
    [lead(["a", "b", "c"], { among: "undecided", rounds_needed: 40 }), "100 个连接时 a、b 和 c 无法判定（约需 40 轮）；共 5 轮。"],
    [lead(["a", "b", "c"], { among: "mixed" }), "100 个连接时 a、b 和 c 之间分不出明确的先后；共 5 轮。"],
  ])("case %#", (told, text) => {
    expect(headline(race(told))).toBe(text);
  });

  it("is brief of a few levels, and counts many", () => {
    const next = lead(["a"], { behind: ["b", "c"], gap: gap("a", "b", 1.2, 1.1, 1.3) });
    expect(headline(race(GROUP, next))).toBe(
      "100 个连接时 a 和 b 的速度都至少是 c 的 2.01 倍（两者之间无法判定）；101 个连接时 a 比其余中最快的快 20.0%；共 5 轮。",
    );
    const partly = lead(["a"], { behind: ["c"], beside: ["b"], gap: gap("a", "c", 1.2, 1.1, 1.3) });
    expect(headline(race(GROUP, GROUP, next, partly, lead(["a", "b", "c"], { among: "tie" })))).toBe(
      "在 5 个负载中，每秒请求数最多的是：a 和 b 并列 2 个，a 1 个，只分出部分先后 1 个，打平 1 个；共 5 轮。",
    );
  });

  it("leaves the limit and second copies out", () => {
    const context = race(lead(["a"], { behind: ["b"], gap: gap("a", "b", 1.2, 1.1, 1.3) }));
    context.comparison.head.targets[2]!.limit = true;
    context.comparison.cells[0]!.verdicts[0]!.rounds = 1;
    const figure = (mean: number) => ({ throughput: { unit: "requests-per-second", mean } });
    context.comparison.cells[0]!.targets.forEach((target, i) => Object.assign(target, { figures: figure(100 * (i + 1)) }));
    expect(headline(context)).toBe("只有一轮，没有结论：100 个连接时 a 100 请求/秒，b 200 请求/秒。");
  });
});
