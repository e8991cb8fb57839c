// Errors and overloads, told beside every figure that they touch.

import type { Context } from "../context";
import type { Cell, TargetFigures } from "../types";
import { h } from "../dom";
import { thousands } from "../format";

/** One target's errors in words; null where there were none. */
function told(context: Context, { target, errors, rounds_with_errors }: TargetFigures): string | null {
  const { words } = context;
  const kinds = Object.entries(errors).map(([kind, count]) => `${thousands(count)} ${words.errors[kind] ?? kind}`);
  if (kinds.length === 0) return null;
  return `${target}: ${words.figures.errors(words.list(kinds), words.roundsList(rounds_with_errors))}`;
}

/** What was offered and what was achieved at a level that was too much for a target; null where it was not. */
export function overloadSize(context: Context, cell: Cell, target: string): { offered: string; achieved: string } | null {
  const all = context.overloads(cell, target);
  if (all.length === 0) return null;
  const range = (values: number[]): string => context.units.range("requests-per-second", Math.min(...values), Math.max(...values));
  return { offered: range(all.map((o) => o.offered_rps)), achieved: range(all.map((o) => o.achieved_rps)) };
}

function overloaded(context: Context, cell: Cell, target: string): string | null {
  const size = overloadSize(context, cell, target);
  if (size === null) return null;
  const rounds = context.words.roundsList(context.overloads(cell, target).map((o) => o.round));
  return context.words.figures.overloaded(target, rounds, size.offered, size.achieved);
}

/** The errors and overloads of all targets of a cell, a paragraph each. */
export function errors(context: Context, cell: Cell): HTMLElement[] {
  return cell.targets.flatMap((target) =>
    [told(context, target), overloaded(context, cell, target.target)].flatMap((text) =>
      text === null ? [] : [h("p", { class: "errors" }, text)],
    ),
  );
}
