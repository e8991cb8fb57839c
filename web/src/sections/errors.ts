// Errors and overloads, shown beside every figure that they touch.

import type { Context } from "../context";
import type { Cell } from "../types";
import { h, spoken } from "../dom";

/** What touches the figures of each target of a cell, a paragraph each; with the cell's place where it stands among others. */
export function errors(context: Context, cell: Cell, isAmongOthers = false): HTMLElement[] {
  const { colon } = context.words;
  const place = isAmongOthers ? `${context.place(cell)}${colon}` : "";
  return cell.targets.flatMap(({ target, says = [] }) =>
    says.map((message) => h("p", { class: "errors" }, `${place}${target}${colon}`, spoken(context.say(message)))),
  );
}
