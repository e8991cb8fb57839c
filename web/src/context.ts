// What every section needs: the data, the words of the page's language, and names for places.

import { COPY, LIMIT, type Look, seriesLook } from "./charts/look";
import type { Cell, Data, Load, Metric, Overload, Shown, TargetRecord } from "./types";
import { Units } from "./format";
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

  level(load: Load): string {
    // A kind of load that is newer than the page has the name that its results gave it.
    const said = this.comparison.cells.find((cell) => cell.load === load)?.level;
    return this.words.load(load) ?? said ?? load.kind;
  }

  /** A cell's workload and level. */
  place(cell: Cell): string {
    return this.words.place(cell.workload, this.level(cell.load));
  }

  /** A cell by its index. */
  cell(index: number): Cell | undefined {
    return this.comparison.cells[index];
  }

  /** The rounds in which a target was offered more than it answered. */
  overloads(cell: Cell, target: string): Overload[] {
    const place = this.comparison.cells.indexOf(cell);
    return this.data.page.overloads.filter((o) => o.cell === place && o.target === this.targets.indexOf(target));
  }

  /** Whether nothing may be said of a metric: response times of an open loop that was overloaded. */
  isVoid(cell: Cell, target: string, metric: Metric | string): boolean {
    return TIMES.has(metric) && this.overloads(cell, target).length > 0;
  }

  /** A place that Rust wrote in English, in the page's language where it is that of a cell. */
  translated(place: string): string {
    const cell = this.comparison.cells.find((cell) => `${cell.workload}, ${cell.level}` === place);
    return cell ? this.place(cell) : place;
  }

  /** A level that Rust wrote in English, in the page's language. */
  translatedLevel(level: string): string {
    const cell = this.comparison.cells.find((cell) => cell.level === level);
    return cell ? this.level(cell.load) : level;
  }
}

/** The metrics that an overload voids. */
const TIMES = new Set<string>(["mean", "p50", "p90", "p95", "p99", "p999", "max"]);

function isContender(target: TargetRecord): boolean {
  return target.same_as == null && !target.limit;
}
