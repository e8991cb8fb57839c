// The whole verdict in one sentence. English comes with the comparison; Chinese is made here by the same rules
// (`comparison/headline.rs`).

import type { Context } from "./context";
import type { Cell, Lead } from "./types";
import { plainPercent, thousands } from "./format";
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
    const measured = cells.filter((cell) => contenders(cell) > 0);
    if (measured.length === 0) {
      return failures.length > 0
        ? `没有结论：什么也没有测到，记录了 ${thousands(failures.length)} 次失败。`
        : "没有结论：什么也没有测到。";
    }
    if (head.smoke) {
      const asked = cells.reduce((sum, cell) => sum + cell.targets.length, 0);
      const done = cells.reduce((sum, cell) => sum + cell.targets.filter(({ rounds }) => rounds > 0).length, 0);
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
          return value === null || !this.context.isContender(target) ? [] : [`${target} ${this.context.units.text("requests-per-second", value)}`];
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

  private counted(cells: Cell[], rounds: number): string {
    const led = new Map<string, number>();
    let [ties, open, partly] = [0, 0, 0];
    for (const cell of cells) {
      const found = leadOf(cell);
      if (found?.gap && found.beside.length === 0) {
        const names = together(found.leaders) + (found.leaders.length > 1 ? " 并列" : "");
        led.set(names, (led.get(names) ?? 0) + 1);
      } else if (found?.gap) partly += 1;
      else if (found?.among === "tie" && found.beside.length === 0) ties += 1;
      else open += 1;
    }
    if (open === cells.length) return `在全部 ${open} 个负载下都无法判定；共 ${thousands(rounds)} 轮。`;
    if (ties === cells.length) return `在全部 ${ties} 个负载下都打平；共 ${thousands(rounds)} 轮。`;
    const parts = [...led].sort((a, b) => b[1] - a[1]).map(([names, count]) => `${names} ${count} 个`);
    if (partly > 0) parts.push(`只分出部分先后 ${partly} 个`);
    if (ties > 0) parts.push(`打平 ${ties} 个`);
    if (open > 0) parts.push(`无法判定 ${open} 个`);
    return `在 ${cells.length} 个负载中，每秒请求数最多的是：${parts.join("，")}；共 ${thousands(rounds)} 轮。`;
  }

  /** The verdict of one of a few cells; its interval stands in the report. */
  private brief(cell: Cell, cells: Cell[]): string {
    const place = `${this.place(cell, cells)}时`;
    const found = leadOf(cell);
    if (!found) return `${place}没有结论`;
    const { gap, leaders, behind } = found;
    if (!gap) return `${place}${STANDINGS[found.among ?? "undecided"]}`;
    const { text } = more(gap);
    const [all, least] = leaders.length > 1 ? ["都", "至少"] : ["", ""];
    const other = behind.length > 1 ? "其余中最快的" : ` ${gap.over} `;
    const size = gap.ratio < 2 ? `${all}比${other}${least}快 ${text}` : `的速度${all}${least}是${other}的 ${text} 倍`;
    const rest = this.rest(found);
    return `${place} ${together(leaders)} ${size}${rest.length > 0 ? `（${rest.join("，")}）` : ""}`;
  }

  private sentence(cell: Cell, cells: Cell[]): string {
    const place = `${this.place(cell, cells)}时`;
    const found = leadOf(cell);
    if (!found) return `${place}没有结论`;
    const { gap, leaders, behind, beside } = found;
    if (!gap) return `${place} ${this.level(found)}`;
    const { text, bounds } = more(gap);
    const several = leaders.length > 1;
    const [all, least] = several ? ["都", "至少"] : ["", ""];
    const isFirst = !several && beside.length === 0 && behind.length > 1;
    const other = isFirst ? `第二名 ${gap.over}` : behind.length > 1 ? `落后的 ${behind.length} 个中最快的 ${gap.over}` : ` ${gap.over}`;
    const size = gap.ratio < 2 ? `${all}比${other} ${least}多 ${text} ${bounds}` : `${all}${least}是${other} 的 ${text} 倍 ${bounds}`;
    const verb = cell.load.kind === "capacity" ? "能承受" : "应答";
    return [`${place} ${together(leaders)} 每秒${verb}的请求${isFirst ? "最多，" : ""}${size}`, ...this.rest(found)].join("；");
  }

  /** Where no group is ahead of the others. */
  private level(found: Lead): string {
    const names = together([...found.leaders, ...found.beside]);
    const { margin } = this.context.comparison.head;
    if (found.among === "tie" && found.beside.length === 0) return `${names} 的每秒请求数在 ${plainPercent(margin)} 之内打平`;
    if (found.among === "mixed") return `${names} 之间分不出明确的先后`;
    return `${names} 无法判定${tell(found)}`;
  }

  /** How the leaders stand to one another, and to those of whom nothing is claimed. */
  private rest(found: Lead): string[] {
    const { leaders, beside, among } = found;
    const them = leaders.length === 2 ? "两者" : `这 ${leaders.length} 个`;
    const open = among === "undecided" ? tell(found) : "";
    return [
      ...(among === null ? [] : [`${them}之间${STANDINGS[among]}${open}`]),
      ...(beside.length === 0 ? [] : [`${together(beside)} 与 ${together(leaders)} 难分先后${tell(found)}`]),
    ];
  }

  private place(cell: Cell, cells: Cell[]): string {
    const level = this.context.level(cell.load);
    return cells.every((other) => other.workload === cell.workload) ? level : `${cell.workload}，${level}`;
  }
}

/** How several stand to one another. */
const STANDINGS = { tie: "打平", undecided: "无法判定", mixed: "分不出明确的先后" } as const;

function leadOf(cell: Cell): Lead | undefined {
  return cell.leads.find((lead) => lead.metric === "throughput");
}

/** The rounds that would tell; nothing where that cannot be said. */
function tell({ rounds_needed: rounds }: Lead): string {
  return rounds === null ? "" : `（约需 ${thousands(rounds)} 轮）`;
}

/** Names in one breath. */
function together(names: string[]): string {
  return names.length < 3 ? names.join(" 和 ") : `${names.slice(0, -1).join("、")} 和 ${names.at(-1)}`;
}
