// Ticks with units, chosen here because a time is read in µs, ms or s by its size.

import type { Interval, Unit } from "../types";
import { isWide, number, thousands } from "../format";

export interface Ticks {
  values: number[];
  format: (value: number) => string;
}

const STEPS = [1, 2, 2.5, 5, 10];

/** Round values from `low` to `high` in one unit, at most about `most`. */
export function timeTicks(unit: Unit, low: number, high: number, most: number): Ticks {
  const [divisor, name] = unit === "microseconds" ? timeUnit(high) : [1, ""];
  const span = (high - low) / divisor;
  if (!(span > 0)) return { values: [low], format: String };
  const least = span / Math.max(1, Math.floor(most));
  const power = 10 ** Math.floor(Math.log10(least));
  const step = (STEPS.find((s) => s * power >= least) ?? 10) * power;
  const first = Math.ceil(low / divisor / step);
  const count = Math.floor(high / divisor / step) - first + 1;
  const values = Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step * divisor);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9) + (step / power === 2.5 ? 1 : 0));
  return {
    values,
    format: (value) => {
      const shown = value / divisor;
      return (decimals > 0 ? shown.toFixed(Math.min(decimals, 6)) : thousands(shown)) + name;
    },
  };
}

function timeUnit(high: number): [number, string] {
  if (high < 1e3) return [1, " µs"];
  if (high < 1e6) return [1e3, " ms"];
  return [1e6, " s"];
}

/** From the smallest to the largest of figures and their intervals; an interval that bounds nothing does not count. */
export function reach(figures: { min: number; max: number; interval: Interval | null }[]): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { min, max, interval } of figures) {
    const counted = interval && !isWide(interval) ? interval : null;
    low = Math.min(low, min, counted?.low ?? min);
    high = Math.max(high, max, counted?.high ?? max);
  }
  return [low, high];
}

/** The part of an interval that lies on the scale; the rest runs off the picture. */
export function within({ low, high }: Interval, [from, to]: [number, number]): Interval {
  return { low: Math.max(low, from), high: Math.min(high, to) };
}

/** How the bar of an interval is drawn: one that bounds nothing thin and dashed, so that where the picture ends it does not seem to. */
export function barStyle(interval: Interval): { strokeWidth: number; strokeDasharray?: string } {
  return isWide(interval) ? { strokeWidth: 1, strokeDasharray: "2 4" } : { strokeWidth: 2.5 };
}

/** Round ratios: equal steps where the range is small, 1, 2 and 5 of each power of ten where one end is many times the other. */
export function ratioTicks([low, high]: [number, number], pixels: number): number[] {
  const most = Math.max(2, Math.floor(pixels / 60));
  // Equal steps would all lie at the larger end.
  const steps = high > low * LARGE ? [] : [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5];
  for (const step of steps) {
    const first = Math.max(1, Math.ceil(low / step));
    const count = Math.floor(high / step) - first + 1;
    if (count <= most) return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
  }
  return logTicks(low, high, Math.max(most, Math.floor(pixels / 44)));
}

const LARGE = 6;

/** 1, 2 and 5 of each power of ten within the range; only the powers where that is too many. */
export function logTicks(low: number, high: number, most: number): number[] {
  for (const digits of [[1, 2, 5], [1, 3], [1]]) {
    const values: number[] = [];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high * 1.001; power++) {
      for (const digit of digits) {
        const value = Number(`${digit}e${power}`);
        if (value >= low * 0.999 && value <= high * 1.001) values.push(value);
      }
    }
    if (values.length <= most || digits.length === 1) return values;
  }
  return [];
}

/** A time without needless zeros: `500 µs`, `2 ms`. */
export function time(us: number): string {
  const [divisor, name] = timeUnit(us);
  return `${Number(number(us / divisor).replaceAll(",", ""))}${name}`;
}

/** A count, short: `200k`. */
export function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return thousands(value);
}
