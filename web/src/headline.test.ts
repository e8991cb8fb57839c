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
    noise: [],
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
    [[TIE], "10 个连接时 a 和 b 的每秒请求数在 2% 之内打平；共 5 轮。"],
    [[OPEN], "10 个连接时 a 和 b 无法判定（约需 12 轮）；共 5 轮。"],
    [[AHEAD, TIE], "10 个连接时 a 比 b 快 20.0%；20 个连接时打平；共 5 轮。"],
    [[AHEAD, AHEAD, TIE, OPEN], "在 4 个负载中，每秒请求数最多的是：a 占 2 个，打平 1 个，无法判定 1 个；共 5 轮。"],
    [[OPEN, OPEN, OPEN, OPEN], "在全部 4 个负载下都无法判定；共 5 轮。"],
  ])("case %#", (cases, text) => {
    expect(headline(run(cases))).toBe(text);
  });

  it("says by how much a target differs from itself, where that is all", () => {
    const floor = { metric: "throughput", target: "a", again: "b", ratio: 1.01, interval: { low: 0.99, high: 1.03 } };
    const context = run([]);
    const figure = { unit: "requests-per-second", mean: 1, interval: null, min: 1, max: 1, rounds: [1] };
    const targets = ["a", "b"].map((target) => ({ target, rounds: 5, figures: { throughput: figure } }));
    const cell = { workload: "w", load: { kind: "closed", connections: 10 }, targets, verdicts: [], noise: [floor] };
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

/** One cell of several targets, the fastest first, with these verdicts on throughput. */
function race(names: string[], verdicts: [pair: string, told: Case][]): Context {
  const context = run([]);
  const targets = names.map((target, i) => {
    const mean = 1000 - i;
    return { target, rounds: 5, figures: { throughput: { unit: "requests-per-second", mean, interval: null, min: mean, max: mean, rounds: [mean] } } };
  });
  const told = verdicts.map(([pair, told]) => {
    const [of, over] = pair.split("/");
    return { metric: "throughput", of, over, rounds: 5, rounds_needed: null, decided_after: null, ahead: told.direction === "above" ? of : told.direction === "below" ? over : null, ...told };
  });
  const cell = { workload: "w", load: { kind: "closed", connections: 100 }, targets, verdicts: told, noise: [] };
  context.comparison.cells.push(cell as unknown as Cell);
  (context.comparison.head as { targets: unknown }).targets = names.map((label) => ({ label, same_as: null }));
  return context;
}

const won = (ratio: number, low: number, high: number): Case => ({ ratio, interval: { low, high }, direction: "above" });
const LEVEL: Case = { ratio: 1, interval: { low: 0.9, high: 1.1 }, direction: "undecided" };
const EVEN: Case = { ratio: 1, interval: { low: 0.99, high: 1.01 }, direction: "tie" };

describe("the verdict among three and more", () => {
  it("names the group ahead, and the smallest lead of its members", () => {
    expect(headline(race(["a", "b", "c"], [["a/b", LEVEL], ["a/c", won(2.05, 1.9, 2.2)], ["b/c", won(2.01, 1.8, 2.2)]]))).toBe(
      "100 个连接时 a 和 b 每秒应答的请求都至少是 c 的 2.01 倍 [1.80 … 2.20]；两者之间无法判定；共 5 轮。",
    );
    expect(headline(race(["a", "b", "c"], [["a/b", EVEN], ["a/c", won(1.3, 1.2, 1.4)], ["b/c", won(1.25, 1.2, 1.3)]]))).toBe(
      "100 个连接时 a 和 b 每秒应答的请求都比 c 至少多 25.0% [20.0% … 30.0%]；两者之间打平；共 5 轮。",
    );
  });

  it("names the next where one is ahead of all", () => {
    const context = race(["a", "b", "c"], [["a/b", won(1.2, 1.1, 1.3)], ["a/c", won(1.5, 1.4, 1.6)], ["b/c", LEVEL]]);
    expect(headline(context)).toBe("100 个连接时 a 每秒应答的请求最多，比第二名 b 多 20.0% [10.0% … 30.0%]；共 5 轮。");
  });

  it("says less where a member of the group is not ahead of all others", () => {
    const context = race(["a", "b", "c"], [["a/b", LEVEL], ["a/c", won(1.2, 1.1, 1.3)], ["b/c", LEVEL]]);
    expect(headline(context)).toBe("100 个连接时 a 每秒应答的请求多于 c，但与 b 难分先后；共 5 轮。");
  });

  it("says nothing of who leads where all are level", () => {
    expect(headline(race(["a", "b", "c"], [["a/b", EVEN], ["a/c", EVEN], ["b/c", EVEN]]))).toBe(
      "100 个连接时 a、b 和 c 的每秒请求数在 2% 之内打平；共 5 轮。",
    );
    expect(headline(race(["a", "b", "c"], [["a/b", EVEN], ["a/c", EVEN], ["b/c", LEVEL]]))).toBe("100 个连接时 a、b 和 c 无法判定；共 5 轮。");
  });

  it("leaves the limit and second copies out", () => {
    const context = race(["x", "a", "b", "a2"], [["a/b", won(1.2, 1.1, 1.3)]]);
    context.comparison.head.targets[0]!.limit = true;
    context.comparison.head.targets[3]!.same_as = "a";
    expect(headline(context)).toBe("100 个连接时 a 每秒应答的请求比 b 多 20.0% [10.0% … 30.0%]；共 5 轮。");
  });

  it("has no lead without a verdict on it", () => {
    expect(headline(race(["a", "b", "c"], [["a/b", LEVEL]]))).toBe("100 个连接时没有结论；共 5 轮。");
  });
});
