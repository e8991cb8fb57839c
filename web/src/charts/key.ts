// The key: each target's mark and dash beside its name.

import { symbolPath } from "./symbols";
import type { Context } from "../context";
import { h } from "../dom";

const SVG = "http://www.w3.org/2000/svg";

/** A line with a mark, as a target is drawn. */
export function swatch(context: Context, target: number, line = true): SVGSVGElement {
  const { colour, symbol, dash } = context.look(target);
  const svg = document.createElementNS(SVG, "svg");
  const width = line ? 34 : 14;
  for (const [name, value] of Object.entries({
    viewBox: `${-width / 2} -7 ${width} 14`,
    width: String(width),
    height: "14",
    "aria-hidden": "true",
    class: "swatch",
  })) {
    svg.setAttribute(name, value);
  }
  if (line) {
    const stroke = document.createElementNS(SVG, "path");
    stroke.setAttribute("d", `M${-width / 2} 0H${width / 2}`);
    stroke.setAttribute("stroke", colour);
    stroke.setAttribute("stroke-width", "2");
    stroke.setAttribute("stroke-dasharray", dash);
    svg.append(stroke);
  }
  const mark = document.createElementNS(SVG, "path");
  mark.setAttribute("d", symbolPath(symbol, 40));
  mark.setAttribute("fill", colour);
  svg.append(mark);
  return svg;
}

/** All targets' keys. */
export function key(context: Context, targets: string[] = context.shown, line = true): HTMLElement {
  return h(
    "ul",
    { class: "key", "aria-label": context.words.key },
    ...targets.map((target) => h("li", {}, swatch(context, context.index(target), line), target)),
  );
}
