// Errors and overloads, shown beside every figure that they touch.

import type { Context } from "../context";
import type { Cell } from "../types";
import { h, spoken } from "../dom";

/** What touches the figures of each target of a cell, a paragraph each. */
export function errors(context: Context, cell: Cell): HTMLElement[] {
  return cell.targets.flatMap(({ target, says = [] }) =>
    says.map((message) => h("p", { class: "errors" }, `${target}${context.words.colon}`, spoken(context.say(message)))),
  );
}
