// Numbers as people read them: three significant digits, thousands separators, a unit. The rules are
// those of `photofinish-model`'s `units`, so that a figure reads the same in every report; crates/model/cases/numbers.json holds both to that.

import type { Interval, Unit } from "./types";

interface Scale {
  divisor: number;
  name: string;
}

/** The name of a unit of rates and cores in the page's language. */
export interface UnitNames {
  requestsPerSecond: string;
  cores: string;
}

const NOTHING = "–";
/** What stands before a number below zero: a minus sign, not a hyphen. */
const MINUS = "−";

/** Whether what is cut off lies exactly in the middle, after an even digit: JavaScript rounds it up there, and Rust down. */
function isEvenTie(kept: string, cut: string): boolean {
  return /^50*$/.test(cut) && Number(kept.at(-1)) % 2 === 0;
}

/** With so many decimals; a number in the middle goes to the even digit. */
function fixed(value: number, decimals: number): string {
  const exact = value.toFixed(decimals + 30);
  const end = exact.length - 30;
  const kept = exact.slice(0, end).replace(/\.$/, "");
  const text = isEvenTie(kept, exact.slice(end)) ? kept : value.toFixed(decimals);
  return text.replace("-", MINUS);
}

/** Rounded to three significant digits, in the same way. */
function threeDigits(value: number): number {
  const [mantissa = "", exponent = "0"] = value.toExponential(40).split("e");
  const kept = mantissa.slice(0, mantissa.length - 38);
  return isEvenTie(kept, mantissa.slice(-38)) ? Number(`${kept}e${exponent}`) : Number(value.toPrecision(3));
}

/** A whole number with thousands separators. */
export function thousands(value: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  const digits = fixed(Math.abs(value), 0);
  const sign = value < 0 && digits !== "0" ? MINUS : "";
  return sign + digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A number with three significant digits, such as `210,000`, `6.70` or `0.0123`. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  const shown = threeDigits(value);
  const size = Math.abs(shown);
  if (size === 0) return "0";
  if (size >= 100) return thousands(shown);
  const decimals = Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(size))));
  return fixed(shown, decimals);
}

/** A ratio with three decimals, such as `1.067`; with three digits where it is below 0.1 or from 10. */
export function ratio(value: number): string {
  return value >= 0.1 && value < 10 ? fixed(value, 3) : number(value);
}

/** `1.067 [1.052 … 1.081]`; an interval that excludes 1 by less than these digits show has more of them. */
export function ratioWithInterval(value: number, interval: Interval | null): string {
  if (!interval) return ratio(value);
  const excludes = interval.low > 1 || interval.high < 1;
  const end = (end: number) => {
    const isOne = (text: string) => Number(text) === 1;
    if (!excludes || !isOne(ratio(end))) return ratio(end);
    return [4, 5, 6, 7, 8, 9].map((decimals) => fixed(end, decimals)).find((text) => !isOne(text)) ?? ratio(end);
  };
  return `${ratio(value)} [${end(interval.low)} … ${end(interval.high)}]`;
}

/** Whether an interval's ends are more than 10 times apart, so that it says nothing of a size. */
export function isWide({ low, high }: Interval): boolean {
  return high > low * 10;
}

/** A share as a percentage, such as `6.7%`; two decimals below one per cent. */
export function percent(share: number): string {
  const value = share * 100;
  if (!Number.isFinite(value)) return NOTHING;
  if (Math.abs(value) < 0.005) return value > 0 ? "<0.01%" : "0.00%";
  if (Math.abs(value) >= 99.95) return `${thousands(value)}%`;
  return `${fixed(value, Math.abs(value) >= 0.995 ? 1 : 2)}%`;
}

/** A margin or a percentile as it was given: `2%`, `0.5%`, `99.9%`. */
export function plainPercent(share: number): string {
  return `${Math.round(share * 1e7) / 1e5}%`;
}

/** Words for figures, in one language's units. */
export class Units {
  constructor(private readonly names: UnitNames) {}

  private scale(unit: Unit, value: number): Scale {
    const shown = Math.abs(threeDigits(value));
    const kib = 1024;
    switch (unit) {
      case "requests-per-second":
        return { divisor: 1, name: ` ${this.names.requestsPerSecond}` };
      case "microseconds":
        if (shown < 1e3) return { divisor: 1, name: " µs" };
        if (shown < 1e6) return { divisor: 1e3, name: " ms" };
        return { divisor: 1e6, name: " s" };
      case "bytes":
        if (shown < kib) return { divisor: 1, name: " B" };
        if (shown < kib ** 2) return { divisor: kib, name: " KiB" };
        if (shown < kib ** 3) return { divisor: kib ** 2, name: " MiB" };
        return { divisor: kib ** 3, name: " GiB" };
      case "bytes-per-second":
        if (shown < 1e3) return { divisor: 1, name: " B/s" };
        if (shown < 1e6) return { divisor: 1e3, name: " kB/s" };
        return { divisor: 1e6, name: " MB/s" };
      case "cores":
        return { divisor: 1, name: ` ${this.names.cores}` };
      case "per-request":
      case "count":
        return { divisor: 1, name: "" };
    }
  }

  /** The figure alone. */
  private digits(unit: Unit, value: number): string {
    return unit === "count" ? thousands(value) : number(value);
  }

  /** A figure with its unit, such as `210,000 requests/s` or `1.25 ms`. */
  text(unit: Unit, value: number): string {
    if (!Number.isFinite(value)) return NOTHING;
    const { divisor, name } = this.scale(unit, value);
    return this.digits(unit, value / divisor) + name;
  }

  /** A figure without the unit's name where that is long and stands beside: `210,000`, but `1.25 ms`. */
  brief(unit: Unit, value: number): string {
    return unit === "requests-per-second" || unit === "cores" ? this.digits(unit, value) : this.text(unit, value);
  }

  /** The interval about a figure, in the figure's unit but without its name: `[470 … 481]`. */
  interval(unit: Unit, value: number, interval: Interval): string {
    const { divisor } = this.scale(unit, value);
    return `[${this.digits(unit, interval.low / divisor)} … ${this.digits(unit, interval.high / divisor)}]`;
  }

  /** From the smallest to the largest, such as `14.0 … 62.0 ms`; one figure where they read the same. */
  range(unit: Unit, min: number, max: number): string {
    if (this.isOne(unit, min, max)) return this.text(unit, max);
    const { divisor, name } = this.scale(unit, max);
    return `${this.digits(unit, min / divisor)} … ${this.digits(unit, max / divisor)}${name}`;
  }

  /** Whether the smallest and the largest read the same. */
  isOne(unit: Unit, min: number, max: number): boolean {
    const { divisor } = this.scale(unit, max);
    return this.digits(unit, min / divisor) === this.digits(unit, max / divisor);
  }
}
