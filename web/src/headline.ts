// The whole verdict in one sentence. English comes with the comparison; Chinese is made here by the same rules
// (`comparison/headline.rs`).

import type { Context } from "./context";
import type { Cell } from "./data";
import { plainPercent, thousands } from "./format";
import { type Lead, lead } from "./lead";
import { floorOf, said } from "./noise";
import { more, ofMetric } from "./verdicts";

/** With more cells than this, they are counted rather than told one by one. */
const TOLD = 3;

export function headline(context: Context): string {
  if (context.language === "en") return context.comparison.headline;
  return new Chinese(context).headline();
}

class Chinese {
  constructor(private readonly context: Context) {}

  headline(): string {
    const { cells, failures, head } = this.context.comparison;
    const contenders = (cell: Cell): number =>
      cell.targets.filter(({ target, rounds }) => rounds > 0 && this.context.isContender(target)).length;
    const measured = cells.filter((cell) => cell.targets.some(({ rounds }) => rounds > 0));
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
    if (rounds < 0 && measured.some((cell) => cell.noise.length > 0)) return `没有对手，只有噪声下限：${this.floors(measured)}。`;
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

  /** By how much a target differed from its second copy. */
  private floors(cells: Cell[]): string {
    return cells
      .slice(0, TOLD)
      .flatMap((cell) => {
        const floor = floorOf(cell, "throughput");
        return floor ? [`${this.place(cell, cells)}时 ${said(this.context, floor)}`] : [];
      })
      .join("；");
  }

  private lead(cell: Cell): Lead | null {
    return lead(cell, (target) => this.context.isContender(target));
  }

  private counted(cells: Cell[], rounds: number): string {
    const led = new Map<string, number>();
    let ties = 0;
    let open = 0;
    for (const cell of cells) {
      const found = this.lead(cell);
      if (found?.kind === "group") {
        const names = together(found.names);
        led.set(names, (led.get(names) ?? 0) + 1);
      } else if (found?.kind === "level" && found.tie) ties += 1;
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
    const found = this.lead(cell);
    switch (found?.kind) {
      case "group": {
        const { text } = more(found.least);
        const who = together(found.names);
        const [all, least] = found.names.length > 1 ? ["都", "至少"] : ["", ""];
        const other = found.rest.length > 1 ? "其余各对象" : ` ${found.rest[0]} `;
        return found.least.ratio < 2
          ? `${place} ${who} ${all}比${other}${least}快 ${text}`
          : `${place} ${who} 的速度${all}${least}是${other}的 ${text} 倍`;
      }
      case "fastest":
        return `${place} ${found.name} 快于 ${together(found.behind)}，但与 ${together(found.level)} 难分先后`;
      case "level":
        return `${place}${found.tie ? "打平" : "无法判定"}`;
      default:
        return `${place}没有结论`;
    }
  }

  private sentence(cell: Cell, cells: Cell[]): string {
    const place = `${this.place(cell, cells)}时`;
    const found = this.lead(cell);
    switch (found?.kind) {
      case "group":
        return `${place} ${this.group(found)}`;
      case "fastest":
        return `${place} ${found.name} 每秒应答的请求多于 ${together(found.behind)}，但与 ${together(found.level)} 难分先后`;
      case "level": {
        const names = together(found.names);
        if (found.tie) {
          return `${place} ${names} 的每秒请求数在 ${plainPercent(this.context.comparison.head.margin)} 之内打平`;
        }
        const tell = found.rounds === null ? "" : `（约需 ${thousands(found.rounds)} 轮）`;
        return `${place} ${names} 无法判定${tell}`;
      }
      default:
        return `${place}没有结论`;
    }
  }

  /** A group's lead over the best of the rest: that of the member whose lead is the smallest. */
  private group({ names, tie, least, rest }: Lead & { kind: "group" }): string {
    const { text, bounds } = more(least);
    const several = names.length > 1;
    const most = rest.length > 1 ? "最多，" : "";
    const among = rest.length > 1 && !several ? "第二名 " : rest.length > 1 ? "其余中最快的 " : " ";
    const other = `${among}${least.other}`;
    const all = several ? "都" : "";
    const size =
      least.ratio < 2
        ? `${all}比${other} ${several ? "至少" : ""}多 ${text} ${bounds}`
        : `${all}${several ? "至少" : ""}是${other} 的 ${text} 倍 ${bounds}`;
    const level = tie ? "打平" : "无法判定";
    const between = several ? `；${names.length === 2 ? "两" : names.length}者之间${level}` : "";
    return `${together(names)} 每秒应答的请求${most}${size}${between}`;
  }

  private place(cell: Cell, cells: Cell[]): string {
    const level = this.context.level(cell.load);
    return cells.every((other) => other.workload === cell.workload) ? level : `${cell.workload}，${level}`;
  }
}

/** Names in one breath. */
function together(names: string[]): string {
  return names.length < 3 ? names.join(" 和 ") : `${names.slice(0, -1).join("、")} 和 ${names.at(-1)}`;
}
