// Ticks with units, chosen here because a time is read in µs, ms or s by its size.

import type { Unit } from "../types";
import { number, thousands } from "../format";

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
