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
export function recorded(text: string): HTMLElement {
  return h("span", { lang: /\p{Script=Han}/u.test(text) ? "zh" : "en" }, text);
}

/** Text written in English whatever the page's language is, such as what the lab recorded. */
export function english(text: string): HTMLElement {
  return h("span", { lang: "en" }, text);
}

/** Words in a row without a Chinese one, as a server or an older version recorded them in English. */
const ENGLISH = /((?:[A-Za-z][\x21-\x7e]*\s+){1,}[\x20-\x7e\s]*)/;

/** A sentence in which what was recorded in English is told to be so, for who has the page read out. */
export function spoken(text: string): HTMLElement {
  if (!/\p{Script=Han}/u.test(text)) return recorded(text);
  return h("span", {}, ...text.split(ENGLISH).map((part, i) => (i % 2 === 1 ? english(part) : part)));
}
