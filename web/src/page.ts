// The whole page: its sections in order, and the switches for language and theme.

import { forget } from "./charts/chart";
import { Context } from "./context";
import type { Data } from "./types";
import { h } from "./dom";
import type { Language } from "./i18n";
import { checks } from "./sections/checks";
import { capacity } from "./sections/capacity";
import { claims } from "./sections/claims";
import { evidence } from "./sections/evidence";
import { figures } from "./sections/figures";
import { gaps } from "./sections/gaps";
import { againstLoad } from "./sections/load";
import { machine } from "./sections/machine";
import { methodsSection } from "./sections/methods";
import { percentiles } from "./sections/percentiles";
import { ratios } from "./sections/ratios";
import { study } from "./sections/study";
import { top } from "./sections/top";
import { windows } from "./sections/windows";

export class Page {
  constructor(
    private readonly root: HTMLElement,
    private readonly data: Data,
    private language: Language,
  ) {}

  draw(): void {
    const context = new Context(this.data, this.language);
    const open = [...this.root.querySelectorAll("details")].map((details) => details.open);
    forget();
    document.documentElement.lang = context.words.tag;
    document.title = `${this.data.comparison.head.title} · photofinish`;
    const first = ratios(context);
    const sections = [
      figures(context),
      capacity(context),
      percentiles(context),
      againstLoad(context),
      windows(context),
      evidence(context),
      claims(context),
      checks(context),
      gaps(context),
      study(context),
      machine(context),
      methodsSection(context),
    ].filter((section) => section !== null);
    this.root.replaceChildren(
      this.controls(context),
      h("main", {}, top(context), first, contents(context, sections), ...sections),
      h("footer", {}, context.words.footer(this.data.comparison.head.machine.photofinish)),
    );
    // What the reader had opened stays open in the other language: both have the same parts in the same order.
    const details = this.root.querySelectorAll("details");
    if (open.length > 0 && open.length <= details.length) open.forEach((was, i) => was && (details[i]!.open = true));
  }

  private controls(context: Context): HTMLElement {
    const { words } = context;
    const language = h(
      "button",
      { type: "button", id: "language", lang: this.language === "en" ? "zh-Hans" : "en" },
      words.otherLanguage,
    );
    language.addEventListener("click", () => {
      this.language = this.language === "en" ? "zh" : "en";
      this.draw();
      document.getElementById("language")?.focus();
    });
    const theme = h("button", { type: "button", id: "theme" });
    const label = (): void => {
      theme.textContent = isDark() ? words.light : words.dark;
    };
    label();
    theme.addEventListener("click", () => {
      document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
      label();
    });
    return h("header", { class: "controls" }, h("span", { class: "brand" }, "photofinish"), language, theme);
  }
}

/** Links to all sections, below the verdict and its picture. */
function contents({ words }: Context, sections: HTMLElement[]): HTMLElement {
  const links = sections.map((section) => h("a", { href: `#${section.id}` }, section.querySelector("h2")?.textContent));
  return h("nav", { class: "contents", "aria-label": words.contents }, h("ul", {}, ...links.map((link) => h("li", {}, link))));
}

function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
}
