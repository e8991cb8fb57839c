// Light or dark: the system's, until it is chosen.

import { h } from "./dom";
import { inLanguage, word } from "./language";

function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
}

export function themeButton(): HTMLElement {
  const button = h("button", { type: "button", id: "theme" });
  const label = (): void => {
    button.textContent = word(isDark() ? "light" : "dark");
  };
  inLanguage(label);
  button.addEventListener("click", () => {
    document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
    label();
  });
  return button;
}
