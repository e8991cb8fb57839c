// The whole page: its sections in order, and the switches for language and theme.

import { forget } from "./charts/chart";
import { Context } from "./context";
import { copyButton, copyText } from "./copy";
import { h } from "./dom";
import type { Language } from "./i18n";
import { checks } from "./sections/checks";
import { capacity } from "./sections/capacity";
import { claims } from "./sections/claims";
import { evidence } from "./sections/evidence";
import { figures } from "./sections/figures";
import { gaps } from "./sections/gaps";
import { layers } from "./sections/layers";
import { againstLoad } from "./sections/load";
import { machine } from "./sections/machine";
import { methodsSection } from "./sections/methods";
import { percentiles } from "./sections/percentiles";
import { ratios } from "./sections/ratios";
import { study } from "./sections/study";
import { summary } from "./sections/summary";
import { top } from "./sections/top";
import { windows } from "./sections/windows";
import type { Data } from "./types";

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
    const sections = [
      ratios(context),
      figures(context),
      capacity(context),
      percentiles(context),
      againstLoad(context),
      windows(context),
      layers(context),
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
      h("div", { class: "layout" }, contents(context, sections), h("main", {}, top(context), ...sections)),
      h("footer", {}, context.words.footer(this.data.comparison.head.machine.photofinish)),
    );
    // What the reader had opened stays open in the other language: both have the same parts in the same order.
    const details = this.root.querySelectorAll("details");
    if (open.length > 0 && open.length <= details.length) open.forEach((was, i) => was && (details[i]!.open = true));
  }

  private controls(context: Context): HTMLElement {
    const { words } = context;
    const isEnglish = this.language === "en";
    const language = h(
      "button",
      { type: "button", id: "language", lang: isEnglish ? "zh-Hans" : "en", "aria-label": words.otherLanguage },
      isEnglish ? chinese() : words.otherLanguage,
    );
    language.addEventListener("click", () => {
      this.language = isEnglish ? "zh" : "en";
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
    const copy = copyButton(context, words.copy.markdown, words.copy.summaryName, () => copyText(context, summary(context)));
    return h("header", { class: "controls" }, h("span", { class: "brand" }, "photofinish"), copy, theme, language);
  }
}

/** Links to all sections, beside them or in a strip above; the one that is read is marked. */
function contents({ words }: Context, sections: HTMLElement[]): HTMLElement {
  const links = new Map(
    sections.map((section) => [section, h("a", { href: `#${section.id}` }, section.querySelector("h2")?.textContent)] as const),
  );
  const seen = new Set<Element>();
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) isIntersecting ? seen.add(target) : seen.delete(target);
      const read = sections.find((section) => seen.has(section));
      for (const [section, link] of links) {
        if (section === read) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
    { rootMargin: "-15% 0px -55% 0px" },
  );
  sections.forEach((section) => watch.observe(section));
  const items = [...links.values()].map((link) => h("li", {}, link));
  return h("nav", { class: "contents", "aria-label": words.contents }, h("ul", {}, ...items));
}

/** The name of Chinese in itself, drawn, since a reader of English may have no font for it. */
function chinese(): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ viewBox: "0 0 34 16", width: "34", height: "16", class: "han", "aria-hidden": "true" })) svg.setAttribute(name, value);
  const strokes = document.createElementNS("http://www.w3.org/2000/svg", "path");
  strokes.setAttribute("d", "M2.5 4.5h11v6h-11zM8 1.2v13.6M26 1l1 2.2M19.5 4h13.5M30.5 4.3c-1.2 4.6-4.8 8.6-10.6 10.5M22 4.3c1.4 4.6 5 8.6 10.700 10.5");
  svg.append(strokes);
  return svg;
}

function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
}
