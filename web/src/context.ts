// What every section needs: the data, the words of the page's language, and names for places.

import type { Cell, Data, Load } from "./data";
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

  /** The contenders in the order of the study. */
  get targets(): string[] {
    return this.comparison.head.targets.map((target) => target.label);
  }

  /** A target's place in the study, which is what its colour and mark hang on. */
  index(target: string): number {
    return Math.max(0, this.targets.indexOf(target));
  }

  level(load: Load): string {
    return this.words.load(load);
  }

  /** A cell's workload and level. */
  place(cell: Cell): string {
    return this.words.place(cell.workload, this.level(cell.load));
  }

  /** A cell by its index. */
  cell(index: number): Cell | undefined {
    return this.comparison.cells[index];
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
