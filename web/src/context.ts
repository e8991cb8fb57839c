// What every section needs: the data, the words of the page's language, and names for places.

import { COPY, LIMIT, type Look, seriesLook } from "./charts/look";
import type { Cell, Data, Interval, Metric, Shown, TargetFigures, TargetRecord, Unit } from "./types";
import { isWide, Units } from "./format";
import { type Language, type Words, words } from "./i18n";

export class Context {
  readonly words: Words;
  readonly units: Units;

  constructor(
    readonly data: Data,
    readonly language: Language,
  ) {
    this.words = words[language];
    this.units = new Units(this.words.units);
  }

  get comparison(): Data["comparison"] {
    return this.data.comparison;
  }

  private get records(): TargetRecord[] {
    return this.comparison.head.targets;
  }

  /** All targets in the order of the study, in which other data count them. */
  get targets(): string[] {
    return this.records.map((target) => target.label);
  }

  /** The same in the order in which they are shown: the limit last. */
  get shown(): string[] {
    const place = (target: TargetRecord): number => Number(target.limit ?? false);
    return [...this.records].sort((a, b) => place(a) - place(b)).map((target) => target.label);
  }

  /** A target's place in the study, which is what its colour and mark hang on. */
  index(target: string): number {
    return Math.max(0, this.targets.indexOf(target));
  }

  /** How a target looks, by its place in the study. Who is no contender is grey. */
  look(index: number): Look {
    const record = this.records[index];
    if (record?.limit) return LIMIT;
    if (record?.same_as != null) return COPY;
    return seriesLook(this.records.slice(0, index).filter(isContender).length);
  }

  isLimit(label: string): boolean {
    return this.records.some((target) => target.label === label && target.limit);
  }

  /** Whether a target races, and is neither a second copy nor the limit. */
  isContender(label: string): boolean {
    const record = this.records.find((target) => target.label === label);
    return record === undefined || isContender(record);
  }

  /** What is to be known of a metric; one that is newer than the page's data has its key for a name. */
  shownAs(metric: string): Shown | undefined {
    return this.data.page.metrics.find((shown) => shown.metric === metric);
  }

  /** A metric's name. */
  metric(metric: string): string {
    return this.shownAs(metric)?.[this.language] ?? metric;
  }

  /** The interval about a figure: `[470 … 481]`; words for one that bounds nothing, whose digits would only look exact. */
  interval(unit: Unit, value: number, interval: Interval): string {
    return isWide(interval) ? this.words.ratios.wide : this.units.interval(unit, value, interval);
  }

  /** A finding's sentence in the page's language. */
  say({ en, zh }: Message): string {
    return this.language === "en" ? en : zh;
  }

  /** A cell's workload and level. */
  place({ workload, level }: Pick<Cell, "workload" | "level">): string {
    return this.words.place(workload, this.say(level));
  }

  /** A cell by its index. */
  cell(index: number): Cell | undefined {
    return this.comparison.cells[index];
  }

  /** Whether anything was measured at all. */
  get isMeasured(): boolean {
    return this.comparison.cells.some((cell) => cell.targets.some((target) => target.rounds > 0));
  }

  /** Whether any level was too much for any target. */
  get isOverloaded(): boolean {
    return this.comparison.cells.some((cell) => cell.targets.some((target) => target.overloaded.length > 0));
  }
}

/** What every finding has. */
export interface Message {
  en: string;
  zh: string;
}

/** Whether nothing may be said of a target's figure, though it was measured. */
export function isVoid(target: TargetFigures, metric: Metric): boolean {
  return target.void?.includes(metric) ?? false;
}

function isContender(target: TargetRecord): boolean {
  return target.same_as == null && !target.limit;
}
