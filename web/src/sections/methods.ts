// All methods in one place, for who prints the page or reads it through.

import type { Context } from "../context";
import { h } from "../dom";
import { METHODS, type Method, methods } from "../i18n";

/** Whether the page has a figure that is made so. */
function applies(context: Context, method: Method): boolean {
  const { comparison, data } = context;
  switch (method) {
    case "noise":
      return comparison.cells.some((cell) => cell.noise.length > 0);
    case "until":
      return comparison.head.max_rounds !== null;
    case "overload":
      return context.isOverloaded;
    case "limit":
      return comparison.head.targets.some((target) => target.limit);
    case "capacity":
      return (data.page.capacities ?? []).length > 0;
    case "scaling":
      return comparison.scaling.length > 0;
    case "sweep":
      return data.page.sweeps.length > 0;
    default:
      return true;
  }
}

export function methodsSection(context: Context): HTMLElement {
  const { title, lead } = context.words.methods;
  const texts = methods[context.language];
  return h(
    "section",
    { id: "methods", "aria-labelledby": "methods-section" },
    h("h2", { id: "methods-section" }, title),
    h("p", { class: "lead" }, lead),
    ...METHODS.filter((method) => applies(context, method)).flatMap((method) => [
      h("h3", {}, texts[method].title),
      ...texts[method].text.map((part) => h("p", {}, part)),
    ]),
  );
}
