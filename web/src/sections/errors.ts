// Errors, told beside every figure that they touch.

import type { Context } from "../context";
import type { Cell, TargetFigures } from "../data";
import { h } from "../dom";
import { thousands } from "../format";

/** One target's errors in words; null where there were none. */
function told(context: Context, { target, errors, rounds_with_errors }: TargetFigures): string | null {
  const { words } = context;
  const kinds = Object.entries(errors).map(([kind, count]) => `${thousands(count)} ${words.errors[kind] ?? kind}`);
  if (kinds.length === 0) return null;
  const rounds = rounds_with_errors.map((round) => words.round(round));
  return `${target}: ${words.figures.errors(words.list(kinds), words.list(rounds))}`;
}

/** The errors of all targets of a cell, a paragraph each. */
export function errors(context: Context, cell: Cell): HTMLElement[] {
  return cell.targets.flatMap((target) => {
    const text = told(context, target);
    return text === null ? [] : [h("p", { class: "errors" }, text)];
  });
}
