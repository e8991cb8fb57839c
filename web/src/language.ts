// The language of the page: the document holds both, and the style sheet hides one.

import { h } from "./dom";
import type { ScriptWords, Words } from "./types";

let words: ScriptWords;
const listeners: (() => void)[] = [];

export function setWords(all: ScriptWords): void {
  words = all;
}

function isChinese(): boolean {
  return document.documentElement.lang.startsWith("zh");
}

/** Words in the page's language. */
export function say(text: Words): string {
  return typeof text === "string" ? text : text[isChinese() ? 1 : 0];
}

/** Words of the script in the page's language. */
export function word(name: keyof ScriptWords): string {
  return say(words[name]);
}

/** Calls a function now and whenever the language changes. */
export function inLanguage(update: () => void): void {
  listeners.push(update);
  update();
}

/** An element whose text follows the language. */
export function spoken<E extends HTMLElement>(element: E, name: keyof ScriptWords): E {
  inLanguage(() => (element.textContent = word(name)));
  return element;
}

function set(tag: string): void {
  document.documentElement.lang = tag;
  for (const update of listeners) update();
}

/** The language in which the report was made, or the browser's. */
export function chooseLanguage(): void {
  if (document.documentElement.dataset["language"] === "auto") set(navigator.language.toLowerCase().startsWith("zh") ? "zh-Hans" : "en");
}

export function languageButton(): HTMLElement {
  const button = h("button", { type: "button", id: "language", click: () => set(isChinese() ? "en" : "zh-Hans") });
  inLanguage(() => {
    button.lang = isChinese() ? "en" : "zh-Hans";
    button.textContent = isChinese() ? "English" : "中文";
  });
  return button;
}
