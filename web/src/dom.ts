// Elements. All text goes in as text nodes, so nothing that a server or a file said is ever markup.

export type Child = Node | string | null | undefined | false;

export interface Attributes {
  [name: string]: string | number | boolean | undefined | ((event: Event) => void);
}

/** An element with attributes (a function is a listener, `true` an empty attribute) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** Something that can be opened; its content is made when it is first needed. */
export function disclosure(summary: Child, content: () => Node, attributes: Attributes = {}): HTMLDetailsElement {
  const details = h("details", attributes, h("summary", {}, summary));
  const fill = (): void => {
    if (details.childElementCount === 1) details.append(content());
  };
  details.addEventListener("toggle", () => {
    if (details.open) fill();
  });
  return details;
}

/** Text of a study's author, which stays as it was written, with the language that it is in. */
export function authored(text: string): HTMLElement {
  return h("span", { class: "authored", lang: /\p{Script=Han}/u.test(text) ? "zh" : "en" }, text);
}

/** What stands in Chinese quotation marks without a Chinese character: others' words, which stay as they were written. */
const QUOTED = /(“[^”\p{Script=Han}]*”)/u;

/** A finding's sentence, in which what others wrote is marked as theirs. */
export function spoken(text: string): HTMLElement {
  return h("span", {}, ...text.split(QUOTED).map((part, i) => (i % 2 === 1 ? h("q", { lang: "en" }, part) : part)));
}
