// All methods in one place, for who prints the page or reads it through.

import type { Context } from "../context";
import { h } from "../dom";
import { METHODS, methods } from "../i18n";

export function methodsSection(context: Context): HTMLElement {
  const { title, lead } = context.words.methods;
  const texts = methods[context.language];
  return h(
    "section",
    { id: "methods", "aria-labelledby": "methods-section" },
    h("h2", { id: "methods-section" }, title),
    h("p", { class: "lead" }, lead),
    ...METHODS.flatMap((method) => [
      h("h3", {}, texts[method].title),
      ...texts[method].text.map((part) => h("p", {}, part)),
    ]),
  );
}
