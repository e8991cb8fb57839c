// A section of the page and the figures in it.

import type { Context } from "./context";
import { copyButton, copyImage } from "./copy";
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
  parts: { title: string; lead?: Child; isLeadLast?: boolean },
  ...children: Child[]
): HTMLElement {
  const id = `${method}-section`;
  const about = [parts.lead === undefined ? null : h("p", { class: "lead" }, parts.lead), methodOf(context, method, true)];
  const content = parts.isLeadLast ? [...children, ...about] : [...about, ...children];
  return h("section", { id: method, "aria-labelledby": id }, h("h2", { id }, parts.title), ...content);
}

/** A figure: a heading with a button that copies its pictures, the pictures, and what stands below them. */
export function figure(context: Context, title: string, ...children: Child[]): HTMLElement {
  const { copy, colon } = context.words;
  const made = h("figure", {}, ...children);
  const image = (): Promise<string> => {
    const section = made.closest("section")?.querySelector("h2")?.textContent ?? "";
    const place = made.closest(".cell")?.querySelector("h3")?.firstChild?.textContent ?? "";
    const about = [section, place, title].filter((part, i, all) => part !== "" && all.indexOf(part) === i).join(" · ");
    const pictures = [...(made.closest(".stack")?.querySelectorAll<SVGSVGElement>(".scale svg") ?? []), ...made.querySelectorAll<SVGSVGElement>(".chart > svg")];
    const cautions = [...made.querySelectorAll(".cautions li")].map((item) => item.textContent ?? "");
    return copyImage(context, [about, `photofinish · ${context.comparison.head.title}`], pictures, cautions);
  };
  const button = copyButton(context, copy.image, `${copy.imageName}${colon}${title}`, image);
  made.prepend(h("figcaption", {}, h("span", {}, title), button));
  return made;
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
