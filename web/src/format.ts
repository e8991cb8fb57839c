// Numbers of figures that the script reads out. The rules are those of `units` in photofinish-model;
// crates/model/cases/numbers.json holds both to that.

import { word } from "./language";

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

/** A share as a percentage, such as `6.7%`; two decimals below one per cent. */
export function percent(share: number): string {
  const value = share * 100;
  if (!Number.isFinite(value)) return NOTHING;
  if (Math.abs(value) < 0.005) return value > 0 ? "<0.01%" : "0.00%";
  if (Math.abs(value) >= 99.95) return `${thousands(value)}%`;
  return `${fixed(value, Math.abs(value) >= 0.995 ? 1 : 2)}%`;
}

function scale(us: number): [divisor: number, name: string] {
  const shown = Math.abs(threeDigits(us));
  if (shown < 1e3) return [1, " µs"];
  return shown < 1e6 ? [1e3, " ms"] : [1e6, " s"];
}

/** A time with its unit, such as `1.25 ms`. */
export function time(us: number): string {
  if (!Number.isFinite(us)) return NOTHING;
  const [divisor, name] = scale(us);
  return number(us / divisor) + name;
}

/** The interval about a time, in its unit but without its name: `[470 … 481]`. */
export function interval(us: number, low: number, high: number): string {
  const [divisor] = scale(us);
  return `[${number(low / divisor)} … ${number(high / divisor)}]`;
}

/** A time in microseconds, or a rate. */
export function amount(value: number, isTime: boolean): string {
  return isTime ? time(value) : number(value) + word("requests_per_second");
}
