// The whole verdict in one sentence. English comes with the comparison; Chinese is made here by the same rules
// (`comparison/headline.rs`).

import type { Context } from "./context";
import type { Cell, Verdict } from "./data";
import { plainPercent, thousands } from "./format";
import { fromAhead, more, ofMetric } from "./verdicts";

/** With more cells than this, they are counted rather than told one by one. */
const TOLD = 3;

export function headline(context: Context): string {
  if (context.language === "en") return context.comparison.headline;
  return new Chinese(context).headline();
}

interface Lead {
  verdict: Verdict;
  amongMore: boolean;
}

/** The verdict between the two targets with the most throughput. */
function lead(cell: Cell): Lead | null {
  const ranked = cell.targets
    .flatMap(({ target, figures }) => {
      const mean = figures.throughput?.mean;
      return mean === undefined || mean === null ? [] : [{ target, mean }];
    })
    .sort((a, b) => b.mean - a.mean);
  const [first, second] = ranked;
  if (!first || !second) return null;
  const verdict = ofMetric(cell, "throughput").find(
    ({ of, over }) =>
      (of === first.target && over === second.target) || (of === second.target && over === first.target),
  );
  return verdict ? { verdict, amongMore: ranked.length > 2 } : null;
}

class Chinese {
  constructor(private readonly context: Context) {}

  headline(): string {
    const { cells, failures, head } = this.context.comparison;
    const contenders = (cell: Cell): number => cell.targets.filter((target) => target.rounds > 0).length;
    const measured = cells.filter((cell) => contenders(cell) > 0);
    if (measured.length === 0) {
      return failures.length > 0
        ? `没有结论：什么也没有测到，记录了 ${thousands(failures.length)} 次失败。`
        : "没有结论：什么也没有测到。";
    }
    if (head.smoke) {
      const asked = cells.reduce((sum, cell) => sum + cell.targets.length, 0);
      const done = measured.reduce((sum, cell) => sum + contenders(cell), 0);
      return `冒烟运行：${thousands(asked)} 次测量中完成了 ${thousands(done)} 次；不能由此得出任何关于速度的结论。`;
    }
    const contested = measured.filter((cell) => contenders(cell) > 1);
    const rounds = Math.max(-1, ...contested.flatMap((cell) => ofMetric(cell, "throughput").map((v) => v.rounds)));
    if (rounds < 0) return `只有一个对象，没有结论：${this.each(measured)}。`;
    if (rounds === 0) return "没有结论：没有一轮同时测到两个对象。";
    if (rounds === 1) return `只有一轮，没有结论：${this.each(contested)}。`;
    const [only, ...others] = contested;
    if (only && others.length === 0) return `${this.sentence(only, contested)}；共 ${thousands(rounds)} 轮。`;
    if (contested.length <= TOLD) {
      return `${contested.map((cell) => this.brief(cell, contested)).join("；")}；共 ${thousands(rounds)} 轮。`;
    }
    return this.counted(contested, rounds);
  }

  /** Each target's throughput. */
  private each(cells: Cell[]): string {
    return cells
      .slice(0, TOLD)
      .map((cell) => {
        const told = cell.targets.flatMap(({ target, figures: { throughput } }) => {
          const value = throughput?.mean ?? null;
          return value === null ? [] : [`${target} ${this.context.units.text("requests-per-second", value)}`];
        });
        return `${this.place(cell, cells)}时 ${told.join("，")}`;
      })
      .join("；");
  }

  private counted(cells: Cell[], rounds: number): string {
    const led = new Map<string, number>();
    let ties = 0;
    let open = 0;
    for (const cell of cells) {
      const verdict = lead(cell)?.verdict;
      if (verdict?.ahead != null) led.set(verdict.ahead, (led.get(verdict.ahead) ?? 0) + 1);
      else if (verdict?.direction === "tie") ties += 1;
      else open += 1;
    }
    if (open === cells.length) return `在全部 ${open} 个负载下都无法判定；共 ${thousands(rounds)} 轮。`;
    if (ties === cells.length) return `在全部 ${ties} 个负载下都打平；共 ${thousands(rounds)} 轮。`;
    const parts = [...led].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${name} 占 ${count} 个`);
    if (ties > 0) parts.push(`打平 ${ties} 个`);
    if (open > 0) parts.push(`无法判定 ${open} 个`);
    return `在 ${cells.length} 个负载中，每秒请求数最多的是：${parts.join("，")}；共 ${thousands(rounds)} 轮。`;
  }

  /** The verdict of one of a few cells; its interval stands in the report. */
  private brief(cell: Cell, cells: Cell[]): string {
    const place = `${this.place(cell, cells)}时`;
    const found = lead(cell);
    if (!found) return `${place}没有结论`;
    const won = fromAhead(found.verdict);
    if (!won) return `${place}${found.verdict.direction === "tie" ? "打平" : "无法判定"}`;
    const other = found.amongMore ? "第二名" : ` ${won.other} `;
    const { text } = more(won);
    return won.ratio < 2 ? `${place} ${won.ahead} 比${other}快 ${text}` : `${place} ${won.ahead} 的速度是${other}的 ${text} 倍`;
  }

  private sentence(cell: Cell, cells: Cell[]): string {
    const place = `${this.place(cell, cells)}时`;
    const found = lead(cell);
    if (!found) return `${place}没有结论`;
    const { verdict, amongMore } = found;
    const won = fromAhead(verdict);
    if (won) {
      const { text, bounds } = more(won);
      const rank = amongMore ? "每秒应答的请求最多，" : "每秒应答的请求";
      const other = amongMore ? `第二名 ${won.other}` : won.other;
      return won.ratio < 2
        ? `${place} ${won.ahead} ${rank}比 ${other} 多 ${text} ${bounds}`
        : `${place} ${won.ahead} ${rank}是 ${other} 的 ${text} 倍 ${bounds}`;
    }
    const { of, over } = verdict;
    if (verdict.direction === "tie") {
      return `${place} ${of} 与 ${over} 的每秒请求数在 ${plainPercent(this.context.comparison.head.margin)} 之内打平`;
    }
    const tell = verdict.rounds_needed === null ? "" : `（约需 ${thousands(verdict.rounds_needed)} 轮）`;
    return `${place} ${of} 与 ${over} 无法判定${tell}`;
  }

  private place(cell: Cell, cells: Cell[]): string {
    const level = this.context.level(cell.load);
    return cells.every((other) => other.workload === cell.workload) ? level : `${cell.workload}，${level}`;
  }
}
