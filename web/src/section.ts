// A section of the page and the figures in it.

import type { Context } from "./context";
import { type Child, disclosure, h } from "./dom";
import { type Method, methods } from "./i18n";

/** How a figure is made, one click away; the section's own method needs no name for who sees its heading. */
export function methodOf(context: Context, method: Method, isOwn = false): HTMLElement {
  const { title, text } = methods[context.language][method];
  const name = `${context.words.colon}${title}`;
  const label = h("span", {}, context.words.method, isOwn ? h("span", { class: "unseen" }, name) : name);
  return disclosure(label, () => h("div", { class: "note" }, ...text.map((part) => h("p", {}, part))), {
    class: "method",
  });
}

export function section(
  context: Context,
  method: Method,
  parts: { title: string; lead?: Child },
  ...children: Child[]
): HTMLElement {
  const id = `${method}-section`;
  return h(
    "section",
    { id: method, "aria-labelledby": id },
    h("h2", { id }, parts.title),
    parts.lead === undefined ? null : h("p", { class: "lead" }, parts.lead),
    methodOf(context, method, true),
    ...children,
  );
}

/** A figure: a heading, the picture, and what stands below it. */
export function figure(title: Child, ...children: Child[]): HTMLElement {
  return h("figure", {}, title === null ? null : h("figcaption", {}, title), ...children);
}

/** One of several, chosen by radio buttons. */
export function choice<T extends string>(
  label: string,
  options: { value: T; text: string }[],
  chosen: T,
  choose: (value: T) => void,
): HTMLElement {
  const name = `choice-${counter++}`;
  return h(
    "fieldset",
    { class: "choice" },
    h("legend", {}, label),
    ...options.map(({ value, text }) => {
      const input = h("input", { type: "radio", name, value, checked: value === chosen, change: () => choose(value) });
      return h("label", {}, input, h("span", {}, text));
    }),
  );
}

let counter = 0;
